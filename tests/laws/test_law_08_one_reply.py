"""Law 8: a user turn is answered once; `turn.agent` holds all that was spoken, in order, each once."""

import asyncio
from typing import Any, Literal

import pytest

from cuelight import Agent, CallEnded, OutsideHandler, direct, tool
from cuelight.testing import Script, calls
from lawbook import datas, entries, errors, heard, refusals, rehearsing, results, said, talk, types


class Host(Agent):
    """You are the host."""

    count: int = 0

    def on_call(self) -> None:
        self.call.speak("Welcome!")

    @tool
    def look(self) -> str:
        """Looks."""
        self.call.speak("Still checking.")
        self.count += 1
        return "found"

    @tool
    async def look_async(self) -> str:
        """Looks."""
        await asyncio.sleep(0)
        self.call.speak("One moment.")
        await asyncio.sleep(0)
        self.call.speak("Nearly there.")
        return "found"

    @tool
    def close(self) -> Any:
        """Closes."""
        return direct("Anything else?")

    @tool
    def speak_and_fail(self) -> str:
        """Speaks and fails."""
        self.call.speak("Let me try.")
        raise RuntimeError("no")

    @tool
    def leave(self, reason: str = "agent_hung_up") -> str:
        """Ends the call."""
        self.count += 1
        self.call.end(reason)
        return "ending"

    @tool
    def leave_with_words(self) -> Any:
        """Ends with words."""
        self.call.end("done")
        return direct("Goodbye!")

    @tool
    def leave_and_fail(self) -> str:
        """Fails before it ends."""
        self.call.end("failed")
        raise RuntimeError("no")

    @tool
    def again(self) -> Any:
        """Answers, and asks for more."""
        self.call.reply("Now ask for the name.")
        return direct("Here you are.")

    def on_event(self, name: str, data: dict[str, Any]) -> Any:
        self.call.log(name, data)
        if name == "speak":
            self.call.speak("One.")
            self.call.speak("Two.")
        if name == "reply":
            self.call.reply("Tell them it is ready.")
        if name == "both":
            self.call.speak("It is ready.")
            self.call.reply()
        if name == "end":
            self.call.speak("Closing.")
            self.call.end("drained")


async def test_everything_spoken_in_a_turn_is_one_turn_of_the_agent() -> None:
    script = Script(["Let me look.", calls("look")], ["Found.", calls("close")])
    async with rehearsing(Host, script) as call:
        reply = await call.say("look")
        lines = ["Let me look.", "Still checking.", "Found.", "Anything else?"]
        assert reply.text == "\n".join(lines)
        assert heard(call.log) == ["Welcome!", reply.text]
        assert said(call.log) == [
            ("code", "Welcome!"), ("model", "Let me look."), ("code", "Still checking."), ("model", "Found."),
            ("direct", "Anything else?"),
        ]  # fmt: skip
        turn = entries(call.log, "turn.agent")[-1]
        asked = entries(call.log, "turn.user")[-1]
        assert turn.data["speech_id"] == asked.data["speech_id"]
        assert turn.data["interrupted"] is False
        assert [t.role for t in call.state.turns] == ["agent", "user", "agent"]


async def test_what_was_said_while_a_tool_ran_stands_after_its_result_in_the_models_view() -> None:
    async with rehearsing(Host, Script(["Let me look.", calls("look_async")], "Found.", "Bye.")) as call:
        await call.say("look")
        await call.say("bye")
        assert [(m["role"], m["content"]) for m in call.requests[2].messages] == [
            ("assistant", "Welcome!"), ("user", "look"), ("assistant", "Let me look."), ("tool", "found"),
            ("assistant", "One moment."), ("assistant", "Nearly there."), ("assistant", "Found."), ("user", "bye"),
        ]  # fmt: skip


async def test_the_words_beside_a_call_are_spoken_before_the_tool_runs() -> None:
    order: list[str] = []

    class Watching(Agent):
        @tool
        async def look(self) -> str:
            order.append("tool")
            return "found"

    async with rehearsing(Watching, Script(["Let me look.", calls("look")], "Found.")) as call:
        call.live.listen(lambda entry: order.append(entry.data["text"]) if entry.type == "cue.said" else None)
        await call.say("look")
        assert order == ["Let me look.", "tool", "Found."]


