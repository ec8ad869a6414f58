"""Whether a log is whole and, if not, where and how not."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

import cuelight.wire as wire
from cuelight.errors import BadEntry

__all__ = ["verify"]


def verify(log: bytes | str | Iterable[wire.Entry]) -> list[wire.Damage]:
    """Find everything that is wrong with a log.

    A log is whole when its bytes are entries from first to last, when the stored ones count from 1 without a hole and
    in order, when they are of one call, when no number stands for two different entries, and when the data of every
    known type fits its shape. The same entry twice is no damage: a fold ignores the second.

    Args:
        log: JSON lines or a JSON array, or entries that were read already.

    Returns:
        What is wrong, in the order of the log; empty for one that is whole. Lines and bytes are known where the log was
        given as bytes or text. A hole is told at the entry after it.
    """
    if isinstance(log, bytes | str):
        pieces = list(wire.scan(log.encode("utf-8", "surrogatepass") if isinstance(log, str) else log))
    else:
        pieces = [wire.Piece(None, None, entry, None) for entry in log]
    counted = {piece.entry.seq for piece in pieces if piece.entry is not None and not wire.is_control(piece.entry.type)}
    reading = _Reading(sorted(counted))
    return [damage for piece in pieces for damage in reading.about(piece)]


class _Reading:
    """Go through a log once, knowing which numbers it holds anywhere: what is missing here may come late."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = numbers
        self._seen: dict[int, wire.Piece] = {}
        self._last = 0
        self._call: str | None = None

    def about(self, piece: wire.Piece) -> Iterator[wire.Damage]:
        """Tell what is wrong with a piece of the log, given those before it."""
        entry = piece.entry
        if piece.damage is not None:
            yield piece.damage
        if entry is None:
            return
        # Like a fold, this counts an ephemeral entry only where it is ahead: in logs in which those have numbers.
        if not (wire.is_control(entry.type) or (entry.ephemeral and entry.seq <= self._last)):
            yield from self._about_number(entry, piece)
        if entry.call is not None:
            self._call = self._call or entry.call
            if entry.call != self._call:
                what = f"Entry {entry.seq} is of call {entry.call!r}, and the log is that of {self._call!r}"
                yield _damage("foreign", what, piece)
        misfit = _misfit(entry)
        if misfit is not None:
            yield _damage("unreadable", misfit, piece)

    def _about_number(self, entry: wire.Entry, piece: wire.Piece) -> Iterator[wire.Damage]:
        earlier = self._seen.setdefault(entry.seq, piece)
        if earlier is not piece:
            if earlier.entry != entry:
                before = "" if earlier.line is None else f", first on line {earlier.line}"
                yield _damage("edited", f"Entry {entry.seq} is there twice{before}, with different bodies", piece)
        elif entry.seq <= self._last:
            yield _damage("disorder", f"Entry {entry.seq} comes after entry {self._last}", piece)
        else:
            for first, last in self._missing(self._last + 1, entry.seq):
                what = f"Entry {first} is missing" if first == last else f"Entries {first} to {last} are missing"
                yield _damage("hole", what, piece)
            self._last = entry.seq

    def _missing(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Give the stretches of numbers between two that the log holds nowhere, as first and last."""
        late = self._numbers[bisect_left(self._numbers, start) : bisect_left(self._numbers, stop)]
        for number in (*late, stop):
            if start < number:
                yield start, number - 1
            start = number + 1


def _misfit(entry: wire.Entry) -> str | None:
    """Say why an entry's data cannot be read; None where it can."""
    try:
        if entry.type in wire.ENTRY_TYPES:
            wire.typed(entry)
        else:
            _ = entry.data
    except BadEntry as why:
        return f"Entry {entry.seq} cannot be read: {str(why).removesuffix('.')}"
    return None


def _damage(kind: str, what: str, piece: wire.Piece) -> wire.Damage:
    where = "" if piece.line is None else f"Line {piece.line}, byte {piece.byte}: "
    seq = None if piece.entry is None else piece.entry.seq
    return wire.Damage(kind=kind, message=f"{where}{what}.", line=piece.line, byte=piece.byte, seq=seq)
