"""What a model was sent, in a form that is the same in every run of the same conversation."""

from typing import Any

import msgspec

from cuelight.log import Message, ToolUse
from cuelight.models.cassette.volatile import Volatile
from cuelight.ports import ModelRequest
from cuelight.wire import ToolSpec, whole_plain, whole_text

__all__ = ["Asked", "Normaliser", "Told", "labelled", "newest_words"]


class Told(msgspec.Struct, frozen=True):
    """Hold what a model is told of a tool; the rest of its declaration is the engine's alone."""

    name: str
    description: str
    schema: str
    """JSON, in the order of the declaration."""


class Asked(msgspec.Struct, frozen=True):
    """Hold one normalised request.

    `view_at` is the index of the message that the view is sent with, or before which it stands where `view_alone` is
    true; without a view it is None.
    """

    static: str = ""
    tools: tuple[Told, ...] = ()
    messages: tuple[Message, ...] = ()
    stage: str | None = None
    offered: tuple[Told, ...] = ()
    view: str = ""
    view_at: int | None = None
    view_alone: bool = False


class Normaliser:
    """Normalise the requests of one conversation, in their order.

    Args:
        volatile: knows the ids of this run, and learns them.
    """

    def __init__(self, volatile: Volatile) -> None:
        self._volatile = volatile
        self._messages: dict[Message, Message] = {}

    def asked(self, request: ModelRequest) -> Asked:
        """Give a request without what is volatile in it."""
        self._volatile.ask(request.pending)
        static = self._volatile.text(request.static)
        tools = tuple(map(self._told, request.tools))
        messages = tuple(map(self._message, request.history))
        return Asked(
            static=static,
            tools=tools,
            messages=messages,
            stage=request.stage,
            offered=tuple(map(self._told, request.offered)),
            view=self._volatile.view(request.view, request.pending[0][0] if request.pending else None),
            view_at=request.view_at if request.view else None,
            view_alone=request.view_alone and bool(request.view),
        )

    def _told(self, spec: ToolSpec) -> Told:
        # A schema is code: in it nothing changes by itself.
        return Told(whole_text(spec.name), self._volatile.text(spec.description), compact(spec.parameters))

    def _message(self, message: Message) -> Message:
        """Normalise a message, once: what it was first it stays, also when a later one makes known another id."""
        known = self._messages.get(message)
        if known is None:
            volatile = self._volatile
            calls = tuple(
                ToolUse(volatile.call(call.id), whole_text(call.name), volatile.arguments(call.name, call.arguments))
                for call in message.tool_calls
            )
            answers = None if message.tool_call_id is None else volatile.call(message.tool_call_id)
            said = volatile.text(message.content) if answers is None else volatile.result(message.content)
            known = self._messages[message] = Message(message.role, said, calls, answers)
        return known


def compact(schema: Any) -> str:
    """Write a schema as JSON that differs where the schema does, its order included."""
    return msgspec.json.encode(whole_plain(schema)).decode()


def labelled(tools: tuple[Told, ...]) -> dict[str, Told]:
    """Give each declared tool a label of its own: its name, or its name and a number where several have the same."""
    labels: dict[str, Told] = {}
    for tool in tools:
        label, number = tool.name, 1
        while label in labels:
            number += 1
            label = f"{tool.name}#{number}"
        labels[label] = tool
    return labels


def newest_words(messages: tuple[Message, ...]) -> int | None:
    """Give the index of the newest message of the caller's side: where a view is nearly always."""
    return next((at for at in reversed(range(len(messages))) if messages[at].role == "user"), None)
