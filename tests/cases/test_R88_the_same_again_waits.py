"""R88: a confirmation stalled, because the model sent the value again in the place of an answer."""

from cuelight import Agent, tool
from cuelight.testing import Script, answers, calls
from lawbook import datas, rehearsing, results
from yeses import asked, declined


class Desk(Agent):
    """You are a desk."""

    done: list[str] = []

    @tool(confirm="Shall I book {slot} for {people}?")
    def book(self, slot: str, people: int = 2) -> str:
        """Books."""
        self.done.append(slot)
        return "booked"


async def test_r88_the_same_call_again_is_the_one_that_waits() -> None:
    again = calls("book", people=2, slot="10")
    script = Script(calls("book", slot="10"), again, answers("yes"), "Done.")
    async with rehearsing(Desk, script) as call:
        await call.say("book 10")
        assert (await call.say("yes")).text == "Done."
        assert (call.agent.done, asked(call.log), declined(call.log)) == (["10"], ["Shall I book 10 for 2?"], [])
        first = datas(call.log, "tool.call")[0]["call_id"]
        told = results(call.log)[0]["error"]
        assert first in told, "the model is told which call to answer for"
        assert "answer_confirmation" in told


async def test_r88_a_model_that_never_answers_stalls_nothing() -> None:
    again = calls("book", slot="10")
    script = Script(again, again, "One moment.", again, again, again, again)
    async with rehearsing(Desk, script) as call:
        await call.say("book 10")
        assert (await call.say("yes")).text == "One moment.\nShall I book 10 for 2?"
        await call.say("yes")  # it comes to a limit, and code speaks
        assert call.agent.done == []
        assert (await _ended(call)) == [("book", "cancelled")]


async def _ended(call: object) -> list[tuple[str, str]]:
    await call.hang_up()  # type: ignore[attr-defined]
    return declined(call.log)  # type: ignore[attr-defined]
