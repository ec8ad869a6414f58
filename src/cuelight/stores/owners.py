"""Which process holds a lease, and whether it is gone: a crashed owner shall block nobody until its lease expires."""

import os
import platform
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["Process", "is_gone", "this_process"]

_PROC = Path("/proc")


class Process(NamedTuple):
    """Name a process so that another one can tell whether it still runs.

    `place` is where its id means anything: one boot of one machine and one namespace of ids. `started` tells it from a
    later process of the same id; it is empty where the system does not say.
    """

    place: str
    pid: int
    started: str


def this_process(proc: Path = _PROC) -> Process:
    """Name the process that runs this."""
    return _named(os.getpid(), proc)


def is_gone(process: Process, proc: Path = _PROC) -> bool:
    """Tell whether a process has surely ended: one of another place, or one that cannot be judged, has not."""
    if os.name != "posix" or process.pid <= 0 or process.place != this_process(proc).place:
        return False
    # Asked first, because some systems hide other users' processes from the listing but answer this.
    if not _answers(process.pid):
        return True
    state, started = _stat(process.pid, proc)
    if state in ("Z", "X"):  # ended, and its parent has not asked for the outcome yet
        return True
    return bool(process.started and started) and started != process.started


@lru_cache(maxsize=4)
def _named(pid: int, proc: Path) -> Process:
    return Process(_place(proc), pid, _stat(pid, proc)[1])


def _place(proc: Path) -> str:
    try:
        boot = (proc / "sys/kernel/random/boot_id").read_text().strip()
        namespace = os.readlink(proc / "self/ns/pid")
    except OSError:
        return platform.node()
    return f"{boot} {namespace}"


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # there, and another user's
        return True
    return True


def _stat(pid: int, proc: Path) -> tuple[str, str]:
    """Give a process's state and start time, empty where the system does not say."""
    try:
        text = (proc / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return "", ""
    # The second field is the program's name in parentheses and may hold anything; what follows is plain.
    fields = text.rpartition(")")[2].split()
    return (fields[0], fields[19]) if len(fields) > 19 else ("", "")
