"""Law 6: model requests, transitions, identical calls and time are capped, and nothing is claimed at a cap."""

import asyncio
import threading
from typing import Any, Literal

import pytest

from cuelight import Agent, Limits, go, tool
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, errors, heard, refusals, rehearsing, results, said, told, types


class Spinner(Agent):
    """You spin."""

    limits = Limits(
        model_requests=3, transitions=2, identical_calls=2, tool_s=5, request_s=10, first_token_s=4, turn_s=60
    )
    fallback_line = "Let us start over."
    stage: Literal["a", "b"] = "a"
    spun: list[int] = []

    @tool
    def spin(self, n: int) -> str:
        """Spins."""
        self.spun.append(n)
        return f"spun {n}"

    @tool
    def turn(self) -> Any:
        """Turns."""
        return go("b" if self.stage == "a" else "a")

    @tool
    async def hang(self) -> str:
        """Hangs."""
        self.spun.append(-1)
        await asyncio.Event().wait()
        return "never"

    @tool(effect="read")
    async def hang_reading(self) -> str:
        """Hangs, reading."""
        await asyncio.Event().wait()
        return "never"

    @tool(timeout=100)
    async def take_long(self) -> str:
        """Takes long."""
        await asyncio.Event().wait()
        return "never"


async def mute(request: Any) -> str:
    """Connect, and say nothing."""
    await asyncio.Event().wait()
    return "never"


def capped(call: Any, name: str) -> None:
    """Check that the turn ended at one cap, with one line that claims nothing."""
    assert errors(call.log) == [f"limit-{name.replace('_', '-')}"]
    (error,) = datas(call.log, "error")
    assert name in error["message"]
    assert said(call.log)[-1] == ("code", Spinner.fallback_line)
    assert [text for _, text in said(call.log)].count(Spinner.fallback_line) == 1
    assert heard(call.log)[-1].endswith(Spinner.fallback_line)


async def test_model_requests_are_capped() -> None:
    script = Script(*(["Hm.", calls("spin", n=n)] for n in range(9)))
    async with rehearsing(Spinner, script) as call:
        reply = await call.say("spin")
        assert len(call.requests) == 3
        assert call.agent.spun == [0, 1], "what no later request could tell of is not begun"
        assert refusals(call.log) == [("spin", "not run")]
        assert "not run" in results(call.log)[-1]["error"]
        assert reply.text == "Hm.\nHm.\nHm.\nLet us start over."
        capped(call, "model_requests")


async def test_the_last_allowed_request_may_answer() -> None:
    async with rehearsing(Spinner, Script(calls("spin", n=1), calls("spin", n=2), "Done.")) as call:
        assert (await call.say("spin")).text == "Done."
        assert errors(call.log) == []


async def test_the_caps_are_each_turns_own() -> None:
    turn = [calls("spin", n=1), calls("spin", n=1), "Done."]
    async with rehearsing(Spinner, Script(*turn, *turn, *turn)) as call:
        for _ in range(3):
            assert (await call.say("spin")).text == "Done."
        assert errors(call.log) == []


async def test_identical_calls_are_capped_and_the_rest_does_not_run() -> None:
    batch = [calls("spin", n=1), calls("spin", n=1), calls("spin", n=1), calls("spin", n=2)]
    async with rehearsing(Spinner, Script(batch, "Never asked.")) as call:
        reply = await call.say("spin")
        assert call.agent.spun == [1, 1]
        assert refusals(call.log) == [("spin", "repeated"), ("spin", "not run")]
        assert all("not run" in data["error"] for data in results(call.log)[2:])
        assert reply.text == Spinner.fallback_line
        assert len(call.requests) == 1
        capped(call, "identical_calls")


async def test_identical_means_the_same_values_however_they_are_written() -> None:
    from cuelight.testing import raw_call

    class Pair(Agent):
        limits = Limits(identical_calls=1)

        @tool
        def pair(self, a: int, b: int) -> int:
            return a + b

    batch = [raw_call("pair", '{"a": 1, "b": 2}'), raw_call("pair", '{"b":2,"a":1}')]
    async with rehearsing(Pair, Script(batch)) as call:
        await call.say("go")
        assert refusals(call.log) == [("pair", "repeated")]
    async with rehearsing(Pair, Script([raw_call("pair", '{"a": 1, "b": 2}'), calls("pair", a=2, b=1)], "Ok.")) as call:
        assert (await call.say("go")).text == "Ok."


