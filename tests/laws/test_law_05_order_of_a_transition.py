"""Law 5: the order of a transition, and what a route brings to where it leads."""

from typing import Any, Literal

import pytest

from cuelight import Agent, DirectMessage, HttpContentType, NotAStage, direct, go, stay, tool
from cuelight.testing import Script, calls
from lawbook import datas, entries, errors, heard, rehearsing, results, said, told, types


class Trip(Agent):
    """You plan trips."""

    stage: Literal["where", "when", "done"] = "where"
    place: str | None = None
    people: int = 1
    tags: list[str] = []

    @tool
    def record(self, place: str) -> Any:
        """Records the place."""
        self.tags.append("recorded")
        return (
            go("when")
            .with_tool_feedback("Recorded. Ask for the day.")
            .with_state(place=place, people=2)
            .with_message(f"They go to {place}.")
            .with_content_type(HttpContentType.MARKDOWN)
        )

    @tool
    def lost(self) -> Any:
        """Goes nowhere."""
        self.tags.append("lost")
        return go("nowhere")

    @tool
    def finish(self) -> Any:
        """Finishes with words of its own."""
        return go("done").with_message(DirectMessage("All booked."))

    @tool
    def table(self) -> Any:
        """Shows a table."""
        return direct({"rows": [1, 2]})

    @tool
    def words(self) -> Any:
        """Shows words."""
        return direct("hi")

    @tool
    def page(self) -> Any:
        """Shows a page."""
        return direct("<b>hi</b>").with_content_type(HttpContentType.HTML)

    @tool
    def chart(self) -> Any:
        """Finishes with a chart."""
        return go("done").with_message(DirectMessage({"bars": [1]})).with_content_type(HttpContentType.JSON)

    @tool
    def keep(self) -> Any:
        """Stays with state."""
        self.tags.append("kept")
        return stay("Kept.").with_state({"people": 5}).with_message("They are five.")

    def render(self) -> str:
        return f"{self.stage}: {self.place} for {self.people}"


async def test_what_a_move_brings_is_there_when_the_model_is_asked() -> None:
    async with rehearsing(Trip, Script(calls("record", place="Oslo"), "Which day?")) as call:
        reply = await call.say("Oslo")
        after = call.requests[1]
        assert "when: Oslo for 2" in after.view
        assert told(after) == ["Recorded. Ask for the day."]
        assert after.messages[-1] == {"role": "user", "content": "They go to Oslo."}
        assert after.messages[-2]["role"] == "tool"
        assert reply.content_type == HttpContentType.MARKDOWN
        assert reply.content is None


async def test_the_log_shows_the_transition_in_its_order() -> None:
    async with rehearsing(Trip, Script(calls("record", place="Oslo"), "Which day?")) as call:
        await call.say("Oslo")
        begun = types(call.log).index("tool.call")
        assert types(call.log)[begun : begun + 7] == [
            "tool.call", "tool.result", "state.changed", "cue.route", "state.changed", "cue.crossing", "prompt.changed",
        ]  # fmt: skip
        by_tool, by_move = entries(call.log, "state.changed")[1:]
        assert by_tool.data["changed"] == ["tags"]
        assert sorted(by_move.data["changed"]) == ["people", "place", "stage"]
        assert datas(call.log, "cue.crossing") == [{"from": "where", "to": "when", "message": "They go to Oslo."}]
        (route,) = datas(call.log, "cue.route")
        assert route == {
            "call_id": datas(call.log, "tool.call")[0]["call_id"], "kind": "go", "from": "where", "to": "when",
            "applied": True, "feedback": "Recorded. Ask for the day.", "state": {"place": "Oslo", "people": 2},
            "content_type": "text/markdown", "message": "They go to Oslo.",
        }  # fmt: skip


async def test_an_unregistered_target_is_that_calls_error_and_the_turn_goes_on() -> None:
    words = str(NotAStage("Trip", "nowhere", ("where", "when", "done")))
    async with rehearsing(Trip, Script([calls("lost"), calls("record", place="Oslo")], "Which day?")) as call:
        reply = await call.say("go")
        assert reply.text == "Which day?"
        assert datas(call.log, "error") == [{"code": "not-a-stage", "message": words, "recoverable": True}]
        assert results(call.log)[0]["error"] == words
        assert "output" not in results(call.log)[0]
        assert call.agent.tags == ["recorded"], "a call that failed changed nothing"
        assert call.agent.stage == "when", "the next route stands"
        assert entries(call.log, "error")[0].seq < entries(call.log, "tool.call")[1].seq, "checked where it returned"


