"""Law 3: a reply's calls are one batch, run in the order written, each with exactly one result."""

import asyncio
import threading
from typing import Any

import pytest

from cuelight import Agent, Limits, ToolFailed, tool
from cuelight.testing import Script, calls, raw_call
from lawbook import datas, entries, errors, refusals, rehearsing, results, told, types


class Kitchen(Agent):
    """You cook."""

    done: list[str] = []

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._meeting = asyncio.Barrier(2)
        self._thread_meeting = threading.Barrier(2, timeout=5)

    @tool
    async def cook(self, dish: str) -> str:
        """Cooks."""
        self._seen.append(f"{dish} begins")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        self._seen.append(f"{dish} ends")
        self.done.append(dish)
        return dish

    @tool
    def chop(self, what: str) -> str:
        """Chops."""
        self._seen.append(what)
        self.done.append(what)
        return what

    @tool
    def burn(self) -> str:
        """Burns."""
        self.done.append("burnt")
        raise RuntimeError("the kitchen is on fire: code 4711")

    @tool
    async def refuse(self) -> str:
        """Refuses."""
        self.done.append("refused")
        raise ToolFailed("The oven is cold. Ask the caller to wait.")

    @tool(effect="read")
    async def meet(self, who: str) -> str:
        """Waits for another one."""
        await self._meeting.wait()
        return who

    @tool(effect="read")
    def meet_in_thread(self, who: str) -> str:
        """Waits for another one, blocking."""
        self._thread_meeting.wait()
        return who

    @tool(effect="read")
    async def look(self, at: str) -> str:
        """Looks."""
        self._seen.append(f"look {at}")
        return f"{at}: {len(self.done)}"


async def test_writing_calls_run_one_after_another_in_the_order_written() -> None:
    script = Script([calls("cook", dish="soup"), calls("chop", what="leek"), calls("cook", dish="pie")], "Served.")
    async with rehearsing(Kitchen, script) as call:
        await call.say("soup, leek, pie")
        assert call.agent._seen == ["soup begins", "soup ends", "leek", "pie begins", "pie ends"]
        assert call.agent.done == ["soup", "leek", "pie"]
        assert [data["output"] for data in results(call.log)] == ["soup", "leek", "pie"]


async def test_each_write_sees_what_the_one_before_it_changed() -> None:
    batch = [calls("chop", what="a"), calls("look", at="1"), calls("chop", what="b"), calls("look", at="2")]
    script = Script(batch, "Ok.")
    async with rehearsing(Kitchen, script) as call:
        await call.say("go")
        assert [data["output"] for data in results(call.log)] == ["a", "1: 1", "b", "2: 2"]


@pytest.mark.parametrize("name", ["meet", "meet_in_thread"])
async def test_adjacent_reads_run_together(name: str) -> None:
    async with rehearsing(Kitchen, Script([calls(name, who="a"), calls(name, who="b")], "Met.")) as call:
        reply = await asyncio.wait_for(call.say("meet"), 8)
        assert reply.text == "Met."
        assert [data["output"] for data in results(call.log)] == ["a", "b"]
        # Both are stored before either runs.
        order = [t for t in types(call.log) if t.startswith("tool.")]
        assert order == ["tool.call", "tool.call", "tool.result", "tool.result"]


async def test_results_of_reads_stand_in_the_order_written_whatever_ends_first() -> None:
    gate = asyncio.Event()

    class Racing(Agent):
        @tool(effect="read")
        async def slow(self) -> str:
            await gate.wait()
            return "slow"

        @tool(effect="read")
        async def fast(self) -> str:
            gate.set()
            return "fast"

    async with rehearsing(Racing, Script([calls("slow"), calls("fast")], "Both.")) as call:
        await asyncio.wait_for(call.say("race"), 5)
        assert [data["name"] for data in results(call.log)] == ["slow", "fast"]
        assert told(call.requests[1]) == ["slow", "fast"]


async def test_a_write_between_reads_keeps_them_apart() -> None:
    batch = [calls("look", at="1"), calls("chop", what="a"), calls("look", at="2"), calls("look", at="3")]
    script = Script(batch, "Ok.")
    async with rehearsing(Kitchen, script) as call:
        await call.say("go")
        assert [data["output"] for data in results(call.log)] == ["1: 0", "a", "2: 1", "3: 1"]


