"""Small words in messages to authors."""

import difflib
from collections.abc import Iterable

__all__ = ["closest", "nearest"]


def closest(name: str, known: Iterable[str]) -> str | None:
    """Give the known name that looks most like another; None where none does."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1)), None)


def nearest(name: str, known: Iterable[str]) -> str:
    """Give "; did you mean `x`?" for the known name that looks most like another, or nothing."""
    close = closest(name, known)
    return f"; did you mean `{close}`?" if close else ""
