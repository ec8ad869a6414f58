"""Law 10: what is begun is written before it begins, what is settled before the model hears; a crash is made up for."""

import asyncio
import json
import threading
from collections import Counter
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight import Agent, Limits, OutsideHandler, ToolFailed, direct, go, stay, tool
from cuelight.errors import StoreUnusable
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls, raw_call, rehearse
from lawbook import (
    WatchedStore,
    check,
    check_messages,
    datas,
    entries,
    errors,
    heard,
    refusals,
    rehearsing,
    results,
    run,
    told,
    types,
)  # fmt: skip

WORLD: Counter[str] = Counter()
"""What happened outside, which no crash undoes: how often each tool call ran, by its key."""


class Bank(Agent):
    """You are a bank."""

    stage: Literal["a", "b"] = "a"
    paid: list[int] = []

    @tool
    def pay(self, amount: int) -> str:
        """Pays."""
        WORLD[self.call.tool.key] += 1
        self.paid.append(amount)
        return f"paid {amount}"

    @tool
    async def move(self) -> Any:
        """Moves on."""
        WORLD[self.call.tool.key] += 1
        return go("b").with_state(paid=[0]).with_message("They moved.")

    @tool(effect="read")
    async def look(self) -> int:
        """Looks."""
        return len(self.paid)

    @tool
    def fail(self) -> None:
        """Fails."""
        WORLD[self.call.tool.key] += 1
        raise ToolFailed("No.")

    @tool
    def linger(self) -> Any:
        """Stays."""
        return stay("Wait.")

    @tool
    def show(self) -> Any:
        """Shows."""
        return direct({"paid": self.paid})

    @tool(stage="b")
    def leave(self) -> None:
        """Ends."""
        self.call.end("done")


async def test_the_entries_of_a_turn_stand_in_the_order_things_happened() -> None:
    store = WatchedStore()
    async with rehearsing(Bank, Script(["Paying.", calls("pay", amount=5)], "Paid."), store=store) as call:
        await call.say("pay 5")
    assert store.types == [
        ["call.started", "state.changed", "tools.changed", "prompt.changed", "prompt.changed"],
        ["turn.user"],
        ["metrics.llm", "cue.reply", "cue.said", "tool.call"],
        ["tool.result", "state.changed"],
        ["metrics.llm", "cue.reply", "cue.said", "turn.agent", "cue.delivered"],
    ]


async def test_a_call_is_stored_before_its_own_handler_starts_and_no_sooner() -> None:
    seen: list[list[str]] = []

    class Looking(Agent):
        @tool
        async def step(self, n: int) -> None:
            log = [record.entry for record in await store.read(self.call.id)]
            seen.append([f"{e.type} {e.data['call_id'][-1]}" for e in log if e.type.startswith("tool.")])

    store = MemoryStore()
    async with rehearsing(Looking, Script([calls("step", n=1), calls("step", n=2)], "Done."), store=store) as call:
        await call.say("go")
    assert seen == [["tool.call 1"], ["tool.call 1", "tool.result 1", "tool.call 2"]]


async def test_a_result_is_stored_before_the_model_hears_of_it() -> None:
    stored: list[str] = []

    async def then(request: Any) -> str:
        stored.extend(types(call.log))
        return "Done."

    async with rehearsing(Bank, Script(calls("pay", amount=1), then)) as call:
        await call.say("go")
    assert stored[-2:] == ["tool.result", "state.changed"]


async def test_words_and_calls_are_stored_together_before_the_first_call_runs() -> None:
    async with rehearsing(Bank, Script(["Paying.", calls("pay", amount=1), calls("look")], "Done.")) as call:
        await call.say("go")
        reply = datas(call.log, "cue.reply")[0]
        assert reply == {
            "speech_id": datas(call.log, "turn.user")[0]["speech_id"], "request": 1, "text": "Paying.",
            "calls": [{"call_id": d["call_id"], "name": d["name"]} for d in datas(call.log, "tool.call")],
            "finish": "tool_calls",
        }  # fmt: skip
        assert types(call.log).index("cue.reply") < types(call.log).index("tool.call")
        assert [data["request"] for data in datas(call.log, "cue.reply")] == [1, 2]


# --- crashes ----------------------------------------------------------------------------------------------------------


async def crash_in(name: str, *after: Any, at: int = 1) -> tuple[Any, WatchedStore]:
    """Run a turn whose reply has these calls, and crash when `at` of them have been stored as begun."""
    store = WatchedStore()
    async with rehearse(Bank, Script([calls(name), *after], "Done."), store=store) as call:
        await call.say("go", id="m1")
    begun = [i for i, append in enumerate(store.types, 1) if "tool.call" in append]
    return call, await store.crashed_after(begun[at - 1])


