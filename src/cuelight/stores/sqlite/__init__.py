"""The store in one SQLite file."""

from cuelight.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
