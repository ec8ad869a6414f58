"""What `-k` selects: goldens by words in their name or file, with `and`, `or`, `not` and parentheses."""

import re
from collections.abc import Callable

from cuelight.errors import BadInput

__all__ = ["Selects", "selecting"]

Selects = Callable[[str, str], bool]
"""Tell by its name and file whether a golden is selected."""

_TOKEN = re.compile(r'"[^"]*"|[()]|[^\s()"]+')
_OPERATORS = ("and", "or", "not", "(", ")")


def selecting(expression: str | None) -> Selects:
    """Read what `-k` was given; without it, all goldens are selected.

    Words are looked for in the name and in the file, whatever their capitals; words in a row are one phrase. `not`
    binds tighter than `and`, and `and` tighter than `or`; in double quotes these are words like others.

    Raises:
        BadInput: it cannot be read.
    """
    if expression is None:
        return lambda name, file: True
    if _TOKEN.sub("", expression).strip():
        raise BadInput(f"-k {expression!r} has a quote that is never closed.")
    return _Reader(expression).read()


class _Reader:
    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._tokens = _TOKEN.findall(expression)

    def read(self) -> Selects:
        selects = self._any()
        if self._tokens:
            raise self._refused(f"`{self._tokens[0]}` was not expected there")
        return selects

    def _any(self) -> Selects:
        selects = self._all()
        while self._comes("or"):
            selects = _either(selects, self._all())
        return selects

    def _all(self) -> Selects:
        selects = self._one()
        while self._comes("and"):
            selects = _both(selects, self._one())
        return selects

    def _one(self) -> Selects:
        if self._comes("not"):
            inner = self._one()
            return lambda name, file: not inner(name, file)
        if self._comes("("):
            selects = self._any()
            if not self._comes(")"):
                raise self._refused("a parenthesis is never closed")
            return selects
        words = []
        while self._tokens and self._tokens[0] not in _OPERATORS:
            words.append(self._tokens.pop(0).strip('"').lower())
        if not words:
            raise self._refused("words are missing")
        phrase = " ".join(words)
        return lambda name, file: phrase in " ".join(name.lower().split()) or phrase in file.lower()

    def _comes(self, token: str) -> bool:
        if self._tokens[:1] != [token]:
            return False
        del self._tokens[0]
        return True

    def _refused(self, why: str) -> BadInput:
        return BadInput(f"-k {self._expression!r} cannot be read: {why}. Write it as in -k 'books and not refused'.")


def _either(one: Selects, other: Selects) -> Selects:
    return lambda name, file: one(name, file) or other(name, file)


def _both(one: Selects, other: Selects) -> Selects:
    return lambda name, file: one(name, file) and other(name, file)
