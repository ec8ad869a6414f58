"""Waiting for a database that somebody else keeps locked: in threads, never on the loop."""

import sqlite3
import time
from collections.abc import Callable
from typing import TypeVar

from cuelight.stores.sqlite.errors import is_busy

__all__ = ["patiently"]

T = TypeVar("T")

_PAUSE_S = 0.002


def patiently(work: Callable[[], T], *, patience: float) -> T:
    """Do some work again and again while the database is busy, for that many seconds; then its error passes through.

    Connections have no timeout of their own: SQLite does not wait in every case, and waits in some with a lock held.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            return work()
        except sqlite3.Error as why:
            if not is_busy(why) or time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE_S)
