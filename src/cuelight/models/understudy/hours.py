"""Times of the day in plain English."""

from collections.abc import Iterator
from itertools import chain

from cuelight.models.understudy.wording import TENS, THEN, UNITS, Place, number_of, taken_back, whole

__all__ = ["times"]

_HOUR = rf"\d{{1,2}}|{'|'.join(UNITS[1:13])}"
_HALF = r"(a\.?m\.?|p\.?m\.?|in the (?:morning|afternoon|evening)|at night)"
_UNIT = "|".join(UNITS[1:10])
_MINUTES = rf"(?:{'|'.join(TENS)})(?:[\s-](?:{_UNIT}))?|{'|'.join(UNITS[10:20])}|oh?\s(?:{_UNIT})"
_CLOCK = whole(rf"(\d{{1,2}})[:.h](\d{{2}})(?:\s*{_HALF})?")
_HALF_HOUR = whole(rf"(\d{{1,2}})\s*{_HALF}")
_HALF_PAST = whole(rf"half\s+({_HOUR})(?:\s*{_HALF})?")
_PAST = whole(
    rf"(half|(?:a\s+)?quarter|(?:{'|'.join(TENS)})[\s-]five|five|ten|twenty|\d{{1,2}})"
    rf"(?:\s+minutes)?\s+(past|after|to|before)\s+({_HOUR})(?:\s*{_HALF})?"
)
_SPELLED = whole(rf"({'|'.join(UNITS[1:20])})\s+({_MINUTES})(?:\s*{_HALF})?")
_OCLOCK = whole(rf"({_HOUR})\s+o'?\s?clock(?:\s*{_HALF})?")
_HOURS = whole(r"(?<!in\s)(\d{1,2})\s?h")
_AT_HOUR = whole(rf"(?:at|around|about|by|for)\s+({_HOUR})(?:\s+{_HALF})?{THEN}")
# "The later one in the afternoon" is no hour.
_WORD_HALF = whole(rf"(?<!st\s)(?<!nd\s)(?<!rd\s)(?<!er\s)(?<!est\s)({'|'.join(UNITS[1:13])})\s+{_HALF}")
# Where a time was asked for, an hour may stand alone, and the minutes beside it.
_ALONE = whole(
    rf"(?<!number\s)(?<!option\s)(\d{{1,2}}|{'|'.join(UNITS[2:13])}|(?<!\w\s)one)(?:[\s-]+([0-5]\d))?(?:\s+{_HALF})?{THEN}"
)
_NOON = whole(r"noon|midday|midnight")


def times(text: str, *, asked: bool = False) -> list[tuple[str, Place]]:
    """Find the times a text names, as `HH:MM`, in order; times taken back are left out.

    Without more being said, one to seven are in the afternoon and eight to twelve before it or at noon. Where a time
    was asked for, an hour alone is one too.
    """
    found: list[tuple[str, Place]] = []
    for time, place in chain(_all_times(text), _times_alone(text) if asked else ()):
        if any(place[0] < end and start < place[1] for _, (start, end) in found):
            continue
        if not taken_back(text, place):
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
    for match in _HALF_PAST.finditer(text):
        yield from _time(number_of(match[1]), 30, match[2], match.span())
    for match in _HALF_HOUR.finditer(text):
        yield from _time(int(match[1]), 0, match[2], match.span())
    for match in _SPELLED.finditer(text):
        yield from _time(number_of(match[1]), number_of(match[2]), match[3], match.span())
    for match in _WORD_HALF.finditer(text):
        yield from _time(number_of(match[1]), 0, match[2], match.span())
    for expression in (_OCLOCK, _AT_HOUR):
        for match in expression.finditer(text):
            yield from _time(number_of(match[1]), 0, match[2], match.span())
    for match in _HOURS.finditer(text):
        yield from _time(int(match[1]), 0, None, match.span())
    for match in _NOON.finditer(text):
        yield "00:00" if match[0].lower() == "midnight" else "12:00", match.span()


def _times_alone(text: str) -> Iterator[tuple[str, Place]]:
    for match in _ALONE.finditer(text):
        yield from _time(number_of(match[1]), int(match[2] or 0), match[3], match.span())


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
