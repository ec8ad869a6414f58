"""Goldens of guarded tools: what the caller is asked, what they answer, and what runs only then."""

import asyncio
from collections.abc import Sequence
from textwrap import dedent
from typing import Literal

import pytest

from cuelight import Agent, tool
from cuelight.testing import Script, answers, calls, rehearse
from cuelight.testing.goldens import golden_schema
from cuelight.testing.goldens.consenting import judge_yes
from cuelight.wire import Entry
from golden_making import Desk

RAN_EARLY = "the caller was asked about its call, and it runs only once they have said yes"


class Ferry(Agent):
    """You sell crossings."""

    stage: Literal["quay", "aboard"] = "quay"
    seats: int = 0

    @tool(stage="quay", confirm="Shall I book {seats} seats at {at}?", effect="irreversible", pii="card")
    def book(self, at: str, seats: int = 1, card: str = "") -> str:
        """Books seats."""
        self.seats = seats
        self.stage = "aboard"
        return f"{seats} at {at}"

    @tool(stage="quay", confirm="Shall I send the harbour a message?")
    def send(self) -> str:
        """Sends a message."""
        return "sent"

    @tool(name="book", stage="aboard")
    def book_more(self, at: str) -> str:
        """Books a seat more; nobody has asked for a yes here."""
        return f"another at {at}"

    @tool(effect="read")
    def weather(self) -> str:
        """Tells the weather."""
        return "sunny"


def _golden(model: str, turns: str, rest: str = "") -> str:
    parts = "name: A crossing", "model:", dedent(model).strip("\n"), "turns:", dedent(turns).strip("\n"), dedent(rest)
    return "\n".join(parts)


ASK = "- {call: book, args: {at: noon, seats: 2}}"
ASKED = """
- say: two seats at noon
  then:
    - confirm: {tool: book, status: asked, phrase: book 2 seats at noon}
    - no_tool: true
    - visible: [book, send, weather, answer_confirmation]
    - reply: {says: "Shall I book 2 seats at noon?"}
    - nothing_else: true
"""


@pytest.mark.parametrize(("order", "passes"), [((0, 1), True), ((1, 0), False)])
def test_a_guarded_tool_runs_after_the_caller_has_said_yes(desk: Desk, order: tuple[int, int], passes: bool) -> None:
    lines = [
        "    - confirm: {tool: book, status: granted, said: YES  please}",
        "    - {tool: book, args: {at: noon, seats: 2}, result: 2 at noon}",
    ]
    yes = "- say: yes please\n  then:\n" + "\n".join(lines[place] for place in order)
    golden = _golden(
        f"{ASK}\n- {{answer: yes, tool: book}}\n- It is booked.",
        f"{ASKED}{yes}\n    - state: {{seats: 2}}\n    - stage: aboard\n    - nothing_else: true",
        "expect: {tools: [book], never_without_yes: [book]}",
    )
    run = desk.run(golden, Ferry)
    assert run.passed is passes, run.failure
    assert passes or "it came before what is written above it" in run.failure


def test_what_the_state_was_is_judged_before_the_yes(desk: Desk) -> None:
    turn = """
    - say: yes
      then:
        - stage: quay
        - confirm: {tool: book, status: granted}
        - state: {seats: 0}
        - tool: book
        - state: {seats: 2}
    """
    run = desk.run(_golden(f"{ASK}\n- answer: yes\n- Booked.", ASKED + dedent(turn)), Ferry)
    assert run.passed, run.failure


NO = """
- say: no thanks
  then:
    - confirm: {tool: book, status: declined, reason: no, said: no thanks}
    - no_tool: true
    - stage: quay
    - nothing_else: true
"""
UNCLEAR = """
- say: hm, what does it cost?
  then:
    - {tool: answer_confirmation, args: {answer: yes}}
    - no_tool: true
    - reply: {says: "Shall I book 2 seats at noon?"}
    - nothing_else: true
"""
CHANGED = """
- say: no, make that three
  then:
    - confirm: {tool: book, status: declined, reason: changed}
    - confirm: {tool: book, status: asked, phrase: [3 seats, noon]}
    - nothing_else: true
"""
LATE = """
- wait: 600
- say: yes
  then:
    - confirm: {tool: book, status: declined, reason: timeout}
    - nothing_else: true
"""


