"""T05: a step that waits records nothing and moves nowhere until the caller has spoken since it was entered."""

from typing import Any

import pytest

from cuelight import Flow, LogicStep, Step, TerminateSessionStep, go, stay, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, entries, errors, heard, refusals, rehearsing, results, told

PERSON = ["person", "give_up"]


class Question(Step["Intake"]):
    """Be one question of the intake: a sample answer stands in the prompt, as in the worst of prompts."""

    waits = True
    answer: str = ""

    def get_prompt(self) -> str:
        return super().get_prompt() or f"Ask for the {type(self).__name__}, then record it. Sample answer: Ada Byrne."

    def keep(self, answer: str, then: Any) -> Any:
        if answer == "what?":
            return stay("That is no answer. Ask again.")
        self.answer = answer
        return go(then).with_tool_feedback("Recorded.")


class Name(Question):
    @tool
    def record(self, answer: str) -> Any:
        """Records the caller's answer."""
        return self.keep(answer, Town)

    @tool(effect="read")
    def examples(self) -> list[str]:
        """Gives names that were heard before."""
        return ["Ada Byrne"]

    @tool(effect="read")
    def skip(self) -> Any:
        """Goes on without an answer."""
        return go(Town).with_tool_feedback("Skipped.")


class Town(Question):
    @tool
    def record(self, answer: str) -> Any:
        """Records the caller's answer."""
        return self.keep(answer, Pet)


class Pet(Question):
    @tool
    def record(self, answer: str) -> Any:
        """Records the caller's answer."""
        return self.keep(answer, TerminateSessionStep)

    @tool
    def back(self) -> Any:
        """Goes back to the first question."""
        return Name


class Intake(Flow):
    """You take people in, with three questions."""

    steps = (Name, Town, Pet, TerminateSessionStep)

    @tool
    def person(self) -> str:
        """Gets a person to the phone."""
        return "A person is on the way."

    @tool
    def give_up(self) -> Any:
        """Ends the intake."""
        return go(TerminateSessionStep)


class Calling(Intake):
    """You take people in, and call them yourself."""

    def on_call(self) -> None:
        self.call.reply("Begin.")


def record(answer: str = "Ada Byrne") -> Any:
    return calls("record", answer=answer)


def answers(call: Any) -> list[str]:
    return [call.agent.step(step).answer for step in (Name, Town, Pet)]


async def test_t05_the_call_starts_and_the_model_answers_itself() -> None:
    script = Script(record(), [record("Cork"), record("a dog")], "What is your name?")
    async with rehearsing(Calling, script) as call:
        assert call.agent.stage == "Name"
        assert answers(call) == ["", "", ""]
        assert heard(call.log) == ["What is your name?"], "the question is asked, and the call waits"
        assert refusals(call.log) == [("record", "hidden")] * 3
        assert [request.tools for request in call.requests] == [["examples", "skip", *PERSON]] * 3
        assert all("caller has not spoken" in request.view for request in call.requests)
        assert all("record" not in data["error"] for data in results(call.log)), "a hidden tool is not named"
        assert call.state.status == "active"
        assert not datas(call.log, "cue.route")


async def test_t05_so_does_a_step_whose_entry_asks_for_the_opening_words() -> None:
    class Greeting(Question):
        def on_enter(self) -> None:
            self.call.reply("Greet the caller and ask.")

        @tool
        def record(self, answer: str) -> Any:
            """Records the caller's answer."""
            return self.keep(answer, TerminateSessionStep)

    class Greeted(Flow):
        """You take people in."""

        steps = (Greeting, TerminateSessionStep)

    async with rehearsing(Greeted, Script(record(), "Hello! Your name?", record(), "Goodbye.")) as call:
        assert call.agent.step(Greeting).answer == ""
        assert heard(call.log) == ["Hello! Your name?"]
        await call.say("Ada Byrne")
        assert call.agent.step(Greeting).answer == "Ada Byrne"
        assert call.state.status == "ended"


