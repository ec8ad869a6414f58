"""What users of comparable systems ran into, where no law's test shows it as they told it; named by its number."""

import asyncio
from typing import Any, Literal

import pytest

from cuelight import Agent, CallEnded, Limits, ToolFailed, go, tool
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, entries, heard, refusals, rehearsing, results, said, talk, told, types


class Clinic(Agent):
    """You answer for a clinic."""

    limits = Limits(tool_s=5)
    stage: Literal["ask", "book"] = "ask"
    saved: dict[str, str] = {}
    booked: list[str] = []

    def __init__(self) -> None:
        self._hanging = asyncio.Event()

    @tool
    def save(self, key: str, value: str) -> str:
        """Saves what the caller said."""
        self.saved[key] = value
        return "saved"

    @tool(stage="ask")
    def route(self) -> Any:
        """Goes on to the booking."""
        return go("book")

    @tool(stage="book")
    async def book(self, day: str) -> str:
        """Books a day."""
        self.booked.append(day)
        self.call.speak(f"Booked for {day}.")
        return "booked"

    @tool
    def fail(self) -> None:
        """Fails."""
        raise ToolFailed("Closed.")

    @tool
    async def hang(self) -> str:
        """Hangs."""
        self._hanging.set()
        await asyncio.Event().wait()
        return "never"

    @tool
    def hang_up(self) -> None:
        """Hangs up."""
        self.call.end()


@pytest.mark.parametrize("route_first", [True, False])
async def test_r9_r10_saving_and_routing_in_one_reply_do_both(route_first: bool) -> None:
    batch = [calls("route"), calls("save", key="name", value="Ada")]
    async with rehearsing(Clinic, Script(batch if route_first else batch[::-1], "Which day?")) as call:
        await call.say("Ada here, I want to book")
        assert (call.agent.stage, call.agent.saved) == ("book", {"name": "Ada"})
        assert call.requests[1].stage == "book"


async def test_r11_the_tools_after_a_move_run_in_the_next_turn_too() -> None:
    async with rehearsing(Clinic, Script(calls("route"), "Which day?", calls("book", day="Monday"), "Done.")) as call:
        one, two = await asyncio.gather(call.say("book"), call.say("Monday"))
        assert (one.text, two.text) == ("Which day?", "Booked for Monday.\nDone.")
        assert call.agent.booked == ["Monday"]


async def test_r13_an_opening_reply_and_a_caller_who_is_quick_are_two_turns_in_order() -> None:
    class Greeting(Clinic):
        def on_call(self) -> None:
            self.call.reply("Greet.")

    async with rehearsing(Greeting, Script("Hello!", "Sure.")) as call:
        assert (await call.say("I want to book")).text == "Sure."
        assert heard(call.log) == ["Hello!", "Sure."]
        assert len(call.requests) == 2


async def test_r24_two_pizzas_are_answered_once() -> None:
    async with rehearsing(Clinic, Script([calls("save", key=k, value="pizza") for k in "ab"], "Two pizzas.")) as call:
        assert (await call.say("two pizzas")).text == "Two pizzas."
        assert heard(call.log) == ["Two pizzas."]


async def test_r34_hanging_up_is_terminal_however_often_it_is_called() -> None:
    async with rehearsing(Clinic, Script([calls("hang_up")] * 337)) as call:
        await call.say("bye")
        assert len(call.requests) == 1
        assert types(call.log).count("call.ended") == 1
        assert [data["name"] for data in datas(call.log, "tool.call")] == ["hang_up"] * 337
        assert len(refusals(call.log)) == 336
        with pytest.raises(CallEnded):
            await call.say("hello?")


async def test_r35_a_stop_at_a_limit_claims_nothing() -> None:
    script = Script(*[calls("save", key="a", value=str(n)) for n in range(20)])
    async with rehearsing(Clinic, script) as call:
        reply = await call.say("save them all")
        assert reply.text == FALLBACK
        assert len(results(call.log)) == 8
        assert "not run" in results(call.log)[-1]["error"]
        assert call.state.tools[-1].status == "failed"


async def test_r36_what_was_done_is_said_by_code_with_its_receipt() -> None:
    script = Script(calls("book", day="Monday"), "Anything else?")
    async with rehearsing(Clinic, script, state={"stage": "book"}) as call:
        await call.say("Monday")
        (code,) = [entry for entry in entries(call.log, "cue.said") if entry.data["by"] == "code"]
        call_, result = entries(call.log, "tool.call", "tool.result")
        assert call_.seq < code.seq < result.seq
        assert code.data["text"] == "Booked for Monday."


async def test_r39_a_cancel_that_comes_before_the_start_leaves_nothing_open() -> None:
    async with rehearsing(Clinic, Script("Never.", "Hello.")) as call:
        saying = asyncio.create_task(call.say("hi"))
        await asyncio.sleep(0)
        call.interrupt()
        await saying
        assert all(run.status != "running" for run in call.state.tools)
        assert (await call.say("hi again")).text == "Never."