async def test_the_cursor_stays_where_it_is_after_a_target_that_is_none() -> None:
    async with rehearsing(Trip, Script(calls("lost"), "Sorry.")) as call:
        await call.say("go")
        assert call.agent.stage == "where"
        assert call.requests[1].stage == "where"
        assert datas(call.log, "cue.route") == []


@pytest.mark.parametrize("target", [None, 5, ["where"], NotAStage])
async def test_a_target_that_could_be_none_at_all(target: Any) -> None:
    class Odd(Trip):
        @tool
        def odd(self) -> Any:
            return go(target)

    async with rehearsing(Odd, Script(calls("odd"), "Sorry.")) as call:
        assert (await call.say("go")).text == "Sorry."
        assert errors(call.log) == ["not-a-stage"]


async def test_a_go_on_an_agent_without_stages_says_what_to_add() -> None:
    class Flat(Agent):
        @tool
        def leave(self) -> Any:
            return go("somewhere")

    async with rehearsing(Flat, Script(calls("leave"), "Sorry.")) as call:
        await call.say("go")
        (error,) = datas(call.log, "error")
        assert "'somewhere'" in error["message"]
        assert "Flat" in error["message"]
        assert "Literal" in error["message"]


@pytest.mark.parametrize(
    ("state", "code"),
    [({"nothing": 1}, "undeclared-field"), ({"people": "many"}, "wrong-type"), ({"stage": "moon"}, "not-a-stage")],
)
@pytest.mark.parametrize("kind", ["go", "stay", "direct"])
async def test_state_that_does_not_fit_is_that_calls_error(kind: str, state: dict[str, Any], code: str) -> None:
    class Wrong(Trip):
        @tool
        def wrong(self) -> Any:
            self.tags.append("wrong")
            route = {"go": go("when"), "stay": stay(), "direct": direct("So.")}[kind]
            return route.with_state({"place": "Rome", **state})

    async with rehearsing(Wrong, Script(calls("wrong"), "Sorry.")) as call:
        reply = await call.say("go")
        assert reply.text == "Sorry."
        assert errors(call.log) == [code]
        assert "error" in results(call.log)[0]
        assert (call.agent.stage, call.agent.place, call.agent.people, call.agent.tags) == ("where", None, 1, [])


async def test_a_direct_message_with_a_move_ends_the_turn() -> None:
    async with rehearsing(Trip, Script(calls("finish"), "And?")) as call:
        reply = await call.say("book")
        assert (reply.text, reply.content, reply.content_type) == ("All booked.", "All booked.", HttpContentType.TEXT)
        assert call.agent.stage == "done"
        assert len(call.requests) == 1
        await call.say("thanks")
        assert call.requests[1].messages[-2] == {"role": "assistant", "content": "All booked."}


async def test_direct_gives_a_value_as_it_is() -> None:
    async with rehearsing(Trip, Script(calls("table"), "And?")) as call:
        reply = await call.say("table")
        assert reply.content == {"rows": [1, 2]}
        assert reply.content_type == HttpContentType.JSON
        assert reply.text == '{"rows":[1,2]}'
        assert said(call.log) == [("direct", '{"rows":[1,2]}')]
        (delivered,) = datas(call.log, "cue.delivered")
        assert delivered["content"] == {"rows": [1, 2]}
        assert delivered["content_type"] == "application/json"


async def test_the_content_type_of_what_is_not_shown_is_nobodys() -> None:
    async with rehearsing(Trip, Script([calls("page"), calls("chart")])) as call:
        reply = await call.say("both")
        assert (reply.content, reply.content_type) == ("<b>hi</b>", HttpContentType.HTML)
    async with rehearsing(Trip, Script([calls("words"), calls("chart")])) as call:
        reply = await call.say("both")
        assert (reply.content, reply.content_type) == ("hi", HttpContentType.TEXT)


async def test_the_content_type_is_this_turns() -> None:
    async with rehearsing(Trip, Script(calls("page"), "And?")) as call:
        assert (await call.say("page")).content_type == HttpContentType.HTML
        assert (await call.say("and?")).content_type == HttpContentType.TEXT


async def test_a_direct_reply_keeps_its_own_content_type_beside_a_siblings() -> None:
    class Two(Trip):
        @tool
        def markdown(self) -> Any:
            return stay().with_content_type(HttpContentType.MARKDOWN)

    async with rehearsing(Two, Script([calls("page"), calls("markdown")])) as call:
        assert (await call.say("page")).content_type == HttpContentType.HTML


