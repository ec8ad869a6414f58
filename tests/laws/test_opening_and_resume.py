"""How a call opens, and how it is taken up again."""

import asyncio
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any, Literal

import pytest

from cuelight import Agent, CallEnded, CuelightError, NotAStage, UndeclaredField, WrongType, state, tool
from cuelight.errors import CallNotFound
from cuelight.log import MASK, Record, disclose
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls, rehearse
from cuelight.wire import entry
from lawbook import check, check_messages, datas, entries, errors, heard, rehearsing, types


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Slot:
    day: date
    free: bool = True


class Desk(Agent):
    """You are the front desk."""

    rules = ("Be kind.", "Be brief.")
    knowledge = "Open from nine."
    stage: Literal["identify", "book"] = "identify"
    slots: list[Slot] = []
    colour: Colour | None = None
    by_name: dict[str, tuple[int, ...]] = {}
    count: int = 0

    @property
    def many(self) -> bool:
        return self.count > 1

    @tool(stage="identify")
    def look_up(self, name: str) -> str:
        """Looks up."""
        self.stage = "book"
        self.slots.append(Slot(date(2026, 3, 6)))
        self.colour = Colour.BLUE
        self.by_name[name] = (1, 2)
        self.count += 2
        return "found"

    @tool(stage="book")
    def book(self) -> None:
        """Books."""

    def render(self) -> str:
        return f"{self.stage}, {self.count}"


async def test_a_call_opens_in_the_designed_order() -> None:
    async with rehearsing(Desk, Script()) as call:
        assert types(call.log) == [
            "call.started", "state.changed", "tools.changed",
            "prompt.changed", "prompt.changed", "prompt.changed", "prompt.changed",
        ]  # fmt: skip
        started, changed, visible = (entry_.data for entry_ in call.log[:3])
        assert started["channel"] == "terminal"
        assert started["direction"] == "inbound"
        assert started["caller"] is None
        assert started["started_at"] == call.log[0].ts
        assert changed["state"] == {
            "stage": "identify", "slots": [], "colour": None, "by_name": {}, "count": 0, "many": False,
        }  # fmt: skip
        assert sorted(changed["changed"]) == sorted(changed["state"])
        assert "cause" not in changed
        assert visible == {"visible": ["look_up"]}
        assert [data["name"] for data in datas(call.log, "prompt.changed")] == [
            "identity",
            "knowledge",
            "tools",
            "view",
        ]
        assert call.state.status == "active"
        assert call.state.seq == 7
        assert call.log[0].agent == "desk"


async def test_on_call_runs_before_the_state_is_written_and_its_lines_come_after() -> None:
    class Opening(Desk):
        async def on_call(self) -> None:
            self.call.log("opened", {"by": "on_call"})
            self.call.speak("Hello.")
            await asyncio.sleep(0)
            self.count = 1
            self.slots.append(Slot(date(2026, 1, 1)))
            self.call.speak("Welcome.")

    async with rehearsing(Opening, Script()) as call:
        assert types(call.log)[:7] == [
            "call.started", "state.changed", "tools.changed",
            "prompt.changed", "prompt.changed", "prompt.changed", "prompt.changed",
        ]  # fmt: skip
        assert types(call.log)[7:] == ["custom", "cue.said", "turn.agent", "cue.said", "turn.agent"]
        assert call.state.app_state["count"] == 1
        assert call.state.app_state["slots"] == [{"day": "2026-01-01", "free": True}]
        assert heard(call.log) == ["Hello.", "Welcome."]