async def test_a_line_of_a_tool_that_failed_was_said_all_the_same() -> None:
    async with rehearsing(Host, Script(calls("speak_and_fail"), "It failed.")) as call:
        assert (await call.say("go")).text == "Let me try.\nIt failed."


async def test_lines_outside_a_turn_are_turns_of_their_own() -> None:
    async with rehearsing(Host, Script()) as call:
        reply = await call.event("speak")
        assert reply.text == "One.\nTwo."
        assert heard(call.log) == ["Welcome!", "One.", "Two."]
        ids = [data["speech_id"] for data in datas(call.log, "turn.agent")]
        assert len(set(ids)) == 3


async def test_an_event_may_make_the_model_speak() -> None:
    async with rehearsing(Host, Script("It is ready.", "Fine.")) as call:
        reply = await call.event("reply", {"table": 4})
        assert reply.text == "It is ready."
        assert heard(call.log) == ["Welcome!", "It is ready."]
        assert "Tell them it is ready." in call.requests[0].view
        (event,) = datas(call.log, "event.received")
        assert event == {"name": "reply", "data": {"table": 4}, "source": "app"}
        assert [e.name for e in call.state.events] == ["reply"]
        assert datas(call.log, "custom") == [{"name": "reply", "data": {"table": 4}}]
        await call.say("good")
        assert "Tell them it is ready." not in str(call.requests[1].messages)
        assert talk(call.requests[1]) == [
            ("assistant", "Welcome!"), ("assistant", "It is ready."), ("user", "good"),
        ]  # fmt: skip


async def test_an_event_that_speaks_and_asks_for_a_reply_gives_both() -> None:
    async with rehearsing(Host, Script("Shall I bring it?")) as call:
        assert (await call.event("both")).text == "It is ready.\nShall I bring it?"
        assert heard(call.log) == ["Welcome!", "It is ready.", "Shall I bring it?"]


async def test_a_reply_asked_for_in_a_tool_follows_the_direct_one_in_the_same_turn() -> None:
    async with rehearsing(Host, Script(calls("again"), "What is your name?", "Hello.")) as call:
        reply = await call.say("hi")
        assert reply.text == "Here you are.\nWhat is your name?"
        assert reply.content == "Here you are."
        assert "Now ask for the name." in call.requests[1].view
        await call.say("Ada")
        assert "Now ask for the name." not in str(call.requests[2].messages) + call.requests[2].view


async def test_what_the_model_is_told_for_one_reply_holds_until_it_has_replied() -> None:
    script = Script("  ", ["It is ", RuntimeError("lost")], "ready.", "Fine.")
    async with rehearsing(Host, script) as call:
        assert (await call.event("reply")).text == "It is\nready."
        assert ["Tell them it is ready." in request.view for request in call.requests] == [True, True, True]
        await call.say("good")
        assert "Tell them it is ready." not in call.requests[3].view


async def test_one_reply_for_one_turn_however_many_requests_it_took() -> None:
    script = Script(["A", calls("look")], ["B", calls("look_async")], "", "C")
    async with rehearsing(Host, script) as call:
        await call.say("go")
        assert len(call.requests) == 4
        assert types(call.log).count("turn.agent") == 2
        assert types(call.log).count("cue.delivered") == 1
        assert len(datas(call.log, "metrics.llm")) == 4


async def test_the_model_may_speak_first() -> None:
    class First(Agent):
        async def on_call(self) -> None:
            self.call.reply("Greet them by name.")

    async with rehearsing(First, Script("Hello Ada!", "Fine.")) as call:
        assert heard(call.log) == ["Hello Ada!"]
        assert types(call.log).count("turn.user") == 0
        await call.say("hi")
        assert talk(call.requests[1])[0] == ("assistant", "Hello Ada!")


# --- the end ----------------------------------------------------------------------------------------------------------


