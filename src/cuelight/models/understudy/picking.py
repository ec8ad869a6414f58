"""How a slot is picked out of words, and a row out of a list."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from cuelight.models.understudy.hearing import clean, heard
from cuelight.models.understudy.moments import dates, times
from cuelight.models.understudy.pieces import KINDS, one_of, ordinal
from cuelight.models.understudy.shapes import Slot

__all__ = ["choose", "pick"]

_ROW_TIME = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?!\d)")
_ROW_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_WORD = re.compile(r"[^\W\d_]{3,}")
_EXACT = re.compile(r"[ap]\.?m|(?<!\d)0\d[:.]|(?:1[3-9]|2\d)[:.]|in the|at night", re.IGNORECASE)


def pick(slot: Slot, said: str, today: date, *, asked: bool) -> Any | None:
    """Pick a slot out of words: where its own patterns find it, else where its kind does."""
    for expression in slot.hears:
        if match := expression.search(clean(said)):
            value = _read(slot, said[match.start(1) : match.end(1)], today, asked=True)
            if value is not None:
                return value
    return _read(slot, said, today, asked=asked)


def _read(slot: Slot, said: str, today: date, *, asked: bool) -> Any | None:
    text = said if slot.kind == "words" else clean(said)
    found = one_of(text, slot.values) if slot.kind == "one of" else KINDS[slot.kind](text, today, asked)
    return found[0][0] if found else None


def choose(text: str, rows: Sequence[Any], today: date) -> int | None:
    """Choose the one row that cleaned words can only mean; None when they mean none, or several.

    Words mean a row by its place ("the first", "the last one"), by a time or a day in it, or by words that only some
    rows have. Where there is but one row, a yes means it.
    """
    if not rows:
        return None
    wanted_times = [time for time, _ in times(text)]
    wanted_days = [day.isoformat() for day, _ in dates(text, today)]
    said = {word.lower() for word in _WORD.findall(text)}
    texts = [" ".join(_scalars(row)) for row in rows]
    common = set.intersection(*({word.lower() for word in _WORD.findall(row)} for row in texts))
    scores = [_score(row, wanted_times, wanted_days, said - common, exact=bool(_EXACT.search(text))) for row in texts]
    best = max(scores)
    if best > 0:
        return scores.index(best) if scores.count(best) == 1 else None
    place = ordinal(text)
    if place is not None and not wanted_times and -1 <= place < len(rows):
        return place % len(rows)
    return 0 if len(rows) == 1 and not wanted_times and heard(clean(text)) is True else None


def _score(row: str, wanted_times: list[str], wanted_days: list[str], said: set[str], *, exact: bool) -> int:
    row_times = {f"{int(hour):02}:{minute}" for hour, minute in _ROW_TIME.findall(row)}
    row_days = set(_ROW_DATE.findall(row))
    score = 0
    if wanted_times:
        if not any(_same_time(wanted, there, exact) for wanted in wanted_times for there in row_times):
            return -1
        score += 4
    if wanted_days and row_days:
        if not row_days.intersection(wanted_days):
            return -1
        score += 2
    return score + len(said.intersection(word.lower() for word in _WORD.findall(row)))


def _same_time(wanted: str, there: str, exact: bool) -> bool:
    """Whether two times are one; where the half of the day was not said, either half will do."""
    if exact:
        return wanted == there
    return wanted[2:] == there[2:] and (int(wanted[:2]) - int(there[:2])) % 12 == 0


def _scalars(row: Any) -> list[str]:
    if isinstance(row, dict):
        return [text for value in row.values() for text in _scalars(value)]
    if isinstance(row, list):
        return [text for value in row for text in _scalars(value)]
    return [str(row)]
