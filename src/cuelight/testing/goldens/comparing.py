"""Compare what came with what was expected of it: at least this much."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from cuelight.log import MASK

__all__ = ["holds", "lacking", "mentions", "shown"]

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
    """Give those of some words that a text says; capitals and spacing make no difference.

    They begin where a word begins, and a number in them is a whole one: "16 euros" does not say "6 euros", and
    "unavailable" does not say "available". Where a word ends does not matter: "euros" says "euro".
    """
    within = _squeezed(text)
    return [each for each in ([words] if isinstance(words, str) else words) if _says(within, _squeezed(each))]


def mentions(text: str, words: str | Iterable[str]) -> list[str]:
    """Give those of some words that are anywhere in a text, in the midst of a word too; else as `holds`."""
    within = _squeezed(text)
    return [each for each in ([words] if isinstance(words, str) else words) if _squeezed(each) in within]


def _squeezed(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _says(text: str, words: str) -> bool:
    at = text.find(words)
    while at >= 0:
        before, after = text[:at][::-1], text[at + len(words) :]
        if not (_in_number(before, words) or _in_number(after, words[::-1]) or _in_word(before, words)):
            return True
        at = text.find(words, at + 1)
    return False


def _in_number(beyond: str, words: str) -> bool:
    """Tell whether the number that some words begin with goes on before them; both are read away from there."""
    more = beyond[1:] if beyond[:1] in (".", ",") else beyond
    return words[:1].isdigit() and more[:1].isdigit()


def _in_word(beyond: str, words: str) -> bool:
    """Tell whether the word that some words begin with goes on before them, in a script that has words apart."""
    return all(sign[:1].upper() != sign[:1] for sign in (beyond, words))