@pytest.mark.parametrize(
    ("model", "turns"),
    [
        ("- Then not.", NO),
        ("- {answer: no}\n- Then not.", NO),
        ("- {answer: yes}\n- I do not know.", UNCLEAR),
        ("- {call: book, args: {at: noon, seats: 3}}", CHANGED),
        ("- Too late.", LATE),
    ],
    ids=["no", "no, as the model says too", "unclear", "a changed mind", "too late"],
)
def test_a_guarded_tool_that_nobody_has_said_yes_to_has_not_run(desk: Desk, model: str, turns: str) -> None:
    rest = "expect: {not_tools: [book], never_without_yes: [book, send]}"
    run = desk.run(_golden(f"{ASK}\n{model}", ASKED + turns, rest), Ferry)
    assert run.passed, run.failure


def test_two_questions_are_told_apart_by_their_tools(desk: Desk) -> None:
    golden = _golden(
        "- [{call: book, args: {at: noon}}, {call: send}]\n- answer: yes\n- One more thing.\n"
        "- {answer: no, tool: send}\n- Then that is all.",
        """
        - say: noon, and tell the harbour
          then:
            - confirm: {tool: book, status: asked}
            - confirm: {tool: send, status: asked, phrase: message}
        - say: yes
          then:
            - confirm: {tool: book, status: granted}
            - tool: book
            - reply: {says: Shall I send}
        - say: yes
          then:
            - confirm: {tool: send, status: declined, reason: cancelled}
        """,
    )
    failure = desk.failure(golden, Ferry)
    assert "turn 3 (say: yes), then 1" in failure


# --- what is said where it is not so ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "expected", "came"),
    [
        ("tool: book", "tool book", RAN_EARLY),
        ("refused: book", "a call of book is refused", "the caller was asked about it"),
        (
            "confirm: {tool: book, status: asked, phrase: four seats}",
            'the caller is asked about book with "four seats"',
            'it was asked: "Shall I book 2 seats at noon?"',
        ),
        ("confirm: {tool: book, status: granted}", "book is granted", "it was asked"),
        (
            "confirm: {tool: book, status: declined, reason: no, said: no}",
            'book is declined (no) by "no"',
            "it was asked",
        ),
        ("confirm: {tool: send, status: asked}", "the caller is asked about send", "it did not come"),
        ("nothing_else: true", "nothing else", "confirm book, at entry 10"),
    ],
)
def test_a_check_that_breaks_says_what_came_of_the_question(desk: Desk, check: str, expected: str, came: str) -> None:
    failure = desk.failure(_golden(ASK, f"- say: two at noon\n  then:\n    - {check}"), Ferry)
    assert f"  expected  {expected}\n  came      {came}\n" in failure
    assert "confirm.request" in failure
    assert "audience" not in failure


@pytest.mark.parametrize(
    ("check", "came"),
    [
        ("confirm: {tool: book, status: declined, reason: cancelled}", "it was declined (no)"),
        ("confirm: {tool: book, status: declined, said: never}", 'it was declined (no): "no"'),
        ("nothing_else: true", "confirm book, at entry "),
    ],
)
def test_a_no_that_is_another_says_which(desk: Desk, check: str, came: str) -> None:
    turns = f"- say: two at noon\n- say: no\n  then:\n    - {check}"
    assert f"  came      {came}" in desk.failure(_golden(f"{ASK}\n- Fine.", turns), Ferry)


def test_a_run_that_no_check_names_is_something_else(desk: Desk) -> None:
    check = "- confirm: {tool: book, status: granted}\n    - nothing_else: true"
    golden = _golden(f"{ASK}\n- answer: yes\n- Booked.", f"- say: noon\n- say: yes\n  then:\n    {check}")
    assert "  came      tool book, at entry " in desk.failure(golden, Ferry)


def test_a_run_without_a_question_is_found(desk: Desk) -> None:
    golden = _golden(
        "- {call: book, args: {at: one}}\n- Booked.", "- say: one", "state: aboard\nexpect: {never_without_yes: [book]}"
    )
    failure = desk.failure(golden, Ferry)
    assert "  expected  book runs only after a yes\n  came      it ran, at entry 10, and nobody was asked\n" in failure


def test_an_answer_to_nothing_is_told(desk: Desk) -> None:
    failure = desk.failure(_golden("- {answer: yes, tool: book}", "- say: yes\n  then: [no_tool: true]"), Ferry)
    assert (
        "The answer 'yes' about 'book' finds no such question open; what waits for the caller's yes: nothing. "
        in failure
    )


