"""What steps and flows promise, one test each: a step that waits for the caller, and one with a memory of its own."""

from typing import Any

from cuelight import Flow, Step, go, stay, tool
from cuelight.testing import Script, calls
from lawbook import datas, heard, refusals, rehearsing, results, talk, told


class One(Step):
    pass


# --- waiting ----------------------------------------------------------------------------------------------------------


class Ask(Step):
    answer: str = ""
    waits = True

    @tool
    def record(self, answer: str) -> Any:
        """Records an answer."""
        self.save_state(answer=answer)
        return go(One)

    @tool(effect="read")
    def look(self) -> str:
        """Looks."""
        return "seen"

    @tool(effect="read")
    def skip(self) -> Any:
        """Would go on."""
        return go(One)


class Start(Step):
    @tool
    def begin(self) -> Any:
        """Begins."""
        return go(Ask)


class Survey(Flow):
    """You ask."""

    steps = (Start, Ask, One)

    @tool
    def help(self) -> str:
        """Helps."""
        return "helped"


async def test_a_step_that_waits_records_nothing_and_moves_nowhere_until_the_caller_has_spoken() -> None:
    script = Script(
        calls("begin"), [calls("record", answer="made up"), calls("look"), calls("skip")], "Well?",
        calls("record", answer="real"), "Thanks.",
    )  # fmt: skip
    async with rehearsing(Survey, script) as call:
        await call.say("begin")
        assert call.requests[1].tools == ["look", "skip", "help"]
        assert "not spoken" in call.requests[1].view
        assert refusals(call.log) == [("record", "hidden")]
        assert "not applied" in results(call.log)[3]["output"]
        assert (call.agent.stage, call.agent.step(Ask).answer) == ("Ask", "")
        await call.say("real")
        assert call.requests[3].tools == ["record", "look", "skip", "help"]
        assert "not spoken" not in call.requests[3].view
        assert (call.agent.stage, call.agent.step(Ask).answer) == ("One", "real")


async def test_a_reply_cannot_leave_a_step_that_waits_either() -> None:
    """A route of `on_response` is not applied; the model is asked again, and told why."""

    class Decide(Step):
        waits = True

        def on_response(self, text: str) -> Any:
            return go(One) if text == "on" else None

    class Enter(Step):
        @tool
        def begin(self) -> Any:
            """Begins."""
            return go(Decide)

    class Deciding(Flow):
        steps = (Enter, Decide, One)

    async with rehearsing(Deciding, Script(calls("begin"), "on", "Shall we?", "on", "We go on.")) as call:
        assert (await call.say("begin")).text == "Shall we?"
        assert call.agent.stage == "Decide"
        assert datas(call.log, "cue.route")[1]["applied"] is False
        assert "not applied" in call.requests[2].view
        assert (await call.say("yes")).text == "We go on."
        assert call.agent.stage == "One"


async def test_words_of_nothing_are_not_an_answer_that_a_step_waits_for() -> None:
    async with rehearsing(Survey, Script(calls("begin"), "Well?", "Well?")) as call:
        await call.say("begin")
        await call.say("  ")
        assert call.requests[2].tools == ["look", "skip", "help"]


# --- memories ---------------------------------------------------------------------------------------------------------


class Talk(Step):
    @tool
    def ask_expert(self) -> Any:
        """Asks the expert."""
        return go(Expert)


class Expert(Step):
    memory = "expert"

    @tool
    def check(self) -> str:
        """Checks."""
        return "checked by the expert"

    @tool
    def answer(self) -> Any:
        """Goes back."""
        return go(Talk)

    @tool
    def start_over(self) -> Any:
        """Forgets what was said here."""
        self.forget()
        return stay("Begin again.")


class Clinic(Flow):
    steps = (Talk, Expert)


async def test_a_step_with_a_memory_reads_a_history_of_its_own_with_the_callers_newest_words() -> None:
    script = Script("Hello.", calls("ask_expert"), calls("check"), "All is well.", calls("answer"), "Goodbye.")
    async with rehearsing(Clinic, script) as call:
        await call.say("first words")
        await call.say("newest words")
        assert talk(call.requests[2]) == [("user", call.requests[2].messages[0]["content"])]
        assert "newest words" in call.requests[2].messages[0]["content"]
        assert "first words" not in str(call.requests[2].messages)
        assert told(call.requests[3]) == ["checked by the expert"]
        await call.say("and then?")
        assert "checked by the expert" not in str(call.requests[-1].messages), "results stay where they were asked for"
        assert "first words" in str(call.requests[-1].messages)
        assert heard(call.log) == ["Hello.", "All is well.", "Goodbye."]


async def test_forgetting_clears_the_memory_of_the_step_alone() -> None:
    script = Script("Hello.", calls("ask_expert"), "One.", calls("start_over"), "Two.", calls("answer"), "Three.")
    async with rehearsing(Clinic, script) as call:
        for text in ("first", "second", "third", "fourth"):
            await call.say(text)
        after = str(call.requests[4].messages)
        assert "second" not in after
        assert "third" in after
        assert "first" in str(call.requests[-1].messages)
        assert datas(call.log, "cue.forgotten") == [{"memory": "expert"}]
