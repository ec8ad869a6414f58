"""Law 6 with steps: moves are capped wherever they come from, and a cap leaves an ordinary call behind."""

import asyncio
from typing import Any

import pytest

from cuelight import Flow, Limits, LogicStep, Step, go, stay, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, errors, heard, refusals, rehearsing, results, said, types


class Ping(Step):
    entered: int = 0

    @tool
    def over(self) -> Any:
        """Goes over."""
        return Pong

    @tool
    def work(self) -> str:
        """Works."""
        return "worked"

    def on_enter(self) -> None:
        self.entered += 1


class Pong(Step):
    entered: int = 0

    @tool
    def back(self) -> Any:
        """Goes back."""
        return Ping

    def on_enter(self) -> None:
        self.entered += 1


class Table(Flow):
    """You play."""

    steps = (Ping, Pong)
    limits = Limits(transitions=3, model_requests=20)
    fallback_line = "Let us start over."


def capped(call: Any, limit: str, *, line: str = Table.fallback_line) -> None:
    """Check that the turn ended at one cap, with one line of code."""
    assert errors(call.log) == [f"limit-{limit}"]
    assert [text for by, text in said(call.log) if by == "code"] == [line]
    assert heard(call.log)[-1].endswith(line)


async def test_ping_pong_between_two_steps_is_capped_and_what_is_left_is_not_applied() -> None:
    script = Script(calls("over"), calls("back"), calls("over"), [calls("back"), calls("back")], "Never.")
    async with rehearsing(Table, script) as call:
        reply = await call.say("play")
        assert (reply.text, call.agent.stage, len(call.requests)) == ("Let us start over.", "Pong", 4)
        assert [data["applied"] for data in datas(call.log, "cue.route")] == [True, True, True, False]
        assert "not applied" in results(call.log)[3]["output"]
        assert refusals(call.log) == [("back", "not run")]
        assert (call.agent.step(Ping).entered, call.agent.step(Pong).entered) == (2, 2)
        capped(call, "transitions")


async def test_the_turn_after_the_cap_begins_where_it_ended_with_moves_of_its_own() -> None:
    over = [calls("over"), calls("back")] * 2
    async with rehearsing(Table, Script(*over, calls("back"), "Here I am.")) as call:
        await call.say("play")
        assert call.agent.stage == "Pong"
        assert (await call.say("back?")).text == "Here I am."
        assert call.agent.stage == "Ping"


async def test_as_many_moves_as_the_cap_allows_are_made() -> None:
    async with rehearsing(Table, Script(calls("over"), calls("back"), calls("over"), "Done.")) as call:
        assert (await call.say("play")).text == "Done."
        assert errors(call.log) == []


async def test_staying_and_going_where_one_is_count_for_nothing() -> None:
    class Still(Step):
        @tool
        def here(self, n: int) -> Any:
            """Goes where it is."""
            return go(Still) if n % 2 else stay()

    class Standing(Flow):
        steps = (Still,)
        limits = Limits(transitions=1)

    async with rehearsing(Standing, Script([calls("here", n=n) for n in range(6)], "Done.")) as call:
        assert (await call.say("stay")).text == "Done."
        assert errors(call.log) == []


# --- steps of code ----------------------------------------------------------------------------------------------------


class Desk(Step):
    @tool
    def sort(self) -> Any:
        """Sorts."""
        return go(One)


class One(LogicStep):
    def run_logic(self) -> Any:
        return Two


class Two(LogicStep):
    async def run_logic(self) -> Any:
        return go(One) if self.flow.circling else go(Desk)


class Circle(Flow):
    steps = (Desk, One, Two)
    limits = Limits(transitions=4)
    fallback_line = Table.fallback_line
    circling: bool = True

    def on_event(self, name: str, data: dict[str, Any]) -> Any:
        self.circling = name != "free"
        return go(One)


class Opening(Circle):
    initial_step = One


async def test_a_circle_of_steps_of_code_is_capped_in_a_turn() -> None:
    async with rehearsing(Circle, Script(calls("sort"), "Never.")) as call:
        reply = await call.say("sort")
        assert (reply.text, len(call.requests)) == ("Let us start over.", 1)
        assert [data["applied"] for data in datas(call.log, "cue.route")] == [True] * 4 + [False]
        capped(call, "transitions")


async def test_a_circle_of_steps_of_code_is_capped_at_the_opening() -> None:
    async with rehearsing(Opening, Script("Never.")) as call:
        assert errors(call.log) == ["limit-transitions"]
        assert [data["applied"] for data in datas(call.log, "cue.route")] == [True] * 4 + [False]
        assert said(call.log) == [], "nobody has asked anything yet"
        stage = call.agent.stage
        reply = await call.say("hello")
        assert reply.text == "Let us start over."
        assert (len(call.requests), errors(call.log)) == (0, ["limit-transitions"] * 2)
        assert call.agent.stage == stage, "four moves later"


