"""A private value in a text, however people write it: both are read as letters and digits, and compared as such."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["SHORTEST", "Spellings", "spell"]

SHORTEST = 4
_PHONE = 7
"""From so many digits on, a number is found inside longer ones, and in words; shorter ones stand by themselves."""

_WORDS = ("zero|oh|o", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_DIGIT_OF = {word: str(digit) for digit, words in enumerate(_WORDS) for word in words.split("|")}
_NUMBER_WORD = rf"(?<![^\W\d_])(?:{'|'.join(_DIGIT_OF)})(?![^\W\d_])"
_HAS_NUMBER_WORD = re.compile(_NUMBER_WORD, re.IGNORECASE)
_SAID = re.compile(rf"(?:(?<![^\W\d_])(double|triple)\s+)?(?:(\d)|({_NUMBER_WORD}))|[^\W\d_]+", re.IGNORECASE)
_RUN = re.compile(r"[^\W_]+")
_DECIMAL = re.compile(r"-?(\d+)\.(\d+)", re.ASCII)
_OTHER = "\0"
"""Stands for a word among the digits of what was said: no number goes on across it."""


@dataclass(slots=True)
class _Signs:
    """The letters and digits of a text, where each stands in it, and the signs that something else stands before."""

    text: str
    starts: list[int]
    ends: list[int]
    breaks: list[int]


@dataclass(frozen=True, slots=True)
class Spelling:
    """How one value may stand in a text.

    `key` is its letters and digits, `breaks` where words of it end; `whole` is set for a number with decimals: how many
    of its digits stand before the mark. A `literal` is one with too few letters and digits to know it by.
    """

    key: str
    breaks: frozenset[int] = frozenset()
    before: str = ""
    after: str = ""
    whole: int | None = None
    literal: bool = False

    def span(self, text: str, signs: _Signs, at: int) -> tuple[int, int] | None:
        """Give where the value stands whose key was found, or None where other words happen to read the same."""
        end = at + len(self.key)
        start, stop = signs.starts[at], signs.ends[end - 1]
        if self.whole is not None:
            return self._amount(text, start, stop, signs.ends[at + self.whole - 1])
        if not any(map(str.isdigit, self.key)):
            inner = signs.breaks[bisect_right(signs.breaks, at) : bisect_left(signs.breaks, end)]
            if any(place - at not in self.breaks for place in inner):
                return None
        elif len(self.key) < _PHONE and _touches_digit(text, start, stop, self.key):
            return None
        elif self.key.isdigit():  # of a longer number that it stands in, no digit stays
            start, stop = _whole_number(text, start, stop)
        if self.before and text.endswith(self.before, 0, start):
            start -= len(self.before)
        elif text.endswith("+", 0, start) and self.key[0].isdigit():
            start -= 1
        if self.after and text.startswith(self.after, stop):
            stop += len(self.after)
        return start, stop

    def _amount(self, text: str, start: int, stop: int, mark: int) -> tuple[int, int] | None:
        """Take a number with marks between its thousands, and with any zeros at its end."""
        whole, rest = text[start:mark], text[mark:stop]
        zeros = re.compile(r"0*" if rest else r"(?:[.,]0+(?!\d))?").match(text, stop)
        stop = zeros.end() if zeros else stop
        if not re.fullmatch(r"\d(?:[.,' ]?\d)*", whole) or (rest and not re.fullmatch(r"[.,]\d+", rest)):
            return None
        return None if _touches_digit(text, start, stop, "00") else (start, stop)


_NONE: Mapping[str, Spelling] = {}


class Spellings:
    """Find any number of values in a text, which is read once: how many there are hardly matters.

    They are kept by their first four signs, as none has fewer.
    """

    def __init__(self) -> None:
        self._by_start: dict[str, dict[str, Spelling]] = {}
        self._literals: set[str] = set()

    def add(self, spellings: Iterable[Spelling]) -> None:
        """Look for these too."""
        for spelling in spellings:
            if spelling.literal:
                self._literals.add(spelling.key)
            else:
                same = self._by_start.setdefault(spelling.key[:SHORTEST], {})
                same.setdefault(f"{spelling.key} {spelling.whole}", spelling)

    def find(self, text: str) -> list[tuple[int, int]]:
        """List where values stand in a text, in order; those that overlap are one."""
        found = self._find(text, _read_ascii(text) if text.isascii() else _read(text))
        if _HAS_NUMBER_WORD.search(text):
            found += self._find(text, _read_said(text), least=_PHONE)
        for literal in self._literals:
            found += (match.span() for match in re.finditer(re.escape(literal), text, re.IGNORECASE))
        spans: list[tuple[int, int]] = []
        for start, stop in sorted(found):
            if spans and start < spans[-1][1]:
                spans[-1] = spans[-1][0], max(stop, spans[-1][1])
            else:
                spans.append((start, stop))
        return spans

    def _find(self, text: str, signs: _Signs, least: int = 0) -> list[tuple[int, int]]:
        spans = []
        for at in range(len(signs.text) - SHORTEST + 1):
            for spelling in self._by_start.get(signs.text[at : at + SHORTEST], _NONE).values():
                if len(spelling.key) >= least and signs.text.startswith(spelling.key, at):
                    span = spelling.span(text, signs, at)
                    if span is not None:
                        spans.append(span)
        return spans


def spell(value: str) -> list[Spelling]:
    """Give how a value may be spelled: nothing where it is too short to be told from other words."""
    stripped = value.strip()
    decimal = _DECIMAL.fullmatch(stripped)
    if decimal:
        whole, rest = decimal[1], decimal[2].rstrip("0")
        return [Spelling(whole + rest, whole=len(whole))] if len(whole + rest) >= SHORTEST else []
    if len(stripped) < SHORTEST:
        return []
    signs = _read_ascii(stripped) if stripped.isascii() else _read(stripped)
    if len(signs.text) < SHORTEST:
        return [Spelling(stripped, literal=True)]
    edges = stripped[: signs.starts[0]], stripped[signs.ends[-1] :]
    spelling = Spelling(signs.text, frozenset(signs.breaks), *edges)
    if not (stripped.startswith("+") and signs.text.isdigit()):
        return [spelling]
    # The country's code has one to three digits, and is left out by whoever lives there.
    return [spelling, *(Spelling(signs.text[code:]) for code in (1, 2, 3) if len(signs.text) - code >= 9)]


def _whole_number(text: str, start: int, stop: int) -> tuple[int, int]:
    while start > 0 and text[start - 1].isdigit():
        start -= 1
    while stop < len(text) and text[stop].isdigit():
        stop += 1
    return start, stop


def _touches_digit(text: str, start: int, stop: int, key: str) -> bool:
    before = key[0].isdigit() and text[start - 1 : start].isdigit()
    return before or (key[-1].isdigit() and text[stop : stop + 1].isdigit())


def _read_ascii(text: str) -> _Signs:
    runs: list[str] = []
    starts: list[int] = []
    breaks: list[int] = []
    for found in _RUN.finditer(text):
        if starts:
            breaks.append(len(starts))
        starts.extend(range(*found.span()))
        runs.append(found[0])
    return _Signs("".join(runs).lower(), starts, [start + 1 for start in starts], breaks)


def _read(text: str) -> _Signs:
    """Read any text: without accents, as they may be written apart or left out, and with every digit as 0 to 9."""
    signs: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    breaks: list[int] = []
    for place, written in enumerate(text):
        for sign in unicodedata.normalize("NFKD", written).casefold():
            if sign.isalnum():
                digit = unicodedata.digit(sign, None)
                signs.append(sign if digit is None else str(digit))
                starts.append(place)
                ends.append(place + 1)
            elif unicodedata.combining(sign):
                if ends and ends[-1] == place:
                    ends[-1] = place + 1
            elif unicodedata.category(sign) == "Cf":
                continue  # it joins or parts letters, unseen
            elif signs and (not breaks or breaks[-1] != len(signs)):
                breaks.append(len(signs))
    return _Signs("".join(signs), starts, ends, breaks)


def _read_said(text: str) -> _Signs:
    """Read the digits of a text, said ones too: "six", "double oh"."""
    signs: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for found in _SAID.finditer(text):
        times = {"double": 2, "triple": 3}.get((found[1] or "").lower(), 1)
        sign = str(unicodedata.digit(found[2])) if found[2] else _DIGIT_OF.get((found[3] or "").lower(), _OTHER)
        signs.extend([sign] * times)
        starts.extend([found.start()] * times)
        ends.extend([found.end()] * times)
    return _Signs("".join(signs), starts, ends, [])
