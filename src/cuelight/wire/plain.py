"""Plain JSON values: how they are compared, and how they are checked before they are written."""

import math
from typing import Any

import msgspec

from cuelight.errors import BadEntry

__all__ = ["encode_plain", "same_value"]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def same_value(one: Any, other: Any) -> bool:
    """Tell whether two plain JSON values are the same: 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(same_value(value, other[key]) for key, value in one.items())
        )
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same_value, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def encode_plain(value: Any, what: str, place: str = "data") -> bytes:
    """Encode plain JSON values, or a shape, to JSON bytes, refusing what JSON cannot hold.

    Args:
        value: dicts with string keys, lists, tuples, strings, numbers, booleans, None, shapes.
        what: names the thing that is written, for the error.
        place: names the value in it, for the error.

    Raises:
        BadEntry: the value holds a NaN or an infinity, a key that is no string, text that is no Unicode, a circle, or
            an object of any other kind. The message names the place.
    """
    try:
        plain = msgspec.to_builtins(value) if isinstance(value, msgspec.Struct) else value
        raw = _encode(plain)
        # The encoder writes NaN as null and 1 as "1" when it is a key. Reading back and comparing is the fastest way to
        # learn that this, or anything like it, happened; only then is it worth finding out where.
        if _decode(raw) != plain:
            _refuse_unfit(plain, what, place)
    except (TypeError, ValueError, RecursionError) as why:
        if isinstance(why, BadEntry):
            raise
        raise BadEntry(f"{what} cannot be written as JSON: {why} (somewhere in {place}).") from why
    return raw


def _refuse_unfit(value: Any, what: str, place: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise BadEntry(f"{what} has the key {key!r} in {place}; keys of JSON objects are strings.")
            _refuse_unfit(item, what, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _refuse_unfit(item, what, f"{place}[{index}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise BadEntry(f"{what} holds {value} at {place}; JSON has no such number. Write null, or a string, instead.")
    elif isinstance(value, msgspec.Struct):
        _refuse_unfit(msgspec.to_builtins(value), what, place)
    elif not (value is None or isinstance(value, str | int | float)):
        kind = type(value).__name__
        raise BadEntry(f"{what} holds a value of type {kind} at {place}, which is no JSON value. Convert it first.")
