"""Law 4 with steps: the first move of a batch wins and runs its hooks once; a loser leaves no trace but its answer."""

import asyncio
import itertools
from typing import Any

import pytest

from cuelight import Flow, Step, ToolFailed, direct, go, stay, tool
from cuelight.testing import Script, calls, raw_call
from lawbook import datas, entries, errors, heard, refusals, rehearsing, results, said, told, types


class Watched(Step):
    """Writes down which of its hooks ran."""

    hooks: list[str] = []
    brought: str = ""

    def on_enter(self) -> None:
        self.hooks.append("enter")

    async def on_exit(self) -> None:
        self.hooks.append("exit")

    def on_crossing(self, message: str | None, prior: Step[Any]) -> str | None:
        self.hooks.append(f"crossing from {type(prior).__name__}")
        return message


class Look(Watched):
    @tool
    def to_pay(self) -> Any:
        """Goes to pay."""
        return go(Pay)

    @tool
    def to_help(self) -> Any:
        """Goes to help, by name, with all that a route can bring."""
        return go("Help").with_state(brought="help").with_prompt("Help them.").with_message("They need help.")

    @tool
    def to_pay_bare(self) -> Any:
        """Goes to pay, with the class alone."""
        return Pay

    @tool
    def here(self) -> Any:
        """Goes where it is."""
        return go(Look).with_tool_feedback("You are here.")

    @tool
    def linger(self) -> Any:
        """Stays."""
        return stay("Ask for the size.").with_state(brought="lingered")

    @tool
    def show(self, what: str) -> Any:
        """Shows."""
        return direct(what)

    @tool
    def work(self) -> str:
        """Works."""
        return f"worked in {self.flow.stage}"

    @tool
    def fail(self) -> Any:
        """Fails, with words for the model."""
        raise ToolFailed("The till is shut.")

    @tool
    def burst(self) -> Any:
        """Breaks."""
        self.brought = "lost"
        raise RuntimeError("no")

    @tool
    def to_nowhere(self) -> Any:
        """Goes nowhere."""
        return go("Nowhere")


class Pay(Watched):
    @tool
    def charge(self) -> str:
        """Charges."""
        return "charged"


class Help(Watched):
    def get_prompt(self) -> str:
        return super().get_prompt() or "Help."


class Shop(Flow):
    """You sell things."""

    steps = (Look, Pay, Help)

    @tool
    def person(self) -> Any:
        """Asks for a person, from anywhere."""
        return go(Help)

    @tool
    def note(self) -> str:
        """Notes."""
        return "noted"


MOVES = {"to_pay": "Pay", "to_help": "Help", "to_pay_bare": "Pay", "person": "Help"}


def states(log: Any) -> list[str]:
    """Give the stage after each change of state."""
    return [data["state"]["stage"] for data in datas(log, "state.changed")]


def routes(log: Any) -> list[tuple[str, str, bool]]:
    return [(data["kind"], data.get("to", ""), data["applied"]) for data in datas(log, "cue.route")]


@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(MOVES, 2)))
async def test_of_two_moves_the_first_wins_and_its_hooks_alone_run(first: str, second: str) -> None:
    async with rehearsing(Shop, Script([calls(first), calls(second)], "So.")) as call:
        await call.say("both")
        won, lost = MOVES[first], MOVES[second]
        assert call.agent.stage == won
        assert call.agent.step(Look).hooks == ["enter", "exit"]
        assert call.agent.step(won).saved["hooks"] == ["enter", "crossing from Look"]
        if lost != won:
            assert call.agent.step(lost).saved["hooks"] == []
            assert call.agent.step(lost).saved["brought"] == ""
            assert call.agent.step(lost)._prompt is None
        assert [applied for _, _, applied in routes(call.log)] == [True, False]
        accepted, refused = told(call.requests[1])
        assert accepted == "input validated"
        assert "not applied" in refused
        assert won in refused, "the reason names the move that is made"
        assert len(entries(call.log, "cue.crossing")) == 1
        assert ("They need help." in str(call.requests[1].messages)) == (first == "to_help")


