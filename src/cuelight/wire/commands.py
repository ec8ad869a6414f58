"""What an app, a supervisor or a client may ask of a live call."""

from typing import Any, ClassVar

from msgspec import UNSET, UnsetType, field

from cuelight.wire.shapes import Contact, Route, Shape, Supervisor, ToolSpec
from cuelight.wire.values import InviteKind, Number, TransferMode

__all__ = [
    "AgentConfigure",
    "AgentRegister",
    "AgentReply",
    "AgentSay",
    "CallAttention",
    "CallDial",
    "CallDtmf",
    "CallEvent",
    "CallHangup",
    "CallLog",
    "CallTransfer",
    "NoData",
    "ParticipantMute",
    "ParticipantRemove",
    "PromptSet",
    "RoomInvite",
    "RoomSend",
    "SessionConfigure",
    "StateSet",
    "SupervisorVerb",
    "ToolsSet",
    "Verb",
    "VerbEnd",
    "VerbRelease",
    "VerbSay",
    "VerbTakeover",
    "VerbTransfer",
    "VerbWhisper",
]


class NoData(Shape, frozen=True, kw_only=True):
    """The data of a command that has none."""


class AgentConfigure(Shape, frozen=True, kw_only=True):
    """Configure the agent."""

    config: Any


class AgentRegister(Shape, frozen=True, kw_only=True):
    """Serve these endpoints."""

    routes: list[Route]
    sdk: str | UnsetType = UNSET
    host: str | UnsetType = UNSET
    takes_unclaimed: bool | UnsetType = UNSET


class AgentReply(Shape, frozen=True, kw_only=True):
    """Make the model speak."""

    instructions: str
    allow_interruptions: bool | UnsetType = UNSET


class AgentSay(Shape, frozen=True, kw_only=True):
    """Speak these words."""

    text: str
    allow_interruptions: bool | UnsetType = UNSET


class CallAttention(Shape, frozen=True, kw_only=True):
    """Ask for a person."""

    reason: str
    wait_s: Number


class CallDial(Shape, frozen=True, kw_only=True):
    """Place a call."""

    to: str
    from_: str | UnsetType = field(default=UNSET, name="from")
    caller: Contact | UnsetType = UNSET
    metadata: dict[str, Any] | UnsetType = UNSET


class CallDtmf(Shape, frozen=True, kw_only=True):
    """Press keys."""

    digits: str


class CallEvent(Shape, frozen=True, kw_only=True):
    """Tell the agent a fact from outside."""

    name: str
    data: dict[str, Any]


class CallHangup(Shape, frozen=True, kw_only=True):
    """End the call."""

    reason: str | UnsetType = UNSET


class CallLog(Shape, frozen=True, kw_only=True):
    """Write a line into the log."""

    name: str
    data: dict[str, Any]


class CallTransfer(Shape, frozen=True, kw_only=True):
    """Transfer the call."""

    to: str
    mode: TransferMode | UnsetType = UNSET


class ParticipantMute(Shape, frozen=True, kw_only=True):
    """Mute a participant."""

    identity: str


class ParticipantRemove(Shape, frozen=True, kw_only=True):
    """Remove a participant."""

    identity: str


class PromptSet(Shape, frozen=True, kw_only=True):
    """Write a block of the prompt."""

    name: str
    text: str


class RoomInvite(Shape, frozen=True, kw_only=True):
    """Bring somebody into the room."""

    to: str
    kind: InviteKind


class RoomSend(Shape, frozen=True, kw_only=True):
    """Send a message to the room's participants."""

    topic: str
    data: dict[str, Any]
    to: str | UnsetType = UNSET


class SessionConfigure(Shape, frozen=True, kw_only=True):
    """Configure this call."""

    state: dict[str, Any] | UnsetType = UNSET
    config: Any = UNSET


class StateSet(Shape, frozen=True, kw_only=True):
    """Write the agent's state, whole."""

    state: dict[str, Any]
    changed: list[str] | UnsetType = UNSET


class VerbSay(Shape, frozen=True, kw_only=True, tag_field="verb", tag="say"):
    """Speak to the caller."""

    verb: ClassVar[str] = "say"

    text: str


class VerbWhisper(Shape, frozen=True, kw_only=True, tag_field="verb", tag="whisper"):
    """Tell the agent something that the caller does not hear."""

    verb: ClassVar[str] = "whisper"

    text: str


class VerbTakeover(Shape, frozen=True, kw_only=True, tag_field="verb", tag="takeover"):
    """Take the line."""

    verb: ClassVar[str] = "takeover"


class VerbRelease(Shape, frozen=True, kw_only=True, tag_field="verb", tag="release"):
    """Give the line back."""

    verb: ClassVar[str] = "release"


class VerbTransfer(Shape, frozen=True, kw_only=True, tag_field="verb", tag="transfer"):
    """Transfer the call."""

    verb: ClassVar[str] = "transfer"

    to: str
    mode: TransferMode | UnsetType = UNSET


class VerbEnd(Shape, frozen=True, kw_only=True, tag_field="verb", tag="end"):
    """End the call."""

    verb: ClassVar[str] = "end"

    reason: str | UnsetType = UNSET


Verb = VerbSay | VerbWhisper | VerbTakeover | VerbRelease | VerbTransfer | VerbEnd
"""What a supervisor asks, told apart by `verb`."""


class SupervisorVerb(Shape, frozen=True, kw_only=True):
    """Do what a supervisor asks."""

    by: Supervisor
    verb: Verb


class ToolsSet(Shape, frozen=True, kw_only=True):
    """Name the tools the model may call."""

    tools: list[ToolSpec]
