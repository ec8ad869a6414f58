"""Law 11 in flows: guarded tools of steps, of steps that wait or remember apart, routes out of them, and goodbyes."""

from typing import Any

import pytest

from cuelight import Flow, LogicStep, Step, TerminateSessionStep, go, state, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, answers, calls, rehearse
from lawbook import datas, rehearsing, results, said, talk, told, types
from yeses import asked, check_yeses, declined, statuses


def _pay_question(step: "Slot", amount: int) -> str:
    return f"Pay {amount} for {step.slot} of {step.flow.name}?"


class Slot(Step["Booking"]):
    slot: str = "10"
    secret: str = state("", pii=True)

    @tool(confirm="Shall I book {slot} for {flow.name}?", effect="irreversible")
    def book(self) -> Any:
        """Books, and goes on."""
        self.call.log("ran", {"key": self.call.tool.key, "arguments": {}})
        self.save_state(slot=f"booked {self.slot}")
        return go(Done).with_message("It is booked.")

    @tool(confirm=_pay_question)
    def pay(self, amount: int) -> str:
        """Pays."""
        self.call.log("ran", {"key": self.call.tool.key, "arguments": {"amount": amount}})
        return f"paid {amount}"

    @tool
    def pick(self, slot: str) -> str:
        """Picks a slot."""
        self.slot = slot
        return "picked"

    @tool
    def back(self) -> Any:
        """Goes to a step that waits."""
        return Waits


class Waits(Step["Booking"]):
    waits = True
    memory = "apart"

    @tool(confirm="Shall I hold it?")
    def hold(self) -> Any:
        """Holds it."""
        self.call.log("ran", {"key": self.call.tool.key, "arguments": {}})
        return Code

    @tool
    def on(self) -> Any:
        """Goes back."""
        self.forget()
        return Slot


class Code(LogicStep["Booking"]):
    async def run_logic(self) -> Any:
        return Done


class Done(Step["Booking"]):
    def on_response(self, text: str) -> Any:
        return End if "bye" in text else None


class End(TerminateSessionStep["Booking"]):
    pass


class Booking(Flow):
    """You book."""

    steps = (Slot, Waits, Code, Done, End)
    name: str = "Ada"

    @tool(confirm="Shall I get a person?")
    def person(self) -> Any:
        """Gets a person."""
        self.call.log("ran", {"key": self.call.tool.key, "arguments": {}})
        return End

    @tool
    def stop(self) -> Any:
        """Ends."""
        return End

    def on_event(self, name: str, data: dict[str, Any]) -> Any:
        return {"end": End, "slot": Slot, "waits": Waits}[name]


GUARDED = {"book", "pay", "hold", "person"}


async def test_a_steps_guarded_tool_runs_on_a_yes_and_leads_on() -> None:
    async with rehearsing(Booking, Script(calls("book"), "Hm.", answers("yes"), "All set.")) as call:
        assert (await call.say("book")).text == "Shall I book 10 for Ada?"
        assert (await call.say("how long?")).text == "Hm.\nShall I book 10 for Ada?"
        assert (await call.say("yes")).text == "All set."
        assert (call.agent.stage, call.state.app_state["Slot"]["slot"]) == ("Done", "booked 10")
        assert talk(call.requests[-1])[-1] == ("user", "It is booked.")
        assert check_yeses(call.log, GUARDED) == 1


async def test_what_the_phrase_says_of_the_step_must_still_be_so() -> None:
    pay = calls("pay", amount=5)
    script = Script([pay, calls("pick", slot="11")], answers("yes"), "Well.", pay, answers("yes"), "Paid.")
    async with rehearsing(Booking, script) as call:
        assert (await call.say("pay")).text == "Pay 5 for 10 of Ada?"
        assert (await call.say("yes")).text.startswith(call.agent.wording.gone_line)
        assert (await call.say("pay")).text == "Pay 5 for 11 of Ada?"
        await call.say("yes")
        assert statuses(call) == [("pay", "declined", "cancelled"), ("pay", "granted", None)]
        assert check_yeses(call.log, GUARDED) == 1


@pytest.mark.parametrize("first", [True, False])
async def test_a_question_goes_along_with_a_route_and_its_tool_runs_in_its_step_alone(first: bool) -> None:
    move = calls("back")
    batch = [calls("book"), move] if first else [move, calls("book")]
    script = Script(batch, answers("yes"), "Well.", calls("on"), "Back.", calls("book"), answers("yes"), "Set.")
    async with rehearsing(Booking, script) as call:
        assert (await call.say("book")).text == "Shall I book 10 for Ada?"
        assert call.agent.stage == "Waits"
        assert (await call.say("yes")).text == f"{call.agent.wording.gone_line}\nWell."
        assert call.agent.stage == "Waits"
        await call.say("back")
        await call.say("book")
        await call.say("yes")
        assert check_yeses(call.log, GUARDED) == 1


