"""Routes: what a handler returns to say where the conversation goes. Immutable values; a builder gives a new one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

from cuelight.agent import in_handler, note_route
from cuelight.errors import OutsideHandler
from cuelight.wire import whole_text

__all__ = ["VALIDATED", "DirectMessage", "HttpContentType", "Route", "as_route", "direct", "go", "stay"]

_FEW = 4  # of so many values at most, one may have been meant as a route
VALIDATED = "input validated"
"""What the model reads as the result of a tool that returned nothing, or a route without feedback of its own."""


class HttpContentType(StrEnum):
    """Name what kind of content a turn's reply is."""

    TEXT = "text/plain"
    JSON = "application/json"
    HTML = "text/html"
    MARKDOWN = "text/markdown"


@dataclass(frozen=True, slots=True)
class DirectMessage:
    """Hold content that goes to the caller as it is, and ends the turn.

    Args:
        content: a string, or a value that has a JSON form.
    """

    content: Any


@dataclass(frozen=True, slots=True)
class Route:
    """Say where the conversation goes, and what goes along; made by `go`, `stay` and `direct`.

    Immutable. Each builder returns a new route; called again it replaces its own earlier value and no other. A builder
    given a value of the wrong type raises TypeError (`with_content_type` ValueError), in the handler that calls it.
    """

    kind: Literal["go", "stay", "direct"]
    target: Any = None
    feedback: str = VALIDATED
    prompt: str | None = None
    state: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    content_type: HttpContentType | None = None
    message: str | DirectMessage | None = None

    def with_tool_feedback(self, feedback: str) -> "Route":
        """Set what the model reads as the tool's result: a directive to it, no words for the caller."""
        return replace(self, feedback=_text("with_tool_feedback", feedback))

    def with_state(self, state: Mapping[str, Any] | None = None, /, **values: Any) -> "Route":
        """Set fields of the destination, written after its entry hooks have run; they stay until overwritten."""
        return replace(self, state=MappingProxyType({**(state or {}), **values}))

    def with_prompt(self, prompt: str) -> "Route":
        """Attach a prompt to the destination step, where it stays until overwritten."""
        return replace(self, prompt=_text("with_prompt", prompt))

    def with_content_type(self, content_type: HttpContentType) -> "Route":
        """Set the content type of this turn's reply."""
        return replace(self, content_type=HttpContentType(content_type))

    def with_message(self, message: str | DirectMessage) -> "Route":
        """Send a message along: a string is what the destination's model hears, a `DirectMessage` ends the turn."""
        if not isinstance(message, DirectMessage):
            message = _text("with_message", message, "text or a DirectMessage")
        return replace(self, message=message)


def go(target: Any) -> Route:
    """Move to another stage or step, after the last tool call of the reply.

    Args:
        target: a stage's value; in a flow a Step class, or the name of a registered one.

    Raises:
        TypeError: when an instance of a step is given.
    """
    if not isinstance(target, type) and hasattr(target, "__stage__"):
        name = type(target).__name__
        raise TypeError(f"go takes a Step class, and was given an instance of {name}; write go({name}).")
    return _built(Route("go", target))


def stay(feedback: str | None = None) -> Route:
    """Remain where the conversation is, and give the model corrective words as the tool's result.

    Args:
        feedback: a directive to the model; None is the standard message.

    Raises:
        OutsideHandler: where no handler is running: there is nothing to stay in.
    """
    _within("stay")
    return _built(Route("stay", feedback=VALIDATED if feedback is None else _text("stay", feedback)))


def direct(content: Any) -> Route:
    """Give content to the caller as it is, and end the turn without asking the model again.

    The same as staying with a `DirectMessage`, so a later `with_message` takes its place.

    Args:
        content: a string, or a value that has a JSON form.

    Raises:
        OutsideHandler: where no handler is running: there is no turn to end.
    """
    _within("direct")
    return _built(Route("direct", message=DirectMessage(content)))


def as_route(value: Any) -> Any:
    """Give the route that a returned Step class means; anything else as it is.

    Raises:
        TypeError: when a route, or what looks like one, is returned in another way than by itself.
    """
    if _is_step(value):
        return go(value)
    if hasattr(value, "__stage__"):
        name = type(value).__name__
        raise TypeError(f"An instance of {name} was returned, which is no route; write `return {name}`.")
    if isinstance(value, tuple | list) and any(isinstance(item, Route) or _is_step(item) for item in value[:_FEW]):
        kind = type(value).__name__
        raise TypeError(f"A route was returned in a {kind}; return it by itself, and say the rest with its builders.")
    return value


def _is_step(value: Any) -> bool:
    return isinstance(value, type) and hasattr(value, "__stage__")


def _built(route: Route) -> Route:
    """Let the handler that runs know that a route was made in it, so that it can tell of one that is not returned."""
    note_route(route)
    return route


def _within(helper: str) -> None:
    if not in_handler():
        raise OutsideHandler(
            f"{helper}() was used where no handler of a call is running, so there is nothing to stay in. Write it in "
            "the tool or hook that returns it; in a test, let `cuelight.testing.rehearse` run that."
        )


def _text(where: str, value: Any, wanted: str = "text") -> str:
    """Refuse what is no text where it is written, not later where it would be read; mend half a character."""
    if not isinstance(value, str):
        raise TypeError(f"{where} takes {wanted}, not a value of type {type(value).__name__}.")
    return whole_text(value)
