"""Law 13 in flows: what a step or its tools declare private is masked wherever a step's words and values go."""

import json
import logging
from typing import Any

import pytest

from cuelight import (
    Flow,
    HttpContentType,
    LogicStep,
    Step,
    TerminateSessionStep,
    ToolFailed,
    direct,
    go,
    state,
    stay,
    tool,
)
from cuelight.log import MASK, scrub
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls, raw_call, rehearse
from cuelight.wire import Entry, entry
from lawbook import datas, entries, errors, heard, rehearsing, results, talk, told, types

CARD = "4000 1234 5678 9010"
DIGITS = "4000123456789010"


def everything(call: Any) -> str:
    """Give all that a log and its State show."""
    return json.dumps([e.data for e in call.log]) + repr(call.log) + json.dumps(call.state.app_state) + repr(call.state)


def hides(text: str, *values: str) -> None:
    for value in values:
        assert value not in text, f"{value!r} shows"


class Ask(Step["Shop"]):
    """Ask for the card; its tool has the name of others, and declares nothing private."""

    said: str = ""

    @tool
    def record(self, answer: str) -> Any:
        """Records an answer."""
        self.said = answer
        return Card

    @tool(pii="card")
    def take(self, card: str, how: str = "plain") -> Any:
        """Takes a card, and hands it on in some way."""
        self.flow._seen.append(card)
        if how == "fails":
            raise ToolFailed(f"{card} was refused.")
        if how == "raises":
            raise ValueError(f"{card} was refused")
        if how == "shows":
            return direct({"card": card}).with_content_type(HttpContentType.JSON)
        if how == "stays":
            return stay(f"Ask about {card}.")
        if how == "free":
            return go(Free).with_state({"kept": {"card": card}, card: [card]})
        if how == "elsewhere":
            self.flow.save_step_state(Card, card=card, note=f"for {card}")
            return "saved"
        return (
            go(Card)
            .with_state(card=card, note=f"by {card}")
            .with_prompt(f"Charge {card}.")
            .with_message(f"Use {card}.")
        )


class Card(Step["Shop"]):
    card: str | None = state(None, pii=True)
    note: str = ""

    @property
    def shown(self) -> str:
        return f"The card is {self.card}"

    def get_prompt(self) -> str:
        return super().get_prompt() or f"Ask for the card. {self.shown}"

    def on_enter(self) -> None:
        if self.flow._seen:
            self.call.speak(f"I have {self.flow._seen[-1]}.")
            self.call.log("entered", {"card": self.flow._seen[-1]})

    def on_crossing(self, message: str | None, prior: Step[Any]) -> str | None:
        return f"{message} Come from {prior.saved}." if message else None

    @tool(pii="card")
    def record(self, card: str) -> Any:
        """Records the card."""
        self.flow._seen.append(card)
        self.save_state(card=card)
        return go(TerminateSessionStep).with_prompt(f"Say goodbye to the owner of {card}.")

    @tool(pii="result.balance", effect="read")
    def balance(self) -> dict[str, float]:
        """Tells the balance."""
        return {"balance": 8765.43}

    def on_exit(self) -> None:
        raise LookupError(f"{self.card} cannot be let go")


class Waiting(Card):
    waits = True

    @tool(pii="pin")
    def record(self, pin: str, answer: str = "") -> Any:
        """Records the pin."""
        self.flow._seen.append(pin)
        return stay("Have it.")


class Free(Step["Shop"]):
    def on_response(self, text: str) -> Any:
        self.save_state(text=text)
        return f"{text} It is {self.flow._seen[-1]}." if self.flow._seen else text


class Where(LogicStep["Shop"]):
    def run_logic(self) -> Any:
        raise ValueError(f"nowhere to go with {self.flow._seen[-1]}")


class Shop(Flow):
    """You sell things."""

    steps = (Ask, Card, Waiting, Free, Where, TerminateSessionStep)

    def __init__(self) -> None:
        self._seen: list[str] = []

    @tool
    def stuck(self) -> Any:
        """Goes nowhere."""
        return Where


def to(how: str) -> Any:
    return calls("take", card=CARD, how=how)


async def test_what_a_route_brings_is_masked_in_every_entry_and_read_by_the_step() -> None:
    async with rehearsing(Shop, Script(calls("take", card=CARD), "Charging it.", calls("balance"), "So.")) as call:
        reply = await call.say("take my card")
        card = call.agent.step(Card)
        assert (card.card, card.note) == (CARD, f"by {CARD}")
        assert reply.text == f"I have {CARD}.\nCharging it."
        assert call.requests[1].view == f"Charge {CARD}."
        assert ("user", f"Use {CARD}. Come from {{'said': ''}}.") in talk(call.requests[1])
        await call.say(f"it is {DIGITS}")
        assert "8765.43" in told(call.requests[3])[-1]
        hides(everything(call), CARD, DIGITS, "8765.43")
        assert call.state.app_state["Card"] == {
            "card": MASK, "note": f"by {MASK}", "_prompt": f"Charge {MASK}.", "shown": f"The card is {MASK}",
        }  # fmt: skip
        (route,) = datas(call.log, "cue.route")
        assert route["state"] == {"card": MASK, "note": f"by {MASK}"}
        assert (route["prompt"], route["message"]) == (f"Charge {MASK}.", f"Use {MASK}.")
        assert datas(call.log, "tool.call")[0]["arguments"] == {"card": MASK}
        assert {"cue.crossing", "custom", "cue.said", "turn.agent", "turn.user"} <= set(types(call.log))


