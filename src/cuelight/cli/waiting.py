"""Waiting for a person or a pipe while the call lives on: leases are renewed, timers go off, ctrl-C is heard."""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

__all__ = ["Interrupts", "in_thread", "run"]

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Wait for something that blocks, in a thread that keeps nobody from leaving: given up, it blocks on unheard."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def settle(setter: Callable[[Any], None], value: Any) -> None:
        if not outcome.done():
            setter(value)

    def do() -> None:
        told: tuple[Callable[[Any], None], Any]
        try:
            told = (outcome.set_result, work())
        except BaseException as error:  # whatever it is, it belongs to whoever waits
            told = (outcome.set_exception, error)
        with contextlib.suppress(RuntimeError):  # the loop is gone, and with it whoever waited
            loop.call_soon_threadsafe(settle, *told)

    threading.Thread(target=do, daemon=True).start()
    return await outcome


class Interrupts:
    """Make of ctrl-C something that is called, at a moment when nothing is half done.

    Args:
        otherwise: what it does where nobody has said what it shall do.
    """

    def __init__(self, otherwise: Callable[[], object]) -> None:
        self._calls = [otherwise]

    @contextlib.contextmanager
    def calling(self, function: Callable[[], object]) -> Iterator[None]:
        """Call a function on ctrl-C while a `with` block runs."""
        self._calls.append(function)
        try:
            yield
        finally:
            self._calls.remove(function)

    def press(self) -> None:
        """Be ctrl-C."""
        self._calls[-1]()


def run(work: Callable[[Interrupts], Coroutine[Any, Any, T]]) -> T:
    """Run a command's coroutine to its end.

    Raises:
        KeyboardInterrupt: ctrl-C was pressed where it ends the command.
    """

    async def do() -> T:
        task = asyncio.current_task()
        assert task is not None
        interrupts = Interrupts(task.cancel)
        loop = asyncio.get_running_loop()
        # Where the system has no such thing, or the main thread is another, ctrl-C ends the command.
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(signal.SIGINT, interrupts.press)
        return await work(interrupts)

    try:
        return asyncio.run(do())
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error
