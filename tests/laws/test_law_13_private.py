"""Law 13: what `pii` names is masked in every sink; handlers and the model alone see it; erasing scrubs it."""

import asyncio
import json
import logging
from typing import Any, Literal

import pytest

from cuelight import Agent, ToolFailed, direct, go, state, stay, tool
from cuelight.engine import Engine
from cuelight.log import MASK, Fold, Secrets, leaves, reduce, scrub
from cuelight.stores import MemoryStore, SqliteStore
from cuelight.testing import Script, calls, raw_call, rehearse
from cuelight.wire import Entry, entry
from lawbook import datas, errors, rehearsing, results, told, types

CARD = "4000 1234 5678 9010"
DIGITS = "4000123456789010"


class Bank(Agent):
    """You are a bank."""

    stage: Literal["ask", "know"] = "ask"
    owner: dict[str, str] | None = state(None, pii=True)
    tries: int = 0
    note: str = ""

    @property
    def shown(self) -> str:
        return f"Owner: {self.owner['name'] if self.owner else 'nobody'}"

    @tool(pii=("card", "result.balance"))
    def charge(self, card: str, amount: int = 1) -> dict[str, Any]:
        """Charges a card."""
        self.tries += 1
        self._seen.append(card)
        if self.tries == 1 and amount == 13:
            raise ValueError(f"card {card} was refused")
        if amount == 14:
            raise ToolFailed(f"The card {card} has expired.")
        return {"balance": 8765.43, "ok": True}

    @tool(pii="result")
    async def secret(self) -> list[str]:
        """Tells a secret."""
        return ["swordfish", "abc"]

    @tool(pii=("name", "phone"))
    def identify(self, name: str, phone: str) -> str:
        """Identifies the caller."""
        self.owner = {"name": name, "phone": phone}
        self.note = f"called by {name}"
        return f"Hello {name}"

    @tool
    def route(self, card: str) -> Any:
        """Routes with a value that is known to be private by then."""
        return go("know").with_state(note=card).with_message(f"Card {card}").with_tool_feedback(f"Have {card}")

    @tool
    def show(self) -> Any:
        """Shows the card."""
        return direct({"card": self._seen[-1]})

    @tool
    def write_down(self) -> None:
        """Writes the card down."""
        self.call.log("card", {"seen": self._seen[-1], self._seen[-1]: [self._seen[-1]]})
        self.call.speak(f"Your card is {self._seen[-1]}.")

    @tool
    def stay_here(self) -> Any:
        """Stays."""
        return stay(f"The card {self._seen[-1]} is fine.")

    def __init__(self) -> None:
        self._seen: list[str] = []

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        self._seen.append(data.get("card", ""))


def everything(call: Any) -> str:
    """Give all that a log and its State show."""
    return json.dumps([e.data for e in call.log]) + repr(call.log) + json.dumps(call.state.app_state) + repr(call.state)


def hides(text: str, *values: str) -> None:
    for value in values:
        assert value not in text, f"{value!r} shows"


async def test_a_private_argument_reaches_the_handler_and_the_model_and_nobody_else() -> None:
    async with rehearsing(Bank, Script(calls("charge", card=CARD), "Charged.")) as call:
        await call.say("charge me")
        assert call.agent._seen == [CARD]
        assert datas(call.log, "tool.call")[0]["arguments"] == {"card": MASK}
        assert call.state.tools[0].arguments == {"card": MASK}
        (used,) = call.requests[1].messages[1]["tool_calls"]
        assert json.loads(used["arguments"]) == {"card": CARD}
        hides(everything(call), CARD, DIGITS)


async def test_the_values_live_beside_the_log_and_not_in_it() -> None:
    store = MemoryStore()
    async with rehearsing(Bank, Script(calls("charge", card=CARD), f"Charged {CARD}."), store=store) as call:
        await call.say("charge me")
    records = await store.read(call.id)
    hides(json.dumps([record.entry.data for record in records]), CARD)
    held = [record for record in records if record.private is not None]
    assert {record.entry.type for record in held} == {"tool.call", "tool.result", "cue.reply", "cue.said", "turn.agent"}
    assert CARD in str(held[0].private)


async def test_a_private_part_of_a_result_is_masked_in_its_place() -> None:
    async with rehearsing(Bank, Script([calls("charge", card=CARD), calls("secret")], "Done.")) as call:
        await call.say("charge me")
        assert [data["output"] for data in results(call.log)] == [{"balance": MASK, "ok": True}, MASK]
        assert "8765.43" in told(call.requests[1])[0]
        hides(everything(call), "8765.43", "swordfish")


