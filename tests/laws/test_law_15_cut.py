"""Law 15: a turn can be cut; what was heard is what the model remembers; speculation leaves no trace."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from cuelight import Agent, direct, tool
from cuelight.errors import BadEntry
from cuelight.log import CUT_BY_CALLER
from cuelight.ports import Finished, ModelRequest, TextDelta
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls
from lawbook import datas, entries, errors, heard, refusals, rehearsing, results, said, talk, told, types

FIVE = "One is here. Two is here. Three is here. Four is here. Five is here."


class Desk(Agent):
    """You book tables."""

    booked: list[str] = []

    def __init__(self) -> None:
        self._cut: Any = None
        self._begun = asyncio.Event()
        self._go = asyncio.Event()
        self._thread_go = threading.Event()

    @tool
    async def book(self, what: str) -> str:
        """Books."""
        self._begun.set()
        if self._cut is not None:
            self._cut()
        else:
            await self._go.wait()
        self.call.speak("Done booking.")
        self.booked.append(what)
        return f"booked {what}"

    @tool
    def book_in_thread(self, what: str) -> str:
        """Books, blocking."""
        if self._cut is not None:
            self._cut()
        else:
            self._thread_go.wait(5)
        self.booked.append(what)
        return f"booked {what}"

    @tool
    async def note(self, what: str) -> str:
        """Notes."""
        self.booked.append(what)
        return "noted"

    @tool
    async def show(self) -> Any:
        """Shows."""
        if self._cut is not None:
            self._cut()
        return direct("Here it is.")


class Streaming:
    """A model that says its sentences one by one, each when the test lets it."""

    name, provider = "streaming", "tests"

    def __init__(self, *sentences: str, then: str = "Fine.") -> None:
        self.sentences = sentences
        self.then = then
        self.spoken = 0
        self.closed = 0
        self.asked: list[ModelRequest] = []
        self.next = asyncio.Semaphore(0)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        self.asked.append(request)
        try:
            if len(self.asked) > 1:
                yield TextDelta(self.then)
            else:
                for sentence in self.sentences:
                    await self.next.acquire()
                    self.spoken += 1
                    yield TextDelta(sentence)
            yield Finished()
        finally:
            self.closed += 1


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("cut", "turn", "view"),
    [
        (None, "One. Two.", f"One. Two. {CUT_BY_CALLER}"),
        ("One.", "One.", f"One. {CUT_BY_CALLER}"),
        ("", "", None),
        ("One. Two.", "One. Two.", f"One. Two. {CUT_BY_CALLER}"),
        ("One. Tw", "One. Tw", f"One. Tw {CUT_BY_CALLER}"),
    ],
)
async def test_an_interruption_stops_the_models_stream(cut: str | None, turn: str, view: str | None) -> None:
    model = Streaming("One. ", "Two. ", "Three. ", "Four.")
    async with rehearsing(Desk, model) as call:
        saying = asyncio.create_task(call.say("count"))
        model.next.release()
        model.next.release()
        await settle()
        call.interrupt(heard=cut)
        reply = await asyncio.wait_for(saying, 2)
        assert (model.spoken, model.closed) == (2, 1)
        assert reply.interrupted
        assert reply.text == turn
        assert heard(call.log) == [turn]
        assert datas(call.log, "turn.agent")[0]["interrupted"] is True
        (written,) = datas(call.log, "cue.reply")
        assert written["text"].strip() == "One. Two."
        assert written["cut"] is True
        assert datas(call.log, "metrics.llm")[0]["cancelled"] is True
        assert errors(call.log) == [], "an interruption is no fault, and nothing is asked again"
        assert (await call.say("go on")).text == "Fine."
        assistant = [m.content for m in model.asked[1].history if m.role == "assistant"]
        assert assistant[:1] == ([view] if view else ["Fine."][:0]) or (view is None and assistant == ["Fine."])


async def test_an_interruption_before_any_word_leaves_no_reply() -> None:
    model = Streaming("One. ")
    async with rehearsing(Desk, model) as call:
        saying = asyncio.create_task(call.say("count"))
        await settle()
        call.interrupt()
        reply = await asyncio.wait_for(saying, 2)
        assert reply.text == ""
        assert heard(call.log) == [""]
        assert "cue.reply" not in types(call.log)
        await call.say("hello?")
        assert [(m.role, m.content) for m in model.asked[1].history][:2] == [("user", "count"), ("user", "hello?")]


@pytest.mark.parametrize("thread", [False, True])
async def test_a_begun_tool_is_finished_and_recorded_and_the_rest_is_not_run(thread: bool) -> None:
    name = "book_in_thread" if thread else "book"
    batch = ["Booking. ", calls(name, what="a table"), calls("note", what="x"), calls("note", what="y")]
    async with rehearsing(Desk, Script(batch, "It is booked.")) as call:
        saying = asyncio.create_task(call.say("book"))
        await settle()
        call.interrupt(heard="Booking.")
        await settle()
        assert not saying.done()
        call.agent._go.set()
        call.agent._thread_go.set()
        reply = await asyncio.wait_for(saying, 2)
        assert reply.text == "Booking."
        assert call.agent.booked == ["a table"]
        assert refusals(call.log) == [("note", "not run")] * 2
        assert results(call.log)[0]["output"] == "booked a table"
        assert entries(call.log, "tool.result")[-1].seq < entries(call.log, "turn.agent")[0].seq
        assert len(call.requests) == 1
        assert (await call.say("well?")).text == "It is booked."
        assert told(call.requests[1])[0] == "booked a table"
        assert all("not run" in text for text in told(call.requests[1])[1:])
        assert ("assistant", f"Booking. {CUT_BY_CALLER}") in talk(call.requests[1])


@pytest.mark.parametrize("name", ["book", "book_in_thread"])
async def test_an_interruption_from_inside_a_tool(name: str) -> None:
    async with rehearsing(Desk, Script(["Booking.", calls(name, what="a"), calls("note", what="b")], "Yes.")) as call:
        call.agent._cut = call.interrupt
        reply = await asyncio.wait_for(call.say("book"), 5)
        assert call.agent.booked == ["a"]
        assert reply.interrupted
        assert reply.text == "Booking.", "what is said after the caller cut in is not heard"
        assert refusals(call.log) == [("note", "not run")]
        assert (await call.say("so?")).text == "Yes."
        assert "Done booking." not in str(talk(call.requests[1]))


async def test_an_interruption_between_two_calls_of_a_batch() -> None:
    async with rehearsing(Desk, Script([calls("note", what="a"), calls("note", what="b")], "Yes.")) as call:
        call.live.listen(lambda entry: call.interrupt() if entry.type == "tool.result" else None)
        await call.say("note")
        assert call.agent.booked == ["a"]
        assert [data.get("output") for data in results(call.log)] == ["noted", None]


async def test_content_given_after_the_caller_cut_in_is_not_shown() -> None:
    async with rehearsing(Desk, Script(calls("show"), "Yes.")) as call:
        call.agent._cut = call.interrupt
        reply = await call.say("show")
        assert reply.content is None
        assert said(call.log) == []
        await call.say("so?")
        assert "Here it is." not in str(talk(call.requests[1]))


@pytest.mark.parametrize("how", ["plain", "awaited", "task", "thread"])
@pytest.mark.parametrize("cut", [None, "", "One is here.", "One is here. Two is here."])
async def test_an_interruption_from_inside_the_model(how: str, cut: str | None) -> None:
    async def item(request: Any) -> Any:
        if how == "plain":
            call.interrupt(heard=cut)
        elif how == "awaited":
            await call.interrupt(heard=cut)
        elif how == "task":
            asyncio.create_task(_later(lambda: call.interrupt(heard=cut)))  # noqa: RUF006 - it is over at once
            await settle()
        else:
            await asyncio.to_thread(call.interrupt, cut)
        return FIVE

    async with rehearsing(Desk, Script(item, "Go on.")) as call:
        reply = await asyncio.wait_for(call.say("count"), 5)
        assert reply.interrupted
        assert reply.text == (cut or "")
        assert heard(call.log) == [cut or ""]
        await call.say("next")
        assistant = [content for role, content in talk(call.requests[1]) if role == "assistant"]
        assert assistant == ([f"{cut} {CUT_BY_CALLER}"] if cut else [])


async def _later(act: Any) -> None:
    act()


async def test_calls_that_came_with_a_cut_reply_are_not_run() -> None:
    def item(request: Any) -> Any:
        call.interrupt()
        return ["Booking.", calls("note", what="a"), calls("note", what="b")]

    async with rehearsing(Desk, Script(item, "Yes.")) as call:
        await call.say("book")
        assert call.agent.booked == []
        assert refusals(call.log) == [("note", "not run")] * 2
        await call.say("so?")
        assert len(told(call.requests[1])) == 2


# --- between turns ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cut", "view"),
    [
        ("One is here. Two is here.", f"One is here. Two is here. {CUT_BY_CALLER}"),
        ("One is", f"One is {CUT_BY_CALLER}"),
        ("", None),
        (FIVE, f"{FIVE} {CUT_BY_CALLER}"),
        (None, FIVE),
    ],
)
async def test_an_interruption_while_the_reply_is_played(cut: str | None, view: str | None) -> None:
    store = MemoryStore()
    async with rehearsing(Desk, Script(FIVE, "Go on."), store=store) as call:
        assert (await call.say("count")).text == FIVE
        call.interrupt(heard=cut)
        await call.say("next")
        assistant = [content for role, content in talk(call.requests[1]) if role == "assistant"]
        assert assistant == ([view] if view else [])
        assert heard(call.log)[0] == FIVE, "the log keeps all that was generated"
        noted = datas(call.log, "cue.heard")
        speech = datas(call.log, "turn.agent")[0]["speech_id"]
        assert noted == ([] if cut is None else [{"speech_id": speech, "text": cut}])
        assert call.state.turns[1].text == FIVE
    async with rehearsing(Desk, Script("Yes."), store=store, resume=call.id) as again:
        await again.say("more")
        assert [c for r, c in talk(again.requests[0]) if r == "assistant"][:1] == ([view] if view else ["Go on."])


async def test_a_played_reply_of_several_lines_is_cut_where_it_was() -> None:
    async with rehearsing(
        Desk, Script(["Let me look. ", calls("note", what="a")], "It is there. All is well.", "Yes.")
    ) as call:
        await call.say("look")
        call.interrupt(heard="Let me look. It is there.")
        await call.say("so?")
        assert talk(call.requests[2])[1:3] == [
            ("assistant", "Let me look."), ("assistant", f"It is there. {CUT_BY_CALLER}"),
        ]  # fmt: skip


async def test_a_reply_of_several_lines_is_cut_in_its_first() -> None:
    async with rehearsing(Desk, Script(["Let me look. ", calls("note", what="a")], "It is there.", "Yes.")) as call:
        await call.say("look")
        call.interrupt(heard="Let me")
        await call.say("so?")
        _, beside, result, _ = call.requests[2].messages
        assert beside["content"] == f"Let me {CUT_BY_CALLER}"
        assert result["content"] == "noted"


async def test_a_reply_is_cut_once() -> None:
    async with rehearsing(Desk, Script(FIVE, "Yes.")) as call:
        await call.say("count")
        call.interrupt(heard="One is here.")
        call.interrupt(heard="One")
        await call.say("so?")
        assert len(datas(call.log, "cue.heard")) == 1
        assert talk(call.requests[1])[1] == ("assistant", f"One is here. {CUT_BY_CALLER}")


async def test_a_turn_is_cut_once() -> None:
    model = Streaming("One. ", "Two. ")
    async with rehearsing(Desk, model) as call:
        saying = asyncio.create_task(call.say("count"))
        model.next.release()
        await settle()
        call.interrupt(heard="On")
        call.interrupt(heard="One. Two.")
        assert (await saying).text == "On"


async def test_an_interruption_overtakes_what_waits() -> None:
    async with rehearsing(Desk, Script(FIVE, "Yes.")) as call:
        await call.say("count")
        saying = asyncio.create_task(call.say("next"))
        await asyncio.sleep(0)
        call.interrupt(heard="One is here.")
        assert (await saying).text == "Yes."
        assert talk(call.requests[1])[:2] == [("user", "count"), ("assistant", f"One is here. {CUT_BY_CALLER}")]


@pytest.mark.parametrize("cut", [None, ""])
async def test_an_interruption_right_after_the_words_cuts_their_answer(cut: str | None) -> None:
    async with rehearsing(Desk, Script("Yes.")) as call:
        first, second = asyncio.create_task(call.say("hello")), asyncio.create_task(call.say("are you there?"))
        await asyncio.sleep(0)
        call.interrupt(heard=cut)
        assert (await first).interrupted
        assert (await second).text == "Yes."
        assert len(call.requests) == 1
        assert talk(call.requests[0]) == [("user", "hello"), ("user", "are you there?")]
        assert heard(call.log) == ["", "Yes."]


async def test_an_interruption_cuts_the_running_turn_and_not_the_next() -> None:
    model = Streaming("One. ", "Two. ")
    async with rehearsing(Desk, model) as call:
        first, second = asyncio.create_task(call.say("one")), asyncio.create_task(call.say("two"))
        model.next.release()
        await settle()
        call.interrupt()
        assert (await first).interrupted
        reply = await second
        assert (reply.text, reply.interrupted) == ("Fine.", False)


async def test_a_reply_before_anything_was_said_changes_nothing() -> None:
    async with rehearsing(Desk, Script("Hi.")) as call:
        call.interrupt(heard="")
        call.interrupt()
        await settle()
        assert types(call.log)[-1] == "prompt.changed"
        assert (await call.say("hi")).text == "Hi."


async def test_an_interruption_of_an_ended_call_changes_nothing() -> None:
    async with rehearsing(Desk, Script("Hi.")) as call:
        await call.say("hi")
        await call.hang_up()
        call.interrupt(heard="")
        await settle()
        assert types(call.log)[-1] == "call.summary"


async def test_a_cut_turn_does_not_touch_the_one_before() -> None:
    async def cut(request: Any) -> Any:
        call.interrupt(heard="")
        return "Never heard."

    async with rehearsing(Desk, Script("First answer.", cut, "Yes.")) as call:
        await call.say("one")
        await call.say("two")
        await call.say("three")
        assert [c for r, c in talk(call.requests[2]) if r == "assistant"] == ["First answer."]


async def test_a_cut_turn_is_answered_once_for_its_message() -> None:
    async def cut(request: Any) -> Any:
        call.interrupt(heard="One")
        return FIVE

    async with rehearsing(Desk, Script(cut, "Yes.")) as call:
        reply = await call.say("count", id="m1")
        assert await call.say("count", id="m1") == reply
        assert len(call.requests) == 1


async def test_an_effect_just_before_the_interruption_is_known_to_the_model() -> None:
    async with rehearsing(Desk, Script([calls("note", what="table for four")], "Booked!", "Eight, then.")) as call:

        def once(entry: Any) -> None:
            if entry.type == "tool.result":
                call.interrupt(heard="")

        call.live.listen(once)
        await call.say("a table for four at seven")
        assert len(call.requests) == 1, "the caller cut in before the model could speak"
        await call.say("make it eight")
        assert told(call.requests[1]) == ["noted"]
        assert entries(call.log, "tool.result")[0].seq < entries(call.log, "turn.agent")[0].seq


@pytest.mark.parametrize("heard", [5, "half \ud83d"])
async def test_what_was_heard_is_text(heard: Any) -> None:
    model = Streaming("One. ", "Two.")
    async with rehearsing(Desk, model) as call:
        saying = asyncio.create_task(call.say("count"))
        model.next.release()
        await settle()
        with pytest.raises(BadEntry):
            call.interrupt(heard=heard)
        model.next.release()
        model.next.release()
        assert not (await asyncio.wait_for(saying, 2)).interrupted
        with pytest.raises(BadEntry):
            call.interrupt(heard=heard)
