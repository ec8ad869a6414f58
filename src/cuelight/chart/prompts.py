"""Prompts that name a tool where it is hidden, so that a model would announce a call and make none; or that raise."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType

from cuelight.agent import Agent, Tool, mentions, view_text
from cuelight.chart.chart import Chart, Place
from cuelight.chart.findings import Finding
from cuelight.chart.raising import explained, raising_spot
from cuelight.chart.sources import Spot, class_spot, function_spot, node_of
from cuelight.chart.values import written_function
from cuelight.chart.written import called
from cuelight.flow import Step, course_of

__all__ = ["prompt_findings"]

_CONSTANT: Mapping[str, str] = {"identity": "The docstring, or `rules`,", "knowledge": "`knowledge`"}


def prompt_findings(chart: Chart, agent: Agent) -> tuple[Finding, ...]:
    """Check what the prompt of each place says.

    The docstring, `rules` and `knowledge` are for all places. `render()` and `get_prompt()` are asked in each place, of
    the state that an agent opens with; what they raise there is told, unless the call that is missing, or state that is
    not there yet, can be the reason. The texts in the source of a `get_prompt` count besides.

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
            function = written_function(source)
            if function is not None and function is not Step.get_prompt:
                found.extend(_asked(agent, source, function, course.tools, place))
    return tuple(dict.fromkeys(found))


def _asked(
    agent: Agent, source: Callable[[], str | None], function: FunctionType, tools: Iterable[Tool], place: Place
) -> Iterator[Finding]:
    """Ask a method of the author's for its text, and look for hidden tools in that and in the texts it is made of."""
    text = ""
    try:
        text = view_text(agent, source, f"{function.__name__}()")
    except Exception as error:  # the author's code
        if not explained(error, agent):
            yield _raised(error, function)
    spots = dict.fromkeys(_hiding(text, tools, [place]), function_spot(function))
    for literal, spot in _literals(function) if function.__name__ == "get_prompt" else ():
        spots |= dict.fromkeys(_hiding(literal, tools, [place]), spot)
    for tool, spot in spots.items():
        yield _finding(f"`{function.__name__}`", tool, [place.name], spot)


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


def _raised(error: Exception, function: FunctionType) -> Finding:
    return Finding(
        severity="warning",
        code="prompt-raises",
        problem=f"{called(function)} raises {type(error).__name__} in a new call: {str(error).rstrip('.')}.",
        mend="Mend it; until then the model is asked without these words.",
        **raising_spot(error, function)._asdict(),
    )


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
