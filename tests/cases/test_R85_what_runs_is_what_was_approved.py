"""R85: what ran differed from what was approved: made anew on resuming, or rewritten after its check."""

from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, Field, SecretStr

from cuelight import Agent, Flow, Step, go, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, answers, calls, rehearse
from lawbook import datas, entries, rehearsing, said

LIMIT = {"most": 4}


def _clamped(people: int) -> int:
    return min(people, LIMIT["most"])


class Guest(BaseModel):
    name: str
    note: str = Field("", exclude=True)


class Desk(Agent):
    """You are a desk."""

    price: int = 5
    done: list[Any] = []

    @tool(confirm="Shall I book {slot} for {people}, at {price} each?")
    def book(self, slot: str, people: Annotated[int, AfterValidator(_clamped)] = 2) -> str:
        """Books."""
        self.done.append([slot, people])
        return "booked"

    @tool(confirm="Count {n}?")
    def count(self, n: Annotated[int, AfterValidator(lambda n: n + 1)]) -> int:
        """Counts one more."""
        self.done.append(n)
        return n

    @tool(confirm="Log in?")
    def log_in(self, word: SecretStr, guest: Guest) -> None:
        """Logs in."""
        self.done.append([word.get_secret_value(), guest.name, guest.note])

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        self.price = data["price"]


async def test_r85_what_was_clamped_is_asked_about_and_is_what_runs() -> None:
    async with rehearsing(Desk, Script(calls("book", slot="10", people=9), answers("yes"), "Done.")) as call:
        reply = await call.say("nine at 10")
        assert reply.text == "Shall I book 10 for 4, at 5 each?"
        assert datas(call.log, "confirm.request")[0]["arguments"] == {"slot": "10", "people": 4}
        await call.say("yes")
        assert call.agent.done == [["10", 4]]


async def test_r85_a_check_that_changes_its_own_outcome_is_not_applied_to_it_again() -> None:
    async with rehearsing(Desk, Script(calls("count", n=1), answers("yes"), "Done.")) as call:
        assert (await call.say("count")).text == "Count 2?"
        await call.say("yes")
        assert call.agent.done == [2]


async def test_r85_values_that_lose_something_in_json_run_as_they_were_given() -> None:
    logging_in = calls("log_in", word="swordfish", guest={"name": "Ada", "note": "by the window"})
    store = MemoryStore()
    async with rehearsing(Desk, Script(logging_in), store=store) as call:
        await call.say("log in")
    async with rehearse(Desk, Script("So?", answers("yes"), "Done."), store=store, resume=call.id) as call:
        await call.say("hello")
        await call.say("yes")
        assert call.agent.done == [["swordfish", "Ada", "by the window"]]


async def test_r85_a_check_that_gives_something_else_by_the_time_of_the_yes_runs_nothing() -> None:
    script = Script(calls("book", slot="10", people=9), answers("yes"), "I see.")
    try:
        async with rehearsing(Desk, script) as call:
            await call.say("nine at 10")
            LIMIT["most"] = 3
            reply = await call.say("yes")
            assert reply.text == "I'm sorry, that can no longer be done, so nothing was done.\nI see."
            assert call.agent.done == []
            assert [one.data["reason"] for one in entries(call.log, "confirm.declined")] == ["cancelled"]
    finally:
        LIMIT["most"] = 4


async def test_r85_what_the_phrase_says_of_the_state_must_hold_too() -> None:
    async with rehearsing(Desk, Script(calls("book", slot="10"), answers("yes"), "I see.")) as call:
        await call.say("book 10")
        await call.event("price", {"price": 50})
        await call.say("yes")
        assert call.agent.done == []
        assert ("code", call.agent.wording.gone_line) in said(call.log)


class Front(Step["House"]):
    @tool(confirm="Shall I open {door}?")
    def unlock(self, door: str) -> Any:
        """Opens a door at the front."""
        self.flow.opened.append(f"front {door}")

    @tool
    def move(self) -> Any:
        """Moves."""
        return go(Back)


class Back(Step["House"]):
    @tool(confirm="Shall I open {door}?")
    def unlock(self, door: str) -> Any:
        """Opens a door at the back."""
        self.flow.opened.append(f"back {door}")


class House(Flow):
    """You are a house."""

    steps = (Front, Back)
    opened: list[str] = []


@pytest.mark.parametrize("restarted", [False, True])
async def test_r85_a_yes_to_one_steps_tool_is_none_to_anothers_of_its_name(restarted: bool) -> None:
    store = MemoryStore()
    asks, goes_on = [calls("unlock", door="A"), calls("move")], ["So?", answers("yes"), "I see."]
    async with rehearsing(House, Script(asks, *goes_on), store=store) as call:
        assert (await call.say("open it")).text == "Shall I open A?"
        if not restarted:
            await call.say("hm")
            await call.say("yes")
            assert (call.state.app_state["stage"], call.agent.opened) == ("Back", [])
    if restarted:
        async with rehearse(House, Script(*goes_on), store=store, resume=call.id) as call:
            await call.say("hm")
            assert (await call.say("yes")).text.startswith(call.agent.wording.gone_line)
            assert call.agent.opened == []
