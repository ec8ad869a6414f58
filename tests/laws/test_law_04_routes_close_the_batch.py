"""Law 4: a move takes effect after the last call, the first one wins; then the first direct reply ends the turn."""

import itertools
from typing import Any, Literal

import pytest

from cuelight import Agent, Limits, direct, go, stay, tool
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, errors, heard, rehearsing, results, said, told, types


class Shop(Agent):
    """You sell things."""

    limits = Limits(transitions=2)
    stage: Literal["look", "pay", "help"] = "look"
    note: str = ""
    seen: list[str] = []

    @tool
    def to_pay(self) -> Any:
        """Goes to pay."""
        self.seen.append(f"to_pay in {self.stage}")
        return go("pay")

    @tool
    def to_help(self) -> Any:
        """Goes to help."""
        self.seen.append(f"to_help in {self.stage}")
        return go("help").with_state(note="helped").with_message("They need help.")

    @tool
    def to_look(self) -> Any:
        """Goes to look."""
        return go("look")

    @tool
    async def work(self) -> str:
        """Works."""
        self.seen.append(f"work in {self.stage}")
        return "worked"

    @tool(stage="look")
    def only_looking(self) -> str:
        """Is there in look alone."""
        return "looked"

    @tool
    def linger(self) -> Any:
        """Lingers."""
        return stay("Ask for the size.")

    @tool
    def show(self, what: str) -> Any:
        """Shows."""
        return direct(f"Here is {what}.")

    @tool
    def assign(self, stage: str) -> str:
        """Writes the stage."""
        self.stage = stage  # type: ignore[assignment]
        return "assigned"


@pytest.mark.parametrize("order", list(itertools.permutations(["to_pay", "work", "linger"])))
async def test_a_move_among_siblings_takes_effect_after_the_last_call(order: tuple[str, ...]) -> None:
    async with rehearsing(Shop, Script([calls(name) for name in order], "Pay here.")) as call:
        await call.say("go")
        assert call.agent.stage == "pay"
        assert all(line.endswith("in look") for line in call.agent.seen)
        assert dict(zip(order, told(call.requests[1]), strict=True)) == {
            "to_pay": "input validated", "work": "worked", "linger": "Ask for the size.",
        }  # fmt: skip
        last_result = [i for i, t in enumerate(types(call.log)) if t == "tool.result"][-1]
        moved = next(
            i for i, e in enumerate(call.log)
            if e.type == "state.changed" and e.data["state"]["stage"] == "pay"
        )  # fmt: skip
        assert moved > last_result
        assert call.requests[1].stage == "pay"


async def test_a_sibling_of_the_old_stage_still_runs_after_a_route() -> None:
    async with rehearsing(Shop, Script([calls("to_pay"), calls("only_looking")], "Pay.")) as call:
        await call.say("go")
        assert [data.get("output") for data in results(call.log)] == ["input validated", "looked"]


@pytest.mark.parametrize("order", [("to_pay", "to_help"), ("to_help", "to_pay")])
async def test_of_two_moves_the_first_in_call_order_wins(order: tuple[str, str]) -> None:
    async with rehearsing(Shop, Script([calls(name) for name in order], "Ok.")) as call:
        await call.say("both")
        assert call.agent.stage == order[0].removeprefix("to_")
        first, second = told(call.requests[1])
        assert first == "input validated"
        assert "not applied" in second
        assert order[0].removeprefix("to_") in second, "the reason"
        assert [data["applied"] for data in datas(call.log, "cue.route")] == [True, False]
        assert datas(call.log, "cue.route")[1]["reason"] == second
        if order[0] == "to_pay":
            assert call.agent.note == "", "nothing of a route that lost is applied"
            assert "They need help." not in str(call.requests[1].messages)
        else:
            assert call.agent.note == "helped"


async def test_the_winner_does_not_depend_on_who_is_done_first() -> None:
    import asyncio

    gate = asyncio.Event()

    class Racing(Agent):
        stage: Literal["a", "b", "c"] = "a"

        @tool(effect="read")
        async def slow(self) -> Any:
            await gate.wait()
            return go("b")

        @tool(effect="read")
        async def fast(self) -> Any:
            gate.set()
            return go("c")

    async with rehearsing(Racing, Script([calls("slow"), calls("fast")], "Ok.")) as call:
        await asyncio.wait_for(call.say("race"), 5)
        assert call.agent.stage == "b"


@pytest.mark.parametrize("order", [("linger", "to_pay"), ("to_pay", "linger"), ("linger", "linger")])
async def test_stay_gives_its_feedback_and_never_competes(order: tuple[str, str]) -> None:
    async with rehearsing(Shop, Script([calls(name) for name in order], "Ok.")) as call:
        await call.say("go")
        assert call.agent.stage == ("pay" if "to_pay" in order else "look")
        answers = dict(zip(order, told(call.requests[1]), strict=True))
        assert answers["linger"] == "Ask for the size."
        assert all(data["applied"] for data in datas(call.log, "cue.route"))


@pytest.mark.parametrize("order", [("show", "to_pay"), ("to_pay", "show")])
async def test_a_direct_reply_ends_the_turn_after_the_move(order: tuple[str, str]) -> None:
    batch = [calls(name, **({"what": "a hat"} if name == "show" else {})) for name in order]
    async with rehearsing(Shop, Script(batch, "Next.")) as call:
        reply = await call.say("go")
        assert (reply.text, reply.content) == ("Here is a hat.", "Here is a hat.")
        assert call.agent.stage == "pay"
        assert len(call.requests) == 1
        moved = types(call.log).index("state.changed", types(call.log).index("tool.result"))
        assert moved < types(call.log).index("cue.said")
        await call.say("and now?")
        assert call.requests[1].tools == ["to_pay", "to_help", "to_look", "work", "linger", "show", "assign"]


