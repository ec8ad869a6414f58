"""Read a JSON file with the lines of its parts."""

import json
import math
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

from cuelight.testing.goldens.source import HALF, BadSource, Source, Where

__all__ = ["read_json"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+|\n')
"""The pieces of a text that is known to be JSON, and its line ends."""

_WORDS = ("true", "false", "null")


def read_json(text: str) -> Source:
    """Read JSON.

    Raises:
        BadSource: it is none, lies too deep, names something twice, or holds what has no place in it, as NaN.
    """
    lines: dict[Where, int] = {}
    try:
        value = _loaded(text)
        tokens = _tokens(text)
        _note(*next(tokens), tokens, (), lines)
    except RecursionError as error:
        raise BadSource("it lies too deep") from error
    return Source(value, lines)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadSource(f"it is no JSON: {error.msg[:1].lower()}{error.msg[1:]}", error.lineno) from error
    except ValueError as error:  # Python's own bound on the digits of a number
        raise BadSource("it holds a number that is too large") from error


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    line = 1
    for found in _TOKEN.finditer(text):
        if found[0] == "\n":
            line += 1
        else:
            yield found[0], line


def _note(token: str, line: int, tokens: Iterator[tuple[str, int]], where: Where, lines: dict[Where, int]) -> None:
    """Note the lines of a value and of its parts, and check what JSON's own reader lets through.

    Args:
        token: the first of the value.
        line: where that stands.
        tokens: what follows it.
        where: the value's place.
        lines: what is noted.
    """
    lines.setdefault(where, line)
    if token == "[":
        for index, (first, at) in zip(count(), _members(tokens, "]"), strict=False):
            _note(first, at, tokens, (*where, index), lines)
    elif token == "{":
        for first, at in _members(tokens, "}"):
            key = _text(first, at)
            if (*where, key) in lines:
                raise BadSource(f"`{key}` is written twice", at)
            lines[(*where, key)] = at
            next(tokens)  # the colon
            _note(*next(tokens), tokens, (*where, key), lines)
    elif token.startswith('"'):
        _text(token, line)
    elif token not in _WORDS and not math.isfinite(float(token)):
        raise BadSource(f"{token[:20]} is no number of JSON's, or too large", line)


def _members(tokens: Iterator[tuple[str, int]], end: str) -> Iterator[tuple[str, int]]:
    """Give the first token of each member of a list or an object; who is given one reads on to its end."""
    for token, line in tokens:
        if token == end:
            return
        yield next(tokens) if token == "," else (token, line)


def _text(token: str, line: int) -> str:
    text = str(json.loads(token))
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise BadSource(HALF, line)
    return text
