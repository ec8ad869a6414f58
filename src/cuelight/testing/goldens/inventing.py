"""Invent what stands in for a private value: as many letters and digits, in the same order of kinds, and a likely word.

Letters and digits are compared without capitals, accents and punctuation, as `cuelight.log` finds private values. So a
stand-in fits into any spelling of its value, sign by sign.
"""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable
from datetime import date

__all__ = ["Inventor", "respelled", "signs"]

_RUN = re.compile(r"[^\W_]+")
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)", re.ASCII)
_MAIL = re.compile(r"([^@\s]+)@[^@\s]+\.[^@\s]+")
_SAID = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

_NAMES = (
    "ed", "jo", "bo", "al", "ty", "mo", "vi", "lu", "ana", "eva", "mia", "leo", "max", "ida", "ben", "tim", "lea",
    "kim", "eli", "ray", "zoe", "nora", "hugo", "lena", "emil", "otto", "vera", "karl", "rosa", "jana", "milo",
    "alma", "theo", "nina", "omar", "anton", "clara", "emily", "felix", "greta", "hanna", "jonas", "laura", "marta",
    "oscar", "peter", "simon", "tomas", "sofia", "albert", "astrid", "bianca", "daniel", "esther", "gustav", "ingrid",
    "martin", "monica", "oliver", "robert", "sandra", "stefan", "valeria", "antonia", "barbara", "clemens", "dominik",
    "gabriel", "isabela", "juliana", "matthew", "patrick", "rebecca", "theresa", "vincent", "winston", "caroline",
    "frederik", "jonathan", "leonardo", "marianne", "nicholas", "rosalind", "sullivan", "thornton", "victoria",
    "alexander", "benedicta", "catherine", "dominique", "frederica", "konstanze", "sebastian", "valentine",
    "anneliese", "bernadette", "clementine", "maximilian",
)  # fmt: skip
# Words that are part of many names and addresses: they tell of nobody, and a street stays one by them.
_PLAIN = frozenset((
    "mr", "mrs", "ms", "dr", "van", "von", "der", "den", "de", "la", "le", "of", "the", "and", "street", "st", "road",
    "rd", "lane", "avenue", "ave", "square", "way", "drive", "court", "close", "place", "hill", "apartment", "flat",
    "house", "city", "town",
))  # fmt: skip
_LETTERS = "bcdfghklmnprstvw", "aeiou"
_LONGER, _SHORTER = (1, 3, 5, 7, 8, 10, 12), (4, 6, 9, 11)
_LONG = 7
"""From so many digits on, a number may stand at the end of a longer one: a phone number without its country's."""


def signs(text: str) -> str:
    """Give the letters and digits of a text as they are compared."""
    return "".join(sign for written in text for sign in _of(written))


def _of(written: str) -> str:
    signs_ = (sign for sign in unicodedata.normalize("NFKD", written).casefold() if sign.isalnum())
    return "".join(sign if (digit := unicodedata.digit(sign, None)) is None else str(digit) for sign in signs_)


def respelled(spelled: str, value: str, invented: str) -> str:
    """Write a stand-in as its value was spelled: with the same capitals, spaces and punctuation.

    Args:
        spelled: how the value stands in some text, or what of it does.
        value: the value.
        invented: what stands in for it.
    """
    ours, theirs, found = signs(value), signs(invented), signs(spelled)
    if ours.isdigit() and not found.isdigit():
        return " ".join(_SAID[int(digit)] for digit in theirs)
    at = ours.rfind(found) if len(found) <= len(ours) else 0 if found.startswith(ours) else -1
    if len(ours) != len(theirs) or at < 0:
        capital = spelled[:1].isupper() and invented.islower()
        return invented.upper() if spelled.isupper() else invented.capitalize() if capital else invented
    written = []
    for each in spelled:
        taken = theirs[at : at + len(_of(each))]
        at += len(_of(each))
        # What follows is the zeros at the end of an amount; what is no sign, an accent apart, is punctuation.
        written.append((taken.upper() if each.isupper() else taken) or ("" if unicodedata.combining(each) else each))
    return "".join(written)


