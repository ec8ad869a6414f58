"""The two frames: an entry of a log, and a command to a live call."""

from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from cuelight.errors import BadEntry
from cuelight.wire.plain import encode_plain, same_value
from cuelight.wire.shapes import Shape
from cuelight.wire.values import Number

__all__ = ["Command", "Entry", "command", "entry"]

_decode = msgspec.json.Decoder().decode
_SHOWN = 160


def _plain(frame: "Entry | Command") -> dict[str, Any]:
    try:
        data = _decode(frame.body)
    except (msgspec.DecodeError, RecursionError) as why:
        raise BadEntry(f"The data of {frame.type!r} cannot be read: {why}.") from why
    if type(data) is not dict:
        raise BadEntry(f"The data of {frame.type!r} is no JSON object.")
    return data


def _shown(raw: bytes) -> str:
    text = raw.decode(errors="replace")
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


class Entry(Struct, frozen=True, gc=False, eq=False):
    """One line of a call's log.

    Immutable. Two entries are equal when all their fields are, the data compared as JSON values. The data stays in the
    bytes it came in until it is asked for.
    """

    seq: int
    ts: Number
    call: str | None
    agent: str
    type: str
    ephemeral: bool
    body: Raw = field(name="data")

    @property
    def data(self) -> dict[str, Any]:
        """Decode the data to plain JSON values; each time anew, so changing what it gives changes no entry.

        Raises:
            BadEntry: the data holds a number that does not fit a double, or is nested too deeply to be read.
        """
        return _plain(self)

    @property
    def raw(self) -> bytes:
        """The data as JSON bytes."""
        return bytes(self.body)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Entry):
            return NotImplemented
        if (self.seq, self.ts, self.call, self.agent, self.type, self.ephemeral) != (
            (other.seq, other.ts, other.call, other.agent, other.type, other.ephemeral)
        ):
            return False
        if self.body == other.body:
            return True
        try:
            return same_value(self.data, other.data)
        except BadEntry:
            return False

    def __ne__(self, other: object) -> bool:
        # A struct has one of its own, which would not ask the method above.
        return not self == other

    def __hash__(self) -> int:
        return hash((self.seq, self.call, self.type))

    def __repr__(self) -> str:
        tail = ", ephemeral" if self.ephemeral else ""
        return (
            f"<Entry {self.seq} {self.type} of {self.call!r} by {self.agent!r} at {self.ts}{tail}: {_shown(self.raw)}>"
        )


class Command(Struct, frozen=True, gc=False):
    """One instruction to a live call, or to an agent where `call` is None.

    It is answered by the entries it causes, or by an `error` entry that names it and its id.
    """

    type: str
    agent: str
    call: str | None
    id: str | UnsetType = UNSET
    body: Raw = field(name="data", default_factory=lambda: Raw(b"{}"))

    @property
    def data(self) -> dict[str, Any]:
        """Decode the data to plain JSON values, each time anew.

        Raises:
            BadEntry: the data holds a number that does not fit a double, or is nested too deeply to be read.
        """
        return _plain(self)

    @property
    def raw(self) -> bytes:
        """The data as JSON bytes."""
        return bytes(self.body)

    def __repr__(self) -> str:
        return f"<Command {self.type} to {self.call!r} of {self.agent!r}: {_shown(self.raw)}>"


def entry(
    type_: str,
    data: dict[str, Any] | Shape | bytes,
    *,
    seq: int,
    ts: float,
    call: str | None,
    agent: str,
    ephemeral: bool = False,
) -> Entry:
    """Make an entry.

    The data is encoded at once, so what happens to it later changes no entry.

    Args:
        type_: the entry's type; any string.
        data: plain JSON values under string keys, a shape of the wire, or an object's JSON bytes.
        seq: its number in the log; for an ephemeral entry that of the last stored one.
        ts: when it happened, in unix seconds.
        call: the call's id, None in an agent's own log.
        agent: the agent's slug.
        ephemeral: whether it is delivered and not stored.

    Raises:
        BadEntry: the data is no JSON object, or holds what JSON cannot: a NaN, an infinity, a key that is no string, an
            object of another kind; or ts is not finite.
    """
    if not _is_finite(ts):
        raise BadEntry(f"Entry {type_!r} has the ts {ts!r}; it is a number of unix seconds.")
    return Entry(seq, ts, call, agent, type_, ephemeral, _body(data, f"Entry {type_!r}"))


def command(
    type_: str,
    data: dict[str, Any] | Shape | bytes = b"{}",
    *,
    agent: str,
    call: str | None,
    id_: str | UnsetType = UNSET,
) -> Command:
    """Make a command.

    Args:
        type_: the command's type; any string.
        data: plain JSON values under string keys, a shape of the wire, or an object's JSON bytes.
        agent: the agent's slug.
        call: the id of the call it is for, None when it is for the agent.
        id_: names the command in an `error` that answers it.

    Raises:
        BadEntry: the data is no JSON object, or holds what JSON cannot.
    """
    return Command(type_, agent, call, id_, _body(data, f"Command {type_!r}"))


def _is_finite(ts: object) -> bool:
    # Comparing refuses NaN as well, which is larger than nothing.
    return isinstance(ts, int | float) and float("-inf") < ts < float("inf")


def _body(data: dict[str, Any] | Shape | bytes, what: str) -> Raw:
    if isinstance(data, bytes):
        try:
            is_object = type(_decode(data)) is dict
        except (msgspec.DecodeError, RecursionError) as why:
            raise BadEntry(f"{what} was given data that is no JSON: {why}.") from why
        if not is_object:
            raise BadEntry(f"{what} was given data that is no JSON object.")
        return Raw(data.strip())
    if not isinstance(data, dict | Shape):
        raise BadEntry(
            f"{what} was given data of type {data.__class__.__name__}; it takes a dict, a shape or JSON bytes."
        )
    return Raw(encode_plain(data, what))
