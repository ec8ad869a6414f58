"""Law 1: a tool runs only if it was visible when the model was asked and is visible when it runs."""

import json
from typing import Any, Literal

import pytest

from cuelight import Agent, stay, tool
from cuelight.testing import Script, calls, raw_call
from lawbook import datas, entries, errors, refusals, rehearsing, results, told, types


class Gym(Agent):
    """You sign people up."""

    stage: Literal["plan", "pay", "done"] = "plan"
    plan: str | None = None
    ran: list[str] = []

    @tool(stage="plan")
    def choose_plan(self, plan: str) -> str:
        """Chooses the plan."""
        self.ran.append("choose_plan")
        self.plan, self.stage = plan, "pay"
        return "chosen"

    @tool(stage="pay")
    async def take_payment(self, amount: int) -> str:
        """Takes the payment."""
        self.ran.append("take_payment")
        self.stage = "done"
        return "paid"

    @tool(stage=("plan", "pay"))
    def cancel(self) -> str:
        """Cancels."""
        self.ran.append("cancel")
        return "cancelled"


async def test_a_hidden_tool_does_not_run_and_the_turn_goes_on() -> None:
    script = Script(calls("take_payment", amount=30), "Which plan?")
    async with rehearsing(Gym, script) as call:
        before = call.state.app_state
        reply = await call.say("take my money")
        assert reply.text == "Which plan?"
        assert call.agent.ran == []
        assert call.state.app_state == before
        assert refusals(call.log) == [("take_payment", "hidden")]
        (result,) = results(call.log)
        assert "output" not in result
        assert "choose_plan" in result["error"]
        assert "cancel" in result["error"]
        assert "take_payment" not in result["error"]
        assert told(call.requests[1]) == [result["error"]]


async def test_a_refusal_is_stored_as_call_result_and_reason_together() -> None:
    async with rehearsing(Gym, Script(calls("take_payment", amount=30), "Which plan?")) as call:
        await call.say("take my money")
        at = types(call.log).index("tool.call")
        assert types(call.log)[at : at + 3] == ["tool.call", "tool.result", "cue.refused"]
        ids = {entry.data["call_id"] for entry in call.log[at : at + 3]}
        assert len(ids) == 1
        assert call.log[at].data["arguments"] == {"amount": 30}


async def test_the_gate_of_the_moment_decides_for_a_later_call_of_the_same_reply() -> None:
    script = Script([calls("choose_plan", plan="basic"), calls("choose_plan", plan="gold")], "Then let us pay.")
    async with rehearsing(Gym, script) as call:
        await call.say("basic, no, gold")
        assert call.agent.ran == ["choose_plan"]
        assert call.agent.plan == "basic"
        assert refusals(call.log) == [("choose_plan", "hidden")]
        refused = results(call.log)[1]["error"]
        assert "take_payment" in refused
        assert "choose_plan" not in refused


async def test_a_tool_that_was_not_offered_does_not_run_although_a_sibling_unlocked_it() -> None:
    script = Script([calls("choose_plan", plan="basic"), calls("take_payment", amount=30)], "Shall I charge 30?")
    async with rehearsing(Gym, script) as call:
        await call.say("basic, and pay at once")
        assert call.agent.ran == ["choose_plan"]
        assert call.agent.stage == "pay"
        assert refusals(call.log) == [("take_payment", "hidden")]
        refused = results(call.log)[1]["error"]
        assert "take_payment" in refused, "it can be called now, so it is named"
        assert call.requests[1].tools == ["take_payment", "cancel"]


async def test_an_unknown_tool_is_refused_like_a_hidden_one() -> None:
    script = Script(calls("delete_everything", sure=True), calls("choose_plan", plan="basic"), "Done.")
    async with rehearsing(Gym, script) as call:
        await call.say("delete everything")
        assert refusals(call.log) == [("delete_everything", "unknown")]
        refused = results(call.log)[0]["error"]
        assert "choose_plan" in refused
        assert "take_payment" not in refused
        assert call.agent.ran == ["choose_plan"]


@pytest.mark.parametrize("name", ["take_payment", "nothing_like_it"])
async def test_hidden_and_unknown_cannot_be_told_apart_by_the_model(name: str) -> None:
    async with rehearsing(Gym, Script(calls(name), "Sorry.")) as call:
        await call.say("hello")
        (refused,) = told(call.requests[1])
    async with rehearsing(Gym, Script(calls("another_name_altogether"), "Sorry.")) as call:
        await call.say("hello")
        assert told(call.requests[1]) == [refused]


@pytest.mark.parametrize("text", ['{"amount": "lots"}', '{"amoun', "", "[]", '{"amount": 1, "tip": 2}'])
async def test_a_hidden_tool_is_refused_before_its_arguments_are_looked_at(text: str) -> None:
    async with rehearsing(Gym, Script(raw_call("take_payment", text), "Which plan?")) as call:
        await call.say("pay")
        assert refusals(call.log) == [("take_payment", "hidden")]
        assert "amount" not in results(call.log)[0]["error"]


async def test_no_hidden_name_reaches_the_model_in_any_later_request() -> None:
    script = Script(
        [calls("take_payment", amount=1), calls("take_payment", amount=2)], "Which plan?", calls("cancel"), "Bye."
    )
    async with rehearsing(Gym, script) as call:
        await call.say("pay twice")
        await call.say("cancel, then")
        for request in call.requests:
            for message in request.messages:
                if message["role"] != "assistant":
                    assert "take_payment" not in json.dumps(message)