async def test_stay_brings_state_and_a_message_in_one_change() -> None:
    async with rehearsing(Trip, Script(calls("keep"), "Five.")) as call:
        await call.say("five")
        (change,) = entries(call.log, "state.changed")[1:]
        assert sorted(change.data["changed"]) == ["people", "tags"]
        assert told(call.requests[1]) == ["Kept."]
        assert call.requests[1].messages[-1] == {"role": "user", "content": "They are five."}
        assert "where: None for 5" in call.requests[1].view


async def test_the_view_stays_with_the_callers_words_when_a_message_crosses() -> None:
    async with rehearsing(Trip, Script(calls("keep"), "Five.")) as call:
        await call.say("five")
        first, *_, last = call.requests[1].messages
        assert call.requests[1].view in first["content"]
        assert last["content"] == "They are five."


async def test_with_prompt_is_refused_where_there_is_no_step() -> None:
    class Prompting(Trip):
        @tool
        def prompt(self) -> Any:
            return go("when").with_prompt("Be kind.")

    async with rehearsing(Prompting, Script(calls("prompt"), "Sorry.")) as call:
        await call.say("go")
        assert call.agent.stage == "where"
        assert errors(call.log) == ["outside-handler"]
        assert "with_prompt" in datas(call.log, "error")[0]["message"]


@pytest.mark.parametrize("content", [None, "", "  \n", object(), float("nan")])
async def test_a_direct_reply_of_nothing_is_an_error_not_silence(content: Any) -> None:
    class Empty(Trip):
        @tool
        def empty(self) -> Any:
            return direct(content)

    async with rehearsing(Empty, Script(calls("empty"), "Sorry.")) as call:
        assert (await call.say("go")).text == "Sorry."
        assert "error" in results(call.log)[0]
        assert heard(call.log) == ["Sorry."]


async def test_content_is_what_it_was_when_it_was_given() -> None:
    shared: dict[str, int] = {"a": 1}

    class Sharing(Agent):
        @tool
        def give(self) -> Any:
            return direct(shared)

        @tool
        def spoil(self) -> None:
            shared["a"] = 2

    async with rehearsing(Sharing, Script([calls("give"), calls("spoil")])) as call:
        assert (await call.say("go")).content == {"a": 1}


# --- from hooks -------------------------------------------------------------------------------------------------------


class Hooked(Trip):
    def on_event(self, name: str, data: dict[str, Any]) -> Any:
        self.tags.append(name)
        if name == "moved":
            return go("when").with_state(place=data["place"]).with_message("The system moved them.")
        if name == "shown":
            return direct({"from": "outside"})
        if name == "lost":
            return go("nowhere")
        return None


async def test_an_event_handler_routes_too() -> None:
    async with rehearsing(Hooked, Script("Which day?")) as call:
        reply = await call.event("moved", {"place": "Rome"})
        assert reply.text == ""
        assert (call.agent.stage, call.agent.place) == ("when", "Rome")
        changes = datas(call.log, "state.changed")[1:]  # the handler's own, and the move's
        seq = entries(call.log, "event.received")[0].seq
        assert [change["cause"] for change in changes] == [{"kind": "event", "name": "moved", "seq": seq}] * 2
        (route,) = datas(call.log, "cue.route")
        assert "call_id" not in route
        assert (route["from"], route["to"]) == ("where", "when")
        assert datas(call.log, "cue.crossing") == [{"from": "where", "to": "when", "message": "The system moved them."}]
        await call.say("so?")
        assert {"role": "user", "content": "The system moved them."} in call.requests[0].messages


async def test_an_event_handler_gives_content() -> None:
    async with rehearsing(Hooked, Script()) as call:
        reply = await call.event("shown")
        assert reply.content == {"from": "outside"}
        assert reply.content_type == HttpContentType.JSON
        assert heard(call.log) == ['{"from":"outside"}']


async def test_an_event_handler_with_an_unregistered_target_changes_nothing() -> None:
    async with rehearsing(Hooked, Script()) as call:
        await call.event("lost")
        assert errors(call.log) == ["not-a-stage"]
        assert datas(call.log, "error")[0]["message"] == str(NotAStage("Hooked", "nowhere", ("where", "when", "done")))
        assert call.agent.tags == []


async def test_on_call_may_move_before_the_state_is_written() -> None:
    class Opening(Trip):
        def on_call(self) -> Any:
            return go("when").with_state(place="Rome")

    async with rehearsing(Opening, Script()) as call:
        (state,) = datas(call.log, "state.changed")
        assert (state["state"]["stage"], state["state"]["place"]) == ("when", "Rome")
        assert call.log[1].type == "state.changed"
