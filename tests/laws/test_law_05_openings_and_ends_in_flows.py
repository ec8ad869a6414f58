"""Law 5 where a call opens and where it ends: routes of `on_call`, given steps, and a goodbye that code gives."""

from typing import Any

import pytest

from cuelight import DirectMessage, Flow, LogicStep, Step, TerminateSessionStep, direct, go, stay, tool
from cuelight.testing import Script, calls
from lawbook import datas, entries, errors, heard, rehearsing, types


class Talk(Step):
    brought: int = 0

    @tool
    def show(self) -> Any:
        """Shows."""
        return direct("Shown.")

    @tool
    def bye(self) -> Any:
        """Ends the call."""
        return go(TerminateSessionStep)

    @tool
    def bye_with_words(self) -> Any:
        """Ends the call with words of code."""
        return go(TerminateSessionStep).with_message(DirectMessage("Ciao."))

    @tool
    def sort(self) -> Any:
        """Ends the call by code, with words of code."""
        return go(Sort).with_message(DirectMessage("Ciao."))


class Sort(LogicStep):
    def run_logic(self) -> Any:
        return TerminateSessionStep


class Line(Flow):
    """You talk."""

    steps = (Talk, Sort, TerminateSessionStep)


class Opening(Line):
    def __init__(self, route: Any) -> None:
        self._route = route

    def on_call(self) -> Any:
        return self._route()

    def on_event(self, name: str, data: dict[str, Any]) -> Any:
        return self._route()


# --- openings ---------------------------------------------------------------------------------------------------------


async def test_on_call_may_stay_and_bring_state_and_a_prompt() -> None:
    route = lambda: stay("x").with_state(brought=4).with_prompt("Attached.")  # noqa: E731
    async with rehearsing(lambda: Opening(route), Script("Hello.")) as call:
        assert len(entries(call.log, "state.changed")) == 1
        assert call.state.app_state["Talk"] == {"brought": 4, "_prompt": "Attached."}
        await call.say("hi")
        assert call.requests[0].view == "Attached."


async def test_on_call_may_give_the_first_words() -> None:
    async with rehearsing(lambda: Opening(lambda: direct("Welcome.")), Script("Hello.")) as call:
        assert heard(call.log) == ["Welcome."]
        assert datas(call.log, "cue.delivered")[0]["content"] == "Welcome."
        assert (await call.say("hi")).text == "Hello."


async def test_on_call_that_leads_nowhere_opens_in_the_first_step() -> None:
    async with rehearsing(lambda: Opening(lambda: go("Nowhere")), Script("Hello.")) as call:
        assert call.agent.stage == "Talk"
        assert datas(call.log, "error")[0]["message"] == "Step 'Nowhere' is not defined in flow 'Opening'."


@pytest.mark.parametrize("stage", ["TerminateSessionStep", "Sort"])
@pytest.mark.parametrize("how", ["initial_step", "given", "on_call"])
async def test_a_call_that_opens_where_it_ends_says_goodbye_and_ends(stage: str, how: str) -> None:
    made: Any = Line
    if how == "initial_step":
        made = type("Closed", (Line,), {"initial_step": stage})
    elif how == "on_call":
        made = lambda: Opening(lambda: go(stage))  # noqa: E731
    state = {"stage": stage} if how == "given" else None
    async with rehearsing(made, Script("We are closed. Goodbye."), state=state) as call:
        assert heard(call.log) == ["We are closed. Goodbye."]
        assert (call.agent.stage, call.state.status) == ("TerminateSessionStep", "ended")
        assert errors(call.log) == []
        assert types(call.log)[-2:] == ["call.ended", "call.summary"]


# --- ends -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("batch", "words"),
    [(["show", "bye"], "Shown."), (["bye", "show"], "Shown."), (["bye_with_words"], "Ciao."), (["sort"], "Ciao.")],
)
async def test_words_of_code_are_the_goodbye_where_a_turn_has_them(batch: list[str], words: str) -> None:
    async with rehearsing(Line, Script([calls(name) for name in batch])) as call:
        assert (await call.say("bye")).text == words
        assert (call.agent.stage, call.state.status, len(call.requests)) == ("TerminateSessionStep", "ended", 1)
        assert heard(call.log) == [words]
        assert len(entries(call.log, "call.ended")) == 1


@pytest.mark.parametrize(
    ("route", "words"),
    [
        (lambda: TerminateSessionStep, "Goodbye."),
        (lambda: go(Sort), "Goodbye."),
        (lambda: go(TerminateSessionStep).with_message(DirectMessage("Ciao.")), "Ciao."),
    ],
)
async def test_an_event_may_end_a_call_with_a_goodbye(route: Any, words: str) -> None:
    class Eventful(Opening):
        def on_call(self) -> None:
            pass

    async with rehearsing(lambda: Eventful(route), Script("Goodbye.")) as call:
        assert (await call.event("closing")).text == words
        assert call.state.status == "ended"
        assert heard(call.log) == [words]


# --- more words -------------------------------------------------------------------------------------------------------


class Judge(Step):
    def on_response(self, text: str) -> Any:
        if text == "last":
            return None
        self.call.reply("Say more.")
        return direct("Shown.") if text == "content" else "Said."


class Judging(Flow):
    steps = (Judge,)


@pytest.mark.parametrize(("text", "words"), [("text", "Said."), ("content", "Shown.")])
async def test_a_step_that_decides_about_a_reply_may_ask_for_another_beside_it(text: str, words: str) -> None:
    async with rehearsing(Judging, Script(text, "last")) as call:
        assert (await call.say("hello")).text == f"{words}\nlast"
        assert "Say more." in call.requests[1].view
