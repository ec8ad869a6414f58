"""SQLite's errors in the operator's words."""

import errno
import sqlite3
from pathlib import Path

from cuelight.errors import StoreDamaged, StoreUnusable

__all__ = ["FOREIGN", "damaged", "is_busy", "no_database", "unusable"]

# What the binding raises; the second where a damaged file gives it text, or an error message, that is no UTF-8.
FOREIGN = (sqlite3.Error, UnicodeDecodeError)

_DAMAGED = "is damaged. Restore it from a backup, or save what can be read with `sqlite3 FILE .recover`"
_DENIED = "may not be written by this user. Give it the rights to the file and its folder, or name another file"
_FULL = "could not be written: the disk or its quota is full. Make room; nothing of this was stored"
_INTERNAL = "met a fault of its own. Report it with this message"
_BUSY = "is kept locked by another process. End that process or wait for it, then try again"
_UNOPENED = "cannot be opened. Name a file in a folder that this user may write to"
_BROKEN = "could not be read or written: the disk or the network share failed. Check it, then try again"
_NO_DATABASE = "is no SQLite database. Name another file; this one was left as it is"

# By primary code; the extended ones (code >> 8) only say more closely where.
_REMEDIES: dict[int, str] = {
    sqlite3.SQLITE_ERROR: "has not the tables it should have. Name another file, or restore it from a backup",
    sqlite3.SQLITE_INTERNAL: _INTERNAL,
    sqlite3.SQLITE_PERM: _DENIED,
    sqlite3.SQLITE_ABORT: _INTERNAL,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_NOMEM: "needs more memory than there is. Give the process more",
    sqlite3.SQLITE_READONLY: _DENIED,
    sqlite3.SQLITE_INTERRUPT: _INTERNAL,
    sqlite3.SQLITE_IOERR: _BROKEN,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTFOUND: _INTERNAL,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_CANTOPEN: _UNOPENED,
    sqlite3.SQLITE_PROTOCOL: _BUSY,
    sqlite3.SQLITE_EMPTY: _INTERNAL,
    sqlite3.SQLITE_SCHEMA: "was changed by another program while in use. Open it again",
    sqlite3.SQLITE_TOOBIG: "cannot hold a value of this size (a thousand million bytes). Keep large values elsewhere",
    sqlite3.SQLITE_CONSTRAINT: _DAMAGED,
    sqlite3.SQLITE_MISMATCH: _DAMAGED,
    sqlite3.SQLITE_MISUSE: _INTERNAL,
    sqlite3.SQLITE_NOLFS: "is larger than its file system takes. Move it to another",
    sqlite3.SQLITE_AUTH: _DENIED,
    sqlite3.SQLITE_FORMAT: _DAMAGED,
    sqlite3.SQLITE_RANGE: _INTERNAL,
    sqlite3.SQLITE_NOTADB: _NO_DATABASE,
}

_OF_THE_SYSTEM: dict[int, str] = {
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.EROFS: _DENIED,
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
}


def unusable(why: Exception, path: Path) -> StoreUnusable:
    """Say what an error of SQLite or of the file system means for whoever runs the store."""
    if isinstance(why, OSError):
        remedy = _OF_THE_SYSTEM.get(why.errno or 0, _UNOPENED)
    else:
        # Errors of the binding itself have no code: a text that is no UTF-8, a value of the wrong type.
        remedy = _REMEDIES.get(_code(why), _DAMAGED)
    return StoreUnusable(f"The store {path} {remedy}. ({_reason(why)})")


def damaged(path: Path, where: str) -> StoreDamaged:
    """Say which part of a database that SQLite itself can read is not what was written."""
    return StoreDamaged(f"The store {path} {_DAMAGED}. ({where})")


def no_database(path: Path) -> StoreUnusable:
    """Refuse a file that holds something else."""
    return StoreUnusable(f"The store {path} {_NO_DATABASE}.")


def is_busy(why: Exception) -> bool:
    """Tell whether the same again may succeed in a moment."""
    return _code(why) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


def _code(why: Exception) -> int:
    return getattr(why, "sqlite_errorcode", 0) & 0xFF


def _reason(why: Exception) -> str:
    name = getattr(why, "sqlite_errorname", type(why).__name__)
    return f"{name}: {why}"
