"""Days in plain English, relative to a given one."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import chain

from cuelight.models.understudy.wording import NUMBER, THEN, Place, number_of, taken_back, whole

__all__ = ["DAYS", "MONTHS", "dates"]

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY_NAMES = {name: number for number, name in enumerate(DAYS)} | {
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "weds": 2,
    "thu": 3,
    "thur": 3,
    "thurs": 3,
    "fri": 4,
}
MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH_NAMES = {name: number for number, name in enumerate(MONTHS, 1)} | {
    name[:3]: number for number, name in enumerate(MONTHS, 1) if name != "may"
}
_MONTH_NAMES["sept"] = 9

_DAY = "|".join(sorted(_DAY_NAMES, key=len, reverse=True))
_MONTH = "|".join(sorted(_MONTH_NAMES, key=len, reverse=True))
_NTH_TEXT = """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
    sixteenth seventeenth eighteenth nineteenth twentieth
"""
_NTH_WORDS = _NTH_TEXT.split()
_NTH_NAMES = (
    {word: number for number, word in enumerate(_NTH_WORDS, 1)}
    | {f"twenty {word}": number for number, word in enumerate(_NTH_WORDS[:9], 21)}
    | {"thirtieth": 30, "thirty first": 31}
)
_SPELLED_NTH = "|".join(sorted(_NTH_NAMES, key=len, reverse=True)).replace(" ", r"[\s-]+")
_NTH = rf"(?:the\s+)?(?:(\d{{1,2}})(?:st|nd|rd|th)?|({_SPELLED_NTH}))"

_ISO = whole(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_SLASHED = whole(r"(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?")
_DAY_MONTH = whole(rf"{_NTH}\s+(?:of\s+)?({_MONTH})(?:\s+(\d{{4}}))?")
_MONTH_DAY = whole(rf"({_MONTH})\s+{_NTH}(?:\s+(\d{{4}}))?")
# "The second" is what was offered second; "on the second" and "the tenth" are days.
_SPELLED_LATER = "|".join(nth for nth in _SPELLED_NTH.split("|") if nth not in _NTH_WORDS[:5])
_NTH_ALONE = whole(
    rf"(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)(?!\s+(?:one|option|slot|time))|"
    rf"(?:on\s+the\s+(?={_SPELLED_NTH})|the\s+(?={_SPELLED_LATER}))({_SPELLED_NTH})(?!\s+(?:one|option|slot|time))"
)
_NTH_ASKED = whole(rf"(?:the\s+)?()({_SPELLED_NTH}){THEN}")
_NEAR = whole(
    r"(?:the\s+)?day\s+(?:after\s+tom+or+ow|before\s+yesterday)|tom+or+ow|today|tonight|yesterday|right\s+now|"
    r"this\s+(?:morning|afternoon|evening)"
)
_FROM_NOW = whole(
    rf"in\s+(?:(\d{{1,2}}|{NUMBER})\s+(day|week)s?(?:'?\s+time)?|a\s+(fortnight))|"
    rf"(\d{{1,2}}|{NUMBER})\s+(day|week)s?\s+(?:from\s+)?(?:now|today)"
)
_WEEKEND = whole(r"(?:(next|this|the|coming|at|on)\s+)*weekend")
# "Tuesday week", "a week on Tuesday", "Tuesday in two weeks".
_WEEKS_ON = whole(
    rf"(?:a|(?P<before>two))\s+weeks?\s+(?:on|from)\s+(?P<on>{_DAY})|the\s+(?P<next>{_DAY})\s+after(?:\s+that)?\s*$|"
    rf"(?P<day>{_DAY})\s+(?:week|in\s+(?P<weeks>a|\d|{NUMBER})\s+weeks?(?:'?\s+time)?)"
)
# Words as well as days, unless what stands around them tells.
_SHORT = r"(?:(?<=on\s)|(?<=next\s))(?:wed|sat|sun)|(?:wed|sat|sun)(?=\s*$|\s+(?:at\s+\d|\d|morning|afternoon|please))"
_WEEKDAY = whole(rf"(?:(next|last|this|on|coming)\s+)?({_DAY}|{_SHORT})")
_DAY_BESIDE = re.compile(r"\bday\s+(after|before)\s+(?:the\s+)?$", re.IGNORECASE)  # "the day after next Thursday"
_BESIDE = whole(
    r"(?:the\s+)?(?:(next|following|same)\s+day|day\s+(after|before)|(?:a|one)\s+day\s+(later|earlier|sooner))"
    r"(?:\s+that)?(?!\s+(?:tom+or+ow|yesterday))"
)


def dates(text: str, today: date, *, asked: bool = False, last: date | None = None) -> list[tuple[date, Place]]:
    """Find the days a text names, in order; days taken back are left out.

    A weekday is its next coming, never today; `next` before it means the week after this one, and `last` its last
    going. Days without a year, or without a month, are their next coming too. 3/4 is read only where it can mean one
    day.

    Args:
        text: what was said, cleaned.
        today: the day it is.
        asked: whether a day was asked for: then "the second" is one.
        last: the day that was last whole of: "the day after" is the one after it, and where it is a week away or more,
            a weekday is in its week.
    """
    found: list[tuple[date, Place]] = []
    for day, place in chain(_all_dates(text, today, last), _nth_alone(_NTH_ASKED, text, today) if asked else ()):
        if any(place[0] < end and start < place[1] for _, (start, end) in found):
            continue  # part of a date that was read whole
        if not taken_back(text, place):
            beyond = _DAY_BESIDE.search(text, 0, place[0])
            ahead = 0 if beyond is None else 1 if beyond[1].lower() == "after" else -1
            found.append((day + timedelta(days=ahead), place))
    if not found and last is not None:
        found = list(_beside(text, last))
    return sorted(found, key=lambda each: each[1])


def _all_dates(text: str, today: date, last: date | None) -> Iterator[tuple[date, Place]]:
    for match in _ISO.finditer(text):
        yield from _day(int(match[1]), int(match[2]), int(match[3]), match.span())
    for match in _SLASHED.finditer(text):
        first, second = int(match[1]), int(match[2])
        year = int(match[3]) if match[3] else None
        year = year + 2000 if year is not None and year < 100 else year
        if first > 12 or first == second:
            yield from _coming(year, second, first, today, match.span())
        elif second > 12:
            yield from _coming(year, first, second, today, match.span())
    for match in _DAY_MONTH.finditer(text):
        yield from _coming(
            _year(match[4]), _MONTH_NAMES[match[3].lower()], _nth(match[1], match[2]), today, match.span()
        )
    for match in _MONTH_DAY.finditer(text):
        yield from _coming(
            _year(match[4]), _MONTH_NAMES[match[1].lower()], _nth(match[2], match[3]), today, match.span()
        )
    yield from _nth_alone(_NTH_ALONE, text, today)
    yield from _days_near(text, today, last)


def _nth_alone(expression: re.Pattern[str], text: str, today: date) -> Iterator[tuple[date, Place]]:
    for match in expression.finditer(text):
        yield from _coming_nth(_nth(match[1], match[2]), today, match.span())


def _days_near(text: str, today: date, last: date | None) -> Iterator[tuple[date, Place]]:
    """Find days that are named by how they lie to today."""
    for match in _WEEKS_ON.finditer(text):
        number = _DAY_NAMES[(match["on"] or match["day"] or match["next"]).lower()]
        if match["weeks"]:  # the day in the week that is so many weeks from this one
            yield _in_week(today, number_of(match["weeks"]), number), match.span()
        else:
            yield _next(today, number) + timedelta(weeks=2 if match["before"] else 1), match.span()
    for match in _FROM_NOW.finditer(text):
        count, unit = match[1] or match[4], match[2] or match[5]
        ahead = 14 if match[3] else number_of(count) * (7 if unit.lower() == "week" else 1)
        yield today + timedelta(days=ahead), match.span()
    for match in _NEAR.finditer(text):
        words = match[0].lower()
        ahead = 1 if words.endswith("row") else -1 if words.endswith("yesterday") else 0
        yield today + timedelta(days=2 * ahead if "day " in words else ahead), match.span()
    for match in _WEEKEND.finditer(text):
        yield _in_week(today, int((match[1] or "").lower() == "next" or today.weekday() > 5), 5), match.span()
    for match in _WEEKDAY.finditer(text):
        yield _weekday(match, today, last), match.span()


def _beside(text: str, last: date) -> Iterator[tuple[date, Place]]:
    """Find a day that is named by how it lies to another: "the day after", "a day earlier", "the same day"."""
    match = _BESIDE.search(text)
    if match is not None and not taken_back(text, match.span()):
        words = next(word.lower() for word in match.groups() if word)
        ahead = {"same": 0, "before": -1, "earlier": -1, "sooner": -1}.get(words, 1)
        yield last + timedelta(days=ahead), match.span()


def _weekday(match: re.Match[str], today: date, last: date | None) -> date:
    name = match[2].lower()
    number = _DAY_NAMES.get(name, {"wed": 2, "sat": 5, "sun": 6}.get(name, 0))
    which = (match[1] or "").lower()
    if which == "next":
        return _in_week(today, 1, number)
    if which == "last":
        return today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)
    coming = _next(today, number)
    if last is None or last < today + timedelta(weeks=1) or which in ("this", "coming"):
        return coming
    return max(coming, _in_week(last, 0, number))


def _next(today: date, weekday: int) -> date:
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _in_week(today: date, weeks: int, weekday: int) -> date:
    return today + timedelta(days=7 * weeks - today.weekday() + weekday)


def _nth(digits: str | None, words: str | None) -> int:
    return int(digits) if digits else _NTH_NAMES[re.sub(r"[\s-]+", " ", (words or "").lower())]


def _year(text: str | None) -> int | None:
    return int(text) if text else None


def _day(year: int, month: int, day: int, place: Place) -> Iterator[tuple[date, Place]]:
    try:
        yield date(year, month, day), place
    except ValueError:
        return


def _coming(year: int | None, month: int, day: int, today: date, place: Place) -> Iterator[tuple[date, Place]]:
    for candidate in (year,) if year is not None else range(today.year, today.year + 5):
        for read, _ in _day(candidate, month, day, place):
            if year is not None or read >= today:
                yield read, place
                return


def _coming_nth(day: int, today: date, place: Place) -> Iterator[tuple[date, Place]]:
    for ahead in range(12):
        month = today.month + ahead
        for read, _ in _day(today.year + (month - 1) // 12, (month - 1) % 12 + 1, day, place):
            if read >= today:
                yield read, place
                return
