"""Replace a call's private values by stand-ins, wherever they are and however they are spelled there."""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from cuelight.log import MASK, Record, Spellings, leaves, spell, unmasked
from cuelight.testing.goldens.dates import MONTHS, Dates, Found
from cuelight.testing.goldens.inventing import Inventor, respelled, signs
from cuelight.wire import fits

__all__ = ["StandIns", "private_values", "seed_of"]

_WORD = re.compile(r"[^\W\d_]+")


def seed_of(records: Iterable[Record]) -> bytes:
    """Give what stand-ins follow from: the whole log, so that nobody who has not got it can undo them."""
    digest = hashlib.sha256()
    for record in records:
        digest.update(f"{record.entry.ts!r} {record.entry.type} ".encode())
        digest.update(bytes(record.entry.body))
        digest.update(record.private.data if record.private is not None else b"")
    return digest.digest()


def private_values(records: Iterable[Record]) -> list[str]:
    """List the values that a log knows as private, in the order in which they turn up; short ones too.

    Those of fewer than four characters are not looked for in the log's free text, so no record names them; they are
    what stands where the log has nothing but a mask.
    """
    found: dict[str, None] = {}
    for record in records:
        if record.private is not None and fits(record.entry):
            found.update(dict.fromkeys(record.private.values))
            found.update(dict.fromkeys(_masked(record.entry.data, unmasked(record).data)))
    return [value for value in found if signs(value)]


def _masked(shown: Any, full: Any) -> Iterator[str]:
    """Give what is wholly masked in a plain JSON value."""
    if shown == MASK:
        yield from leaves(full) if full != MASK else ()
    else:
        for one, other in _pairs(shown, full):
            yield from _masked(one, other)


def _pairs(shown: Any, full: Any) -> Iterable[tuple[Any, Any]]:
    """Give the items of a value as they are shown, and as they are."""
    if isinstance(shown, dict) and isinstance(full, dict):
        return zip(shown.values(), full.values(), strict=False)
    if isinstance(shown, list) and isinstance(full, list):
        return zip(shown, full, strict=False)
    return ()


