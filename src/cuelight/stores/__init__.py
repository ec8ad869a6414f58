"""Where the logs of calls are kept."""

from cuelight.stores.memory import MemoryStore
from cuelight.stores.spec import open_store
from cuelight.stores.sqlite import SqliteStore

__all__ = ["MemoryStore", "SqliteStore", "open_store"]