async def test_an_opening_state_is_laid_over_what_on_call_leaves() -> None:
    class Opening(Desk):
        def on_call(self) -> None:
            self.count = 1
            self.colour = Colour.RED

    given = {"stage": "book", "count": 5, "slots": [{"day": "2026-03-06", "free": False}], "by_name": {"a": [1]}}
    async with rehearsing(Opening, Script("Ok."), state=given) as call:
        assert len(datas(call.log, "state.changed")) == 1
        assert call.state.app_state["count"] == 5
        assert call.state.app_state["colour"] == "red"
        assert call.state.tools_visible == ["book"]
        assert call.agent.slots == [Slot(date(2026, 3, 6), False)]
        assert call.agent.by_name == {"a": (1,)}
        await call.say("hi")
        assert call.requests[0].tools == ["book"]
    async with rehearsing(Desk, Script(), state={"slots": [Slot(date(2026, 3, 6))], "colour": Colour.RED}) as call:
        assert call.state.app_state["slots"][0]["day"] == "2026-03-06"
        assert call.agent.colour is Colour.RED


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"nothing": 1}, UndeclaredField), ({"count": "many"}, WrongType), ({"stage": "gone"}, NotAStage),
        ({"stage": None}, NotAStage), ({"many": True}, UndeclaredField), ({"count": 1, "slots": [5]}, WrongType),
        ({"call": 1}, UndeclaredField), ({"_count": 1}, UndeclaredField),
    ],
)  # fmt: skip
async def test_a_wrong_opening_state_is_refused_and_nothing_is_stored(given: dict[str, Any], error: type) -> None:
    store = MemoryStore()
    with pytest.raises(error):
        async with rehearse(Desk, Script(), state=given, store=store):
            pass
    assert await store.calls() == []
    async with rehearsing(Desk, Script(), store=store) as call:
        assert call.id == "call-1", "and the call's id is free"


async def test_an_on_call_that_raises_changes_nothing_and_the_call_goes_on() -> None:
    class Broken(Desk):
        def on_call(self) -> None:
            self.count = 7
            raise LookupError("no such thing")

    async with rehearsing(Broken, Script("Hello.")) as call:
        assert call.state.app_state["count"] == 0
        assert errors(call.log) == ["handler-raised"]
        assert types(call.log)[-1] == "error"
        assert (await call.say("hi")).text == "Hello."


