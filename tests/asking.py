"""Requests to models as the engine makes them, and what of the answers tests look at."""

from collections.abc import Sequence
from typing import Any

from cuelight.log import Message
from cuelight.ports import Model, ModelEvent, ModelRequest, TextDelta, ToolCallRequest
from cuelight.wire import ToolSpec


def spec(name: str, /, **properties: str) -> ToolSpec:
    parameters = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in properties.items()},
        "required": list(properties),
    }
    return ToolSpec(name=name, description=f"What {name} does.", parameters=parameters)


TOOLS = (
    spec("look_up_owner", name="string", phone="string"),
    spec("free_slots", day="string"),
    spec("book", slot="string"),
)
HELLO = (Message("user", "hello"),)


def ask(
    history: Sequence[Message] = HELLO,
    visible: Sequence[str] = ("look_up_owner", "free_slots"),
    *,
    tools: tuple[ToolSpec, ...] = TOOLS,
    offered: Sequence[ToolSpec] | None = None,
    view: str = "",
    view_at: int = 0,
    view_alone: bool = False,
    stage: str | None = None,
    **settings: Any,
) -> ModelRequest:
    first = {tool.name: tool for tool in reversed(tools)}
    return ModelRequest(
        static="You are the front desk.",
        history=history,
        view=view,
        view_at=view_at,
        view_alone=view_alone,
        tools=tools,
        offered=tuple(first.get(name) or spec(name) for name in visible) if offered is None else tuple(offered),
        stage=stage,
        settings=settings,
    )


async def events(model: Model, request: ModelRequest | None = None) -> list[ModelEvent]:
    return [event async for event in model.stream(request or ask())]


def text_of(events: Sequence[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def calls_of(events: Sequence[ModelEvent]) -> list[ToolCallRequest]:
    return [event for event in events if isinstance(event, ToolCallRequest)]
