"""The machine's own clock."""

import asyncio
import time
from collections.abc import Callable

from cuelight.ports import Timer

__all__ = ["SystemClock"]


class SystemClock:
    """Tell the machine's time: `now` in unix seconds, `monotonic` in seconds that never go back."""

    now = staticmethod(time.time)
    monotonic = staticmethod(time.monotonic)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back on the running loop after that many seconds."""
        return asyncio.get_running_loop().call_later(seconds, callback)
