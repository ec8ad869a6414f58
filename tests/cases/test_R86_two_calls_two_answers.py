"""R86: two guarded calls of one reply had the same id, and the answer to one reached the other."""

from typing import Any

from cuelight import Agent, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, answers, calls, raw_call, rehearse
from lawbook import datas, entries, rehearsing, results
from yeses import check_yeses, declined, granted


class Desk(Agent):
    """You are a desk."""

    done: list[str] = []

    @tool(confirm="Shall I book {slot}?")
    def book(self, slot: str) -> str:
        """Books."""
        self.call.log("ran", {"key": self.call.tool.key, "arguments": {"slot": slot}})
        self.done.append(slot)
        return f"booked {slot}"

    @tool(confirm="Shall I cancel {slot}?")
    def cancel(self, slot: str) -> str:
        """Cancels."""
        self.call.log("ran", {"key": self.call.tool.key, "arguments": {"slot": slot}})
        self.done.append(f"not {slot}")
        return f"cancelled {slot}"


TWO = [calls("book", slot="10"), calls("book", slot="11")]


async def test_r86_two_calls_of_one_tool_are_asked_about_in_turn_and_answered_each_for_itself() -> None:
    async with rehearsing(Desk, Script(TWO, answers("no"), "Not 10.", answers("yes"), "But 11.")) as call:
        assert (await call.say("10 and 11")).text == "Shall I book 10?"
        first, second = (data["call_id"] for data in datas(call.log, "confirm.request"))
        assert first != second
        assert (await call.say("no")).text == "Not 10.\nShall I book 11?"
        assert (await call.say("yes")).text == "But 11."
        assert call.agent.done == ["11"]
        assert [(one["call_id"], one.get("output")) for one in results(call.log) if one["name"] == "book"] == [
            (first, None),
            (second, "booked 11"),
        ]
        assert check_yeses(call.log, {"book", "cancel"}) == 1


async def test_r86_one_yes_is_to_one_of_two() -> None:
    def both(request: Any) -> Any:
        return [calls("answer_confirmation", call_id=one, answer="yes") for one, _ in request.pending]

    async with rehearsing(Desk, Script(TWO, both, "One of them.", both, "Both.")) as call:
        await call.say("10 and 11")
        assert (await call.say("yes")).text == "One of them.\nShall I book 11?"
        assert call.agent.done == ["10"]
        assert "has not been asked" in results(call.log)[-1]["error"]
        await call.say("yes")
        assert call.agent.done == ["10", "11"]
        assert check_yeses(call.log, {"book", "cancel"}) == 2


async def test_r86_an_answer_that_names_the_second_is_none_to_the_first() -> None:
    two = [calls("book", slot="10"), calls("cancel", slot="9")]
    script = Script(two, answers("yes", tool="cancel"), "Hm.", answers("yes", tool="book"), "Booked.")
    async with rehearsing(Desk, script) as call:
        await call.say("move me")
        await call.say("yes")
        assert (call.agent.done, granted(call.log)) == ([], [])
        await call.say("yes")
        assert (call.agent.done, granted(call.log)) == (["10"], [("book", "yes")])


async def test_r86_an_unaddressed_yes_with_two_pending_is_none() -> None:
    unaddressed = raw_call("answer_confirmation", '{"answer": "yes"}')
    async with rehearsing(Desk, Script(TWO, unaddressed, "Hm.", "Hm.")) as call:
        await call.say("10 and 11")
        await call.say("yes")
        assert (call.agent.done, granted(call.log), declined(call.log)) == ([], [], [])
        assert datas(call.log, "cue.refused")[-1]["reason"] == "bad arguments"


async def test_r86_each_is_still_itself_after_a_restart() -> None:
    store = MemoryStore()
    async with rehearsing(Desk, Script(TWO), store=store) as call:
        await call.say("10 and 11")
    script = Script("So?", answers("no"), "Not 10.", answers("yes"), "But 11.")
    async with rehearse(Desk, script, store=store, resume=call.id) as again:
        assert (await again.say("hello")).text == "So?\nShall I book 10?"
        await again.say("no")
        await again.say("yes")
        assert again.agent.done == ["11"]
        assert [one.data["key"] for one in again.state.custom] == [f"{call.id}/{again.state.confirms[1].call_id}"]
        assert len(entries(again.log, "confirm.request")) == 2
