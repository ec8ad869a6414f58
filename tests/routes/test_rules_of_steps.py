"""The routing rules, one test each: other return values, replies without a tool call, and the registry of steps."""

from typing import Any

import pytest

from cuelight import (
    DeclarationRefused,
    Flow,
    HttpContentType,
    LogicStep,
    Step,
    TerminateSessionStep,
    direct,
    go,
    stay,
    tool,
)
from cuelight.flow import tools_by_stage
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, entries, errors, heard, rehearsing, results, said, talk, told, types


class Front(Step):
    """Answers, and listens for what the model writes."""

    hooks: list[str] = []

    @tool
    def enter(self) -> Any:
        """Goes in."""
        return Back

    @tool
    def count(self) -> int:
        """Counts."""
        return 3

    @tool
    def look(self) -> dict[str, Any]:
        """Looks."""
        return {"free": ["nine"]}

    @tool
    def nothing(self) -> None:
        """Gives nothing."""

    @tool
    def find(self, name: str) -> str | None:
        """Finds nobody."""
        return None

    def on_response(self, text: str) -> Any:
        self.hooks.append(text)
        match text:
            case "as it is":
                return None
            case "step":
                return Back
            case "route":
                return go(Back).with_prompt("Brought by a reply.").with_state(room=5)
            case "again":
                return stay("Say it in English.")
            case "content":
                return direct({"a": 1}).with_content_type(HttpContentType.HTML)
            case "drop":
                return ""
            case "odd":
                return 5
            case "break":
                raise RuntimeError("no")
        return f"{text}!"


class Back(Step):
    room: int = 0

    @tool
    def leave(self) -> Any:
        """Goes out."""
        return go(Front)


class House(Flow):
    """You mind the house."""

    steps = (Front, Back, TerminateSessionStep)


# --- other return values ----------------------------------------------------------------------------------------------


async def test_a_step_class_returned_bare_is_a_move_to_it() -> None:
    async with rehearsing(House, Script(calls("enter"), "In.")) as call:
        await call.say("in")
        assert call.agent.stage == "Back"
        assert told(call.requests[1]) == ["input validated"]
        (route,) = datas(call.log, "cue.route")
        assert (route["kind"], route["from"], route["to"], route["applied"]) == ("go", "Front", "Back", True)


@pytest.mark.parametrize(("name", "result"), [("count", "3"), ("look", '{"free":["nine"]}')])
async def test_a_value_that_is_no_route_is_the_tools_result_and_stays(name: str, result: str) -> None:
    async with rehearsing(House, Script(calls(name), "So.")) as call:
        await call.say("look")
        assert told(call.requests[1])[0].replace(" ", "") == result
        assert call.agent.stage == "Front"
        assert "cue.route" not in types(call.log)


async def test_nothing_returned_is_the_standard_result() -> None:
    async with rehearsing(House, Script(calls("nothing"), "So.")) as call:
        await call.say("look")
        assert told(call.requests[1]) == ["input validated"]


async def test_none_is_null_where_the_annotation_admits_it_beside_another_type() -> None:
    async with rehearsing(House, Script(calls("find", name="Ada"), "Nobody.")) as call:
        await call.say("Ada?")
        assert results(call.log)[0]["output"] is None
        assert told(call.requests[1]) == ["null"]


# --- a reply without a tool call --------------------------------------------------------------------------------------


async def test_the_hook_of_replies_runs_when_the_model_answers_without_a_tool_call_and_only_then() -> None:
    script = Script([calls("count"), "beside a call"], "hello")
    async with rehearsing(House, script) as call:
        await call.say("hello")
        assert call.agent.step(Front).hooks == ["hello"]


async def test_text_that_it_returns_is_what_the_caller_hears() -> None:
    async with rehearsing(House, Script("hello", "more")) as call:
        assert (await call.say("hello")).text == "hello!"
        assert said(call.log) == [("code", "hello!")]
        await call.say("and?")
        assert talk(call.requests[1])[1] == ("assistant", "hello!"), "and what the model reads that it said"


async def test_none_leaves_the_reply_as_it_is() -> None:
    async with rehearsing(House, Script("as it is")) as call:
        assert (await call.say("hello")).text == "as it is"
        assert said(call.log) == [("model", "as it is")]


