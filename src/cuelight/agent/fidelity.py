"""Tell whether a value comes back from its JSON form as what it was."""

import dataclasses
import math
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from cuelight.agent.words import place

__all__ = ["is_finite", "lost"]

_MISSING = object()
_Found = tuple[tuple[Any, ...], str]


def lost(value: Any, read: Any) -> str | None:
    """Say where and how a value differs from the one read back from its JSON form; None where it does not.

    An integer may come back as the float that its annotation asks for, an enum member as the text or number that it
    also is. Only types are spoken of, never the values.
    """
    if type(value) is type(read) and value == read:
        return None
    found = _difference(value, read, ())
    if found is None:
        return None
    path, words = found
    return f"{place(path)} {words}"


def _difference(value: Any, read: Any, path: tuple[Any, ...]) -> _Found | None:
    if value is _MISSING or read is _MISSING:
        return path, "would not be read back"
    if isinstance(value, float) and not math.isfinite(value):
        return path, "is not a finite number, so it has no JSON form"
    if type(value) is not type(read):
        if isinstance(value, str | int) and isinstance(read, str | int | float) and value == read:
            return None
        return path, f"would be read back as {type(read).__name__}, not as {type(value).__name__}"
    names = _field_names(value)
    if names is not None:
        pairs: Iterable[tuple[Any, Any, Any]] = (
            (name, getattr(value, name, _MISSING), getattr(read, name, _MISSING)) for name in names
        )
    elif isinstance(value, Mapping):
        pairs = ((key, value.get(key, _MISSING), read.get(key, _MISSING)) for key in {**value, **read})
    elif isinstance(value, list | tuple | deque):
        if len(value) != len(read):
            return path, "would be read back with another number of items"
        pairs = zip(range(len(value)), value, read, strict=True)
    elif value == read or not _says_when_equal(type(value)):
        return None
    else:
        return path, "would be read back as another value"
    for key, one, other in pairs:
        found = _difference(one, other, (*path, key))
        if found is not None:
            return found
    return None


def _says_when_equal(kind: type) -> bool:
    """Tell whether a class defines equality; what does not is taken to come back as it was."""
    return any("__eq__" in vars(base) for base in kind.__mro__ if base is not object)


def is_finite(value: Any) -> bool:
    """Tell whether every number in a value is finite."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(map(is_finite, value.values()))
    if isinstance(value, list | tuple | set | frozenset | deque):
        return all(map(is_finite, value))
    return all(is_finite(getattr(value, name, None)) for name in _field_names(value) or ())


def _field_names(value: Any) -> list[str] | None:
    """Name the fields of a dataclass or pydantic model, extra ones too; None where it is neither."""
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value)]
    declared = getattr(type(value), "__pydantic_fields__", None)
    if declared is None:
        return None
    return [*declared, *(getattr(value, "__pydantic_extra__", None) or ())]