async def test_what_fails_from_the_start_is_told_after_the_state() -> None:
    class Failing(Desk):
        @property
        def broken(self) -> int:
            return 1 // 0

        @tool(when=lambda a: 1 // 0)
        def hidden(self) -> None: ...

    async with rehearsing(Failing, Script()) as call:
        assert types(call.log)[:4] == ["call.started", "state.changed", "tools.changed", "prompt.changed"]
        assert errors(call.log) == ["property-raised", "when-raised"]
        assert call.state.app_state["broken"] is None


async def test_ids_are_counters_and_the_time_stands_still() -> None:
    async def once() -> list[Any]:
        async with rehearsing(Desk, Script(calls("look_up", name="Ada"), "Hi.")) as call:
            await call.say("Ada", id="m1")
            return call.log

    assert await once() == await once()


async def test_services_come_in_through_the_constructor() -> None:
    class Served(Desk):
        def __init__(self, registry: dict[str, str]) -> None:
            self._registry = registry

        @tool
        def find(self, key: str) -> str:
            return self._registry[key]

    async with rehearsing(lambda: Served({"a": "b"}), Script(calls("find", key="a"), "b.")) as call:
        await call.say("a")
        assert datas(call.log, "tool.result")[0]["output"] == "b"
        assert "_registry" not in call.state.app_state
    with pytest.raises(CuelightError, match="lambda"):
        async with rehearse(Served, Script()):
            pass


# --- resuming ---------------------------------------------------------------------------------------------------------


async def test_a_resumed_call_has_its_state_with_types_its_stage_and_its_history() -> None:
    store = MemoryStore()
    async with rehearsing(Desk, Script(calls("look_up", name="Ada"), "Found you."), store=store) as call:
        await call.say("I am Ada")
    before = call.log
    async with rehearsing(Desk, Script("Which day?"), store=store, resume=call.id) as again:
        assert again.log == before, "taking up a whole log writes nothing"
        assert again.agent.stage == "book"
        assert again.agent.slots == [Slot(date(2026, 3, 6))]
        assert isinstance(again.agent.slots[0].day, date)
        assert again.agent.colour is Colour.BLUE
        assert again.agent.by_name == {"Ada": (1, 2)}
        assert again.state == call.state
        await again.say("book me")
        assert again.requests[0].tools == ["book"]
        assert again.requests[0].static == call.requests[0].static
        assert again.requests[0].messages[:4] == [
            {"role": "user", "content": "I am Ada"},
            *call.requests[1].messages[1:],
            {"role": "assistant", "content": "Found you."},
        ]  # fmt: skip
        assert types(again.log)[len(before) :][:1] == ["turn.user"]
        assert "prompt.changed" not in types(again.log)[len(before) :]


async def test_an_unknown_call_cannot_be_resumed() -> None:
    store = MemoryStore()
    with pytest.raises(CallNotFound):
        async with rehearse(Desk, Script(), store=store, resume="call-9"):
            pass
    async with rehearsing(Desk, Script(), store=store) as call:
        assert call.id == "call-1"


async def test_a_call_that_ended_can_be_read_and_not_spoken_to() -> None:
    class Leaving(Desk):
        @tool
        def leave(self) -> None:
            self.call.end("done")

    store = MemoryStore()
    async with rehearsing(Leaving, Script(["Bye.", calls("leave")]), store=store) as call:
        reply = await call.say("bye", id="m1")
    async with rehearsing(Leaving, Script("Never."), store=store, resume=call.id) as again:
        assert again.log == call.log
        assert again.state.status == "ended"
        with pytest.raises(CallEnded):
            await again.say("hello?")
        with pytest.raises(CallEnded):
            await again.event("ring")
        await again.hang_up()
        assert await again.say("bye", id="m1") == reply
        assert again.log == call.log


async def test_after_the_block_everything_can_still_be_read() -> None:
    async with rehearse(Desk, Script(calls("look_up", name="Ada"), "Hi.")) as call:
        await call.say("Ada")
    assert call.id == "call-1"
    assert call.agent.stage == "book"
    assert call.state.app_state["stage"] == "book"
    assert len(call.requests) == 2
    assert call.log
    with pytest.raises(CallEnded):
        await call.say("still there?")
    check(call)


class Older(Agent):
    """You are older."""

    stage: Literal["a", "b"] = "b"
    name: str = "Ada"
    gone: int = 3
    kept: list[int] = [1]


class Newer(Agent):
    """You are newer."""

    stage: Literal["b", "c"] = "c"
    called: str = state("", was=("name",))
    kept: list[int] = []
    added: dict[str, int] = {"x": 1}

    @property
    def loud(self) -> str:
        return self.called.upper()

    @tool(stage="b")
    def shout(self) -> str:
        """Shouts."""
        return self.loud


async def test_a_log_of_an_older_class_is_read_and_what_changed_is_written_once() -> None:
    store = MemoryStore()
    async with rehearsing(Older, Script("Hi."), store=store) as call:
        await call.say("hi")
    async with rehearsing(Newer, Script("Ho."), store=store, resume=call.id) as again:
        assert (again.agent.stage, again.agent.called, again.agent.kept, again.agent.added) == (
            "b",
            "Ada",
            [1],
            {"x": 1},
        )
        assert errors(again.log) == ["field-removed"]
        assert "gone" in datas(again.log, "error")[0]["message"]
        change = entries(again.log, "state.changed")[-1].data
        assert change["state"] == {"stage": "b", "called": "Ada", "kept": [1], "added": {"x": 1}, "loud": "ADA"}
        assert set(change["changed"]) == {"called", "added", "loud"}
        assert again.state.tools_visible == ["shout"]
        assert {data["name"] for data in datas(again.log, "prompt.changed")[-2:]} == {"identity", "tools"}
        await again.say("ho")
        assert again.requests[0].tools == ["shout"]
    async with rehearsing(Newer, Script(), store=store, resume=call.id) as third:
        assert third.log == again.log


async def test_a_stage_that_is_gone_is_reported_and_opens_anew() -> None:
    store = MemoryStore()
    async with rehearsing(Older, Script(), store=store, state={"stage": "a"}) as call:
        pass
    async with rehearsing(Newer, Script(), store=store, resume=call.id) as again:
        assert again.agent.stage == "c"
        assert "field-unreadable" in errors(again.log)


async def test_an_entry_of_an_unknown_kind_is_kept_and_told_once() -> None:
    store = MemoryStore()
    async with rehearse(Older, Script(), store=store) as call:
        pass
    seq = len(call.log)
    strange = entry("weather.changed", {"sunny": True}, seq=seq + 1, ts=1.0, call=call.id, agent="older")
    known = entry("message.sent", {"to": "x"}, seq=seq + 2, ts=1.0, call=call.id, agent="older")
    await store.append(call.id, seq, [Record(strange), Record(known)])
    async with rehearse(Older, Script("Hi."), store=store, resume=call.id) as again:
        assert again.log[seq : seq + 2] == [strange, known]
        assert errors(again.log) == ["entry-unknown"]
        assert "weather.changed" in datas(again.log, "error")[0]["message"]
        assert (await again.say("hi")).text == "Hi."
    async with rehearse(Older, Script(), store=store, resume=call.id) as third:
        assert third.log == again.log


@pytest.mark.parametrize("ended", [False, True])
async def test_a_log_with_an_entry_that_cannot_be_read_is_taken_up_without_it(ended: bool) -> None:
    store = MemoryStore()
    script = Script(["Wait. ", calls("look_up", name="Ada")], "Hi.", "Well.")
    async with rehearse(Desk, script, store=store) as call:
        await call.say("hi", "m1")
        await call.event("rain")
        await call.say("and?", "m2")
        if ended:
            await call.hang_up()
    records = await store.read(call.id)
    assert {"turn.user", "turn.agent", "cue.reply", "cue.said", "cue.delivered", "metrics.llm"} <= set(types(call.log))
    for place, record in enumerate(records):
        whole = record.entry
        odd = Record(entry(whole.type, {}, seq=whole.seq, ts=whole.ts, call=whole.call, agent=whole.agent))
        damaged = MemoryStore()
        await damaged.append(call.id, 0, [*records[:place], odd, *records[place + 1 :]])
        async with rehearse(Desk, Script(*["On."] * 2), store=damaged, resume=call.id) as again:
            if again.state.status != "ended":
                assert f"Entries of type '{whole.type}' ({whole.seq}) do not fit" in str(datas(again.log, "error"))
                assert (await again.say("go on")).text == "On."
                check_messages(again.requests[-1].messages)
        async with rehearse(Desk, Script(), store=damaged, resume=call.id) as third:
            assert errors(third.log).count("entry-unreadable") == (again.state.status != "ended")


async def test_a_field_that_became_private_is_masked_from_the_moment_its_call_is_taken_up() -> None:
    class Open(Agent):
        """You note."""

        phone: str = ""
        pin: int = 0

    class Closed(Open):
        phone: str = state("", pii=True)
        pin: int = state(0, pii=True)

    store = MemoryStore()
    async with rehearsing(Open, Script("Hi."), store=store, state={"phone": "600123456", "pin": 12}) as call:
        await call.say("It is 600123456.")
    async with rehearsing(Closed, Script(), store=store, resume=call.id) as again:
        assert (again.agent.phone, again.agent.pin) == ("600123456", 12)
        assert again.state.app_state == {"phone": MASK, "pin": MASK}
        assert entries(again.log, "state.changed")[-1].data["changed"] == []
    assert len(await store.read(call.id)) == len(call.log) + 1
    assert "600123456" not in str([whole.data for whole in disclose(await store.read(call.id))])
    async with rehearsing(Closed, Script(), store=store, resume=call.id) as third:
        assert third.log == again.log
        assert third.agent.phone == "600123456"


async def test_what_comes_after_a_call_was_let_go_of_changes_nothing() -> None:
    store = MemoryStore()
    async with rehearse(Desk, Script("Hi.", "Never."), store=store) as call:
        await call.say("hi")
    before = call.log
    await call.hang_up()
    call.interrupt(heard="")
    call.prepare("hello")
    for _ in range(20):
        await asyncio.sleep(0)
    assert [record.entry for record in await store.read(call.id)] == before
    assert len(call.requests) == 1