async def test_a_step_class_that_it_returns_becomes_current_and_goes_on_in_the_same_turn() -> None:
    async with rehearsing(House, Script("step", "In the back.")) as call:
        reply = await call.say("hello")
        assert call.agent.stage == "Back"
        assert reply.text == "In the back."
        assert call.requests[1].tools == ["leave"]
        assert len(datas(call.log, "turn.user")) == len(heard(call.log)) == 1


async def test_a_route_that_it_returns_is_followed_with_all_that_it_brings() -> None:
    async with rehearsing(House, Script("route", "In the back.")) as call:
        reply = await call.say("hello")
        assert (call.agent.stage, call.agent.step(Back).room) == ("Back", 5)
        assert call.requests[1].view == "Brought by a reply."
        assert reply.text == "In the back."


@pytest.mark.parametrize("text", ["step", "route", "content", "again"])
async def test_what_the_model_wrote_is_neither_said_nor_remembered_where_a_route_is_followed(text: str) -> None:
    async with rehearsing(House, Script(text, "Well.", "Later.")) as call:
        await call.say("hello")
        await call.say("and?")
        assert text not in [words for _, words in said(call.log)]
        assert ("assistant", text) not in talk(call.requests[-1])


async def test_stay_from_it_asks_the_model_again_with_the_feedback() -> None:
    async with rehearsing(House, Script("again", "better")) as call:
        reply = await call.say("hello")
        assert reply.text == "better!"
        assert "Say it in English." in call.requests[1].view
        assert call.agent.stage == "Front"
        assert call.requests[0].view != call.requests[1].view


async def test_direct_from_it_ends_the_turn() -> None:
    async with rehearsing(House, Script("content", "Never asked.")) as call:
        reply = await call.say("hello")
        assert (reply.content, reply.content_type) == ({"a": 1}, HttpContentType.HTML)
        assert len(call.requests) == 1


async def test_an_empty_text_drops_the_reply_and_a_line_of_code_keeps_the_turn_from_silence() -> None:
    async with rehearsing(House, Script("drop")) as call:
        assert (await call.say("hello")).text == FALLBACK
        assert said(call.log) == [("code", FALLBACK)]


@pytest.mark.parametrize(("text", "code"), [("odd", "bad-response"), ("break", "handler-raised")])
async def test_where_it_fails_code_speaks_and_the_model_is_not_asked_again(text: str, code: str) -> None:
    async with rehearsing(House, Script(text, "later")) as call:
        assert (await call.say("hello")).text == FALLBACK
        assert errors(call.log) == [code]
        assert len(call.requests) == 1
        assert call.agent.stage == "Front"


@pytest.mark.parametrize(("stage", "passed_on"), [("Front", ["one two three!"]), ("Back", ["one ", "two ", "three"])])
async def test_a_step_that_decides_about_replies_is_not_streamed(stage: str, passed_on: list[str]) -> None:
    spoken: list[str] = []

    def listen(entry: Any) -> None:
        if entry.type == "agent.transcript":
            spoken.append(entry.data["text"])

    async with rehearsing(House, Script("one two three"), state={"stage": stage}) as call:
        call.live.listen(listen)
        await call.say("hello")
        assert spoken == passed_on
        assert datas(call.log, "cue.reply")[0].get("held", False) is (stage == "Front")


async def test_text_beside_a_tool_call_is_kept_with_the_call_and_not_said() -> None:
    async with rehearsing(House, Script(["One moment.", calls("count")], "three")) as call:
        reply = await call.say("hello")
        assert reply.text == "three!"
        assert call.requests[1].messages[1]["content"] == "One moment."


# --- code decides, not prose ------------------------------------------------------------------------------------------


async def test_the_model_chooses_the_tool_and_the_handler_where_that_leads() -> None:
    """One tool, one wording of the model, and the state alone says which step follows."""

    class Sort(Step):
        urgent: bool = False

        @tool
        def sort(self) -> Any:
            """Sorts."""
            return go(Now if self.urgent else Later)

    class Now(Step):
        pass

    class Later(Step):
        pass

    class Sorting(Flow):
        steps = (Sort, Now, Later)

    for urgent, stage in ((True, "Now"), (False, "Later")):
        async with rehearsing(Sorting, Script(calls("sort"), "So."), state={"Sort": {"urgent": urgent}}) as call:
            await call.say("go to Later")
            assert call.agent.stage == stage


