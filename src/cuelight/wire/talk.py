"""What happens in a conversation: turns, tool calls, confirmations, the prompt and the state."""

from typing import Any

from msgspec import UNSET, UnsetType

from cuelight.wire.metrics import AgentTurnMetrics, UserTurnMetrics
from cuelight.wire.shapes import DocSource, MemoryOp, Shape, StateCause
from cuelight.wire.values import AgentState, DeclineReason, EventSource, Number, UserState

__all__ = [
    "AgentStateChanged",
    "AgentTranscript",
    "ConfirmDeclined",
    "ConfirmGranted",
    "ConfirmRequest",
    "Custom",
    "DocsSources",
    "ErrorReport",
    "EventReceived",
    "MemoryOps",
    "PromptChanged",
    "StateChanged",
    "ToolCall",
    "ToolResult",
    "ToolsChanged",
    "TurnAgent",
    "TurnUser",
    "UserStateChanged",
    "UserTranscript",
]


class AgentStateChanged(Shape, frozen=True, kw_only=True):
    """The agent changed between listening, thinking and speaking."""

    state: AgentState


class AgentTranscript(Shape, frozen=True, kw_only=True):
    """A piece of what the agent is saying."""

    speech_id: str
    text: str
    final: bool
    start: Number | UnsetType = UNSET
    end: Number | UnsetType = UNSET


class ConfirmDeclined(Shape, frozen=True, kw_only=True):
    """A confirmation was not given."""

    tool: str
    call_id: str
    audience: str
    said: str | UnsetType = UNSET
    reason: DeclineReason


class ConfirmGranted(Shape, frozen=True, kw_only=True):
    """The caller said yes to exactly this."""

    tool: str
    call_id: str
    audience: str
    said: str
    ttl_s: int


class ConfirmRequest(Shape, frozen=True, kw_only=True):
    """The caller was asked to confirm a tool call."""

    tool: str
    call_id: str
    arguments: dict[str, Any]
    audience: str
    phrase: str
    ttl_s: int


class Custom(Shape, frozen=True, kw_only=True):
    """A line that the author's code wrote."""

    name: str
    data: dict[str, Any]


class DocsSources(Shape, frozen=True, kw_only=True):
    """What the knowledge base gave for a turn."""

    query: str
    sources: list[DocSource]
    took_ms: Number
    speech_id: str | UnsetType = UNSET


class ErrorReport(Shape, frozen=True, kw_only=True):
    """Something went wrong, or a command was refused."""

    code: str
    message: str
    command: str | UnsetType = UNSET
    id: str | UnsetType = UNSET
    recoverable: bool


class EventReceived(Shape, frozen=True, kw_only=True):
    """A fact arrived from outside the conversation."""

    name: str
    data: dict[str, Any]
    source: EventSource
    identity: str | UnsetType = UNSET


class MemoryOps(Shape, frozen=True, kw_only=True):
    """The memory was read or written."""

    ops: list[MemoryOp]
    speech_id: str | UnsetType = UNSET


class PromptChanged(Shape, frozen=True, kw_only=True):
    """A block of the prompt changed; its text is not in the log."""

    name: str
    hash: str
    chars: int


class StateChanged(Shape, frozen=True, kw_only=True):
    """The agent's state, whole, after a change."""

    state: dict[str, Any]
    changed: list[str]
    cause: StateCause | UnsetType = UNSET


class ToolCall(Shape, frozen=True, kw_only=True):
    """The model calls a tool."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    speech_id: str | UnsetType = UNSET


class ToolResult(Shape, frozen=True, kw_only=True):
    """A tool call settled."""

    call_id: str
    name: str
    output: Any = UNSET
    error: str | UnsetType | None = UNSET
    summary: str | UnsetType = UNSET
    duration_s: Number | UnsetType = UNSET


class ToolsChanged(Shape, frozen=True, kw_only=True):
    """Which tools the model may call from here on."""

    visible: list[str]


class TurnAgent(Shape, frozen=True, kw_only=True):
    """The agent's turn, as it was heard."""

    speech_id: str
    item_id: str | UnsetType = UNSET
    text: str
    interrupted: bool
    metrics: AgentTurnMetrics


class TurnUser(Shape, frozen=True, kw_only=True):
    """The caller's turn."""

    speech_id: str
    item_id: str | UnsetType = UNSET
    text: str
    language: str | UnsetType = UNSET
    transcript_confidence: Number | UnsetType = UNSET
    metrics: UserTurnMetrics


class UserStateChanged(Shape, frozen=True, kw_only=True):
    """The caller changed between listening, speaking and away."""

    state: UserState


class UserTranscript(Shape, frozen=True, kw_only=True):
    """What the caller is saying, as understood so far."""

    text: str
    final: bool
    language: str | UnsetType = UNSET
    confidence: Number | UnsetType = UNSET