@pytest.mark.parametrize("order", list(itertools.permutations(["to_help", "linger", "work", "note", "here"], 3)))
async def test_siblings_run_in_the_old_step_wherever_the_move_stands_among_them(order: tuple[str, ...]) -> None:
    async with rehearsing(Shop, Script([calls(name) for name in order], "So.")) as call:
        await call.say("go")
        answers = dict(zip(order, told(call.requests[1]), strict=True))
        expected = {
            "to_help": "input validated", "linger": "Ask for the size.", "work": "worked in Look", "note": "noted",
            "here": "You are here.",
        }  # fmt: skip
        assert answers == {name: expected[name] for name in order}
        assert call.agent.stage == ("Help" if "to_help" in order else "Look")
        assert all(data["applied"] for data in datas(call.log, "cue.route"))
        assert call.agent.step(Look).brought == ("lingered" if "linger" in order else "")
        last_result = entries(call.log, "tool.result")[-1].seq
        assert all(entry.seq > last_result for entry in entries(call.log, "cue.crossing"))


@pytest.mark.parametrize("order", [("linger", "to_pay"), ("to_pay", "linger")])
async def test_staying_beside_a_move_never_competes_and_keeps_its_state_in_the_old_step(order: tuple[str, str]) -> None:
    async with rehearsing(Shop, Script([calls(name) for name in order], "So.")) as call:
        await call.say("go")
        assert call.agent.stage == "Pay"
        assert call.agent.step(Look).brought == "lingered"
        assert call.agent.step(Pay).brought == ""


@pytest.mark.parametrize("order", [("show", "to_help"), ("to_help", "show")])
async def test_content_beside_a_move_is_shown_after_the_move_from_the_new_step(order: tuple[str, str]) -> None:
    batch = [calls(name, **({"what": "a hat"} if name == "show" else {})) for name in order]
    async with rehearsing(Shop, Script(batch, "Help is here.")) as call:
        reply = await call.say("go")
        assert (reply.content, call.agent.stage, len(call.requests)) == ("a hat", "Help", 1)
        assert call.agent.step(Help).hooks == ["enter", "crossing from Look"]
        (crossing,), (line,) = entries(call.log, "cue.crossing"), entries(call.log, "cue.said")
        assert crossing.seq < line.seq
        await call.say("and?")
        assert call.requests[1].view == "Help them."


@pytest.mark.parametrize("between", [[], ["work"], ["to_pay"], ["burst"]])
async def test_of_two_contents_the_first_in_call_order_is_shown(between: list[str]) -> None:
    batch = [calls("show", what="one"), *map(calls, between), calls("show", what="two")]
    async with rehearsing(Shop, Script(batch, "And?")) as call:
        reply = await call.say("go")
        assert reply.content == "one"
        assert said(call.log) == [("direct", "one")]
        assert "not shown" in results(call.log)[-1]["output"]
        assert call.agent.stage == ("Pay" if "to_pay" in between else "Look")
        await call.say("and?")
        assert "two" not in str([m["content"] for m in call.requests[1].messages])


@pytest.mark.parametrize("slower", ["move", "sibling"])
@pytest.mark.parametrize("order", [("leave", "read"), ("read", "leave")])
async def test_a_move_is_made_after_all_of_its_batch_whichever_ends_first(order: tuple[str, str], slower: str) -> None:
    first_is_over = asyncio.Event()

    class Start(Step):
        @tool(effect="read")
        async def leave(self) -> Any:
            """Leaves."""
            await (first_is_over.wait() if slower == "move" else asyncio.sleep(0))
            self._end()
            return go(End)

        @tool(effect="read")
        async def read(self) -> str:
            """Reads."""
            await (first_is_over.wait() if slower == "sibling" else asyncio.sleep(0))
            self._end()
            return f"read in {self.flow.stage}"

        def _end(self) -> None:
            first_is_over.set()

    class End(Step):
        pass

    class Race(Flow):
        steps = (Start, End)

    async with rehearsing(Race, Script([calls(name) for name in order], "So.")) as call:
        await asyncio.wait_for(call.say("go"), 5)
        answers = dict(zip(order, told(call.requests[1]), strict=True))
        assert answers == {"leave": "input validated", "read": "read in Start"}
        assert call.agent.stage == "End"
        assert states(call.log) == ["Start", "End"]


