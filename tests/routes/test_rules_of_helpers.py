"""The routing rules, one test each: where the conversation goes, and what `go`, `stay` and `direct` do."""

from typing import Any

import pytest

from cuelight import DirectMessage, Flow, HttpContentType, OutsideHandler, Route, Step, direct, go, stay, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls
from lawbook import datas, entries, errors, heard, rehearsing, results, said, talk, told, types


class Ask(Step):
    """Takes a year, and leaves by every way there is."""

    year: int | None = None
    hooks: list[str] = []

    def get_prompt(self) -> str:
        return "Ask for the year."

    @tool
    def record(self, year: int) -> Any:
        """Records the year."""
        if not 1900 <= year <= 2026:
            return stay("No such year. Ask for the year again.")
        self.save_state(year=year)
        return go(Look)

    @tool
    def leave(self, to: str) -> Any:
        """Goes where the data says."""
        return go(to)

    @tool
    def carry_on(self) -> Any:
        """Stays without a word."""
        return stay()

    @tool
    def correct(self) -> Any:
        """Stays with words."""
        return stay("Ask for the month too.")

    @tool
    def here(self) -> Any:
        """Goes to where it is, which is what `stay` means."""
        return go(Ask).with_tool_feedback("Ask for the month too.")

    @tool
    def table(self) -> Any:
        """Shows the table."""
        return direct("1999 | 2000")

    @tool
    def table_here(self) -> Any:
        """Shows the table, in the long form of `direct`."""
        return go(Ask).with_message(DirectMessage("1999 | 2000"))

    @tool
    def document(self) -> Any:
        """Shows the document."""
        return direct({"years": [1999, 2000]}).with_content_type(HttpContentType.JSON)

    def on_enter(self) -> None:
        self.hooks.append("enter")

    def on_exit(self) -> None:
        self.hooks.append("exit")

    def on_crossing(self, message: str | None, prior: Step[Any]) -> str | None:
        self.hooks.append("crossing")
        return message


class Look(Step):
    """Looks things up."""

    def get_prompt(self) -> str:
        return "Look it up."

    @tool
    def back(self) -> Any:
        """Goes back."""
        return go(Ask)


class Years(Flow):
    """You look up years."""

    steps = (Ask, Look)


ENTERED = ["enter"]  # the opening is an entry


# --- what decides -----------------------------------------------------------------------------------------------------


async def test_what_a_handler_returns_says_where_the_conversation_goes_and_nothing_else_does() -> None:
    """Words of the model that speak of another step move nothing, and neither does a tool's ordinary result."""

    class Talker(Step):
        @tool
        def mention(self) -> str:
            return "Listener"

    class Listener(Step):
        pass

    class Talk(Flow):
        steps = (Talker, Listener)

    script = Script("We go on to Listener now. go(Listener)", calls("mention"), "Listener it is.")
    async with rehearsing(Talk, script) as call:
        await call.say("on")
        await call.say("on!")
        assert call.agent.stage == "Talker"
        assert "cue.route" not in types(call.log)


async def test_the_check_and_the_route_stand_in_one_handler() -> None:
    """A refusal changes nothing and stays; the same handler, given what is right, saves it and goes on."""
    script = Script(calls("record", year=3000), "Which year, please?", calls("record", year=1999), "Looking.")
    async with rehearsing(Years, script) as call:
        await call.say("three thousand")
        assert (call.agent.stage, call.agent.step(Ask).year) == ("Ask", None)
        assert told(call.requests[1]) == ["No such year. Ask for the year again."]
        await call.say("1999 then")
        assert (call.agent.stage, call.agent.step(Ask).year) == ("Look", 1999)


async def test_what_a_step_saves_before_it_goes_is_kept_under_the_step_that_was_left() -> None:
    async with rehearsing(Years, Script(calls("record", year=1999), "Looking.")) as call:
        await call.say("1999")
        assert call.state.app_state["Ask"]["year"] == 1999
        assert call.state.app_state["Look"] == {}


# --- go ---------------------------------------------------------------------------------------------------------------


