"""Text as it is streamed: a word at a time."""

import re

__all__ = ["words"]

_WORDS = re.compile(r"\S+\s*|\s+")


def words(text: str) -> list[str]:
    """Cut a text into pieces of a word and the space behind it; together they are the text."""
    return _WORDS.findall(text)