class Nothing(Agent):
    stage: Literal["shut", "open"] = "shut"

    @tool(stage="open")
    def serve(self) -> str: ...


async def test_a_refusal_where_nothing_is_visible_says_so() -> None:
    async with rehearsing(Nothing, Script(calls("serve"), "We are closed.")) as call:
        reply = await call.say("a beer")
        assert reply.text == "We are closed."
        assert call.requests[0].tools == []
        assert "serve" not in told(call.requests[1])[0]
        assert "no tool" in told(call.requests[1])[0].lower()


class Asked(Agent):
    slots: list[str] = []
    broken: bool = False
    other: int = 0

    @tool(when=lambda a: 1 // (0 if a.broken else 1))
    def book(self) -> str:
        """Books."""
        return "booked"

    @tool
    def set_broken(self, broken: bool) -> None:
        """Breaks or mends."""
        self.broken = broken

    @tool
    def count(self) -> None:
        """Counts."""
        self.other += 1


async def test_a_when_that_raises_hides_its_tool_and_is_told_once_until_it_recovers() -> None:
    script = Script(
        calls("set_broken", broken=True), calls("count"), calls("book"), "Not now.",
        calls("set_broken", broken=False), calls("book"), calls("set_broken", broken=True), "Broken again.",
    )  # fmt: skip
    async with rehearsing(Asked, script) as call:
        await call.say("break it")
        assert [request.tools for request in call.requests] == [
            ["book", "set_broken", "count"], ["set_broken", "count"], ["set_broken", "count"], ["set_broken", "count"],
        ]  # fmt: skip
        assert errors(call.log) == ["when-raised"]
        (told_error,) = datas(call.log, "error")
        assert "book" in told_error["message"]
        assert "ZeroDivisionError" in told_error["message"]
        assert told_error["recoverable"] is True
        assert refusals(call.log) == [("book", "hidden")]
        await call.say("mend it, book, break it")
        assert errors(call.log) == ["when-raised", "when-raised"]
        assert [r.get("output") for r in results(call.log)][-2] == "booked"


async def test_the_gate_is_closed_before_the_first_request_when_a_when_raises_from_the_start() -> None:
    async with rehearsing(Asked, Script("Hello."), state={"broken": True}) as call:
        assert call.state.tools_visible == ["set_broken", "count"]
        assert errors(call.log) == ["when-raised"]
        await call.say("hello")
        assert call.requests[0].tools == ["set_broken", "count"]
        assert errors(call.log) == ["when-raised"]


class Peeking(Agent):
    seen: int = 0

    @tool(when=lambda a: setattr(a, "seen", a.seen + 1) or True)
    def look(self) -> None: ...

    @tool
    def other(self) -> None: ...


async def test_a_when_that_writes_is_one_that_raises() -> None:
    async with rehearsing(Peeking, Script("Hello.")) as call:
        await call.say("hello")
        assert call.requests[0].tools == ["other"]
        assert call.agent.seen == 0
        assert errors(call.log) == ["when-raised"]


class Twins(Agent):
    stage: Literal["a", "b"] = "a"
    ran: list[str] = []

    @tool(stage="a", name="look_up")
    def look_up_a(self, name: str) -> str:
        """Looks up in a."""
        self.ran.append("a")
        self.stage = "b"
        return "a"

    @tool(stage="b", name="look_up")
    def look_up_b(self, name: str, more: int) -> str:
        """Looks up in b."""
        self.ran.append("b")
        return "b"


async def test_of_two_tools_of_one_name_the_handler_and_the_schema_belong_together() -> None:
    script = Script(
        [calls("look_up", name="x"), calls("look_up", name="x", more=1)], calls("look_up", name="y", more=2), "Done."
    )
    async with rehearsing(Twins, script) as call:
        await call.say("look")
        assert call.agent.ran == ["a", "b"]
        assert refusals(call.log) == [("look_up", "hidden")]
        assert [data["arguments"] for data in datas(call.log, "tool.call")][-1] == {"name": "y", "more": 2}


class Both(Agent):
    stage: Literal["a", "b"] = "a"
    slots: list[str] = []

    @tool(stage="b", when=lambda a: bool(a.slots))
    def book(self) -> str: ...

    @tool
    def fill(self, slot: str) -> None:
        self.slots.append(slot)

    @tool
    def move(self) -> None:
        self.stage = "b"

    @tool
    def linger(self) -> Any:
        return stay("Carry on.")


async def test_stage_and_when_must_both_hold() -> None:
    async with rehearsing(Both, Script(calls("fill", slot="9"), calls("move"), "Ready.")) as call:
        await call.say("go")
        assert [request.tools for request in call.requests] == [
            ["fill", "move", "linger"], ["fill", "move", "linger"], ["book", "fill", "move", "linger"],
        ]  # fmt: skip


async def test_the_tools_visible_are_written_once_for_each_change() -> None:
    async with rehearsing(Both, Script(calls("fill", slot="9"), calls("move"), calls("linger"), "Ready.")) as call:
        await call.say("go")
        assert [data["visible"] for data in datas(call.log, "tools.changed")] == [
            ["fill", "move", "linger"], ["book", "fill", "move", "linger"],
        ]  # fmt: skip
        changed = entries(call.log, "tools.changed")[1]
        assert types(call.log)[changed.seq - 2] == "state.changed"
        assert call.state.tools_visible == ["book", "fill", "move", "linger"]