@pytest.mark.parametrize(
    "spelled",
    [CARD, DIGITS, "4000-1234-5678-9010", "4000 1234 56789010", "4000.1234.5678.9010", "card:4000123456789010!"],
)
async def test_a_private_value_is_masked_in_free_text_however_it_is_spelled(spelled: str) -> None:
    script = Script(calls("charge", card=CARD), f"I charged {spelled}.", "Bye.")
    async with rehearsing(Bank, script) as call:
        reply = await call.say(f"my card is {spelled}, charge it")
        await call.say(f"{spelled} again")
        assert spelled in reply.text, "the caller gets the words as they are"
        assert spelled in call.requests[2].messages[0]["content"], "the model too"
        hides(everything(call), spelled.strip("card:!"))
        assert MASK in datas(call.log, "turn.user")[0]["text"], "also where it was said before anybody knew"


async def test_a_word_is_masked_whatever_its_capitals() -> None:
    async with rehearsing(
        Bank, Script(calls("identify", name="Ada Byrne", phone="600 123 456"), "Hi ADA  BYRNE.")
    ) as call:
        await call.say("this is ada byrne, 600123456")
        hides(everything(call).lower(), "ada byrne", "ada  byrne", "600123456", "600 123 456")
        assert call.agent.owner == {"name": "Ada Byrne", "phone": "600 123 456"}


async def test_a_private_field_is_masked_and_a_derived_one_by_its_value() -> None:
    async with rehearsing(Bank, Script(calls("identify", name="Ada Byrne", phone="600 123 456"), "Hi.")) as call:
        await call.say("hello")
        shown = call.state.app_state
        assert shown["owner"] == MASK
        assert shown["shown"] == f"Owner: {MASK}"
        assert shown["note"] == f"called by {MASK}"
        assert call.agent.shown == "Owner: Ada Byrne"
    async with rehearsing(Bank, Script()) as call:
        assert call.state.app_state["owner"] is None, "null hides nothing"