async def test_of_two_direct_replies_the_first_is_shown() -> None:
    batch = [calls("show", what="one"), calls("work"), calls("show", what="two")]
    async with rehearsing(Shop, Script(batch, "Next.")) as call:
        reply = await call.say("go")
        assert reply.text == "Here is one."
        assert said(call.log) == [("direct", "Here is one.")]
        assert [data["applied"] for data in datas(call.log, "cue.route")] == [True, False]
        assert "not shown" in results(call.log)[2]["output"]
        await call.say("next")
        assert "not shown" in told(call.requests[1])[2]
        assert "two" not in str([m for m in call.requests[1].messages if m["role"] == "tool"])


async def test_a_move_whose_content_comes_too_late_still_moves() -> None:
    from cuelight import DirectMessage

    class Late(Shop):
        @tool
        def show_and_go(self) -> Any:
            return go("help").with_message(DirectMessage("Bye."))

    async with rehearsing(Late, Script([calls("show", what="one"), calls("show_and_go")])) as call:
        reply = await call.say("go")
        assert reply.text == "Here is one."
        assert call.agent.stage == "help"
        assert "not shown" in results(call.log)[1]["output"]
        route = datas(call.log, "cue.route")[1]
        assert route["applied"] is True
        assert "not shown" in route["reason"]


async def test_a_stage_written_by_assignment_is_in_force_at_once() -> None:
    batch = [calls("assign", stage="pay"), calls("only_looking"), calls("work")]
    async with rehearsing(Shop, Script(batch, "Ok.")) as call:
        await call.say("go")
        assert call.agent.seen == ["work in pay"]
        assert "output" not in results(call.log)[1]


async def test_a_move_and_an_assignment_in_one_batch() -> None:
    async with rehearsing(Shop, Script([calls("to_pay"), calls("assign", stage="help"), calls("work")], "Ok.")) as call:
        await call.say("go")
        assert call.agent.seen == ["to_pay in look", "work in help"]
        assert call.agent.stage == "pay", "the move comes last"


async def test_a_handler_that_assigns_a_stage_and_then_goes_elsewhere_goes_there() -> None:
    class Fickle(Agent):
        stage: Literal["a", "b"] = "a"

        @tool
        def waver(self) -> Any:
            self.stage = "b"
            return go("a")

    async with rehearsing(Fickle, Script(calls("waver"), "Ok.")) as call:
        await call.say("go")
        assert call.agent.stage == "a"


async def test_going_where_one_is_runs_on_without_a_move() -> None:
    async with rehearsing(Shop, Script([calls("to_look"), calls("to_pay")], "Ok.")) as call:
        await call.say("go")
        assert call.agent.stage == "pay", "a `go` to the stage one is in does not compete"


async def test_a_route_of_a_call_that_failed_counts_for_nothing() -> None:
    class Broken(Shop):
        @tool
        def nearly(self) -> Any:
            go("help")
            raise RuntimeError("no")

    async with rehearsing(Broken, Script([calls("nearly"), calls("to_pay")], "Ok.")) as call:
        await call.say("go")
        assert call.agent.stage == "pay"


async def test_a_route_that_is_only_white_space_beside_it_proceeds() -> None:
    async with rehearsing(Shop, Script(["  \n", calls("to_pay")], "Pay here.")) as call:
        reply = await call.say("go")
        assert reply.text == "Pay here."
        assert call.agent.stage == "pay"
        assert heard(call.log) == ["Pay here."]


async def test_moves_are_capped_in_a_turn_and_what_was_left_is_not_applied() -> None:
    script = Script(calls("to_pay"), calls("to_help"), [calls("to_look"), calls("work")], "Never asked.")
    async with rehearsing(Shop, script) as call:
        reply = await call.say("round and round")
        assert call.agent.stage == "help"
        assert reply.text == FALLBACK
        assert len(call.requests) == 3
        assert errors(call.log) == ["limit-transitions"]
        assert "not applied" in results(call.log)[2]["output"]
        assert "not run" in results(call.log)[3]["error"]
        assert call.agent.seen == ["to_pay in look", "to_help in pay"]
        assert datas(call.log, "cue.route")[2]["applied"] is False
        await call.say("again")
        assert call.agent.stage == "help"


@pytest.mark.parametrize("target", ["a", "b"])
async def test_a_route_of_a_tool_marked_read_may_bring_no_state_wherever_it_leads(target: str) -> None:
    class Reading(Agent):
        stage: Literal["a", "b"] = "a"
        count: int = 0

        @tool(effect="read")
        def look(self) -> Any:
            return go(target).with_state(count=1)

        @tool(effect="read")
        def see(self) -> Any:
            return go(target).with_state(count=0)

    async with rehearsing(Reading, Script(calls("look"), "Sorry.")) as call:
        await call.say("look")
        assert (call.agent.stage, call.agent.count) == ("a", 0)
        (error,) = datas(call.log, "error")
        assert error["code"] == "outside-handler"
        assert 'tool look is marked effect="read" but changes the state' in error["message"]
        assert "error" in results(call.log)[0]
        assert not datas(call.log, "cue.route")
    async with rehearsing(Reading, Script(calls("see"), "There.")) as call:
        await call.say("see")
        assert call.agent.stage == target, "what it brings is there already, and a move is the batch's"