async def test_refused_calls_that_repeat_are_capped_too() -> None:
    async with rehearsing(Spinner, Script([calls("no_such", x=1)] * 2, calls("no_such", x=1))) as call:
        await call.say("go")
        assert refusals(call.log) == [("no_such", "unknown")] * 2 + [("no_such", "repeated")]
        capped(call, "identical_calls")


async def test_transitions_are_capped() -> None:
    class Turning(Spinner):
        limits = Limits(transitions=2, identical_calls=9)

    async with rehearsing(Turning, Script(*[calls("turn")] * 9)) as call:
        await call.say("turn")
        assert call.agent.stage == "a"
        assert [data["applied"] for data in datas(call.log, "cue.route")] == [True, True, False]
        capped(call, "transitions")


async def test_a_tool_that_hangs_is_settled_as_of_unknown_outcome_and_the_turn_goes_on() -> None:
    async with rehearsing(Spinner, Script([calls("hang"), calls("spin", n=1)], "I must check that.")) as call:
        saying = asyncio.create_task(call.say("hang"))
        await call.advance(4.9)
        assert not saying.done()
        await call.advance(0.2)
        reply = await asyncio.wait_for(saying, 2)
        assert reply.text == "I must check that."
        assert call.agent.spun == [1], "what ran out of time changed nothing; its sibling runs"
        hung, spun = told(call.requests[1])
        assert "outcome unknown" in hung.lower()
        assert spun == "spun 1"
        (unknown,) = datas(call.log, "cue.unknown")
        assert unknown == {"call_id": results(call.log)[0]["call_id"], "name": "hang", "reason": "timeout"}
        assert errors(call.log) == ["tool-timeout"]
        assert results(call.log)[0]["duration_s"] == 5


async def test_a_reading_tool_that_hangs_may_be_called_again() -> None:
    async with rehearsing(Spinner, Script(calls("hang_reading"), "Too slow.")) as call:
        saying = asyncio.create_task(call.say("hang"))
        await call.advance(5)
        await asyncio.wait_for(saying, 2)
        assert datas(call.log, "cue.unknown") == []
        assert errors(call.log) == ["tool-timeout"]
        assert "again" in told(call.requests[1])[0]


async def test_a_tools_own_timeout_is_the_one_that_counts() -> None:
    async with rehearsing(Spinner, Script(calls("take_long"), "Hm.")) as call:
        saying = asyncio.create_task(call.say("go"))
        await call.advance(50)
        assert not saying.done()
        await call.advance(50)
        await asyncio.wait_for(saying, 2)
        assert errors(call.log) == ["tool-timeout", "limit-turn-s"] or errors(call.log) == ["tool-timeout"]


async def test_a_thread_that_runs_out_of_time_is_heard_no_more() -> None:
    begun, let_go, over = threading.Event(), threading.Event(), threading.Event()
    late: list[BaseException] = []

    class Stuck(Agent):
        limits = Limits(tool_s=5)
        count: int = 0

        @tool
        def block(self) -> str:
            self.count = 1
            begun.set()
            let_go.wait(10)
            for act in (self._write, lambda: self.call.speak("too late"), lambda: self.call.end()):
                try:
                    act()
                except Exception as error:
                    late.append(error)
            over.set()
            return "late"

        def _write(self) -> None:
            self.count = 2

    async with rehearsing(Stuck, Script(calls("block"), "I cannot say.", "Still here.")) as call:
        saying = asyncio.create_task(call.say("go"))
        await asyncio.to_thread(begun.wait, 5)
        await call.advance(5)
        await asyncio.wait_for(saying, 2)
        let_go.set()
        await asyncio.to_thread(over.wait, 5)
        assert len(late) == 3
        assert (await call.say("hello?")).text == "Still here."
        assert call.agent.count == 0
        assert "too late" not in str(call.log)
        assert "count was written after tool block was over" in str(late[0])


async def test_a_mute_model_is_asked_three_times_and_then_code_speaks() -> None:
    async with rehearsing(Spinner, Script(mute, mute, mute)) as call:
        saying = asyncio.create_task(call.say("hello"))
        for _ in range(3):
            assert not saying.done()
            await call.advance(4)
        reply = await asyncio.wait_for(saying, 2)
        assert reply.text == Spinner.fallback_line
        assert len(call.requests) == 3
        assert errors(call.log) == ["model-too-slow"] * 3
        assert "4 s" in datas(call.log, "error")[0]["message"]
        assert [data["cancelled"] for data in datas(call.log, "metrics.llm")] == [True] * 3


