"""Calls' ids that are too short to be told from words: known where code, or an answer to a question, speaks of a call.

A guarded call is spoken of by its id while it waits for the caller's yes: beside the view, in results, and in the
arguments by which a model says what the caller answered. Some servers give ids such as `c2`, which anybody may say.
"""

import re
from collections.abc import Callable, Iterable

import msgspec

__all__ = ["ShortIds"]

_CALL_ID = re.compile(r"""(?P<key>"call_id"\s*:\s*)(?P<id>"(?:[^"\\]|\\.)*")""")


class ShortIds:
    """Put marks in the places of short ids.

    Args:
        shortest: how long an id is that is none of these.
        mark: gives the mark of a call's id.
    """

    def __init__(self, shortest: int, mark: Callable[[str], str]) -> None:
        self._shortest = shortest
        self._mark = mark
        self._asked: dict[str, str] = {}
        self._places: re.Pattern[str] | None = None

    def learn(self, pending: Iterable[tuple[str, str]]) -> None:
        """Know the calls that wait for the caller's yes, each by its id and its tool."""
        new = {call_id: tool for call_id, tool in pending if len(call_id) < self._shortest}
        if new.items() <= self._asked.items():
            return
        self._asked |= new
        places = [place for call_id, tool in self._asked.items() for place in _places(re.escape(call_id), tool)]
        self._places = re.compile("|".join(places))

    def told(self, text: str) -> str:
        """Mark the ids in a text in which code may speak of calls."""
        if self._places is None:
            return text
        return self._places.sub(lambda found: self._mark(found[0]), text)

    def view(self, text: str, first: str | None) -> str:
        """Mark the ids in a view.

        Args:
            text: the view.
            first: the call that the caller is asked about. Where the author has other words for that than Cuelight, its
                id is what stands first in the last line that holds it.
        """
        marked = self.told(text)
        if first not in self._asked or self._mark(first) in marked:
            return marked
        lines = marked.split("\n")
        for at in reversed(range(len(lines))):
            line = re.sub(_alone(re.escape(first)), self._mark(first), lines[at], count=1)
            if line != lines[at]:
                return "\n".join([*lines[:at], line, *lines[at + 1 :]])
        return marked

    def answer(self, arguments: str) -> str:
        """Mark the id in the arguments of an answer, which are the text that the model wrote."""

        def marked(found: re.Match[str]) -> str:
            try:
                call_id = msgspec.json.decode(found["id"], type=str)
            except (msgspec.DecodeError, UnicodeDecodeError):  # the engine cannot read it either
                return found[0]
            return f'{found["key"]}"{self._mark(call_id)}"' if call_id in self._asked else found[0]

        return _CALL_ID.sub(marked, arguments) if self._asked else arguments


def _places(call_id: str, tool: str) -> Iterable[str]:
    """Give the places in which Cuelight's own words have an id: beside the view, and in results."""
    name = re.escape(tool)
    yield rf"(?<=\b[Cc]all ){call_id}(?= of {name}\b)"
    yield rf"(?<=\bas call ){call_id}(?=\.)"
    yield rf"(?<=\b{name} \(){call_id}(?=\): )"


def _alone(call_id: str) -> str:
    return rf"(?<![0-9A-Za-z]){call_id}(?![0-9A-Za-z])"
