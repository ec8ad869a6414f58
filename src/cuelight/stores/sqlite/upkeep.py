"""What a database file needs now and then, beside the loop."""

import sqlite3
import time
from pathlib import Path

from cuelight.errors import StoreUnusable
from cuelight.stores.sqlite.patience import patiently

__all__ = ["checkpoint", "forget"]

_LONG_LOG = 4_000  # pages of 4 KiB: 16 MB
_PAUSE_S = 0.01


def checkpoint(db: sqlite3.Connection) -> None:
    """Move committed pages from the write-ahead log to the database, blocking neither readers nor writers.

    The log begins anew only where a writer finds all of it moved; under a load that never pauses none would. So a long
    one is finished with the write lock held, for the few pages that have come since.
    """
    _, pages, _ = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    if pages > _LONG_LOG:
        db.execute("PRAGMA wal_checkpoint(FULL)").fetchone()


def forget(db: sqlite3.Connection, path: Path, *, patience: float) -> None:
    """Leave nothing of what was deleted in the files.

    SQLite's `secure_delete` clears the deleted rows, but not the copies that stay behind in a page when rows move to
    another: so the database is written anew, and the write-ahead log emptied.

    Raises:
        StoreUnusable: a reader kept the log from being emptied.
    """
    patiently(lambda: db.execute("VACUUM"), patience=patience)
    deadline = time.monotonic() + patience
    while db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        if time.monotonic() > deadline:
            raise StoreUnusable(
                f"The values are deleted from {path}, but another process still reads an older state of it, so their "
                f"bytes are still in {path.name}-wal. End that process, then erase again."
            )
        time.sleep(_PAUSE_S)
