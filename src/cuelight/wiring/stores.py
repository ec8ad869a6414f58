"""Which store keeps the calls."""

import os
from collections.abc import Mapping
from pathlib import Path

from cuelight.errors import NotSetUp, StoreUnusable
from cuelight.ports import Store
from cuelight.stores import open_store
from cuelight.stores.spec import store_file

__all__ = ["choose_store", "find_store", "store_setting"]

_STORE = "CUELIGHT_STORE"


def store_setting(named: str | None = None, *, environ: Mapping[str, str] = os.environ) -> str:
    """Say which store is meant: `named`, else `CUELIGHT_STORE`, else one file in the user's data folder.

    Raises:
        NotSetUp: nothing is named, and this user has no home.
    """
    if setting := named or environ.get(_STORE, "").strip():
        return setting
    folder = environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(folder):  # as the XDG specification has it: a relative one is ignored
        try:
            folder = str(Path.home() / ".local" / "share")
        except RuntimeError as error:
            raise NotSetUp(
                f"There is no home folder to keep calls in. Name a file for them: {_STORE}=calls.sqlite3 (or --store)."
            ) from error
    return str(Path(folder) / "cuelight" / "calls.sqlite3")


def choose_store(named: str | None = None, *, environ: Mapping[str, str] = os.environ) -> Store:
    """Open the store that is meant, and make it where it is missing.

    Raises:
        NotSetUp: the setting names no store.
        StoreUnusable: it cannot be opened.
    """
    return open_store(store_setting(named, environ=environ))


def find_store(named: str | None = None, *, environ: Mapping[str, str] = os.environ) -> Store:
    """Open the store that is meant, to read what is in it; nothing is made where there is none.

    Raises:
        NotSetUp: the setting names no store.
        StoreUnusable: there is none, or it cannot be opened.
    """
    setting = store_setting(named, environ=environ)
    file = store_file(setting)
    if file is not None and not file.exists():
        raise StoreUnusable(
            f"There is no store at {file}. The first call that is kept there makes it (`cuelight demo` is one); for "
            f"another store use --store or {_STORE}."
        )
    return open_store(setting)
