"""An event loop in a thread beside the main one, which is then free to wait for a person or a pipe."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar

__all__ = ["LoopThread"]

T = TypeVar("T")


class LoopThread:
    """Run coroutines for the main thread; leases are renewed and timers go off while it waits for input."""

    def __init__(self) -> None:
        self._ready = threading.Event()
        # A daemon: whoever gives up waiting for a tool that hangs shall be able to leave.
        self._thread = threading.Thread(target=self._run, name="cuelight-loop", daemon=True)

    def __enter__(self) -> "LoopThread":
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def start(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start a coroutine on the loop; waiting for its result can be broken off without stopping it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop to its end; broken off by ctrl-C, it is cancelled."""
        future = self.start(work)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def call(self, function: Callable[..., object], *args: Any) -> None:
        """Call a function on the loop, soon."""
        self._loop.call_soon_threadsafe(function, *args)

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._over = asyncio.Event()
        self._ready.set()
        await self._over.wait()
