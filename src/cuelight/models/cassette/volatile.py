"""What of a text changes by itself from one run to the next: ids, and the readings of clocks.

An id says which thing is meant, so each becomes a mark with a number, the same wherever the id comes again; in a replay
the marks in a recorded reply become the ids of today. A reading of a clock says nothing, so all become one mark.

A moment that people make appointments for is no reading of a clock: it is at a whole minute, and means something.
"""

import re
from collections.abc import Iterable

from cuelight.agent import ANSWER_TOOL
from cuelight.models.cassette.short_ids import ShortIds
from cuelight.wire import whole_text

__all__ = ["Volatile", "agree"]

_TIME = "⟨time⟩"
_MARK = re.compile(r"⟨(?:id|call) \d+⟩")

_ISO = r"(?<!\d)\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?(?![\d:])"
_UNIX = r"(?<![\w.+-])[1-3]\d{9}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?(?![\w.]*\w)"  # 2001 to 2096, in s, ms, us or ns
_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
# Letters and digits both: digits alone are a number somebody may have said, letters alone a word.
_HEX = r"(?=\d*[a-fA-F])(?=[a-fA-F]*\d)[0-9a-fA-F]{16,}"

_IDS = re.compile(rf"(?<![0-9A-Za-z])(?:{_UUID}|{_HEX})(?![0-9A-Za-z])")
_MOMENTS = re.compile(rf"(?P<iso>{_ISO})|(?P<unix>{_UNIX})", re.ASCII)
_SPLIT = re.compile(rf"({_TIME}|{_ISO}|{_UNIX})", re.ASCII)

_KEY = re.compile(r"""([A-Za-z_][\w-]*)\\*["']?\s*[:=]\s*\\*["']?$""")
_WORDS_OF_KEY = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
# Words in the key before a moment. With one of these it is a clock's reading, whatever it reads.
_CLOCKS = {
    "created", "updated", "modified", "recorded", "logged", "issued", "generated", "fetched", "timestamp", "ts", "now",
    "iat", "exp", "nbf", "expires", "expiry",
}  # fmt: skip
# Without one of these a whole number is no moment: it may be somebody's phone.
_TIMES = {*_CLOCKS, "at", "time", "date", "datetime", "epoch", "unix", "since", "until"}

_SHORTEST = 6  # a call's id that is shorter may be any word; see ShortIds


class Volatile:
    """Replace what is volatile by marks, and marks in replies by what they stand for; for one run of a conversation."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._counts = {"id": 0, "call": 0}
        self._call_ids: list[str] = []
        self._calls: re.Pattern[str] | None = None
        self._short = ShortIds(_SHORTEST, lambda call_id: self._mark("call", call_id))

    def ask(self, pending: Iterable[tuple[str, str]]) -> None:
        """Know the calls that wait for the caller's yes, each by its id and its tool."""
        self._short.learn(pending)

    def text(self, text: str) -> str:
        """Give a text of a request with marks for what is volatile in it."""
        text = whole_text(text)
        if self._calls is not None:
            text = self._calls.sub(lambda found: self._marks[found[0]], text)
        text = _IDS.sub(lambda found: self._mark("id", found[0]), text)
        return _MOMENTS.sub(_moment, text)

    def result(self, text: str) -> str:
        """Give the text of a result, in which code may speak of a call that waits."""
        return self.text(self._short.told(whole_text(text)))

    def view(self, text: str, first: str | None) -> str:
        """Give a view, beside which code speaks of calls that wait.

        Args:
            text: the view.
            first: the id of the call that the caller is asked about; None where there is none.
        """
        return self.text(self._short.view(whole_text(text), first))

    def arguments(self, tool: str, text: str) -> str:
        """Give the arguments of a call that the history holds."""
        return self.text(self._short.answer(whole_text(text)) if tool == ANSWER_TOOL else text)

    def call(self, id: str) -> str:  # noqa: A002 - the wire's own word
        """Give the mark of a tool call's id, which counts as one in every later text too."""
        if id not in self._marks and len(id) >= _SHORTEST:
            self._call_ids.append(id)
            longest_first = "|".join(re.escape(one) for one in sorted(self._call_ids, key=len, reverse=True))
            self._calls = re.compile(rf"(?<![0-9A-Za-z])(?:{longest_first})(?![0-9A-Za-z])")
        return self._mark("call", id)

    def reply(self, text: str) -> str:
        """Give a text of a reply with marks for the ids that the model has read in its requests."""
        text = whole_text(text)
        if self._calls is not None:
            text = self._calls.sub(lambda found: self._marks[found[0]], text)
        return _IDS.sub(lambda found: self._marks.get(found[0], found[0]), text)

    def reply_arguments(self, tool: str, text: str) -> str:
        """Give the arguments of a call in a reply, as `reply` gives its words."""
        return self.reply(self._short.answer(whole_text(text)) if tool == ANSWER_TOOL else text)

    def filled(self, text: str) -> str:
        """Give a recorded text of a reply with the ids of this run in the places of their marks."""
        return _MARK.sub(lambda found: self._values.get(found[0], found[0]), text)

    def _mark(self, kind: str, value: str) -> str:
        mark = self._marks.get(value)
        if mark is None:
            self._counts[kind] += 1
            mark = f"⟨{kind} {self._counts[kind]}⟩"
            self._marks[value], self._values[mark] = mark, value
        return mark


def agree(expected: str, actual: str) -> bool:
    """Tell whether two texts with marks say the same.

    A clock may be read at a whole minute by chance: the mark of a time agrees with any moment in its place.
    """
    if expected == actual:
        return True
    if _TIME not in expected and _TIME not in actual:
        return False
    ours, theirs = _SPLIT.split(expected), _SPLIT.split(actual)
    return len(ours) == len(theirs) and all(
        one == other or (at % 2 == 1 and _TIME in (one, other))
        for at, (one, other) in enumerate(zip(ours, theirs, strict=True))
    )


def _moment(found: re.Match[str]) -> str:
    key = _KEY.search(found.string[max(0, found.start() - 64) : found.start()])
    words = {word.lower() for word in _WORDS_OF_KEY.findall(key[1])} if key else set()
    value = found[0]
    if found["unix"] is not None and not words & _TIMES and len(value.partition(".")[2]) < 3:
        return value
    return _TIME if words & _CLOCKS or not _at_whole_minute(found) else value


def _at_whole_minute(found: re.Match[str]) -> bool:
    if found["iso"] is not None:
        seconds = re.match(r".{16}:(\d\d(?:[.,]\d+)?)", found["iso"])
        return seconds is None or not seconds[1].strip("0.,")
    whole, _, fraction = found["unix"].partition(".")
    return int(whole) % (60 * 10 ** (len(whole) - 10)) == 0 and not fraction.strip("0")
