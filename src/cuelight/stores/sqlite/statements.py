"""What is done with the tables: each function is one piece of work on one connection.

Those that write run within a transaction of their caller's, and check everything before they write anything.
"""

import sqlite3
import struct
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import msgspec
from msgspec import Raw

from cuelight.errors import BadEntry, CallIsOwned, CallNotFound, LeaseLost, SeqConflict
from cuelight.ports import CallInfo, Lease, Private, Record
from cuelight.stores.owners import Process, is_gone
from cuelight.stores.rules import erased, is_end
from cuelight.stores.sqlite.errors import damaged
from cuelight.wire import Entry

__all__ = ["Rows", "acquire", "append", "calls", "erase", "last_seq", "read", "release", "renew", "rows_of"]

# One row a statement costs most in the crossing between Python and SQLite, so entries go in by the handful.
_HANDFUL = 32
_INSERT = [
    f"INSERT INTO entries VALUES {', '.join(['(?, ?, ?, ?, ?, ?, ?)'] * count)}" for count in range(_HANDFUL + 1)
]
_INSERT_PRIVATE = "INSERT INTO private VALUES (?, ?, ?, ?)"
_STANDING = """
    SELECT c.no, c.seq, l.token FROM (SELECT ? AS call) AS k
    LEFT JOIN calls AS c ON c.call = k.call LEFT JOIN leases AS l ON l.call = k.call AND l.owner IS NOT NULL"""

_WHOLE = 2**63  # SQLite's whole numbers lie below

_pack = struct.Struct("<qd").pack
_encode = msgspec.json.Encoder().encode
_decode_secrets = msgspec.json.Decoder(tuple[str, ...]).decode


class Rows(NamedTuple):
    """Hold records as the tables take them, but for the call's number, which only the transaction knows."""

    agent: str
    first_ts: float
    last_ts: float
    ended: bool
    entries: list[tuple[Any, ...]]
    private: list[tuple[Any, ...]]


def rows_of(records: Sequence[Record]) -> Rows:
    """Prepare records (one at least) for the tables, outside of any transaction.

    Raises:
        BadEntry: one holds what a table cannot.
    """
    entries: list[tuple[Any, ...]] = []
    private: list[tuple[Any, ...]] = []
    ended = False
    for record in records:
        entry, hidden = record.entry, record.private
        seq, ts, kind, agent, data = entry.seq, entry.ts, entry.type, entry.agent, entry.body
        if not -_WHOLE <= ts < _WHOLE:
            raise BadEntry(f"Entry {seq} of call {entry.call!r} has the ts {ts!r}; it is a number of unix seconds.")
        secrets = None
        try:
            if hidden is not None:
                secrets = _encode(hidden.values)
                private.append((seq, hidden.data, secrets))
            crc = _crc(seq, ts, kind, agent, data, hidden, secrets)
        except UnicodeError as why:
            raise BadEntry(f"Entry {seq} of call {entry.call!r} holds text that has no UTF-8: {why}.") from why
        ended = ended or is_end(entry)
        entries.append((seq, ts, kind, agent, data, crc))
    first, last = records[0].entry, records[-1].entry
    return Rows(last.agent, first.ts, last.ts, ended, entries, private)


def append(db: sqlite3.Connection, call: str, expected_seq: int, rows: Rows, lease: Lease | None) -> None:
    """Append prepared records.

    Raises:
        LeaseLost: the lease is no longer the call's.
        SeqConflict: the call's last entry is not `expected_seq`.
    """
    no, seq, token = db.execute(_STANDING, (call,)).fetchone()
    if lease is not None and (lease.call != call or lease.token != token):
        raise LeaseLost(call)
    if (seq or 0) != expected_seq:
        raise SeqConflict(call, expected_seq, seq or 0)
    last = expected_seq + len(rows.entries)
    if no is None:
        no = db.execute(
            "INSERT INTO calls (call, agent, seq, opened_at, last_at, ended) VALUES (?, ?, ?, ?, ?, ?)",
            (call, rows.agent, last, rows.first_ts, rows.last_ts, rows.ended),
        ).lastrowid
    else:
        db.execute(
            "UPDATE calls SET agent = ?, seq = ?, last_at = ?, ended = ended OR ? WHERE no = ?",
            (rows.agent, last, rows.last_ts, rows.ended, no),
        )
    _insert(db, no, rows)


def read(db: sqlite3.Connection, path: Path, call: str, from_seq: int, most: int | None = None) -> list[Record] | None:
    """Read records of one moment; None where there are more of them than `most`.

    Raises:
        StoreUnusable: something of them is damaged or missing.
    """
    from_seq = max(from_seq, 1)
    db.execute("BEGIN")
    try:
        found = db.execute("SELECT no, seq FROM calls WHERE call = ?", (call,)).fetchone()
        if found is None or found[1] < from_seq:
            return []
        if most is not None and found[1] - from_seq >= most:
            return None
        return _records(db, path, call, found, from_seq)
    finally:
        db.rollback()


def last_seq(db: sqlite3.Connection, call: str) -> int:
    """Look up the call's last seq, 0 where there is no such call."""
    found = db.execute("SELECT seq FROM calls WHERE call = ?", (call,)).fetchone()
    return found[0] if found else 0


def calls(db: sqlite3.Connection) -> list[CallInfo]:
    """List the calls, newest activity first."""
    found = db.execute(
        "SELECT call, agent, seq, opened_at, last_at, ended FROM calls ORDER BY last_at DESC, no DESC"
    ).fetchall()
    return [CallInfo(call, agent, seq, opened, last, bool(ended)) for call, agent, seq, opened, last, ended in found]