async def test_r40_a_line_spoken_in_a_tool_while_the_caller_cuts_in_blocks_nothing() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    class Speaking(Clinic):
        @tool
        async def speak(self) -> str:
            begun.set()
            await go_on.wait()
            self.call.speak("A line.")
            return "spoken"

    async with rehearsing(Speaking, Script(calls("speak"), "Yes.")) as call:
        saying = asyncio.create_task(call.say("speak"))
        await begun.wait()
        call.interrupt()
        go_on.set()
        assert (await asyncio.wait_for(saying, 2)).text == ""
        assert (await asyncio.wait_for(call.say("so?"), 2)).text == "Yes."


async def test_r41_a_result_that_lands_while_the_caller_speaks_is_answered_with_the_next_message() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    class Looking(Clinic):
        @tool
        async def look(self) -> str:
            begun.set()
            await go_on.wait()
            return "Monday is free"

    async with rehearsing(Looking, Script(calls("look"), "Monday is free.")) as call:
        saying = asyncio.create_task(call.say("when?"))
        await begun.wait()
        call.interrupt()
        next_ = asyncio.create_task(call.say("hello?"))
        go_on.set()
        await saying
        assert (await next_).text == "Monday is free."
        assert told(call.requests[1]) == ["Monday is free"]


async def test_r45_nothing_of_a_turn_that_was_cut_is_spoken_in_the_next() -> None:
    async with rehearsing(Clinic, Script(lambda request: _cut(call, "One. Two. Three."), "Four.")) as call:
        spoken: list[str] = []
        call.live.hear(lambda words, whole: spoken.append(words))
        await call.say("count")
        assert (await call.say("go on")).text == "Four."
        assert "".join(spoken) == "Four."


def _cut(call: Any, text: str) -> str:
    call.interrupt()
    return text


async def test_r46_the_four_outcomes_are_told_apart() -> None:
    first, last = calls("save", key="a", value="b"), calls("save", key="c", value="d")
    batch = [first, calls("fail"), calls("no_such"), calls("hang"), last]
    async with rehearsing(Clinic, Script(batch, "Hm.")) as call:
        saying = asyncio.create_task(call.say("all"))
        await call.agent._hanging.wait()
        call.interrupt()
        await call.advance(5)
        await asyncio.wait_for(saying, 2)
        await call.say("so?")
        done, failed, refused, unknown, not_run = told(call.requests[1])
        assert done == "saved"
        assert failed == "Closed."
        assert "Nothing was done" in refused
        assert "outcome unknown" in unknown.lower()
        assert "not run" in not_run.lower()
        assert "rejected" not in not_run.lower()
        assert [data["reason"] for data in datas(call.log, "cue.unknown")] == ["timeout"]
        assert refusals(call.log) == [("no_such", "unknown"), ("save", "not run")]


async def test_r56_an_effect_is_known_whatever_becomes_of_the_answer() -> None:
    from cuelight.errors import ScriptRanOut

    async with rehearsing(Clinic, Script(calls("save", key="a", value="b"))) as call:
        with pytest.raises(ScriptRanOut):
            await call.say("save")
        assert results(call.log)[0]["output"] == "saved"
        assert call.state.app_state["saved"] == {"a": "b"}


async def test_r78_a_turn_is_over_when_say_returns() -> None:
    script = Script([calls("route"), calls("save", key="a", value="b")], "Which day?")
    async with rehearsing(Clinic, script) as call:
        await call.say("go")
        before = len(call.log)
        for _ in range(50):
            await asyncio.sleep(0)
        assert len(call.log) == before
        assert types(call.log)[-1] == "cue.delivered"


async def test_r90_two_triggers_of_one_turn_are_one_reply() -> None:
    class Eager(Clinic):
        @tool
        def again(self) -> str:
            self.call.reply("Say it nicely.")
            self.call.reply("Say it very nicely.")
            return "ok"

    async with rehearsing(Eager, Script(["Well, ", calls("again")], "nicely.")) as call:
        assert (await call.say("go")).text == "Well,\nnicely."
        assert types(call.log).count("turn.agent") == 1
        assert "very nicely" in call.requests[1].view
        assert len(call.requests) == 2


async def test_r102_what_the_agent_says_first_stands_in_the_log_before_anything_is_typed() -> None:
    class First(Clinic):
        def on_call(self) -> None:
            self.call.speak("Harbour Clinic, good morning.")

    async with rehearsing(First, Script("Fine.")) as call:
        assert said(call.log) == [("code", "Harbour Clinic, good morning.")]
        await call.say("hi")
        assert talk(call.requests[0])[0] == ("assistant", "Harbour Clinic, good morning.")
