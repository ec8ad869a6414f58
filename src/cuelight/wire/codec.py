"""JSON to entries, shapes and commands, and back."""

import struct
from collections.abc import Iterable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, overload

import msgspec

from cuelight.errors import BadEntry, LogDamaged
from cuelight.wire.damage import Damage
from cuelight.wire.frames import Command, Entry
from cuelight.wire.plain import encode_plain
from cuelight.wire.registry import COMMAND_TYPES, ENTRY_TYPES
from cuelight.wire.scan import scan
from cuelight.wire.shapes import Shape
from cuelight.wire.state import State

__all__ = [
    "DecodedLog",
    "decode_command",
    "decode_entry",
    "decode_log",
    "decode_state",
    "decoder_of",
    "encode",
    "encode_lines",
    "fits",
    "typed",
]

_S = TypeVar("_S", bound=Shape)
_F = TypeVar("_F", Entry, Command, State)

_encode = msgspec.json.Encoder().encode
_decoders: dict[type[Entry | Command | State], msgspec.json.Decoder[Any]] = {
    frame: msgspec.json.Decoder(frame) for frame in (Entry, Command, State)
}
_decode_entries = msgspec.json.Decoder(list[Entry]).decode
_decode_lines = msgspec.json.Decoder(Entry).decode_lines
_body_of = attrgetter("body")
_first_byte = struct.Struct("B").unpack_from
_BRACE = (ord("{"),)
_BOM = b"\xef\xbb\xbf"


class DecodedLog(list[Entry]):
    """The entries of a log in the order they were written, and what could not be read of it."""

    def __init__(self, entries: Iterable[Entry] = (), damage: Sequence[Damage] = ()) -> None:
        super().__init__(entries)
        self.damage = tuple(damage)


@cache
def decoder_of(shape: type[Shape]) -> msgspec.json.Decoder[Any]:
    """Return the decoder of a shape; it is made once."""
    return msgspec.json.Decoder(shape)


def decode_entry(source: bytes | str | dict[str, Any]) -> Entry:
    """Read one entry.

    Fields it does not know are ignored; its data is kept as it came, whatever its type.

    Raises:
        BadEntry: the source is no JSON, or no entry; the message says what was expected and where.
    """
    found = _decode_frame(Entry, source, "an entry")
    _require_object(found)
    return found


def decode_command(source: bytes | str | dict[str, Any]) -> Command:
    """Read one command, and check its data against its type's shape.

    Raises:
        BadEntry: the source is no command, its type is not known, or its data does not fit.
    """
    found = _decode_frame(Command, source, "a command")
    _require_object(found)
    shape = COMMAND_TYPES.get(found.type)
    if shape is None:
        raise BadEntry(f"There is no command {found.type!r}. Commands are {', '.join(sorted(COMMAND_TYPES))}.")
    _read(shape, found)
    return found


def decode_state(source: bytes | str | dict[str, Any]) -> State:
    """Read a State that was written as JSON.

    Raises:
        BadEntry: the source is no State; the message says what was expected and where.
    """
    return _decode_frame(State, source, "a State")


def decode_log(source: bytes | str, *, strict: bool = True) -> DecodedLog:
    """Read a whole log, written as JSON lines or as one JSON array.

    A byte order mark, blank lines, either kind of line end, a missing last line end and several entries on a line are
    all taken: no entry that is whole is lost.

    Args:
        source: the log.
        strict: whether to stop at the first thing that is wrong. Otherwise every entry that can be read is given, and
            what could not be is told in `damage`.

    Raises:
        LogDamaged: `strict`, and a line is torn, is no UTF-8, no JSON or no entry. It names the line and the byte.
    """
    raw = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else bytes(source)
    entries = _decode_whole(raw)
    if entries is not None:
        return DecodedLog(entries)
    good: list[Entry] = []
    damage: list[Damage] = []
    for piece in scan(raw):
        if piece.entry is not None:
            good.append(piece.entry)
        if piece.damage is None:
            continue
        if strict:
            hint = f"Whole entries before it: {len(good)}. To read all that are whole, pass strict=False."
            raise LogDamaged(f"{piece.damage.message} {hint}", line=piece.damage.line, byte=piece.damage.byte)
        damage.append(piece.damage)
    return DecodedLog(good, damage)


