"""Law 7: a turn ends in words, in a declared wait, or in the end of the call."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from cuelight import Agent, tool
from cuelight.errors import ModelFailed
from cuelight.ports import Finished, ModelRequest, TextDelta, ToolCallRequest
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, errors, heard, rehearsing, results, said, talk


class Desk(Agent):
    """You sit at a desk."""

    count: int = 0

    @tool
    def count_up(self) -> str:
        """Counts."""
        self.count += 1
        return f"{self.count}"


async def mute(request: Any) -> str:
    await asyncio.Event().wait()
    return "never"


@pytest.mark.parametrize("nothing", ["", "   ", "\n\t \n", [], ["", " "]])
async def test_an_empty_reply_is_asked_again(nothing: Any) -> None:
    async with rehearsing(Desk, Script(nothing, "Hello.")) as call:
        reply = await call.say("hi")
        assert reply.text == "Hello."
        assert heard(call.log) == ["Hello."]
        assert errors(call.log) == ["model-empty"]
        assert len(call.requests) == 2
        assert call.requests[0].messages == call.requests[1].messages


@pytest.mark.parametrize(
    "fault", ["", RuntimeError("no"), ConnectionError, TimeoutError("theirs"), OSError(5), asyncio.CancelledError()]
)
async def test_after_three_attempts_a_line_written_by_code_is_spoken(fault: Any) -> None:
    async with rehearsing(Desk, Script(fault, fault, fault, "Never asked.")) as call:
        reply = await call.say("hi")
        assert reply.text == FALLBACK
        assert said(call.log) == [("code", FALLBACK)]
        assert heard(call.log) == [FALLBACK]
        assert len(errors(call.log)) == 3
        assert len(call.requests) == 3
        assert datas(call.log, "cue.delivered")[0]["attempts"] == 3
        assert len(datas(call.log, "metrics.llm")) == 3
        assert (await call.say("still there?")).text == "Never asked."


async def test_a_failure_that_cannot_help_is_not_tried_again() -> None:
    async with rehearsing(Desk, Script(ModelFailed("The key was refused.", retryable=False))) as call:
        assert (await call.say("hi")).text == FALLBACK
        assert len(call.requests) == 1
        assert "The key was refused." in datas(call.log, "error")[0]["message"]


async def test_the_faults_may_differ_and_the_third_attempt_may_succeed() -> None:
    async with rehearsing(Desk, Script("", RuntimeError("no"), "At last.")) as call:
        assert (await call.say("hi")).text == "At last."
        assert errors(call.log) == ["model-empty", "model-failed"]


async def test_each_error_says_what_happens_next() -> None:
    async with rehearsing(Desk, Script("", "", "")) as call:
        await call.say("hi")
        first, second, third = (data["message"] for data in datas(call.log, "error"))
        assert first == second != third


async def test_an_empty_reply_after_a_tool_is_asked_again_without_running_it_twice() -> None:
    async with rehearsing(Desk, Script(["One moment.", calls("count_up")], "", "", "")) as call:
        reply = await call.say("count")
        assert call.agent.count == 1
        assert reply.text == f"One moment.\n{FALLBACK}"
        assert len(call.requests) == 4
        assert len(results(call.log)) == 1


async def test_white_space_beside_a_call_is_no_speech() -> None:
    async with rehearsing(Desk, Script([" \n", calls("count_up")], "One.", "Bye.")) as call:
        reply = await call.say("count")
        assert reply.text == "One."
        assert said(call.log) == [("model", "One.")]
        await call.say("bye")
        called = next(m for m in call.requests[-1].messages if m.get("tool_calls"))
        assert called["content"] == ""


async def test_words_of_a_failed_attempt_are_kept_marked_cut_and_not_repeated() -> None:
    async with rehearsing(
        Desk, Script(["We open at ", RuntimeError("lost")], "nine, and close at five.", "Bye.")
    ) as call:
        reply = await call.say("hours?")
        assert reply.text == "We open at\nnine, and close at five."
        assert heard(call.log) == [reply.text]
        broken, whole = datas(call.log, "cue.reply")
        assert broken["text"].strip() == "We open at"
        assert broken["cut"] is True
        assert "cut" not in whole
        asked = call.requests[1]
        assert "We open at" in asked.view, "the model is told where to go on"
        await call.say("bye")
        spoken = [content for role, content in talk(call.requests[2]) if role == "assistant"]
        assert len(spoken) == 2
        assert spoken[0].startswith("We open at")
        assert spoken[0] != "We open at", "it is marked"
        assert spoken[1] == "nine, and close at five."


@pytest.mark.parametrize("again", ["We open at nine.", "  We open at nine.", "We  open\nat nine.", "we open at nine."])
async def test_an_attempt_that_begins_anew_repeats_nothing(again: str) -> None:
    async with rehearsing(Desk, Script(["We open at ", RuntimeError("lost")], again)) as call:
        reply = await call.say("hours?")
        assert reply.text == "We open at\nnine."
        assert call.log[-1].type == "cue.delivered"


@pytest.mark.parametrize(
    ("spoken", "again", "heard_then"),
    [
        ("I", "It is booked.", "I\nIt is booked."),
        ("It is boo", "It is booked.", "It is boo\nbooked."),
        ("I", "I'm here.", "I\nI'm here."),
        ("Yes", "Yes, it is.", "Yes\n, it is."),
        ("We open", "We open.", "We open\n."),
    ],
)
async def test_what_was_said_is_left_out_only_up_to_the_end_of_a_word(spoken: str, again: str, heard_then: str) -> None:
    async with rehearsing(Desk, Script([spoken, RuntimeError("lost")], again)) as call:
        assert (await call.say("well?")).text == heard_then


async def test_two_attempts_may_fail_after_words() -> None:
    script = Script(["We ", RuntimeError("1")], ["We open ", RuntimeError("2")], "We open at nine.")
    async with rehearsing(Desk, script) as call:
        assert (await call.say("hours?")).text == "We\nopen\nat nine."


async def test_an_attempt_that_only_repeats_what_was_said_adds_nothing() -> None:
    async with rehearsing(Desk, Script(["We open at nine.", RuntimeError("lost")], "We open at nine.")) as call:
        reply = await call.say("hours?")
        assert reply.text == "We open at nine."
        assert heard(call.log) == ["We open at nine."]


async def test_an_attempt_that_stops_inside_what_was_said_adds_nothing() -> None:
    async with rehearsing(Desk, Script(["We open at nine.", RuntimeError("lost")], "We open")) as call:
        assert (await call.say("hours?")).text == "We open at nine."


async def test_nothing_after_words_that_broke_off_is_asked_again() -> None:
    async with rehearsing(Desk, Script(["We open at ", RuntimeError("lost")], "", "nine.")) as call:
        assert (await call.say("hours?")).text == "We open at\nnine."
        assert errors(call.log) == ["model-failed", "model-empty"]


async def test_words_then_three_failures_are_followed_by_the_line() -> None:
    fault = RuntimeError("lost")
    async with rehearsing(Desk, Script(["We open at ", fault], fault, fault)) as call:
        assert (await call.say("hours?")).text == f"We open at\n{FALLBACK}"
        assert errors(call.log) == ["model-failed"] * 3


async def test_calls_of_a_failed_attempt_do_not_run() -> None:
    async with rehearsing(
        Desk, Script(["So. ", calls("count_up"), RuntimeError("lost")], calls("count_up"), "One.")
    ) as call:
        reply = await call.say("count")
        assert call.agent.count == 1
        assert len(results(call.log)) == 1
        assert reply.text == "So.\nOne."


async def test_a_mute_model_is_left_after_a_while() -> None:
    async with rehearsing(Desk, Script(mute, "Hello.")) as call:
        saying = asyncio.create_task(call.say("hi"))
        await call.advance(19)
        assert len(call.requests) == 1
        await call.advance(1)
        assert (await asyncio.wait_for(saying, 2)).text == "Hello."
        assert errors(call.log) == ["model-too-slow"]


class Scolding:
    """A model that must not be closed late: it counts the streams that are open."""

    name, provider = "scolding", "tests"

    def __init__(self) -> None:
        self.open = 0
        self.asked = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        self.open += 1
        self.asked += 1
        try:
            yield TextDelta("Hm ")
            if self.asked < 3:
                raise ConnectionError("lost")
            yield TextDelta("so.")
            yield Finished()
        finally:
            self.open -= 1


async def test_every_stream_is_closed() -> None:
    model = Scolding()
    async with rehearsing(Desk, model) as call:
        assert (await call.say("hi")).text == "Hm\nso."
        assert (model.open, model.asked) == (0, 3)


class Unfinished:
    """A model whose stream ends without saying so."""

    name, provider = "unfinished", "tests"

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        if any(message.role == "tool" for message in request.history):
            yield TextDelta("Counted.")
        else:
            yield ToolCallRequest("count_up", "{}")


async def test_what_came_decides_not_how_the_stream_says_it_ended() -> None:
    async with rehearsing(Desk, Unfinished()) as call:
        assert (await call.say("count")).text == "Counted."
        assert call.agent.count == 1


async def test_a_script_that_runs_out_is_hidden_by_no_law() -> None:
    from cuelight.errors import ScriptRanOut

    async with rehearsing(Desk, Script("Hello.")) as call:
        await call.say("hi")
        with pytest.raises(ScriptRanOut):
            await call.say("hi again")
        with pytest.raises(ScriptRanOut):
            await call.say("and again")
        assert heard(call.log) == ["Hello."]
    async with rehearsing(Desk, Script(calls("count_up"))) as call:
        with pytest.raises(ScriptRanOut):
            await call.say("count")
        assert call.agent.count == 1
        assert len(results(call.log)) == 1, "what happened before stays known"


async def test_a_check_in_a_script_is_hidden_by_no_law() -> None:
    def checks(request: Any) -> str:
        assert request.tools == ["something else"]
        return "Hello."

    async with rehearsing(Desk, Script(checks, "Never asked.")) as call:
        with pytest.raises(AssertionError, match="something else"):
            await call.say("hi")
        assert len(call.requests) == 1
        assert errors(call.log) == []


async def test_the_last_words_may_be_those_of_a_tool() -> None:
    class Ending(Agent):
        @tool
        def leave(self) -> None:
            self.call.end("done")

    async with rehearsing(Ending, Script(calls("leave"))) as call:
        reply = await call.say("bye")
        assert reply.text == ""
        assert heard(call.log) == []
        assert call.state.status == "ended"
