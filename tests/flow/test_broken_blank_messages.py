"""A message of nothing but white space is no message: providers refuse a conversation that holds one."""

from typing import Any

import pytest

from cuelight import Flow, LogicStep, Step, go, tool
from cuelight.testing import Script, calls
from lawbook import datas, rehearsing, talk

BLANK = ["", " ", "\n\t "]


class Ask(Step):
    @tool
    def on(self, wish: str) -> Any:
        """Goes on with what the caller wishes."""
        return go(Answer).with_message(wish)

    @tool
    def through(self, wish: str) -> Any:
        """Goes on by way of code."""
        return go(Sort).with_message(wish)

    @tool
    def here(self, wish: str) -> Any:
        """Stays."""
        return go(Ask).with_message(wish)

    @tool
    def told(self, wish: str) -> Any:
        """Goes to where another hook says what crosses."""
        return go(Told).with_message(wish)


class Answer(Step):
    pass


class Sort(LogicStep):
    def run_logic(self) -> Any:
        return Answer


class Told(Step):
    def on_crossing(self, message: str | None, prior: Step[Any]) -> Any:
        return message


class Desk(Flow):
    """You answer."""

    steps = (Ask, Answer, Sort, Told)


@pytest.mark.parametrize("wish", BLANK)
@pytest.mark.parametrize("way", ["on", "through", "here", "told"])
async def test_blank_words_that_a_route_brings_are_heard_by_no_model(way: str, wish: str) -> None:
    async with rehearsing(Desk, Script(calls(way, wish=wish), "Gladly.", "Still here.")) as call:
        await call.say("Something else")
        await call.say("Hello?")
        assert [words for role, words in talk(call.requests[1]) if role == "user"] == ["Something else"]
        assert [words for role, words in talk(call.requests[2]) if role == "user"] == ["Something else", "Hello?"]
        assert not any("message" in crossing for crossing in datas(call.log, "cue.crossing"))
