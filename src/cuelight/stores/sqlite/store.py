"""The store in one SQLite file: which thread does what."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TypeVar

from cuelight.errors import StoreUnusable
from cuelight.ports import CallInfo, Lease, Record
from cuelight.stores.owners import this_process
from cuelight.stores.rules import check_append, closed
from cuelight.stores.sqlite import statements
from cuelight.stores.sqlite.errors import FOREIGN, is_busy, unusable
from cuelight.stores.sqlite.file import MIGRATIONS, connect, prepare
from cuelight.stores.sqlite.lanes import Job, Lane, Writer, transact
from cuelight.stores.sqlite.upkeep import checkpoint, forget
from cuelight.stores.sqlite.watch import Watch
from cuelight.stores.waiting import Waiters
from cuelight.wire import Entry

__all__ = ["SqliteStore"]

T = TypeVar("T")

_AT_ONCE = 500  # records that are read or written on the loop: a few milliseconds
_CHECKPOINT_EVERY = 250  # commits: about a thousand pages

_log = logging.getLogger(__name__)


class SqliteStore:
    """Keep calls in one SQLite file, which several processes may share.

    A short write is committed at once on the loop's thread; when another process is writing, and always where
    `durable`, it goes to a thread that waits its turn, and later writes go behind it. What was appended survives the
    death of the process. After a power failure the log may end some entries earlier than was acknowledged, whole in
    itself; with `durable` it does not.

    Belongs to one event loop at a time. Close it when done.

    Args:
        path: the file; it and its folders are made where missing, readable for this user alone.
        durable: wait for the disk at each commit.
        now: tells the time in unix seconds, by which leases expire.
        patience: how many seconds to wait for a database that another process keeps locked.

    Raises:
        StoreUnusable: when the file is no database of Cuelight's, a damaged or a newer one, or cannot be written;
            and for `:memory:`, which is no file.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        durable: bool = False,
        now: Callable[[], float] = time.time,
        patience: float = 30.0,
    ) -> None:
        if str(path) == ":memory:":
            raise StoreUnusable("SqliteStore(':memory:') would be a file of that name. Use MemoryStore() instead.")
        self._path = Path(path).absolute()
        self._durable = durable
        self._now = now
        self._patience = patience
        prepare(self._path, patience=patience)
        synchronous = "FULL" if durable else "NORMAL"
        self._db, writer, aside = connect(self._path, 3, synchronous=synchronous, patience=patience)
        self._writer = Writer("cuelight-writer", writer, patience=patience)
        self._aside = Lane("cuelight-aside", aside, patience=patience)
        self._queued = 0  # jobs the writer has not settled; while there are any, new ones go behind them
        self._uncheckpointed = 0  # commits since the last checkpoint began
        self._checkpoint: Future[None] | None = None
        self._waiters = Waiters()
        self._watch = Watch(self._db, self._changed)
        self._leases: set[Lease] = set()
        self._closed = False

    @property
    def schema(self) -> int:
        """The version of the file's schema, which opening it has brought up to date."""
        return len(MIGRATIONS)

    async def append(
        self, call: str, expected_seq: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> None:
        """Append records in one transaction: all of them or none; appending nothing checks and does nothing.

        Cancelled while it waits for a busy database, it may have been written or not: the log tells.

        Raises:
            BadEntry: an entry is ephemeral, of another call, does not follow the one before it, or holds what SQLite
                cannot (a lone surrogate, a number beyond 64 bits).
            LeaseLost: when `lease` is given and was released, or another owner has taken the call since.
            SeqConflict: when the call's last entry is not `expected_seq`.
            StoreUnusable: when the file cannot be written, or the store is closed.
        """
        self._check_open()
        check_append(call, expected_seq, records)
        if not records:
            return
        rows = statements.rows_of(records)
        job = partial(statements.append, call=call, expected_seq=expected_seq, rows=rows, lease=lease)
        await self._write(job, at_once=len(records) <= _AT_ONCE)
        self._waiters.grown(call, expected_seq + len(records))

    async def read(self, call: str, from_seq: int = 1) -> list[Record]:
        """Give the call's records from a seq on, in order; an unknown call has none.

        Raises:
            StoreUnusable: when one of them is damaged or missing, the file cannot be read, or the store is closed.
        """
        job = partial(statements.read, path=self._path, call=call, from_seq=from_seq)
        records = await self._read(partial(job, most=_AT_ONCE))
        if records is None:
            records = await self._beside(job)
        return records or []

    async def calls(self) -> list[CallInfo]:
        """List the stored calls, newest activity first: by the ts of their last entry.

        Raises:
            StoreUnusable: when the file cannot be read, or the store is closed.
        """
        return await self._beside(statements.calls)

    async def acquire(self, call: str, owner: str, *, seconds: float) -> Lease:
        """Lease a call (which need not exist yet) to one owner for that long, counted from now.

        The lease of a process of this machine that has died is free at once.

        Raises:
            CallIsOwned: when a living owner holds it, whatever its name.
            StoreUnusable: when the file cannot be written, or the store is closed.
        """
        granted: list[Lease] = []

        def job(db: sqlite3.Connection) -> Lease:
            lease = statements.acquire(db, call, owner, seconds, now=self._now(), process=this_process())
            granted[:] = [lease]
            return lease

        try:
            lease = await self._write(job)
        except asyncio.CancelledError:
            # Nobody will know of this lease; behind the job in the writer's queue it is either there or not.
            if not self._closed:
                self._writer.submit(partial(statements.release, leases=granted))
            raise
        self._leases.add(lease)
        return lease

    async def renew(self, lease: Lease, *, seconds: float) -> None:
        """Prolong a lease, also one that has expired as long as nobody took the call.

        Raises:
            LeaseLost: when it was released, or another owner has taken the call since.
            StoreUnusable: when the file cannot be written, or the store is closed.
        """
        await self._write(partial(statements.renew, lease=lease, expires_at=self._now() + seconds))

    async def release(self, lease: Lease) -> None:
        """Let go of a call; a lease that was lost already is no error.

        Raises:
            StoreUnusable: when the file cannot be written, or the store is closed.
        """
        await self._write(partial(statements.release, leases=[lease]))
        self._leases.discard(lease)

    async def wait(self, call: str, after_seq: int) -> int:
        """Return the call's last seq as soon as it is beyond `after_seq`; the call need not exist yet.

        What this store appends wakes at once, what others append within about 50 ms.

        Raises:
            StoreUnusable: when the file cannot be read, or the store is closed, also while waiting.
        """
        self._check_open()
        try:
            with self._waiters.waiting(call, after_seq) as grown:
                self._watch.start()
                last = await self._read(partial(statements.last_seq, call=call))
                return last if last > after_seq else await grown
        finally:
            if not self._waiters:
                self._watch.stop()

    async def erase(self, call: str, scrub: Callable[[Sequence[Record]], Sequence[Entry]]) -> int:
        """Delete the private values of a call and put the scrubbed entries in their entries' places.

        Both in one transaction; then the file is written anew (about a second for 100 MB, in which other writes
        wait), so that no byte of it still holds them.

        Args:
            call: the call.
            scrub: is given every record and returns the entries that replace those of the same seq; it may add new
                ones at the end. Runs in a thread. What it raises passes through, and nothing is erased.

        Returns:
            How many records had private values.

        Raises:
            BadEntry: `scrub` gave an entry that belongs nowhere in the log, or holds what SQLite cannot.
            CallIsOwned: when a living owner holds the call.
            CallNotFound: when there is no such call.
            StoreUnusable: when the file cannot be written, a reader keeps old bytes alive (the message says so; erase
                again when it has ended), or the store is closed.
        """
        job = partial(statements.erase, path=self._path, call=call, scrub=scrub, now=self._now())
        count, last = await self._hand_over(job)
        self._waiters.grown(call, last)
        await self._beside(partial(forget, path=self._path, patience=self._patience))
        return count

    async def close(self) -> None:
        """Let go of the file and of every lease taken through this store; what was appended stays.

        Writes under way are finished; those who wait are told. Closing again does nothing.

        Raises:
            StoreUnusable: when the file failed at the last moment; the store is closed all the same.
        """
        if self._closed:
            return
        self._closed = True
        self._watch.stop()
        self._waiters.fail(closed())
        try:
            if self._leases:
                await self._settled(self._writer.submit(partial(statements.release, leases=self._leases)))
            # The last connection to close clears up after all, which may take a while: not the loop's.
            await self._settled(self._aside.submit(checkpoint))
        finally:
            self._db.close()
            await self._writer.close()
            await self._aside.close()

    def _check_open(self) -> None:
        if self._closed:
            raise closed()

    async def _write(self, job: Job[T], *, at_once: bool = True) -> T:
        self._check_open()
        if at_once and not self._durable and not self._queued:
            try:
                result = transact(self._db, job)
            except FOREIGN as why:
                if not is_busy(why):
                    raise unusable(why, self._path) from why
            else:
                self._wrote()
                return result
        return await self._hand_over(job)

    async def _hand_over(self, job: Job[T]) -> T:
        self._check_open()
        self._queued += 1
        try:
            result = await self._settled(self._writer.submit(job))
        finally:
            self._queued -= 1
        self._wrote()
        return result

    async def _read(self, job: Job[T]) -> T:
        self._check_open()
        try:
            return job(self._db)
        except FOREIGN as why:
            if not is_busy(why):
                raise unusable(why, self._path) from why
        return await self._beside(job)

    async def _beside(self, job: Job[T]) -> T:
        self._check_open()
        return await self._settled(self._aside.submit(job))

    async def _settled(self, future: "Future[T]") -> T:
        try:
            return await asyncio.wrap_future(future)
        except FOREIGN as why:
            raise unusable(why, self._path) from why

    def _wrote(self) -> None:
        self._uncheckpointed += 1
        idle = not self._closed and (self._checkpoint is None or self._checkpoint.done())
        if self._uncheckpointed >= _CHECKPOINT_EVERY and idle:
            self._uncheckpointed = 0
            self._checkpoint = self._aside.submit(checkpoint)
            self._checkpoint.add_done_callback(self._report)

    def _report(self, checkpoint: "Future[None]") -> None:
        # Nobody awaits it and nothing is lost: commits stay in the write-ahead log until a later checkpoint moves them.
        if why := checkpoint.exception():
            _log.warning("The store %s could not move its write-ahead log: %s", self._path, why)

    def _changed(self) -> None:
        """Tell those who wait what another connection has appended."""
        for call in self._waiters.calls:
            try:
                self._waiters.grown(call, statements.last_seq(self._db, call))
            except FOREIGN as why:
                if not is_busy(why):
                    self._waiters.fail(unusable(why, self._path))
