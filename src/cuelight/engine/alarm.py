"""One timer for all that may take too long."""

from collections.abc import Callable

from cuelight.ports import Clock, Timer

__all__ = ["Alarm"]


class Alarm:
    """Ring when something takes too long; set anew for each thing, one at a time.

    A turn sets a bound for each request and each handler, and nearly all of them are called off in time. So the timer
    beneath is left as it is when the alarm is turned off, and looked at again when it fires: setting an alarm is then
    two assignments, where arming and cancelling a timer of the event loop costs as much as the rest of a request.

    Args:
        clock: the time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._timer: Timer | None = None
        self._fires_at = 0.0
        self._due = 0.0
        self._ring: Callable[[], None] | None = None

    @property
    def is_set(self) -> bool:
        """Tell whether it is in use."""
        return self._ring is not None

    def set(self, seconds: float, ring: Callable[[], None]) -> None:
        """Ring after that many seconds, unless it is turned off or set anew before."""
        self._due = self._clock.monotonic() + seconds
        self._ring = ring
        if self._timer is None:
            self._arm(seconds)
        elif self._due < self._fires_at:
            self._timer.cancel()
            self._arm(seconds)

    def off(self) -> None:
        """Do not ring."""
        self._ring = None

    def close(self) -> None:
        """Do not ring, and leave no timer behind."""
        self._ring = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, seconds: float) -> None:
        self._fires_at = self._due
        self._timer = self._clock.call_later(seconds, self._fire)

    def _fire(self) -> None:
        self._timer = None
        ring = self._ring
        if ring is None:
            return
        left = self._due - self._clock.monotonic()
        if left > 0:
            self._arm(left)
        else:
            self._ring = None
            ring()
