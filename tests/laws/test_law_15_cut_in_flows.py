"""Law 15 with steps: a move that was decided is made whole, whoever cuts in; then the next message is answered."""

import asyncio
import threading
from typing import Any

import pytest

from cuelight import DirectMessage, Flow, LogicStep, Step, TerminateSessionStep, direct, go, tool
from cuelight.log import CUT_BY_CALLER
from cuelight.testing import Script, calls
from lawbook import datas, entries, errors, heard, refusals, rehearsing, said, talk, told


class Here(Step):
    @tool
    def leave(self) -> Any:
        """Leaves."""
        self.flow.cut("leave")
        return go(Sort).with_message("Hello.").with_state(brought=1)

    @tool
    def leave_with_words(self) -> Any:
        """Leaves with words of code."""
        self.flow.cut("leave_with_words")
        return go(There).with_message(DirectMessage("Shown."))

    @tool
    def work(self) -> str:
        """Works."""
        return "worked"

    @tool
    def bye(self) -> Any:
        """Says goodbye."""
        return go(TerminateSessionStep)

    def on_exit(self) -> None:
        self.flow.cut("on_exit")
        self.flow.order.append("on_exit")


class Sort(LogicStep):
    brought: int = 0

    async def run_logic(self) -> Any:
        self.flow.cut("run_logic")
        self.flow.order.append("run_logic")
        return go(There)


class There(Step):
    async def on_enter(self) -> None:
        self.flow.cut("on_enter")
        self.flow.order.append("on_enter")

    def on_crossing(self, message: str | None, prior: Step[Any]) -> str | None:
        self.flow.cut("on_crossing")
        self.flow.order.append("on_crossing")
        return message


class Trip(Flow):
    """You guide."""

    steps = (Here, Sort, There, TerminateSessionStep)
    order: list[str] = []

    def __init__(self) -> None:
        self._cuts: dict[str, Any] = {}

    def cut(self, where: str) -> None:
        """Let the caller cut in here, if that is what the test is about."""
        if where in self._cuts:
            self._cuts.pop(where)()


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


ORDER = ["on_exit", "run_logic", "on_enter", "on_crossing"]


@pytest.mark.parametrize("where", ["leave", *ORDER])
async def test_a_move_is_made_whole_wherever_the_caller_cuts_in(where: str) -> None:
    batch = ["Moving. ", calls("leave"), calls("work")]
    async with rehearsing(Trip, Script(batch, "There we are.")) as call:
        call.agent._cuts[where] = lambda: call.interrupt(heard="Moving.")
        reply = await asyncio.wait_for(call.say("go"), 5)
        assert (reply.text, reply.interrupted, len(call.requests)) == ("Moving.", True, 1)
        assert call.agent.order == ORDER
        assert (call.agent.stage, call.agent.step(Sort).brought) == ("There", 1)
        assert refusals(call.log) == ([("work", "not run")] if where == "leave" else [])
        assert errors(call.log) == []
        assert (await call.say("and now?")).text == "There we are."
        assert (call.requests[1].stage, told(call.requests[1])[0]) == ("There", "input validated")
        assert ("user", "Hello.") in talk(call.requests[1]), "what was carried along is heard when the model is asked"
        assert ("assistant", f"Moving. {CUT_BY_CALLER}") in talk(call.requests[1])


async def test_content_that_comes_with_a_move_is_not_shown_to_a_caller_who_cut_in() -> None:
    async with rehearsing(Trip, Script(calls("leave_with_words"), "There.")) as call:
        call.agent._cuts["leave_with_words"] = call.interrupt
        reply = await call.say("go")
        assert (reply.content, reply.text, call.agent.stage) == (None, "", "There")
        assert said(call.log) == []
        assert (await call.say("and?")).text == "There."


@pytest.mark.parametrize("hook", ["on_exit", "on_enter"])
async def test_a_hook_that_has_begun_is_waited_for(hook: str) -> None:
    """In a thread or on the loop: it ends in its own time, and is recorded before the next message runs."""
    begun, let_go = threading.Event(), threading.Event()

    class Slow(Step):
        wrote: bool = False

        @tool
        def leave(self) -> Any:
            """Leaves."""
            return go(Next)

        def on_exit(self) -> None:
            if hook == "on_exit":
                begun.set()
                let_go.wait(5)
            self.wrote = True

    class Next(Step):
        wrote: bool = False

        def on_enter(self) -> None:
            if hook == "on_enter":
                begun.set()
                let_go.wait(5)
            self.wrote = True

    class Waiting(Flow):
        steps = (Slow, Next)

    async with rehearsing(Waiting, Script(calls("leave"), "Next.")) as call:
        first = asyncio.create_task(call.say("go"))
        await asyncio.to_thread(begun.wait, 5)
        call.interrupt()
        second = asyncio.create_task(call.say("well?"))
        await settle()
        assert not first.done()
        let_go.set()
        assert (await asyncio.wait_for(first, 5)).interrupted
        assert (await asyncio.wait_for(second, 5)).text == "Next."
        assert (call.agent.step(Slow).wrote, call.agent.step(Next).wrote) == (True, True)
        cut_turn, next_words = entries(call.log, "turn.agent")[0], entries(call.log, "turn.user")[1]
        assert entries(call.log, "cue.crossing")[0].seq < cut_turn.seq < next_words.seq