async def test_a_request_that_never_ends_is_stopped() -> None:
    class Drip:
        """A model that says a word at once and then nothing for ever."""

        name, provider = "drip", "tests"

        async def stream(self, request: Any) -> Any:
            from cuelight.ports import TextDelta

            yield TextDelta("Well")
            await asyncio.Event().wait()

    async with rehearsing(Spinner, Drip()) as call:
        saying = asyncio.create_task(call.say("hello"))
        await call.advance(9.9)
        assert errors(call.log) == []
        for _ in range(3):
            await call.advance(10)
        reply = await asyncio.wait_for(saying, 2)
        assert reply.text == f"Well\n{Spinner.fallback_line}"
        assert errors(call.log) == ["model-too-slow"] * 3
        assert "10 s" in datas(call.log, "error")[0]["message"]


async def test_a_turn_out_of_time_starts_nothing_more() -> None:
    class Slow(Agent):
        limits = Limits(turn_s=10, tool_s=30, first_token_s=8, request_s=8)
        fallback_line = Spinner.fallback_line
        ran: list[str] = []

        @tool
        async def slow(self) -> str:
            self.ran.append("slow")
            await self._gate.wait()
            return "slow"

        @tool
        async def quick(self) -> str:
            self.ran.append("quick")
            return "quick"

        def __init__(self) -> None:
            self._gate = asyncio.Event()

    async with rehearsing(Slow, Script([calls("slow"), calls("quick")], "Never asked.")) as call:
        saying = asyncio.create_task(call.say("go"))
        await call.advance(12)
        call.agent._gate.set()
        reply = await asyncio.wait_for(saying, 2)
        assert call.agent.ran == ["slow"], "a begun one is finished within its own limit"
        assert refusals(call.log) == [("quick", "not run")]
        assert reply.text == Spinner.fallback_line
        assert len(call.requests) == 1
        capped(call, "turn_s")

    async with rehearsing(Slow, Script(mute, mute, mute)) as call:
        saying = asyncio.create_task(call.say("go"))
        await call.advance(8)
        await call.advance(8)
        assert (await asyncio.wait_for(saying, 2)).text == Spinner.fallback_line
        assert len(call.requests) == 2
        assert errors(call.log) == ["model-too-slow", "model-too-slow", "limit-turn-s"]
        assert [by for by, _ in said(call.log)] == ["code"]


async def test_a_cap_stands_although_a_handler_asked_for_another_reply() -> None:
    class Again(Agent):
        limits = Limits(identical_calls=1)
        fallback_line = Spinner.fallback_line

        @tool
        def again(self) -> None:
            self.call.reply("Once more.")

    async with rehearsing(Again, Script([calls("again"), calls("again")], "Never asked.")) as call:
        await call.say("go")
        assert len(call.requests) == 1
        capped(call, "identical_calls")


async def test_the_next_turn_after_a_cap_is_an_ordinary_one() -> None:
    async with rehearsing(Spinner, Script([calls("spin", n=1)] * 3, "Hello again.")) as call:
        await call.say("spin")
        reply = await call.say("hello")
        assert reply.text == "Hello again."
        assert ("assistant", Spinner.fallback_line) in [(m["role"], m["content"]) for m in call.requests[1].messages]


async def test_the_default_line_and_the_default_limits() -> None:
    assert Limits() == Limits(
        model_requests=8, transitions=8, identical_calls=3, tool_s=30, request_s=60, first_token_s=20
    )

    class Plain(Agent):
        @tool
        def spin(self, n: int) -> None: ...

    async with rehearsing(Plain, Script(*(calls("spin", n=n) for n in range(9)))) as call:
        assert (await call.say("go")).text == FALLBACK
        assert len(call.requests) == 8
        assert types(call.log).count("turn.agent") == 1


@pytest.mark.parametrize(
    "limits", [{"model_requests": 0}, {"tool_s": -1}, {"turn_s": float("inf")}, {"transitions": 1.5}]
)
def test_a_limit_that_bounds_nothing_is_refused(limits: dict[str, Any]) -> None:
    from cuelight import DeclarationRefused

    with pytest.raises(DeclarationRefused):
        Limits(**limits)


async def test_a_hook_that_hangs_is_stopped() -> None:
    class Hanging(Agent):
        limits = Limits(tool_s=5)
        seen: list[str] = []

        async def on_event(self, name: str, data: dict[str, Any]) -> None:
            self.seen.append(name)
            await asyncio.Event().wait()

    async with rehearsing(Hanging, Script("Hello.")) as call:
        waiting = asyncio.create_task(call.event("ring"))
        await call.advance(5)
        await asyncio.wait_for(waiting, 2)
        assert errors(call.log) == ["handler-timeout"]
        assert call.agent.seen == []
        assert (await call.say("hi")).text == "Hello."
