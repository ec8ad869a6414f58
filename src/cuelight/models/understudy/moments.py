"""Dates and times in plain English, relative to a given day."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

__all__ = ["DAYS", "MONTHS", "NUMBER_WORDS", "Place", "dates", "number_of", "times"]

Place = tuple[int, int]
"""Where in a text something stands."""

_UNIT_WORDS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_UNITS = _UNIT_WORDS.split()
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
NUMBER_WORDS = {word: number for number, word in enumerate(_UNITS)} | _TENS | {"an": 1, "a": 1, "couple": 2}

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

_NUMBER = (
    rf"(?:{'|'.join(_TENS)})[\s-](?:{'|'.join(_UNITS[1:10])})|{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))}"
)
_DAY = "|".join(sorted(_DAY_NAMES, key=len, reverse=True))
_MONTH = "|".join(sorted(_MONTH_NAMES, key=len, reverse=True))
_NTH = r"(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?"

# What a caller takes back is no wish: "Friday instead of Thursday", "not on Monday", "from Monday to Tuesday".
_TAKEN_BACK = re.compile(
    r"(?:instead\s+of|rather\s+than|not|can'?t\s+(?:do|make|manage)|cannot\s+(?:do|make|manage)|except)\s+"
    r"(?:on\s+|the\s+|next\s+|this\s+|at\s+)*$",
    re.IGNORECASE,
)
_FROM = re.compile(r"\bfrom\s+$", re.IGNORECASE)
_TO = re.compile(r"\s+to\b", re.IGNORECASE)


def _taken_back(text: str, place: Place) -> bool:
    before, after = text[: place[0]], text[place[1] :]
    return bool(_TAKEN_BACK.search(before) or (_FROM.search(before) and _TO.match(after)))


def _words(expression: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w:/.-])(?:{expression})(?!\w)", re.IGNORECASE)


_ISO = _words(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_SLASHED = _words(r"(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?")
_DAY_MONTH = _words(rf"{_NTH}\s+(?:of\s+)?({_MONTH})(?:\s+(\d{{4}}))?")
_MONTH_DAY = _words(rf"({_MONTH})\s+{_NTH}(?:\s+(\d{{4}}))?")
_NTH_ALONE = _words(r"(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)(?!\s+(?:one|option|slot|time))")
_NEAR = _words(r"(?:the\s+)?day\s+after\s+tomorrow|tomorrow|today|tonight|this\s+(?:morning|afternoon|evening)")
_FROM_NOW = _words(rf"in\s+(\d{{1,2}}|{_NUMBER})\s+(day|week)s?(?:'?\s+time)?")
_WEEKDAY = _words(rf"(?:(next|this|on|coming)\s+)?({_DAY}|(?<=on\s)(?:wed|sat|sun)|(?<=next\s)(?:wed|sat|sun))")


def dates(text: str, today: date) -> list[tuple[date, Place]]:
    """Find the days a text names, in order; days taken back are left out.

    A weekday is its next coming, never today; `next` before it means the week after this one. Days without a year, or
    without a month, are their next coming too. 3/4 is read only where it can mean one day.
    """
    found: list[tuple[date, Place]] = []
    for day, place in _all_dates(text, today):
        if any(place[0] < end and start < place[1] for _, (start, end) in found):
            continue  # part of a date that was read whole
        if not _taken_back(text, place):
            found.append((day, place))
    return sorted(found, key=lambda each: each[1])


def _all_dates(text: str, today: date) -> Iterator[tuple[date, Place]]:
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
        yield from _coming(_year(match[3]), _MONTH_NAMES[match[2].lower()], int(match[1]), today, match.span())
    for match in _MONTH_DAY.finditer(text):
        yield from _coming(_year(match[3]), _MONTH_NAMES[match[1].lower()], int(match[2]), today, match.span())
    for match in _NTH_ALONE.finditer(text):
        yield from _coming_nth(int(match[1]), today, match.span())
    for match in _NEAR.finditer(text):
        words = match[0].lower()
        ahead = 2 if "after" in words else 1 if words == "tomorrow" else 0
        yield today + timedelta(days=ahead), match.span()
    for match in _FROM_NOW.finditer(text):
        ahead = number_of(match[1]) * (7 if match[2].lower() == "week" else 1)
        yield today + timedelta(days=ahead), match.span()
    for match in _WEEKDAY.finditer(text):
        yield _weekday(match, today), match.span()


def _weekday(match: re.Match[str], today: date) -> date:
    name = match[2].lower()
    number = _DAY_NAMES.get(name, {"wed": 2, "sat": 5, "sun": 6}.get(name, 0))
    if (match[1] or "").lower() == "next":
        return today + timedelta(days=7 - today.weekday() + number)
    return today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)


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


# --- times ------------------------------------------------------------------------------------------------------------

_HOUR = rf"\d{{1,2}}|{'|'.join(_UNITS[1:13])}"
_HALF = r"(a\.?m\.?|p\.?m\.?|in the (?:morning|afternoon|evening)|at night)"
_UNIT = "|".join(_UNITS[1:10])
_MINUTES = rf"(?:{'|'.join(_TENS)})(?:[\s-](?:{_UNIT}))?|{'|'.join(_UNITS[10:20])}|oh?\s(?:{_UNIT})"
_CLOCK = _words(rf"(\d{{1,2}})[:.h](\d{{2}})(?:\s*{_HALF})?")
_HALF_HOUR = _words(rf"(\d{{1,2}})\s*{_HALF}")
_PAST = _words(
    rf"(half|(?:a\s+)?quarter|(?:{'|'.join(_TENS)})[\s-]five|five|ten|twenty|\d{{1,2}})"
    rf"(?:\s+minutes)?\s+(past|after|to|before)\s+({_HOUR})(?:\s*{_HALF})?"
)
_SPELLED = _words(rf"({'|'.join(_UNITS[1:13])})\s+({_MINUTES})(?:\s*{_HALF})?")
_OCLOCK = _words(rf"({_HOUR})\s+o'?\s?clock(?:\s*{_HALF})?")
# A bare number after "at" or "for" is an hour only where nothing is counted by it.
_THEN = (
    r"(?=\s*$|\s+(?:please|on|today|tomorrow|this|next|then|if|with|and|or|instead|thanks?|would|works?|is|sharp)\b)"
)
_AT_HOUR = _words(rf"(?:at|around|about|by|for)\s+({_HOUR})(?:\s+{_HALF})?{_THEN}")
_WORD_HALF = _words(rf"({'|'.join(_UNITS[1:13])})\s+{_HALF}")
_NOON = _words(r"noon|midday|midnight")


def times(text: str) -> list[tuple[str, Place]]:
    """Find the times a text names, as `HH:MM`, in order; times taken back are left out.

    Without more being said, one to seven are in the afternoon and eight to twelve before it or at noon.
    """
    found: list[tuple[str, Place]] = []
    for time, place in _all_times(text):
        if any(place[0] < end and start < place[1] for _, (start, end) in found):
            continue
        if not _taken_back(text, place):
            found.append((time, place))
    return sorted(found, key=lambda each: each[1])


def _all_times(text: str) -> Iterator[tuple[str, Place]]:
    for match in _CLOCK.finditer(text):
        yield from _time(int(match[1]), int(match[2]), match[3], match.span(), exact=match[1].startswith("0"))
    for match in _PAST.finditer(text):
        words = match[1].lower()
        minutes = 30 if words == "half" else 15 if "quarter" in words else number_of(words)
        hour = number_of(match[3])
        if match[2].lower() in ("to", "before"):
            hour, minutes = hour - 1 or 12, 60 - minutes
        yield from _time(hour, minutes, match[4], match.span())
    for match in _HALF_HOUR.finditer(text):
        yield from _time(int(match[1]), 0, match[2], match.span())
    for match in _SPELLED.finditer(text):
        yield from _time(number_of(match[1]), number_of(match[2]), match[3], match.span())
    for match in _WORD_HALF.finditer(text):
        yield from _time(number_of(match[1]), 0, match[2], match.span())
    for expression in (_OCLOCK, _AT_HOUR):
        for match in expression.finditer(text):
            yield from _time(number_of(match[1]), 0, match[2], match.span())
    for match in _NOON.finditer(text):
        yield "00:00" if match[0].lower() == "midnight" else "12:00", match.span()


def _time(
    hour: int, minute: int, half: str | None, place: Place, *, exact: bool = False
) -> Iterator[tuple[str, Place]]:
    if hour > 24 or minute > 59:
        return
    if half:
        words = half.lower().replace(".", "")
        before_noon = words in ("am", "in the morning")
        hour = hour % 12 + (0 if before_noon else 12) if hour <= 12 else hour
    elif not exact and 1 <= hour <= 7:
        hour += 12
    yield f"{hour % 24:02}:{minute:02}", place


def number_of(words: str) -> int:
    """Read digits, or a number in words below one hundred."""
    if words.isdigit():
        return int(words)
    return sum(NUMBER_WORDS[word] for word in re.split(r"[\s-]+", words.lower()) if word in NUMBER_WORDS)
