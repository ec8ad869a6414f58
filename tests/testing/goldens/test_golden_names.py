"""A golden names what its agent has, or is refused with the nearest right name before anything runs."""

import pytest

from cuelight.agent import Agent
from cuelight.errors import GoldenRefused
from cuelight.testing import Script
from cuelight.testing.goldens import check_names, opening_state
from golden_agents import Bakery, Rental
from golden_making import Desk

TOOLS = "its tools are put, finish, look, charge, discount, deliver, hang_up"
STAGES = "it has choose, pay, done"
FIELDS = "it has stage, loaves, sorts, gift, pin, price"
STEPS = "it has PartySize, PickBoat, Payment, TerminateSessionStep"
FLOW_TOOLS = "its tools are note_guest, record_party, show_prices, record_boat, list_boats, pay"


def _check(written: str) -> str:
    return f"name: X\nturns:\n  - say: hello\n    then:\n      - {written}\n"


def _expect(written: str) -> str:
    return f"name: X\nturns:\n  - say: hello\nexpect:\n  {written}\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (_check("tool: putt"), f"Bakery has no tool `putt`; did you mean `put`?; {TOOLS}"),
        (_check("tool: sell_cheese"), f"Bakery has no tool `sell_cheese`; {TOOLS}"),
        (_check("refused: chrge"), f"Bakery has no tool `chrge`; did you mean `charge`?; {TOOLS}"),
        (_check("visible: [put, finnish]"), f"Bakery has no tool `finnish`; did you mean `finish`?; {TOOLS}"),
        (_check("stage: chose"), f"Bakery has no stage `chose`; did you mean `choose`?; {STAGES}"),
        (_check("step: choose"), "Bakery is no flow, so it has no steps; write `stage`"),
        (_check("state: {loafs: 2}"), f"Bakery has no field `loafs`; did you mean `loaves`?; {FIELDS}"),
        (_check("state: {prize: 2}"), f"Bakery has no field `prize`; did you mean `price`?; {FIELDS}"),
        (_check("state: {_today: 2}"), f"Bakery has no field `_today`; {FIELDS}"),
        (
            _check("{tool: put, args: {loavs: 2}}"),
            "tool `put` has no argument `loavs`; did you mean `loaves`?; it has loaves, sort",
        ),
        (_check("{tool: finish, args: {sort: a}}"), "tool `finish` has no argument `sort`; it has none"),
        (_check("route: {to: payy}"), f"Bakery has no stage `payy`; did you mean `pay`?; {STAGES}"),
        (
            _check("route: {from: don, applied: false}"),
            f"Bakery has no stage `don`; did you mean `done`?; {STAGES}",
        ),
        (_expect("tools: [put, chrge]"), f"Bakery has no tool `chrge`; did you mean `charge`?; {TOOLS}"),
        (_expect("not_tools: [chrge]"), f"Bakery has no tool `chrge`; did you mean `charge`?; {TOOLS}"),
        (_expect("never_visible: [chrge]"), f"Bakery has no tool `chrge`; did you mean `charge`?; {TOOLS}"),
        (_expect("state: {loave: 2}"), f"Bakery has no field `loave`; did you mean `loaves`?; {FIELDS}"),
    ],
)
def test_a_name_that_an_agent_has_not_is_refused(desk: Desk, text: str, problem: str) -> None:
    assert desk.problems(text, agent=Bakery) == [f"line 5: {problem}"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (_check("tool: record_boats"), f"Rental has no tool `record_boats`; did you mean `record_boat`?; {FLOW_TOOLS}"),
        (_check("step: Partysize"), f"Rental has no step `Partysize`; did you mean `PartySize`?; {STEPS}"),
        (_check("stage: PickBoot"), f"Rental has no step `PickBoot`; did you mean `PickBoat`?; {STEPS}"),
        (_check("route: {to: Paiment}"), f"Rental has no step `Paiment`; did you mean `Payment`?; {STEPS}"),
        (
            _check("state: {PickBoot: {}}"),
            "Rental has no field `PickBoot`; did you mean `PickBoat`?; it has stage, guest, PartySize, PickBoat, "
            "Payment, TerminateSessionStep",
        ),
        (
            _check("state: {PickBoat: {boot: Heron}}"),
            "step PickBoat has no field `boot`; did you mean `boat`?; it has hint, boat, is_chosen, _prompt",
        ),
        (
            _expect("state: {PartySize: {persons: 2}}"),
            "step PartySize has no field `persons`; it has people, _prompt",
        ),
        (
            _check("{tool: pay, args: {kode: 1}}"),
            "tool `pay` has no argument `kode`; did you mean `code`?; it has code",
        ),
    ],
)
def test_a_name_that_a_flow_has_not_is_refused(desk: Desk, text: str, problem: str) -> None:
    assert desk.problems(text, agent=Rental) == [f"line 5: {problem}"]


def test_every_name_is_told_at_once_in_the_order_of_the_file(desk: Desk) -> None:
    text = """
    name: X
    expect:
      tools: [putt]
    turns:
      - say: a
        then:
          - stage: chose
          - tool: put
            args: {loafs: 2, srt: x}
    """
    assert desk.problems(text, agent=Bakery) == [
        f"line 3: Bakery has no tool `putt`; did you mean `put`?; {TOOLS}",
        f"line 7: Bakery has no stage `chose`; did you mean `choose`?; {STAGES}",
        "line 9: tool `put` has no argument `loafs`; did you mean `loaves`?; it has loaves, sort",
        "line 9: tool `put` has no argument `srt`; did you mean `sort`?; it has loaves, sort",
    ]


