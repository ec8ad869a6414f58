"""The model of tests: it says what its script says, one item a request, and remembers what it was asked."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from copy import deepcopy
from functools import cached_property
from inspect import isawaitable
from typing import Any, Literal, TypeAlias

import msgspec

from cuelight.agent import ANSWER_TOOL, undelimit
from cuelight.errors import AuthorError, ScriptCheckFailed, ScriptRanOut, ScriptRefused
from cuelight.models.words import words
from cuelight.ports import Finished, ModelEvent, ModelRequest, TextDelta, ToolCallRequest

__all__ = ["Item", "Reply", "Request", "Script", "answers", "calls", "raw_call"]

Reply: TypeAlias = "str | ToolCallRequest | Answer | BaseException | type[BaseException] | Sequence[Any]"
"""What answers one request: words, a call, a list of both, or an exception to raise."""

Item: TypeAlias = "Reply | Callable[[Request], Reply | Awaitable[Reply]]"
"""A reply, or a callable that is given the request and returns one; it may be `async`."""


class Request:
    """Show what a model was sent, as it was at that moment.

    Attributes:
        tools: the names of the tools that were callable, in order.
        static: the part of the prompt that stays the same.
        view: the part that changes.
        stage: the stage the conversation was in.
        pending: the calls that wait for the caller's yes, each by its id and its tool.
    """

    def __init__(self, request: ModelRequest) -> None:
        self.tools = list(request.visible)
        self.static = request.static
        self.view = undelimit(request.view)
        self.stage = request.stage
        self.pending = list(request.pending)
        # Messages are frozen, so a list of its own is all a snapshot needs; dicts are made for those who look.
        self._placed = request.placed()
        self._offered = request.offered

    @cached_property
    def specs(self) -> list[dict[str, Any]]:
        """The tools that were callable, as the model was told of them: name, description, parameters (JSON Schema)."""
        return [
            {"name": spec.name, "description": spec.description, "parameters": deepcopy(spec.parameters)}
            for spec in self._offered
        ]

    @cached_property
    def messages(self) -> list[dict[str, Any]]:
        """The messages as plain dicts, the view in its place."""
        return [message.plain() for message in self._placed]

    def __repr__(self) -> str:
        return f"Request(stage={self.stage!r}, tools={self.tools!r}, messages={self.messages!r})"


class Script:
    """Answer requests with scripted items, one a request, in order.

    An item is a string, `calls(...)`, `raw_call(...)`, a list of these (one reply; an exception may come last: the
    reply fails after that much), a callable that is given the `Request` and returns one of these (it may be `async`),
    or an exception to raise. Text is streamed a word at a time. Items left over are fine.

    Args:
        items: what to answer.

    Attributes:
        requests: what the model was sent, one a request.

    Raises:
        ScriptRefused: when an item is none of these; here, or for a callable's return when it is asked.
        ScriptCheckFailed: out of the stream, when an `assert` in a callable fails.
        ScriptRanOut: out of the stream, when a request comes after the last item.
    """

    name = "script"
    provider = "cuelight"

    def __init__(self, *items: Item) -> None:
        for number, item in enumerate(items, 1):
            if isinstance(item, type) or not callable(item):
                _pieces(item, f"item {number} of the script")
        self._items = items
        self.requests: list[Request] = []

    def unused(self) -> int:
        """Count the items that were not asked for."""
        return max(0, len(self._items) - len(self.requests))

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Give the next item's words and calls, then `Finished`."""
        asked = Request(request)
        self.requests.append(asked)
        number = len(self.requests)
        if number > len(self._items):
            raise ScriptRanOut(_ran_out(len(self._items), number, request))
        item = self._items[number - 1]
        if not isinstance(item, type) and callable(item):
            try:
                answer = item(asked)
                reply = await answer if isawaitable(answer) else answer
            except AuthorError:
                raise
            except AssertionError as failed:  # the test's own, which is no failure of a model
                raise ScriptCheckFailed(f"A check in item {number} of the script failed: {failed}") from failed
        else:
            reply = item
        reason = "stop"
        for piece in _pieces(reply, f"item {number} of the script"):
            if isinstance(piece, Answer):
                reason = "tool_calls"
                yield piece.call(request.pending)
            elif isinstance(piece, str):
                for word in words(piece):
                    yield TextDelta(word)
            elif isinstance(piece, ToolCallRequest):
                reason = "tool_calls"
                yield piece
            else:
                raise piece
        yield Finished(reason)


