"""Words for what is wrong with a tool's arguments: for the model to read, so short, and without the values it gave."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from cuelight.agent.words import nearest
from cuelight.log import leaves

__all__ = ["sentence"]

_SHOWN = 5
_LONGEST_NAME = 40
_LONGEST_WORDS = 200

# What a value must be, by the kind of fault that pydantic names.
_KINDS = {
    "arguments_type": "an array",
    "bool_type": "true or false",
    "bytes_type": "a string",
    "counter_type": "an object",
    "dataclass_exact_type": "an object",
    "dataclass_type": "an object",
    "deque_type": "an array",
    "dict_type": "an object",
    "float_type": "a number",
    "frozen_dict_type": "an object",
    "frozen_set_type": "an array",
    "int_type": "an integer",
    "list_type": "an array",
    "mapping_type": "an object",
    "model_attributes_type": "an object",
    "model_type": "an object",
    "named_tuple_type": "an array",
    "none_required": "null",
    "ordered_dict_type": "an object",
    "set_type": "an array",
    "string_type": "a string",
    "tuple_type": "an array",
}
# The same for what JSON writes as text, by the beginning of the kind of fault.
_FORMS = {
    "date_": "a date, as in 2026-01-31",
    "datetime_": "a date and time, as in 2026-01-31T09:30:00",
    "decimal_": "a decimal number",
    "time_delta_": "a duration, as in PT1H30M",
    "time_": "a time of day, as in 09:30",
    "url_": "a URL",
    "uuid_": "a UUID",
}
# What pydantic says of these comes from the annotation alone.
_SAFE = frozenset(
    {
        "bytes_too_long", "bytes_too_short", "date_future", "date_past", "datetime_future", "datetime_past",
        "decimal_max_digits", "decimal_max_places", "decimal_whole_digits", "enum", "finite_number", "greater_than",
        "greater_than_equal", "less_than", "less_than_equal", "literal_error", "multiple_of", "string_pattern_mismatch",
        "string_too_long", "string_too_short", "timezone_aware", "timezone_naive", "too_long", "too_short",
        "url_scheme", "url_too_long", "uuid_version",
    }
)  # fmt: skip
_ABSENT = frozenset(
    {"missing", "missing_argument", "missing_keyword_only_argument", "missing_positional_only_argument"}
)
_UNKNOWN = frozenset({"extra_forbidden", "unexpected_keyword_argument", "unexpected_positional_argument"})

_Fault = Mapping[str, Any]
_Path = tuple[str | int, ...]


def sentence(faults: Iterable[_Fault], given: Any, parameters: Mapping[str, bool], names: Collection[str]) -> str:
    """Say what is wrong where, at most five things.

    Args:
        faults: as pydantic lists them.
        given: the arguments, plain JSON values.
        parameters: whether each parameter is required, by name.
        names: every property that the schema declares, at any depth; no other key of the given is repeated, but the
            name of one that is not known.
    """
    found: dict[str, list[str]] = {}
    for fault in faults:
        path = _path(fault, given)
        place = [str(piece) if isinstance(piece, int) or piece in names else "*" for piece in path]
        if path and fault["type"] in _UNKNOWN:
            place[-1] = str(path[-1])[:_LONGEST_NAME]
            said = _unknown(path, parameters, names)
        elif path and fault["type"] in _ABSENT:
            said = "is missing"
        else:
            said = _words(fault)
            if fault["input"] is None and len(path) == 1 and not parameters.get(str(path[0]), True):
                said += "; leave it out to have its default"
        words = found.setdefault(".".join(place), [])
        if said not in words:
            words.append(said)
    parts = [f"`{place}` {_joined(words)}" if place else f"they {_joined(words)}" for place, words in found.items()]
    if len(parts) > _SHOWN:
        parts[_SHOWN:] = [f"and {len(parts) - _SHOWN} more"]
    return "; ".join(parts)


def _path(fault: _Fault, given: Any) -> _Path:
    """Give the way to a fault in what was given: without the names of a union's members, which pydantic puts in."""
    path: list[str | int] = []
    value = given
    if not fault["loc"]:
        return ()
    *before, last = fault["loc"]
    for piece in before:
        if (isinstance(value, dict) and piece in value) or _is_index(value, piece):
            value = value[piece]
            path.append(piece)
    at_value = (isinstance(value, dict) and last in value) or _is_index(value, last)
    if at_value or fault["type"] in _ABSENT or fault["type"] in _UNKNOWN:
        path.append(last)
    return tuple(path)


def _is_index(value: Any, piece: Any) -> bool:
    return isinstance(value, list) and isinstance(piece, int) and piece < len(value)


def _unknown(path: _Path, parameters: Mapping[str, bool], names: Collection[str]) -> str:
    if len(path) > 1:
        return f"is not known there{nearest(str(path[-1]), names)}"
    taken = ", ".join(f"`{name}`" for name in parameters)
    return f"is no argument of this tool, which takes {taken or 'none'}"


def _words(fault: _Fault) -> str:
    """Say what a value must be, or what else is wrong with it."""
    kind, message, given = str(fault["type"]), str(fault["msg"]), fault["input"]
    form = next((form for start, form in _FORMS.items() if kind.startswith(start)), None)
    if kind in _KINDS:
        return f"must be {_KINDS[kind]}, not {_json_kind(given)}"
    if kind in _SAFE:
        said = message.replace("Input should be ", "must be ", 1)
        return _lower(said) if len(said) <= _LONGEST_WORDS else "is none of the values that the schema admits"
    if form is not None:
        return f"must be {form}" + ("" if isinstance(given, str) else f", not {_json_kind(given)}")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        tags = fault["ctx"].get("expected_tags")
        return f"must have {fault['ctx']['discriminator']}" + (f" as one of {tags}" if tags else "")
    # An author's own words, or a kind that is not known here.
    said = message.removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return "does not fit" if len(said) > _LONGEST_WORDS or _repeats(said, given) else _lower(said)


def _lower(said: str) -> str:
    return said[:1].lower() + said[1:]


def _repeats(said: str, given: Any) -> bool:
    """Tell whether a sentence holds something that was given."""
    words = (re.escape(leaf.strip()) for leaf in leaves(given) if leaf.strip())
    return any(re.search(rf"(?<!\w){word}(?!\w)", said, re.IGNORECASE) for word in words)


def _joined(words: Sequence[str]) -> str:
    """Join what may be said of one place: each member of a union has its own word on it."""
    if len(words) == 1 or not all(word.startswith("must be ") for word in words):
        return " and ".join(words)
    kinds, _, given = zip(*(word.removeprefix("must be ").partition(", not ") for word in words), strict=True)
    ending = next(filter(None, given), "")
    return f"must be {' or '.join(dict.fromkeys(kinds))}" + (f", not {ending}" if ending else "")


def _json_kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list | tuple) else "an object"
