"""T11: a booking that succeeded just before the caller cut in is known ever after."""

from typing import Any

from cuelight import Agent, tool
from cuelight.testing import Script, calls
from lawbook import entries, rehearsing, told


class Tables(Agent):
    """You book tables."""

    def __init__(self, calendar: dict[str, int]) -> None:
        self._calendar = calendar

    @tool
    async def book_table(self, people: int, at: str) -> str:
        """Books a table."""
        assert at not in self._calendar, "booked twice"
        self._calendar[at] = people
        return "booked"

    @tool
    async def change_booking(self, people: int, at: str) -> str:
        """Changes a booking."""
        self._calendar[at] = people
        return "changed"


def books_unless_booked(request: Any) -> Any:
    """Book only where the request shows no booking, as the case's model does."""
    if "booked" in told(request):
        if any("eight" in message["content"] for message in request.messages) and "changed" not in told(request):
            return calls("change_booking", people=8, at="seven")
        return "It is for eight now."
    return calls("book_table", people=4, at="seven")


async def test_t11_cut_before_any_reply() -> None:
    calendar: dict[str, int] = {}

    async def cut(request: Any) -> Any:
        call.interrupt(heard="")
        return "Your table is booked."

    script = Script(books_unless_booked, cut, books_unless_booked, books_unless_booked)
    async with rehearsing(lambda: Tables(calendar), script) as call:
        first = await call.say("table for four at seven")
        assert first.text == ""
        assert calendar == {"seven": 4}
        reply = await call.say("make it eight")
        assert reply.text == "It is for eight now."
        assert calendar == {"seven": 8}
        assert told(call.requests[2]) == ["booked"]
        assert call.requests[2].messages[1]["tool_calls"][0]["name"] == "book_table"
        done = entries(call.log, "tool.result")[0]
        cut_off = next(entry for entry in entries(call.log, "turn.agent") if entry.data["interrupted"])
        assert done.seq < cut_off.seq
        assert "error" not in done.data


async def test_t11_cut_while_the_reply_is_played() -> None:
    calendar: dict[str, int] = {}
    script = Script(books_unless_booked, "Your table is booked.", books_unless_booked, books_unless_booked)
    async with rehearsing(lambda: Tables(calendar), script) as call:
        await call.say("table for four at seven")
        await call.interrupt(heard="")
        await call.say("make it eight")
        assert calendar == {"seven": 8}
        assert told(call.requests[2]) == ["booked"]
        assert "Your table" not in str(call.requests[2].messages)


async def test_t11_cut_while_the_tool_runs() -> None:
    calendar: dict[str, int] = {}

    class Slow(Tables):
        @tool
        async def book_table(self, people: int, at: str) -> str:
            """Books a table."""
            call.interrupt(heard="")
            self._calendar[at] = people
            return "booked"

    script = Script(books_unless_booked, books_unless_booked, books_unless_booked)
    async with rehearsing(lambda: Slow(calendar), script) as call:
        await call.say("table for four at seven")
        assert calendar == {"seven": 4}, "what had begun is finished"
        await call.say("make it eight")
        assert calendar == {"seven": 8}