async def test_go_makes_another_registered_step_the_current_one_and_moves_the_one_cursor() -> None:
    """Prompt, tools, `stage` and the log's state all speak of the new step in the very next request."""
    async with rehearsing(Years, Script(calls("record", year=1999), "Looking.")) as call:
        await call.say("1999")
        assert type(call.agent.current) is Look
        assert call.agent.stage == call.state.app_state["stage"] == call.requests[1].stage == "Look"
        assert call.requests[1].tools == ["back"]
        assert call.requests[1].view == "Look it up."


async def test_the_cursor_is_durable() -> None:
    """A call that is taken up from its log goes on in the step it had come to."""
    store = MemoryStore()
    async with rehearsing(Years, Script(calls("record", year=1999), "Looking."), store=store) as call:
        await call.say("1999")
    async with rehearsing(Years, Script("Still looking."), store=store, resume=call.id) as again:
        assert again.agent.stage == "Look"
        assert again.agent.step(Ask).year == 1999
        await again.say("and?")
        assert (again.requests[0].stage, again.requests[0].tools) == ("Look", ["back"])


async def test_go_takes_a_step_class() -> None:
    async with rehearsing(Years, Script(calls("back"), "Year?"), state={"stage": Look}) as call:
        await call.say("back")
        assert call.agent.stage == "Ask"


async def test_go_takes_the_name_of_a_registered_step_where_the_target_is_data() -> None:
    async with rehearsing(Years, Script(calls("leave", to="Look"), "Looking.")) as call:
        await call.say("look")
        assert call.agent.stage == "Look"
        assert datas(call.log, "cue.route")[0]["to"] == "Look"


async def test_a_target_that_is_not_registered_fails_when_the_move_is_asked_for_with_these_very_words() -> None:
    """It is that call's error and one `error` entry; the cursor stays, and the turn goes on."""
    words = "Step 'Address' is not defined in flow 'Years'."
    async with rehearsing(Years, Script(calls("leave", to="Address"), "Sorry.")) as call:
        reply = await call.say("there")
        assert (reply.text, call.agent.stage) == ("Sorry.", "Ask")
        assert results(call.log)[0]["error"] == words
        assert told(call.requests[1]) == [words]
        assert datas(call.log, "error") == [{"code": "step-not-defined", "message": words, "recoverable": True}]
        assert "cue.route" not in types(call.log)


async def test_go_alone_gives_the_model_the_standard_result() -> None:
    async with rehearsing(Years, Script(calls("record", year=1999), "Looking.")) as call:
        await call.say("1999")
        assert told(call.requests[1]) == ["input validated"]


def test_go_needs_no_running_handler_since_it_names_its_target() -> None:
    assert go(Look) == Route("go", Look)


@pytest.mark.parametrize("helper", [stay, lambda: direct("x")], ids=["stay", "direct"])
async def test_stay_and_direct_need_a_running_handler_to_know_the_current_step(helper: Any) -> None:
    with pytest.raises(OutsideHandler):
        helper()
    async with rehearsing(Years, Script("Hello.")) as call:
        await call.say("hello")
        with pytest.raises(OutsideHandler):  # between turns there is a current step, and still no handler
            helper()


# --- stay -------------------------------------------------------------------------------------------------------------


async def test_stay_keeps_the_step_and_hands_the_model_its_correction_as_the_result() -> None:
    async with rehearsing(Years, Script(calls("correct"), "Month?")) as call:
        await call.say("1999")
        assert call.agent.stage == "Ask"
        assert results(call.log)[0]["output"] == "Ask for the month too."
        assert told(call.requests[1]) == ["Ask for the month too."]


async def test_stay_is_go_to_the_current_step_with_that_feedback() -> None:
    """The two leave the same log, but for the name of the route and of the tool."""
    logs = []
    for name in ("correct", "here"):
        async with rehearsing(Years, Script(calls(name), "Month?")) as call:
            await call.say("1999")
            logs.append([(e.type, e.data) for e in call.log if e.type not in ("tool.call", "cue.reply", "metrics.llm")])
            assert call.agent.step(Ask).hooks == ENTERED
    (stayed,), (gone,) = ([data for type_, data in log if type_ == "cue.route"] for log in logs)
    assert gone.pop("to") == "Ask"
    assert {**gone, "kind": "stay"} == stayed
    for log in logs:
        log[:] = [(t, {k: v for k, v in d.items() if k != "name"}) for t, d in log if t != "cue.route"]
    assert logs[0] == logs[1]


