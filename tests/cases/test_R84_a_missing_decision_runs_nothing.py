"""R84: without a decision, or taken up from a history that ends in the call, a guarded tool was run all the same."""

from typing import Any

import pytest

from cuelight import Agent, tool
from cuelight.testing import Script, answers, calls, rehearse
from lawbook import WatchedStore, datas, entries, rehearsing, results


class Desk(Agent):
    """You are a desk."""

    booked: list[str] = []

    @tool(confirm="Shall I book {slot}?", effect="irreversible")
    def book(self, slot: str) -> str:
        """Books."""
        self.booked.append(slot)
        return f"booked {slot}"


@pytest.mark.parametrize("decision", [None, "other", "no"])
async def test_r84_no_yes_is_a_no(decision: Any) -> None:
    answer = "Booked!" if decision is None else answers(decision)
    async with rehearsing(Desk, Script(calls("book", slot="10"), answer, "Fine.", "Fine.")) as call:
        await call.say("book 10")
        await call.say("yes")
        assert call.agent.booked == []
        await call.hang_up()
        assert call.agent.booked == []
        (one,) = results([entry for entry in call.log if entry.data.get("name") == "book"])
        assert "error" in one


async def test_r84_a_yes_by_the_model_alone_is_none() -> None:
    script = Script(calls("book", slot="10"), answers("yes"), "I am sorry.", answers("yes"), "I am sorry.")
    async with rehearsing(Desk, script) as call:
        await call.say("book 10")
        await call.say("who are you?")
        await call.say("")
        assert call.agent.booked == []
        assert call.state.confirms[0].status == "pending"


async def test_r84_a_log_that_ends_in_the_call_runs_nothing_when_it_is_taken_up() -> None:
    store = WatchedStore()
    async with rehearsing(Desk, Script(calls("book", slot="10")), store=store) as call:
        await call.say("book 10", id="m1")
    for kept in range(1, len(store.appends) + 1):
        crashed = await store.crashed_after(kept)
        script = Script("Hello.", answers("yes"), "Hello.")
        async with rehearse(Desk, script, store=crashed, resume=call.id) as again:
            assert again.agent.booked == []
            waits = any("confirm.request" in types for types in store.types[:kept])
            assert [one.status for one in again.state.confirms] == ["pending"] * waits
            assert not datas(again.log, "cue.unknown")
            await again.say("yes")  # which answers nothing, as nobody has been asked since
            assert again.agent.booked == []


async def test_r84_the_decision_is_looked_up_by_the_calls_id() -> None:
    def wrong(request: Any) -> Any:
        return calls("answer_confirmation", call_id="tool-1-1", answer="yes")

    async with rehearsing(Desk, Script(calls("book", slot="10"), wrong, "Hm.", answers("yes"), "Done.")) as call:
        await call.say("book 10")
        await call.say("yes")
        assert call.agent.booked == []
        await call.say("yes")
        assert call.agent.booked == ["10"]
        (granted,) = entries(call.log, "confirm.granted")
        assert granted.data["call_id"] == datas(call.log, "tool.call")[0]["call_id"]
