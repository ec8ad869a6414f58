"""Law 12 in flows: what each step's model reads as the conversation so far, and what it has forgotten."""

from typing import Any

import pytest

from cuelight import Flow, Limits, LogicStep, Step, go, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls
from lawbook import check_messages, datas, rehearsing, talk, told


class Talk(Step["House"]):
    """Be in the call's own memory."""

    @tool
    def ask(self, what: str) -> str:
        """Asks."""
        return f"{what}: yes"

    @tool
    def to_study(self) -> Any:
        """Goes to the study."""
        return go(Study).with_message("From the talk.").with_tool_feedback("Gone.")

    @tool
    def by_code(self) -> Any:
        """Goes to the library, by way of a step of code."""
        return go(Pass).with_message("By code.")


class Study(Step["House"]):
    memory = "books"

    @tool
    def read(self, book: str) -> str:
        """Reads."""
        return f"{book} is read"

    @tool
    def forget_it(self, fail: bool = False, twice: bool = False) -> str:
        """Forgets what was said here."""
        self.forget()
        if twice:
            self.forget()
        if fail:
            raise LookupError("no")
        return "forgotten"

    @tool
    def forget_talk(self) -> str:
        """Forgets what was said elsewhere."""
        self.flow.step(Talk).forget()
        return "forgotten"

    @tool
    def back(self) -> Any:
        """Goes back to the talk."""
        return go(Talk).with_message("From the study.")

    @tool
    def to_library(self) -> Any:
        """Goes to the library."""
        return Library


class Library(Step["House"]):
    """Share the study's memory."""

    memory = "books"

    @tool
    def leave(self) -> Any:
        """Goes back to the talk, and leaves nothing behind."""
        return Talk

    def on_exit(self) -> None:
        self.forget()


class Pass(LogicStep["House"]):
    def run_logic(self) -> Any:
        return Library


class House(Flow):
    """You are a house."""

    steps = (Talk, Study, Library, Pass)

    def on_event(self, name: str, data: dict[str, Any]) -> Any:
        if name == "forget":
            self.step(Talk).forget()
        elif name == "study":
            return Study
        self.call.reply("Speak.")
        return None


async def test_the_newest_words_go_along_and_results_stay_with_the_step_that_called() -> None:
    script = Script(
        "Hello.", calls("ask", what="tea"), calls("to_study"), calls("read", book="Emma"), "Read.",
        calls("back"), "Here again.",
    )  # fmt: skip
    async with rehearsing(House, script) as call:
        await call.say("one")
        await call.say("two")
        first = call.requests[3]
        assert talk(first) == [("user", f"two\n\n{first.view}".strip()), ("user", "From the talk.")]
        assert told(first) == []
        assert told(call.requests[4]) == ["Emma is read"]
        await call.say("three")
        back = call.requests[-1]
        assert talk(back) == [
            ("user", "one"), ("assistant", "Hello."), ("user", "two"), ("assistant", ""), ("assistant", ""),
            ("user", "three"), ("user", "From the study."),
        ]  # fmt: skip
        assert told(back) == ["tea: yes", "Gone."]


async def test_steps_of_one_memory_read_the_same_and_a_step_of_code_has_none() -> None:
    script = Script(
        calls("to_study"), "Here.", calls("to_library"), "There.", calls("leave"), calls("by_code"), "Again."
    )
    async with rehearsing(House, script) as call:
        await call.say("one")
        await call.say("two")
        assert talk(call.requests[3]) == [
            ("user", "one"), ("user", "From the talk."), ("assistant", "Here."), ("user", "two"), ("assistant", ""),
        ]  # fmt: skip
        await call.say("three")
        assert talk(call.requests[-2])[-1] == ("user", "three")
        assert talk(call.requests[-1]) == [("user", "three"), ("user", "By code.")], "it was forgotten in leaving"


