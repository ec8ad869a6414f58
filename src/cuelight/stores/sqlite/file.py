"""The database file: made, opened, checked, and brought to today's schema."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from cuelight.errors import StoreUnusable
from cuelight.stores.sqlite.errors import FOREIGN, damaged, no_database, unusable
from cuelight.stores.sqlite.patience import patiently

__all__ = ["MIGRATIONS", "connect", "migrate", "prepare"]

APPLICATION_ID = 0x4355454C  # "CUEL", so that the `file` command and we tell our databases from others

_MAGIC = b"SQLite format 3\x00"

# One element a schema version, each a list of statements that lead from the version before; only ever add to the end.
#
# Entries are kept in the order of their arrival (a table with a rowid) and found by an index: inserting touches the
# last page, whatever the number of calls. `ts` has no declared type, so that a whole number stays one. `crc` covers
# an entry and its private part: SQLite itself does not notice a damaged value.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE calls (
            no INTEGER PRIMARY KEY, call TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, seq INTEGER NOT NULL,
            opened_at NOT NULL, last_at NOT NULL, ended INTEGER NOT NULL)""",
        """CREATE TABLE entries (
            call INTEGER NOT NULL, seq INTEGER NOT NULL, ts NOT NULL, type TEXT NOT NULL, agent TEXT NOT NULL,
            data BLOB NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (call, seq))""",
        """CREATE TABLE private (
            call INTEGER NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL, secrets BLOB NOT NULL,
            PRIMARY KEY (call, seq))""",
        """CREATE TABLE leases (
            call TEXT PRIMARY KEY, token INTEGER NOT NULL, owner TEXT, expires_at REAL NOT NULL,
            place TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL) WITHOUT ROWID""",
    ),
)


def prepare(path: Path, *, patience: float) -> None:
    """Make the file and its folders where they are missing, for this user alone, and bring its schema up to date.

    Raises:
        StoreUnusable: it is no database of ours, a damaged or a newer one, or cannot be written.
    """
    try:
        _make(path)
        patiently(partial(_bring_up, path), patience=patience)
    except (*FOREIGN, OSError) as why:
        raise unusable(why, path) from why


def connect(path: Path, count: int, *, synchronous: str, patience: float) -> list[sqlite3.Connection]:
    """Open connections to a file that was prepared; they wait for no lock, and one thread at a time may use each.

    Args:
        path: the file.
        count: how many.
        synchronous: NORMAL keeps every commit when the process dies, FULL also when the power fails.
        patience: how many seconds to wait here while others keep it locked, as the last to close it does.

    Raises:
        StoreUnusable: the file is gone, cannot be opened or stays locked.
    """
    opened: list[sqlite3.Connection] = []
    try:
        for _ in range(count):
            opened.append(_connect(path))
            patiently(partial(_set_up, opened[-1], synchronous), patience=patience)
    except FOREIGN as why:
        for db in opened:
            db.close()
        raise unusable(why, path) from why
    return opened


def migrate(db: sqlite3.Connection, path: Path, migrations: Sequence[Sequence[str]] = MIGRATIONS) -> None:
    """Lead the schema from the version it has to the last one, in one transaction.

    Raises:
        StoreUnusable: the database is newer, or another program's.
    """
    if _version(db, path, len(migrations)) == len(migrations):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        # Looked at again under the lock: another process may have been first.
        for statements in migrations[_version(db, path, len(migrations)) :]:
            for statement in statements:
                db.execute(statement)
        db.execute(f"PRAGMA application_id={APPLICATION_ID}")
        db.execute(f"PRAGMA user_version={len(migrations)}")
        db.execute("COMMIT")
    except BaseException:  # whatever stopped it, nothing half done stays behind
        db.rollback()
        raise


def _connect(path: Path) -> sqlite3.Connection:
    # As an address, so that a file that has gone meanwhile is not made anew without its tables.
    address = f"{path.as_uri()}?mode=rw"
    return sqlite3.connect(address, uri=True, timeout=0, isolation_level=None, check_same_thread=False)


def _set_up(db: sqlite3.Connection, synchronous: str) -> None:
    db.execute(f"PRAGMA synchronous={synchronous}")
    db.execute("PRAGMA wal_autocheckpoint=0")
    # A log that a slow reader made long gives its room back once it is emptied.
    db.execute(f"PRAGMA journal_size_limit={32 * 1024 * 1024}")
    db.execute("PRAGMA secure_delete=ON")


def _bring_up(path: Path) -> None:
    with closing(_connect(path)) as db:
        _version(db, path, len(MIGRATIONS))  # before anything is written to what may be another program's
        if db.execute("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
            raise StoreUnusable(
                f"The store {path} is on a file system that cannot share memory between processes, which SQLite's "
                "write-ahead log needs. Name a file on a local disk."
            )
        migrate(db, path)
        _check(db, path)


def _version(db: sqlite3.Connection, path: Path, known: int) -> int:
    db.execute("SAVEPOINT version")  # one moment's view: another process may be making the tables just now
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    db.execute("RELEASE version")
    if application != APPLICATION_ID and (application or version or tables):
        raise StoreUnusable(
            f"The store {path} is a database of another program. Name another file; this one was left as it is."
        )
    if version > known:
        raise StoreUnusable(
            f"The store {path} was written by a newer Cuelight (schema {version}; this one knows up to {known}). "
            "Upgrade Cuelight (`pip install -U cuelight`), or name another file."
        )
    return version


def _make(path: Path) -> None:
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    # SQLite gives the files beside it the same rights.
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        head = os.read(file, len(_MAGIC))
    finally:
        os.close(file)
    if head and head != _MAGIC:  # SQLite would take a file of one byte for an empty one, and write over it
        raise no_database(path)


def _check(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a database whose small tables are damaged: through them a whole call could be missing silently.

    Entries are checked when they are read.
    """
    for table in ("calls", "leases"):
        found = db.execute(f"PRAGMA integrity_check('{table}')").fetchone()[0]
        if found != "ok":
            raise damaged(path, f"table {table}: {found}")
