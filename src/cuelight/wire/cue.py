"""Cuelight's own entries: what resume, replay and the goldens need. The State ignores them."""

from typing import Any

from msgspec import UNSET, UnsetType, field

from cuelight.wire.shapes import Shape
from cuelight.wire.values import Number, RefusalReason, RouteKind, Speaker, UnknownReason

__all__ = [
    "CueCall",
    "CueCrossing",
    "CueDelivered",
    "CueErased",
    "CueForgotten",
    "CueHeard",
    "CueRefused",
    "CueReply",
    "CueRoute",
    "CueSaid",
    "CueUnknown",
]


class CueCall(Shape, frozen=True, kw_only=True):
    """One tool call of a reply; its arguments are in its `tool.call`."""

    call_id: str
    name: str


class CueReply(Shape, frozen=True, kw_only=True):
    """One reply of the model, stored before its first call runs."""

    speech_id: str
    request: int
    text: str
    calls: list[CueCall]
    finish: str
    cut: bool | UnsetType = UNSET
    held: bool | UnsetType = UNSET
    """Whether its words were given to the step to decide about, and not spoken by themselves."""


class CueSaid(Shape, frozen=True, kw_only=True):
    """One piece spoken."""

    speech_id: str
    by: Speaker
    text: str


class CueCrossing(Shape, frozen=True, kw_only=True):
    """What a turn carried into a step."""

    from_: str = field(name="from")
    to: str
    message: str | UnsetType = UNSET


class CueRefused(Shape, frozen=True, kw_only=True):
    """A tool call that did not run."""

    call_id: str
    name: str
    reason: RefusalReason


class CueRoute(Shape, frozen=True, kw_only=True):
    """What a handler or hook returned."""

    call_id: str | UnsetType = UNSET
    kind: RouteKind
    from_: str = field(name="from")
    to: str | UnsetType = UNSET
    applied: bool
    reason: str | UnsetType = UNSET
    feedback: str | UnsetType = UNSET
    prompt: str | UnsetType = UNSET
    state: dict[str, Any] | UnsetType = UNSET
    content_type: str | UnsetType = UNSET
    message: Any = UNSET


class CueDelivered(Shape, frozen=True, kw_only=True):
    """What a turn gave its caller."""

    speech_id: str
    message_id: str | UnsetType = UNSET
    content: Any = UNSET
    content_type: str | UnsetType = UNSET
    attempts: int


class CueUnknown(Shape, frozen=True, kw_only=True):
    """A tool call settled without an outcome."""

    call_id: str
    name: str
    reason: UnknownReason


class CueErased(Shape, frozen=True, kw_only=True):
    """The private values of the call were erased."""

    at: Number


class CueForgotten(Shape, frozen=True, kw_only=True):
    """What one memory held of the conversation was forgotten; the call's own memory has the empty name."""

    memory: str


class CueHeard(Shape, frozen=True, kw_only=True):
    """How much of a reply reached the caller's ear, where it was cut while it was played, after its turn had ended."""

    speech_id: str
    text: str