def test_names_in_json_have_their_lines(desk: Desk) -> None:
    text = '{"name": "X", "turns": [\n{"say": "a",\n"then": [\n{"stage":\n"chose"}]}]}'
    problem = f"line 4: Bakery has no stage `chose`; did you mean `choose`?; {STAGES}"
    assert desk.problems(text, "it.json", agent=Bakery) == [problem]


@pytest.mark.parametrize(
    "written",
    ["state: {price: 0, stage: pay}", "state: {PickBoat: {is_chosen: false, _prompt: x}}", "route: {to: Payment}"],
)
def test_derived_fields_and_attached_prompts_are_names_too(desk: Desk, written: str) -> None:
    agent: type[Agent] = Bakery if "price" in written else Rental
    check_names(desk.read(_check(written)), agent())


def test_a_tool_that_the_script_makes_up_may_be_refused(desk: Desk) -> None:
    text = "name: X\nturns: [{say: a, then: [{refused: sell_cheese}]}]\nmodel: [[hm, {call: sell_cheese}], Sorry]"
    check_names(desk.read(text), Bakery())
    assert desk.run(text, Bakery).passed
    # But it cannot be one that runs.
    assert desk.problems(text.replace("refused:", "tool:"), agent=Bakery) == [
        f"line 2: Bakery has no tool `sell_cheese`; {TOOLS}"
    ]


# --- the state it opens in --------------------------------------------------------------------------------------------


def _opening(state: str) -> str:
    return f"name: X\nturns: [{{then: [{{no_tool: true}}]}}]\nstate: {state}\n"


@pytest.mark.parametrize(
    ("state", "opens"),
    [("pay", {"stage": "pay"}), ("{stage: pay, loaves: 2}", {"stage": "pay", "loaves": 2}), ("{}", {})],
)
def test_a_call_opens_in_a_state_or_a_stage(desk: Desk, state: str, opens: dict[str, object]) -> None:
    read = desk.read(_opening(state))
    assert opening_state(read) == opens
    check_names(read, Bakery())


def test_a_golden_without_a_state_opens_as_the_agent_does(desk: Desk) -> None:
    assert opening_state(desk.read("name: X\nturns: [{then: [{no_tool: true}]}]")) == {}


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        ("chose", f"Bakery has no stage `chose`; did you mean `choose`?; {STAGES}"),
        ("{loaves: 1, stage: chose}", f"Bakery has no stage `chose`; did you mean `choose`?; {STAGES}"),
        ("{stage: pay, loafs: 2}", f"Bakery has no field `loafs`; did you mean `loaves`?; {FIELDS}"),
        (
            "{loaves: two}",
            "Bakery.loaves holds int; the given state writes a value of type str, refused: it must be a valid integer",
        ),
        (
            "{stage: pay, price: 3}",
            "Bakery has no field 'price'; the given state writes it. Its fields: stage, loaves, sorts, gift, pin. "
            "Give it under the name of one of these, or leave it out",
        ),
        (
            "{stage: 5}",
            "5 is no stage of Bakery (the given state). Its stages are 'choose', 'pay', 'done'",
        ),
    ],
)
def test_a_state_that_does_not_fit_an_agent_is_refused(desk: Desk, state: str, problem: str) -> None:
    assert desk.problems(_opening(state), agent=Bakery) == [f"line 3: {problem}"]


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        ("PickBoot", f"Rental has no step `PickBoot`; did you mean `PickBoat`?; {STEPS}"),
        (
            "{PickBoat: Heron}",
            "Rental.PickBoat holds an object of the step's fields; the given state writes a value of type str, refused",
        ),
        (
            "{PickBoat: {boot: Heron}}",
            "step PickBoat has no field `boot`; did you mean `boat`?; it has hint, boat, is_chosen, _prompt",
        ),
        (
            "{stage: PickBoat, PartySize: {people: many}}",
            "PartySize.people holds int | None; the given state writes a value of type str, refused: "
            "it must be a valid integer",
        ),
    ],
)
def test_a_state_that_does_not_fit_a_flow_is_refused(desk: Desk, state: str, problem: str) -> None:
    assert desk.problems(_opening(state), agent=Rental) == [f"line 3: {problem}"]


def test_every_name_of_a_state_is_told_at_once(desk: Desk) -> None:
    text = "name: X\nturns: [{then: [{no_tool: true}]}]\nstate:\n  stage: chose\n  loafs: 2\n  prize: 3\n"
    assert desk.problems(text, agent=Bakery) == [
        f"line 4: Bakery has no stage `chose`; did you mean `choose`?; {STAGES}",
        f"line 5: Bakery has no field `loafs`; did you mean `loaves`?; {FIELDS}",
        f"line 6: Bakery has no field `prize`; did you mean `price`?; {FIELDS}",
    ]


def test_of_a_state_that_does_not_fit_nothing_is_laid_over(desk: Desk) -> None:
    agent = Bakery()
    read = desk.read(_opening("{loaves: 2, gift: maybe}"))
    with pytest.raises(GoldenRefused):
        check_names(read, agent)
    assert agent.loaves == 0


def test_an_agent_without_any_is_said_to_have_none(desk: Desk) -> None:
    class Bare(Agent):
        """You say hello."""

    text = _check("{tool: put, args: {loaves: 1}}") + "expect: {state: {loaves: 1}}\n"
    assert desk.problems(text, agent=Bare) == [
        "line 5: Bare has no tool `put`; its tools are none",
        "line 6: Bare has no field `loaves`; it has none",
    ]


def test_nothing_runs_when_a_name_is_wrong(desk: Desk) -> None:
    script = Script("hello")
    with pytest.raises(GoldenRefused):
        desk.run(_check("stage: chose"), Bakery, script)
    assert script.requests == []
