"""Run goldens: each with its agent, and with what answers in it."""

import asyncio
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import UNSET

from cuelight.engine import make_agent
from cuelight.errors import AgentNotLoaded, AuthorError, GoldenRefused, NotSetUp
from cuelight.models import Cassette, CueSheet, Recording, Understudy, resolve_model
from cuelight.ports import Model
from cuelight.testing.goldens import (
    GoldenFile,
    GoldenRun,
    ScriptedReply,
    check_names,
    for_golden,
    run_golden,
    scripted,
)
from cuelight.wiring.agents import FoundAgent, short_path
from cuelight.wiring.apart import Apart
from cuelight.wiring.models import UNDERSTUDY, sheet_of
from cuelight.wiring.whereabouts import agent_of, cassette_file

__all__ = ["TIME_LIMIT", "Goldens", "ReadyGolden", "record_line"]

TIME_LIMIT = 120.0
"""How long a golden may take, in seconds of the wall clock: its own clock stands still, and ends nothing."""

_CASSETTE = "cassette"
_SCRIPT = "script"


class ReadyGolden:
    """Be one golden with its agent; made by `Goldens`."""

    def __init__(self, read: GoldenFile, found: FoundAgent, apart: Apart) -> None:
        self.read = read
        self.found = found
        self.cassette = cassette_file(read.file)
        """Where its cassette is, or would be."""
        self._apart = apart

    def with_replies(self, replies: Sequence[ScriptedReply]) -> "ReadyGolden":
        """Give the golden with these replies in the place of what its file says about the model."""
        golden = msgspec.structs.replace(self.read.golden, model=list(replies))
        return ReadyGolden(msgspec.structs.replace(self.read, golden=golden), self.found, self._apart)

    def check(self) -> None:
        """Refuse the golden where it names what its agent does not have.

        Raises:
            GoldenRefused: with every such name and the nearest right one.
        """
        with self._apart.at_work():
            try:
                agent = make_agent(for_golden(self.found.make, self.read.golden))
            except AuthorError:
                return  # the run fails by it, and says how
            check_names(self.read, agent)

    def answered_by(self, named: str | None = None) -> str:
        """Say what answers: `script`, `cassette`, `understudy`, or `provider:name`.

        It is `named`, else what the golden says as `model`, else its cassette where it has one, else the Understudy.
        No setting of the environment makes a difference: a golden says the same to everybody.
        """
        model = self.read.golden.model
        if named is not None:
            return named
        if model is not UNSET:
            return model if isinstance(model, str) else _SCRIPT
        return _CASSETTE if self.cassette.exists() else UNDERSTUDY

    async def run(self, model: Model, limit: float = TIME_LIMIT) -> GoldenRun:
        """Run the golden once.

        Args:
            model: what answers.
            limit: the seconds after which it counts as failed.

        Raises:
            GoldenRefused: as `check` does.
        """
        timer = asyncio.timeout(limit)
        with self._apart.at_work():
            try:
                async with timer:
                    return await run_golden(self.read, self.found.make, model)
            except TimeoutError:
                if not timer.expired():
                    raise
        name = self.read.golden.name
        said = f"{name}: not over after {limit:g} s\n  at        {self.read.file}"
        return GoldenRun(name, str(self.read.file), f"{model.provider}:{model.name}", said, seconds=limit)


