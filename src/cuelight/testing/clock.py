"""A clock that stands still until a test moves it."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

from cuelight.ports import Timer

__all__ = ["ManualClock"]

_SETTLING_CYCLES = 50  # turns of the loop in which what a moved clock set off gets done


class _Timer:
    __slots__ = ("callback",)

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Call it off."""
        self.callback = None


class ManualClock:
    """Tell the time a test has set, and call back what falls due when the test moves it.

    Args:
        now: unix seconds to start at.
    """

    def __init__(self, now: float = 1_767_225_600.0) -> None:
        self._now = now
        self._elapsed = 0.0
        self._timers: list[tuple[float, int, _Timer]] = []
        self._order = count()

    def now(self) -> float:
        """Unix seconds."""
        return self._now + self._elapsed

    def monotonic(self) -> float:
        """Seconds since the clock was made."""
        return self._elapsed

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back once the clock has been moved that far."""
        timer = _Timer(callback)
        heapq.heappush(self._timers, (self._elapsed + max(0.0, seconds), next(self._order), timer))
        return timer

    async def advance(self, seconds: float) -> None:
        """Move the clock: what falls due on the way is called in its order, and what that sets off gets done.

        Raises:
            ValueError: when the seconds are negative.
        """
        if seconds < 0:
            raise ValueError(f"A clock moves forward; {seconds} s is backward.")
        end = self._elapsed + seconds
        await _settle()
        while self._timers and self._timers[0][0] <= end:
            due, _, timer = heapq.heappop(self._timers)
            if timer.callback is None:
                continue
            self._elapsed = max(self._elapsed, due)
            callback, timer.callback = timer.callback, None
            callback()
            await _settle()
        self._elapsed = end
        await _settle()


async def _settle() -> None:
    for _ in range(_SETTLING_CYCLES):
        await asyncio.sleep(0)
