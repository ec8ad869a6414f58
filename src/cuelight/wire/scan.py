"""Reading a log that is damaged: entry by entry, each with its place, going on after what is broken."""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from cuelight.wire.damage import Damage
from cuelight.wire.frames import Entry

__all__ = ["Piece", "scan"]

_decode = msgspec.json.Decoder(Entry).decode
# It is only asked where a value ends, so numbers need not be made.
_find_end = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode
_FIRST_WINDOW = 256
_LONGEST_WORD = 16  # no number's sign, escape or name such as `-Infinity` is longer
_BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_ARRAY_BEGINS = re.compile(rb"[ \t\r\n]*\[")
_BYTE = re.compile(r"\(byte (\d+)\)")


class Piece(NamedTuple):
    """An entry of a log, or a broken stretch of it, and where it begins, if that is known."""

    line: int | None
    byte: int | None
    entry: Entry | None
    damage: Damage | None


class _Separators(NamedTuple):
    """What stands before the first entry, between two, after the last, and in a log without any."""

    first: re.Pattern[str]
    between: re.Pattern[str]
    last: re.Pattern[str]
    alone: re.Pattern[str]


_LINES = _Separators(*[re.compile("[ \t\r\n]*")] * 4)
_ARRAY = _Separators(*(re.compile(f"[ \t\r\n]*{mark}[ \t\r\n]*") for mark in (r"\[", ",", r"\]", r"\[[ \t\r\n]*\]")))


def scan(raw: bytes) -> Iterator[Piece]:
    """Read a log, JSON lines or a JSON array, entry by entry.

    Each stretch that is no entry gives one piece with its damage (in JSON lines, one a line); reading goes on with the
    next object that is an entry, wherever it begins, so that of two that were fused neither whole one is lost.
    """
    # A byte a character: offsets are those of the bytes, and what JSON is made of is ASCII.
    text = raw.decode("latin-1")
    done = position = len(_BOM) if raw.startswith(_BOM) else 0
    is_array = _ARRAY_BEGINS.match(raw, done) is not None
    separators = _ARRAY if is_array else _LINES
    separator, end_mark = separators.first, separators.alone
    line, counted = 1, 0
    while (start := text.find("{", position)) >= 0:
        found, position = _entry_at(raw, text, start)
        if found is None:
            continue
        if not separator.fullmatch(text, done, start):
            yield from _broken(raw, done, start, line + raw.count(b"\n", counted, done), is_array)
        line, counted = line + raw.count(b"\n", counted, start), start
        yield Piece(line, start, found, None)
        done, separator, end_mark = position, separators.between, separators.last
    if not end_mark.fullmatch(text, done):
        yield from _broken(raw, done, len(raw), line + raw.count(b"\n", counted, done), is_array)


def _end_of(text: str, start: int) -> int:
    """Find where the value that begins at `start` ends.

    A parser that fails counts the lines before the place, so it is given no more of the text than it needs: otherwise
    the cost of each fault would grow with the log.

    Raises:
        ValueError, RecursionError: no value begins there that is whole and not nested too deeply.
    """
    size = _FIRST_WINDOW
    while True:
        window = text[start : start + size]
        try:
            return start + _find_end(window)[1]
        except json.JSONDecodeError as why:
            # Only what fails at the window's end, or in a string that goes on beyond it, may be whole after all.
            cut = why.pos > len(window) - _LONGEST_WORD or why.msg.startswith("Unterminated string")
            if not cut or start + size >= len(text):
                raise
        size *= 4


def _entry_at(raw: bytes, text: str, start: int) -> tuple[Entry | None, int]:
    """Read the entry that begins at `start`; None, and where to look on, where there is none."""
    try:
        end = _end_of(text, start)
    except RecursionError:
        # Whatever is inside is nested too deeply as well, a thousand times over.
        line_end = text.find("\n", start)
        return None, len(text) if line_end < 0 else line_end
    except ValueError:
        return None, start + 1
    piece = raw[start:end]
    try:
        piece.decode()
        found = _decode(piece)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None, end
    return (found if found.raw.startswith(b"{") else None), end


def _broken(raw: bytes, start: int, end: int, line: int, is_array: bool) -> Iterator[Piece]:
    """Describe the stretch between two entries: as a whole in an array, otherwise line by line."""
    if is_array:
        text = raw[start:end]
        first = start + len(text) - len(text.lstrip(_SPACE + b",["))
        last = max(first, start + len(text.rstrip(_SPACE + b",]")))
        yield _piece(raw[first:last], line + raw.count(b"\n", start, first), first)
        return
    while start < end:
        found = raw.find(b"\n", start, end)
        stop = end if found < 0 else found
        broken = raw[start:stop].rstrip(_SPACE)
        if broken:
            yield _piece(broken, line, start)
        start, line = stop + 1, line + 1


def _piece(broken: bytes, line: int, start: int) -> Piece:
    kind, byte, why = _diagnose(broken)
    damage = Damage(kind=kind, message=f"Line {line}, byte {start + byte}: {why}.", line=line, byte=start + byte)
    return Piece(line, start, None, damage)


def _diagnose(broken: bytes) -> tuple[str, int, str]:
    """Say of what kind a broken stretch is, at which of its bytes, and in words."""
    if not broken:
        return "torn", 0, "the array of entries goes on and ends otherwise than an array does"
    zero = broken.find(b"\0")
    if zero >= 0:
        count = len(broken) - zero - len(broken[zero:].lstrip(b"\0"))
        return "zero-bytes", zero, f"{count} zero bytes where an entry should be"
    try:
        broken.decode()
    except UnicodeDecodeError as why:
        if why.reason == "unexpected end of data":
            return "torn", why.start, "it ends inside a character of an unfinished entry"
        return "not-utf-8", why.start, f"the byte 0x{broken[why.start]:02x} is no UTF-8"
    try:
        found = _decode(broken)
    except msgspec.ValidationError as why:
        return "not-an-entry", 0, f"this is JSON and no entry: {why}"
    except msgspec.DecodeError as why:
        if "truncated" in str(why):
            return "torn", len(broken), "it ends inside an unfinished entry"
        place = _BYTE.search(str(why))
        reason = _BYTE.sub("", str(why)).strip()
        return "not-json", int(place.group(1)) if place else 0, f"this is no JSON: {reason}"
    except RecursionError:
        return "not-json", 0, "this is nested too deeply to be read"
    return "not-an-entry", 0, f"the data of {found.type!r} is no JSON object"
