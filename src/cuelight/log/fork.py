"""A new call that goes on from a point of an old one."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

import cuelight.wire as wire
from cuelight.errors import LogDamaged, NoSuchEntry
from cuelight.log.fold import reduce

__all__ = ["fork"]


def fork(entries: Iterable[wire.Entry], seq: int, *, call: str) -> list[wire.Entry]:
    """Make the log of a new call that begins as an old one went, up to an entry.

    The new log holds the stored entries 1 to `seq`, each once and in order, as entries of the new call. A yes does not
    carry over: for each confirmation that waits, or was given to a tool call that has no result yet, a
    `confirm.declined` with the reason `cancelled` follows, with the time of entry `seq`. A tool call without a result
    stays one: whoever resumes the new call settles it, as after a crash.

    Args:
        entries: the old call's log.
        seq: the last entry to take over.
        call: the new call's id.

    Raises:
        NoSuchEntry: the log holds no stored entry `seq`.
        LogDamaged: an entry before it is missing, so what led to that point is not known.
    """
    stored: dict[int, wire.Entry] = {}
    for entry in entries:
        if not (entry.ephemeral or wire.is_control(entry.type)):
            stored.setdefault(entry.seq, entry)
    if seq < 1 or seq not in stored:
        raise NoSuchEntry(seq, last=max(stored, default=0))
    missing = next((number for number in range(1, seq) if number not in stored), None)
    if missing is not None:
        raise LogDamaged(f"The log cannot be forked at entry {seq}, because entry {missing} is missing from it.")
    taken = [_of_call(stored[number], call) for number in range(1, seq + 1)]
    return [*taken, *_cancelled(taken, call)]


def _of_call(entry: wire.Entry, call: str) -> wire.Entry:
    # What an agent writes outside any call has none, and gets none.
    return entry if entry.call is None else replace(entry, call=call)


def _cancelled(taken: list[wire.Entry], call: str) -> Iterator[wire.Entry]:
    """Give the entries that take back every yes, and every question for one, that is still open."""
    state, last = reduce(taken), taken[-1]
    settled = {run.call_id for run in state.tools if run.status != "running"}
    asked = {confirm.call_id: confirm for confirm in state.confirms}
    is_open = [confirm for confirm in asked.values() if confirm.status != "declined" and confirm.call_id not in settled]
    for seq, confirm in enumerate(is_open, start=last.seq + 1):
        declined = wire.ConfirmDeclined(
            tool=confirm.tool, call_id=confirm.call_id, audience=confirm.audience, reason="cancelled"
        )
        yield wire.entry("confirm.declined", declined, seq=seq, ts=last.ts, call=call, agent=last.agent)
