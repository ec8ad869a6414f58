"""Those who wait for a call to grow."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Waiters"]


class Waiters:
    """Wake whoever waits for entries, each once, on the loop they wait on."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[tuple[int, asyncio.Future[int]]]] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def calls(self) -> list[str]:
        """The calls that somebody waits for."""
        return list(self._waiting)

    @contextmanager
    def waiting(self, call: str, after_seq: int) -> Iterator[asyncio.Future[int]]:
        """Wait within the block: its future holds the call's last seq once that is beyond `after_seq`.

        Enter it before looking at the medium, so that nothing appended meanwhile is missed.
        """
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        place = (after_seq, future)
        self._waiting.setdefault(call, []).append(place)
        try:
            yield future
        finally:
            if not future.cancel() and not future.cancelled():
                future.exception()  # looked at, so that asyncio does not complain of an error nobody awaits any more
            places = self._waiting[call]
            places.remove(place)
            if not places:
                del self._waiting[call]

    def grown(self, call: str, seq: int) -> None:
        """Wake those whom the call's new last seq concerns."""
        for after_seq, future in self._waiting.get(call, ()):
            if seq > after_seq and not future.done():
                future.set_result(seq)

    def fail(self, why: Exception) -> None:
        """Wake everybody with an error."""
        for places in self._waiting.values():
            for _, future in places:
                if not future.done():
                    future.set_exception(why)