class StandIns:
    """Know what stands in for each private value of a call.

    A value has the same stand-in wherever it is. What the author wrote stays: of the words of a value that the author
    uses too only those are replaced that stand together as in the value, and a choice that a tool's schema lists is no
    secret, but for a month.

    Args:
        values: the private values; none leaves everything as it is.
        seed: what the stand-ins follow from.
        year: the year of the call.
        words: the words that the author uses, in small letters.
        choices: what the schemas of the author's tools list.
    """

    def __init__(
        self,
        values: Sequence[str] = (),
        *,
        seed: bytes = b"",
        year: int = 2000,
        words: Collection[str] = (),
        choices: Collection[str] = (),
    ) -> None:
        secret = [value for value in values if value not in choices]
        avoid = {signs(word) for value in secret for word in _WORD.findall(value)}
        listed = [number for number, month in enumerate(MONTHS, 1) if month.capitalize() in choices]
        self._inventor = Inventor(seed, year, {*words, *avoid}, listed or range(1, 13))
        self._words = words
        self._invented: dict[str, str] = {}
        self._spelled: list[tuple[str, Spellings]] = []
        self._alone: dict[str, str] = {}
        """What stands for a word that is one by itself: short values and parts of names, as they are written."""
        self._dates = Dates(self._inventor)
        # Shorter numbers first: they may be the end of a longer one. In texts the longer ones come first.
        for value in sorted(secret, key=lambda value: (len(signs(value)), value)):
            self._learn(value)
        for value in values:
            if value in choices and value.lower() in MONTHS:
                self._invented[value] = self._dates.learn_month(value)
        self._spelled.reverse()
        self._alone = dict(sorted(self._alone.items(), key=lambda item: -len(item[0])))
        self._any = Spellings()
        for value, _ in self._spelled:
            self._any.add(spell(value))

    def __len__(self) -> int:
        return len(self._invented)

    def _learn(self, value: str) -> None:
        spellings = spell(value)
        if not spellings and not _is_distinct(value):
            return
        invented = self._inventor.invent(value)
        if invented == value:
            return
        self._invented[value] = invented
        if spellings and not self._is_authors(value):
            known = Spellings()
            known.add(spellings)
            self._spelled.append((value, known))
        else:
            self._alone[value] = invented
        self._dates.learn(value)
        self._learn_parts(value, invented)

    def _is_authors(self, value: str) -> bool:
        return _WORD.fullmatch(value) is not None and value.lower() in self._words

    def _learn_parts(self, value: str, invented: str) -> None:
        """Know the words of a name by themselves: "Ada" of "Ada O'Neill", "O'Neill" and "Neill"."""
        for parted in (str.split, _WORD.findall):
            words, others = parted(value), parted(invented)
            for word, other in zip(words, others, strict=True) if 1 < len(words) == len(others) else ():
                if word != other and self._is_name(word):
                    self._alone.setdefault(word, other)
                    self._alone.setdefault(word.upper(), other.upper())

    def _is_name(self, word: str) -> bool:
        letters = signs(word)
        theirs = any(part.lower() in self._words for part in _WORD.findall(word))
        return len(letters) > 2 and letters.isalpha() and word[0].isupper() and not theirs

    # --- replacing ----------------------------------------------------------------------------------------------------

    def text(self, text: str) -> str:
        """Give a text with stand-ins."""
        taken: list[Found] = []
        for found in self._find(text):
            if all(found.stop <= one.start or one.stop <= found.start for one in taken):
                taken.append(found)
        parts: list[str] = []
        end = 0
        for start, stop, written in sorted(taken):
            parts += (text[end:start], written)
            end = stop
        return "".join((*parts, text[end:]))

    def _find(self, text: str) -> Iterator[Found]:
        """Find everything private in a text; what comes first counts, where two overlap."""
        yield from self._dates.find(text)
        if self._spelled and self._any.find(text):
            for value, spellings in self._spelled:
                for start, stop in spellings.find(text):
                    yield Found(start, stop, respelled(text[start:stop], value, self._invented[value]))
        for word, invented in self._alone.items():
            for match in re.finditer(rf"(?<!\w)(?<!\d[.,]){re.escape(word)}(?!\w)", text):
                yield Found(*match.span(), invented)

    def value(self, full: Any, shown: Any = None) -> Any:
        """Give a plain JSON value with stand-ins.

        Args:
            full: the value.
            shown: the same as the log shows it: what is nothing but a mask there is private as a whole.
        """
        if shown == MASK:
            return self._whole(full)
        if isinstance(full, str):
            return self.text(full)
        if isinstance(full, dict):
            inner = shown.values() if isinstance(shown, dict) and len(shown) == len(full) else [None] * len(full)
            pairs = zip(full.items(), inner, strict=True)
            return {self._key(key): self.value(item, one) for (key, item), one in pairs}
        if isinstance(full, list):
            items = shown if isinstance(shown, list) and len(shown) == len(full) else [None] * len(full)
            return [self.value(item, one) for item, one in zip(full, items, strict=True)]
        return self._number(full, self.text)

    def _whole(self, full: Any) -> Any:
        """Replace each part of a value that is private as a whole."""
        if isinstance(full, str):
            return self._leaf(full)
        if isinstance(full, dict):
            return {self._key(key): self._whole(item) for key, item in full.items()}
        if isinstance(full, list):
            return [self._whole(item) for item in full]
        return self._number(full, self._leaf)

    def _leaf(self, text: str) -> str:
        return self._invented[text] if text in self._invented else self.text(text)

    def _key(self, key: str) -> str:
        return key if key.isidentifier() else self._leaf(key)

    @staticmethod
    def _number(value: Any, replace: Callable[[str], str]) -> Any:
        """Replace a number, unless its stand-in is none any more."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        number = int(value) if isinstance(value, float) and value.is_integer() else value
        written = replace(str(abs(number)))
        try:
            invented = type(value)(written)
        except ValueError:
            return value
        return -invented if value < 0 else invented


def _is_distinct(value: str) -> bool:
    """Tell whether a short value is known by itself: a name, a code, three digits; "no" and 12 stand anywhere."""
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return (letters and (digits or value != value.lower())) or (digits and len(signs(value)) > 2)
