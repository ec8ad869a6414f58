"""A golden fails for what breaks in the call as a whole, and says so: errors, hidden tools, the end, the model."""

import pytest

from cuelight import Agent
from golden_agents import Bakery, Rental
from golden_making import Desk


def _head(failure: str) -> list[str]:
    """What failed, at which line, what was expected, and what came."""
    lines = failure.partition("\n\n")[0].split("\n")
    return [lines[0], *(line[12:] for line in lines[1:])]


# --- expect -----------------------------------------------------------------------------------------------------------

TWO = """
name: Two
model:
  - {call: put, args: {loaves: 2}}
  - [Well., {call: charge, args: {pin: "1234"}}]
  - No.
turns:
  - say: two
    then:
      - refused: charge
expect:
  %s
"""

LAST = """
  what came in the last turn:
       9  turn.user       "two"
      12  tool.call       put {"loaves":2}
      13  tool.result     put → {"loaves":2,"sorts":["rye"],"day":"None"}
      14  state.changed   {"loaves":2,"sorts":["rye"],"price":6.0}
      19  tool.call       charge {"pin":"[private]"}
      20  tool.result     charge → Nothing was done: that tool cannot be called now. These can: put, finish, look, hang_up.
      21  cue.refused     {"name":"charge","reason":"hidden"}
      25  turn.agent      "Well.\\nNo."

  stage     choose
  visible   put, finish, look, hang_up
  view      In the basket: 2 loaves."""  # noqa: E501


@pytest.mark.parametrize(
    ("holds", "fails", "place", "expected", "came"),
    [
        ("tools: [put]", "tools: [put, put]", "tools 2", "the tools put, put run", "put ran"),
        ("tools: [put]", "tools: [charge]", "tools 1", "the tools charge run", "put ran"),
        ("not_tools: [look, charge]", "not_tools: [look, put]", "not_tools 2", "put does not run", "it ran"),
        ("never_visible: [charge]", "never_visible: [look]", "never_visible 1", "look is never visible", "it was"),
        ("state: {loaves: 2, price: 6}", "state: {loaves: 3}", "state", 'state {"loaves":3}', "state.loaves is 2"),
        (
            "says: [good day, well]",
            "says: [good day, sure]",
            "says",
            "the agent says “sure”",
            "“Good day!\nWell.\nNo.”",
        ),
        ("not: sure", "not: [sure, WELL]", "not", "the agent does not say “WELL”", "“Good day!\nWell.\nNo.”"),
        (
            "max_model_requests: 3",
            "max_model_requests: 2",
            "max_model_requests",
            "at most 2 requests to the model",
            "3 were made",
        ),
    ],
)
def test_a_part_of_expect_holds_or_fails(
    desk: Desk, holds: str, fails: str, place: str, expected: str, came: str
) -> None:
    assert desk.run(TWO % holds, Bakery).failure == ""
    head = f"Two: expect, {place}\n  at        it.yaml:11\n  expected  {expected}\n  came      {came}\n"
    assert desk.failure(TWO % fails, Bakery) == head + LAST


def test_the_tools_that_run_may_have_others_between_them(desk: Desk) -> None:
    text = """
    name: X
    model: [[{call: put, args: {loaves: 1}}, {call: look, args: {sort: rye}}, {call: finish}], Well]
    turns: [{say: a}]
    expect: {tools: [put, finish]}
    """
    assert desk.run(text, Bakery).passed
    assert _head(desk.failure(text.replace("[put, finish]", "[finish, put]"), Bakery))[2:] == [
        "the tools finish, put run", "put, look, finish ran",
    ]  # fmt: skip


def test_what_is_visible_in_the_opening_counts_as_visible(desk: Desk) -> None:
    text = "name: X\nturns: [wait: 0]\nexpect: {never_visible: [look]}"
    assert _head(desk.failure(text, Bakery))[3] == "it was"


# --- errors -----------------------------------------------------------------------------------------------------------

SILENT = """
name: Silent
model: ["", "", "", Hello]
turns:
  - say: hello?
    then:
      - reply: {says: lost the thread}
  - say: hello
    then:
      - stage: done
"""