async def test_a_tool_ends_the_call_and_nothing_runs_after() -> None:
    batch = ["Goodbye.", calls("leave", reason="done"), calls("look"), calls("leave")]
    async with rehearsing(Host, Script(batch, "Never asked.")) as call:
        reply = await call.say("bye")
        assert reply.text == "Goodbye."
        assert call.agent.count == 1
        assert refusals(call.log) == [("look", "not run"), ("leave", "not run")]
        assert all("not run" in data["error"] for data in results(call.log)[1:])
        assert len(call.requests) == 1
        assert types(call.log)[-4:] == ["turn.agent", "cue.delivered", "call.ended", "call.summary"]
        (ended,) = datas(call.log, "call.ended")
        assert (ended["reason"], ended["ended_by"]) == ("done", "agent")
        assert call.state.status == "ended"
        assert call.state.end_reason == "done"
        with pytest.raises(CallEnded):
            await call.say("are you there?")
        with pytest.raises(CallEnded):
            await call.event("speak")
        assert types(call.log)[-1] == "call.summary"


async def test_the_summary_adds_up() -> None:
    class Counting:
        name, provider = "counter", "tests"

        async def stream(self, request: Any) -> Any:
            from cuelight.ports import Finished, TextDelta, ToolCallRequest, Usage

            if len(request.history) > 4:
                yield ToolCallRequest("leave", "{}")
            else:
                yield TextDelta("Hm.")
            yield Finished("stop", Usage(prompt_tokens=10, completion_tokens=3, cached_tokens=4), "req-1")

    async with rehearsing(Host, Counting()) as call:
        await call.advance(5)
        await call.say("one")
        await call.say("two")
        await call.advance(7)
        await call.say("three")
        (summary,) = datas(call.log, "call.summary")
        assert summary == {
            "reason": "agent_hung_up", "outcome": "agent_hung_up", "duration_s": 12.0, "turns": 3, "cost": {},
            "usage": [{
                "type": "llm_usage", "provider": "tests", "model": "counter",
                "input_tokens": 30, "input_cached_tokens": 12, "output_tokens": 9,
            }],
        }  # fmt: skip
        (ended,) = datas(call.log, "call.ended")
        assert ended["duration_s"] == 12.0
        assert ended["ended_at"] == call.clock.now()
        first = datas(call.log, "metrics.llm")[0]
        assert (first["prompt_tokens"], first["completion_tokens"], first["prompt_cached_tokens"]) == (10, 3, 4)
        assert first["total_tokens"] == 13
        assert first["request_id"] == "req-1"
        assert first["metadata"] == {"model_name": "counter", "model_provider": "tests"}


async def test_words_given_by_code_are_spoken_before_the_end() -> None:
    async with rehearsing(Host, Script(calls("leave_with_words"))) as call:
        reply = await call.say("bye")
        assert reply.text == "Goodbye!"
        assert call.state.status == "ended"
        assert types(call.log)[-3:] == ["cue.delivered", "call.ended", "call.summary"]


async def test_a_tool_that_failed_ends_nothing() -> None:
    async with rehearsing(Host, Script(calls("leave_and_fail"), "Still here.")) as call:
        assert (await call.say("bye")).text == "Still here."
        assert call.state.status == "active"


async def test_the_call_may_end_as_it_opens() -> None:
    class Shut(Agent):
        def on_call(self) -> None:
            self.call.speak("We are closed.")
            self.call.end("closed")

    async with rehearsing(Shut, Script()) as call:
        assert heard(call.log) == ["We are closed."]
        assert types(call.log)[-2:] == ["call.ended", "call.summary"]
        with pytest.raises(CallEnded):
            await call.say("hello?")


async def test_an_event_may_end_the_call() -> None:
    async with rehearsing(Host, Script()) as call:
        reply = await call.event("end")
        assert reply.text == "Closing."
        assert call.state.end_reason == "drained"


