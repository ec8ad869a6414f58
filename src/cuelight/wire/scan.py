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
_find_end = json.JSONDecoder().raw_decode
_BOM = b"\xef\xbb\xbf"
_BYTE = re.compile(r"\(byte (\d+)\)")
_TRUNCATED = "truncated"


class Piece(NamedTuple):
    """An entry of a log, or a broken stretch of it, and where it begins."""

    line: int
    byte: int
    entry: Entry | None
    damage: Damage | None


class _Separators(NamedTuple):
    """What may stand before the first entry, between two, and after the last."""

    first: re.Pattern[str]
    between: re.Pattern[str]
    last: re.Pattern[str]


_LINES = _Separators(*[re.compile(r"\s*")] * 3)
_ARRAY = _Separators(re.compile(r"\s*\[\s*"), re.compile(r"\s*,\s*"), re.compile(r"\s*\]\s*"))


def scan(raw: bytes) -> Iterator[Piece]:
    """Read a log, JSON lines or a JSON array, entry by entry.

    Each stretch that is no entry gives one piece with its damage (in JSON lines, one a line); reading goes on with the
    next object that is an entry, wherever it begins, so that of two that were fused neither whole one is lost.
    """
    # A byte a character: offsets are those of the bytes, and what JSON is made of is ASCII.
    text = raw.decode("latin-1")
    done = len(_BOM) if raw.startswith(_BOM) else 0
    is_array = raw[done:].lstrip()[:1] == b"["
    separators = _ARRAY if is_array else _LINES
    separator = separators.first
    line, counted = 1, 0
    position = done
    while (start := text.find("{", position)) >= 0:
        found, end = _entry_at(raw, text, start)
        if found is None:
            position = end
            continue
        if not separator.fullmatch(text, done, start):
            yield from _broken(raw, done, start, line + raw.count(b"\n", counted, done), is_array)
        line, counted = line + raw.count(b"\n", counted, start), start
        yield Piece(line, start, found, None)
        done = position = end
        separator = separators.between
    rest = separators.last
    if is_array and separator is separators.first:
        rest = re.compile(r"\s*\[\s*\]\s*")
    if not rest.fullmatch(text, done):
        yield from _broken(raw, done, len(raw), line + raw.count(b"\n", counted, done), is_array)


def _entry_at(raw: bytes, text: str, start: int) -> tuple[Entry | None, int]:
    """Read the entry that begins at `start`; None, and where to look on, where there is none."""
    try:
        _, end = _find_end(text, start)
    except (ValueError, RecursionError):
        return None, start + 1
    piece = raw[start:end]
    try:
        piece.decode()
        found = _decode(piece)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None, end
    return (found if found.raw.startswith(b"{") else None), end


def _broken(raw: bytes, start: int, end: int, line: int, is_array: bool) -> Iterator[Piece]:
    """Describe the stretch between two entries."""
    if is_array:
        yield _piece(raw, start, end, line)
        return
    while start < end:
        found = raw.find(b"\n", start, end)
        stop = end if found < 0 else found
        if raw[start:stop].strip():
            yield _piece(raw, start, stop, line)
        start, line = stop + 1, line + 1


def _piece(raw: bytes, start: int, end: int, line: int) -> Piece:
    kind, byte, why = _diagnose(raw[start:end], is_last=end == len(raw))
    damage = Damage(kind=kind, message=f"Line {line}, byte {start + byte}: {why}.", line=line, byte=start + byte)
    return Piece(line, start, None, damage)


def _diagnose(piece: bytes, *, is_last: bool) -> tuple[str, int, str]:
    """Say of what kind a broken stretch is, at which of its bytes, and in words."""
    zero = piece.find(b"\0")
    if zero >= 0:
        run = len(piece[zero:]) - len(piece[zero:].lstrip(b"\0"))
        return "zero-bytes", zero, f"{run} zero bytes where an entry should be"
    try:
        piece.decode()
    except UnicodeDecodeError as why:
        if is_last and why.end == len(piece):
            return "torn", why.start, "the log ends inside a character of an unfinished entry"
        return "not-utf-8", why.start, f"the byte 0x{piece[why.start]:02x} is no UTF-8"
    try:
        found = _decode(piece)
    except msgspec.ValidationError as why:
        return "not-an-entry", 0, f"this is JSON and no entry: {why}"
    except msgspec.DecodeError as why:
        if _TRUNCATED in str(why):
            if is_last:
                return "torn", len(piece), "the log ends inside an unfinished entry"
            return "not-json", len(piece), "the line ends inside an unfinished entry"
        place = _BYTE.search(str(why))
        reason = _BYTE.sub("", str(why)).strip()
        return "not-json", int(place.group(1)) if place else 0, f"this is no JSON: {reason}"
    except RecursionError:
        return "not-json", 0, "this is nested too deeply to be read"
    return "not-an-entry", 0, f"the data of {found.type!r} is no JSON object"
