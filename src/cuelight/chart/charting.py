"""Make the chart of an agent's class: its places, and the routes that its handlers take."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import msgspec

from cuelight.agent import Agent, Tool
from cuelight.chart.chart import Chart, ChartJudge, ChartRoute, ChartTool, Place, PlaceKind
from cuelight.chart.reading import Found, Reader
from cuelight.chart.sources import Spot, class_spot, function_spot, stage_spot
from cuelight.chart.values import Own, is_framework, written_function
from cuelight.errors import DeclarationRefused
from cuelight.flow import Flow, LogicStep, Step, TerminateSessionStep

__all__ = ["chart_of", "steps_of"]

_OF_A_MOVE = ("on_exit", "on_enter", "on_crossing")

_Steps = Mapping[str, type[Step[Any]]]
_Charted = Mapping[Tool, ChartTool]


class _Handler(NamedTuple):
    """Hold what may take a route: a tool or a hook, whose it is, and the places it takes routes from."""

    via: str
    method: str
    cls: type
    origins: tuple[str, ...]


def chart_of(agent: type[Agent]) -> Chart:
    """Read the map of an agent from its code; nothing of it is run.

    Routes are found in its tools and hooks, and in the functions of the author's that these call.

    Args:
        agent: a class of an agent, or of a flow with steps.

    Raises:
        DeclarationRefused: when it is a base that no agent can be made of.
    """
    if not hasattr(agent, "__declaration__") or (issubclass(agent, Flow) and agent.__registry__ is None):
        raise DeclarationRefused(agent.__name__, ["it is a base; chart a class that calls are made of"])
    steps = steps_of(agent)
    own = _tools(agent, agent.__declaration__.tools)
    theirs = {name: _tools(step, step.__declaration__.tools) for name, step in steps.items()}
    places = tuple(_flow_places(agent, steps, own, theirs) if steps else _stages(agent, own))
    reader = Reader(agent, Own((agent, *steps.values())))
    handlers = (*_of_agent(agent, places), *_of_steps(steps))
    return Chart(
        agent=agent.__name__,
        places=places,
        tools=tuple(tool for tools in (own, *theirs.values()) for tool in tools.values()),
        routes=tuple(route for handler in handlers for route in _read(reader, handler)),
        judge=_judge(agent),
        **_at(class_spot(agent)),
    )


def _judge(agent: type[Agent]) -> ChartJudge | None:
    owner = next(cls for cls in agent.__mro__ if "consents" in vars(cls))
    if is_framework(owner):
        return None
    function = written_function(owner.__dict__["consents"])
    return ChartJudge(owner=owner.__name__, **_at(class_spot(owner) if function is None else function_spot(function)))


def steps_of(agent: type[Agent]) -> Mapping[str, type[Step[Any]]]:
    """Give the steps that a flow registers, by name; an agent has none."""
    registry = agent.__registry__ if issubclass(agent, Flow) else None
    return {} if registry is None else registry.steps


def _tools(cls: type, tools: Sequence[Tool]) -> _Charted:
    return {tool: _tool(cls, tool) for tool in tools}


def _tool(cls: type, tool: Tool) -> ChartTool:
    function = written_function(tool.function)
    return ChartTool(
        name=tool.name,
        owner=cls.__name__,
        effect=tool.effect,
        conditional=tool.when is not None,
        confirm=tool.confirm is not None,
        **_at(Spot() if function is None else function_spot(function)),
    )


def _at(spot: Spot) -> dict[str, Any]:
    return {"file": spot.file, "line": spot.line}


# --- places -----------------------------------------------------------------------------------------------------------


def _stages(agent: type[Agent], own: _Charted) -> Iterator[Place]:
    declaration = agent.__declaration__
    if declaration.stages is None:
        spot = class_spot(agent)
        yield Place(name=agent.__name__, kind="agent", initial=True, tools=tuple(own.values()), **_at(spot))
        return
    opening = msgspec.json.decode(declaration.fields["stage"].default)
    for stage in declaration.stages:
        spot = stage_spot(agent, stage)
        yield Place(name=stage, kind="stage", initial=stage == opening, tools=_shown(own, stage), **_at(spot))


def _flow_places(flow: type[Agent], steps: _Steps, own: _Charted, theirs: Mapping[str, _Charted]) -> Iterator[Place]:
    opening = msgspec.json.decode(flow.__declaration__.fields["stage"].default)
    for name, step in steps.items():
        tools = (*_shown(theirs[name], name), *_shown(own, name)) if _kind(step) == "step" else ()
        spot = class_spot(flow if is_framework(step) else step)  # the author's line, in either case
        yield Place(name=name, kind=_kind(step), initial=name == opening, tools=tools, **_at(spot))


def _shown(tools: _Charted, stage: str) -> tuple[ChartTool, ...]:
    return tuple(charted for tool, charted in tools.items() if tool.shown_in(stage))


def _kind(step: type[Step[Any]]) -> PlaceKind:
    if issubclass(step, LogicStep):
        return "logic"
    return "end" if issubclass(step, TerminateSessionStep) else "step"


# --- routes -----------------------------------------------------------------------------------------------------------


def _of_agent(agent: type[Agent], places: Sequence[Place]) -> Iterator[_Handler]:
    talking = tuple(place.name for place in places if place.talks)
    opening = tuple(place.name for place in places if place.initial)
    for method, origins in (("__init__", opening), ("on_call", opening), ("on_event", talking)):
        yield _Handler(method, method, agent, origins)
    for tool in agent.__declaration__.tools:
        shown = talking if tool.stages is None else tuple(name for name in talking if name in tool.stages)
        yield _Handler(tool.name, tool.method, agent, shown)


def _of_steps(steps: _Steps) -> Iterator[_Handler]:
    for name, step in steps.items():
        if _kind(step) == "step":
            for tool in step.__declaration__.tools:
                yield _Handler(tool.name, tool.method, step, (name,))
        for method in ("run_logic" if _kind(step) == "logic" else "on_response", *_OF_A_MOVE):
            yield _Handler(method, method, step, (name,))


def _read(reader: Reader, handler: _Handler) -> Iterator[ChartRoute]:
    function = written_function(inspect.getattr_static(handler.cls, handler.method, None))
    if function not in reader.own or not isinstance(function, FunctionType):
        return  # the framework's own, which leads nowhere
    for found in sorted(
        reader.handler(function, handler.cls, must_route=handler.method == "run_logic"), key=_in_the_file
    ):
        if handler.method in _OF_A_MOVE and found.kind != "end":
            continue  # a move is being made already, so any other is refused
        yield ChartRoute(
            origins=handler.origins,
            target=found.target,
            via=handler.via,
            owner=handler.cls.__name__,
            kind=found.kind,
            computed=found.target is None and found.kind != "end",
            **_at(found.spot),
        )


def _in_the_file(found: Found) -> tuple[str, int]:
    return found.spot.file or "", found.spot.line or 0
