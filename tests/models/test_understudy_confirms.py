"""The Understudy where a caller is asked before a tool runs: it says what they answered, and cues play beside it."""

import asyncio
from typing import Any

import pytest

from cuelight import Agent, ToolFailed, tool
from cuelight.errors import CueSheetRefused
from cuelight.models import CueSheet, Understudy
from cuelight.testing import rehearse

SHEET = r"""
opening = "Box office, hello!"

[slot.seats]
kind = "number"
ask = "How many seats?"

[[cue]]
name = "the price"
hears = "how much"
say = "Thirty euros a seat. {ask}"

[[cue]]
name = "only a question"
hears = "which question"
say = "{ask}"

[[cue]]
name = "what was said"
hears = "pardon"
say = "{said?}"

[[cue]]
name = "another show"
hears = "another show"
declines = true
say = "We only have Hamlet."

[[cue]]
name = "seats"
hears = ["{seats}", "more seats"]
call = "reserve"
with = { seats = "{seats}" }
recall = []

[[after]]
tool = "reserve"
when = "data"
say = "Yours: {result.number}."

[[after]]
tool = "reserve"
say = "That did not work: {result}"

[fallback]
else = "Sorry? {ask}"
"""
DECLINED = '\n[[after]]\ntool = "reserve"\nwhen = "declined"\nsay = "Not {args.seats} then. {ask}"\n'


class Office(Agent):
    """You sell tickets."""

    sold: int = 0

    @tool(confirm="Shall I reserve {seats} seats?", effect="irreversible")
    def reserve(self, seats: int) -> dict[str, int]:
        """Reserves seats."""
        if seats > 9:
            raise ToolFailed("nine at most")
        self.sold += seats
        return {"number": self.sold}


def hold(*said: str, sheet: str, office: type[Agent]) -> tuple[list[str], list[tuple[Any, ...]]]:
    async def conversation() -> tuple[list[str], list[tuple[Any, ...]]]:
        cues = CueSheet.loads(sheet)
        cues.check(office)
        async with rehearse(office, Understudy(cues)) as call:
            answers = [(await call.say(text)).text.replace("\n", " ") for text in said]
        assert not [entry.data for entry in call.log if entry.type == "error"]
        return answers, [(row.status, row.reason or None, row.said or None) for row in call.state.confirms]

    return asyncio.run(conversation())


def talk(*said: str, sheet: str = SHEET, office: type[Agent] = Office) -> list[str]:
    """Say these lines; give the answers, each on one line."""
    return hold(*said, sheet=sheet, office=office)[0]


def outcomes(*said: str) -> list[tuple[Any, ...]]:
    """Say these lines; give what became of each question: its status, the reason, and the words."""
    return hold(*said, sheet=SHEET, office=Office)[1]


ASKED = "Shall I reserve 2 seats?"


def test_a_clear_yes_is_said_for_it_and_what_the_tool_gives_is_told_as_ever() -> None:
    assert talk("two seats", "yes, please") == [ASKED, "Yours: 2."]
    assert outcomes("two seats", "yes, please") == [("granted", None, "yes, please")]
    assert talk("ten", "yes")[-1] == "That did not work: nine at most"


def test_after_a_clear_no_the_sheet_says_its_line_or_a_plain_one_is_said() -> None:
    assert talk("two", "no thanks", sheet=SHEET + DECLINED)[-1] == "Not 2 then. How many seats?"
    assert outcomes("two", "no thanks") == [("declined", "no", "no thanks")]
    assert talk("two", "no")[-1] == "All right, then not. How many seats?"  # not the line for what did not work
    assert talk("two", "no", "two", "yes")[2:] == [ASKED, "Yours: 2."]


@pytest.mark.parametrize("said", ["maybe", "yes?", "the day is fine", "two", "two, yes", "which question?"])
def test_what_is_neither_leaves_it_open_and_opens_no_second_question(said: str) -> None:
    assert talk("two", said, "yes") == [ASKED, f"Sorry, was that a yes or a no? {ASKED}", "Yours: 2."]


def test_a_side_question_is_answered_and_the_question_of_the_stage_is_not_put_beside_the_other() -> None:
    assert talk("two", "how much is that?") == [ASKED, f"Thirty euros a seat. {ASKED}"]
    assert talk("how much is it?") == ["Thirty euros a seat. How many seats?"]


def test_what_was_said_before_is_said_again_without_the_question_that_comes_by_itself() -> None:
    said = talk("two", "how much?", "pardon?", "pardon?")
    assert said[2:] == [f"Thirty euros a seat. {ASKED}", f"Thirty euros a seat. {ASKED}"]
    assert talk("two", "pardon?")[-1] == f"Sorry, was that a yes or a no? {ASKED}"


def test_a_changed_mind_is_asked_about_anew() -> None:
    assert talk("two", "no, three", "yes") == [ASKED, "Shall I reserve 3 seats?", "Yours: 3."]
    assert outcomes("two", "no, three", "yes") == [("declined", "changed", None), ("granted", None, "yes")]


def test_who_wants_something_else_is_taken_to_decline_and_then_answered() -> None:
    assert talk("two", "another show please")[-1] == "We only have Hamlet."
    assert outcomes("two", "another show please") == [("declined", "no", "another show please")]
    assert talk("two", "more seats", "four")[1:] == ["How many seats?", "Shall I reserve 4 seats?"]
    assert talk("another show please") == ["We only have Hamlet."]  # nothing to decline


def test_a_judge_that_does_not_agree_leaves_it_open() -> None:
    class Strict(Office):
        """You sell tickets."""

        def consents(self, said: str) -> bool | None:
            return True if said == "I agree to pay" else None

    assert talk("two", "yes", office=Strict)[-1] == f"Let me ask that once more, to be sure. {ASKED}"


def test_a_yes_in_another_language_is_one_where_sheet_and_agent_say_so() -> None:
    class Kasse(Office):
        """Du verkaufst Karten."""

        language = "de"

    assert talk("2", "ja bitte", sheet='language = "de"\n' + SHEET, office=Kasse)[-1] == "Yours: 2."
    with pytest.raises(CueSheetRefused, match=r"a no in 'en', the agent in 'de'; write language = 'de'"):
        CueSheet.loads(SHEET).check(Kasse)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (DECLINED, "after 3 (reserve): nobody is asked before reserve; give it `confirm=`, or leave `declined` out"),
        ("", "cue 'another show': `declines` is for an agent with a tool that has `confirm=`"),
    ],
)
def test_a_sheet_that_foresees_a_no_is_for_an_agent_that_asks(text: str, says: str) -> None:
    class Hasty(Agent):
        """You sell tickets."""

        @tool
        def reserve(self, seats: int) -> int:
            """Reserves seats."""
            return seats

    with pytest.raises(CueSheetRefused) as caught:
        CueSheet.loads(SHEET + text).check(Hasty)
    assert says in str(caught.value)