class Goldens:
    """Hold what the goldens of one run have in common: their agents, loaded once each, and the models of providers."""

    def __init__(self) -> None:
        self._agents: dict[tuple[Path, str | None], tuple[Apart, FoundAgent | AgentNotLoaded]] = {}
        self._sheets: dict[tuple[Path, str], CueSheet] = {}
        self._models: dict[str, Model] = {}

    def ready(self, read: GoldenFile) -> ReadyGolden:
        """Load the agent of a golden.

        Raises:
            GoldenRefused: nothing says whose it is, or there is no such agent.
            AgentNotLoaded: the author's code raised when it was imported, or holds no agent, or several.
        """
        key = read.file.resolve().parent, None if read.golden.agent is UNSET else read.golden.agent
        if key not in self._agents:
            apart = Apart()
            with apart.at_work():
                try:
                    found = agent_of(read)
                    apart.folder = found.file.resolve().parent
                    self._agents[key] = apart, found
                except AgentNotLoaded as error:
                    self._agents[key] = apart, error
        apart, loaded = self._agents[key]
        if isinstance(loaded, AgentNotLoaded):
            raise loaded
        return ReadyGolden(read, loaded, apart)

    def model(self, ready: ReadyGolden, named: str | None = None) -> Model:
        """Give what answers in a run of a golden, as `answered_by` says; a provider's model is made once.

        Raises:
            NotSetUp: there is no such model, it lacks a key or a package, there is no cassette or nothing to answer.
            CassetteRefused: the cassette cannot be read.
            CueSheetRefused: the cue sheet cannot be read, or does not fit the agent's tools and stages.
        """
        setting = ready.answered_by(named)
        if setting == _SCRIPT and (script := scripted(ready.read.golden)) is not None:
            return script
        if setting == _CASSETTE:
            return Cassette.replay(ready.cassette, again=None if ready.cassette.exists() else record_line(ready))
        if setting == UNDERSTUDY:
            return Understudy(self._sheet(ready))
        return self._provider(setting)

    def recording(self, ready: ReadyGolden, named: str | None = None, *, file: Path | None = None) -> Recording:
        """Give a model that is asked, and whose replies become a cassette when they are saved.

        Args:
            ready: the golden.
            named: the model, as provider:name; None is the one that the agent's class names as `model`.
            file: where they are saved; None is the golden's cassette.

        Raises:
            NotSetUp: no model is named, or it lacks a key or a package.
            GoldenRefused: something else than the cassette answers in the golden, so it would never be played.
        """
        golden = ready.read.golden
        if golden.model is not UNSET and golden.model != _CASSETTE:
            said = "it says itself what answers, so a cassette would never be played; take `model` out"
            line = ready.read.source.line(("model",))
            raise GoldenRefused(str(ready.read.file), [said if line is None else f"line {line}: {said}"])
        setting = named or getattr(ready.found.make, "model", None)
        if setting is None:
            raise NotSetUp(
                f"Nothing says which model is to be recorded. Name one, as in --model openai:gpt-5-mini, or as `model` "
                f"in the class {ready.found.name}."
            )
        if setting in (UNDERSTUDY, _CASSETTE):
            raise NotSetUp(f"A cassette is recorded from a real model, not from the {setting}: --model provider:name.")
        return Cassette.record(file or ready.cassette, self._provider(setting), again=record_line(ready, setting))

    def is_real(self, model: Model) -> bool:
        """Tell whether a model is a provider's: asking it costs time and money."""
        return model in self._models.values()

    async def aclose(self) -> None:
        """Close the connections of the providers' models."""
        while self._models:
            _, model = self._models.popitem()
            if (close := getattr(model, "aclose", None)) is not None:
                await close()

    def _sheet(self, ready: ReadyGolden) -> CueSheet:
        key = ready.found.sheet, ready.found.name
        if key not in self._sheets:
            sheet = sheet_of(ready.found)
            if sheet is None:
                beside = short_path(ready.found.sheet, Path.cwd())
                raise NotSetUp(
                    f"Nothing answers in {ready.read.file}. Write what the Understudy shall say in {beside}, write the "
                    f"replies in the golden as `model`, or record a real model: {record_line(ready)}"
                )
            self._sheets[key] = sheet
        return self._sheets[key]

    def _provider(self, setting: str) -> Model:
        if setting not in self._models:
            self._models[setting] = resolve_model(setting)
        return self._models[setting]


def record_line(ready: ReadyGolden, setting: str = "provider:name") -> str:
    """Write the command that records a golden's cassette; it is kept in the cassette, so no path in it is absolute."""
    return f"cuelight test {shlex.quote(os.path.relpath(ready.read.file))} --record --model {setting}"