@pytest.mark.parametrize("amount", [13, 14])
async def test_a_failure_with_the_value_in_its_words_is_masked(amount: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    script = Script(calls("charge", card=CARD, amount=amount), calls("charge", card=CARD, amount=1), "Charged.")
    async with rehearsing(Bank, script) as call:
        await call.say("charge it")
        assert call.agent._seen == [CARD, CARD]
        hides(everything(call), CARD, DIGITS)
        hides(caplog.text, CARD, DIGITS)
        if amount == 13:
            assert "ValueError" in caplog.text
            assert MASK in caplog.text
            assert MASK in datas(call.log, "error")[0]["message"]
            assert CARD not in told(call.requests[1])[0]
        else:
            assert told(call.requests[1])[0] == f"The card {CARD} has expired."
            assert results(call.log)[0]["error"] == f"The card {MASK} has expired."


async def test_every_entry_of_ours_is_masked() -> None:
    batch = [calls(name) for name in ("write_down", "stay_here")]
    script = Script(
        calls("charge", card=CARD), [f"The card {CARD}.", *batch, calls("route", card=CARD)], calls("show"), "Bye."
    )
    async with rehearsing(Bank, script) as call:
        reply = await call.say("charge it")
        assert reply.content == {"card": CARD}
        await call.event("seen", {"card": CARD, "more": [{CARD: CARD}]})
        seen = set(types(call.log))
        assert {
            "cue.reply",
            "cue.said",
            "cue.route",
            "cue.crossing",
            "cue.delivered",
            "custom",
            "event.received",
        } <= seen
        hides(everything(call), CARD, DIGITS)
        assert call.agent.note == CARD
        await call.say("bye")
        assert f"Card {CARD}" in str(call.requests[-1].messages)


async def test_a_call_that_cannot_run_hides_its_arguments_too() -> None:
    class Hidden(Bank):
        @tool(stage="know", pii="pin")
        def with_pin(self, pin: str) -> None: ...

    batch = [
        calls("with_pin", pin="pin-98765"),
        calls("charge", card=CARD, extra=1),
        calls("charge", crd="typo-12345"),
        calls("charge", card={"number": CARD}),
        calls("no_such_tool", card="other-54321", pin="pin-11111", amount=3),
        raw_call("charge", f'{{"card": "{CARD}"'),
    ]
    async with rehearsing(Hidden, Script(batch, "Sorry.")) as call:
        await call.say("go")
        assert all("error" in data for data in results(call.log))
        hides(everything(call), CARD, "pin-98765", "typo-12345", "other-54321", "pin-11111")
        assert datas(call.log, "tool.call")[4]["arguments"] == {"card": MASK, "pin": MASK, "amount": 3}


async def test_short_values_are_masked_where_they_are_declared_and_left_alone_elsewhere() -> None:
    async with rehearsing(Bank, Script(calls("charge", card="12"), "There are 12 left.")) as call:
        await call.say("12")
        assert datas(call.log, "tool.call")[0]["arguments"] == {"card": MASK}
        assert datas(call.log, "turn.agent")[0]["text"] == "There are 12 left."


async def test_readers_of_the_live_call_get_masked_words_also_when_a_value_comes_in_pieces() -> None:
    async with rehearsing(
        Bank, Script(calls("charge", card=CARD), f"The card {CARD} was charged, {CARD}", "Fine.")
    ) as call:
        seen: list[Entry] = []
        ear: list[str] = []
        call.live.listen(seen.append)
        call.live.hear(lambda words, whole: ear.append(words + ("\n" if whole else "")))
        reply = await call.say(f"it is {CARD}")
        words = "".join(e.data["text"] for e in seen if e.type == "agent.transcript")
        assert words == f"The card {MASK} was charged, {MASK}"
        assert "".join(ear) == f"{reply.text}\n"
        hides(json.dumps([e.data for e in seen if e.type != "turn.user"]), CARD, "1234", "9010")


async def test_live_words_come_as_they_are_spoken_where_nothing_is_private() -> None:
    async with rehearsing(Bank, Script("One two three.")) as call:
        seen: list[str] = []
        call.live.listen(lambda e: seen.append(e.data["text"]) if e.type == "agent.transcript" else None)
        await call.say("count")
        assert seen == ["One ", "two ", "three."]


async def test_what_becomes_private_by_the_same_handler_leaves_masked() -> None:
    class Telling(Agent):
        @tool(pii="result.balance")
        def look(self) -> dict[str, str]:
            self.call.speak("It is 8765 euros.")
            self.call.log("looked", {"balance": "8765"})
            return {"balance": "8765"}

    async with rehearsing(Telling, Script(calls("look"), "Done.")) as call:
        seen: list[Entry] = []
        call.live.listen(seen.append)
        reply = await call.say("how much?")
        assert reply.text.startswith("It is 8765 euros.")
        hides(everything(call), "8765")
        hides(json.dumps([e.data for e in seen if not e.ephemeral]), "8765")


async def test_a_resumed_call_goes_on_masking_and_goes_on_knowing() -> None:
    store = MemoryStore()
    script = Script(calls("identify", name="Ada Byrne", phone="600 123 456"), "Hi Ada Byrne.")
    async with rehearsing(Bank, script, store=store) as call:
        await call.say("Ada Byrne here")
    async with rehearsing(Bank, Script("Still Ada Byrne."), store=store, resume=call.id) as again:
        assert again.agent.owner == {"name": "Ada Byrne", "phone": "600 123 456"}
        assert again.log == call.log
        await again.say("it's Ada Byrne")
        assert "Hi Ada Byrne." in str(again.requests[0].messages)
        hides(everything(again), "Ada Byrne")


def closing(last: Entry) -> Entry:
    return entry("cue.erased", {"at": last.ts}, seq=last.seq + 1, ts=last.ts, call=last.call, agent=last.agent)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_erasing_a_calls_private_values_scrubs_them_everywhere(kind: str, tmp_path: Any) -> None:
    store: Any = MemoryStore() if kind == "memory" else SqliteStore(tmp_path / "calls.sqlite3")
    script = Script(
        calls("identify", name="Ada Byrne", phone="600 123 456"),
        ["Hi Ada Byrne.", calls("charge", card=CARD)],
        "Charged.",
    )
    async with rehearsing(Bank, script, store=store) as call:
        await call.say(f"Ada Byrne here, charge {CARD}", id="m1")
    assert await store.erase(call.id, scrub(closing)) > 0
    records = await store.read(call.id)
    assert all(record.private is None for record in records)
    log = [record.entry for record in records]
    hides(json.dumps([e.data for e in log]), "Ada Byrne", "600 123 456", CARD, DIGITS, "8765.43")
    assert log[-1].type == "cue.erased"
    state_ = reduce(log)
    assert state_.status == "active"
    assert not state_.errors
    fold = Fold()
    fold.extend(log)
    assert fold.state == state_
    async with rehearse(Bank, Script("Who are you?"), store=store, resume=call.id) as again:
        assert again.agent.owner is None, "an erased field is as new"
        assert again.agent.tries == 1
        assert errors(again.log) == ["field-erased"]
        assert "owner" in datas(again.log, "error")[0]["message"]
        assert again.state.app_state["owner"] is None
        assert (await again.say("hello")).text == "Who are you?"
        assert MASK in again.requests[0].messages[0]["content"]
        hides(json.dumps(again.requests[0].messages), "Ada Byrne", CARD)
    async with rehearse(Bank, Script(), store=store, resume=call.id) as third:
        assert third.log == again.log
    if kind == "sqlite":
        await store.close()
        for path in tmp_path.iterdir():
            hides(path.read_bytes().decode("latin-1"), "Ada Byrne", "600 123 456", CARD)


async def test_the_handlers_of_an_erased_call_never_get_a_mask_for_a_value() -> None:
    store = MemoryStore()
    async with rehearsing(Bank, Script(calls("charge", card=CARD), "Done."), store=store) as call:
        await call.say("go")
    await store.erase(call.id, scrub(closing))
    async with rehearse(Bank, Script(), store=store, resume=call.id) as again:
        assert again.agent._seen == [], "nothing is run by taking a call up"


async def test_private_values_of_one_call_do_not_mask_another() -> None:
    async with rehearsing(Bank, Script(calls("identify", name="Rosa", phone="600 123 456"), "Hi.")) as one:
        await one.say("Rosa")
    async with rehearsing(Bank, Script("A rosa.")) as other:
        assert (await other.say("hi")).text == "A rosa."
        assert datas(other.log, "turn.agent")[0]["text"] == "A rosa."


async def test_numbers_are_masked_as_numbers() -> None:
    class Numbers(Agent):
        pin: int = state(0, pii=True)
        copy: int = 0

        @tool(pii="pin")
        def set_pin(self, pin: int) -> int:
            self.pin = self.copy = pin
            return pin

    async with rehearsing(Numbers, Script(calls("set_pin", pin=48151623), "It is 48151623.")) as call:
        await call.say("48151623")
        hides(everything(call), "48151623")
        assert call.state.app_state == {"pin": MASK, "copy": MASK}
        assert (call.agent.pin, call.agent.copy) == (48151623, 48151623)


async def test_a_stage_and_a_tools_name_are_never_masked() -> None:
    class Words(Agent):
        stage: Literal["identify", "done"] = "identify"

        @tool(stage="identify", pii="what")
        def identify(self, what: str) -> Any:
            return go("done")

    async with rehearsing(Words, Script(calls("identify", what="identify"), "Ok.")) as call:
        await call.say("identify me")
        assert call.state.app_state["stage"] == "done"
        assert datas(call.log, "state.changed")[0]["state"]["stage"] == "identify"
        assert call.state.tools[0].name == "identify"
        assert datas(call.log, "turn.user")[0]["text"] == f"{MASK} me"


async def test_a_route_brings_private_fields_and_content_masked() -> None:
    class Routed(Agent):
        stage: Literal["ask", "know"] = "ask"
        pin: str = state("", pii=True)

        @tool
        def learn(self) -> Any:
            return go("know").with_state(pin="123")

        @tool
        def wait(self) -> str:
            return "waited"

        @tool
        def keep(self) -> Any:
            return stay().with_state(pin="456")

        @tool(pii="result.balance")
        def balance(self) -> Any:
            return direct({"balance": "71", "long": "balance-98765"})

        @tool(pii="result")
        def all_of_it(self) -> Any:
            return direct("swordfish-123")

    script = Script([calls("learn"), calls("wait")], [calls("keep"), calls("balance")], calls("all_of_it"))
    async with rehearsing(Routed, script) as call:
        first = await call.say("go")
        second = await call.say("and?")
        assert first.content == {"balance": "71", "long": "balance-98765"}
        assert second.content == "swordfish-123"
        learn, keep, balance, whole = datas(call.log, "cue.route")
        assert learn["state"] == keep["state"] == {"pin": MASK}
        assert balance["message"] == {"content": {"balance": MASK, "long": "balance-98765"}}
        assert whole["message"] == {"content": MASK}
        assert [data["content"] for data in datas(call.log, "cue.delivered")] == [balance["message"]["content"], MASK]
        hides(everything(call), "swordfish-123", "123", "456")
        assert call.agent.pin == "456"


async def _state_before_and_after() -> tuple[str, str]:
    """Read a live call's State before its caller's number is known to be private, and after."""

    class Desk(Agent):
        """You take numbers."""

        @tool(pii="phone")
        def take(self, phone: str) -> str:
            """Takes a number."""
            return "taken"

    call = await Engine(MemoryStore()).open(Desk, Script("Which number?", calls("take", phone="600123456"), "Thanks."))
    try:
        await call.say("My number is 600 123 456")
        before = call.state.turns[0].text
        await call.say("Take it")
        return before, call.state.turns[0].text
    finally:
        await call.close()


def test_the_state_of_a_live_call_masks_what_turned_private_after_it_was_folded() -> None:
    before, after = asyncio.run(_state_before_and_after())
    assert "600 123 456" in before
    assert after == "My number is [private]"


@pytest.mark.parametrize(
    ("value", "said"),
    [(1234.5, "1234.50"), (1234.5, "1,234.50"), (1234.5, "1234.5"), (1234.0, "1,234"), (98765, "98,765")],
)
def test_a_private_number_is_masked_however_it_is_written(value: float, said: str) -> None:
    assert Secrets(leaves(value)).text(f"You have {said} euros.") == f"You have {MASK} euros."


async def test_a_value_that_is_also_a_name_renames_no_field_and_no_argument() -> None:
    class Names(Agent):
        phone: str = state("", pii=True)
        email: str = ""

        @tool(pii=("phone", "email"))
        def save(self, phone: str, email: str) -> None:
            self.phone, self.email = phone, "kept elsewhere"

    store = MemoryStore()
    async with rehearsing(Names, Script(calls("save", phone="phone", email="email"), "Saved."), store=store) as call:
        await call.say("save it")
        assert call.state.app_state == {"phone": MASK, "email": "kept elsewhere"}
        assert datas(call.log, "tool.call")[0]["arguments"] == {"phone": MASK, "email": MASK}
    await store.erase(call.id, scrub(closing))
    async with rehearse(Names, Script(), store=store, resume=call.id) as again:
        assert (again.agent.phone, again.agent.email) == ("", "kept elsewhere")


async def test_names_that_people_and_models_make_up_are_masked() -> None:
    class Ending(Agent):
        heard: str = ""

        @tool(pii="name")
        def leave(self, name: str) -> None:
            self.call.log(f"left by {name}", {})
            self.call.end(f"asked by {name}")

        def on_event(self, name: str, data: dict[str, Any]) -> None:
            self.heard = name

    made_up = raw_call("Zoe Quill", '{"Zoe Quill": 1}')
    async with rehearsing(Ending, Script([calls("leave", name="Zoe Quill"), made_up], "Bye.")) as call:
        await call.event("seen Zoe Quill", {})
        await call.say("I leave", id="from Zoe Quill")
        hides(everything(call), "Zoe Quill")
        assert datas(call.log, "call.ended")[0]["reason"] == f"asked by {MASK}"
        assert [data["name"] for data in datas(call.log, "tool.call")] == ["leave", MASK]
        assert [made["name"] for data in datas(call.log, "cue.reply") for made in data["calls"]] == ["leave", MASK]
        assert f"left by {MASK}" in [data["name"] for data in datas(call.log, "custom")]


async def test_the_keys_of_a_private_mapping_are_private_and_the_names_of_properties_are_not() -> None:
    class Contacts(Agent):
        contacts: dict[str, dict[str, str]] = state({}, pii=True)

        @tool(pii="who")
        def add(self, who: dict[str, str]) -> None:
            self.contacts["Ada Byrne"] = {"phone": "600123456"}

    said = "Ada Byrne has the phone 600123456, Zoe Quill has none."
    async with rehearsing(Contacts, Script(calls("add", who={"Zoe Quill": "none"}), said)) as call:
        await call.say("hello")
        shown = f"{MASK} has the phone {MASK}, {MASK} has {MASK}."
        assert datas(call.log, "turn.agent")[0]["text"] == shown
        hides(everything(call), "Ada Byrne", "600123456", "Zoe Quill")