async def test_an_unmarked_tool_is_a_write() -> None:
    running = 0
    together = False

    class Plain(Agent):
        @tool
        async def work(self, n: int) -> int:
            nonlocal running, together
            running += 1
            together = together or running > 1
            for _ in range(5):
                await asyncio.sleep(0)
            running -= 1
            return n

    async with rehearsing(Plain, Script([calls("work", n=1), calls("work", n=2)], "Done.")) as call:
        await call.say("work")
        assert not together


async def test_a_failing_sibling_neither_cancels_nor_undoes_another() -> None:
    script = Script([calls("chop", what="a"), calls("burn"), calls("refuse"), calls("chop", what="b")], "Half done.")
    async with rehearsing(Kitchen, script) as call:
        reply = await call.say("go")
        assert reply.text == "Half done."
        assert call.agent.done == ["a", "b"], "what the failing ones changed is gone, and nothing else"
        first, burnt, refused, last = told(call.requests[1])
        assert (first, last) == ("a", "b")
        assert refused == "The oven is cold. Ask the caller to wait."
        assert burnt
        assert "4711" not in burnt
        assert "4711" in datas(call.log, "error")[0]["message"]
        assert errors(call.log) == ["handler-raised"]


async def test_a_failing_read_leaves_those_beside_it_alone() -> None:
    class Reads(Agent):
        @tool(effect="read")
        async def good(self, n: int) -> int:
            await asyncio.sleep(0)
            return n

        @tool(effect="read")
        async def bad(self) -> int:
            raise ValueError("no")

    async with rehearsing(Reads, Script([calls("good", n=1), calls("bad"), calls("good", n=2)], "Two.")) as call:
        await call.say("read")
        assert [data.get("output") for data in results(call.log)] == [1, None, 2]


async def test_calls_that_cannot_run_have_their_results_in_their_places() -> None:
    batch = [raw_call("chop", '{"what": '), calls("chop", what="a"), calls("no_such"), raw_call("chop", '{"what": 5}')]
    script = Script(batch, "Hm.")
    async with rehearsing(Kitchen, script) as call:
        await call.say("go")
        assert call.agent.done == ["a"]
        assert len(results(call.log)) == 4
        assert results(call.log)[1]["output"] == "a"
        assert [reason for _, reason in refusals(call.log)] == ["bad arguments", "unknown", "bad arguments"]
        assert len(told(call.requests[1])) == 4
        assert [m["tool_call_id"] for m in call.requests[1].messages if m["role"] == "tool"] == [
            data["call_id"] for data in datas(call.log, "tool.call")
        ]


async def test_one_request_follows_the_whole_batch() -> None:
    async with rehearsing(Kitchen, Script([calls("chop", what=w) for w in "abc"], "All.")) as call:
        await call.say("three")
        assert len(call.requests) == 2
        assert len(told(call.requests[1])) == 3


async def test_calls_with_the_same_id_are_told_apart() -> None:
    from cuelight.ports import ToolCallRequest

    twice = [ToolCallRequest("chop", '{"what": "a"}', "x"), ToolCallRequest("chop", '{"what": "b"}', "x")]
    async with rehearsing(Kitchen, Script(twice, ToolCallRequest("chop", '{"what": "c"}', "x"), "Done.")) as call:
        await call.say("go")
        assert call.agent.done == ["a", "b", "c"]
        ids = [data["call_id"] for data in datas(call.log, "tool.call")]
        assert len(set(ids)) == 3
        assert ids[0] == "x"


async def test_no_arguments_at_all_are_an_empty_object_only_where_nothing_is_required() -> None:
    class Bare(Agent):
        ran: int = 0

        @tool
        def ring(self, times: int = 1) -> int:
            self.ran += times
            return times

        @tool
        def call_out(self, name: str) -> str:
            return name

    script = Script([raw_call("ring", ""), raw_call("ring", "  "), raw_call("call_out", "")], "Ok.")
    async with rehearsing(Bare, script) as call:
        await call.say("ring")
        assert call.agent.ran == 2
        assert [data.get("output") for data in results(call.log)] == [1, 1, None]
        assert "name" in results(call.log)[2]["error"]


@pytest.mark.parametrize("text", ["{", "not json", '{"what": "a"} trailing', "[1]", '"a"', "null", "{'what': 'a'}"])
async def test_broken_json_never_runs_the_tool(text: str) -> None:
    async with rehearsing(Kitchen, Script(raw_call("chop", text), "Sorry.")) as call:
        reply = await call.say("chop")
        assert reply.text == "Sorry."
        assert call.agent.done == []
        (result,) = results(call.log)
        assert "JSON" in result["error"]
        assert datas(call.log, "cue.refused")[0]["reason"] == "bad arguments"