async def test_a_call_found_without_a_result_is_settled_as_of_unknown_outcome() -> None:
    call, store = await crash_in("move")
    before = Counter(WORLD)
    async with rehearsing(Bank, Script("I must check."), store=store, resume=call.id) as again:
        assert before == WORLD, "it is not run again"
        assert datas(again.log, "cue.unknown") == [
            {"call_id": results(again.log)[0]["call_id"], "name": "move", "reason": "crash"}
        ]
        (run_,) = again.state.tools
        assert run_.status == "failed"
        assert again.agent.stage == "a"
        reply = await again.say("go", id="m1")
        assert reply.text == "I must check."
        assert "outcome unknown" in told(again.requests[0])[0].lower()
        assert types(again.log).count("turn.user") == 1
        assert before == WORLD


async def test_a_reading_call_found_without_a_result_may_be_made_again() -> None:
    call, store = await crash_in("look")
    async with rehearsing(Bank, Script(calls("look"), "Nothing."), store=store, resume=call.id) as again:
        assert (await again.say("go", id="m1")).text == "Nothing."
        first, second = told(again.requests[1])
        assert "outcome unknown" in first.lower()
        assert "again" in first
        assert second == "0"


async def test_calls_that_had_not_begun_are_not_run() -> None:
    call, store = await crash_in("fail", calls("pay", amount=1), calls("look"), at=1)
    before = Counter(WORLD)
    async with rehearsing(Bank, Script("I must check."), store=store, resume=call.id) as again:
        assert before == WORLD
        assert refusals(again.log) == [("pay", "not run"), ("look", "not run")]
        assert all("not run" in data["error"] for data in results(again.log)[1:])
        await again.say("go", id="m1")
        assert len(told(again.requests[0])) == 3


async def test_a_move_whose_call_was_done_is_made_up_for_when_the_batch_broke_off() -> None:
    call, store = await crash_in("move", calls("pay", amount=1), at=2)
    async with rehearsing(Bank, Script("Where were we?"), store=store, resume=call.id) as again:
        assert results(again.log)[0]["output"] == "input validated"
        assert (again.agent.stage, again.agent.paid) == ("b", [0])
        assert again.state.app_state["stage"] == "b"
        await again.say("go", id="m1")
        assert "leave" in again.requests[0].tools
        assert again.requests[0].messages[-1]["content"] == "They moved."
    async with rehearsing(Bank, Script(), store=store, resume=call.id) as third:
        assert len(datas(third.log, "cue.crossing")) == 1, "once"


async def test_what_was_said_in_a_turn_that_broke_off_stays_said() -> None:
    store = WatchedStore()
    async with rehearse(Bank, Script(["Paying.", calls("pay", amount=1)], "Paid."), store=store) as call:
        await call.say("pay", id="m1")
    crashed = await store.crashed_after(3)
    async with rehearsing(Bank, Script("I must check that."), store=crashed, resume=call.id) as again:
        assert heard(again.log) == ["Paying."]
        await again.say("pay", id="m1")
        assert [m["content"] for m in again.requests[0].messages if m["role"] == "assistant"] == ["Paying."]
        assert heard(again.log) == ["Paying.", "I must check that."]


async def test_the_key_of_a_call_is_the_same_wherever_it_is_asked_for() -> None:
    WORLD.clear()
    async with rehearsing(Bank, Script([calls("pay", amount=1), calls("pay", amount=2)], "Done.")) as call:
        await call.say("go")
        assert sorted(WORLD) == sorted(f"{call.id}/{data['call_id']}" for data in datas(call.log, "tool.call"))


async def test_a_resumed_call_gives_no_id_again() -> None:
    store = MemoryStore()
    keys: set[str] = set()
    WORLD.clear()
    call_id = None
    for n in range(4):
        script = Script(calls("pay", amount=n), "Done.")
        async with rehearsing(Bank, script, store=store, **({"resume": call_id} if call_id else {})) as call:
            call_id = call.id
            await call.say("go")
    keys = set(WORLD)
    assert len(keys) == 4
    assert set(WORLD.values()) == {1}