@pytest.mark.parametrize("how", ["fails", "raises", "shows", "stays", "free", "elsewhere"])
async def test_whatever_becomes_of_a_private_argument_it_is_masked(how: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with rehearsing(Shop, Script(to(how), f"Words about {CARD}.", "Go on.")) as call:
        heard_: list[Entry] = []
        call.live.listen(heard_.append)
        await call.say("take my card")
        if how == "shows":
            assert datas(call.log, "cue.delivered")[0]["content"] == {"card": MASK}
        if how == "free":
            assert call.agent.current.saved["kept"] == {"card": CARD}
            assert call.state.app_state["Free"]["kept"] == {"card": MASK}
        if how == "elsewhere":
            assert call.agent.step(Card).card == CARD
            assert call.state.app_state["Card"]["card"] == MASK
        if how in ("stays", "fails"):
            assert CARD in told(call.requests[1])[0], "the model reads it"
        await call.say("go on")
        hides(everything(call), CARD, DIGITS)
        hides(json.dumps([one.data for one in heard_]), CARD, DIGITS)
        hides(caplog.text, CARD, DIGITS)


async def test_errors_of_hooks_and_of_steps_of_code_are_masked(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    script = Script(calls("record", card=CARD), f"Goodbye, {CARD}.")
    async with rehearsing(Shop, script, state={"stage": "Card"}) as call:
        await call.say("it is on me")
        assert call.state.status == "ended"
        assert errors(call.log) == ["handler-raised"]
        assert f"{MASK} cannot be let go" in datas(call.log, "error")[0]["message"]
        assert call.requests[1].view == f"Say goodbye to the owner of {CARD}."
        hides(everything(call), CARD, DIGITS)
    async with rehearsing(Shop, Script([to("elsewhere"), calls("stuck")])) as call:
        await call.say("it is on me")
        assert errors(call.log) == ["handler-raised"]
        hides(everything(call), CARD, DIGITS)
    hides(caplog.text, CARD, DIGITS)


@pytest.mark.parametrize(
    ("stage", "call_"),
    [
        ("Ask", calls("record", card=CARD)),  # what another step's tool of the name declares private
        ("Ask", calls("record", answer="Ada", pin=CARD)),
        ("Card", calls("record", card=CARD, pin="pin-98765")),
        ("Waiting", calls("record", pin=CARD)),  # hidden: nobody has spoken
        ("Waiting", calls("take", card=CARD)),
        ("Free", calls("record", card=CARD)),
        ("Free", calls("nothing_like_it", card=CARD)),
        ("Waiting", raw_call("record", f'{{"pin": "{CARD}"')),
    ],
)  # fmt: skip
async def test_a_call_that_cannot_run_is_masked_whichever_step_declares_its_arguments(stage: str, call_: Any) -> None:
    words = "  " if stage == "Waiting" else "hello"
    async with rehearsing(Shop, Script(call_, "Sorry."), state={"stage": stage}) as call:
        await call.say(words)
        assert "error" in results(call.log)[0], "it did not run"
        assert call.agent._seen == []
        hides(everything(call), CARD, DIGITS, "pin-98765")


async def test_what_the_steps_own_tool_does_not_declare_private_is_not_masked_for_anothers_sake() -> None:
    async with rehearsing(Shop, Script(calls("record", answer="Ada Byrne"), "Thanks.")) as call:
        await call.say("Ada Byrne")
        assert datas(call.log, "tool.call")[0]["arguments"] == {"answer": "Ada Byrne"}
        assert call.state.app_state["Ask"] == {"said": "Ada Byrne"}


async def test_what_a_step_holds_back_is_masked_too() -> None:
    async with rehearsing(Shop, Script([to("free")], f"For {CARD}.")) as call:
        reply = await call.say("take my card")
        assert reply.text == f"For {CARD}. It is {CARD}."
        assert heard(call.log) == [f"For {MASK}. It is {MASK}."]
        assert datas(call.log, "cue.reply")[-1]["text"] == f"For {MASK}."
        assert call.state.app_state["Free"]["text"] == f"For {MASK}."


async def test_a_given_state_of_a_step_is_masked() -> None:
    async with rehearsing(Shop, Script(), state={"stage": "Card", "Card": {"card": CARD, "note": CARD}}) as call:
        assert call.agent.current.card == CARD
        hides(everything(call), CARD)


async def test_a_flow_taken_up_again_goes_on_masking_and_goes_on_knowing() -> None:
    store = MemoryStore()
    async with rehearsing(Shop, Script(calls("take", card=CARD), "Charging it."), store=store) as call:
        await call.say("take my card")
    async with rehearsing(Shop, Script(f"Still {CARD}."), store=store, resume=call.id) as again:
        assert again.log == call.log
        assert again.agent.current.card == CARD
        assert again.agent.current.get_prompt() == f"Charge {CARD}."
        await again.say("and?")
        assert again.requests[0].view == f"Charge {CARD}."
        hides(everything(again), CARD, DIGITS)


async def test_erasing_scrubs_what_steps_hold_and_what_routes_brought() -> None:
    store = MemoryStore()
    async with rehearsing(Shop, Script(calls("take", card=CARD), f"Charging {CARD}."), store=store) as call:
        await call.say(f"take {CARD}")

    def closing(last: Entry) -> Entry:
        return entry("cue.erased", {"at": last.ts}, seq=last.seq + 1, ts=last.ts, call=last.call, agent=last.agent)

    await store.erase(call.id, scrub(closing))
    async with rehearse(Shop, Script("Which card?"), store=store, resume=call.id) as again:
        assert again.agent.stage == "Card"
        assert again.agent.current.card is None
        assert "field-erased" in errors(again.log)
        assert len([one for one in entries(again.log, "error") if "Card.card" in one.data["message"]]) == 1
        await again.say("so?")
        hides(everything(again), CARD, DIGITS)
        hides(json.dumps(again.requests[0].messages), CARD, DIGITS)
