"""A stored call cut into what a golden's turns are: its opening, and what each message or event brought."""

from collections.abc import Sequence
from typing import Any

import msgspec

from cuelight.errors import BadInput, NoSuchEntry
from cuelight.log import Record, unmasked
from cuelight.testing.goldens.standins import StandIns
from cuelight.wire import Entry, fits

__all__ = ["Stretch", "stretches"]

_BEGINS = ("turn.user", "event.received")
# What only time or a crash brings about; a golden's clock stands still, and it never crashes.
_ERRORS = {
    "handler-timeout": "a handler ran out of time",
    "limit-turn-s": "a turn ran out of time",
    "tool-timeout": "a tool ran out of time",
}


class Stretch(msgspec.Struct, frozen=True):
    """Hold the entries of one turn, private values in place, and the same as the log shows them.

    The first stretch of a call is its opening; every other one begins with a message or an event.
    """

    entries: tuple[Entry, ...]
    shown: dict[int, Any]
    """By seq the data as it is masked, where anything of it is."""

    @property
    def cause(self) -> Entry | None:
        """The message or event that it begins with."""
        first = self.entries[0]
        return first if first.type in _BEGINS else None

    def member(self, entry: Entry, name: str, stand_ins: StandIns) -> Any:
        """Give a member of an entry's data, private values replaced."""
        return stand_ins.value(entry.data.get(name), self.shown.get(entry.seq, {}).get(name))


def stretches(records: Sequence[Record], upto: int | None = None) -> list[Stretch]:
    """Cut a call into stretches.

    The end of the call by the caller is left out, with what comes before it of that: a golden's caller does not hang
    up.

    Args:
        records: the whole call.
        upto: the last entry that is wanted; the turn that holds it is the last one, and whole.

    Raises:
        NoSuchEntry: the call has no such entry.
        BadInput: something happened that a golden cannot bring about; the message says where, and what to do.
    """
    last = records[-1].entry.seq if records else 0
    if upto is not None and not 1 <= upto <= last:
        raise NoSuchEntry(upto, last=last)
    cut: list[list[Record]] = [[]]
    for record in records:
        if not fits(record.entry):
            continue
        if _is_end_from_outside(record.entry):
            cut[-1] = _without_closing(cut[-1])
            break
        if record.entry.type in _BEGINS:
            if upto is not None and upto < record.entry.seq:
                break
            cut.append([])
        cut[-1].append(record)
    whole = [
        Stretch(tuple(map(unmasked, part)), {each.entry.seq: each.entry.data for each in part if each.private})
        for part in cut if part
    ]  # fmt: skip
    for stretch in whole:
        _check(stretch)
    return whole


def _is_end_from_outside(entry: Entry) -> bool:
    return entry.type == "call.ended" and entry.data["ended_by"] != "agent"


def _without_closing(part: Sequence[Record]) -> list[Record]:
    """Leave out how the end of a call closed what was open: each question is declined, with a result, just before."""
    entries = [record.entry for record in part]
    closed = {
        entry.data["call_id"] for entry in entries
        if entry.type == "confirm.declined" and entry.data["reason"] == "cancelled"
    }  # fmt: skip
    while entries and entries[-1].type in ("confirm.declined", "tool.result") and entries[-1].data["call_id"] in closed:
        entries.pop()
    return list(part[: len(entries)])


def _check(stretch: Stretch) -> None:
    """Refuse what a golden cannot bring about.

    Raises:
        BadInput: it is there.
    """
    asked = {entry.data.get("speech_id"): entry.seq for entry in reversed(stretch.entries) if _is_asked(entry)}
    answered = {entry.data.get("speech_id") for entry in stretch.entries if entry.type == "cue.delivered"}
    for entry in stretch.entries:
        if (fault := _fault(entry)) is not None:
            raise BadInput(_told(stretch, entry.seq, fault))
    for speech_id, seq in asked.items():
        if speech_id not in answered:
            raise BadInput(_told(stretch, seq, "a turn began that broke off"))


def _is_asked(entry: Entry) -> bool:
    return entry.type in ("turn.user", "metrics.llm")


def _fault(entry: Entry) -> str | None:
    if entry.type == "cue.heard" or (entry.type == "turn.agent" and entry.data["interrupted"]):
        return "the caller cut into a reply"
    if entry.type == "cue.unknown":
        return "a tool was left without an outcome"
    if entry.type == "confirm.declined" and entry.data["reason"] == "timeout":
        return "a question to the caller ran out of time"
    return _ERRORS.get(entry.data["code"]) if entry.type == "error" else None


def _told(stretch: Stretch, seq: int, fault: str) -> str:
    before = stretch.entries[0].seq - 1
    if stretch.cause is None or before < 1:
        remedy = "It happened as the call opened, so no golden can be made from it."
    else:
        remedy = f"`--upto {before}` writes what came before that turn."
    return f"At entry {seq} {fault}, which a golden cannot bring about. {remedy}"