@pytest.mark.parametrize("slower", [0, 1])
async def test_the_first_of_two_moves_is_the_first_in_call_order_whichever_ends_first(slower: int) -> None:
    other_is_over = asyncio.Event()

    class Start(Step):
        @tool(effect="read")
        async def leave(self, number: int) -> Any:
            """Leaves."""
            if number == slower:
                await other_is_over.wait()
            other_is_over.set()
            return go((Zero, One)[number])

    class Zero(Step):
        pass

    class One(Step):
        pass

    class Race(Flow):
        steps = (Start, Zero, One)

    async with rehearsing(Race, Script([calls("leave", number=0), calls("leave", number=1)], "So.")) as call:
        await asyncio.wait_for(call.say("go"), 5)
        assert call.agent.stage == "Zero"
        assert [applied for _, _, applied in routes(call.log)] == [True, False]


@pytest.mark.parametrize("broken", ["fail", "burst", "to_nowhere"])
@pytest.mark.parametrize("first", [True, False])
async def test_a_sibling_that_fails_neither_stops_the_move_nor_is_undone_by_it(broken: str, first: bool) -> None:
    order = (broken, "to_pay") if first else ("to_pay", broken)
    async with rehearsing(Shop, Script([calls(name) for name in order], "So.")) as call:
        await call.say("go")
        assert call.agent.stage == "Pay"
        assert call.agent.step(Look).brought == ""
        by_name = {data["name"]: data for data in results(call.log)}
        assert by_name["to_pay"]["output"] == "input validated"
        assert "error" in by_name[broken]
        assert errors(call.log) == {"fail": [], "burst": ["handler-raised"], "to_nowhere": ["step-not-defined"]}[broken]
        assert call.agent.step(Pay).hooks == ["enter", "crossing from Look"]


async def test_a_move_that_failed_does_not_count_as_the_first() -> None:
    async with rehearsing(Shop, Script([calls("to_nowhere"), calls("to_pay"), calls("to_help")], "So.")) as call:
        await call.say("go")
        assert call.agent.stage == "Pay"
        assert [applied for _, _, applied in routes(call.log)] == [True, False]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("refused", "reason"),
    [(calls("charge"), "hidden"), (calls("ghost"), "unknown"), (raw_call("work", "{"), "bad arguments")],
)
async def test_a_refused_call_beside_a_move_is_refused_and_the_move_is_made(
    refused: Any, reason: str, first: bool
) -> None:
    """Also a call to a tool of the very step that the batch moves to: it was not there when the model was asked."""
    batch = [refused, calls("to_pay")] if first else [calls("to_pay"), refused]
    async with rehearsing(Shop, Script(batch, "So.")) as call:
        await call.say("go")
        assert call.agent.stage == "Pay"
        assert [why for _, why in refusals(call.log)] == [reason]
        assert len(told(call.requests[1])) == 2
        assert "charge" not in str([m["content"] for m in call.requests[1].messages if m["role"] == "tool"])


async def test_words_spoken_beside_a_move_are_heard_before_those_of_the_new_step_in_one_reply() -> None:
    async with rehearsing(Shop, Script(["One moment. ", calls("to_help")], "Help is here.")) as call:
        reply = await call.say("go")
        assert reply.text == "One moment.\nHelp is here."
        assert heard(call.log) == [reply.text]
        beside = call.requests[1].messages[1]
        assert (beside["content"], [c["name"] for c in beside["tool_calls"]]) == ("One moment.", ["to_help"])
        assert call.requests[1].messages[-1]["content"] == "They need help."


async def test_the_cursor_moves_once_a_batch_and_the_state_shows_no_station_between() -> None:
    async with rehearsing(
        Shop, Script([calls("linger"), calls("to_help"), calls("to_pay"), calls("note")], "So.")
    ) as call:
        await call.say("go")
        assert states(call.log) == ["Look", "Look", "Help"]
        assert types(call.log).count("tools.changed") == 2
