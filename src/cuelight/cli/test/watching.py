"""Running goldens again whenever something changes that they depend on."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import UNSET

from cuelight.errors import BadInput, GoldenRefused
from cuelight.testing.goldens import read_golden
from cuelight.wiring import files_below, find_goldens, golden_folders

__all__ = ["watch", "watched_folders"]

# What a person writes. A run may leave other files beside them, and must not set off the next one.
_WRITTEN = (".py", ".toml", ".json", ".jsonl", ".yaml", ".yml", ".md", ".txt")

Standing = dict[Path, tuple[int, int]]


def watch(folders: Callable[[], Iterable[Path]], run: Callable[[], None], wait: Callable[[], None]) -> None:
    """Run, and run again after each change, until `run` or `wait` raises.

    A change during a run is seen too: what counts is how things stood before it.

    Args:
        folders: gives the folders to watch, anew for each round.
        run: does one round.
        wait: lets some time pass.
    """
    while True:
        watched = list(folders())
        before = _standing(watched)
        run()
        while _standing(watched) == before:
            wait()


def watched_folders(paths: Sequence[Path]) -> set[Path]:
    """Give the folders that goldens depend on: those that are searched for them, and those of their agents.

    Args:
        paths: as `find_goldens` takes them.
    """
    folders: set[Path] = set()
    for path in paths or (Path(),):
        at = path.expanduser().resolve()
        if not at.is_file():  # where there is nothing now, as between two names of a file, something may come
            folders.add(next(folder for folder in (at, *at.parents) if folder.is_dir()))
        with contextlib.suppress(BadInput):  # a path that is not there: the run says so
            for file in find_goldens([path]):
                folders |= golden_folders(file, _agent(file))
    return {folder for folder in folders if not any(parent in folders for parent in folder.parents)}


def _agent(file: Path) -> str | None:
    try:
        agent = read_golden(file).golden.agent
    except GoldenRefused:
        return None
    return None if agent is UNSET else agent


def _standing(folders: Iterable[Path]) -> Standing:
    """Say how the files of folders stand: when each was written, and how long it is."""
    return dict(_stamps(folders))


def _stamps(folders: Iterable[Path]) -> Iterator[tuple[Path, tuple[int, int]]]:
    for folder in folders:
        for file in files_below(folder):
            if file.suffix.lower() in _WRITTEN:
                with contextlib.suppress(OSError):  # gone between two looks
                    status = file.stat()
                    yield file, (status.st_mtime_ns, status.st_size)
