"""The routing rules, one test each: what the builders bring to the destination, in which order, and for how long."""

from typing import Any

import pytest

from cuelight import DirectMessage, Flow, HttpContentType, Route, Step, TerminateSessionStep, direct, go, stay, tool
from cuelight.testing import Script, calls
from lawbook import datas, entries, errors, rehearsing, said, talk, told, types


class Draft(Step):
    """Writes a record."""

    note: str = ""
    seen: list[str] = []

    @tool
    def accept(self) -> Any:
        """Accepts, with everything that a route can bring."""
        return (
            go(Review)
            .with_tool_feedback("Accepted.")
            .with_state(record="r-1", note="brought")
            .with_prompt("Review the accepted record.")
            .with_content_type(HttpContentType.MARKDOWN)
            .with_message("It is r-1.")
        )

    @tool
    def accept_bare(self) -> Any:
        """Accepts, and brings nothing."""
        return go(Review)

    @tool
    def accept_anew(self) -> Any:
        """Accepts, and brings other things."""
        return go(Review).with_state(record="r-2").with_prompt("Review it once more.")

    @tool
    def accept_ready(self) -> Any:
        """Saves for the entry first, then goes."""
        self.flow.save_step_state(Review, {"record": "r-3"})
        return go(Review)

    @tool
    def check(self) -> str:
        """Checks."""
        return "checked"

    @tool
    def stop(self) -> Any:
        """Ends the call at once."""
        return go(TerminateSessionStep).with_prompt("Say that the line is closing.")

    @tool
    def plain(self) -> Any:
        """Goes to the step that has a prompt of its own alone."""
        return go(Deaf).with_prompt("Never heard.")

    @tool
    def open(self) -> Any:
        """Goes to the step that opts in."""
        return go(Open).with_prompt("Heard.")

    def on_exit(self) -> None:
        self.seen.append(f"exit of {type(self).__name__} in {self.flow.stage}")


class Review(Step):
    """Reviews a record; its prompt is the attached one, or none."""

    record: str = ""
    note: str = ""
    seen: list[str] = []

    @tool
    def reject(self) -> Any:
        """Goes back."""
        return go(Draft)

    def on_enter(self) -> None:
        self.seen.append(f"enter in {self.flow.stage}: record {self.record!r}, prompt {self.get_prompt()!r}")

    def on_crossing(self, message: str | None, prior: Step[Any]) -> str | None:
        self.seen.append(f"crossing: record {self.record!r}, prompt {self.get_prompt()!r}")
        return message and f"{message} It comes from {type(prior).__name__}."


class Deaf(Step):
    """Has a prompt of its own alone."""

    def get_prompt(self) -> str:
        return "The usual prompt."


class Open(Step):
    """Has a prompt of its own, and lets an attached one come first."""

    def get_prompt(self) -> str:
        return super().get_prompt() or "The usual prompt."


class Records(Flow):
    """You keep records."""

    steps = (Draft, Review, Deaf, Open, TerminateSessionStep)


def moves(log: Any) -> list[dict[str, Any]]:
    """Give the states that moves left behind, without the opening one."""
    return [data for data in datas(log, "state.changed")[1:] if "stage" in data["changed"]]


# --- builders ---------------------------------------------------------------------------------------------------------


async def test_every_helper_gives_a_builder_and_the_five_methods_chain() -> None:
    built: list[Route] = []

    class Build(Step):
        @tool
        def build(self) -> None:
            for route in (go(Build), stay(), direct("x")):
                built.append(
                    route.with_tool_feedback("f")
                    .with_state(a=1)
                    .with_prompt("p")
                    .with_content_type(HttpContentType.HTML)
                    .with_message("m")
                )

    class Building(Flow):
        steps = (Build,)

    async with rehearsing(Building, Script(calls("build"), "Built.")) as call:
        await call.say("build")
    assert [route.kind for route in built] == ["go", "stay", "direct"]
    for route in built:
        assert (route.feedback, route.state, route.prompt) == ("f", {"a": 1}, "p")
        assert (route.content_type, route.message) == (HttpContentType.HTML, "m")


def test_a_builder_method_gives_another_builder_and_leaves_its_own_as_it_was() -> None:
    first = go(Review)
    second = first.with_prompt("p")
    assert (first.prompt, second.prompt) == (None, "p")


async def test_a_builder_that_is_dropped_has_no_effect() -> None:
    """As each method gives a new route, only the one that is returned counts."""

    class Drop(Step):
        @tool
        def drop(self) -> Any:
            route = go(Found)
            route.with_prompt("Lost.").with_state(kept=True)
            return route

    class Found(Step):
        kept: bool = False

    class Dropping(Flow):
        steps = (Drop, Found)

    async with rehearsing(Dropping, Script(calls("drop"), "So.")) as call:
        await call.say("drop")
        assert call.state.app_state["Found"] == {"kept": False}


