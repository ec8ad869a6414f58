"""Private dates in texts, in the forms that people write them in, and what stands in for them."""

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from cuelight.testing.goldens.inventing import Inventor

__all__ = ["MONTHS", "Dates", "Found"]

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_BRIEF = tuple(month[:3] for month in MONTHS)
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?!\d)", re.ASCII)
_WORD = re.compile(r"[^\W\d_]+")


class Found(NamedTuple):
    """Say where something private stands in a text, and what to write there."""

    start: int
    stop: int
    written: str


class Dates:
    """Know private dates and months, and find them in texts.

    Args:
        inventor: gives the month and the year of a stand-in; the day stays.
    """

    def __init__(self, inventor: Inventor) -> None:
        self._inventor = inventor
        self._days: list[tuple[re.Pattern[str], date]] = []
        self._months: set[str] = set()

    def learn(self, value: str) -> None:
        """Learn a value, if it is a date as JSON has it."""
        written = _DAY.match(value)
        try:
            day = date.fromisoformat(written[1]) if written is not None else None
        except ValueError:
            return
        if day is not None:
            self._days += [(re.compile(form, re.IGNORECASE), day) for form in _forms(day)]

    def learn_month(self, name: str) -> str:
        """Learn a month that is private by itself; gives its stand-in."""
        self._months.add(name.lower())
        return self._month(name)

    def find(self, text: str) -> Iterator[Found]:
        """Find the dates in a text, then the months that stand alone."""
        for form, day in self._days:
            yield from (Found(*match.span(), self._written(match, day)) for match in form.finditer(text))
        for match in _WORD.finditer(text) if self._months else ():
            if match[0].lower() in self._months and match[0] not in ("may", "march"):  # words of another meaning
                yield Found(*match.span(), self._month(match[0]))

    def _month(self, written: str) -> str:
        names = MONTHS if written.lower() in MONTHS else _BRIEF
        name = names[self._inventor.month(names.index(written.lower()) + 1) - 1]
        return name.upper() if written.isupper() else name.capitalize() if written[0].isupper() else name

    def _written(self, match: re.Match[str], day: date) -> str:
        """Write a date's stand-in in the form that the date has."""
        text, at = "", match.start()
        for start, kind in sorted((match.start(kind), kind) for kind, part in match.groupdict().items() if part):
            part = match[kind]
            if kind == "year":
                written = str(self._inventor.year(day.year))[-len(part) :]
            elif part.isdigit():
                written = str(self._inventor.month(day.month)).zfill(len(part))
            else:
                written = self._month(part)
            text += match.string[at:start] + written
            at = start + len(part)
        return text + match.string[at : match.end()]


def _forms(day: date) -> Iterator[str]:
    nth, number = rf"0?{day.day}(?:st|nd|rd|th)?", rf"(?P<month>0?{day.month})"
    name = rf"(?P<month>{MONTHS[day.month - 1]}|{_BRIEF[day.month - 1]})\b\.?"
    year = rf"(?P<year>{day.year}|(?<=['’/.-]){day.year % 100:02d})(?!\d)"
    begin, sep = r"(?<![\d./-])", r"[-/. ]+"
    yield rf"{begin}(?P<year>{day.year}){sep}{number}{sep}0?{day.day}(?!\d)"
    yield rf"{begin}0?{day.day}{sep}{number}{sep}{year}"
    yield rf"{begin}{number}{sep}0?{day.day}{sep}{year}"
    yield rf"{begin}{nth}(?: day)?(?: of)?[ -]+{name}(?:[ ,-]+['’]?{year})?"
    yield rf"\b{name} +(?:the )?{nth}\b(?:[ ,]+['’]?{year})?"
