"""Routes in compiled code, for functions whose source cannot be had: what its instructions tell, without lines."""

import dis
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from cuelight.chart.chart import RouteKind
from cuelight.chart.values import UNKNOWN, step_name
from cuelight.flow import go

__all__ = ["compiled_routes"]

_SILENT = {"PUSH_NULL", "CACHE", "EXTENDED_ARG", "PRECALL", "NOT_TAKEN", "RESUME"}
_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF"}
_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD"}
_RETURNS = {"RETURN_VALUE", "RETURN_CONST"}


def compiled_routes(function: FunctionType, *, stages: bool) -> Iterator[tuple[str | None, RouteKind]]:
    """Give the routes of a function: where each leads, None where that is computed, and of what kind it is.

    Args:
        function: what to read; the functions it calls are not.
        stages: whether an assignment to `self.stage` is a route.
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for code in _codes(function.__code__):
        self_name = code.co_varnames[0] if code.co_argcount else ""
        before, last = UNKNOWN, UNKNOWN
        for step in dis.get_instructions(code):
            if step.opname in _SILENT:
                continue
            pushed = _pushed(step, last, function, cells)
            if before is go and step.opname not in _ATTRIBUTE:
                yield step_name(last) or (last if isinstance(last, str) else None), "go"
            if step.opname in _RETURNS and (name := step_name(last)) is not None and before is not go:
                yield name, "class"
            if stages and step.opname == "STORE_ATTR" and step.argval == "stage" and last == (self_name,):
                yield before if isinstance(before, str) else None, "assignment"
            before, last = (before, pushed) if step.opname in _ATTRIBUTE else (last, pushed)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _pushed(step: dis.Instruction, last: Any, function: FunctionType, cells: dict[str, Any]) -> Any:
    """Give what an instruction leaves to the next one; a local variable as its name, in a tuple."""
    if step.opname == "LOAD_CONST":
        return step.argval
    if step.opname == "LOAD_FAST":
        return (step.argval,)
    if step.opname == "LOAD_FAST_LOAD_FAST":
        return (step.argval[-1],)
    if step.opname in _GLOBAL:
        name = str(step.argval)
        if name not in cells:
            return function.__globals__.get(name, UNKNOWN)
        try:
            return cells[name].cell_contents
        except ValueError:  # bound to nothing yet
            return UNKNOWN
    if step.opname in _ATTRIBUTE and isinstance(last, ModuleType):
        return vars(last).get(str(step.argval), UNKNOWN)
    return UNKNOWN
