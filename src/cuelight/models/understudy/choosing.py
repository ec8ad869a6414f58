"""How a caller chooses from a list: by what is in a row, by its place, by ruling others out."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

from cuelight.models.understudy.days import MONTHS, dates
from cuelight.models.understudy.hearing import heard
from cuelight.models.understudy.hours import times
from cuelight.models.understudy.wording import Place, taken_back

__all__ = ["choose"]

_ROW_TIME = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?!\d)")
_ROW_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_WORD = re.compile(r"[^\W\d_]{3,}")
_EXACT = re.compile(r"[ap]\.?m|(?<!\d)0\d[:.]|(?:1[3-9]|2\d)[:.]|in the|at night", re.IGNORECASE)


def _spoken(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)".replace("'", "'?"), re.IGNORECASE)


# Places in a list as one says them. "The first time", "just a second" and "the first of May" are none.
_NO_PLACE = rf"(?! (?:all|choice|name|visit|week|month|year|time (?:here|i)|thing|of (?:all|{'|'.join(MONTHS)})))"
_PART = "morning|afternoon|evening"
_NUMBERED = "(?:number|option)"
_PLACES = (
    (0, _spoken(rf"{_NUMBERED} (?:one|1)|(?:first|1st|earliest|soonest){_NO_PLACE}|the earl(?:y|ier)(?: one| time)?|"
                rf"first thing|as early as|early (?:in the )?(?:{_PART})")),
    (1, _spoken(rf"{_NUMBERED} (?:two|2)|the (?:second|2nd){_NO_PLACE}|^second$|"
                rf"(?:second|2nd) (?:one|slot|time|option)")),
    (2, _spoken(rf"{_NUMBERED} (?:three|3)|(?:third|3rd){_NO_PLACE}")),
    (3, _spoken(rf"{_NUMBERED} (?:four|4)|(?:fourth|4th){_NO_PLACE}")),
    (4, _spoken(rf"{_NUMBERED} (?:five|5)|(?:fifth|5th){_NO_PLACE}")),
    (-1, _spoken(rf"(?:last|latest|final){_NO_PLACE}|the late(?:r)?(?: one| time)?|as late as|"
                 rf"late (?:in the )?(?:{_PART})|end of the day")),
)  # fmt: skip
_ANYWHERE = _spoken(
    r"any (?:of (?:them|those|these)|(?:one |slot |time )?(?:is|will|works|would|suits))|any ?time(?=$| please)|"
    r"^(?:any(?: one)?|either)$|whichever|whatever|"
    r"either (?:one|time|of them|is|will|works|would)|(?:don't|do not) (?:mind|care)(?! (?:what|who|about|for))|"
    r"(?:doesn't|does not) matter|you (?:choose|pick|decide)|up to you"
)
_REFUSAL = re.compile(r"n't\b|\b(?:not|cannot|cant|dont|never|none|no)\b", re.IGNORECASE)

# Parts of the day, in hours; a greeting names none.
_PARTS = (
    (0, 12, _spoken(r"(?<!good )morning|before lunch")),
    (12, 18, _spoken(r"(?<!good )afternoon|after lunch")),
    (17, 24, _spoken(r"(?<!good )evening|after work")),
)
_NO_MINUTES = "(?<!quarter )(?<!five )(?<!ten )(?<!twenty )"  # "ten before three" bounds nothing
_BOUND = _spoken(
    rf"(?:(?P<after>(?:not|no) earlier than|not before|later than|from|{_NO_MINUTES}after)|"
    rf"(?:not|no) later than|not after|earlier than|until|till|by|{_NO_MINUTES}before)(?: at)?"
)
_OR = re.compile(r" or (?:(?P<after>later|after)|earlier|before|sooner)(?!\w)", re.IGNORECASE)

Rule = Callable[[str], bool]
"""Whether a row, as text, is still meant."""


def choose(
    text: str, rows: Sequence[Any], today: date, *, asked: bool = False, offered: Sequence[int] = ()
) -> list[int]:
    """Choose the rows that cleaned words mean: one where they name one, several where they only rule others out.

    Words name a row by a time or a day in it, by words that only some rows have, or by its place ("the first", "the
    last one"). They rule rows out by a part of the day, or by a time that it must be after or before. Where there is
    but one row, a yes means it. The list is empty where words tell no row from the others, or fit none.

    Args:
        text: the caller's words.
        rows: what is chosen from.
        today: the day it is.
        asked: whether the caller was asked to choose: then an hour alone is a time.
        offered: the rows that the caller has just heard, which places are counted in; none means all.
    """
    chosen = _chosen(" ".join(text.split()), rows, today, asked, offered)
    return chosen if len(chosen) < max(len(rows), 2) else []


def _chosen(text: str, rows: Sequence[Any], today: date, asked: bool, offered: Sequence[int]) -> list[int]:
    texts = [" ".join(_scalars(row)) for row in rows]
    rules, rest = _ruled(text, asked)
    left = [index for index in range(len(rows)) if all(rule(texts[index]) for rule in rules)]
    named = _named(rest, [texts[index] for index in left], today, asked)
    if named is not None:
        return [left[index] for index in named]
    place = _place(rest, today)
    if place is not None:
        among = [index for index in offered if index in left] if len(offered) > 1 and not rules else left
        return [among[place]] if -len(among) <= place < len(among) else []
    if rules:
        return left
    return [0] if len(rows) == 1 and heard(text) is True else []


# --- by what is in a row ----------------------------------------------------------------------------------------------


def _named(text: str, rows: Sequence[str], today: date, asked: bool) -> list[int] | None:
    """Find the rows that words name best; None where they name nothing that rows have."""
    wanted_times = [time for time, _ in times(text, asked=asked)]
    wanted_days = [day.isoformat() for day, _ in dates(text, today)]
    words = [{word.lower() for word in _WORD.findall(row)} for row in rows]
    common = set.intersection(*words) if words else set()
    said = {word.lower() for word in _WORD.findall(text)} - common
    exact = bool(_EXACT.search(text))
    scores = {
        index: len(said & words[index]) + 4 * bool(wanted_times) + 2 * bool(wanted_days)
        for index, row in enumerate(rows)
        if _has_time(row, wanted_times, exact) and _has_day(row, wanted_days)
    }
    best = max(scores.values(), default=0)
    if best > 0 and (wanted_times or best > 2 * bool(wanted_days) or any(map(_ROW_DATE.search, rows))):
        return [index for index, score in scores.items() if score == best]
    return [] if wanted_times else None


def _has_time(row: str, wanted: list[str], exact: bool) -> bool:
    return not wanted or any(_same_time(each, there, exact) for each in wanted for there in _times_in(row))


def _same_time(wanted: str, there: str, exact: bool) -> bool:
    """Whether two times are one; where the half of the day was not said, either half will do."""
    if exact:
        return wanted == there
    return wanted[2:] == there[2:] and (int(wanted[:2]) - int(there[:2])) % 12 == 0


def _has_day(row: str, wanted: list[str]) -> bool:
    there = _ROW_DATE.findall(row)
    return not wanted or not there or bool(set(there).intersection(wanted))


def _times_in(row: str) -> Iterator[str]:
    return (f"{int(hour):02}:{minute}" for hour, minute in _ROW_TIME.findall(row))


def _scalars(row: Any) -> list[str]:
    if isinstance(row, dict):
        return [text for value in row.values() for text in _scalars(value)]
    if isinstance(row, list):
        return [text for value in row for text in _scalars(value)]
    return [str(row)]


# --- by its place -----------------------------------------------------------------------------------------------------


def _place(text: str, today: date) -> int | None:
    """Find "the first", "the last one" and the like, as an index; not in a date, and not what is refused."""
    days = [place for _, place in dates(text, today)]

    def is_one(place: Place) -> bool:
        return not taken_back(text, place) and not any(place[0] < end and start < place[1] for start, end in days)

    found = [
        (match.start(), index) for index, words in _PLACES for match in words.finditer(text) if is_one(match.span())
    ]
    if found:
        return min(found)[1]
    anywhere = _ANYWHERE.search(text)
    return 0 if anywhere and not _REFUSAL.search(text, 0, anywhere.start()) else None


# --- by ruling others out ---------------------------------------------------------------------------------------------


def _ruled(text: str, asked: bool) -> tuple[list[Rule], str]:
    """Read what rules rows out; gives that, and the text without the times that are but bounds."""
    rules: list[Rule] = []
    rest = text
    for rule, (start, end) in _bounds(text, asked):
        rules.append(rule)
        rest = rest[:start] + "." * (end - start) + rest[end:]
    if not times(text, asked=asked):
        parts = [(start, end, match) for start, end, words in _PARTS if (match := words.search(text))]
        rules += [_between(start, end, wanted=not taken_back(text, match.span())) for start, end, match in parts]
    return rules, rest


def _bounds(text: str, asked: bool) -> Iterator[tuple[Rule, Place]]:
    """Find times that are but bounds, as in "after two" and "at two or later", and where they stand."""
    for time, (start, end) in times(text, asked=asked):
        if match := _OR.match(text, end):
            yield _beyond(time, after=match["after"] is not None), (start, match.end())
    for match in _BOUND.finditer(text):
        words = text[match.end() :].split()
        for count in range(min(len(words), 4), 0, -1):
            alone = times(f"at {' '.join(words[:count])}")
            if alone and alone[0][1][0] <= len("at "):
                end = match.end() + len(" ".join(["", *words[:count]]))
                yield _beyond(alone[0][0], after=match["after"] is not None), (match.start(), end)
                break


def _beyond(bound: str, *, after: bool) -> Rule:
    return lambda row: any(time >= bound if after else time <= bound for time in _times_in(row))


def _between(start: int, end: int, *, wanted: bool) -> Rule:
    return lambda row: any((start <= int(time[:2]) < end) is wanted for time in _times_in(row))