async def test_t05_each_step_waits_for_an_answer_of_its_own() -> None:
    script = Script(
        record(), record("Cork"), "Which town?",
        record("Cork"), record("a dog"), "Have you a pet?",
        record("a dog"), "Goodbye.",
    )  # fmt: skip
    async with rehearsing(Intake, script) as call:
        assert (await call.say("Ada Byrne")).text == "Which town?"
        assert (call.agent.stage, answers(call)) == ("Town", ["Ada Byrne", "", ""])
        assert (await call.say("Cork")).text == "Have you a pet?"
        assert (call.agent.stage, answers(call)) == ("Pet", ["Ada Byrne", "Cork", ""])
        assert (await call.say("a dog")).text == "Goodbye."
        assert answers(call) == ["Ada Byrne", "Cork", "a dog"]
        assert refusals(call.log) == [("record", "hidden")] * 2
        assert call.state.status == "ended"


async def test_t05_calls_of_one_reply_answer_no_later_question() -> None:
    script = Script([record(), record("Cork"), record("a dog")], "Which town?")
    async with rehearsing(Intake, script) as call:
        assert (await call.say("Ada Byrne")).text == "Which town?"
        assert (call.agent.stage, answers(call)[1:]) == ("Town", ["", ""])


@pytest.mark.parametrize("words", ["", "   ", "\n\t"])
async def test_t05_blank_words_are_no_answer(words: str) -> None:
    async with rehearsing(Intake, Script(record(), "Your name?", record(), "Which town?")) as call:
        assert (await call.say(words)).text == "Your name?"
        assert (call.agent.stage, answers(call)) == ("Name", ["", "", ""])
        assert refusals(call.log) == [("record", "hidden")]
        assert (await call.say("Ada Byrne")).text == "Which town?"
        assert answers(call) == ["Ada Byrne", "", ""]


async def test_t05_what_happens_outside_is_no_answer() -> None:
    class Watched(Intake):
        def on_event(self, name: str, data: dict[str, Any]) -> None:
            self.call.reply("Tell the caller.")

    async with rehearsing(Watched, Script(record(), "It rains. Your name?")) as call:
        assert (await call.event("rain")).text == "It rains. Your name?"
        assert answers(call) == ["", "", ""]


async def test_t05_a_tool_that_only_reads_stays_usable_and_its_move_is_not_made() -> None:
    script = Script([calls("examples"), calls("skip")], "Your name?", calls("skip"), "Which town?")
    async with rehearsing(Calling, script) as call:
        listed, skipped = told(call.requests[1])
        assert listed == '["Ada Byrne"]'
        assert "not applied" in skipped
        assert call.agent.stage == "Name"
        (route,) = datas(call.log, "cue.route")
        assert (route["applied"], "not spoken" in route["reason"]) == (False, True)
        await call.say("I would rather not say.")
        assert call.agent.stage == "Town", "with an answer it is made"


async def test_t05_the_flows_own_tools_stay_usable_and_may_move_on() -> None:
    script = Script(calls("person"), calls("give_up"), "Goodbye.")
    async with rehearsing(Calling, script) as call:
        assert told(call.requests[1]) == ["A person is on the way."]
        assert call.agent.stage == "TerminateSessionStep"
        assert heard(call.log) == ["Goodbye."]
        assert answers(call) == ["", "", ""]
        assert not refusals(call.log)


async def test_t05_a_reply_without_a_call_moves_on_no_sooner() -> None:
    class Listening(Step):
        waits = True
        heard: str = ""

        def on_response(self, text: str) -> Any:
            if text.startswith("NAME "):
                self.heard = text
                return TerminateSessionStep
            return text

    class Told(Flow):
        """You listen."""

        steps = (Listening, TerminateSessionStep)

        def on_call(self) -> None:
            self.call.reply("Begin.")

    script = Script("NAME Ada Byrne", "Your name?", "NAME Ada Byrne", "Goodbye.")
    async with rehearsing(Told, script) as call:
        assert call.agent.stage == "Listening"
        assert heard(call.log) == ["Your name?"]
        (route,) = datas(call.log, "cue.route")
        assert (route["to"], route["applied"]) == ("TerminateSessionStep", False)
        assert "not spoken" in route["reason"]
        assert "not spoken" in call.requests[1].view
        await call.say("Ada Byrne")
        assert call.state.status == "ended"
        assert "NAME" not in " ".join(heard(call.log))


