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
    "known",
]

Number = int | float
"""A JSON number, kept as it was written: `12` stays an integer and `12.0` a float."""


def known(*values: str) -> Meta:
    """Name the values that an open enumeration has so far, for the JSON Schema."""
    return Meta(extra_json_schema={"anyOf": [{"enum": list(values)}, {"type": "string"}]})


Channel = Annotated[str, known("phone", "web", "whatsapp", "terminal", "api")]
Direction = Annotated[str, known("inbound", "outbound")]
EndReason = Annotated[
    str,
    known(
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
EndedBy = Annotated[str, known("caller", "agent", "supervisor", "platform")]
ScoreVerdict = Annotated[str, known("held", "broken", "deferred", "skipped")]
TransferMode = Annotated[str, known("cold", "warm")]
PromptRegion = Annotated[str, known("static", "dynamic")]
UserState = Annotated[str, known("listening", "speaking", "away")]
AgentState = Annotated[str, known("initializing", "idle", "listening", "thinking", "speaking")]
ParticipantKind = Annotated[str, known("caller", "agent", "supervisor", "listener", "sip")]
TrackKind = Annotated[str, known("audio", "video", "screen")]
TrackSource = Annotated[str, known("microphone", "camera", "screen_share", "screen_share_audio", "unknown")]
EventSource = Annotated[str, known("app", "participant")]
Visibility = Annotated[str, known("public", "tenant", "pii")]
Projection = Annotated[str, known("public", "tenant")]

Digit = Annotated[str, known("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "#")]
DeclineReason = Annotated[str, known("no", "timeout", "changed", "cancelled")]
SideEffect = Annotated[str, known("read", "write", "irreversible")]
MemoryVerb = Annotated[str, known("recall", "remember", "forget")]
InviteKind = Annotated[str, known("sip", "participant")]

CallStatus = Annotated[str, known("idle", "ringing", "dialing", "active", "ended")]
RunStatus = Annotated[str, known("running", "done", "failed")]
ConfirmStatus = Annotated[str, known("pending", "granted", "declined")]
TransferStatus = Annotated[str, known("requested", "done", "failed")]
TransferParty = Annotated[str, known("agent", "supervisor")]
AttentionStatus = Annotated[str, known("open", "answered", "lapsed")]

Speaker = Annotated[str, known("model", "code", "direct")]
RefusalReason = Annotated[str, known("hidden", "unknown", "bad arguments", "not run", "repeated")]
RouteKind = Annotated[str, known("go", "stay", "direct")]
UnknownReason = Annotated[str, known("crash", "timeout", "lost lease")]
