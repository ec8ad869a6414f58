"""Which classes a function names: told by its code object, so that no source is needed."""

import dis
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from cuelight.flow.routes import go

__all__ = ["functions_of", "named_classes"]

_NOWHERE = object()
_FETCHES = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")
_SILENT = ("PUSH_NULL", "CACHE", "EXTENDED_ARG")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


def functions_of(cls: type) -> Iterator[tuple[str, FunctionType]]:
    """Give the functions that a class's own body defines, by name: methods, and what properties are read by."""
    for name, value in vars(cls).items():
        for function in (value, getattr(value, "__func__", None), getattr(value, "fget", None)):
            while function is not None and hasattr(function, "__wrapped__"):
                function = function.__wrapped__
            if isinstance(function, FunctionType):
                yield name, function
                break


def named_classes(function: FunctionType) -> Iterator[tuple[type, bool]]:
    """Give the classes that a function names, also in what it defines, and whether each stands where a route leads.

    That is directly in `go(...)`, or after `return`. A name that is bound to nothing yet is left out.
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    for code in _codes(function.__code__):
        before, found = _NOWHERE, _NOWHERE
        for instruction in dis.get_instructions(code):
            if isinstance(found, type) and instruction.opname not in _ATTRIBUTES:
                yield found, before is go or instruction.opname == "RETURN_VALUE"
            if instruction.opname in _FETCHES:
                before, found = found, _bound(function, cells, str(instruction.argval))
            elif instruction.opname in _ATTRIBUTES and isinstance(found, ModuleType):
                found = vars(found).get(str(instruction.argval), _NOWHERE)
            elif instruction.opname not in _SILENT:
                before, found = found, _NOWHERE


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _bound(function: FunctionType, cells: dict[str, Any], name: str) -> Any:
    if name in cells:
        if name == "__class__":
            return _NOWHERE  # what `super()` needs
        try:
            return cells[name].cell_contents
        except ValueError:
            return _NOWHERE
    return function.__globals__.get(name, _NOWHERE)