# --- replies that a step decides about --------------------------------------------------------------------------------


class Judge(Step):
    asked: list[str] = []

    def on_response(self, text: str) -> Any:
        self.asked.append(text)
        self.flow.cut("on_response")
        return go(There) if text == "go on" else f"{text}!"


class Court(Trip):
    steps = (Judge, There)


async def test_a_reply_that_was_being_decided_about_is_not_heard() -> None:
    async with rehearsing(Court, Script("hello", "again")) as call:
        call.agent._cuts["on_response"] = call.interrupt
        reply = await call.say("hi")
        assert (reply.text, reply.interrupted) == ("", True)
        assert heard(call.log) == [""]
        assert (await call.say("well?")).text == "again!"
        assert not [content for role, content in talk(call.requests[1]) if role == "assistant"]


async def test_a_move_that_a_reply_decided_is_made_and_the_new_step_answers_the_next_message() -> None:
    async with rehearsing(Court, Script("go on", "There.")) as call:
        call.agent._cuts["on_response"] = call.interrupt
        reply = await call.say("hi")
        assert (reply.text, call.agent.stage, len(call.requests)) == ("", "There", 1)
        assert (await call.say("well?")).text == "There."


async def test_a_reply_that_was_cut_while_it_came_is_not_decided_about() -> None:
    def item(request: Any) -> Any:
        call.interrupt(heard="")
        return "go on"

    async with rehearsing(Court, Script(item, "again")) as call:
        reply = await call.say("hi")
        assert (reply.text, reply.interrupted) == ("", True)
        assert (call.agent.stage, call.agent.step(Judge).asked) == ("Judge", [])
        await call.say("well?")
        assert "go on" not in str(talk(call.requests[1]))


# --- goodbyes ---------------------------------------------------------------------------------------------------------


async def test_a_caller_who_cuts_into_the_goodbye_is_answered_once_more_and_then_the_call_ends() -> None:
    def cut(request: Any) -> Any:
        call.interrupt(heard="Good")
        return "Goodbye, and thank you."

    async with rehearsing(Trip, Script(calls("bye"), cut, "It costs five euros. Goodbye.")) as call:
        reply = await call.say("bye")
        assert (reply.text, reply.interrupted) == ("Good", True)
        assert call.state.status != "ended"
        reply = await call.say("wait, what does it cost?")
        assert reply.text == "It costs five euros. Goodbye."
        assert call.requests[2].tools == []
        assert ("assistant", f"Good {CUT_BY_CALLER}") in talk(call.requests[2])
        assert call.state.status == "ended"
        assert len(datas(call.log, "call.ended")) == 1


async def test_a_goodbye_that_was_said_has_ended_the_call_whatever_is_heard_of_it() -> None:
    async with rehearsing(Trip, Script(calls("bye"), "Goodbye.")) as call:
        await call.say("bye")
        call.interrupt(heard="Good")
        await settle()
        assert call.state.status == "ended"
        assert len(datas(call.log, "call.ended")) == 1


async def test_a_caller_who_cuts_in_on_the_way_to_the_goodbye_is_answered_by_it() -> None:
    async with rehearsing(Trip, Script(calls("bye"), "Goodbye, then.")) as call:
        call.agent._cuts["on_exit"] = call.interrupt
        reply = await call.say("bye")
        assert (reply.interrupted, call.agent.stage) == (True, "TerminateSessionStep")
        assert call.state.status != "ended"
        assert (await call.say("hello?")).text == "Goodbye, then."
        assert call.state.status == "ended"


async def test_an_interruption_while_the_first_reply_of_a_new_step_is_played() -> None:
    async with rehearsing(Trip, Script(calls("leave"), "One is here. Two is here.", "Yes?")) as call:
        await call.say("go")
        call.interrupt(heard="One is here.")
        await call.say("wait")
        assert ("assistant", f"One is here. {CUT_BY_CALLER}") in talk(call.requests[2])
        assert call.agent.stage == "There"


async def test_content_that_a_reply_decided_on_is_not_shown_to_a_caller_who_cut_in() -> None:
    class Direct(Step):
        def on_response(self, text: str) -> Any:
            self.flow.cut("on_response")
            return direct({"a": 1})

    class Showing(Trip):
        steps = (Direct,)

    async with rehearsing(Showing, Script("hello", "again")) as call:
        call.agent._cuts["on_response"] = call.interrupt
        reply = await call.say("hi")
        assert (reply.content, reply.text, said(call.log)) == (None, "", [])
        assert (await call.say("well?")).content == {"a": 1}
