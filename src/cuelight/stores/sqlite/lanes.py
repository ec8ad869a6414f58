"""Threads with a connection of their own: what would hold the loop up is done there."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from cuelight.stores.sqlite.errors import is_busy
from cuelight.stores.sqlite.patience import patiently

__all__ = ["Job", "Lane", "Writer", "transact"]

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], T]


def transact(db: sqlite3.Connection, job: Job[T]) -> T:
    """Run a job that writes, in one transaction: all it wrote is stored, or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        result = job(db)
        db.execute("COMMIT")
    except BaseException:  # whatever stopped it, nothing half done stays behind
        db.rollback()
        raise
    return result


class Lane:
    """Run jobs one after another, in the order they came, in a thread that starts with the first of them.

    A busy database is waited for, `patience` seconds long.

    Args:
        name: the thread's.
        db: a connection that from now on is the lane's alone.
        patience: in seconds.
    """

    def __init__(self, name: str, db: sqlite3.Connection, *, patience: float) -> None:
        self._db = db
        self._patience = patience
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)

    def submit(self, job: Job[T]) -> "Future[T]":
        """Queue a job; its future holds what it returns or raises, and cancelling that withdraws a job not begun."""
        return self._pool.submit(self._run, job)

    async def close(self) -> None:
        """Finish what is queued, then end the thread and its connection."""
        await asyncio.wrap_future(self._pool.submit(self._db.close))
        self._pool.shutdown()

    def _run(self, job: Job[T]) -> T:
        return patiently(lambda: job(self._db), patience=self._patience)


class Writer(Lane):
    """Commit jobs in the order they came, those that wait together in one transaction.

    A job that raises is undone and takes nothing with it.
    """

    def __init__(self, name: str, db: sqlite3.Connection, *, patience: float) -> None:
        super().__init__(name, db, patience=patience)
        self._queue: deque[tuple[Job[Any], Future[Any]]] = deque()

    def submit(self, job: Job[T]) -> "Future[T]":
        """Queue a job; its future is done when it is committed."""
        future: Future[T] = Future()
        self._queue.append((job, future))
        self._pool.submit(self._commit_queued)
        return future

    def _commit_queued(self) -> None:
        group: list[tuple[Job[Any], Future[Any]]] = []
        while self._queue:
            job, future = self._queue.popleft()
            if future.set_running_or_notify_cancel():
                group.append((job, future))
        try:
            self._commit(group)
        except Exception as why:  # whatever it was, somebody awaits it
            if len(group) == 1 or is_busy(why):
                for _, future in group:
                    future.set_exception(why)
                return
            # One of them made the medium refuse: each gets a transaction, and an outcome, of its own.
            for one in group:
                try:
                    self._commit([one])
                except Exception as its:
                    one[1].set_exception(its)

    def _commit(self, group: list[tuple[Job[Any], Future[Any]]]) -> None:
        if not group:
            return
        jobs = [job for job, _ in group]
        outcomes = self._run(lambda db: transact(db, lambda db: _each(db, jobs)))
        for (_, future), (result, why) in zip(group, outcomes, strict=True):
            if why is None:
                future.set_result(result)
            else:
                future.set_exception(why)


def _each(db: sqlite3.Connection, jobs: Sequence[Job[Any]]) -> list[tuple[Any, Exception | None]]:
    outcomes: list[tuple[Any, Exception | None]] = []
    for job in jobs:
        db.execute("SAVEPOINT job")
        try:
            outcomes.append((job(db), None))
        except sqlite3.Error:
            raise
        except Exception as why:  # its caller's, like a conflict
            db.execute("ROLLBACK TO job")
            outcomes.append((None, why))
        db.execute("RELEASE job")
    return outcomes
