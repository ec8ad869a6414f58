"""A golden runs the same way each time, in its own time, and leaves nothing behind."""

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cuelight import Agent
from cuelight.models import CueSheet, Understudy
from cuelight.ports import Finished, ModelEvent, ModelRequest
from cuelight.testing import Script, calls
from cuelight.testing.goldens import GoldenRun, for_golden, run_golden
from golden_agents import Bakery, Rental
from golden_making import Desk

BREAD = """
name: Bread
today: 2026-12-01
model: [{call: put, args: {loaves: 2}}, Two loaves.]
turns:
  - say: two
    then:
      - tool: put
        result: {day: 2026-12-01}
  - wait: 60
  - event: {name: bread.ready}
    then:
      - reply: {says: ready}
"""


def _bytes(run: GoldenRun) -> list[bytes]:
    return [msgspec.json.encode(entry) for entry in run.log]


def test_two_runs_write_the_same_log(desk: Desk) -> None:
    first, second = desk.run(BREAD, Bakery), desk.run(BREAD, Bakery)
    assert first.passed
    assert _bytes(first) == _bytes(second)
    assert first.log[0].call == "call-1"


def test_today_is_noon_of_its_day_and_time_stands_still_until_a_turn_waits(desk: Desk) -> None:
    log = desk.run(BREAD, Bakery).log
    noon = 1_796_126_400.0  # 2026-12-01T12:00:00Z
    times = {entry.type: entry.ts for entry in log}
    assert log[0].data["started_at"] == noon
    assert times["turn.user"] == noon
    assert times["event.received"] == noon + 60


def test_only_an_agent_that_takes_the_day_is_given_it(desk: Desk) -> None:
    golden = desk.read(BREAD).golden
    agent = for_golden(Bakery, golden)()
    assert isinstance(agent, Bakery)
    assert agent._today == date(2026, 12, 1)
    assert isinstance(for_golden(Rental, golden)(), Rental)
    without = desk.read(BREAD.replace("today: 2026-12-01\n", "")).golden
    other = for_golden(Bakery, without)()
    assert isinstance(other, Bakery)
    assert other._today is None
    assert isinstance(for_golden(lambda today: Bakery(today), golden)(), Bakery)


def test_the_log_masks_private_values(desk: Desk) -> None:
    run = desk.run(
        'name: X\nstate: pay\nmodel: [{call: charge, args: {pin: "94871236"}}, Paid]\n'
        "turns: [{say: My PIN is 94871236, then: [{tool: charge}]}]",
        Bakery,
    )
    assert run.passed
    assert b"94871236" not in b"".join(_bytes(run))


@pytest.mark.parametrize("text", [BREAD, BREAD.replace("tool: put", "tool: look"), BREAD.replace("- Two", "- x")])
def test_nothing_is_left_behind(desk: Desk, text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    read = desk.read(text)

    async def run() -> set[asyncio.Task[Any]]:
        await run_golden(read, Bakery, Script("Hello"))
        await run_golden(read, Bakery, Script("Hello"))  # the call's lease was let go of
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(run()) == set()
    assert list((tmp_path / "here").iterdir()) == []
    assert all(thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread())


def test_a_run_counts_requests_and_tokens(desk: Desk) -> None:
    run = desk.run(BREAD, Bakery)
    assert run.requests == 2
    assert run.seconds > 0
    assert (run.prompt_tokens, run.completion_tokens) == (0, 0)


def test_a_failed_golden_keeps_its_log(desk: Desk) -> None:
    run = desk.run(BREAD.replace("says: ready", "says: burnt"), Bakery)
    assert not run.passed
    assert run.log[-1].type in ("state.changed", "turn.agent")


def test_the_understudy_answers_too(desk: Desk) -> None:
    sheet = CueSheet.loads(
        '[[cue]]\nhears = "two"\ncall = "put"\nwith = { loaves = 2 }\n[[after]]\ntool = "put"\nsay = "Done."'
    )
    text = "name: X\nturns: [{say: two, then: [{tool: put}, {reply: {says: done}}]}]"
    assert desk.run(text, Bakery, Understudy(sheet)).failure == ""


# --- time -------------------------------------------------------------------------------------------------------------


def test_a_tool_that_hangs_runs_out_of_time(desk: Desk) -> None:
    """In a turn that takes long the call's clock goes on as well."""
    text = """
    name: X
    state: pay
    model: [{call: deliver}, I must check that.]
    turns:
      - say: a
        then:
          - tool: deliver
          - error: tool-timeout
          - reply: {says: I must check that}
          - stage: pay
    """
    assert desk.run(text, Bakery).failure == ""


class Deaf(Script):
    """Never answers."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        await asyncio.Event().wait()
        yield Finished("stop")


def test_a_run_can_be_called_off(desk: Desk) -> None:
    read = desk.read(BREAD)

    async def run() -> set[asyncio.Task[Any]]:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run_golden(read, Bakery, Deaf()), timeout=0.1)
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(run()) == set()


def test_goldens_may_run_at_the_same_time(desk: Desk) -> None:
    read = desk.read(BREAD)

    async def run() -> list[GoldenRun]:
        models = [Script(calls("put", loaves=2), "Two loaves.") for _ in range(20)]
        return await asyncio.gather(*(run_golden(read, Bakery, model) for model in models))

    runs = asyncio.run(run())
    assert [each.failure for each in runs] == [""] * 20
    assert all(_bytes(each) == _bytes(runs[0]) for each in runs)


def test_an_instance_makes_no_agent(desk: Desk) -> None:
    agent: Any = Bakery()
    failure = desk.failure("name: X\nturns: [{say: a, then: [{no_tool: true}]}]", agent)
    assert "An instance of Bakery was given; each call makes its own." in failure


def test_an_agent_with_no_stages_has_no_stage(desk: Desk) -> None:
    class Plain(Agent):
        """You listen."""

    text = "name: X\nmodel: [Hm]\nturns: [{say: a, then: [{%s}]}]"
    assert desk.problems(text % "stage: a", agent=Plain) == ["line 3: Plain has no stage `a`; it has none"]
    failure = desk.failure(text % "reply: {says: x}", Plain)
    assert failure.endswith("\n\n  visible   none")