def test_an_error_that_its_turn_does_not_name_fails_there(desk: Desk) -> None:
    empty = "error model-empty: The model's reply was empty."
    again = f"{empty} It is asked again."
    assert _head(desk.failure(SILENT, Bakery)) == [
        "Silent: turn 1 (say: hello?)",
        "it.yaml:4",
        "no error, refusal or failure that the turn does not name",
        f"entry 11: {again}; entry 13: {again}; entry 15: {empty} A line written by code is spoken in its place.",
    ]
    named = SILENT.replace("lost the thread}", "lost the thread}\n      - error: model-empty")
    assert desk.failure(named, Bakery).startswith("Silent: turn 2 (say: hello), then 1\n")
    assert desk.failure(f"{SILENT}expect: {{no_errors: false}}", Bakery).startswith("Silent: turn 2 (say: hello), then")
    # Named in another turn is not named in this.
    late = SILENT.replace("- stage: done", "- error: model-empty")
    assert desk.failure(late, Bakery).startswith("Silent: turn 1 (say: hello?)\n")


def test_a_refused_call_that_its_turn_does_not_name_fails_there(desk: Desk) -> None:
    failure = desk.failure((TWO % "says: no").replace("    then:\n      - refused: charge\n", ""), Bakery)
    assert _head(failure) == [
        "Two: turn 1 (say: two)",
        "it.yaml:7",
        "no error, refusal or failure that the turn does not name",
        "entry 19: charge was refused: Nothing was done: that tool cannot be called now. "
        "These can: put, finish, look, hang_up.",
    ]


def test_a_stopped_loop_fails_unless_it_is_named(desk: Desk) -> None:
    replies = "".join(f"  - {{call: look, args: {{sort: a{number}}}}}\n" for number in range(4))
    text = f"name: X\nmodel:\n{replies}turns:\n  - say: a\n    then:\n      - tool: look\n      - refused: look\n"
    head = _head(desk.failure(text, Bakery))
    assert head[0] == "X: turn 1 (say: a)"
    assert head[3].startswith("entry 27: error limit-model-requests: The turn was stopped at its limit")
    assert desk.run(f"{text}      - error: limit-model-requests\n", Bakery).passed


class Broken(Bakery):
    def on_call(self) -> None:
        raise RuntimeError("no oven")


def test_an_error_while_the_call_opens_fails_before_the_first_turn(desk: Desk) -> None:
    text = "name: X\nmodel: [Hello]\nturns:\n  - say: a\n    then:\n      - stage: done\n"
    failure = desk.failure(text, Broken)
    assert failure.startswith("X: opening\n  at        it.yaml:1\n  expected  no error, refusal or failure that")
    assert ": no oven\n" in failure
    opens = text.replace("turns:\n", "turns:\n  - then:\n      - error: handler-raised\n")
    assert desk.failure(opens, Broken).startswith("X: turn 2 (say: a), then 1\n")
    assert desk.failure(opens.replace("raised", "timeout"), Broken).startswith("X: turn 1 (the opening), then 1\n")


# --- tools that are hidden --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "make", "came"),
    [
        (
            "model: [Hm]\nturns: [{say: a, then: [{tool: charge}]}]",
            Bakery,
            "it did not come; it is hidden in choose, and shown in pay",
        ),
        (
            'model: [{call: charge, args: {pin: "1"}}, Hm]\nturns: [{say: a, then: [{tool: charge}]}]',
            Bakery,
            "its call was refused: Nothing was done: that tool cannot be called now. "
            "These can: put, finish, look, hang_up; it is hidden in choose, and shown in pay",
        ),
        (
            "state: pay\nmodel: [Hm]\nturns: [{say: a, then: [{tool: discount}]}]",
            Bakery,
            "it did not come; it is hidden in pay by its `when`, or because the step waits for the caller",
        ),
        ("model: [Hm]\nturns: [{say: a, then: [{tool: put}]}]", Bakery, "it did not come"),
        (
            "state: Payment\nmodel: [Hm]\nturns: [{say: a, then: [{tool: note_guest}]}]",
            Rental,
            "it did not come; it is hidden in Payment, and shown in PartySize and PickBoat",
        ),
        (
            "state: PickBoat\nmodel: [{call: record_boat, args: {boat: Heron}}, {call: pay, args: {code: 7}}, Hm]\n"
            "turns: [{say: a, then: [{tool: record_boat}, {tool: pay}]}]",
            Rental,
            "its call was refused: Nothing was done: no tool can be called now. Answer in words; "
            "it is hidden in Payment by its `when`, or because the step waits for the caller",
        ),
        # It was there when the turn began.
        ("model: [{call: finish}, Hm]\nturns: [{say: a, then: [{tool: look}]}]", Bakery, "it did not come"),
    ],
)
def test_a_tool_that_is_hidden_is_said_to_be_with_what_shows_it(
    desk: Desk, text: str, make: type[Agent], came: str
) -> None:
    assert _head(desk.failure(f"name: X\n{text}", make))[3] == came


