"""Write goldens, read them and run them, for tests of what they say."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from cuelight import Agent
from cuelight.errors import GoldenRefused
from cuelight.ports import Model
from cuelight.testing import Script
from cuelight.testing.goldens import GoldenFile, GoldenRun, check_names, read_golden, run_golden, scripted


class Desk:
    """Hold goldens in a folder of a test's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, text: str, name: str = "it.yaml") -> Path:
        file = self.folder / name
        file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return file

    def read(self, text: str, name: str = "it.yaml") -> GoldenFile:
        return read_golden(self.write(text, name))

    def problems(self, text: str, name: str = "it.yaml", agent: Callable[[], Agent] | None = None) -> list[str]:
        """What a golden is refused for, by itself or, with an agent, by what that has."""

        def check() -> None:
            read = self.read(text, name)
            if agent is not None:
                check_names(read, agent())

        with pytest.raises(GoldenRefused) as refused:
            check()
        assert refused.value.file == str(self.folder / name)
        return list(refused.value.problems)

    def run(
        self, text: str, make: Callable[..., Agent], model: Model | None = None, name: str = "it.yaml"
    ) -> GoldenRun:
        """Run a golden; where no model is given, one that it writes out, or one that has nothing to say."""
        read = self.read(text, name)
        return asyncio.run(run_golden(read, make, model or scripted(read.golden) or Script()))

    def failure(self, text: str, make: Callable[..., Agent], model: Model | None = None, name: str = "it.yaml") -> str:
        """The failure of a golden that must fail, without the folder."""
        run = self.run(text, make, model, name)
        assert not run.passed
        return run.failure.replace(f"{self.folder}/", "")
