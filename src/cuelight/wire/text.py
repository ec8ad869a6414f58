"""Texts as every JSON can hold them. A Python string may hold halves of characters, which no encoding has."""

from typing import Any

__all__ = ["WholeText", "told", "whole_plain", "whole_text"]

_HALF_OPEN = ("\ud800", "\udbff")  # the range of first halves


def whole_text(text: str) -> str:
    """Give a text that can be stored: two halves of one character are joined, a lone half becomes U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def whole_plain(value: Any) -> Any:
    """Give a plain JSON value whose texts, and the names in its objects, can all be stored."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, dict):
        return {whole_plain(key): whole_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [whole_plain(item) for item in value]
    return value


class WholeText:
    """Make the pieces of a text whole as they stream in: a character may be split over two of them."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, piece: str) -> str:
        """Give the next piece, without the half of a character at its end, which waits for the other."""
        piece, self._half = self._half + piece, ""
        first, last = _HALF_OPEN
        if piece and first <= piece[-1] <= last:
            piece, self._half = piece[:-1], piece[-1]
        return whole_text(piece)

    def finish(self) -> str:
        """Give what waits at the end of the text, which is nothing or a lone half."""
        half, self._half = self._half, ""
        return whole_text(half)


def told(error: BaseException) -> str:
    """Give what an exception says, as a text that can be stored; its type's name where it cannot say it."""
    try:
        return whole_text(str(error))
    except Exception:  # an author's exception may raise in saying what it is
        return type(error).__name__