async def test_on_end_runs_once_with_the_reason_and_may_still_write() -> None:
    class Tidy(Agent):
        reason: str = ""
        notes: list[str] = []

        @tool
        def leave(self) -> None:
            self.call.end("done")

        async def on_end(self, reason: str) -> None:
            self.reason = reason
            self.call.log("tidied", {"reason": reason})
            self.call.speak("nobody hears this")
            self.call.reply()
            self.call.end("again")

    async with rehearsing(Tidy, Script(calls("leave"))) as call:
        await call.say("bye")
        assert call.agent.reason == "done"
        assert datas(call.log, "custom") == [{"name": "tidied", "data": {"reason": "done"}}]
        assert types(call.log).count("call.ended") == 1
        assert types(call.log).index("call.ended") < types(call.log).index("custom")
        assert "nobody hears this" not in str(call.log)
        assert call.state.app_state["reason"] == "done"


async def test_a_caller_that_hangs_up_ends_the_call() -> None:
    async with rehearsing(Host, Script("Hello.")) as call:
        await call.say("hi")
        await call.hang_up()
        await call.hang_up()
        assert types(call.log).count("call.ended") == 1
        (ended,) = datas(call.log, "call.ended")
        assert (ended["reason"], ended["ended_by"]) == ("caller_hung_up", "caller")


# --- what a handler may use, and where --------------------------------------------------------------------------------


async def test_the_live_call_is_told_to_handlers() -> None:
    class Knowing(Agent):
        kind: Literal["a"] = "a"

        @tool
        def who(self) -> list[Any]:
            return [self.call.id, self.call.channel, self.call.caller, self.call.tool.name, self.call.tool.key]

    async with rehearsing(Knowing, Script([calls("who"), calls("who")], "Ok.")) as call:
        await call.say("who?")
        first, second = (data["output"] for data in results(call.log))
        assert first[:4] == [call.id, "terminal", None, "who"]
        assert first[4] != second[4]
        assert first[4].startswith(call.id)


@pytest.mark.parametrize("what", ["speak", "reply", "log", "end"])
async def test_acting_on_the_call_outside_a_handler_is_refused(what: str) -> None:
    async with rehearsing(Host, Script("Hello.")) as call:
        await call.say("hi")
        arguments = {"speak": ("x",), "log": ("x", {})}.get(what, ())
        with pytest.raises(OutsideHandler, match=what):
            getattr(call.agent.call, what)(*arguments)
        with pytest.raises(OutsideHandler):
            _ = call.agent.call.tool


async def test_a_task_left_behind_by_a_handler_can_no_longer_act() -> None:
    late: list[BaseException] = []

    class Leaving(Agent):
        count: int = 0

        @tool
        async def go_on(self) -> str:
            self._task = asyncio.create_task(self._late())
            return "done"

        async def _late(self) -> None:
            for _ in range(20):
                await asyncio.sleep(0)
            for act in (lambda: self.call.speak("late"), lambda: setattr(self, "count", 1)):
                try:
                    act()
                except OutsideHandler as error:
                    late.append(error)

    async with rehearsing(Leaving, Script(calls("go_on"), "Done.")) as call:
        await call.say("go")
        await call.agent._task
        assert len(late) == 2
        assert call.agent.count == 0
        assert "late" not in heard(call.log)


async def test_what_a_handler_logs_is_an_entry_of_its_own() -> None:
    class Logging(Agent):
        @tool
        def note(self) -> None:
            self.call.log("noted", {"a": [1, None]})
            self.call.log("bare")

    async with rehearsing(Logging, Script(calls("note"), "Ok.")) as call:
        await call.say("go")
        assert datas(call.log, "custom") == [{"name": "noted", "data": {"a": [1, None]}}, {"name": "bare", "data": {}}]
        assert [note.name for note in call.state.custom] == ["noted", "bare"]
        order = types(call.log)
        assert order.index("tool.call") < order.index("custom") < order.index("tool.result")


async def test_speaking_what_is_no_text_is_the_handlers_error() -> None:
    class Wrong(Agent):
        @tool
        def speak(self) -> None:
            self.call.speak(5)  # type: ignore[arg-type]

    async with rehearsing(Wrong, Script(calls("speak"), "Ok.")) as call:
        assert (await call.say("go")).text == "Ok."
        assert errors(call.log) == ["handler-raised"]