async def test_a_question_that_comes_back_to_its_step_is_still_the_same() -> None:
    script = Script([calls("book"), calls("back")], calls("on"), "Back.", answers("yes"), "Set.")
    async with rehearsing(Booking, script) as call:
        await call.say("book")
        assert (await call.say("go back")).text == "Back.\nShall I book 10 for Ada?"
        assert (await call.say("yes")).text == "Set."
        assert check_yeses(call.log, GUARDED) == 1


async def test_a_step_that_waits_hides_its_guarded_tools_and_asks_what_was_open_before() -> None:
    script = Script([calls("person"), calls("back")], answers("yes"), "Bye.")
    async with rehearsing(Booking, script) as call:
        assert (await call.say("a person, please")).text == "Shall I get a person?"
        assert call.agent.stage == "Waits"
        await call.say("yes")
        assert call.state.status == "ended"
        assert check_yeses(call.log, GUARDED) == 1
    async with rehearsing(Booking, Script(calls("hold"), "Hm."), state={"stage": "Waits"}) as call:
        await call.say("hold")
        assert asked(call.log) == ["Shall I hold it?"]
    async with rehearsing(Booking, Script(calls("back"), calls("hold"), "Hm.")) as call:
        await call.say("back and hold")
        assert asked(call.log) == []


async def test_a_memory_of_its_own_reads_waiting_and_the_route_leads_through_code() -> None:
    script = Script(calls("hold"), "Hm.", answers("yes"), "Done.")
    async with rehearsing(Booking, script, state={"stage": "Waits"}) as call:
        await call.say("hold it")
        await call.say("hm")
        assert "Not run yet" in told(call.requests[1])[0]
        assert (await call.say("yes")).text == "Done."
        assert call.agent.stage == "Done"
        assert check_yeses(call.log, GUARDED) == 1


@pytest.mark.parametrize("way", ["tool", "event", "reply", "guarded"])
async def test_a_goodbye_closes_what_is_open_and_offers_nothing(way: str) -> None:
    stage = "Done" if way == "reply" else "Slot"
    ask = [calls("person"), calls("book")] if way == "guarded" else calls("person")
    leads = {"tool": [calls("stop")], "event": [], "reply": ["goodbye"], "guarded": [answers("yes")]}[way]
    async with rehearsing(Booking, Script(ask, *leads, "Farewell."), state={"stage": stage}) as call:
        await call.say("a person")
        reply = await (call.event("end") if way == "event" else call.say("yes"))
        assert reply.text == "Farewell."
        assert call.state.status == "ended"
        assert call.requests[-1].tools == []
        assert declined(call.log) == [("book" if way == "guarded" else "person", "cancelled")]
        assert "the conversation ended before" in call.requests[-1].view
        assert {one["call_id"] for one in results(call.log)} == {d["call_id"] for d in datas(call.log, "tool.call")}
        assert check_yeses(call.log, GUARDED) == (way == "guarded")


async def test_an_event_that_moves_the_call_leaves_the_question_to_be_answered_honestly() -> None:
    async with rehearsing(Booking, Script(calls("book"), answers("yes"), "Well.")) as call:
        await call.say("book")
        await call.event("waits")
        assert (await call.say("yes")).text == f"{call.agent.wording.gone_line}\nWell."
        assert ("code", call.agent.wording.gone_line) in said(call.log)
        assert check_yeses(call.log, GUARDED) == 0


async def test_a_flow_is_taken_up_with_its_questions_in_whatever_step_it_is() -> None:
    store = MemoryStore()
    async with rehearsing(Booking, Script([calls("book"), calls("back")]), store=store) as call:
        await call.say("book")
    script = Script(calls("on"), "Back.", answers("yes"), "Set.")
    async with rehearse(Booking, script, store=store, resume=call.id) as again:
        assert types(again.log) == types(call.log), "taking it up writes nothing"
        assert (await again.say("go back")).text == "Back.\nShall I book 10 for Ada?"
        assert (await again.say("yes")).text == "Set."
        assert check_yeses(again.log, GUARDED, restarts=[len(call.log)]) == 1
