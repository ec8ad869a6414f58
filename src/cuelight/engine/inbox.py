"""The one door of a call: what comes in is done in the order it came, one thing after another."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

__all__ = ["Inbox"]

T = TypeVar("T")


class Inbox:
    """Run what is put in, in order, never two at once.

    The work goes on when whoever waits for it goes away: a caller that hangs up does not undo a turn.
    """

    def __init__(self) -> None:
        self._queue: deque[tuple[Callable[[], Awaitable[Any]], asyncio.Future[Any]]] = deque()
        self._worker: asyncio.Task[None] | None = None

    def put(self, work: Callable[[], Awaitable[T]]) -> "asyncio.Future[T]":
        """Queue work; the future gets what comes of it. Cancelling the future does not touch the work."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._queue.append((work, future))
        if self._worker is None:
            self._worker = loop.create_task(self._work())
        return future

    async def _work(self) -> None:
        try:
            while self._queue:
                work, future = self._queue.popleft()
                try:
                    result = await work()
                except asyncio.CancelledError:
                    future.cancel()
                    raise
                except Exception as error:  # the door stays open: the error belongs to whoever put this in
                    if not future.cancelled():
                        future.set_exception(error)
                else:
                    if not future.cancelled():
                        future.set_result(result)
        finally:
            self._worker = None

    async def drain(self) -> None:
        """Wait until nothing is left."""
        while self._worker is not None:
            await asyncio.wait({self._worker})

    async def stop(self) -> None:
        """Drop what has not begun and cancel what has."""
        while self._queue:
            self._queue.popleft()[1].cancel()
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.wait({self._worker})
