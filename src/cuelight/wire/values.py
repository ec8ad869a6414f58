"""The enumerations of the wire, and its numbers.

Every enumeration is open: a reader keeps a value that is not listed as it came, so a log of a later version
still reads. They are plain strings to Python; the listed values go into the JSON Schema.
"""

from typing import Annotated

from msgspec import Meta

__all__ = [
    "AgentState",
    "AttentionStatus",
    "CallStatus",
    "Channel",
    "ConfirmStatus",
    "DeclineReason",
    "Digit",
    "Direction",
    "EndReason",
    "EndedBy",
    "EventSource",
    "InviteKind",
    "MemoryVerb",
    "Number",
    "ParticipantKind",
    "Projection",
    "PromptRegion",
    "RefusalReason",
    "RouteKind",
    "RunStatus",
    "ScoreVerdict",
    "SideEffect",
    "Speaker",
    "TrackKind",
    "TrackSource",
    "TransferMode",
    "TransferParty",
    "TransferStatus",
    "UnknownReason",
    "UserState",
    "Visibility",
]

Number = int | float
"""A JSON number, kept as it was written: `12` stays an integer and `12.0` a float."""


def _known(*values: str) -> Meta:
    return Meta(extra_json_schema={"anyOf": [{"enum": list(values)}, {"type": "string"}]})


Channel = Annotated[str, _known("phone", "web", "whatsapp", "terminal", "api")]
Direction = Annotated[str, _known("inbound", "outbound")]
EndReason = Annotated[
    str,
    _known(
        "caller_hung_up",
        "agent_hung_up",
        "supervisor_ended",
        "transferred",
        "no_answer",
        "busy",
        "dial_failed",
        "timeout",
        "drained",
        "app_detached",
        "error",
    ),
]
EndedBy = Annotated[str, _known("caller", "agent", "supervisor", "platform")]
ScoreVerdict = Annotated[str, _known("held", "broken", "deferred", "skipped")]
TransferMode = Annotated[str, _known("cold", "warm")]
PromptRegion = Annotated[str, _known("static", "dynamic")]
UserState = Annotated[str, _known("listening", "speaking", "away")]
AgentState = Annotated[str, _known("initializing", "idle", "listening", "thinking", "speaking")]
ParticipantKind = Annotated[str, _known("caller", "agent", "supervisor", "listener", "sip")]
TrackKind = Annotated[str, _known("audio", "video", "screen")]
TrackSource = Annotated[str, _known("microphone", "camera", "screen_share", "screen_share_audio", "unknown")]
EventSource = Annotated[str, _known("app", "participant")]
Visibility = Annotated[str, _known("public", "tenant", "pii")]
Projection = Annotated[str, _known("public", "tenant")]

Digit = Annotated[str, _known("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "#")]
DeclineReason = Annotated[str, _known("no", "timeout", "changed", "cancelled")]
SideEffect = Annotated[str, _known("read", "write", "irreversible")]
MemoryVerb = Annotated[str, _known("recall", "remember", "forget")]
InviteKind = Annotated[str, _known("sip", "participant")]

CallStatus = Annotated[str, _known("idle", "ringing", "dialing", "active", "ended")]
RunStatus = Annotated[str, _known("running", "done", "failed")]
ConfirmStatus = Annotated[str, _known("pending", "granted", "declined")]
TransferStatus = Annotated[str, _known("requested", "done", "failed")]
TransferParty = Annotated[str, _known("agent", "supervisor")]
AttentionStatus = Annotated[str, _known("open", "answered", "lapsed")]

Speaker = Annotated[str, _known("model", "code", "direct")]
RefusalReason = Annotated[str, _known("hidden", "unknown", "bad arguments", "not run", "repeated")]
RouteKind = Annotated[str, _known("go", "stay", "direct")]
UnknownReason = Annotated[str, _known("crash", "timeout", "lost lease")]
