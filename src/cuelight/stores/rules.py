"""What every store refuses, and what a log is after an erasure: the rules that no medium changes."""

from collections.abc import Sequence

from cuelight.errors import BadEntry, StoreUnusable
from cuelight.ports import Record
from cuelight.wire import Entry

__all__ = ["check_append", "closed", "erased", "is_end"]


def check_append(call: str, expected_seq: int, records: Sequence[Record]) -> None:
    """Check that the records follow `expected_seq` without a hole and belong in the call's log.

    Raises:
        BadEntry: naming the first that does not.
    """
    seq = expected_seq
    for record in records:
        entry = record.entry
        seq += 1
        if entry.seq != seq or entry.call != call or entry.ephemeral:
            _check(call, seq, entry)


def erased(call: str, records: Sequence[Record], scrubbed: Sequence[Entry]) -> list[Record]:
    """Give a call's records after an erasure: scrubbed entries in their places, new ones at the end, nothing private.

    Raises:
        BadEntry: a scrubbed entry belongs neither in a place of the log nor at its end.
    """
    entries = [record.entry for record in records]
    for entry in scrubbed:
        if 1 <= entry.seq <= len(entries):
            _check(call, entry.seq, entry)
            entries[entry.seq - 1] = entry
        else:
            _check(call, len(entries) + 1, entry)
            entries.append(entry)
    return [Record(entry) for entry in entries]


def is_end(entry: Entry) -> bool:
    """Tell whether the entry ends its call."""
    return entry.type == "call.ended"


def closed() -> StoreUnusable:
    """Make the error of a store that is used after its end."""
    return StoreUnusable("The store is closed. Open another one on the same place; what was appended is there.")


def _check(call: str, seq: int, entry: Entry) -> None:
    if entry.ephemeral:
        raise BadEntry(
            f"Entry {entry.type!r} is ephemeral: it is delivered and never stored. Append the call's other entries."
        )
    if entry.seq != seq:
        raise BadEntry(
            f"Entry {entry.type!r} has the seq {entry.seq} where call {call!r} takes {seq}: "
            "the entries of an append follow `expected_seq` without a hole."
        )
    if entry.call != call:
        raise BadEntry(f"Entry {entry.seq} ({entry.type!r}) is of call {entry.call!r}, not of {call!r}.")
