"""What a cue sheet can say beyond its cues: words named once, questions of a stage, rows within an answer."""

import asyncio
from datetime import date, time
from typing import Any, Literal

import pytest

from cuelight import Agent, ToolFailed, tool
from cuelight.models import CueSheet, Understudy
from cuelight.testing import rehearse


class Garage(Agent):
    """You are a garage."""

    stage: Literal["who", "when"] = "who"
    plate: int | None = None
    day: date | None = None
    booked: time | None = None

    @tool(stage="who")
    def find_car(self, plate: int | None = None, colour: str | None = None) -> int | None:
        """Finds a car by its plate and its colour."""
        if plate is None or colour is None:
            return None
        self.plate, self.stage = plate, "when"
        return plate

    @tool(stage="when")
    def free(self, day: date) -> dict[str, Any]:
        """What is free on a day."""
        if day < date(2026, 3, 5):
            raise ToolFailed("That day is over.")
        self.day = day
        return {
            "day": day,
            "lifts": [] if day.weekday() == 4 else [{"at": time(9)}, {"at": time(13)}, {"at": time(15)}],
        }

    @tool(stage="when")
    def book(self, at: time) -> str:
        """Books a time."""
        self.booked = at
        return "done"

    def render(self) -> str:
        return "Today is 2026-03-05."


SHEET = r"""
opening = "Garage."
today = '(2026-03-05)'

[words]
problem = ["rattl(?:es|ing)", "broken"]
anything = "(?: .*)?"

[ask]
when = "Which day suits you?"

[slot.plate]
kind = "number"
hears = ['plate (\d+)']
asked = true
ask = "What is on the plate?"

[slot.colour]
kind = "one of"
values = ["red", "blue"]
ask = "And its colour?"

[slot.day]
kind = "date"
ask = "Which day suits you?"

[slot.at]
kind = "choice"
from = "free.lifts"
value = "at"
each = "{at}"
ask = "Which of them: {each}?"

[slot.time]
kind = "time"
besides = "free.lifts"
recall = false

[[cue]]
name = "again"
hears = "what did you say"
say = "{said}"

[[cue]]
name = "a problem"
hears = "{problem}{anything}"
unless = "not {problem}"
say = "Oh dear. {ask?}"

[[cue]]
name = "a car"
hears = ["{plate}", "{colour}"]
call = "find_car"
with = { plate = "{plate?}", colour = "{colour?}" }

[[cue]]
name = "a day"
hears = "{day}"
call = "free"
with = { day = "{day}" }

[[cue]]
name = "a time"
hears = "{at}"
call = "book"
with = { at = "{at}" }

[[cue]]
name = "no such time"
hears = "{time}"
say = "Not {time}: {last.free.lifts}."

[[after]]
tool = "find_car"
when = "null"
say = "Thank you. {ask}"

[[after]]
tool = "find_car"
once = "hurry"
go_on = true
say = "Found it, quickly. Which day suits you?"

[[after]]
tool = "find_car"
go_on = true
say = "Found it. Which day suits you?"

[[after]]
tool = "free"
when = "error"
say = "That is over."

[[after]]
tool = "free"
when = { lifts = [] }
say = "Nothing on {args.day}."

[[after]]
tool = "free"
go_on = true
say = "On {args.day}: {each}."

[[after]]
tool = "book"
say = "Booked at {args.at}."

[fallback]
else = "Sorry?"
"""
KNOWN = "plate 4711, red"


def talk(*said: str) -> list[str]:
    async def conversation() -> list[str]:
        async with rehearse(Garage, Understudy(CueSheet.loads(SHEET))) as call:
            return [(await call.say(text)).text for text in said]

    return asyncio.run(conversation())


def test_the_open_question_is_what_a_call_could_still_use() -> None:
    assert talk("it rattles", "it is red", "4711") == [
        "Oh dear. What is on the plate?",
        "Thank you. What is on the plate?",
        "Found it. Which day suits you?",
    ]


def test_a_stage_may_have_a_question_of_its_own() -> None:
    assert talk(KNOWN, "tomorrow", "it's broken")[-1] == "Oh dear. Which day suits you?"


def test_words_named_once_are_heard_wherever_they_stand() -> None:
    assert talk("it is rattling all day", "it is not broken") == ["Oh dear. What is on the plate?", "Sorry?"]


def test_a_slot_that_is_asked_for_is_not_found_otherwise() -> None:
    assert talk("there are 4711 of them")[-1] == "Sorry?"
    assert talk("it rattles", "4711")[-1] == "Thank you. And its colour?"


def test_what_was_said_before_can_matter_once() -> None:
    assert talk("I am in a hurry", KNOWN)[-1] == "Found it, quickly. Which day suits you?"


def test_rows_are_found_within_an_answer() -> None:
    assert talk(KNOWN, "Monday", "the second one")[1:] == [
        "On Monday 9 March: 09:00, 13:00 and 15:00.",
        "Booked at 13:00.",
    ]


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        (("Monday", "in the afternoon", "the first one"), ["Which of them: 13:00 and 15:00?", "Booked at 13:00."]),
        (("Monday afternoon", "the later one"), ["On Monday 9 March: 13:00 and 15:00.", "Booked at 15:00."]),
        (("Monday", "at eleven"), ["Not 11:00: 09:00, 13:00 and 15:00."]),
        (("Monday", "at nine or at three"), ["Which of them: 09:00 and 15:00?"]),
        (("Monday at nine",), ["Booked at 09:00."]),
    ],
)
def test_words_that_rule_rows_out_are_asked_about(said: tuple[str, ...], answers: list[str]) -> None:
    assert talk(KNOWN, *said)[-len(answers) :] == answers


def test_a_day_may_be_named_by_the_one_before() -> None:
    assert talk(KNOWN, "Monday", "the day after", "a day earlier", "the same day")[2:] == [
        "On Tuesday 10 March: 09:00, 13:00 and 15:00.",
        "On Monday 9 March: 09:00, 13:00 and 15:00.",
        "On Monday 9 March: 09:00, 13:00 and 15:00.",
    ]


def test_what_was_said_before_is_acted_on_once() -> None:
    answers = talk("can I come on Friday?", KNOWN, "then Monday", "hm")
    assert answers[1] == "Nothing on Friday 6 March."
    assert answers[2:] == ["On Monday 9 March: 09:00, 13:00 and 15:00.", "Sorry?"]


def test_an_error_leaves_the_rows_that_there_are() -> None:
    assert talk(KNOWN, "Monday", "yesterday", "at three")[2:] == ["That is over.", "Booked at 15:00."]


def test_it_says_once_more_what_it_said() -> None:
    assert talk(KNOWN, "what did you say?")[-1] == "Found it. Which day suits you?"