async def test_a_circle_of_steps_of_code_is_capped_after_an_event() -> None:
    async with rehearsing(Circle, Script("Hello.")) as call:
        reply = await call.event("go")
        assert reply.text == ""
        assert errors(call.log) == ["limit-transitions"]
        await call.event("free")
        assert call.agent.stage == "Desk"
        assert (await call.say("hello")).text == "Hello."
        assert errors(call.log) == ["limit-transitions"]


async def test_a_call_that_stopped_in_a_circle_is_taken_up_again() -> None:
    store = MemoryStore()
    async with rehearsing(Circle, Script(calls("sort")), store=store) as call:
        await call.say("sort")

    class Straight(Circle):
        circling: bool = False

        def on_event(self, name: str, data: dict[str, Any]) -> Any:
            self.circling = False

    async with rehearsing(Straight, Script("Hello."), store=store, resume=call.id) as again:
        await again.event("free")
        assert (await again.say("hello")).text == "Hello."
        assert again.agent.stage == "Desk"


# --- replies ----------------------------------------------------------------------------------------------------------


class Judge(Step):
    def on_response(self, text: str) -> Any:
        return go(Other) if text == "go" else stay(f"Not {text!r}.")


class Other(Step):
    def on_response(self, text: str) -> Any:
        return go(Judge)


class Court(Flow):
    steps = (Judge, Other)
    limits = Limits(transitions=2, model_requests=4)
    fallback_line = Table.fallback_line


async def test_moves_by_replies_are_capped() -> None:
    async with rehearsing(Court, Script("go", "x", "go", "Never.")) as call:
        reply = await call.say("hello")
        assert (reply.text, len(call.requests)) == ("Let us start over.", 3)
        assert [data["applied"] for data in datas(call.log, "cue.route")] == [True, True, False]
        capped(call, "transitions")


async def test_a_judge_that_is_never_content_is_capped_by_requests() -> None:
    async with rehearsing(Court, Script("a", "b", "c", "d", "Never.")) as call:
        reply = await call.say("hello")
        assert (reply.text, len(call.requests)) == ("Let us start over.", 4)
        capped(call, "model-requests")


# --- time -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["run_logic", "on_response"])
async def test_a_hook_that_hangs_is_stopped_and_the_caller_hears_a_line(name: str) -> None:
    begun = asyncio.Event()

    async def run_logic(self: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def on_response(self: Any, text: str) -> None:
        await run_logic(self)

    class Start(Step):
        @tool
        def on(self) -> Any:
            """Goes on."""
            return go("Slow")

    kind, hook = {"run_logic": (LogicStep, run_logic), "on_response": (Step, on_response)}[name]
    slow = type("Slow", (kind,), {name: hook})
    flow = type("Waiting", (Flow,), {"steps": (Start, slow), "limits": Limits(tool_s=5)})
    async with rehearsing(flow, Script(calls("on"), "Words.")) as call:
        saying = asyncio.create_task(call.say("on"))
        await begun.wait()
        await call.advance(4)
        assert not saying.done()
        await call.advance(1)
        reply = await asyncio.wait_for(saying, 2)
        assert (reply.text, call.agent.stage) == (FALLBACK, "Slow")
        assert errors(call.log) == ["handler-timeout"]
        assert f"Slow.{name} ran out of time after 5 s" in datas(call.log, "error")[0]["message"]
        assert types(call.log)[-1] == "cue.delivered"


async def test_a_turn_out_of_time_in_its_hooks_asks_no_model() -> None:
    class Start(Step):
        @tool
        def on(self) -> Any:
            """Goes on."""
            return go(Slow)

    class Slow(Step):
        async def on_enter(self) -> None:
            self.flow._begun.set()
            await self.flow._gate.wait()

    class Waiting(Flow):
        steps = (Start, Slow)
        limits = Limits(turn_s=10, tool_s=30)

        def __init__(self) -> None:
            self._begun, self._gate = asyncio.Event(), asyncio.Event()

    async with rehearsing(Waiting, Script(calls("on"), "Never.")) as call:
        saying = asyncio.create_task(call.say("on"))
        await call.agent._begun.wait()
        await call.advance(12)
        call.agent._gate.set()
        reply = await asyncio.wait_for(saying, 2)
        assert (reply.text, call.agent.stage, len(call.requests)) == (FALLBACK, "Slow", 1)
        assert errors(call.log) == ["limit-turn-s"]