@pytest.mark.parametrize("twice", [True, False])
async def test_what_was_forgotten_is_gone_but_for_the_newest_words(twice: bool) -> None:
    script = Script("Emma?", calls("read", book="Emma"), calls("forget_it", twice=twice), "What?", "So.")
    async with rehearsing(House, script, state={"stage": "Study"}) as call:
        await call.say("one")
        await call.say("two")
        assert talk(call.requests[3]) == [("user", "two"), ("assistant", "")]
        assert told(call.requests[3]) == ["forgotten"]
        await call.say("three")
        assert talk(call.requests[4]) == [("user", "two"), ("assistant", ""), ("assistant", "What?"), ("user", "three")]
        assert len(datas(call.log, "turn.user")) == 3, "the log forgets nothing"


async def test_a_handler_that_fails_has_forgotten_nothing() -> None:
    script = Script("Emma?", calls("forget_it", fail=True), "No.")
    async with rehearsing(House, script, state={"stage": "Study"}) as call:
        await call.say("one")
        await call.say("two")
        assert talk(call.requests[2])[0] == ("user", "one")
        assert datas(call.log, "cue.forgotten") == []


async def test_another_steps_memory_is_forgotten_and_the_own_stays() -> None:
    script = Script("Hello.", calls("to_study"), calls("forget_talk"), "Here.", calls("back"), "There.")
    async with rehearsing(House, script) as call:
        await call.say("one")
        await call.say("two")
        assert ("user", "From the talk.") in talk(call.requests[3])
        await call.say("three")
        assert talk(call.requests[-1]) == [("user", "three"), ("user", "From the study.")]


@pytest.mark.parametrize("more", range(4))
async def test_a_turn_that_no_caller_began_goes_on_after_forgetting(more: int) -> None:
    batch = [calls("forget_it"), *[calls("read", book=str(n)) for n in range(more)]]
    script = Script("a", "b", [calls("read", book="Emma"), *batch], calls("read", book="Ada"), "Said.", "So.")
    async with rehearsing(House, script, state={"stage": "Study"}) as call:
        await call.say("one")
        await call.say("two")
        assert (await call.event("ring")).text == "Said."
        for request in call.requests:
            check_messages(request.messages)
        assert all(("user", "one") not in talk(request) for request in call.requests[3:])
        await call.say("three")
        assert talk(call.requests[-1])[-1] == ("user", "three")


async def test_an_event_may_forget_what_was_said_before_it() -> None:
    async with rehearsing(House, Script("Hello.", "Speaking.", "So.")) as call:
        await call.say("one")
        assert (await call.event("forget")).text == "Speaking."
        assert [role for role, _ in talk(call.requests[1])] == ["user"], "the view alone"
        await call.say("two")
        assert talk(call.requests[2]) == [("assistant", "Speaking."), ("user", "two")]


async def test_what_was_forgotten_stays_so_when_the_call_is_taken_up_again() -> None:
    store = MemoryStore()
    script = Script("Emma?", calls("forget_it"), "What?")
    async with rehearsing(House, script, store=store, state={"stage": "Study"}) as call:
        await call.say("one")
        await call.say("two")
    async with rehearsing(House, Script("So."), store=store, resume=call.id) as again:
        await again.say("three")
        assert talk(again.requests[0]) == [
            ("user", "two"),
            ("assistant", ""),
            ("assistant", "What?"),
            ("user", "three"),
        ]


async def test_what_was_heard_of_a_turn_is_cut_in_the_memories_its_words_stand_in() -> None:
    script = Script(["One two.", calls("to_study")], "Three four.", calls("back"), "Well.")
    async with rehearsing(House, script) as call:
        await call.say("one")
        call.interrupt(heard="One two. Three")
        await call.say("two")
        study, talk_ = call.requests[2], call.requests[3]
        assert any(text.startswith("Three ") and "four" not in text for _, text in talk(study))
        assert ("assistant", "One two.") in talk(talk_)


async def test_each_memory_keeps_so_many_exchanges_of_its_own() -> None:
    class Short(House):
        limits = Limits(exchanges=2)

    script = Script(*"abcd", calls("to_study"), *"efgh", calls("back"), "i")
    async with rehearsing(Short, script) as call:
        for words in ("1", "2", "3", "4", "5", "6", "7", "8", "9"):
            await call.say(words)
        study, back = call.requests[-2], call.requests[-1]
        assert [text for role, text in talk(study) if role == "user" and text.isdigit()] == ["8", "9"]
        assert [text for role, text in talk(back) if role == "user" and text.isdigit()] == ["5", "9"]
