"""Law 15: a reply generated ahead of its turn writes nothing, starts no tool, and is dropped if the log moved."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Literal

import pytest

from cuelight import Agent, tool
from cuelight.errors import ScriptRanOut
from cuelight.ports import Finished, ModelRequest, TextDelta
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, errors, heard, rehearsing, results, types


class Desk(Agent):
    """You are the desk."""

    stage: Literal["a", "b"] = "a"
    count: int = 0

    @tool
    def add(self) -> int:
        """Adds."""
        self.count += 1
        return self.count

    @tool(when=lambda a: OUTSIDE["open"])
    def sometimes(self) -> None:
        """Is there sometimes."""

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        if name == "change":
            self.count += 1

    def render(self) -> str:
        return f"{self.stage} {self.count} {OUTSIDE['weather']}"


OUTSIDE: dict[str, Any] = {}


@pytest.fixture(autouse=True)
def _outside() -> None:
    OUTSIDE.update(open=False, weather="sunny")


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def plain(*script: Any) -> list[Any]:
    async with rehearsing(Desk, Script(*script)) as call:
        await call.say("hello")
        await call.say("and?")
        return call.log


async def test_the_prepared_answer_is_used_when_the_words_are_said() -> None:
    async with rehearsing(Desk, Script("Hello.", "Fine.")) as call:
        before = call.log
        call.prepare("hello")
        await settle()
        assert len(call.requests) == 1
        assert call.log == before, "nothing is written"
        reply = await call.say("hello")
        assert reply.text == "Hello."
        assert len(call.requests) == 1
        await call.say("and?")
        assert call.log == await plain("Hello.", "Fine."), "the log is that of a call where nothing was prepared"
        assert call.requests[0].messages[0]["content"].startswith("hello\n\n")


async def test_a_prepared_answer_may_still_be_on_its_way() -> None:
    async with rehearsing(Desk, Script("Hello.")) as call:
        await call.prepare("hello")
        assert (await call.say("hello")).text == "Hello."
        assert len(call.requests) == 1


async def test_a_prepared_tool_call_runs_with_the_turn_and_not_before() -> None:
    async with rehearsing(Desk, Script(["Adding.", calls("add")], "One.")) as call:
        call.prepare("add")
        await settle()
        assert call.agent.count == 0
        assert "tool.call" not in types(call.log)
        assert (await call.say("add")).text == "Adding.\nOne."
        assert call.agent.count == 1
        assert len(call.requests) == 2


@pytest.mark.parametrize("said", ["hello there", "Hello", ""])
async def test_other_words_drop_it(said: str) -> None:
    async with rehearsing(Desk, Script(["Wrong.", calls("add")], "Right.")) as call:
        call.prepare("hello")
        await settle()
        assert (await call.say(said)).text == "Right."
        assert call.agent.count == 0
        assert len(call.requests) == 2
        assert "Wrong" not in str(call.log)
        assert heard(call.log) == ["Right."]
        assert len(datas(call.log, "metrics.llm")) == 1


@pytest.mark.parametrize("name", ["change", "nothing"])
async def test_it_is_dropped_when_the_log_moved(name: str) -> None:
    async with rehearsing(Desk, Script("Old.", "New.")) as call:
        call.prepare("hello")
        await settle()
        await call.event(name)
        assert (await call.say("hello")).text == "New."
        assert len(call.requests) == 2


async def test_it_is_dropped_when_the_last_reply_turns_out_to_be_cut() -> None:
    async with rehearsing(Desk, Script("A long reply.", "Old.", "New.")) as call:
        await call.say("hi")
        call.prepare("stop")
        await settle()
        call.interrupt(heard="A long")
        assert (await call.say("stop")).text == "New."


@pytest.mark.parametrize("change", [{"open": True}, {"weather": "rainy"}])
async def test_it_is_dropped_when_the_request_would_be_another_one(change: dict[str, Any]) -> None:
    async with rehearsing(Desk, Script("Old.", "New.")) as call:
        call.prepare("hello")
        await settle()
        OUTSIDE.update(change)
        assert (await call.say("hello")).text == "New."


async def test_preparing_again_replaces_what_was_prepared() -> None:
    async with rehearsing(Desk, Script("One.", "Two.")) as call:
        call.prepare("he")
        call.prepare("hello")
        call.prepare("hello")
        await settle()
        assert len(call.requests) <= 2
        assert (await call.say("hello")).text in ("One.", "Two.")
        assert len(call.requests) <= 2


async def test_nothing_is_prepared_while_the_call_is_busy() -> None:
    gate = asyncio.Event()

    class Busy(Desk):
        @tool
        async def wait(self) -> str:
            await gate.wait()
            return "waited"

    async with rehearsing(Busy, Script(calls("wait"), "Waited.", "Next.")) as call:
        saying = asyncio.create_task(call.say("wait"))
        await settle()
        call.prepare("next")
        await settle()
        assert len(call.requests) == 1, "never while a tool is open"
        gate.set()
        assert (await saying).text == "Waited."
        assert (await call.say("next")).text == "Next."


async def test_nothing_is_prepared_for_a_call_that_is_over() -> None:
    async with rehearsing(Desk, Script("Never.")) as call:
        await call.hang_up()
        call.prepare("hello")
        await settle()
        assert call.requests == []


async def test_what_failed_is_asked_anew() -> None:
    async with rehearsing(Desk, Script(RuntimeError("lost"), "Hello.")) as call:
        call.prepare("hello")
        await settle()
        assert (await call.say("hello")).text == "Hello."
        assert errors(call.log) == []
        assert datas(call.log, "cue.delivered")[0]["attempts"] == 1


async def test_what_fails_after_it_was_adopted_is_retried_as_usual() -> None:
    gate = asyncio.Event()

    async def late(request: Any) -> Any:
        await gate.wait()
        return RuntimeError("lost")

    async with rehearsing(Desk, Script(late, "Hello.")) as call:
        call.prepare("hello")
        await settle()
        saying = asyncio.create_task(call.say("hello"))
        await settle()
        gate.set()
        assert (await saying).text == "Hello."
        assert errors(call.log) == ["model-failed"]


async def test_a_script_that_runs_out_is_hidden_by_no_speculation() -> None:
    async with rehearsing(Desk, Script()) as call:
        call.prepare("hello")
        await settle()
        with pytest.raises(ScriptRanOut):
            await call.say("hello")


class Slow:
    """A model that says one word at a time, when the test lets it."""

    name, provider = "slow", "tests"

    def __init__(self) -> None:
        self.next = asyncio.Semaphore(0)
        self.open = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        self.open += 1
        try:
            for word in ("One ", "two ", "three."):
                await self.next.acquire()
                yield TextDelta(word)
            yield Finished()
        finally:
            self.open -= 1


async def test_nothing_is_spoken_before_the_words_are_said_and_the_rest_as_it_comes() -> None:
    model = Slow()
    async with rehearsing(Desk, model) as call:
        spoken: list[str] = []
        call.live.hear(lambda words, whole: spoken.append(words))
        call.prepare("count")
        model.next.release()
        model.next.release()
        await settle()
        assert spoken == []
        saying = asyncio.create_task(call.say("count"))
        await settle()
        assert spoken == ["One ", "two "]
        model.next.release()
        assert (await saying).text == "One two three."
        assert "".join(spoken) == "One two three."


async def test_an_adopted_answer_can_be_cut() -> None:
    model = Slow()
    async with rehearsing(Desk, model) as call:
        call.prepare("count")
        model.next.release()
        await settle()
        saying = asyncio.create_task(call.say("count"))
        await settle()
        call.interrupt()
        reply = await asyncio.wait_for(saying, 2)
        assert (reply.text, reply.interrupted) == ("One", True)
        assert model.open == 0


async def test_a_prepared_answer_is_dropped_when_its_turn_is_cut_before_it_asks() -> None:
    model = Slow()
    async with rehearsing(Desk, model) as call:
        call.prepare("count")
        await settle()
        call.live.listen(lambda entry: call.interrupt() if entry.type == "turn.user" else None)
        reply = await asyncio.wait_for(call.say("count"), 2)
        assert (reply.text, reply.interrupted) == ("", True)
        assert model.open == 0


async def test_a_prepared_answer_that_nobody_wants_is_closed_with_the_call() -> None:
    model = Slow()
    async with rehearsing(Desk, model) as call:
        call.prepare("count")
        await settle()
        assert model.open == 1
    assert model.open == 0
    assert types(call.log)[-1] == "prompt.changed"


async def test_a_mute_model_is_left_although_it_was_asked_ahead() -> None:
    async def mute(request: Any) -> str:
        await asyncio.Event().wait()
        return "never"

    async with rehearsing(Desk, Script(mute, mute, mute)) as call:
        call.prepare("hello")
        await call.advance(15)
        saying = asyncio.create_task(call.say("hello"))
        await call.advance(5)
        assert errors(call.log) == []
        for _ in range(2):
            await call.advance(20)
        assert (await asyncio.wait_for(saying, 2)).text == FALLBACK
        assert errors(call.log) == ["model-too-slow"] * 3
        assert results(call.log) == []


async def test_what_is_dropped_before_it_began_is_never_asked_and_keeps_nobody_waiting() -> None:
    async def mute(request: Any) -> str:
        await asyncio.Event().wait()
        return "never"

    async with rehearsing(Desk, Script(mute)) as call:
        async with asyncio.timeout(2):
            call.prepare("hello")
            await call.live.close()
        assert call.requests == []


async def test_a_call_that_is_let_go_of_while_it_drops_what_was_prepared_leaves_none_of_it() -> None:
    async def mute(request: Any) -> str:
        await asyncio.Event().wait()
        return "never"

    async with rehearsing(Desk, Script(mute, mute, mute, "Hello.")) as call:
        for words in ("one", "two", "three"):
            call.prepare(words)
            await settle()
        saying = asyncio.ensure_future(call.say("three"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await saying


async def test_the_same_message_is_never_answered_twice_by_preparing_it() -> None:
    async with rehearsing(Desk, Script("Hello.", "Unused.")) as call:
        first = await call.say("hello", id="m1")
        call.prepare("hello")
        await settle()
        assert await call.say("hello", id="m1") == first
        assert heard(call.log) == ["Hello."]
