"""Law 9: messages, events and timers pass one ordered inbox and run one after another."""

import asyncio
from typing import Any

import pytest

from cuelight import Agent, CuelightError, tool
from cuelight.errors import CallIsOwned, ScriptRanOut
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls, rehearse
from lawbook import datas, entries, heard, rehearsing, results, said, types


class Post(Agent):
    """You send parcels."""

    sent: list[str] = []

    @tool
    async def send(self, what: str) -> str:
        """Sends a parcel."""
        for _ in range(5):
            await asyncio.sleep(0)
        self.sent.append(what)
        return f"sent {what}"

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        self.sent.append(name)
        self.call.speak(f"Got {name}.")


class Waiting:
    """A scripted reply that is given when the test lets it."""

    def __init__(self, reply: Any) -> None:
        self.reply = reply
        self.begun = asyncio.Event()
        self.go = asyncio.Event()

    async def __call__(self, request: Any) -> Any:
        self.begun.set()
        await self.go.wait()
        return self.reply


async def test_messages_at_once_are_answered_one_after_another_in_their_order() -> None:
    script = Script(*[item for n in range(5) for item in (calls("send", what=str(n)), f"Sent {n}.")])
    async with rehearsing(Post, script) as call:
        replies = await asyncio.gather(*(call.say(f"send {n}") for n in range(5)))
        assert [reply.text for reply in replies] == [f"Sent {n}." for n in range(5)]
        assert call.agent.sent == list("01234")
        assert [data["text"] for data in datas(call.log, "turn.user")] == [f"send {n}" for n in range(5)]
        order = [t for t in types(call.log) if t in ("turn.user", "turn.agent")]
        assert order == ["turn.user", "turn.agent"] * 5


async def test_a_message_is_stored_when_its_turn_begins_and_not_before() -> None:
    first = Waiting("One.")
    async with rehearsing(Post, Script(first, "Two.")) as call:
        one = asyncio.create_task(call.say("first"))
        await first.begun.wait()
        two = asyncio.create_task(call.say("second"))
        await asyncio.sleep(0)
        assert [data["text"] for data in datas(call.log, "turn.user")] == ["first"]
        first.go.set()
        assert [(await one).text, (await two).text] == ["One.", "Two."]
        assert types(call.log).index("turn.agent") < entries(call.log, "turn.user")[1].seq


async def test_messages_and_events_keep_their_order() -> None:
    first = Waiting("One.")
    async with rehearsing(Post, Script(first, "Two.")) as call:
        waiting = [
            asyncio.create_task(work)
            for work in (call.say("first"), call.event("a"), call.say("second"), call.event("b"))
        ]
        await first.begun.wait()
        assert call.agent.sent == []
        first.go.set()
        replies = await asyncio.gather(*waiting)
        assert [reply.text for reply in replies] == ["One.", "Got a.", "Two.", "Got b."]
        assert [text for _, text in said(call.log)] == ["One.", "Got a.", "Two.", "Got b."]
        assert [t for t in types(call.log) if t in ("turn.user", "event.received")] == [
            "turn.user", "event.received", "turn.user", "event.received",
        ]  # fmt: skip


async def test_the_same_message_at_the_same_instant_is_one_turn() -> None:
    async with rehearsing(Post, Script(calls("send", what="parcel"), "Sent.")) as call:
        replies = await asyncio.gather(*(call.say("send it", id="m1") for _ in range(3)))
        assert [reply.text for reply in replies] == ["Sent."] * 3
        assert call.agent.sent == ["parcel"]
        assert types(call.log).count("turn.user") == 1
        assert datas(call.log, "turn.user")[0]["item_id"] == "m1"


async def test_the_same_message_later_gets_the_same_reply() -> None:
    async with rehearsing(Post, Script(calls("send", what="parcel"), "Sent.", "What else?")) as call:
        first = await call.say("send it", id="m1")
        await call.say("thanks", id="m2")
        before = len(call.log)
        assert await call.say("send it", id="m1") == first
        assert await call.say("other words", id="m1") == first
        assert len(call.log) == before