def calls(tool: str, /, **arguments: Any) -> ToolCallRequest:
    """Write a call of a tool, as a script's item or part of one.

    Dates, times, enums, dataclasses, pydantic models and the like are written as the JSON a model would write.

    Raises:
        ScriptRefused: when an argument has no JSON form.
    """
    try:
        return ToolCallRequest(tool, msgspec.json.encode(arguments, enc_hook=_plain).decode())
    except (TypeError, ValueError) as problem:
        raise ScriptRefused(
            f"calls({tool!r}, ...) cannot be written as JSON: {problem}. Give the value as a model would write it."
        ) from problem


class Answer:
    """Stand in a script for the call that says what the caller answered; made by `answers`."""

    def __init__(self, answer: str, tool: str | None) -> None:
        self._answer = answer
        self._tool = tool

    def __repr__(self) -> str:
        return f"answers({self._answer!r}, tool={self._tool!r})"

    def call(self, pending: Sequence[tuple[str, str]]) -> ToolCallRequest:
        """Give the call, for what is pending with the request.

        Raises:
            ScriptRefused: when no question about such a tool is open.
        """
        for call_id, tool in pending:
            if self._tool is None or tool == self._tool:
                return calls(ANSWER_TOOL, call_id=call_id, answer=self._answer)
        listed = ", ".join(tool for _, tool in pending) or "nothing"
        about = "" if self._tool is None else f" about {self._tool!r}"
        raise ScriptRefused(
            f"The answer {self._answer!r}{about} finds no such question open; what waits for the caller's yes: "
            f"{listed}. Let an earlier reply call the tool that asks it."
        )


def answers(answer: Literal["yes", "no", "other"], *, tool: str | None = None) -> Answer:
    """Write the call by which a model says what the caller answered, as a script's item or part of one.

    Args:
        answer: what the model takes it for; code judges the caller's words as well.
        tool: about which tool's call; None is the one that is asked about first.
    """
    return Answer(answer, tool)


def raw_call(tool: str, text: str) -> ToolCallRequest:
    """Write a call whose arguments are exactly this text, which may be no JSON at all."""
    return ToolCallRequest(tool, text)


def _plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(f"{value!r} is of type {type(value).__name__}")
    return dump(mode="json")


_Piece: TypeAlias = str | ToolCallRequest | Answer | BaseException | type[BaseException]


def _pieces(reply: Any, where: str) -> list[_Piece]:
    pieces = list(reply) if isinstance(reply, list | tuple) else [reply]
    for position, piece in enumerate(pieces):
        if isinstance(piece, str | ToolCallRequest | Answer):
            continue
        if isinstance(piece, BaseException) or (isinstance(piece, type) and issubclass(piece, BaseException)):
            if position == len(pieces) - 1:
                continue
            raise ScriptRefused(f"{where} goes on after {piece!r}, where the reply ends. Put the exception last.")
        raise ScriptRefused(
            f"{where} holds {piece!r}, of type {type(piece).__name__}. Write a string, calls(...), raw_call(...), "
            "an exception, a list of these, or a callable that returns one of these."
        )
    return pieces


def _ran_out(items: int, number: int, request: ModelRequest) -> str:
    if request.history:
        last = request.history[-1]
        said = last.content or ", ".join(call.name for call in last.tool_calls)
        ending = f"whose last message is {last.role}: {said!r}"
    else:
        ending = "which has no messages yet"
    return (
        f"The script has {items} item{'' if items == 1 else 's'}, and request {number} came, {ending}. "
        f"Add an item for what the model replies there."
    )
