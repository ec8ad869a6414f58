"""R89: a person was asked to approve a call that would fail its checks anyway."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from cuelight import Agent, ToolFailed, tool
from cuelight.testing import Script, calls, raw_call
from lawbook import errors, heard, refusals, rehearsing, results
from yeses import asked


def _question(desk: Any, slot: str, people: int) -> str:
    if slot == "full":
        raise ToolFailed("That slot is taken.")
    return f"Shall I book {slot}, costing {100 // (people - 3)}?"


class Desk(Agent):
    """You are a desk."""

    stage: Literal["open", "shut"] = "open"

    @tool(confirm=_question, stage="open")
    def book(self, slot: str, people: Annotated[int, Field(le=8)] = 2) -> None:
        """Books."""

    @tool(confirm="Shall I close?", stage="shut")
    def close(self) -> None:
        """Closes."""


@pytest.mark.parametrize(
    ("call_", "reason"),
    [
        (calls("book", slot=10), "bad arguments"),
        (calls("book", slot="10", people=9), "bad arguments"),
        (calls("book", slots="10"), "bad arguments"),
        (calls("book"), "bad arguments"),
        (raw_call("book", '{"slot": '), "bad arguments"),
        (raw_call("book", '["10"]'), "bad arguments"),
        (calls("close"), "hidden"),
        (calls("burn"), "unknown"),
        (calls("book", slot="full"), "not run"),
        (calls("book", slot="10", people=3), "not run"),
    ],
)
async def test_r89_what_would_fail_never_reaches_the_caller(call_: Any, reason: str) -> None:
    async with rehearsing(Desk, Script(call_, "That cannot be.")) as call:
        await call.say("book it")
        assert (asked(call.log), heard(call.log)) == ([], ["That cannot be."])
        assert refusals(call.log) == [(call_.name, reason)]
        assert len(results(call.log)) == 1


async def test_r89_code_that_will_not_ask_says_why_and_a_fault_of_it_is_told() -> None:
    script = Script(calls("book", slot="full"), "It is taken.", calls("book", slot="10", people=3), "Sorry.")
    async with rehearsing(Desk, script) as call:
        await call.say("book it")
        assert (results(call.log)[0]["error"], errors(call.log)) == ("That slot is taken.", [])
        await call.say("and 10")
        assert errors(call.log) == ["confirm-raised"]