def test_private_arguments_of_a_question_are_masked(desk: Desk) -> None:
    ask = '- {call: book, args: {at: noon, card: "4929123"}}'
    run = desk.run(_golden(f"{ask}\n- answer: yes\n- ok", """
        - say: noon, my card is 4929123
        - say: yes
          then:
            - {tool: book, args: {at: noon, card: "4929123"}}
    """), Ferry)  # fmt: skip
    assert run.passed, run.failure
    failure = desk.failure(_golden(ask, """
        - say: noon, my card is 4929123
          then:
            - confirm: {tool: book, status: granted}
    """), Ferry)  # fmt: skip
    assert "4929123" not in failure.split("what came", 1)[1]


# --- each part of a yes is needed -------------------------------------------------------------------------------------


def _entries(said: Sequence[str]) -> list[Entry]:
    async def conversation() -> list[Entry]:
        script = Script(calls("book", at="noon"), "Sunny.", answers("yes"), "Booked.")
        async with rehearse(Ferry, script) as call:
            for text in said:
                await call.say(text)
            return call.log

    return asyncio.run(conversation())


def test_each_part_of_a_yes_is_needed() -> None:
    entries = _entries(["noon please", "how is the weather?", "yes"])
    assert judge_yes(entries, "book") is None

    def without(*kinds: str) -> str:
        finding = judge_yes([entry for entry in entries if entry.type not in kinds], "book")
        assert finding is not None
        return finding[1].partition(", and ")[2]

    assert without("confirm.request") == "nobody was asked"
    assert without("confirm.granted") == "nobody had said yes"
    assert without("turn.agent") == "the question was never spoken"
    assert without("turn.user") == "the caller had not spoken after the question"


# --- what is refused before anything runs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "problem"),
    [
        ("{tool: book}", "turn 1, then 1, confirm lacks `status`"),
        ("{tool: book, status: asking}", 'turn 1, then 1, confirm, status: it is "asking"; write "asked", '
         '"granted", "declined"'),
        ("{tool: book, status: granted, phrase: seats}", "`phrase` belongs to the status asked"),
        ("{tool: book, status: asked, said: yes}", "`said` belongs to the status granted or declined"),
        ("{tool: book, status: granted, reason: no}", "`reason` belongs to the status declined"),
        ("{tool: book, status: asked, phrase: ''}", "`phrase` has no words"),
        ("{tool: bok, status: asked}", "Ferry has no tool `bok`; did you mean `book`?; its tools are book, send, "
         "weather"),
        ("{tool: weather, status: asked}", "tool `weather` has no `confirm`, so the caller is never asked for a yes"),
    ],
)  # fmt: skip
def test_a_check_that_cannot_be_met_is_refused(desk: Desk, check: str, problem: str) -> None:
    text = f"name: X\nturns:\n  - say: noon\n    then:\n      - confirm: {check}\n"
    (found,) = desk.problems(text, agent=Ferry)
    assert found.startswith(f"line 5: {problem}")


@pytest.mark.parametrize(
    ("rest", "problem"),
    [
        ("expect: {never_without_yes: [weather]}", "tool `weather` has no `confirm`"),
        ("expect: {never_without_yes: [sned]}", "Ferry has no tool `sned`; did you mean `send`?"),
        ("model: [{answer: yes, tool: weather}]", "tool `weather` has no `confirm`"),
        ("model: [[a, {answer: yes, tool: sned}]]", "Ferry has no tool `sned`; did you mean `send`?"),
        ("model: [{answer: maybe}]", 'model 1, answer: it is "maybe"; write "yes", "no", "other"'),
        ("model: [{tool: send}]", "a reply is text"),
        ("model: [{answer: yes, call: send}]", "a reply is text"),
    ],
)
def test_a_yes_that_cannot_come_is_refused(desk: Desk, rest: str, problem: str) -> None:
    text = f"name: X\nturns: [{{say: noon, then: [no_tool: true]}}]\n{rest}\n"
    (found,) = desk.problems(text, agent=Ferry)
    assert problem in found


def test_the_schema_has_the_question() -> None:
    confirm = golden_schema()["$defs"]["ConfirmCheck"]
    assert sorted(confirm["required"]) == ["status", "tool"]
    assert set(confirm["properties"]) == {"tool", "status", "phrase", "said", "reason"}
