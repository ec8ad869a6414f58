"""Threads for handlers that block.

A pool of its own, for two reasons: asyncio's default pool is small, so a few hung tools would starve every call of the
process; and its threads keep a process from ending. These are daemons, as many as are needed up to a bound.
"""

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from contextvars import Context
from queue import SimpleQueue
from typing import Any

__all__ = ["Threads"]

_Job = Callable[[], None]


class Threads:
    """Run blocking functions in threads, for coroutines that wait for them.

    Args:
        most: how many threads there may be; beyond that, functions wait for a free one.
    """

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._count = 0
        self._idle: list[SimpleQueue[_Job]] = []
        self._waiting: deque[_Job] = deque()
        self._lock = threading.Lock()

    def run(self, function: Callable[[], Any], context: Context, settle: Callable[..., None]) -> None:
        """Run a function in a thread and in a context.

        Args:
            function: what to run.
            context: the context variables it sees.
            settle: called on the current loop with "done", the value and None, or with "failed", None and the error.
        """
        loop = asyncio.get_running_loop()

        def job() -> None:
            told: tuple[str, Any, BaseException | None]
            try:
                told = ("done", context.run(function), None)
            except BaseException as error:  # whatever it is, it belongs to whoever waits
                told = ("failed", None, error)
            with contextlib.suppress(RuntimeError):  # the loop is gone, and everybody who waited with it
                loop.call_soon_threadsafe(settle, *told)

        self._submit(job)

    def _submit(self, job: _Job) -> None:
        with self._lock:
            if self._idle:
                self._idle.pop().put(job)
                return
            if self._count >= self._most:
                self._waiting.append(job)
                return
            self._count += 1
            number = self._count
        threading.Thread(target=self._work, args=(job,), name=f"cuelight-{number}", daemon=True).start()

    def _work(self, job: _Job) -> None:
        inbox: SimpleQueue[_Job] = SimpleQueue()
        while True:
            job()
            with self._lock:
                if self._waiting:
                    job = self._waiting.popleft()
                    continue
                self._idle.append(inbox)
            job = inbox.get()
