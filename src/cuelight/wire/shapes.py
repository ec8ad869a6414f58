"""The shapes that entries, commands and the State share."""

from typing import Any, ClassVar

from msgspec import UNSET, Struct, UnsetType, field

from cuelight.wire.values import (
    Channel,
    EventSource,
    MemoryVerb,
    Number,
    PromptRegion,
    ScoreVerdict,
    SideEffect,
    Visibility,
)

__all__ = [
    "Contact",
    "DocSource",
    "EventCause",
    "EventSpec",
    "Evidence",
    "Judgment",
    "MemoryFact",
    "MemoryOp",
    "PromptBlockSpec",
    "Route",
    "Shape",
    "StateCause",
    "StateFieldSpec",
    "Supervisor",
    "ToolCause",
    "ToolSpec",
]


class Shape(Struct, frozen=True, gc=False):
    """Base of every shape of the wire.

    A field that is `UNSET` was absent and stays absent when the shape is written again; None is a null.
    Shapes are immutable; lists and maps inside them are shared between States and must not be changed in place.
    """


class Contact(Shape, frozen=True, kw_only=True):
    """Who is on the other side."""

    id: str | UnsetType = UNSET
    phone: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    email: str | UnsetType = UNSET
    external_id: str | UnsetType = UNSET


class Route(Shape, frozen=True, kw_only=True):
    """One endpoint that an agent answers."""

    channel: Channel
    number: str | None
    label: str | UnsetType = UNSET


class Supervisor(Shape, frozen=True, kw_only=True):
    """A person who watches over calls."""

    id: str
    name: str | UnsetType = UNSET


class ToolSpec(Shape, frozen=True, kw_only=True):
    """A tool as the model is told of it."""

    name: str
    description: str
    parameters: dict[str, Any]
    side_effect: SideEffect | UnsetType = UNSET
    confirm: str | UnsetType = UNSET
    pii: list[str] | UnsetType = UNSET
    timeout_s: Number | UnsetType = UNSET


class MemoryFact(Shape, frozen=True, kw_only=True):
    """One thing remembered about a contact."""

    id: str | UnsetType = UNSET
    text: str
    category: str | UnsetType = UNSET
    score: Number | UnsetType = UNSET
    source: str | UnsetType = UNSET


class MemoryOp(Shape, frozen=True, kw_only=True):
    """One use of the memory, with what it found or kept."""

    op: MemoryVerb
    contact: str | UnsetType = UNSET
    query: str | UnsetType = UNSET
    facts: list[MemoryFact]
    took_ms: Number


class DocSource(Shape, frozen=True, kw_only=True):
    """One passage found in the knowledge base."""

    id: str
    base: str | UnsetType = UNSET
    path: str
    heading: str | UnsetType = UNSET
    score: Number
    excerpt: str | UnsetType = UNSET


class PromptBlockSpec(Shape, frozen=True, kw_only=True):
    """One block of a prompt, as declared."""

    name: str
    region: PromptRegion


class StateFieldSpec(Shape, frozen=True, kw_only=True):
    """One field of an agent's state, as declared."""

    name: str
    visibility: Visibility


class EventSpec(Shape, frozen=True, kw_only=True):
    """One event that an agent takes, and from whom."""

    name: str
    from_: list[EventSource] = field(name="from")


class Evidence(Shape, frozen=True, kw_only=True):
    """What a judgment rests on: entries by seq, and words."""

    seqs: list[int]
    said: str | UnsetType = UNSET


class Judgment(Shape, frozen=True, kw_only=True):
    """One judge's verdict on a call."""

    name: str
    verdict: ScoreVerdict
    criteria: str
    reason: str
    evidence: Evidence


class ToolCause(Shape, frozen=True, kw_only=True, tag_field="kind", tag="tool"):
    """A tool call that changed the state."""

    kind: ClassVar[str] = "tool"

    tool: str
    call_id: str


class EventCause(Shape, frozen=True, kw_only=True, tag_field="kind", tag="event"):
    """An outside event that changed the state."""

    kind: ClassVar[str] = "event"

    name: str
    seq: int


StateCause = ToolCause | EventCause
"""What changed the state, told apart by `kind`."""
