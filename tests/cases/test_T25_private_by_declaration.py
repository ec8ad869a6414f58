"""T25: private parameters and results: every sink shows a mask, the caller hears the value, and it can be erased."""

import json
import logging
from typing import Any

import pytest

from cuelight import Agent, tool
from cuelight.log import MASK, reduce, scrub
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls
from cuelight.wire import Entry, encode, entry
from lawbook import datas, rehearsing, results, told

CARD = "4929 1111 2222 3333"
BALANCE = "1734.55"


class Bank(Agent):
    """You tell balances."""

    def __init__(self) -> None:
        self._given: list[str] = []

    @tool(pii=("card", "result.balance"))
    def look_up(self, card: str) -> dict[str, str]:
        """Looks an account up."""
        self._given.append(card)
        if len(self._given) == 1:
            raise LookupError(f"no backend for {card}")
        return {"balance": BALANCE, "branch": "Cork"}

    @tool(pii="card")
    def say_balance(self, card: str) -> str:
        """Tells the caller the balance."""
        self.call.speak(f"Your balance is {BALANCE}.")
        return "The caller has been told."


async def test_t25_every_sink_shows_a_mask(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    script = Script(calls("look_up", card=CARD), calls("look_up", card=CARD), calls("say_balance", card=CARD), "Bye.")
    store = MemoryStore()
    async with rehearsing(Bank, script, store=store) as call:
        seen: list[Entry] = []
        call.live.listen(seen.append)
        reply = await call.say(f"card {CARD}")
        assert call.agent._given == [CARD, CARD], "the handler gets the real value"
        assert f"Your balance is {BALANCE}." in reply.text, "the caller hears it"
        failed, found, _ = results(call.log)
        assert CARD not in failed["error"]
        assert found["output"] == {"balance": MASK, "branch": "Cork"}
        assert all(data["arguments"] == {"card": MASK} for data in datas(call.log, "tool.call"))
        assert MASK in datas(call.log, "error")[0]["message"]
        assert "no backend" not in told(call.requests[1])[0]
        shown = json.dumps([e.data for e in call.log]) + repr(call.log) + encode(call.state).decode() + caplog.text
        for value in (CARD, CARD.replace(" ", ""), BALANCE):
            assert value not in shown
        live = [e.data for e in seen if e.type not in ("turn.user",)]
        assert BALANCE not in json.dumps(live)

    def closing(last: Entry) -> Entry:
        return entry("cue.erased", {"at": 1.0}, seq=last.seq + 1, ts=1.0, call=last.call, agent=last.agent)

    await store.erase(call.id, scrub(closing))
    records = await store.read(call.id)
    stored = json.dumps([[r.entry.data, str(r.private)] for r in records])
    for value in (CARD, CARD.replace(" ", ""), BALANCE):
        assert value not in stored
    folded = reduce([record.entry for record in records])
    assert [run.status for run in folded.tools] == ["failed", "done", "done"]
    assert not folded.errors[1:]


async def test_t25_a_line_of_code_from_a_tool_that_returns_nothing_private_keeps_it_from_the_tools_result() -> None:
    async with rehearsing(Bank, Script(calls("say_balance", card=CARD), "Bye.")) as call:
        await call.say("balance?")
        assert told(call.requests[1]) == ["The caller has been told."]


@pytest.mark.parametrize("value", [CARD, 49291111, ["4929 1111", "2222 3333"], {"number": CARD}])
async def test_t25_a_value_of_the_wrong_type_is_masked_as_well(value: Any) -> None:
    async with rehearsing(Bank, Script(calls("look_up", card=value), "Sorry.")) as call:
        await call.say("hi")
        assert "4929" not in json.dumps([e.data for e in call.log])
