"""What a golden's file says, with the lines it stands in."""

from typing import Any

__all__ = ["HALF", "BadSource", "Source", "Where"]

Where = tuple[str | int, ...]
"""A part of a file: the keys and indexes that lead to it."""

HALF = "a text has half of a surrogate pair, which is no character; write both halves"


class BadSource(ValueError):
    """Say what is wrong with a file that cannot be read; never leaves the package."""

    def __init__(self, said: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(said)


class Source:
    """Hold what a file says, and in which line each part of it stands.

    Args:
        value: plain JSON.
        lines: counted from one; a member of an object stands where its key does.
    """

    def __init__(self, value: Any, lines: dict[Where, int]) -> None:
        self.value = value
        self._lines = lines

    def line(self, where: Where) -> int | None:
        """Give the line of a part, or of the nearest part around it."""
        while where and where not in self._lines:
            where = where[:-1]
        return self._lines.get(where)