async def test_the_same_message_after_a_resume_gets_the_same_reply() -> None:
    store = MemoryStore()
    script = Script(calls("send", what="parcel"), "Sent.")
    async with rehearsing(Post, script, store=store) as call:
        first = await call.say("send it", id="m1")
        assert first.speech_id
    async with rehearsing(Post, Script("Other."), store=store, resume=call.id) as again:
        before = len(again.log)
        assert await again.say("send it", id="m1") == first
        assert len(again.log) == before
        assert (await again.say("more", id="m2")).text == "Other."


async def test_direct_content_is_given_again_after_a_resume() -> None:
    from cuelight import HttpContentType, direct

    class Direct(Agent):
        @tool
        def show(self) -> Any:
            return direct({"a": 1}).with_content_type(HttpContentType.JSON)

    store = MemoryStore()
    async with rehearsing(Direct, Script(calls("show")), store=store) as call:
        first = await call.say("show", id="m1")
    async with rehearsing(Direct, Script(), store=store, resume=call.id) as again:
        reply = await again.say("show", id="m1")
        assert reply == first
        assert reply.content == {"a": 1}


async def test_the_same_words_under_another_id_are_a_new_turn() -> None:
    async with rehearsing(Post, Script("One.", "Two.", "Three.", "Four.")) as call:
        texts = [(await call.say("send it", id=id_)).text for id_ in ("m1", "m2", None, None)]
        assert texts == ["One.", "Two.", "Three.", "Four."]


async def test_a_message_whose_turn_failed_is_run_again_and_stands_once_in_the_log() -> None:
    store = MemoryStore()
    async with rehearsing(Post, Script(calls("send", what="parcel")), store=store) as call:
        with pytest.raises(ScriptRanOut):
            await call.say("send it", id="m1")
        with pytest.raises(ScriptRanOut):
            await call.say("send it", id="m1")
        assert types(call.log).count("turn.user") == 1
        assert types(call.log).count("cue.delivered") == 0
    async with rehearsing(Post, Script("It was sent."), store=store, resume=call.id) as again:
        reply = await again.say("send it", id="m1")
        assert reply.text == "It was sent."
        assert types(again.log).count("turn.user") == 1
        assert again.agent.sent == ["parcel"]
        assert [m["role"] for m in again.requests[0].messages] == ["user", "assistant", "tool"]
        assert again.requests[0].messages[0]["content"] == "send it"
        assert await again.say("send it", id="m1") == reply


async def test_a_failing_turn_leaves_the_others_alone() -> None:
    def broken(request: Any) -> Any:
        raise ScriptRanOut("the test's own")

    async with rehearsing(Post, Script("One.", broken, "Three.", "Two.")) as call:
        results_ = await asyncio.gather(
            call.say("1", id="m1"), call.say("2", id="m2"), call.say("3", id="m3"), return_exceptions=True
        )
        assert [getattr(r, "text", type(r).__name__) for r in results_] == ["One.", "ScriptRanOut", "Three."]
        assert (await call.say("2", id="m2")).text == "Two."
        assert heard(call.log) == ["One.", "Three.", "Two."]


async def test_whoever_waits_for_the_same_failing_message_hears_of_it() -> None:
    async with rehearsing(Post, Script()) as call:
        both = await asyncio.gather(call.say("1", id="m"), call.say("1", id="m"), return_exceptions=True)
        assert [type(error) for error in both] == [ScriptRanOut, ScriptRanOut]


async def test_a_turn_goes_on_when_whoever_waited_for_it_goes_away() -> None:
    first = Waiting([calls("send", what="parcel")])
    async with rehearsing(Post, Script(first, "Sent.", "Again.")) as call:
        for id_ in (None, "m1"):
            saying = asyncio.create_task(call.say("send it", id=id_))
            if id_ is None:
                await first.begun.wait()
            else:
                await asyncio.sleep(0)
            saying.cancel()
            with pytest.raises(asyncio.CancelledError):
                await saying
        first.go.set()
        reply = await call.say("send it", id="m1")
        assert reply.text == "Again."
        assert heard(call.log) == ["Sent.", "Again."]
        assert call.agent.sent == ["parcel"]


