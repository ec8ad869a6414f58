"""What an expression can be while code is only read: Python values that are certain, and stand-ins for the rest."""

import sysconfig
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

from cuelight.chart.sources import Spot

__all__ = [
    "UNKNOWN",
    "Bound",
    "Instance",
    "Own",
    "Routed",
    "Several",
    "Super",
    "Value",
    "is_framework",
    "plain",
    "step_name",
    "written_function",
]

_NOWHERE = Spot()
UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda self: "UNKNOWN"})()
"""What only running the code tells."""


class Value(NamedTuple):
    """Hold one of the values that an expression can have, and the place where that is written."""

    thing: Any
    spot: Spot


@dataclass(frozen=True)
class Instance:
    """Stand for an instance of a class: the agent, the flow, a step."""

    cls: type


@dataclass(frozen=True)
class Bound:
    """Stand for a method of an instance."""

    function: FunctionType
    receiver: Instance


@dataclass(frozen=True)
class Routed:
    """Stand for what `go`, `stay`, `direct` and the builders give."""

    target: str | None
    """Where it leads, or stays; None where that is not known."""


@dataclass(frozen=True)
class Super:
    """Stand for what `super()` gives in a class."""

    after: type
    receiver: Instance


@dataclass(frozen=True)
class Several:
    """Stand for a table or a list that one of several values is taken from."""

    values: tuple[Value, ...]


class Own:
    """Tell an author's functions from those of libraries.

    Args:
        classes: the agent and its steps; whatever package these are in is the author's, also where it is installed.
    """

    _libraries = tuple(
        Path(path).resolve() for name, path in sysconfig.get_paths().items() if name in ("stdlib", "purelib", "platlib")
    )

    def __init__(self, classes: Collection[type]) -> None:
        bases = (base for cls in classes for base in cls.__mro__ if base is not object)
        self._packages = {_package(base.__module__) for base in bases} - {"cuelight", "typing", "abc"}

    def __contains__(self, function: object) -> bool:
        if not isinstance(function, FunctionType) or is_framework(function):
            return False
        file = Path(function.__code__.co_filename).resolve()
        return _package(function.__module__) in self._packages or not any(map(file.is_relative_to, self._libraries))


def is_framework(written: type | FunctionType) -> bool:
    """Tell whether a class or a function is Cuelight's own."""
    return _package(written.__module__) == "cuelight"


def _package(module: str | None) -> str:
    return (module or "").partition(".")[0]


def written_function(value: Any) -> FunctionType | None:
    """Give the function that an attribute of a class is, under what was wrapped around it."""
    value = getattr(value, "__func__", value)
    while hasattr(value, "__wrapped__"):
        value = value.__wrapped__
    return value if isinstance(value, FunctionType) else None


def step_name(thing: Any) -> str | None:
    """Give the name of a Step class."""
    name = getattr(thing, "__stage__", None) if isinstance(thing, type) else None
    return name if isinstance(name, str) else None


def plain(thing: Any, spot: Spot = _NOWHERE) -> Any:
    """Give a value of the running program as far as it tells where a route leads; else `UNKNOWN`. It can be hashed."""
    if isinstance(thing, Mapping | tuple | list):
        return elements(thing, spot)
    kept = (str, type, Enum, FunctionType, BuiltinFunctionType, ModuleType, Instance, Bound, Routed, Super, Several)
    return thing if thing is None or isinstance(thing, kept) else UNKNOWN


def elements(table: Mapping[Any, Any] | tuple[Any, ...] | list[Any], spot: Spot) -> Several:
    """Give what can be taken out of a table or a list; not what is in its own tables."""
    inside = table.values() if isinstance(table, Mapping) else table
    things = (UNKNOWN if isinstance(each, Mapping | tuple | list) else plain(each) for each in inside)
    return Several(tuple(dict.fromkeys(Value(thing, spot) for thing in things)))
