"""What happens around a conversation: the call, its line and room, the people who watch over it."""

from typing import Any

from msgspec import UNSET, UnsetType, field

from cuelight.wire.metrics import ModelUsage
from cuelight.wire.shapes import Contact, Judgment, Route, Shape, Supervisor
from cuelight.wire.values import (
    Channel,
    Digit,
    Direction,
    EndedBy,
    EndReason,
    Number,
    ParticipantKind,
    TrackKind,
    TrackSource,
    TransferMode,
)

__all__ = [
    "AgentConfigured",
    "AgentRegistered",
    "AttentionAnswered",
    "AttentionRequested",
    "CallDialing",
    "CallEnded",
    "CallLine",
    "CallRinging",
    "CallScore",
    "CallStarted",
    "CallSummary",
    "CallTransferred",
    "DtmfReceived",
    "ParticipantJoined",
    "ParticipantLeft",
    "ParticipantSpeaking",
    "RoomOpened",
    "RoomSent",
    "SupervisorEnded",
    "SupervisorReleased",
    "SupervisorSaid",
    "SupervisorTookOver",
    "SupervisorTransferred",
    "SupervisorWhispered",
    "TrackPublished",
    "TrackUnpublished",
]


class AgentConfigured(Shape, frozen=True, kw_only=True):
    """The agent took a configuration."""

    changed: list[str]


class AgentRegistered(Shape, frozen=True, kw_only=True):
    """An agent's app came up and named its endpoints."""

    routes: list[Route]
    app: str
    sdk: str | UnsetType = UNSET
    env: Any = UNSET


class AttentionAnswered(Shape, frozen=True, kw_only=True):
    """Somebody settled the agent's ask for a person, or nobody came."""

    ok: bool
    by: Supervisor | None
    error: str | UnsetType = UNSET


class AttentionRequested(Shape, frozen=True, kw_only=True):
    """The agent asked for a person."""

    reason: str
    wait_s: Number


class CallDialing(Shape, frozen=True, kw_only=True):
    """An outbound call is being placed."""

    channel: Channel
    from_: str = field(name="from")
    to: str
    run: str | UnsetType = UNSET
    caller: Contact | None
    external_id: str | UnsetType = UNSET
    asked_by: str | UnsetType = UNSET


class CallEnded(Shape, frozen=True, kw_only=True):
    """The call is over."""

    reason: EndReason
    ended_by: EndedBy
    ended_at: Number
    duration_s: Number


class CallLine(Shape, frozen=True, kw_only=True):
    """The line was held, muted, or freed again."""

    held: bool
    muted: bool


class CallRinging(Shape, frozen=True, kw_only=True):
    """An inbound call rings."""

    channel: Channel
    from_: str = field(name="from")
    to: str
    route: Route
    run: str | UnsetType = UNSET
    caller: Contact | None
    external_id: str | UnsetType = UNSET


class CallScore(Shape, frozen=True, kw_only=True):
    """What the judges said of the call."""

    passed: bool | UnsetType = UNSET
    not_judged: str | UnsetType = UNSET
    judges: list[Judgment]
    panel: list[str] | UnsetType = UNSET
    judge_calls: int
    judge_cost_eur: Number | UnsetType = UNSET


class CallStarted(Shape, frozen=True, kw_only=True):
    """The conversation began."""

    channel: Channel
    direction: Direction
    from_: str = field(name="from")
    to: str
    run: str | UnsetType = UNSET
    persona: str | UnsetType = UNSET
    accepts_when: str | UnsetType = UNSET
    declines_when: str | UnsetType = UNSET
    caller: Contact | None
    started_at: Number
    env: Any = UNSET


class CallSummary(Shape, frozen=True, kw_only=True):
    """The call in sum: its outcome, what it used and what it cost."""

    reason: EndReason
    outcome: str
    duration_s: Number
    turns: int
    usage: list[ModelUsage]
    cost: Any
    recording: str | UnsetType = UNSET


class CallTransferred(Shape, frozen=True, kw_only=True):
    """A transfer went through or failed."""

    to: str
    mode: TransferMode | UnsetType = UNSET
    ok: bool
    error: str | UnsetType = UNSET


class DtmfReceived(Shape, frozen=True, kw_only=True):
    """The caller pressed a key."""

    digit: Digit
    code: int


class ParticipantJoined(Shape, frozen=True, kw_only=True):
    """Somebody entered the room."""

    identity: str
    kind: ParticipantKind
    name: str | UnsetType = UNSET
    attributes: dict[str, Any]


class ParticipantLeft(Shape, frozen=True, kw_only=True):
    """Somebody left the room."""

    identity: str
    reason: str


class ParticipantSpeaking(Shape, frozen=True, kw_only=True):
    """Somebody in the room began or stopped speaking."""

    identity: str
    speaking: bool


class RoomOpened(Shape, frozen=True, kw_only=True):
    """The room of the call is open."""

    name: str
    sid: str
    channel: Channel


class RoomSent(Shape, frozen=True, kw_only=True):
    """A message went to the room's participants."""

    topic: str
    to: str | UnsetType = UNSET
    bytes: int


class SupervisorEnded(Shape, frozen=True, kw_only=True):
    """A supervisor ended the call."""

    by: Supervisor
    reason: str | UnsetType = UNSET


class SupervisorReleased(Shape, frozen=True, kw_only=True):
    """A supervisor gave the line back."""

    by: Supervisor


class SupervisorSaid(Shape, frozen=True, kw_only=True):
    """A supervisor spoke to the caller."""

    by: Supervisor
    text: str


class SupervisorTookOver(Shape, frozen=True, kw_only=True):
    """A supervisor took the line."""

    by: Supervisor


class SupervisorTransferred(Shape, frozen=True, kw_only=True):
    """A supervisor asked for a transfer."""

    by: Supervisor
    to: str
    mode: TransferMode | UnsetType = UNSET


class SupervisorWhispered(Shape, frozen=True, kw_only=True):
    """A supervisor told the agent something the caller does not hear."""

    by: Supervisor
    text: str


class TrackPublished(Shape, frozen=True, kw_only=True):
    """A participant began to send sound or a picture."""

    identity: str
    kind: TrackKind
    source: TrackSource


class TrackUnpublished(Shape, frozen=True, kw_only=True):
    """A participant stopped sending sound or a picture."""

    identity: str
    kind: TrackKind
    source: TrackSource
