"""What numbers, days and hours in plain English have in common."""

import re

__all__ = ["NUMBER", "NUMBER_WORDS", "TENS", "THEN", "UNITS", "Place", "number_of", "taken_back", "whole"]

Place = tuple[int, int]
"""Where in a text something stands."""

_UNIT_WORDS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
UNITS = _UNIT_WORDS.split()
TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
NUMBER_WORDS = {word: number for number, word in enumerate(UNITS)} | TENS | {"an": 1, "a": 1, "couple": 2}
NUMBER = (
    rf"(?:{'|'.join(TENS)})[\s-](?:{'|'.join(UNITS[1:10])})|{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))}"
)
# What may follow a number that counts nothing: an hour, a day of the month.
THEN = r"(?=\s*$|\s+(?:please|on|today|tomorrow|this|next|then|if|with|and|or|instead|thanks?|would|works?|is|sharp)\b)"

# What a caller takes back is no wish: "Friday instead of Thursday", "not on Monday", "Tuesday doesn't work".
_TAKEN_BACK = re.compile(
    r"\b(?:instead\s+of|rather\s+than|not|(?:can'?t|cannot|couldn'?t)(?:\s+(?:do|make|manage))?|except|but\s+not|"
    r"any(?:\s*thing|\s+day|\s+time)\s+but)\s+(?:(?:on|in|at|the|next|this)\s+)*$",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\s+(?:(?:does|do|did|wo|would|will|is|are)\s?n[o']?t\s+(?:really\s+|quite\s+)?"
    r"(?:work|suit|do|good|possible|great|ideal|convenient)|(?:is|are|'s)\s+(?:no\s+good|bad|out|impossible))\b|"
    r"'s\s+(?:no\s+good|bad|out|impossible|not\s+(?:good|possible|great|ideal))\b",
    re.IGNORECASE,
)
_FROM = re.compile(r"\bfrom\s+$", re.IGNORECASE)
_TO = re.compile(r"\s+to\b", re.IGNORECASE)


def taken_back(text: str, place: Place) -> bool:
    """Whether the caller refuses what stands at a place, or leaves it for something else."""
    before, after = text[: place[0]], text[place[1] :]
    return bool(_TAKEN_BACK.search(before) or _REFUSED.match(after) or (_FROM.search(before) and _TO.match(after)))


def whole(expression: str) -> re.Pattern[str]:
    """Compile an expression that finds whole words only, and no part of a number, a time or an address."""
    return re.compile(rf"(?<![\w:/.-])(?:{expression})(?!\w)", re.IGNORECASE)


def number_of(words: str) -> int:
    """Read digits, or a number in words below one hundred."""
    if words.isdigit():
        return int(words)
    return sum(NUMBER_WORDS[word] for word in re.split(r"[\s-]+", words.lower()) if word in NUMBER_WORDS)
