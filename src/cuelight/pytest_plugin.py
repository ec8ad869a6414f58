"""Collect goldens with pytest: each file in a folder called `goldens` is a test.

Nothing else of Cuelight is imported before there is such a file, so projects without goldens do not wait for it.
`-p no:cuelight` switches it off.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from cuelight.testing.goldens import GoldenFile
    from cuelight.wiring import Goldens

__all__ = ["pytest_collect_file"]

_FOLDER = "goldens"
_shared: "pytest.StashKey[Goldens]" = pytest.StashKey()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take a file for a golden where it is one by its ending and by a folder that it is in."""
    root = parent.config.rootpath.parent  # the name of the project's own folder counts: it may be `goldens`
    inside = file_path.relative_to(root) if file_path.is_relative_to(root) else Path(*file_path.parts[-2:])
    if _FOLDER not in inside.parts[:-1]:
        return None
    from cuelight.wiring import is_golden

    return _File.from_parent(parent, path=file_path) if is_golden(inside) else None


class _Failed(Exception):
    """Carry the text of a golden that failed."""


class _File(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        """Give the one test that a golden is."""
        from cuelight.errors import GoldenRefused
        from cuelight.testing.goldens import read_golden

        here = Path.cwd()
        try:
            read = read_golden(self.path.relative_to(here) if self.path.is_relative_to(here) else self.path)
        except GoldenRefused as refused:
            raise self.CollectError(str(refused)) from refused
        yield _Item.from_parent(self, name=read.golden.name, read=read)


class _Item(pytest.Item):
    def __init__(self, *, read: "GoldenFile", **rest: Any) -> None:
        super().__init__(**rest)
        self._read = read

    def runtest(self) -> None:
        """Run the golden once."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        from cuelight.errors import CuelightError
        from cuelight.wiring import Goldens

        goldens = self.config.stash.setdefault(_shared, Goldens())
        try:
            ready = goldens.ready(self._read)
            ready.check()
            run = await ready.run(goldens.model(ready))
        except CuelightError as error:
            raise _Failed(str(error)) from error
        finally:
            await goldens.aclose()  # a provider's model belongs to the event loop of this test
        if not run.passed:
            raise _Failed(run.failure)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Say what broke as `cuelight test` says it."""
        return str(excinfo.value) if isinstance(excinfo.value, _Failed) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Say where it is, and what it is called."""
        return self.path, None, self.name
