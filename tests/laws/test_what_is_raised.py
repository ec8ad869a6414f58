"""What an author's code or a provider raises is told as it is, with the author's own line, and never ends the call."""

import inspect
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from cuelight import Agent, ToolFailed, tool
from cuelight.errors import ModelFailed
from cuelight.ports import ModelRequest
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, errors, rehearsing, results


class Mute(Exception):
    """Raises in saying what it is."""

    def __str__(self) -> str:
        raise ValueError("no words")


class Wordless(ToolFailed):
    """Says nothing that is text."""

    def __str__(self) -> str:
        return None  # type: ignore[return-value]


class Desk(Agent):
    """You sit at a desk."""

    broken: bool = False

    @property
    def mood(self) -> str:
        """Fails once it is broken."""
        if self.broken:
            raise Mute
        return "good"

    @tool(when=lambda desk: desk.mood != "bad")
    def gated(self) -> None:
        """Is hidden once it is broken."""

    @tool
    def break_it(self) -> None:
        """Breaks."""
        self.broken = True

    @tool
    def mute(self) -> None:
        """Fails without words."""
        raise Mute

    @tool
    def wordless(self) -> None:
        """Fails on purpose, without words."""
        raise Wordless("x")

    @tool
    def read(self) -> None:
        """Fails in a library."""
        json.loads("{bad")

    def render(self) -> str:
        return f"It is {self.mood}."

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        raise Mute


@pytest.mark.parametrize(("name", "codes"), [("mute", ["handler-raised"]), ("wordless", [])])
async def test_an_exception_that_cannot_say_what_it_is_fails_its_tool_alone(name: str, codes: list[str]) -> None:
    async with rehearsing(Desk, Script(calls(name), "It failed.")) as call:
        assert (await call.say("go on")).text == "It failed."
        assert errors(call.log) == codes
        assert results(call.log)[0]["error"]
        assert call.state.tools[0].status == "failed"


async def test_such_an_exception_hurts_no_property_no_gate_no_view_and_no_event() -> None:
    async with rehearsing(Desk, Script(calls("break_it"), "Done.")) as call:
        assert (await call.say("break it")).text == "Done."
        await call.event("bell")
        assert errors(call.log) == ["property-raised", "when-raised", "render-raised", "handler-raised"]
        assert all("Mute" in error["message"] for error in datas(call.log, "error"))


class Failing:
    name = provider = "failing"

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        raise self._error
        yield


class MuteModel(ModelFailed):
    __str__ = Mute.__str__


@pytest.mark.parametrize("error", [Mute(), MuteModel("x")])
async def test_such_an_exception_of_a_model_is_a_failed_request(error: Exception) -> None:
    async with rehearsing(Desk, Failing(error)) as call:
        assert (await call.say("hello")).text == FALLBACK
        assert type(error).__name__ in datas(call.log, "error")[0]["message"]


async def test_an_error_names_the_authors_line_where_a_library_raised() -> None:
    lines, first = inspect.getsourcelines(Desk)
    line = first + next(number for number, text in enumerate(lines) if "json.loads" in text)
    async with rehearsing(Desk, Script(calls("read"), "It failed.")) as call:
        await call.say("read it")
        (error,) = datas(call.log, "error")
        assert f"JSONDecodeError (test_what_is_raised.py:{line}): Expecting" in error["message"]
