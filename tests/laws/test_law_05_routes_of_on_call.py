"""Law 5: what `on_call` returns is a route like any other, of which the opening State already holds what it brings."""

from typing import Any

from cuelight import Agent, Flow, Step, direct, go, stay
from cuelight.testing import Script
from lawbook import datas, errors, heard, rehearsing


class Greeting(Agent):
    """You greet."""

    def on_call(self) -> Any:
        return direct("Good day!")


class First(Step):
    note: str = ""


class Second(Step):
    entered: str = ""
    note: str = ""

    async def on_enter(self) -> None:
        self.entered = self.flow.stage


async def test_an_agent_without_stages_may_greet_by_a_route() -> None:
    async with rehearsing(Greeting, Script("Yes?")) as call:
        assert (heard(call.log), errors(call.log)) == (["Good day!"], [])
        assert datas(call.log, "cue.route")[0]["kind"] == "direct"
        await call.say("Hello")


async def test_a_route_of_on_call_says_where_it_came_from_whatever_is_entered_by_it() -> None:
    class Opening(Flow):
        """You open."""

        steps = (First, Second)

        def on_call(self) -> Any:
            return go(Second).with_state(note="brought").with_message("Hear this.")

    async with rehearsing(Opening, Script("I hear.")) as call:
        second = call.agent.step(Second)
        assert (call.agent.stage, second.entered, second.note) == ("Second", "Second", "brought")
        (route,) = datas(call.log, "cue.route")
        assert (route["from"], route["to"]) == ("First", "Second")
        assert datas(call.log, "cue.crossing") == [{"from": "First", "to": "Second", "message": "Hear this."}]
        assert len(datas(call.log, "state.changed")) == 1


async def test_a_route_of_on_call_that_stays_brings_its_state_to_the_first_step() -> None:
    class Staying(Flow):
        """You stay."""

        steps = (First, Second)

        def on_call(self) -> Any:
            return stay().with_state(note="kept").with_prompt("Ask.")

    async with rehearsing(Staying, Script("Well?")) as call:
        assert (call.agent.stage, call.agent.step(First).note) == ("First", "kept")
        await call.say("Hello")
        assert call.requests[0].view == "Ask."


async def test_a_given_stage_wins_over_the_route_which_is_told_as_it_was_returned() -> None:
    class Led(Flow):
        """You lead."""

        steps = (First, Second)

        def on_call(self) -> Any:
            return go(Second).with_state(note="brought")

    async with rehearsing(Led, Script("Well?"), state={"stage": "First"}) as call:
        assert (call.agent.stage, call.agent.step(Second).note) == ("First", "brought")
        assert datas(call.log, "cue.route")[0]["to"] == "Second"
