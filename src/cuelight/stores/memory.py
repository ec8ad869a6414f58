"""The store of one process: as fast as a list, gone when the process ends."""

import time
from collections.abc import Callable, Sequence

from cuelight.errors import CallIsOwned, CallNotFound, LeaseLost, SeqConflict
from cuelight.ports import CallInfo, Lease, Record
from cuelight.stores.rules import check_append, closed, erased, is_end
from cuelight.stores.waiting import Waiters
from cuelight.wire import Entry

__all__ = ["MemoryStore"]


class _Log:
    """The records of one call."""

    __slots__ = ("ended", "records")

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.ended = False


class _Holder:
    """The last lease of one call; free where `owner` is None."""

    __slots__ = ("expires_at", "owner", "token")

    def __init__(self) -> None:
        self.token = 0
        self.owner: str | None = None
        self.expires_at = 0.0


class MemoryStore:
    """Keep calls in memory, with everything that a lasting store guarantees but lasting.

    For tests and for calls nobody needs afterwards. Belongs to one event loop at a time.

    Args:
        now: tells the time in unix seconds, by which leases expire.
    """

    def __init__(self, *, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._logs: dict[str, _Log] = {}
        self._holders: dict[str, _Holder] = {}
        self._waiters = Waiters()
        self._closed = False

    async def append(
        self, call: str, expected_seq: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> None:
        """Append records: all of them or none; appending nothing checks and does nothing.

        Raises:
            BadEntry: an entry is ephemeral, of another call, or does not follow the one before it.
            LeaseLost: when `lease` is given and was released, or another owner has taken the call since.
            SeqConflict: when the call's last entry is not `expected_seq`.
            StoreUnusable: when the store is closed.
        """
        self._check_open()
        check_append(call, expected_seq, records)
        if not records:
            return
        if lease is not None:
            self._held(lease, call)
        log = self._logs.get(call)
        actual = len(log.records) if log else 0
        if actual != expected_seq:
            raise SeqConflict(call, expected_seq, actual)
        if log is None:
            log = self._logs[call] = _Log()
        log.records.extend(records)
        for record in records:
            if is_end(record.entry):
                log.ended = True
        self._waiters.grown(call, len(log.records))

    async def read(self, call: str, from_seq: int = 1) -> list[Record]:
        """Give the call's records from a seq on, in order; an unknown call has none.

        Raises:
            StoreUnusable: when the store is closed.
        """
        self._check_open()
        log = self._logs.get(call)
        return log.records[max(from_seq, 1) - 1 :] if log else []

    async def calls(self) -> list[CallInfo]:
        """List the stored calls, newest activity first: by the ts of their last entry.

        Raises:
            StoreUnusable: when the store is closed.
        """
        self._check_open()
        infos = [_info(call, log) for call, log in self._logs.items()]
        infos.reverse()
        return sorted(infos, key=lambda info: info.last_at, reverse=True)

    async def acquire(self, call: str, owner: str, *, seconds: float) -> Lease:
        """Lease a call (which need not exist yet) to one owner for that long, counted from now.

        Raises:
            CallIsOwned: when a living owner holds it, whatever its name.
            StoreUnusable: when the store is closed.
        """
        self._check_open()
        self._check_free(call)
        holder = self._holders.setdefault(call, _Holder())
        holder.token += 1
        holder.owner = owner
        holder.expires_at = self._now() + seconds
        return Lease(call, owner, holder.token)

    async def renew(self, lease: Lease, *, seconds: float) -> None:
        """Prolong a lease, also one that has expired as long as nobody took the call.

        Raises:
            LeaseLost: when it was released, or another owner has taken the call since.
            StoreUnusable: when the store is closed.
        """
        self._check_open()
        self._held(lease, lease.call).expires_at = self._now() + seconds

    async def release(self, lease: Lease) -> None:
        """Let go of a call; a lease that was lost already is no error.

        Raises:
            StoreUnusable: when the store is closed.
        """
        self._check_open()
        holder = self._holders.get(lease.call)
        if holder is not None and holder.token == lease.token:
            holder.owner = None

    async def wait(self, call: str, after_seq: int) -> int:
        """Return the call's last seq as soon as it is beyond `after_seq`; the call need not exist yet.

        Raises:
            StoreUnusable: when the store is closed, also while waiting.
        """
        self._check_open()
        log = self._logs.get(call)
        last = len(log.records) if log else 0
        if last > after_seq:
            return last
        with self._waiters.waiting(call, after_seq) as grown:
            return await grown

    async def erase(self, call: str, scrub: Callable[[Sequence[Record]], Sequence[Entry]]) -> int:
        """Delete the private values of a call and put the scrubbed entries in their entries' places, at once.

        Args:
            call: the call.
            scrub: is given every record and returns the entries that replace those of the same seq; it may add new
                ones at the end. What it raises passes through, and nothing is erased.

        Returns:
            How many records had private values.

        Raises:
            BadEntry: `scrub` gave an entry that belongs nowhere in the log.
            CallIsOwned: when a living owner holds the call.
            CallNotFound: when there is no such call.
            StoreUnusable: when the store is closed.
        """
        self._check_open()
        log = self._logs.get(call)
        if log is None:
            raise CallNotFound(call)
        self._check_free(call)
        records = log.records
        log.records = erased(call, records, scrub(tuple(records)))
        log.ended = log.ended or any(is_end(record.entry) for record in log.records)
        self._waiters.grown(call, len(log.records))
        return sum(record.private is not None for record in records)

    async def close(self) -> None:
        """End the store; those who wait are told. Closing again does nothing."""
        self._closed = True
        self._waiters.fail(closed())

    def _check_open(self) -> None:
        if self._closed:
            raise closed()

    def _check_free(self, call: str) -> None:
        holder = self._holders.get(call)
        if holder is None or holder.owner is None:
            return
        left = holder.expires_at - self._now()
        if left > 0:
            raise CallIsOwned(call, holder.owner, left)

    def _held(self, lease: Lease, call: str) -> _Holder:
        holder = self._holders.get(call)
        if holder is None or holder.owner is None or (call, holder.token) != (lease.call, lease.token):
            raise LeaseLost(call)
        return holder


def _info(call: str, log: _Log) -> CallInfo:
    first, last = log.records[0].entry, log.records[-1].entry
    return CallInfo(call, last.agent, last.seq, first.ts, last.ts, log.ended)
