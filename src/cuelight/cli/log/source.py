"""Where a log comes from: the store, a file, or a pipe."""

import sys
from pathlib import Path
from typing import NamedTuple

from cuelight.cli.stored import LAST, find_call, with_store
from cuelight.errors import BadInput, CallNotFound
from cuelight.log import disclose, verify
from cuelight.ports import Store
from cuelight.wire import Damage, Entry, decode_log

__all__ = ["FoundLog", "read_log"]

_STDIN = "-"


class FoundLog(NamedTuple):
    """Hold a log as it may be shown: its entries, private values masked, and everything that is wrong with it."""

    entries: list[Entry]
    damage: list[Damage]
    unreadable: tuple[Damage, ...] = ()
    """What of the damage is no entry at all, so that it is missing among the entries."""


def read_log(source: str, store: str | None) -> FoundLog:
    """Read a log from a file, from stdin (`-`), or of a stored call.

    Raises:
        BadInput: the file cannot be read, or several calls start like this.
        CallNotFound: there is neither such a file nor such a call.
    """
    if source == _STDIN:
        return _from_bytes(sys.stdin.buffer.read() if sys.stdin is not None else b"")
    path = Path(source).expanduser()
    if path.is_file():
        try:
            return _from_bytes(path.read_bytes())
        except OSError as error:
            raise BadInput(f"{source} cannot be read: {error.strerror}.") from error
    if path.is_dir():
        raise BadInput(f"{source} is a folder. Name a file, a call, or - for stdin.")
    if path.suffix in (".json", ".jsonl", ".ndjson", ".log") or "/" in source:
        raise BadInput(f"There is no file {source}. Name a file, a call, or - for stdin.")
    try:
        return with_store(store, lambda opened: _from_store(opened, source))
    except CallNotFound as none:
        if source == LAST:
            raise
        raise CallNotFound(source, where="this store, nor a file of that name") from none


def _from_bytes(raw: bytes) -> FoundLog:
    decoded = decode_log(raw, strict=False)
    return FoundLog(list(decoded), verify(raw), decoded.damage)


async def _from_store(store: Store, named: str) -> FoundLog:
    info = await find_call(store, named)
    entries = disclose(await store.read(info.call))
    return FoundLog(entries, verify(entries))
