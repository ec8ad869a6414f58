"""The Understudy in a flow, whose tools answer by where they lead and not with data."""

import asyncio

from cuelight import Flow, Route, Step, go, stay, tool
from cuelight.models import CueSheet, Understudy
from cuelight.testing import rehearse

SHEET = r"""
[slot.color]
kind = "one of"
values = ["red", "green"]
ask = "Which colour?"

[slot.size]
kind = "number"
ask = "Which size?"

[[cue]]
name = "a colour"
hears = "{color}"
call = "paint"
with = { color = "{color}" }

[[cue]]
name = "another colour"
hears = "another colour"
call = "repaint"

[[cue]]
name = "a size"
hears = "{size}"
call = "cut"
with = { size = "{size?}" }
recall = []

[[cue]]
name = "as before"
hears = "as before"
call = "cut"
with = { size = "{size?}" }
recall = []

[[cue]]
name = "what was said"
hears = "what did I say"
say = "{color?} {size?}"
recall = ["size"]

[[after]]
tool = ["paint", "cut"]
when = "error"
say = "That cannot be."

[[after]]
tool = "paint"
go_on = true
say = "{ask}"

[[after]]
tool = "repaint"
go_on = true
say = "Which colour?"

[[after]]
tool = "cut"
say = "Cut to {args.size}."
"""


class Paint(Step["Workshop"]):
    """Choose a colour."""

    @tool
    def paint(self, color: str) -> Route:
        """Paints it."""
        return go(Cut) if color == "red" else stay("There is no such paint.")


class Cut(Step["Workshop"]):
    """Choose a size."""

    @tool
    def cut(self, size: int | None = None) -> Route:
        """Cuts it."""
        return stay() if size else stay("Nothing to cut to.")

    @tool
    def repaint(self) -> Route:
        """Goes back to the colour."""
        return go(Paint)


class Workshop(Flow):
    """You work wood."""

    steps = (Paint, Cut)


def talk(*said: str) -> list[tuple[str, str]]:
    async def conversation() -> list[tuple[str, str]]:
        async with rehearse(Workshop, Understudy(CueSheet.loads(SHEET))) as call:
            return [((await call.say(text)).text, call.agent.stage) for text in said]

    return asyncio.run(conversation())


def test_what_was_done_without_data_is_not_done_again_from_words_that_are_past() -> None:
    assert talk("red", "another colour") == [("Which size?", "Cut"), ("Which colour?", "Paint")]
    assert talk("green", "red")[-1] == ("Which size?", "Cut")  # what was refused may be said again


def test_the_standard_words_of_a_tool_are_no_error() -> None:
    assert talk("green", "red", "3") == [("That cannot be.", "Paint"), ("Which size?", "Cut"), ("Cut to 3.", "Cut")]


def test_a_call_that_could_do_without_everything_follows_from_something_that_was_said() -> None:
    assert talk("red, size 3") == [("Cut to 3.", "Cut")]
    assert talk("red") == [("Which size?", "Cut")]


def test_a_cue_takes_from_earlier_words_only_what_it_may_recall() -> None:
    assert talk("red, size 3", "what did I say?")[-1] == ("3", "Cut")
    assert talk("red, size 3", "as before")[-1] == ("That cannot be.", "Cut")  # there was nothing to cut to