ITEMS = st.one_of(
    st.builds(lambda n: calls("pay", amount=n), st.integers(1, 3)),
    st.sampled_from([
        calls("move"), calls("look"), calls("look"), calls("fail"), calls("linger"), calls("show"), calls("leave"),
        calls("no_such"), raw_call("pay", "{"), raw_call("pay", '{"amount": "x"}'),
    ]),
)  # fmt: skip
REPLIES = st.one_of(
    st.sampled_from(["Words.", "", RuntimeError("lost"), ["Half ", RuntimeError("lost")]]),
    st.lists(ITEMS, min_size=1, max_size=4),
    st.builds(lambda text, items: [text, *items], st.just("Words and "), st.lists(ITEMS, min_size=1, max_size=3)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(REPLIES, max_size=8), st.data())
def test_a_crash_after_any_append_resumes_and_repeats_nothing(replies: list[Any], data: st.DataObject) -> None:
    run(_crash_anywhere(replies, data))


async def _crash_anywhere(replies: list[Any], data: st.DataObject) -> None:
    WORLD.clear()
    store = WatchedStore()
    script = Script(*replies, *["Fine."] * 30)
    async with rehearse(Bank, script, store=store) as call:
        for n in range(3):
            if call.state.status == "ended":
                break
            await call.say(f"message {n}", id=f"m{n}")
    check(call)
    world = Counter(WORLD)
    assert set(world.values()) <= {1}
    appends = data.draw(st.integers(1, len(store.appends)), label="appends")
    crashed = await store.crashed_after(appends)
    before = [record.entry for record in await crashed.read(call.id)]
    async with rehearse(Bank, Script(*["Fine."] * 30), store=crashed, resume=call.id) as again:
        assert again.log[: len(before)] == before, "what was acknowledged stays"
        assert world == WORLD, "resuming runs no tool"
        assert {d["call_id"] for d in datas(again.log, "tool.call")} == {d["call_id"] for d in results(again.log)}
        assert json.loads(json.dumps(again.state.app_state)) == again.state.app_state
        if again.state.status != "ended":
            users = datas(before, "turn.user")
            id_ = users[-1]["item_id"] if users else "m0"
            first = await again.say("message", id=id_)
            assert await again.say("message", id=id_) == first
            await again.say("another")
            check_messages(again.requests[-1].messages)
            assert world == WORLD
    check(again)
    async with rehearse(Bank, Script("Fine."), store=crashed, resume=call.id) as third:
        assert len(third.log) == len(again.log), "resuming a whole log writes nothing"
        assert third.agent.paid == again.agent.paid
        assert third.agent.stage == again.agent.stage


async def test_a_call_that_ended_without_its_summary_gets_it_when_it_is_resumed() -> None:
    store = WatchedStore()
    async with rehearse(Bank, Script(calls("leave")), store=store, state={"stage": "b"}) as call:
        await call.say("bye")
    crashed = await store.crashed_after(len(store.appends) - 1)
    assert [record.entry.type for record in await crashed.read(call.id)][-1] == "call.ended"
    async with rehearsing(Bank, Script(), store=crashed, resume=call.id) as again:
        assert types(again.log)[-1] == "call.summary"
        assert datas(again.log, "call.summary") == datas(call.log, "call.summary")


class FailingStore(WatchedStore):
    """A store whose medium is full at some append."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    async def append(self, call: str, expected_seq: int, records: Any, *, lease: Any = None) -> None:
        if len(self.appends) + 1 == self.at:
            raise StoreUnusable("The disk is full.")
        await super().append(call, expected_seq, records, lease=lease)


@pytest.mark.parametrize("at", [2, 3, 4, 5])
async def test_a_store_that_refuses_stops_the_call_where_it_is(at: int) -> None:
    WORLD.clear()
    store = FailingStore(at)
    async with rehearse(Bank, Script(calls("pay", amount=1), "Paid.", "Never."), store=store) as call:
        with pytest.raises(StoreUnusable):
            await call.say("pay", id="m1")
        with pytest.raises(StoreUnusable):
            await call.say("again")
        assert sum(WORLD.values()) == (0 if at < 4 else 1), "nothing is begun that is not written"
    store.at = 0
    async with rehearsing(Bank, Script("Let me see."), store=store, resume=call.id) as again:
        await again.say("pay", id="m1")
        assert sum(WORLD.values()) == (0 if at < 4 else 1)
        assert errors(again.log) == []


async def test_a_timed_out_write_is_unknown_and_its_late_end_changes_nothing() -> None:
    gate = asyncio.Event()

    class Slow(Agent):
        limits = Limits(tool_s=5)
        done: bool = False

        @tool
        async def slow(self) -> str:
            try:
                await gate.wait()
            finally:
                self.call.log("late")
            return "never"

    async with rehearsing(Slow, Script(calls("slow"), "I must check.")) as call:
        saying = asyncio.create_task(call.say("go"))
        await call.advance(5)
        await asyncio.wait_for(saying, 2)
        assert [data["reason"] for data in datas(call.log, "cue.unknown")] == ["timeout"]
        assert len(results(call.log)) == 1
        unknown, result = entries(call.log, "cue.unknown")[0], entries(call.log, "tool.result")[0]
        assert unknown.data["call_id"] == result.data["call_id"]


class CrashingStore(WatchedStore):
    """A store that is there no more from some append on."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    async def append(self, call: str, expected_seq: int, records: Any, *, lease: Any = None) -> None:
        if len(self.appends) + 1 >= self.at:
            raise RuntimeError("the machine is gone")
        await super().append(call, expected_seq, records, lease=lease)


@pytest.mark.parametrize("at", [2, 3, 4, 5])
async def test_whatever_a_store_raises_stops_the_call_where_it_is(at: int) -> None:
    WORLD.clear()
    store = CrashingStore(at)
    async with rehearse(Bank, Script(calls("pay", amount=1), "Paid."), store=store) as call:
        with pytest.raises(RuntimeError, match="gone"):
            await call.say("pay", id="m1")
        with pytest.raises(RuntimeError, match="gone"):
            await call.event("ring")
        assert sum(WORLD.values()) == (0 if at < 4 else 1)
    store.at = 99
    async with rehearsing(Bank, Script("Let me see."), store=store, resume=call.id) as again:
        await again.say("pay", id="m1")
        assert sum(WORLD.values()) == (0 if at < 4 else 1)


class Crash(BaseException):
    """The process is gone; nothing may catch it."""


@pytest.mark.parametrize("where", ["tool", "thread", "read", "beside", "model", "event"])
async def test_what_stops_the_program_stops_the_call_as_a_crash_does(where: str) -> None:
    WORLD.clear()

    class Crashing(Bank):
        @tool
        async def crash(self) -> str:
            WORLD[self.call.tool.key] += 1
            raise Crash

        @tool
        def crash_in_thread(self) -> str:
            WORLD[self.call.tool.key] += 1
            raise Crash

        @tool(effect="read")
        async def crash_reading(self) -> str:
            raise Crash

        def on_event(self, name: str, data: dict[str, Any]) -> None:
            raise Crash

    scripts: dict[str, Any] = {
        "tool": [calls("pay", amount=1), calls("crash"), calls("pay", amount=2)],
        "thread": calls("crash_in_thread"),
        "read": [calls("crash_reading"), calls("look")],
        "beside": [calls("look"), calls("crash_reading")],
        "model": Crash(),
        "event": "Unused.",
    }
    store = MemoryStore()
    async with rehearse(Crashing, Script(scripts[where], "Never asked."), store=store) as call:
        with pytest.raises(Crash):
            await (call.event("ring") if where == "event" else call.say("go", id="m1"))
        with pytest.raises(Crash):
            await call.say("hello?")
        assert len(call.requests) == (0 if where == "event" else 1)
    world = Counter(WORLD)
    async with rehearsing(Crashing, Script("I must check."), store=store, resume=call.id) as again:
        assert (await again.say("go", id="m1")).text == "I must check."
        assert world == WORLD
        unknown = [data["name"] for data in datas(again.log, "cue.unknown")]
        assert unknown == {
            "tool": ["crash"], "thread": ["crash_in_thread"], "read": ["crash_reading", "look"],
            "beside": ["look", "crash_reading"],
        }.get(where, [])  # fmt: skip
        if where == "tool":
            assert again.agent.paid == [1]
            assert refusals(again.log) == [("pay", "not run")]


@pytest.mark.parametrize("where", ["model", "tool", "thread", "event", "retry"])
async def test_a_call_that_is_let_go_of_in_the_middle_can_be_resumed(where: str) -> None:
    let_go, over, late = threading.Event(), threading.Event(), []

    class Stuck(Agent):
        done: list[str] = []

        @tool
        async def hang(self) -> str:
            self.call.speak("Hold on.")
            self.done.append("hang")
            await asyncio.Event().wait()
            return "never"

        @tool
        def block(self) -> str:
            let_go.wait(5)
            try:
                self.call.speak("Too late.")
            except OutsideHandler as error:
                late.append(error)
            over.set()
            return "late"

        async def on_event(self, name: str, data: dict[str, Any]) -> None:
            self.call.speak("Hold on.")
            await asyncio.Event().wait()

    async def mute(request: Any) -> str:
        await asyncio.Event().wait()
        return "never"

    scripts: dict[str, list[Any]] = {
        "model": [mute], "tool": [calls("hang")], "thread": [calls("block")], "event": [],
        "retry": [["Half a ", RuntimeError("lost")], mute],
    }  # fmt: skip
    store = MemoryStore()
    async with rehearsing(Stuck, Script(*scripts[where]), store=store) as call:
        working = asyncio.create_task(call.event("ring") if where == "event" else call.say("go", id="m1"))
        for _ in range(30):
            await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await working
    let_go.set()
    async with rehearsing(Stuck, Script("So."), store=store, resume=call.id) as again:
        assert (await again.say("go", id="m1")).text == "So."
        assert again.agent.done == []
        if where in ("tool", "thread"):
            assert len(results(again.log)) == 1
            assert "outcome unknown" in results(again.log)[0]["error"].lower()
        if where == "thread":
            await asyncio.to_thread(over.wait, 5)
            assert len(late) == 1
            assert "Too late." not in str(again.log)
