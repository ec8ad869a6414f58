"""R87: a caller who said something else than yes or no got an error, a loop, or two truths about what was pending."""

from typing import Any

import pytest

from cuelight import Agent, tool
from cuelight.testing import Script, answers, calls
from lawbook import errors, rehearsing, told
from yeses import asked, declined, granted


class Desk(Agent):
    """You are a desk."""

    done: list[str] = []

    @tool(confirm="Shall I book {slot}?")
    def book(self, slot: str) -> str:
        """Books."""
        self.done.append(slot)
        return f"booked {slot}"

    @tool(effect="read")
    def weather(self) -> str:
        """Tells the weather."""
        return "sunny"

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        self.call.speak("Your taxi is here.")


async def test_r87_side_questions_are_answered_and_the_question_stays() -> None:
    script = Script(calls("book", slot="10"), calls("weather"), "Sunny.", "I'm Bo.", "Hm?", answers("yes"), "Done.")
    async with rehearsing(Desk, script) as call:
        await call.say("book 10")
        for words, answer in ("and the weather?", "Sunny."), ("who are you?", "I'm Bo."), ("mhm, Tuesdays", "Hm?"):
            assert (await call.say(words)).text == f"{answer}\nShall I book 10?"
            assert [one.status for one in call.state.confirms] == ["pending"]
        await call.say("yes")
        assert (call.agent.done, asked(call.log), errors(call.log)) == (["10"], ["Shall I book 10?"], [])


async def test_r87_a_yes_to_something_else_is_none() -> None:
    async with rehearsing(Desk, Script(calls("book", slot="10"), "Hm.", answers("yes"), "Hm.")) as call:
        await call.say("book 10")
        await call.event("taxi")  # its line is the last thing that the caller heard
        await call.say("yes")
        assert call.agent.done == []


@pytest.mark.parametrize("answer", [answers("no"), "As you like."])
async def test_r87_it_is_withdrawn_by_a_no_whatever_the_model_makes_of_it(answer: Any) -> None:
    async with rehearsing(Desk, Script(calls("book", slot="10"), answer, "As you like.", "Yes?")) as call:
        await call.say("book 10")
        assert (await call.say("no, thanks")).text == "As you like."
        assert (declined(call.log), call.state.confirms[0].status) == ([("book", "no")], "declined")
        await call.say("yes")
        assert (call.agent.done, granted(call.log)) == ([], [])


async def test_r87_another_wish_takes_its_place() -> None:
    script = Script(calls("book", slot="10"), calls("book", slot="11"), answers("yes"), "Done.")
    async with rehearsing(Desk, script) as call:
        await call.say("book 10")
        assert (await call.say("no, at 11")).text == "Shall I book 11?"
        await call.say("yes")
        assert (call.agent.done, declined(call.log)) == (["11"], [("book", "changed")])
        assert "the caller is asked about those" in call.requests[2].view, "the model is told what became of the first"
        assert told(call.requests[3])[-1] == "booked 11"