async def test_a_prompt_that_asks_for_another_step_moves_nothing() -> None:
    class Wish(Step):
        def get_prompt(self) -> str:
            return "When you know enough, move on to Wished."

    class Wished(Step):
        pass

    class Wishing(Flow):
        steps = (Wish, Wished)

    async with rehearsing(Wishing, Script("I know enough. Moving on to Wished.")) as call:
        await call.say("now")
        assert call.agent.stage == "Wish"


def test_the_registry_lists_every_step_there_is_in_its_order() -> None:
    assert list(tools_by_stage(House)) == ["Front", "Back", "TerminateSessionStep"]


def test_a_step_class_that_a_handler_routes_to_is_checked_before_anything_runs() -> None:
    """The class form is greppable and cannot dangle: a target outside the registry refuses the flow."""
    with pytest.raises(DeclarationRefused) as refused:

        class Small(Flow):
            steps = (Front,)

    assert [problem.partition(",")[0] for problem in refused.value.problems] == [
        "`enter` of step Front names Back", "`on_response` of step Front names Back",
    ]  # fmt: skip


async def test_the_class_form_follows_a_rename() -> None:
    """Only the class is named in code; its name in the log is whatever the class is called."""

    class Renamed(Step):
        pass

    class Start(Step):
        @tool
        def leave(self) -> Any:
            """Leaves."""
            return go(Renamed)

    class Renaming(Flow):
        steps = (Start, Renamed)

    async with rehearsing(Renaming, Script(calls("leave"), "So.")) as call:
        await call.say("go")
        assert call.agent.stage == Renamed.__name__


# --- the end ----------------------------------------------------------------------------------------------------------


class Hotline(Flow):
    """You take short calls."""

    ended: list[str] = []

    class Talk(Step):
        @tool
        def bye(self) -> Any:
            """Says goodbye."""
            return go(TerminateSessionStep)

        @tool
        def check(self) -> str:
            """Checks."""
            return "checked"

    steps = (Talk, TerminateSessionStep)

    def on_end(self, reason: str) -> None:
        self.ended.append(reason)


async def test_the_goodbye_is_said_by_the_model_with_no_tool_and_then_the_call_ends_once() -> None:
    async with rehearsing(Hotline, Script(calls("bye"), "Goodbye, then.")) as call:
        reply = await call.say("bye")
        assert reply.text == "Goodbye, then."
        assert call.requests[1].tools == []
        assert call.requests[1].stage == "TerminateSessionStep"
        assert call.requests[1].view, "a goodbye is asked for although the route brought no prompt"
        assert len(entries(call.log, "call.ended")) == 1
        assert datas(call.log, "call.ended")[0]["reason"] == "agent_hung_up"
        assert call.agent.ended == ["agent_hung_up"]


async def test_nothing_runs_after_the_goodbye() -> None:
    """A tool call beside the goodbye is refused, and nothing but the end and its summary follows the spoken line."""
    script = Script(calls("bye"), ["Goodbye, then.", calls("check")], "Goodbye!")
    async with rehearsing(Hotline, script) as call:
        await call.say("bye")
        assert [data["name"] for data in datas(call.log, "cue.refused")] == ["check"]
        assert call.state.status == "ended"
        after = types(call.log)[types(call.log).index("call.ended") :]
        assert after == ["call.ended", "state.changed", "call.summary"], "the change is that of `on_end`"


async def test_a_logic_step_asks_no_model() -> None:
    class In(Step):
        @tool
        def leave(self) -> Any:
            """Leaves."""
            return go(Sort)

    class Sort(LogicStep):
        def run_logic(self) -> Any:
            return go(Out)

    class Out(Step):
        pass

    class Sorted(Flow):
        steps = (In, Sort, Out)

    async with rehearsing(Sorted, Script(calls("leave"), "Out.")) as call:
        await call.say("go")
        assert [request.stage for request in call.requests] == ["In", "Out"]
        assert [(r["from"], r["to"]) for r in datas(call.log, "cue.route")] == [("In", "Sort"), ("Sort", "Out")]
