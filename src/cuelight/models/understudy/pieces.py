"""Pieces that can be picked out of what a caller says, by kind."""

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from cuelight.models.understudy.days import dates
from cuelight.models.understudy.hearing import heard
from cuelight.models.understudy.hours import times
from cuelight.models.understudy.names import names
from cuelight.models.understudy.wording import NUMBER_WORDS, Place, number_of

__all__ = ["KINDS", "Found", "one_of"]

Found = list[tuple[Any, Place]]
"""Values and where they stand, the likeliest first."""

_DIGIT_WORDS = {word: str(NUMBER_WORDS[word]) for word in list(NUMBER_WORDS)[:10]} | {"oh": "0", "o": "0"}
_REPEATS = {"double": 2, "triple": 3}
_TOKEN = re.compile(r"\+?\d+|[^\W\d_]+", re.IGNORECASE)
_NO_PHONE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}:\d{2}|\d{1,2}/\d{1,2}(?:/\d{2,4})?")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NUMBER = re.compile(
    rf"(?<![\w:/.,+-])(?:\d{{1,4}}|(?:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})"
    r"(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine))?)(?![\w:/-]|\.\d)",
    re.IGNORECASE,
)
_VAGUE = frozenset({"a", "an", "one"})


def _names(text: str, today: date, asked: bool) -> Found:
    return list(names(text, asked=asked))


def _phones(text: str, today: date, asked: bool) -> Found:
    """Digits, in any grouping or as words: "600 123 456", "six oh oh double one"."""
    hidden = _NO_PHONE.sub(lambda match: "#" * len(match[0]), text)
    runs: list[tuple[str, Place]] = []
    digits, start, end, repeat = "", 0, 0, 1
    for match in _TOKEN.finditer(hidden):
        token = match[0].lower()
        part = token if token.lstrip("+").isdigit() else _DIGIT_WORDS.get(token)
        goes_on = bool(digits or repeat > 1) and not hidden[end : match.start()].strip(" -./") and token[0] != "+"
        if not goes_on or (part is None and token not in _REPEATS):
            runs.append((digits, (start, end)))
            digits, start, repeat = "", match.start(), 1
        if part is not None:
            digits, repeat = digits + part * repeat, 1
        repeat = _REPEATS.get(token, repeat)
        end = match.end()
    runs.append((digits, (start, end)))
    return [(digits, place) for digits, place in runs if 6 <= len(digits.lstrip("+")) <= 15]


def _emails(text: str, today: date, asked: bool) -> Found:
    return [(match[0].rstrip("."), match.span()) for match in _EMAIL.finditer(text)]


def _dates(text: str, today: date, asked: bool) -> Found:
    return [(day.isoformat(), place) for day, place in dates(text, today, asked=asked)]


def _times(text: str, today: date, asked: bool) -> Found:
    return list(times(text, asked=asked))


def _numbers(text: str, today: date, asked: bool) -> Found:
    return [
        (number_of(match[0]), match.span())
        for match in _NUMBER.finditer(text)
        if asked or match[0].lower() not in _VAGUE
    ]


def _yes_or_no(text: str, today: date, asked: bool) -> Found:
    answer = heard(text)
    return [] if answer is None else [(answer, (0, len(text)))]


def _words(text: str, today: date, asked: bool) -> Found:
    words = text.strip()
    return [(words, (0, len(text)))] if asked and words else []


KINDS: dict[str, Callable[[str, date, bool], Found]] = {
    "name": _names,
    "phone": _phones,
    "email": _emails,
    "date": _dates,
    "time": _times,
    "number": _numbers,
    "yes or no": _yes_or_no,
    "words": _words,
}
"""How each kind is found: in a cleaned text, on a day, and knowing whether it was asked for."""


def one_of(text: str, values: Sequence[tuple[Any, re.Pattern[str]]]) -> Found:
    """Find which of some values a text names, in the order of the text."""
    found = [(value, match.span()) for value, spelling in values for match in spelling.finditer(text)]
    return sorted(found, key=lambda each: (each[1][0], -each[1][1]))