# --- the order of effects ---------------------------------------------------------------------------------------------


async def test_effects_come_in_their_order_on_the_destination() -> None:
    """Exit of the old step, entry of the new one; prompt and state; then results; and the message after them."""
    async with rehearsing(Records, Script(calls("accept"), "Here it is.")) as call:
        reply = await call.say("accept")
        assert call.agent.step(Draft).seen == ["exit of Draft in Draft"]
        assert call.agent.step(Review).seen == [
            "enter in Review: record '', prompt None",
            "crossing: record 'r-1', prompt 'Review the accepted record.'",
        ]
        assert reply.content_type == HttpContentType.MARKDOWN
        *_, result, message = call.requests[1].messages
        assert (result["role"], result["content"]) == ("tool", "Accepted.")
        assert message == {"role": "user", "content": "It is r-1. It comes from Draft."}


async def test_the_move_comes_first_and_is_one_change_of_state_with_all_that_it_brings() -> None:
    async with rehearsing(Records, Script(calls("accept"), "Here it is.")) as call:
        await call.say("accept")
        (move,) = moves(call.log)
        assert sorted(move["changed"]) == ["Draft", "Review", "stage"]
        assert move["state"]["Review"]["record"] == "r-1"
        begun = types(call.log).index("tool.call")
        assert types(call.log)[begun : begun + 6] == [
            "tool.call", "tool.result", "cue.route", "state.changed", "tools.changed", "cue.crossing",
        ]  # fmt: skip


async def test_with_state_is_saved_on_the_destination_and_not_on_the_step_that_was_left() -> None:
    async with rehearsing(Records, Script(calls("accept"), "Here it is.")) as call:
        await call.say("accept")
        assert call.agent.step(Review).note == "brought"
        assert call.agent.step(Draft).note == ""


async def test_with_prompt_is_saved_on_the_destination_under_its_own_name() -> None:
    async with rehearsing(Records, Script(calls("accept"), "Here it is.")) as call:
        await call.say("accept")
        app_state = call.state.app_state
        assert app_state["Review"]["_prompt"] == "Review the accepted record."
        assert "_prompt" not in app_state["Draft"]
        assert call.requests[1].view == "Review the accepted record."


async def test_with_content_type_is_that_of_the_turns_reply() -> None:
    async with rehearsing(Records, Script(calls("accept"), "Here it is.", "Yes?")) as call:
        assert (await call.say("accept")).content_type == HttpContentType.MARKDOWN
        assert (await call.say("and?")).content_type == HttpContentType.TEXT, "the next turn has its own"


async def test_each_call_of_the_reply_has_its_result_when_a_route_moves_on() -> None:
    batch = [calls("check"), calls("accept"), calls("check")]
    async with rehearsing(Records, Script(batch, "Here it is.")) as call:
        await call.say("accept")
        assert told(call.requests[1]) == ["checked", "Accepted.", "checked"]
        ids = [m["tool_call_id"] for m in call.requests[1].messages if m["role"] == "tool"]
        assert ids == [data["call_id"] for data in datas(call.log, "tool.call")]


async def test_with_message_stands_after_the_results() -> None:
    async with rehearsing(Records, Script([calls("accept"), calls("check")], "Here it is.")) as call:
        await call.say("accept")
        roles = [message["role"] for message in call.requests[1].messages]
        assert roles == ["user", "assistant", "tool", "tool", "user"]


# --- what follows from the order --------------------------------------------------------------------------------------


async def test_the_entry_hook_cannot_see_the_state_that_the_route_brings() -> None:
    async with rehearsing(Records, Script(calls("accept"), "Here it is.")) as call:
        await call.say("accept")
        assert call.agent.step(Review).seen[0] == "enter in Review: record '', prompt None"
        assert call.agent.step(Review).record == "r-1"


async def test_what_is_saved_on_the_step_before_the_move_is_seen_by_its_entry_hook() -> None:
    """`flow.save_step_state` writes the durable state of another step directly."""
    async with rehearsing(Records, Script(calls("accept_ready"), "Here it is.")) as call:
        await call.say("accept")
        assert call.agent.step(Review).seen[0] == "enter in Review: record 'r-3', prompt None"
        by_tool, by_move = datas(call.log, "state.changed")[1:]
        assert by_tool["state"]["stage"] == "Draft"
        assert by_tool["state"]["Review"]["record"] == "r-3"
        assert by_move["state"]["stage"] == "Review"


