"""Prompts that name a tool where it is hidden: a model would announce a call, and then make none."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType

from cuelight.agent import Agent, Tool, mentions, view_text
from cuelight.chart.chart import Chart, Place
from cuelight.chart.findings import Finding
from cuelight.chart.sources import Spot, class_spot, function_spot, node_of
from cuelight.chart.values import written_function
from cuelight.flow import Step, course_of

__all__ = ["prompt_findings"]

_CONSTANT: Mapping[str, str] = {"identity": "The docstring, or `rules`,", "knowledge": "`knowledge`"}


def prompt_findings(chart: Chart, agent: Agent) -> tuple[Finding, ...]:
    """Check what the prompt of each place says.

    The docstring, `rules` and `knowledge` are for all places. `render()` and `get_prompt()` are asked in each place, of
    the state that an agent opens with; what they raise there says nothing. The texts in the source of a `get_prompt`
    count besides.

    Args:
        chart: the map of its class.
        agent: a new instance that is in no call; afterwards it is in another stage.
    """
    course = course_of(agent)
    places = [place for place in chart.places if place.kind != "logic"]
    found: list[Finding] = []
    for block in course.blocks():
        if block.name in _CONSTANT:
            hidden = _hiding(block.text, course.tools, places)
            found.extend(_finding(_CONSTANT[block.name], *each, class_spot(type(agent))) for each in hidden.items())
    for place in places:
        if place.kind != "agent":
            course.enter(place.name)
        sources = [agent.render] if course.step is None else [agent.render, course.step.get_prompt]
        for source in sources:
            for tool, spot in _mentions(agent, source, course.tools, place).items():
                found.append(_finding(f"`{source.__name__}`", tool, [place.name], spot))
    return tuple(dict.fromkeys(found))


def _mentions(
    agent: Agent, source: Callable[[], str | None], tools: Iterable[Tool], place: Place
) -> Mapping[str, Spot]:
    """Give the hidden tools that a method of the author's names, each with where it does."""
    function = written_function(source)
    if function is None or function is Step.get_prompt:
        return {}
    try:
        text = view_text(agent, source, f"{function.__name__}()")
    except Exception:  # the author's code, in a state that it may not be meant for
        text = ""
    spots = dict.fromkeys(_hiding(text, tools, [place]), function_spot(function))
    for literal, spot in _literals(function) if function.__name__ == "get_prompt" else ():
        spots |= dict.fromkeys(_hiding(literal, tools, [place]), spot)
    return spots


def _hiding(text: str, tools: Iterable[Tool], places: Iterable[Place]) -> dict[str, list[str]]:
    """Give the tools that a text names although some places hide them, each with these places."""
    hiding: dict[str, list[str]] = {}
    for place in places:
        for name in mentions(text, tools, [tool.name for tool in place.tools]):
            hiding.setdefault(name, []).append(place.name)
    return hiding


def _literals(function: FunctionType) -> Iterator[tuple[str, Spot]]:
    """Give the texts in the body of a function, its docstring left out."""
    node = node_of(function)
    for statement in node.body[ast.get_docstring(node) is not None :] if node is not None else ():
        for part in ast.walk(statement):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value, function_spot(function, part)


def _finding(part: str, tool: str, places: list[str], spot: Spot) -> Finding:
    where = f"{', '.join(places[:-1])} and {places[-1]}" if len(places) > 1 else places[0]
    return Finding(
        severity="warning",
        code="hidden-mention",
        problem=f"{part} names tool `{tool}`, which is hidden in {where}: a model would promise a call and make none.",
        mend="Name it only where it is shown; elsewhere say what the model is to find out.",
        file=spot.file,
        line=spot.line,
    )
