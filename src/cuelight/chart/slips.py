"""Slips in the code of handlers: routes that are built in vain, and names that stand for nothing."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from cuelight.agent import Agent, nearest
from cuelight.chart.findings import Finding
from cuelight.chart.hooks import method_findings
from cuelight.chart.reading import FunctionReader, Reader
from cuelight.chart.scope import first_call, outcomes
from cuelight.chart.sources import names_in, node_of
from cuelight.chart.values import Bound, Instance, Routed, Value, step_name, written_function
from cuelight.chart.written import Written, called
from cuelight.flow import Flow, LogicStep, Step, direct, go, stay

__all__ = ["slip_findings"]

_HELPERS = {each.__name__: each for each in (go, stay, direct)}
_Target = type[Agent] | type[Step[Any]]
_HOOKS = frozenset({"on_call", "on_event", "on_response", "run_logic"})
"""Beside tools, what may return a route."""
_PROMPTS = ("get_prompt", "render")
"""What returns words; these are asked for besides, and what they raise is told with them."""


def slip_findings(agent: type[Agent]) -> tuple[Finding, ...]:
    """Check how the methods of an agent and of its steps are written, and the functions that these call.

    Only what is certain is told: of what an expression may be at run time, nothing is guessed. Nothing is run.

    Args:
        agent: a class of an agent, or of a flow with steps.
    """
    code = Written(agent)
    found = (
        *_dropped(code), *_unbound(code), *_texts(code), *_fields(code), *_unshown(code), *method_findings(code),
    )  # fmt: skip
    return tuple(sorted(dict.fromkeys(found), key=lambda finding: finding.severity))


# --- routes that are built in vain ------------------------------------------------------------------------------------


def _dropped(code: Written) -> Iterator[Finding]:
    for read in code.functions:
        for statement in read.nodes(ast.Expr):
            for part in outcomes(statement.value):
                if isinstance(part, ast.Call) and _builds(read, part):
                    yield Finding(
                        severity="error",
                        code="dropped-route",
                        problem=f"{called(read.function)} builds a route and does not return it: nothing follows it.",
                        mend=_kept(part),
                        **read.spot(part)._asdict(),
                    )


def _builds(read: FunctionReader, node: ast.Call) -> bool:
    """Tell whether a call is surely one of `go`, `stay` or `direct`, or of a builder."""
    things = [value.thing for value in read.values(node.func)]
    if isinstance(node.func, ast.Attribute) and node.func.attr.startswith("with_"):
        return bool(things) and all(isinstance(thing, Routed) for thing in things)
    return bool(things) and all(thing in _HELPERS.values() for thing in things)


def _kept(node: ast.Call) -> str:
    first = first_call(node)
    function = first.func if isinstance(first, ast.Call) else first
    if isinstance(function, ast.Attribute) and function.attr.startswith("with_"):
        route = ast.unparse(function.value)
        return f"A builder gives a new route; write `{route} = {route}.{function.attr}(...)`."
    return f"Write `return {ast.unparse(function)}(...)`."


# --- names ------------------------------------------------------------------------------------------------------------


def _unbound(code: Written) -> Iterator[Finding]:
    for read in code.functions:
        for name in _led(read):
            if not read.binds(name.id):
                yield Finding(
                    severity="error",
                    code="unknown-name",
                    problem=f"{called(read.function)} names `{name.id}`, which is bound nowhere: it would raise "
                    "NameError.",
                    mend=_meant(code, name.id),
                    **read.spot(name)._asdict(),
                )


def _led(read: FunctionReader) -> Iterator[ast.Name]:
    """Give the names that are returned, those of where routes lead, and of what builds them."""
    for returned in read.nodes(ast.Return):
        if returned.value is not None and read.function.__name__ not in _PROMPTS:
            yield from (part for part in outcomes(returned.value) if isinstance(part, ast.Name))
    for node in read.nodes(ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in _HELPERS:
            yield node.func
        if [value.thing for value in read.values(node.func)] == [go]:
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                yield from (part for part in ast.walk(argument) if isinstance(part, ast.Name))


def _meant(code: Written, name: str) -> str:
    if name in _HELPERS:
        return f"Import it: `from cuelight import {name}`."
    if name in code.places:
        return "Import it where it is named." if code.steps else f'A stage is named by a text: write go("{name}").'
    close = nearest(name, code.places)
    kind = "steps" if code.steps else "stages"
    return f"Its {kind} are {', '.join(code.places)}{close}" if close else "Define it, or correct the name."


def _texts(code: Written) -> Iterator[Finding]:
    for method in code.methods:
        if not (method.is_tool or method.name in _HOOKS):
            continue
        # A text may be the name of where it leads besides: `self.stage = "done"`, and then `return "done"`.
        told = {route.target for route in method.reading.routes}
        for value in method.reading.returns:
            if isinstance(value.thing, str) and value.thing in code.places and value.thing not in told:
                kind, route = ("step", value.thing) if code.steps else ("stage", f'go("{value.thing}")')
                yield Finding(
                    severity="warning",
                    code="returns-a-name",
                    problem=f"{called(method.function)} returns {value.thing!r}, the name of a {kind}, as a text: that "
                    "leads nowhere.",
                    mend=f"Write `return {route}`.",
                    **value.spot._asdict(),
                )


# --- what a route brings ----------------------------------------------------------------------------------------------


def _fields(code: Written) -> Iterator[Finding]:
    for read in code.functions:
        for node in read.nodes(ast.Call):
            for target, names in _writes(code, read, node):
                fields = target.__declaration__.fields
                for name, part in names.items() if fields else ():  # a step without fields keeps whatever it is given
                    if name not in fields:
                        yield Finding(
                            severity="warning",
                            code="unknown-field",
                            problem=f"{called(read.function)} writes `{name}` of {target.__name__}, which has no such "
                            "field: it would raise UndeclaredField.",
                            mend=f"Its fields are {', '.join(fields)}{nearest(name, fields) or '.'}",
                            **read.spot(part)._asdict(),
                        )


def _writes(code: Written, read: FunctionReader, node: ast.Call) -> Iterator[tuple[_Target, Mapping[str, ast.AST]]]:
    """Give whose state a call writes, and under which names, as far as these are written out."""
    if not isinstance(node.func, ast.Attribute):
        return
    if node.func.attr == "with_state":
        for target in _targets(code, read.values(node.func.value)):
            yield target, _names(node, 0)
    for value in read.values(node.func):
        method = value.thing
        if isinstance(method, Bound) and method.function is Step.save_state:
            yield method.receiver.cls, _names(node, 0)
        elif isinstance(method, Bound) and method.function is Flow.save_step_state and node.args:
            for named in read.values(node.args[0]):
                name = step_name(named.thing) or named.thing
                if isinstance(name, str) and name in code.steps:
                    yield code.steps[name], _names(node, 1)


def _targets(code: Written, values: tuple[Value, ...]) -> Iterator[_Target]:
    """Give the class whose fields a route brings, for each place that it may lead to."""
    for value in values:
        target = value.thing.target if isinstance(value.thing, Routed) else None
        if target is not None and target in code.places:
            yield code.steps.get(target, code.agent)


def _names(node: ast.Call, at: int) -> dict[str, ast.AST]:
    """Give the names that a call writes state under: its named arguments, and the keys of a table at a place."""
    named: dict[str, ast.AST] = {each.arg: each for each in node.keywords if each.arg is not None}
    table = node.args[at] if at < len(node.args) else None
    keys = table.keys if isinstance(table, ast.Dict) else []
    return named | {str(key.value): key for key in keys if isinstance(key, ast.Constant)}


def _unshown(code: Written) -> Iterator[Finding]:
    for read in code.functions:
        for node in read.nodes(ast.Call):
            if not (isinstance(node.func, ast.Attribute) and node.func.attr == "with_prompt"):
                continue
            for target in _targets(code, read.values(node.func.value)):
                if target is not code.agent and not _shows(code, target):
                    logic = issubclass(target, LogicStep)
                    yield Finding(
                        severity="warning",
                        code="prompt-never-shown",
                        problem=f"{called(read.function)} brings a prompt to {target.__name__}, "
                        + ("where no model is asked." if logic else "whose `get_prompt` never gives it."),
                        mend="Let the route out of it bring the prompt."
                        if logic
                        else "Begin that with `super().get_prompt() or`, or leave `with_prompt` out.",
                        **read.spot(node)._asdict(),
                    )


def _shows(code: Written, step: _Target) -> bool:
    """Tell whether a model may read the prompt that a route brought to a step."""
    if issubclass(step, LogicStep):
        return False
    function = written_function(getattr(step, "get_prompt", None))
    if function is None or function not in code.own or node_of(function) is None:
        return True
    reader = Reader(code.agent, code.own)
    reader.read(function, Instance(step))
    return any(_asks(code, read) for read in reader.seen)


def _asks(code: Written, read: FunctionReader) -> bool:
    """Tell whether a function asks for what a route brought, itself; methods of the author's it leaves that to."""
    if names_in(read.node)["_prompt"]:
        return True
    asked = (node for node in read.nodes(ast.Attribute) if node.attr == "get_prompt")
    things = [value.thing for node in asked for value in read.values(node)]
    return not all(isinstance(thing, Bound) and thing.function in code.own for thing in things)
