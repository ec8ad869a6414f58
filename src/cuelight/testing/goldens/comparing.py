"""Compare what came with what was expected of it: at least this much."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from cuelight.log import MASK

__all__ = ["holds", "lacking", "shown"]

_LONGEST = 200


def lacking(expected: Any, came: Any, told: Any, at: str) -> str | None:
    """Say what is there in the place of what was expected; None where it is what was expected.

    An object may have more members than are expected of it, unless none are: an empty one is just that. A list has the
    same items. Numbers are the same where they are equal, and never equal to true or false.

    Args:
        expected: plain JSON.
        came: plain JSON.
        told: what came, as it may be told: private values are masked.
        at: what it is called.
    """
    if expected and isinstance(expected, Mapping) and isinstance(came, Mapping):
        for key, value in expected.items():
            place = f"{at}.{key}"
            if key not in came:
                return f"{place} is not there"
            found = lacking(value, came[key], _part(told, key), place)
            if found is not None:
                return found
        return None
    if isinstance(expected, list) and isinstance(came, list) and len(expected) == len(came):
        pairs = enumerate(zip(expected, came, strict=True))
        faults = (lacking(one, other, _part(told, index), f"{at}[{index}]") for index, (one, other) in pairs)
        return next(filter(None, faults), None)
    same = expected == came and isinstance(expected, bool) == isinstance(came, bool)
    return None if same else f"{at} is {shown(told)}"


def _part(told: Any, key: str | int) -> Any:
    """Give a part of what may be told, which is masked where all of it is."""
    if isinstance(told, Mapping):
        return told.get(str(key), MASK)
    return told[key] if isinstance(told, list) and isinstance(key, int) and key < len(told) else told


def shown(value: Any) -> str:
    """Write a value as JSON, shortened where it is long."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def holds(text: str, words: str | Iterable[str]) -> list[str]:
    """Give those of some words that a text holds; capitals and spacing make no difference."""
    within = _squeezed(text)
    return [each for each in ([words] if isinstance(words, str) else words) if _squeezed(each) in within]


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split())