# --- the end ----------------------------------------------------------------------------------------------------------

BYE = """
name: Bye
model: [{call: hang_up}]
turns:
  - say: bye
    then:
      - end: true
  - say: hello?
    then:
      - no_tool: true
"""


def test_nothing_is_said_to_a_call_that_is_over(desk: Desk) -> None:
    ended = ["it.yaml:7", "the call to go on", "it had ended: agent_hung_up"]
    assert _head(desk.failure(BYE, Bakery)) == ["Bye: turn 2 (say: hello?)", *ended]
    happens = BYE.replace("say: hello?", "event: {name: bread.ready}")
    assert _head(desk.failure(happens, Bakery)) == ["Bye: turn 2 (event: bread.ready)", *ended]


def test_time_passes_after_the_end(desk: Desk) -> None:
    waits = BYE.replace("say: hello?", "wait: 5")
    assert desk.run(waits, Bakery).passed
    assert desk.failure(waits.replace("no_tool: true", "end: true"), Bakery) == (
        "Bye: turn 2 (wait: 5), then 1\n"
        "  at        it.yaml:9\n  expected  the call ends\n  came      it did not come\n\n"
        "  what came in this turn:\n    nothing\n\n  stage     choose\n  visible   put, finish, look, hang_up\n"
        "  view      In the basket: 0 loaves."
    )


# --- the model --------------------------------------------------------------------------------------------------------


def test_a_script_that_runs_out_fails_the_turn_that_asked(desk: Desk) -> None:
    text = "name: X\nmodel: [one]\nturns:\n  - say: a\n  - say: b\n    then: [no_tool: true]"
    assert _head(desk.failure(text, Bakery)) == [
        "X: turn 2 (say: b)",
        "it.yaml:5",
        "the turn to run",
        "The script has 1 item, and request 2 came, whose last message is user: 'b'. "
        "Add an item for what the model replies there.",
    ]


@pytest.mark.parametrize(("model", "came"), [('["a", "b"]', "1 was not"), ('["a", "b", "c"]', "2 were not")])
def test_replies_that_are_left_over_fail(desk: Desk, model: str, came: str) -> None:
    text = f'{{"name": "X",\n"turns": [{{"say": "a", "then": [{{"no_tool": true}}]}}],\n"model": {model}}}'
    head = _head(desk.failure(text, Bakery, name="it.json"))
    assert head == ["X: model", "it.json:3", "all replies of the model to be asked for", came]


def test_a_request_that_fails_is_an_error_and_asked_again(desk: Desk) -> None:
    text = "name: X\nmodel: [{fail: down}, Hello]\nturns:\n  - say: a\n    then:\n      - reply: {says: hello}\n"
    assert _head(desk.failure(text, Bakery))[3].startswith("entry 11: error model-failed: down")
    assert desk.run(f"{text}      - error: model-failed\n", Bakery).passed


def test_arguments_that_are_no_json_are_refused(desk: Desk) -> None:
    text = 'name: X\nmodel: [{call: put, raw: "{oops"}, Hm]\nturns: [{say: a, then: [{refused: put}, {no_tool: true}]}]'
    assert desk.run(text, Bakery).passed


# --- the agent --------------------------------------------------------------------------------------------------------


class Closed(Bakery):
    def __init__(self) -> None:
        raise LookupError("no flour")


class Needy(Bakery):
    def __init__(self, oven: object) -> None:
        super().__init__()


