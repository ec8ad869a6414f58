"""What a log reduces to."""

from typing import Any, ClassVar

from msgspec import UNSET, Struct, UnsetType, field

from cuelight.wire.metrics import (
    AvatarMetrics,
    EOTInferenceMetrics,
    EOUMetrics,
    InterruptionMetrics,
    LLMMetrics,
    ModelUsage,
    RealtimeModelMetrics,
    STTMetrics,
    TTSMetrics,
    VADMetrics,
)
from cuelight.wire.shapes import Contact, DocSource, MemoryOp, Route, Shape, Supervisor
from cuelight.wire.talk import TurnAgent, TurnUser
from cuelight.wire.values import (
    AgentState,
    AttentionStatus,
    CallStatus,
    Channel,
    ConfirmStatus,
    DeclineReason,
    Direction,
    EndReason,
    EventSource,
    Number,
    ParticipantKind,
    RunStatus,
    TransferMode,
    TransferParty,
    TransferStatus,
    UserState,
)

__all__ = [
    "AgentTurn",
    "AttentionState",
    "CollectedMetrics",
    "Confirm",
    "CustomNote",
    "Gap",
    "Handoff",
    "LiveTranscript",
    "LoggedError",
    "Participant",
    "PromptBlockState",
    "ReceivedEvent",
    "Room",
    "State",
    "ToolRun",
    "TransferState",
    "Turn",
    "UserTurn",
]


class UserTurn(TurnUser, frozen=True, kw_only=True, tag_field="role", tag="user"):
    """A finished turn of the caller."""

    role: ClassVar[str] = "user"


class AgentTurn(TurnAgent, frozen=True, kw_only=True, tag_field="role", tag="agent"):
    """A finished turn of the agent: what was heard of it."""

    role: ClassVar[str] = "agent"


Turn = UserTurn | AgentTurn
"""A finished turn of either side, told apart by `role`."""


class CollectedMetrics(Struct, gc=False, kw_only=True):
    """Every measurement of the call, by kind, in the order they came."""

    llm: list[LLMMetrics]
    stt: list[STTMetrics]
    tts: list[TTSMetrics]
    vad: list[VADMetrics]
    eou: list[EOUMetrics]
    eot: list[EOTInferenceMetrics]
    interruption: list[InterruptionMetrics]
    realtime: list[RealtimeModelMetrics]
    avatar: list[AvatarMetrics]


class ToolRun(Shape, frozen=True, kw_only=True):
    """One tool call and, once it settled, its result; `seq` is that of the `tool.call`."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    speech_id: str | UnsetType = UNSET
    status: RunStatus
    output: Any = UNSET
    error: str | UnsetType | None = UNSET
    summary: str | UnsetType = UNSET
    duration_s: Number | UnsetType = UNSET
    seq: int


class PromptBlockState(Shape, frozen=True, kw_only=True):
    """What is known of a block of the prompt without its text; `seq` is that of the last change."""

    hash: str
    chars: int
    seq: int


class Confirm(Shape, frozen=True, kw_only=True):
    """One confirmation asked for, and how it went."""

    tool: str
    call_id: str
    audience: str
    phrase: str
    status: ConfirmStatus
    said: str | UnsetType = UNSET
    reason: DeclineReason | UnsetType = UNSET


class Handoff(Shape, frozen=True, kw_only=True):
    """Whether a supervisor holds the line, and who."""

    active: bool
    by: Supervisor | None


class TransferState(Shape, frozen=True, kw_only=True):
    """The transfer asked for or made last."""

    to: str
    mode: TransferMode | UnsetType | None = UNSET
    status: TransferStatus
    by: TransferParty


class AttentionState(Shape, frozen=True, kw_only=True):
    """The agent's last ask for a person, and what came of it."""

    reason: str
    wait_s: Number
    status: AttentionStatus
    asked_at: Number
    by: Supervisor | None


class LiveTranscript(Struct, gc=False, kw_only=True):
    """The words that are being spoken and are no finished turn yet."""

    user: str | None
    agent: str | None


class Gap(Shape, frozen=True, kw_only=True):
    """A stretch of entries that were not seen, its ends included."""

    from_seq: int
    to_seq: int


class LoggedError(Shape, frozen=True, kw_only=True):
    """Something that went wrong, and the entry that says so."""

    seq: int
    code: str
    message: str


class Participant(Shape, frozen=True, kw_only=True):
    """Somebody who is in the room."""

    identity: str
    kind: ParticipantKind
    name: str | UnsetType = UNSET
    joined_at: Number
    speaking: bool
    attributes: dict[str, Any]


class Room(Shape, frozen=True, kw_only=True):
    """The room of the call, who is in it in the order they came, and which of them is the caller."""

    name: str
    sid: str
    participants: list[Participant]
    caller: str | None


class ReceivedEvent(Shape, frozen=True, kw_only=True):
    """A fact from outside, without its data, which the entry of that `seq` holds."""

    seq: int
    name: str
    source: EventSource
    identity: str | UnsetType = UNSET


class CustomNote(Shape, frozen=True, kw_only=True):
    """A line that the author's code wrote."""

    seq: int
    name: str
    data: dict[str, Any]


class State(Struct, gc=False, kw_only=True):
    """The whole of what a log says, up to `seq`.

    A State is for reading; only a fold makes another of it.
    """

    seq: int
    agent: str
    call: str | None
    status: CallStatus
    channel: Channel | None
    direction: Direction | None
    from_: str | None = field(name="from")
    to: str | None
    caller: Contact | None
    room: Room | None
    started_at: Number | None
    ended_at: Number | None
    end_reason: EndReason | None
    outcome: str | None
    user_state: UserState | None
    agent_state: AgentState | None
    live: LiveTranscript
    turns: list[Turn]
    metrics: CollectedMetrics
    tools: list[ToolRun]
    app_state: dict[str, Any]
    events: list[ReceivedEvent]
    prompt: dict[str, PromptBlockState]
    tools_visible: list[str]
    confirms: list[Confirm]
    memory: list[MemoryOp]
    sources: list[DocSource]
    handoff: Handoff
    held: bool
    muted: bool
    transfer: TransferState | None
    attention: AttentionState | UnsetType | None = UNSET
    usage: list[ModelUsage]
    cost: Any
    routes: list[Route]
    gaps: list[Gap]
    errors: list[LoggedError]
    custom: list[CustomNote]

    @classmethod
    def empty(cls) -> "State":
        """Return the State of a log with no entry."""
        return cls(
            seq=0,
            agent="",
            call=None,
            status="idle",
            channel=None,
            direction=None,
            from_=None,
            to=None,
            caller=None,
            room=None,
            started_at=None,
            ended_at=None,
            end_reason=None,
            outcome=None,
            user_state=None,
            agent_state=None,
            live=LiveTranscript(user=None, agent=None),
            turns=[],
            metrics=CollectedMetrics(
                llm=[], stt=[], tts=[], vad=[], eou=[], eot=[], interruption=[], realtime=[], avatar=[]
            ),
            tools=[],
            app_state={},
            events=[],
            prompt={},
            tools_visible=[],
            confirms=[],
            memory=[],
            sources=[],
            handoff=Handoff(active=False, by=None),
            held=False,
            muted=False,
            transfer=None,
            attention=None,
            usage=[],
            cost=None,
            routes=[],
            gaps=[],
            errors=[],
            custom=[],
        )
