"""Compare what came with what was expected of it: at least this much."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

__all__ = ["holds", "lacking", "shown", "squeezed"]

_LONGEST = 200


def lacking(expected: Any, came: Any, at: str = "") -> str | None:
    """Say what is there in the place of what was expected; None where it is what was expected.

    An object may have more members than are expected of it; a list has the same number of items.

    Args:
        expected: plain JSON.
        came: plain JSON.
        at: what both are called.
    """
    if isinstance(expected, Mapping) and isinstance(came, Mapping):
        for key, value in expected.items():
            place = f"{at}.{key}" if at else str(key)
            if key not in came:
                return f"{place} is not there"
            found = lacking(value, came[key], place)
            if found is not None:
                return found
        return None
    if isinstance(expected, list) and isinstance(came, list) and len(expected) == len(came):
        faults = (
            lacking(one, other, f"{at}[{index}]") for index, (one, other) in enumerate(zip(expected, came, strict=True))
        )
        return next(filter(None, faults), None)
    same = expected == came and isinstance(expected, bool) == isinstance(came, bool)
    return None if same else f"{at or 'it'} is {shown(came)}"


def shown(value: Any) -> str:
    """Write a value as JSON, shortened where it is long."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def squeezed(text: str) -> str:
    """Give words as they are compared: without capitals, and with one space between them."""
    return " ".join(text.casefold().split())


def holds(text: str, words: str | Iterable[str]) -> list[str]:
    """Give those of some words that a text holds; capitals and spacing make no difference."""
    within = squeezed(text)
    return [each for each in ([words] if isinstance(words, str) else words) if squeezed(each) in within]