class Once(Bakery):
    made = 0

    def __init__(self) -> None:
        type(self).made += 1
        if self.made > 1:
            raise LookupError("no flour left")
        super().__init__()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (Closed, ("the agent cannot be made: LookupError (test_golden_calls.py:", "): no flour")),
        (Once, ("the agent cannot be made: LookupError (test_golden_calls.py:", "): no flour left")),
        (Needy, ("Needy cannot be made without arguments (", "lambda: Needy(service).")),
        (lambda: 5, ("<lambda> gave a value of type int", "; a call needs an Agent.")),
    ],
)
def test_an_agent_that_cannot_be_made_fails_its_golden(desk: Desk, make: type[Agent], told: tuple[str, str]) -> None:
    failure = desk.failure("name: X\nmodel: [a]\nturns: [{say: a, then: [{no_tool: true}]}]", make)
    first, told_line = failure.split("\n")
    assert first == "X: failed"
    assert told_line.startswith(f"  {told[0]}")
    assert told_line.endswith(told[1])


# --- private values ---------------------------------------------------------------------------------------------------

CARD = """
name: Card
state: pay
model:
  - {call: charge, args: {pin: "94871236", note: PIN 94871236}}
  - Paid with 94871236.
turns:
  - say: my PIN is 94871236
    then:
      - tool: charge
      - %s
"""


@pytest.mark.parametrize(
    ("check", "expected", "came"),
    [
        ("state: {pin: '94871237'}", 'state {"pin":"94871237"}', 'state.pin is "[private]"'),
        ("reply: {says: Paid with 1}", "the reply says “Paid with 1”", "“Paid with [private].”"),
        ("reply: {not: Paid with 94871236}", "the reply does not say “Paid with 94871236”", "“Paid with [private].”"),
        ("{tool: charge, args: {note: x}}", 'tool charge {"note":"x"}', "it did not come"),
    ],
)  # fmt: skip
def test_private_values_are_masked_and_what_the_golden_says_is_shown(
    desk: Desk, check: str, expected: str, came: str
) -> None:
    head = f"Card: turn 1 (say: my PIN is 94871236), then 2\n  at        it.yaml:10\n  expected  {expected}\n"
    tail = """
  what came in this turn:
       9  turn.user       "my PIN is [private]"
      12  tool.call       charge {"pin":"[private]","note":"PIN [private]"}
      13  tool.result     charge → {"loaves":0,"sorts":[],"card":"[private]"}
      14  state.changed   {"pin":"[private]","stage":"done"}
      19  turn.agent      "Paid with [private]."

  stage     done
  visible   hang_up
  view      In the basket: 0 loaves."""
    assert desk.failure(CARD % check, Bakery) == f"{head}  came      {came}\n{tail}"


def test_private_values_are_judged(desk: Desk) -> None:
    assert desk.run(CARD % "state: {pin: '94871236'}", Bakery).passed


def test_a_private_value_too_short_to_be_masked_in_words_is_masked_in_its_place(desk: Desk) -> None:
    text = """
    name: X
    state: {stage: Payment}
    model: [{call: pay, args: {code: "77"}}, Bye]
    turns:
      - say: it is that
        then:
          - %s
    """
    paid = desk.failure(text % "{tool: pay, args: {code: '78'}}", Rental)
    assert _head(paid)[3] == 'pay {"code":"[private]"} (args.code is "[private]")'
    state = desk.failure(text % "state: {Payment: {code: '78'}}", Rental)
    assert _head(state)[3] == 'state.Payment.code is "[private]"'
    assert "77" not in paid + state


def test_a_long_private_value_is_masked_before_it_is_shortened(desk: Desk) -> None:
    long = "x" * 190
    text = f"""
    name: X
    state: pay
    model: [{{call: charge, args: {{pin: "94871236", note: {long} 94871236}}}}, Paid]
    turns: [{{say: a, then: [{{tool: charge, args: {{note: y}}}}]}}]
    """
    failure = desk.failure(text, Bakery)
    assert "9487" not in failure
    assert "…" in failure


# --- tools that fail in their own words -------------------------------------------------------------------------------

CAKE = """
name: Cake
model: [{call: look, args: {sort: cake}}, We have none.]
turns:
  - say: any cake?
    then:
      - {tool: look%s}
"""


def test_a_tool_that_failed_passes_for_one_that_was_done_only_where_its_words_are_written(desk: Desk) -> None:
    run = desk.run(CAKE % "", Bakery)
    assert "expected  no error, refusal or failure that the turn does not name" in run.failure
    assert "look failed: We have no cake." in run.failure
    run = desk.run(CAKE % ", result: We have no cake.", Bakery)
    assert run.passed, run.failure