def _decode_whole(raw: bytes) -> list[Entry] | None:
    """Read a log that is whole at the speed of the decoder; None where it is not whole."""
    text = raw[len(_BOM) :] if raw.startswith(_BOM) else raw
    try:
        if not text.isascii():
            # Data is skipped over when an entry is read, its text unchecked.
            text.decode()
        entries = _decode_entries(text) if text.lstrip()[:1] == b"[" else _decode_lines(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    # Asking all entries at once takes a third of the time that asking each would.
    return entries if set(map(_first_byte, map(_body_of, entries))) <= {_BRACE} else None


@overload
def typed(entry: Entry) -> Shape: ...
@overload
def typed(entry: Entry, shape: type[_S]) -> _S: ...
def typed(entry: Entry, shape: type[_S] | None = None) -> Shape | _S:
    """Read an entry's data as the shape of its type.

    Args:
        entry: an entry of a type in `ENTRY_TYPES`.
        shape: the shape expected, for the type checker's sake; the entry's type decides without it.

    Raises:
        BadEntry: the type is not known, has another shape than asked for, or the data does not fit it.
    """
    known = ENTRY_TYPES.get(entry.type)
    if known is None:
        raise BadEntry(f"Entry {entry.seq} has the type {entry.type!r}, whose shape is not known here; read `.data`.")
    if shape is not None and shape is not known:
        raise BadEntry(f"Entry {entry.seq} is a {entry.type!r}, whose shape is {known.__name__}, not {shape.__name__}.")
    return _read(known, entry)


def fits(entry: Entry) -> bool:
    """Tell whether an entry's data can be read: as the shape of its type, where that is known, as any object otherwise.

    What does not fit is passed over by a fold, and by whoever takes up the call.
    """
    try:
        _ = typed(entry) if entry.type in ENTRY_TYPES else entry.data
    except BadEntry:
        return False
    return True


def encode(value: Entry | Command | State | Damage | Shape | Sequence[Entry]) -> bytes:
    """Write an entry, a command, a State, any other shape, or entries (as a JSON array), as JSON bytes.

    Absent fields stay absent, and names are those of the wire.

    Raises:
        BadEntry: a shape holds a NaN, an infinity or anything else that JSON cannot.
    """
    if isinstance(value, Shape):
        name = type(value).__name__
        return encode_plain(value, name, name)
    return _encode(value)


def encode_lines(entries: Iterable[Entry], *, after: bytes = b"") -> bytes:
    """Write entries as JSON lines, each ended by a line feed.

    Args:
        entries: what to write.
        after: the bytes these lines will be appended to, or their last one. Where that is no line end, one is written
            first, so that a torn line stays alone and no entry is fused with it.
    """
    start = b"" if not after or after.endswith(b"\n") else b"\n"
    return start + b"".join([_one_line(entry) + b"\n" for entry in entries])


def _one_line(entry: Entry) -> bytes:
    line = _encode(entry)
    # Data that came from indented JSON still has its line ends.
    return msgspec.json.format(line, indent=-1) if b"\n" in line or b"\r" in line else line


def _decode_frame(frame: type[_F], source: bytes | str | dict[str, Any], what: str) -> _F:
    raw = encode_plain(source, what, what) if isinstance(source, dict) else source
    try:
        if isinstance(raw, bytes) and not raw.isascii():
            raw.decode()
        found: _F = _decoders[frame].decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as why:
        raise BadEntry(f"This is not {what}: {why}.") from why
    return found


def _require_object(frame: Entry | Command) -> None:
    if _first_byte(frame.body) != _BRACE:
        raise BadEntry(f"The data of {frame.type!r} is no JSON object.")


def _read(shape: type[_S], frame: Entry | Command) -> _S:
    try:
        found: _S = decoder_of(shape).decode(frame.body)
    except (msgspec.DecodeError, RecursionError) as why:
        raise BadEntry(f"The data of {frame.type!r} does not fit its shape, {shape.__name__}: {why}.") from why
    return found
