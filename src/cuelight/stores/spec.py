"""From what an operator writes to the store that is meant."""

from pathlib import Path

from cuelight.errors import NotSetUp
from cuelight.ports import Store
from cuelight.stores.memory import MemoryStore
from cuelight.stores.sqlite import SqliteStore

__all__ = ["open_store", "store_file"]

_SQLITE = "sqlite:///"


def open_store(spec: str | Path) -> Store:
    """Open the store that a setting names.

    Args:
        spec: `memory` (or `:memory:`), the path of a SQLite file, or `sqlite:///` and that path; a leading `~` is the
            user's home. A `Path` is always a file.

    Raises:
        NotSetUp: the setting is empty or of another scheme.
        StoreUnusable: the store cannot be opened.
    """
    file = store_file(spec)
    return MemoryStore() if file is None else SqliteStore(file)


def store_file(spec: str | Path) -> Path | None:
    """Give the file of the store that a setting names; None where it is kept in memory.

    Raises:
        NotSetUp: the setting is empty or of another scheme.
    """
    if isinstance(spec, Path):
        return spec.expanduser()
    if spec in ("memory", ":memory:"):
        return None
    path = spec.removeprefix(_SQLITE)
    if not path or "://" in path:
        raise NotSetUp(
            f"{spec!r} names no store. Write the path of a file (`calls.sqlite3` or `{_SQLITE}calls.sqlite3`), or "
            "`memory` for calls that nobody needs afterwards."
        )
    return Path(path).expanduser()
