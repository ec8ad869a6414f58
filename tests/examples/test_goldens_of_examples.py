"""The goldens of each example show all of it: each stage and step, each tool, each way on its map, each yes and no."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from msgspec import UNSET

from cuelight.chart import Chart, ChartRoute, chart_of
from cuelight.testing.goldens import Golden, opening_state, read_golden
from cuelight.wire import Entry
from cuelight.wiring import Goldens, find_agent, find_goldens

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(file.parent.name for file in FOLDER.glob("*/agent.py"))


@dataclass(frozen=True)
class Shown:
    """What the goldens of one agent show.

    Attributes:
        opened: the stages and steps that a golden opens in.
        named: those that a check names.
        logs: what came of running them.
    """

    goldens: Sequence[Golden]
    opened: frozenset[str]
    named: frozenset[str]
    logs: Sequence[Sequence[Entry]]


def shown(folder: Path, initial: str) -> Shown:
    """Read and run the goldens beneath a folder."""

    async def run() -> Shown:
        goldens, reads, logs = Goldens(), [read_golden(file) for file in find_goldens([folder])], []
        for read in reads:
            ready = goldens.ready(read)
            logs.append((await ready.run(goldens.model(ready))).log)
        opened = frozenset(str(opening_state(read).get("stage", initial)) for read in reads)
        named = frozenset(name for read in reads for name in _named(read.golden))
        return Shown([read.golden for read in reads], opened, named, logs)

    return asyncio.run(run())


def _named(golden: Golden) -> Iterator[str]:
    for turn in golden.turns:
        for check in turn.then:
            yield from (str(name) for name in (check.stage, check.step) if name is not UNSET)


def missing_places(chart: Chart, goldens: Shown) -> list[str]:
    """Give the places that no golden opens in; one of code alone is passed through, so there a check is enough."""
    return [
        place.name for place in chart.places
        if place.name not in goldens.opened and not (place.kind == "logic" and place.name in goldens.named)
    ]  # fmt: skip


def missing_tools(chart: Chart, goldens: Shown) -> list[str]:
    """Give the tools that run in no golden."""
    ran = {way.via for log in goldens.logs for way in _ways(log)}
    return [tool.name for tool in chart.tools if tool.name not in ran]


def missing_routes(chart: Chart, goldens: Shown) -> list[str]:
    """Give the routes that no golden takes."""
    ways = {way for log in goldens.logs for way in _ways(log)}
    return [f"{route.via} to {route.target}" for route in chart.routes if not any(_is(way, route) for way in ways)]


@dataclass(frozen=True)
class Way:
    """Where the call was before and after a tool or a hook; a hook is in no log, so its name is empty."""

    origin: str
    target: str
    via: str


def _ways(log: Sequence[Entry]) -> Iterator[Way]:
    stage = ""
    called: dict[str, str] = {}
    for index, entry in enumerate(log):
        data = entry.data
        if entry.type == "state.changed":
            stage = data["state"].get("stage", "")
        elif entry.type == "tool.call":
            called[data["call_id"]] = data["name"]
        elif entry.type == "tool.result" and "error" not in data:
            yield Way(stage, _after(log[index:], data["call_id"]) or stage, data["name"])
        elif entry.type == "cue.route" and data["kind"] == "go" and data["applied"]:
            yield Way(data["from"], data["to"], called.get(data.get("call_id", ""), ""))


def _after(log: Sequence[Entry], call_id: str) -> str | None:
    """Give the stage that a call has written."""
    changes = (entry.data for entry in log if entry.type == "state.changed")
    return next((data["state"]["stage"] for data in changes if data.get("cause", {}).get("call_id") == call_id), None)


def _is(way: Way, route: ChartRoute) -> bool:
    leads = route.target is None or (way.origin in route.origins and way.target == route.target)
    return leads and (way.via == route.via or (way.via == "" and route.via in ("on_response", "run_logic")))


@cache
def example(name: str) -> tuple[Chart, Shown]:
    chart = chart_of(find_agent(str(FOLDER / name)).make)
    return chart, shown(FOLDER / name, chart.initial)


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_stage_and_step_has_a_golden_that_opens_in_it(name: str) -> None:
    assert missing_places(*example(name)) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_tool_runs_in_a_golden(name: str) -> None:
    assert missing_tools(*example(name)) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_route_of_the_map_is_taken_in_a_golden(name: str) -> None:
    assert missing_routes(*example(name)) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_guarded_tool_has_goldens_for_yes_no_and_a_changed_mind(name: str) -> None:
    chart, goldens = example(name)
    checks = [
        check.confirm for golden in goldens.goldens for turn in golden.turns for check in turn.then
        if check.confirm is not UNSET
    ]  # fmt: skip
    for guarded in (tool.name for tool in chart.tools if tool.confirm):
        told = {(check.status, check.reason) for check in checks if check.tool == guarded}
        assert {("asked", UNSET), ("granted", UNSET), ("declined", "no"), ("declined", "changed")} <= told
        assert any(guarded in golden.expect.never_without_yes for golden in goldens.goldens)


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_golden_tests_one_thing_on_one_day(name: str) -> None:
    _, goldens = example(name)
    names = [golden.name for golden in goldens.goldens]
    assert len(set(names)) == len(names)
    assert {golden.today for golden in goldens.goldens} == {"2026-03-05"}


# --- what this would find ---------------------------------------------------------------------------------------------


ERRAND = '''
"""Errands."""

from cuelight import Flow, Route, Step, go, stay, tool


class Ask(Step["Errand"]):
    """Ask."""

    @tool
    def on(self) -> Route:
        """Goes on."""
        return go(Tell)

    @tool
    def wait(self) -> Route:
        """Waits."""
        return stay()


class Tell(Step["Errand"]):
    """Tell."""

    @tool
    def on(self) -> Route:
        """Goes back."""
        return go(Ask)


class Errand(Flow):
    """You run errands."""

    steps = (Ask, Tell)
'''
GOLDEN = """
name: Goes on
model: [{call: on}, So.]
turns: [{say: go on, then: [{step: Tell}]}]
"""


def test_a_step_a_tool_and_a_route_without_a_golden_are_found(tmp_path: Path) -> None:
    (tmp_path / "goldens").mkdir()
    (tmp_path / "agent.py").write_text(ERRAND, encoding="utf-8")
    (tmp_path / "goldens" / "on.yaml").write_text(GOLDEN, encoding="utf-8")
    chart = chart_of(find_agent(str(tmp_path)).make)
    goldens = shown(tmp_path, chart.initial)
    assert missing_places(chart, goldens) == ["Tell"]
    assert missing_tools(chart, goldens) == ["wait"]
    assert missing_routes(chart, goldens) == ["on to Ask"]