class Inventor:
    """Invent stand-ins, the same ones for the same seed; without the seed nobody finds out what they stand in for.

    Args:
        seed: what the choices follow from.
        year: dates before it become earlier ones, the others later ones.
        avoid: words that no stand-in may be.
        months: those that there are to choose from.
    """

    def __init__(
        self, seed: bytes, year: int, avoid: Iterable[str] = (), months: Collection[int] = range(1, 13)
    ) -> None:
        self._seed = seed
        self._year = year
        self._taken = set(avoid)
        self._months = months
        self._words: dict[str, str] = {}
        self._numbers: dict[str, str] = {}
        self._years = 1 + self._draw("years", 9)

    def invent(self, value: str) -> str:
        """Give the stand-in of a value."""
        if (day := _DAY.match(value)) is not None and (moved := self._day(*map(int, day.groups()))) is not None:
            return moved + value[day.end() :]
        if (mail := _MAIL.fullmatch(value)) is not None:
            return f"{self._runs(mail[1])}@example.com"
        whole = signs(value)
        if whole.isdigit():
            return respelled(value, value, self._number(whole, kept=3 if value.startswith("+") else 1))
        return self._runs(value)

    def month(self, month: int) -> int:
        """Give the stand-in of a month, 1 to 12: one with no fewer days, so that every day of it exists."""
        no_shorter = range(3, 13) if month == 2 else _SHORTER if month in _SHORTER else _LONGER
        others = [one for one in no_shorter if one != month and one in self._months] or [month]
        return others[self._draw(f"month {month}", len(others))]

    def year(self, year: int) -> int:
        """Give the stand-in of a year."""
        return year - self._years if year < self._year else year + self._years

    # --- how it is done -----------------------------------------------------------------------------------------------

    def _day(self, year: int, month: int, day: int) -> str | None:
        try:
            date(year, month, day)
            return date(self.year(year), self.month(month), day).isoformat()
        except ValueError:  # nobody's date
            return None

    def _runs(self, value: str) -> str:
        """Replace each word and number of a value; those that tell of nobody stay beside others."""
        runs = set(map(signs, _RUN.findall(value)))
        kept = _PLAIN if runs - _PLAIN else frozenset()

        def put(found: re.Match[str]) -> str:
            run = signs(found[0])
            return found[0] if run in kept else respelled(found[0], found[0], self._run(run))

        return _RUN.sub(put, value)

    def _run(self, run: str) -> str:
        if run.isdigit():
            return self._number(run)
        return self._code(run) if any(map(str.isdigit, run)) else self._word(run)

    def _word(self, word: str) -> str:
        """Give the stand-in of a word, in small letters; each word has one."""
        if word not in self._words:
            self._words[word] = invented = self._name(word)
            self._taken.add(invented)
        return self._words[word]

    def _code(self, run: str) -> str:
        """Change a code behind its first digit: what kind of code it is, and of where, is told by how it begins."""
        kept = next(at for at, sign in enumerate(run) if sign.isdigit()) + 1
        return run[:kept] + self._other(run[kept:], run) if run[kept:] else run[: kept - 1] + self._other(run[-1], run)

    def _number(self, digits: str, kept: int = 1) -> str:
        if digits not in self._numbers:
            if len(digits) == 4 and 1900 <= int(digits) < 2100:
                return str(self.year(int(digits)))
            ends = [one for one in self._numbers if len(one) >= _LONG and digits.endswith(one)]
            end = max(ends, key=len, default="")
            if end:
                invented = digits[: -len(end)] + self._numbers[end]
            else:
                invented = digits[:kept] + self._other(digits[kept:], digits) if len(digits) > 1 else digits
            self._numbers[digits] = invented
        return self._numbers[digits]

    def _other(self, text: str, whole: str) -> str:
        """Give another text of as many digits and letters in the same places."""
        changed = []
        for at, sign in enumerate(text):
            kind = "0123456789" if sign.isdigit() else next((few for few in _LETTERS if sign in few), "".join(_LETTERS))
            others = kind.replace(sign, "") if at == len(text) - 1 else kind
            changed.append(others[self._draw(f"{whole} {at}", len(others))])
        return "".join(changed)

    def _name(self, word: str) -> str:
        likely = [name for name in _NAMES if len(name) == len(word) and name != word and name not in self._taken]
        if likely:
            return likely[self._draw(word, len(likely))]
        number = 0
        while True:
            number += 1
            made = "".join(self._letter(f"{word} {number} {at}", _LETTERS[at % 2]) for at in range(len(word)))
            if (made not in self._taken and made != word) or number > 99:
                return made

    def _letter(self, what: str, among: str) -> str:
        return among[self._draw(what, len(among))]

    def _draw(self, what: str, among: int) -> int:
        return int.from_bytes(hashlib.sha256(self._seed + what.encode("utf-8", "surrogatepass")).digest()[:8]) % among