async def test_state_that_a_route_brought_stays_after_the_turn_and_the_visit() -> None:
    script = Script(calls("accept"), "One.", calls("reject"), "Two.", calls("accept_bare"), "Three.")
    async with rehearsing(Records, script) as call:
        for text in ("accept", "reject", "accept again"):
            await call.say(text)
            assert call.agent.step(Review).record == "r-1"
        assert call.agent.step(Review).seen[2].startswith("enter in Review: record 'r-1'")


async def test_a_prompt_that_a_route_attached_is_there_on_the_next_visit() -> None:
    script = Script(calls("accept"), "One.", calls("reject"), "Two.", calls("accept_bare"), "Three.")
    async with rehearsing(Records, script) as call:
        for text in ("accept", "reject", "accept again"):
            await call.say(text)
        assert [request.view for request in call.requests][1:] == [
            "Review the accepted record.", "Review the accepted record.", "", "", "Review the accepted record.",
        ]  # fmt: skip


async def test_prompt_and_state_are_what_the_newest_route_that_brings_them_says() -> None:
    script = Script(calls("accept"), "One.", calls("reject"), "Two.", calls("accept_anew"), "Three.")
    async with rehearsing(Records, script) as call:
        for text in ("accept", "reject", "accept anew"):
            await call.say(text)
        review = call.agent.step(Review)
        assert (review.record, review.note) == ("r-2", "brought"), "what the newer one does not bring stays"
        assert call.requests[-1].view == "Review it once more."


# --- prompts ----------------------------------------------------------------------------------------------------------


async def test_the_base_prompt_is_the_attached_one_or_none() -> None:
    async with rehearsing(Records, Script(calls("accept"), "Here it is.")) as call:
        assert call.agent.step(Review).get_prompt() is None
        await call.say("accept")
        assert call.agent.step(Review).get_prompt() == "Review the accepted record."


async def test_a_step_that_overrides_its_prompt_without_the_base_ignores_an_attached_one() -> None:
    async with rehearsing(Records, Script(calls("plain"), "So.")) as call:
        await call.say("go")
        assert call.requests[1].view == "The usual prompt."
        assert call.state.app_state["Deaf"] == {"_prompt": "Never heard."}
        assert errors(call.log) == []


async def test_a_step_that_asks_the_base_first_says_the_attached_prompt_or_its_own() -> None:
    async with rehearsing(Records, Script("Hello.", calls("open"), "So."), state={"stage": "Open"}) as call:
        await call.say("hello")
        assert call.requests[0].view == "The usual prompt."
    async with rehearsing(Records, Script(calls("open"), "So.")) as call:
        await call.say("go")
        assert call.requests[1].view == "Heard."


async def test_the_last_step_says_the_closing_prompt_that_the_route_attached() -> None:
    async with rehearsing(Records, Script(calls("stop"), "The line is closing. Goodbye.")) as call:
        reply = await call.say("stop")
        assert call.requests[1].view == "Say that the line is closing."
        assert reply.text == "The line is closing. Goodbye."
        assert call.state.status == "ended"


# --- feedback ---------------------------------------------------------------------------------------------------------


async def test_feedback_is_the_result_that_the_model_reads_before_it_says_anything() -> None:
    async with rehearsing(Records, Script(calls("accept"), "Here it is.")) as call:
        await call.say("accept")
        assert told(call.requests[1]) == ["Accepted."]
        result, *_, spoken = entries(call.log, "tool.result", "cue.said")
        assert result.seq < spoken.seq


async def test_feedback_is_a_directive_and_is_never_said_to_the_caller() -> None:
    async with rehearsing(Records, Script(calls("accept"), "Here it is.")) as call:
        reply = await call.say("accept")
        assert reply.text == "Here it is."
        assert said(call.log) == [("model", "Here it is.")]
        assert not any("Accepted." in content for _, content in talk(call.requests[1]))


@pytest.mark.parametrize("content", ["Done.", {"done": True}])
async def test_a_direct_message_on_a_move_ends_the_turn_in_the_new_step(content: Any) -> None:
    class One(Step):
        @tool
        def leave(self) -> Any:
            return go(Two).with_message(DirectMessage(content))

    class Two(Step):
        heard: list[str | None] = []

        def on_crossing(self, message: str | None, prior: Step[Any]) -> str | None:
            self.heard.append(message)
            return message

    class Both(Flow):
        steps = (One, Two)

    async with rehearsing(Both, Script(calls("leave"), "Never asked.")) as call:
        reply = await call.say("leave")
        assert reply.content == content
        assert call.agent.stage == "Two"
        assert len(call.requests) == 1
        assert call.agent.step(Two).heard == [None], "content for the caller is nothing that the new model hears"