async def test_t05_a_step_that_is_come_back_to_waits_anew() -> None:
    script = Script(calls("back"), record("Bea"), "Your name, again?", record("Bea"), "Which town?")
    async with rehearsing(Intake, script, state={"stage": "Pet", "Name": {"answer": "Ada"}}) as call:
        await call.say("the name is wrong, it is something else")
        assert (call.agent.stage, answers(call)) == ("Name", ["Ada", "", ""])
        assert refusals(call.log) == [("record", "hidden")]
        await call.say("Bea")
        assert (call.agent.stage, answers(call)) == ("Town", ["Bea", "", ""])


async def test_t05_staying_is_no_new_entry() -> None:
    script = Script(record("what?"), record(), "Which town?")
    async with rehearsing(Intake, script) as call:
        await call.say("what? Ada Byrne")
        assert answers(call) == ["Ada Byrne", "", ""]


async def test_t05_a_model_that_only_answers_itself_is_stopped_and_the_caller_hears_a_line() -> None:
    async with rehearsing(Calling, Script(*[record(str(n)) for n in range(20)])) as call:
        assert answers(call) == ["", "", ""]
        assert heard(call.log) == [FALLBACK]
        assert errors(call.log) == ["limit-model-requests"]


async def test_t05_the_waiting_survives_a_restart() -> None:
    store = MemoryStore()
    async with rehearsing(Intake, Script(record(), "Which town?"), store=store) as call:
        await call.say("Ada Byrne")
    async with rehearsing(Intake, Script(record("Cork"), "Town?"), store=store, resume=call.id) as again:
        assert (await again.say(" ")).text == "Town?"
        assert answers(again) == ["Ada Byrne", "", ""]
    async with rehearsing(Intake, Script("Hm?"), store=store, resume=call.id) as third:
        await third.say("Let me think.")
    script = Script(record("Cork"), record("a dog"), "Have you a pet?")
    async with rehearsing(Intake, script, store=store, resume=call.id) as fourth:
        assert fourth.state.tools_visible == ["record", *PERSON], "who has spoken has spoken"
        await fourth.say("Cork")
        assert answers(fourth) == ["Ada Byrne", "Cork", ""]


async def test_t05_a_step_that_does_not_wait_may_run_through() -> None:
    class First(Step):
        answer: str = ""

        @tool
        def record(self, answer: str) -> Any:
            """Records."""
            self.answer = answer
            return Second

    class Second(Step):
        answer: str = ""

        @tool
        def record(self, answer: str) -> Any:
            """Records."""
            self.answer = answer
            return TerminateSessionStep

    class Hasty(Flow):
        """You take people in."""

        steps = (First, Second, TerminateSessionStep)

    async with rehearsing(Hasty, Script(record("Ada"), record("Cork"), "Goodbye.")) as call:
        await call.say("Ada, from Cork")
        assert call.agent.step(First).answer == "Ada"
        assert call.agent.step(Second).answer == "Cork"
        assert call.state.status == "ended"
        assert not refusals(call.log)


async def test_t05_a_step_of_code_on_the_way_waits_for_nobody() -> None:
    class Where(LogicStep):
        def run_logic(self) -> Any:
            return Town

    class Begin(Step):
        @tool
        def begin(self) -> Any:
            """Begins."""
            return Where

    class Branching(Intake):
        """You take people in."""

        steps = (Begin, Where, Name, Town, Pet, TerminateSessionStep)

    async with rehearsing(Branching, Script(calls("begin"), record("Cork"), "Which town?")) as call:
        assert (await call.say("hello")).text == "Which town?"
        assert (call.agent.stage, call.agent.step(Town).answer) == ("Town", "")
        assert [(data["from"], data["to"]) for data in datas(call.log, "cue.crossing")] == [
            ("Begin", "Where"),
            ("Where", "Town"),
        ]


async def test_t05_holds_in_the_log_too() -> None:
    async with rehearsing(Intake, Script(record(), record("Cork"), "Which town?")) as call:
        await call.say("Ada Byrne")
        moved = max(entry.seq for entry in entries(call.log, "cue.crossing"))
        for entry in call.log[moved:]:
            assert not (entry.type == "state.changed" and "Town" in entry.data["changed"])
            assert entry.type != "cue.route"
