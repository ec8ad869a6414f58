"""Small words in messages to authors."""

import difflib
from collections.abc import Iterable

__all__ = ["closest", "nearest", "place"]


def closest(name: str, known: Iterable[str]) -> str | None:
    """Give the known name that looks most like another; None where none does."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1)), None)


def nearest(name: str, known: Iterable[str]) -> str:
    """Give "; did you mean `x`?" for the known name that looks most like another, or nothing."""
    close = closest(name, known)
    return f"; did you mean `{close}`?" if close else ""


def place(path: Iterable[object]) -> str:
    """Name a place in a value by the way to it: "item 1.name" begins in a list, and "it" is the value itself."""
    pieces = list(path)
    way = ".".join(map(str, pieces))
    return f"item {way}" if pieces and isinstance(pieces[0], int) else way or "it"
