"""Methods that are not what they were meant as: hooks by another name, tools without `@tool` or without words."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from cuelight.agent import Agent
from cuelight.chart.findings import Finding
from cuelight.chart.sources import Spot, function_spot, names_around, names_in, node_of
from cuelight.chart.values import is_framework, written_function
from cuelight.chart.written import Method, Written, called, leads
from cuelight.flow import Flow, LogicStep, Step

__all__ = ["method_findings"]

_AGENT = ("render", "consents", "on_call", "on_event", "on_end")
_FLOW = (*_AGENT, "define_steps")
_CROSSING = ("on_enter", "on_exit", "on_crossing")
_STEP = (*_CROSSING, "get_prompt", "on_response")
_LOGIC = (*_CROSSING, "run_logic")
_NEAR = 0.85
"""How much of a name must be that of a hook: in a short one, a letter may be missing or wrong."""


def method_findings(code: Written) -> Iterator[Finding]:
    """Check what the methods of an agent and of its steps are."""
    for method in code.methods:
        yield from _refused(method)
        if not (method.is_tool or method.name.startswith("_") or _is_the_frameworks(method) or _is_named(method, code)):
            yield from _uncalled(method)
    for cls in code.classes:
        yield from _undescribed(cls)


def _is_the_frameworks(method: Method) -> bool:
    return any(method.name in vars(base) for base in method.cls.__mro__ if is_framework(base))


def _is_named(method: Method, code: Written) -> bool:
    """Tell whether anything in the files of the author's classes names a method, but for itself."""
    node = node_of(method.function)
    files = {each.function.__code__.co_filename: each.function for each in code.methods}
    around = sum(names_around(function)[method.name] for function in files.values())
    return node is None or around > names_in(node)[method.name]


def _uncalled(method: Method) -> Iterator[Finding]:
    spot, what = function_spot(method.function), called(method.function)
    hooks, kind = _hooks(method.cls)
    near = _nearest(method.name, hooks)
    if method.name in {*_FLOW, *_STEP, *_LOGIC}:
        yield Finding(
            severity="warning",
            code="hook-misspelt",
            problem=f"{what} is no hook of {kind}, and nothing calls it.",
            mend=f"The hooks there are {', '.join(hooks)}; write it in a class that has it, or give it another name.",
            **spot._asdict(),
        )
    elif near is not None:
        yield Finding(
            severity="warning",
            code="hook-misspelt",
            problem=f"{what} has nearly the name of the hook `{near}`, and nothing calls it.",
            mend=f"Call it `{near}`, or give it a name that is not so near.",
            **spot._asdict(),
        )
    elif any(map(leads, method.reading.returns)):
        yield Finding(
            severity="warning",
            code="no-tool",
            problem=f"{what} returns a route, but it is no tool and no hook, and nothing calls it.",
            mend="Is @tool missing above it? What your own code calls begins with an underscore.",
            **spot._asdict(),
        )


def _hooks(cls: type) -> tuple[tuple[str, ...], str]:
    if issubclass(cls, LogicStep):
        return _LOGIC, "a logic step"
    if issubclass(cls, Step):
        return _STEP, "a step"
    return (_FLOW, "a flow") if issubclass(cls, Flow) else (_AGENT, "an agent")


def _nearest(name: str, hooks: tuple[str, ...]) -> str | None:
    likeness = {hook: SequenceMatcher(None, _letters(name), _letters(hook)).ratio() for hook in hooks}
    near = max(likeness, key=lambda hook: likeness[hook])
    return near if likeness[near] >= _NEAR else None


def _letters(name: str) -> str:
    """Give a name without what its style adds: `onEnter` is `on_enter`."""
    return name.replace("_", "").lower()


def _refused(method: Method) -> Iterator[Finding]:
    if method.name in _CROSSING and issubclass(method.cls, Step):
        for value in filter(leads, method.reading.returns):
            yield Finding(
                severity="error",
                code="hook-routes",
                problem=f"{called(method.function)} returns a route, which is refused: the move is under way already.",
                mend="Return it from the tool that leads here, or put a LogicStep there, whose `run_logic` decides.",
                **value.spot._asdict(),
            )


def _undescribed(cls: type[Agent] | type[Step[Any]]) -> Iterator[Finding]:
    for tool in cls.__declaration__.tools:
        if not tool.spec.description.strip():
            function = written_function(tool.function)
            yield Finding(
                severity="warning",
                code="undescribed-tool",
                problem=f"Tool `{tool.name}` of {cls.__name__} has no docstring, so that a model has only its name to "
                "choose it by.",
                mend="Say in a docstring what it does, and when it is to be called.",
                **(Spot() if function is None else function_spot(function))._asdict(),
            )
