"""What people write wrong who have not written a golden before: each is told with its mend."""

from datetime import date

import pytest

from cuelight import Agent
from cuelight.testing import Script
from golden_making import Desk

QUOTED = 'put a text between braces or brackets in double quotes, as in {says: "Who is calling?"}'
MEANS = f"means something here; {QUOTED}"
BEGINS = 'a text cannot begin with this sign; put the text in double quotes, as in say: "…"'
BEHIND = (
    "a text goes on behind the quotation mark that ends it; put the whole of it in double quotes, "
    'with \\" for each within, as in say: "It\'s \\"no\\""'
)
COLON = 'a text has ": " in it, which would end a key; put the text in double quotes, as in say: "…"'
STRAIGHT = "this stands too far left or right; put it straight below the line that it belongs with"


def _turn(*lines: str) -> str:
    """A golden whose only turn begins in line 3."""
    return "name: X\nturns:\n" + "".join(f"{line}\n" for line in lines)


# --- what is no YAML --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["  - say: a", "    then:", "      - reply: {says: Who is calling?}"], f"5: `?` {MEANS}"),
        (["  - say: a", "    then:", "      - reply: {says: It is 5: five}"], f"5: `:` {MEANS}"),
        (
            ["  - say: a", "    then:", "      - reply: {says: 'it's Ada'}"],
            f"5: a text goes on behind its quotation mark; {QUOTED}",
        ),
        (
            ["  - say: a", "    then:", "      - reply: {says: hello", "      - no_tool: true"],
            f"6: the `{{` of line 5 is not closed before this; close it, and {QUOTED}",
        ),
        (["  - say: a", "    then: [{no_tool: true}"], "5: the `[` of line 4 is never closed"),
        (["  - say: listen: I want to pay", "    then: []"], f"3: {COLON}"),
        (["  - say: a", "    then:", "      - reply:", "          says: Is it you: Ada?"], f"6: {COLON}"),
        (
            ["  - say: a", "    then:", "      - tool: put", "          args: {a: 1}"],
            "6: `args` stands too far right; put it straight below the key before it",
        ),
        (["  - say: a", "    then:", "      - reply: {says: a}", "     - no_tool: true"], f"6: {STRAIGHT}"),
        (["  - say: a", "   then: []"], f"4: {STRAIGHT}"),
        (["  - say: 'it's Ada'"], f"3: {BEHIND}"),
        (['  - say: "yes", she said'], f"3: {BEHIND}"),
        (['  - say: "yes', "    then: []"], "3: a quotation mark is never closed"),
        (["  - say: @home", "    then: []"], f"3: {BEGINS}"),
        (["  - say: , yes", "    then: []"], f"3: {BEGINS}"),
        (["  - say: > yes", "    then: []"], f"3: {BEGINS}"),
        (["  - say: ? yes", "    then: []"], f"3: {BEGINS}"),
        (
            ["  - say: - yes", "    then: []"],
            "3: an item of a list begins a line of its own; "
            'a text with "- " in front stands in double quotes, as in say: "…"',
        ),
        (["  - say: a", "    then", "    expect: []"],
         "4: a line has no key; write `key: value`, or indent it further where it goes on with a text"),
        (["  - say: a", '    then: [reply: {matches: "\\d"}]'],
         "4: between double quotes a backslash begins an escape, and this is none; "
         'write it twice, as in matches: "\\\\d+"'),
        (["  - say: a", "    then: []}"], "4: a brace or bracket ends here that was never begun"),
        (["\t- say: a"], "3: a line is indented by a tab; indent by spaces"),
    ],
)  # fmt: skip
def test_what_is_no_yaml_is_told_with_its_mend(desk: Desk, lines: list[str], problem: str) -> None:
    line, _, said = problem.partition(": ")
    assert desk.problems(_turn(*lines)) == [f"line {line}: it is no YAML: {said}"]


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        (["  - say: a room #5 please", "    then: [no_tool: true]"], "say"),
        (["  - say: a", "    then: [reply: {says: a room #5", "}]"], "says"),
        (["  - say: a", "    then:", "      - reply:", "          not: [b,", "            a #5", "]"], "not"),
        (["  - say: a", "    then: [no_tool: true]", "model:", "  - Room #5 is free"], "model"),
    ],
)
def test_words_that_a_comment_cuts_short_are_refused(desk: Desk, lines: list[str], key: str) -> None:
    text = _turn(*lines)
    line = text[: text.index(" #")].count("\n") + 1
    said = f"line {line}: `{key}` ends before ` #`, where a comment begins"
    assert desk.problems(text) == [f"{said}; put the text in double quotes, or a space behind the #"]


