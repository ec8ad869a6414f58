"""Noticing what other connections commit, while somebody waits for it."""

import asyncio
import sqlite3
from collections.abc import Callable

__all__ = ["Watch"]

_EVERY_S = 0.05


class Watch:
    """Look now and then whether another connection has changed the database, and call back when one has.

    Args:
        db: the loop's connection.
        changed: looks what has changed; a `sqlite3.Error` of it is no harm, it is called again.
    """

    def __init__(self, db: sqlite3.Connection, changed: Callable[[], None]) -> None:
        self._db = db
        self._changed = changed
        self._version: int | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Look from now on; changes from before are not reported."""
        if self._timer is None:
            self._version = self._look()
            self._schedule()

    def stop(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _schedule(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_EVERY_S, self._tick)

    def _tick(self) -> None:
        self._schedule()
        version = self._look()
        if version is None or version != self._version:
            self._version = version
            self._changed()

    def _look(self) -> int | None:
        """Read a number that changes with the commits of others, None where it cannot be read just now."""
        try:
            version: int = self._db.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error:
            return None
        return version