@pytest.mark.parametrize("name", ["correct", "carry_on", "here", "table", "table_here"])
async def test_staying_runs_no_hook(name: str) -> None:
    """Neither `on_exit` nor `on_enter` nor `on_crossing`, in whichever way a handler stays; and nothing crosses."""
    async with rehearsing(Years, Script(calls(name), "Month?")) as call:
        await call.say("1999")
        assert call.agent.step(Ask).hooks == ENTERED
        assert len(entries(call.log, "state.changed")) == 1
        assert "cue.crossing" not in types(call.log)


async def test_after_stay_the_model_sees_the_result_and_goes_on_with_the_same_turn() -> None:
    async with rehearsing(Years, Script(calls("correct"), "Which month?")) as call:
        reply = await call.say("1999")
        assert reply.text == "Which month?"
        assert len(call.requests) == 2
        assert len(datas(call.log, "turn.agent")) == 1
        assert call.requests[1].messages[-1]["role"] == "tool"


async def test_stay_without_words_gives_the_standard_result() -> None:
    async with rehearsing(Years, Script(calls("carry_on"), "Go on.")) as call:
        await call.say("1999")
        assert told(call.requests[1]) == ["input validated"]


# --- direct -----------------------------------------------------------------------------------------------------------


async def test_direct_gives_its_content_to_the_caller_at_once_without_asking_the_model_again() -> None:
    async with rehearsing(Years, Script(calls("table"), "Never asked.")) as call:
        reply = await call.say("which years?")
        assert (reply.text, reply.content) == ("1999 | 2000", "1999 | 2000")
        assert len(call.requests) == 1
        assert said(call.log) == [("direct", "1999 | 2000")]


async def test_direct_keeps_the_step() -> None:
    async with rehearsing(Years, Script(calls("table"), "Yes?")) as call:
        await call.say("which years?")
        assert call.agent.stage == "Ask"
        await call.say("and?")
        assert call.requests[1].stage == "Ask"


async def test_direct_is_go_to_the_current_step_with_a_direct_message() -> None:
    outcomes = []
    for name in ("table", "table_here"):
        async with rehearsing(Years, Script(calls(name))) as call:
            reply = await call.say("which years?")
            (route,) = datas(call.log, "cue.route")
            outcomes.append((reply, call.state.app_state, route["message"], results(call.log)[0]["output"]))
    assert outcomes[0] == outcomes[1]


async def test_what_was_given_directly_is_in_the_history_and_is_the_turns_result() -> None:
    async with rehearsing(Years, Script(calls("table"), "Yes?")) as call:
        await call.say("which years?")
        assert heard(call.log) == ["1999 | 2000"]
        assert datas(call.log, "cue.delivered")[0]["content"] == "1999 | 2000"
        await call.say("thanks")
        assert ("assistant", "1999 | 2000") in talk(call.requests[1])


@pytest.mark.parametrize("content", ["words", {"rows": [1, None, {"a": "b"}]}, [1, 2], 5, True])
async def test_direct_takes_words_or_any_value_with_a_json_form(content: Any) -> None:
    class Give(Step):
        @tool
        def give(self) -> Any:
            return direct(content)

    class Giving(Flow):
        steps = (Give,)

    async with rehearsing(Giving, Script(calls("give"))) as call:
        assert (await call.say("give")).content == content
        assert errors(call.log) == []


async def test_a_content_type_given_with_an_object_travels_with_the_reply() -> None:
    async with rehearsing(Years, Script(calls("document"))) as call:
        reply = await call.say("which years?")
        assert (reply.content, reply.content_type) == ({"years": [1999, 2000]}, HttpContentType.JSON)
        assert datas(call.log, "cue.delivered")[0]["content_type"] == "application/json"