async def test_broken_json_is_answered_with_the_schema() -> None:
    async with rehearsing(Kitchen, Script(raw_call("chop", "{"), "Sorry.")) as call:
        await call.say("chop")
        assert '"what"' in results(call.log)[0]["error"]
        assert '"type":"string"' in results(call.log)[0]["error"].replace(" ", "")


class Odd(Agent):
    @tool
    def nothing(self): ...  # type: ignore[no-untyped-def]

    @tool
    def none(self) -> None: ...

    @tool
    def maybe(self) -> str | None:
        return None

    @tool
    def strange(self) -> Any:
        return object()

    @tool
    def nan(self) -> float:
        return float("nan")


async def test_what_a_tool_returns_is_its_result() -> None:
    script = Script([calls(n) for n in ("nothing", "none", "maybe", "strange", "nan")], "Ok.")
    async with rehearsing(Odd, script) as call:
        await call.say("go")
        nothing, none, maybe, strange, nan = results(call.log)
        assert nothing["output"] == "input validated"
        assert none["output"] == "input validated"
        assert maybe["output"] is None
        assert told(call.requests[1])[2] == "null"
        assert strange["output"]
        assert nan["output"] is None or isinstance(nan["output"], str)
        assert "error" not in strange, "it was done, so nothing may say that it failed"


async def test_a_tool_that_only_reads_may_not_change_the_state() -> None:
    class Sly(Agent):
        notes: list[str] = []

        @tool(effect="read")
        def read(self) -> str:
            self.notes.append("written")
            return "read"

    async with rehearsing(Sly, Script(calls("read"), "Hm.")) as call:
        await call.say("read")
        assert call.agent.notes == []
        assert "error" in results(call.log)[0]
        assert errors(call.log) == ["outside-handler"]
        assert "notes" in datas(call.log, "error")[0]["message"] or "state" in datas(call.log, "error")[0]["message"]


async def test_one_handler_makes_one_change_of_state() -> None:
    class Busy(Agent):
        a: int = 0
        b: int = 0
        c: list[int] = []

        @tool
        def work(self) -> None:
            self.a += 1
            self.b += 1
            self.c.append(1)
            self.a += 1

        @tool
        def idle(self) -> None:
            self.a = self.a
            self.c.append(2)
            self.c.pop()

    async with rehearsing(Busy, Script([calls("work"), calls("idle")], "Done.")) as call:
        await call.say("work")
        changes = entries(call.log, "state.changed")[1:]
        assert [change.data["changed"] for change in changes] == [["a", "b", "c"]]
        call_id = datas(call.log, "tool.call")[0]["call_id"]
        assert changes[0].data["cause"] == {"kind": "tool", "tool": "work", "call_id": call_id}
        assert call.agent.c == [1]


async def test_a_def_tool_sees_the_context_variables_of_whoever_spoke() -> None:
    from contextvars import ContextVar

    who: ContextVar[str] = ContextVar("who", default="nobody")

    class Context(Agent):
        @tool
        def in_thread(self) -> str:
            return f"{who.get()} {threading.current_thread() is not threading.main_thread()}"

        @tool
        async def on_loop(self) -> str:
            return who.get()

    async def speak(call: Any, name: str) -> None:
        who.set(name)
        await call.say(name)

    both = [calls("in_thread"), calls("on_loop")]
    async with rehearsing(Context, Script(both, "1", both, "2", both, "3")) as call:
        await asyncio.gather(*(asyncio.create_task(speak(call, name)) for name in ("ada", "bo", "cy")))
        assert [data["output"] for data in results(call.log)] == ["ada True", "ada", "bo True", "bo", "cy True", "cy"]


async def test_a_blocking_tool_does_not_delay_another_call() -> None:
    let_go = threading.Event()

    class Blocking(Agent):
        limits = Limits(tool_s=5)

        @tool
        def block(self) -> str:
            assert let_go.wait(5)
            return "over"

    async with (
        rehearsing(Blocking, Script(calls("block"), "Over.")) as slow,
        rehearsing(Blocking, Script(*"abcdefgh")) as other,
    ):
        waiting = asyncio.create_task(slow.say("block"))
        for letter in "abcdefgh":
            assert (await other.say("next")).text == letter
        assert not waiting.done()
        let_go.set()
        assert (await waiting).text == "Over."
