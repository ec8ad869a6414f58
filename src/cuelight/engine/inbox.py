"""The one door of a call: what comes in is done in the order it came, one thing after another."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context
from typing import Any, NamedTuple, TypeVar

__all__ = ["Inbox"]

T = TypeVar("T")


class _Item(NamedTuple):
    """Something to be done: the work, whom it is told to, and the context variables of whoever put it in."""

    work: Callable[[], Awaitable[Any]]
    future: asyncio.Future[Any]
    context: Context


class Inbox:
    """Run what is put in, in order, never two at once.

    The work goes on when whoever waits for it goes away: a caller that hangs up does not undo a turn.

    Args:
        stopped_by: is told what asks the whole program to stop, where it came out of the work.
    """

    def __init__(self, stopped_by: Callable[[BaseException], None]) -> None:
        self._stopped_by = stopped_by
        self._queue: deque[_Item] = deque()
        self._overtaking: deque[_Item] = deque()
        self._worker: asyncio.Task[None] | None = None

    def put(self, work: Callable[[], Awaitable[T]], *, overtaking: bool = False) -> "asyncio.Future[T]":
        """Queue work; the future gets what comes of it. Cancelling the future does not touch the work.

        Args:
            work: what to do; it sees the context variables of whoever puts it in.
            overtaking: whether it comes before everything that has not begun.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        item = _Item(work, future, copy_context())
        (self._overtaking if overtaking else self._queue).append(item)
        if self._worker is None:
            self._begin()
        return future

    @property
    def idle(self) -> bool:
        """Tell whether nothing is being done and nothing waits."""
        return self._worker is None

    def _begin(self) -> None:
        first = (self._overtaking or self._queue)[0]
        self._worker = asyncio.get_running_loop().create_task(self._do_next(), context=first.context)

    async def _do_next(self) -> None:
        work, future, _ = (self._overtaking or self._queue).popleft()
        try:
            result = await work()
        except asyncio.CancelledError:
            future.cancel()
            raise
        except BaseException as error:  # the door stays open: the error belongs to whoever put this in
            if not isinstance(error, Exception):
                self._stopped_by(error)
            if not future.cancelled():
                future.set_exception(error)
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
        else:
            if not future.cancelled():
                future.set_result(result)
        finally:
            self._worker = None
            if self._overtaking or self._queue:
                self._begin()

    async def stop(self) -> None:
        """Drop what has not begun and cancel what has."""
        while self._overtaking or self._queue:
            (self._overtaking or self._queue).popleft().future.cancel()
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.wait({self._worker})
            self._worker = None