def acquire(db: sqlite3.Connection, call: str, owner: str, seconds: float, *, now: float, process: Process) -> Lease:
    """Lease a call that no living owner holds.

    Raises:
        CallIsOwned: one does.
    """
    _check_free(db, call, now)
    found = db.execute("SELECT token FROM leases WHERE call = ?", (call,)).fetchone()
    token = found[0] + 1 if found else 1
    db.execute("REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?, ?)", (call, token, owner, now + seconds, *process))
    return Lease(call, owner, token)


def renew(db: sqlite3.Connection, lease: Lease, expires_at: float) -> None:
    """Prolong a lease.

    Raises:
        LeaseLost: it is no longer the call's.
    """
    changed = db.execute(
        "UPDATE leases SET expires_at = ? WHERE call = ? AND token = ? AND owner IS NOT NULL",
        (expires_at, lease.call, lease.token),
    ).rowcount
    if not changed:
        raise LeaseLost(lease.call)


def release(db: sqlite3.Connection, leases: Iterable[Lease]) -> None:
    """Let go of leases; those that were lost are passed over."""
    for lease in leases:
        db.execute("UPDATE leases SET owner = NULL WHERE call = ? AND token = ?", (lease.call, lease.token))


def erase(
    db: sqlite3.Connection,
    path: Path,
    call: str,
    scrub: Callable[[Sequence[Record]], Sequence[Entry]],
    *,
    now: float,
) -> tuple[int, int]:
    """Replace a call's records by scrubbed ones; gives how many were private, and the call's last seq.

    Raises:
        CallIsOwned: a living owner holds the call.
        CallNotFound: there is no such call.
    """
    found = db.execute("SELECT no, seq FROM calls WHERE call = ?", (call,)).fetchone()
    if found is None:
        raise CallNotFound(call, where=str(path))
    _check_free(db, call, now)
    records = _records(db, path, call, found, 1)
    after = erased(call, records, scrub(tuple(records)))
    changed = [new for old, new in zip(records, after, strict=False) if old.private or old.entry is not new.entry]
    db.execute("DELETE FROM private WHERE call = ?", (found[0],))
    if changed:
        db.executemany(
            "UPDATE entries SET ts = ?, type = ?, agent = ?, data = ?, crc = ? WHERE seq = ? AND call = ?",
            [(*row[1:], row[0], found[0]) for row in rows_of(changed).entries],
        )
    if len(after) > len(records):
        _insert(db, found[0], rows_of(after[len(records) :]))
    whole = rows_of(after)
    db.execute(
        "UPDATE calls SET agent = ?, seq = ?, opened_at = ?, last_at = ?, ended = ended OR ? WHERE no = ?",
        (whole.agent, len(after), whole.first_ts, whole.last_ts, whole.ended, found[0]),
    )
    return sum(record.private is not None for record in records), len(after)


def _insert(db: sqlite3.Connection, no: int | None, rows: Rows) -> None:
    for start in range(0, len(rows.entries), _HANDFUL):
        handful = rows.entries[start : start + _HANDFUL]
        db.execute(_INSERT[len(handful)], [value for row in handful for value in (no, *row)])
    if rows.private:
        db.executemany(_INSERT_PRIVATE, [(no, *row) for row in rows.private])


def _check_free(db: sqlite3.Connection, call: str, now: float) -> None:
    found = db.execute(
        "SELECT owner, expires_at, place, pid, started FROM leases WHERE call = ? AND owner IS NOT NULL", (call,)
    ).fetchone()
    if found is None:
        return
    owner, expires_at, *process = found
    if expires_at > now and not is_gone(Process(*process)):
        raise CallIsOwned(call, owner, expires_at - now)


def _records(db: sqlite3.Connection, path: Path, call: str, numbers: tuple[int, int], from_seq: int) -> list[Record]:
    """Read and check the records from a seq to the last one, which is the second of the call's `numbers`."""
    no, last = numbers
    # Fetched at once: a cursor that an error leaves half-way, and its traceback alive, would keep old pages in use.
    hidden = db.execute("SELECT seq, data, secrets FROM private WHERE call = ? AND seq >= ?", (no, from_seq)).fetchall()
    rows = db.execute(
        "SELECT seq, ts, type, agent, data, crc FROM entries WHERE call = ? AND seq >= ? ORDER BY seq", (no, from_seq)
    ).fetchall()
    beside = {seq: (data, secrets) for seq, data, secrets in hidden}
    records: list[Record] = []
    for expected, (seq, ts, kind, agent, data, crc) in enumerate(rows, from_seq):
        if seq != expected:
            raise damaged(path, f"call {call!r}: entry {expected} is missing")
        try:
            private, secrets = None, None
            if seq in beside:
                whole, secrets = beside[seq]
                private = Private(whole, _decode_secrets(secrets))
            intact = _crc(seq, ts, kind, agent, data, private, secrets) == crc
        except (TypeError, ValueError, struct.error):  # not even of the types that were written
            intact = False
        if not intact:
            raise damaged(path, f"call {call!r}: entry {seq} is not what was written")
        records.append(Record(Entry(seq, ts, call, agent, kind, False, Raw(data)), private))
    if from_seq + len(records) != last + 1:
        raise damaged(path, f"call {call!r}: entry {from_seq + len(records)} is missing")
    return records


def _crc(
    seq: int, ts: float, kind: str, agent: str, data: Raw | bytes, private: Private | None, secrets: bytes | None
) -> int:
    check = crc32(data, crc32(_pack(seq, ts) + f"{kind} {agent}".encode()))
    return check if private is None or secrets is None else crc32(secrets, crc32(private.data, check))
