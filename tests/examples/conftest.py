"""Calls to the front desk of `examples/harbour_vets`, on a fixed day."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from cuelight.agent import Agent
from cuelight.errors import CallEnded
from cuelight.log import Fold
from cuelight.models import CueSheet, Understudy
from cuelight.ports import Model
from cuelight.testing import rehearse
from cuelight.wire import Entry, State
from cuelight.wiring import find_agent

FOUND = find_agent(str(Path(__file__).parents[2] / "examples" / "harbour_vets"))
TODAY = date(2026, 3, 5)


def new_desk(today: date = TODAY) -> Any:
    make: Any = FOUND.make
    return make(today=today)


@dataclass
class Turn:
    """One turn of a call, read from its log."""

    said: str
    requests: int
    stage: str = ""
    answer: str = ""
    tools: list[str] = field(default_factory=list)

    def read(self, entry: Entry, state: State) -> None:
        self.stage = "ended" if state.status == "ended" else state.app_state["stage"]
        if entry.type == "turn.agent":
            self.answer = f"{self.answer} {entry.data['text']}".strip()
        elif entry.type == "tool.call":
            self.tools.append(entry.data["name"])


@dataclass
class Talk:
    """A whole call: its turns, and its log as it leaves the store."""

    turns: list[Turn]
    log: list[Entry]


async def _talk(said: Sequence[str], model: Model, today: date = TODAY) -> Talk:
    async with rehearse(lambda: new_desk(today), model) as call:
        requests = [0]
        for text in said:
            with contextlib.suppress(CallEnded):
                await call.say(text)
            requests.append(len(call.requests))
        log = call.log
    turns: list[Turn] = []
    fold = Fold()
    for entry in log:
        fold.feed(entry)
        if entry.type == "turn.user":
            count = len(turns) + 1
            turns.append(Turn(said=said[len(turns)], requests=requests[count] - requests[count - 1]))
        if turns:
            turns[-1].read(entry, fold.state)
    return Talk(turns, log)


@pytest.fixture(scope="session")
def agent() -> Callable[[], Agent]:
    return new_desk


@pytest.fixture(scope="session")
def sheet() -> CueSheet:
    sheet = CueSheet.load(FOUND.sheet)
    sheet.check(type(new_desk()))
    return sheet


@pytest.fixture(scope="session")
def talk(sheet: CueSheet) -> Callable[..., Talk]:
    """Have a call with the Understudy, or another model, that says these lines."""

    def talk(*said: str, model: Model | None = None, today: date = TODAY) -> Talk:
        return asyncio.run(_talk(said, model or Understudy(sheet), today))

    return talk