def test_a_comment_behind_words_is_one_where_it_looks_like_one(desk: Desk) -> None:
    read = desk.read(_turn("  - say: a   # the opening", '  - say: "room #5"  #5', "    then: [no_tool: true] #x"))
    assert [turn.say for turn in read.golden.turns] == ["a", "room #5"]


# --- what does not fit ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["  - say: a", "    expect: []"],
         "4: turn 1 has no key `expect`; it stands beside `turns`; in a turn write `then`"),
        (["  - user: a", "    then: [no_tool: true]"], "3: turn 1 has no key `user`; write `say`"),
        (["  - input: a", "    then: [no_tool: true]"], "3: turn 1 has no key `input`; write `say`"),
        (["  - text: a", "    then: [no_tool: true]"], "3: turn 1 has no key `text`; write `say`"),
        (
            ["  - say: a", "    then:", "      - says: b"],
            "5: turn 1, then 1 has no key `says`; it stands in `reply`, as in reply: {says: …}",
        ),
        (["  - say: a", "    then:", "      - confirm: yes"],
         '5: turn 1, then 1, confirm: it is "yes"; write {tool: …, status: …}'),
        (
            ["  - say: a", "    then:", "      - reply: {says: Sorry, who is it}"],
            "5: turn 1, then 1, reply has no key `who is it`; a comma between braces begins another key: "
            'put a text with one in double quotes, as in {says: "Sorry, who is calling?"}',
        ),
        (["  - say: a", "    then: [no_tool: true]", "then: []"], "5: a golden has no key `then`; it stands in a turn"),
        (
            ["  - say: a", "    then:", f"      - nothing_else: {'9' * 60}"],
            f"5: turn 1, then 1, nothing_else: it is {'9' * 40}…; write true",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_with_what_does(desk: Desk, lines: list[str], problem: str) -> None:
    line, _, said = problem.partition(": ")
    problems = desk.problems(_turn(*lines))
    assert f"line {line}: {said}" in problems
    assert problems == [f"line {line}: {said}"] or "judges nothing" in problems[0]


def test_a_misspelled_key_is_told_once(desk: Desk) -> None:
    known = "it may have name, turns, about, agent, state, today, expect, model"
    problem = "a golden has no key `{}`; did you mean `{}`?; " + known
    assert desk.problems("nmae: X\nturns: [say: a]\nexpect: {says: b}") == [f"line 1: {problem.format('nmae', 'name')}"]
    assert desk.problems("name: X\ntruns: [say: a]\nexpect: {says: b}") == [
        f"line 2: {problem.format('truns', 'turns')}"
    ]


# --- the day ----------------------------------------------------------------------------------------------------------

DAY = """
name: X
today: 2026-12-01
turns:
  - say: a
    then:
      - state: {today: 2026-12-01}
"""
NOTE = "  note      the golden's `today` sets the call's clock; the field `today` is set by `state`"


class Planner(Agent):
    """You plan."""

    today: date | None = None
    late: bool = False


class Waking(Planner):
    """You plan from the first moment on."""

    def on_call(self) -> None:
        self.today = date(2026, 12, 1)


class Telling(Agent):
    """You plan, and say the day in words."""

    @property
    def today(self) -> str:
        return "a Tuesday"


def test_a_field_today_that_is_not_the_day_is_told_where_a_golden_fails(desk: Desk) -> None:
    assert NOTE in desk.failure(DAY, Planner, Script("Hello"))
    for text, agent in (
        (DAY.replace("state: {today: 2026-12-01}", "state: {late: true}"), Waking),
        (DAY, Telling),
        (DAY + "state: {today: 2026-12-02}\n", Planner),
        (DAY.replace("today: 2026-12-01\nturns", "turns"), Planner),
    ):
        assert NOTE not in desk.failure(text, agent, Script("Hello"))
    assert desk.run(DAY, Waking, Script("Hello")).passed
    assert desk.run(DAY + "state: {today: 2026-12-01}\n", Planner, Script("Hello")).passed
