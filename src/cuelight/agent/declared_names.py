"""Check the names that a class takes, the settings it writes and the hooks it overrides."""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar, Final, NamedTuple, get_origin

from cuelight.agent.fields import StateOptions
from cuelight.agent.reading import Reading, shown
from cuelight.agent.tools import options_of

__all__ = ["Setting", "check_names"]


class Setting(NamedTuple):
    """Say what a class may write for a setting: a test of the value, and what to write."""

    admits: Callable[[Any], bool]
    wanted: str


def check_names(reading: Reading, fields: Collection[str]) -> None:
    """Refuse what would take a name away from the framework, or would be shared by calls without being meant to."""
    for base in reading.fresh:
        annotated = inspect.get_annotations(base)
        for name, value in vars(base).items():
            if name in reading.own:
                reading.refuse(f"`{name}` is a name of Cuelight's own; give it another one")
            elif name.startswith("_") or options_of(value) is not None:
                continue
            elif name in reading.reserved:
                if name not in annotated or _is_constant(annotated[name]):
                    _check_reserved(reading, name, value)
            elif name not in fields and name not in annotated:
                _check_attribute(reading, name, value)


def _is_constant(annotation: Any) -> bool:
    """Tell whether an annotation, which may be text, says `ClassVar` or `Final`."""
    if isinstance(annotation, str):
        return annotation.removeprefix("typing.").startswith(("ClassVar", "Final"))
    return (get_origin(annotation) or annotation) in (ClassVar, Final)


def _check_reserved(reading: Reading, name: str, value: Any) -> None:
    settings: Mapping[str, Setting] = getattr(reading.cls, "__settings__", {})
    plain: Collection[str] = getattr(reading.cls, "__plain__", ())
    member = next((vars(base)[name] for base in reading.framework if name in vars(base)), None)
    if name in getattr(reading.cls, "__of_class__", ()):
        value, member = (one.__func__ if isinstance(one, classmethod) else one for one in (value, member))
    if name in settings:
        if not settings[name].admits(value):
            reading.refuse(f"`{name}` is {shown(value)}; write {settings[name].wanted}")
    elif not inspect.isfunction(member):
        reading.refuse(f"`{name}` is the name of a member of {reading.kind}; give it another name")
    elif not inspect.isfunction(value):
        what = "a property" if isinstance(value, property) else shown(value)
        reading.refuse(f"`{name}` is {what}, but a method of {reading.kind}; write {_definition(name, member)}")
    elif name in plain and inspect.iscoroutinefunction(value):
        reading.refuse(
            f"`{name}` is async, but asked before every request, so it may wait for nothing; write "
            f"{_definition(name, member)}"
        )
    elif _yields(value):
        reading.refuse(f"`{name}` yields, so nothing in it would run; let it return")
    elif not _takes_as_much(value, member):
        reading.refuse(f"`{name}` is called with other arguments than it takes; write {_definition(name, member)}")


def _yields(value: Any) -> bool:
    return inspect.isgeneratorfunction(value) or inspect.isasyncgenfunction(value)


def _definition(name: str, member: Any) -> str:
    return f"`def {name}({', '.join(inspect.signature(member).parameters)})`"


def _takes_as_much(value: Any, member: Any) -> bool:
    try:
        inspect.signature(value).bind(*inspect.signature(member).parameters)
    except TypeError:
        return False
    return True


def _check_attribute(reading: Reading, name: str, value: Any) -> None:
    if isinstance(value, StateOptions):
        reading.refuse(f"field `{name}` has no annotation; write its type, as in `{name}: str = state(...)`")
    elif type(value).__hash__ is None:
        kind = type(value).__name__
        reading.refuse(
            f"`{name}` is a {kind} that all calls would share and could change; write `{name}: {kind} = ...` to make "
            f"it state, of which each call has a copy, or `{name}: ClassVar[{kind}] = ...` if they shall share it"
        )
