"""The engine's history as a provider is sent it.

Every provider takes a conversation that begins and ends with the user's side and in which the two sides take turns, so
that is what all of them are given: neighbours of one side become one message, empty ones go, and where the agent spoke
first or last, a bracketed note stands in for the other side.
"""

from collections import OrderedDict
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from cuelight import ports
from cuelight.log import Message

__all__ = ["Conversations"]

_BEGINS = ModelRequest([UserPromptPart("[the call begins]")])
_GOES_ON = ModelRequest([UserPromptPart("[go on]")])


class _Turn(NamedTuple):
    """Neighbouring messages of one side, and what was made of them."""

    messages: tuple[Message, ...]
    converted: ModelMessage

    def holds(self, messages: Sequence[Message]) -> bool:
        return len(messages) == len(self.messages) and all(map(_same, self.messages, messages))


class Conversations:
    """Convert histories, and convert nothing twice: messages are frozen, so what was made of one stays right.

    A history is known by its list. Should another list ever come by the same address, its messages are other objects,
    and are converted like any new ones. The last `calls` histories are remembered.
    """

    def __init__(self, calls: int = 64) -> None:
        self._calls = calls
        self._known: OrderedDict[int, dict[int, _Turn]] = OrderedDict()

    def messages(self, request: ports.ModelRequest) -> list[ModelMessage]:
        """Give the request's messages, the view in its place; the list is the caller's, its messages are shared."""
        known = self._known.pop(id(request.history), {})
        turns: dict[int, _Turn] = {}
        converted: list[ModelMessage] = []
        before: tuple[Message, ...] = ()
        for _, side in groupby(filter(_says_something, request.placed()), _is_agents):
            messages = tuple(side)
            turn = known.get(id(messages[0]))
            if turn is None or not turn.holds(messages):
                turn = _Turn(messages, _agents(messages) if _is_agents(messages[0]) else _callers(messages, before))
            turns[id(messages[0])] = turn
            converted.append(turn.converted)
            before = messages
        self._known[id(request.history)] = turns
        if len(self._known) > self._calls:
            self._known.popitem(last=False)
        if not converted or isinstance(converted[0], ModelResponse):
            converted.insert(0, _BEGINS)
        if isinstance(converted[-1], ModelResponse):
            converted.append(_GOES_ON)
        return converted


def _same(one: Message, other: Message) -> bool:
    return one is other


def _is_agents(message: Message) -> bool:
    return message.role == "assistant"


def _says_something(message: Message) -> bool:
    return message.role == "tool" or bool(message.tool_calls) or bool(message.content.strip())


def _agents(messages: Sequence[Message]) -> ModelResponse:
    parts: list[ModelResponsePart] = []
    for message in messages:
        if message.content.strip():
            parts.append(TextPart(message.content))
        parts.extend(ToolCallPart(call.name, _object(call.arguments), call.id) for call in message.tool_calls)
    return ModelResponse(parts)


def _callers(messages: Sequence[Message], before: Sequence[Message]) -> ModelRequest:
    names = {call.id: call.name for message in before for call in message.tool_calls}
    parts: list[ModelRequestPart] = []
    for role, group in groupby(messages, lambda message: message.role):
        if role == "tool":
            for message in group:
                answered = message.tool_call_id or ""
                parts.append(ToolReturnPart(names.get(answered, "unknown"), message.content, answered))
        else:
            parts.append(UserPromptPart("\n\n".join(message.content for message in group)))
    return ModelRequest(parts)


def _object(arguments: str) -> str:
    """Give the arguments as a provider takes them back: a JSON object, an empty one in place of anything else."""
    try:
        whole = isinstance(msgspec.json.decode(arguments), dict)
    except (msgspec.DecodeError, RecursionError):
        whole = False
    return arguments if whole else "{}"
