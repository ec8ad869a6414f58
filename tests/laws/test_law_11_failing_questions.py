"""Law 11: a question that the author's code fails to put again at the yes runs nothing, and its log says why."""

from cuelight import Agent, ToolFailed, tool
from cuelight.testing import Script, answers, calls
from lawbook import datas, errors, rehearsing

FAILURES: list[Exception] = []


def _ask(desk: "Desk", slot: str) -> str:
    if desk.asked:
        raise FAILURES[-1]
    return f"Shall I book {slot}?"


class Desk(Agent):
    """You book."""

    asked: bool = False
    booked: str = ""

    @tool(confirm=_ask)
    async def book(self, slot: str) -> None:
        self.booked = slot

    async def on_event(self, name: str, data: dict) -> None:
        self.asked = True


async def booked_after(failure: Exception) -> tuple[str, list[str], str]:
    FAILURES.append(failure)
    async with rehearsing(Desk, Script(calls("book", slot="noon"), answers("yes"), "I am sorry.")) as call:
        await call.say("Noon")
        await call.event("closed")
        await call.say("Yes")
        return call.agent.booked, errors(call.log), datas(call.log, "confirm.declined")[0]["reason"]


async def test_a_question_that_raises_at_the_yes_is_told() -> None:
    assert await booked_after(KeyError("diary")) == ("", ["confirm-raised"], "cancelled")


async def test_a_question_that_cannot_be_put_any_more_is_no_fault() -> None:
    assert await booked_after(ToolFailed("Noon is taken.")) == ("", [], "cancelled")