async def test_a_call_has_one_owner() -> None:
    store = MemoryStore()
    async with rehearsing(Post, Script("Hello."), store=store) as call:
        with pytest.raises(CallIsOwned):
            async with rehearse(Post, Script(), store=store, resume=call.id):
                pass
        assert (await call.say("hi")).text == "Hello."


async def test_a_call_taken_over_can_no_longer_write_and_says_why() -> None:
    clock = {"now": 0.0}
    store = MemoryStore(now=lambda: clock["now"])
    async with rehearsing(Post, Script("Hello.", "Lost."), store=store) as call:
        await call.say("hi")
        clock["now"] += 3600
        async with rehearse(Post, Script("Taken."), store=store, resume=call.id) as other:
            assert (await other.say("mine")).text == "Taken."
            with pytest.raises(CuelightError) as lost:
                await call.say("still mine?")
            assert lost.value.code in ("lease-lost", "seq-conflict")
            with pytest.raises(CuelightError) as again:
                await call.say("hello?")
            assert again.value.code == lost.value.code
            assert [data["text"] for data in datas(other.log, "turn.user")] == ["hi", "mine"]


async def test_a_message_waits_for_the_tool_of_the_turn_before() -> None:
    async with rehearsing(Post, Script(calls("send", what="a"), "A.", "B.")) as call:
        one, two = await asyncio.gather(call.say("a"), call.say("b"))
        assert (one.text, two.text) == ("A.", "B.")
        assert entries(call.log, "tool.result")[0].seq < entries(call.log, "turn.user")[1].seq
        assert [m["role"] for m in call.requests[2].messages] == ["user", "assistant", "tool", "assistant", "user"]
        assert len(results(call.log)) == 1


@pytest.mark.parametrize("text", ["", "  ", "\N{GRINNING FACE} \u2028 \x00 ok", "a" * 100_000])
async def test_any_words_can_be_said(text: str) -> None:
    async with rehearsing(Post, Script("Hm.")) as call:
        await call.say(text)
        assert datas(call.log, "turn.user")[0]["text"] == text


@pytest.mark.parametrize("text", ["\ud800", None, 5, b"bytes"])
async def test_words_that_cannot_be_stored_are_refused_before_anything_is_done(text: Any) -> None:
    async with rehearsing(Post, Script("Hm.")) as call:
        before = len(call.log)
        with pytest.raises(CuelightError):
            await call.say(text)
        assert len(call.log) == before
        assert (await call.say("hello")).text == "Hm."


async def test_a_reader_that_fails_does_not_stop_the_call(caplog: pytest.LogCaptureFixture) -> None:
    def fails(entry: Any) -> None:
        raise LookupError("the reader's own")

    async with rehearsing(Post, Script(calls("send", what="a"), "Sent.")) as call:
        call.live.listen(fails)
        assert (await call.say("send")).text == "Sent."
        assert "the reader's own" in caplog.text


async def test_two_calls_of_one_class_share_nothing() -> None:
    async with (
        rehearsing(Post, Script(calls("send", what="a"), "A.")) as one,
        rehearsing(Post, Script(calls("send", what="b"), "B.")) as two,
    ):
        await asyncio.gather(one.say("a"), two.say("b"))
        assert (one.agent.sent, two.agent.sent) == (["a"], ["b"])
        assert Post().sent == []


async def test_ids_names_and_data_that_cannot_be_stored_are_refused() -> None:
    async with rehearsing(Post, Script("Hm.")) as call:
        before = len(call.log)
        for wrong in (
            lambda: call.say("hi", id=5),
            lambda: call.event(5),
            lambda: call.event("x", {"a": object()}),
            lambda: call.event("x", {"a": float("nan")}),
        ):
            with pytest.raises(CuelightError):
                await wrong()
        assert len(call.log) == before
