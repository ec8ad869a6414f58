"""Outside a call a flow and its steps are plain, checked objects: made, read, written, copied and pickled."""

import copy
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest

from cuelight import (
    Flow,
    LogicStep,
    OutsideHandler,
    Step,
    StepNotDefined,
    TerminateSessionStep,
    UndeclaredField,
    WrongType,
    go,
    tool,
)
from cuelight.errors import AuthorError, StageIsRouted
from cuelight.testing import Script, calls
from lawbook import errors, rehearsing


@dataclass
class Boat:
    name: str
    tags: list[str] = field(default_factory=list)


class Party(Step):
    people: int = 1
    boat: Boat | None = None

    def __init__(self) -> None:
        self._notes = ["made"]

    @property
    def crowded(self) -> bool:
        return self.people > 4

    @tool
    def record(self, people: int) -> Any:
        """Records."""
        self.save_state(people=people)
        return go(Pay)


class Pay(Step):
    """Keeps anything."""


class Sort(LogicStep):
    def run_logic(self) -> Any:
        return go(Pay)


class Rental(Flow):
    """You rent boats."""

    steps = (Party, Pay, Sort, TerminateSessionStep)
    level: int = 1

    def __init__(self, service: list[str] | None = None) -> None:
        self._service = service if service is not None else []


WAYS = [copy.copy, copy.deepcopy, lambda rental: pickle.loads(pickle.dumps(rental))]


def test_a_flow_opens_in_its_first_step_with_the_defaults_of_all() -> None:
    rental = Rental()
    assert (rental.stage, type(rental.current), rental.level) == ("Party", Party, 1)
    assert (rental.step(Party).people, rental.step(Party).boat, rental.step(Party).crowded) == (1, None, False)
    assert rental.step(Party).get_prompt() is None
    assert rental.step(TerminateSessionStep).get_prompt()


def test_two_flows_share_nothing() -> None:
    one, other = Rental(), Rental()
    one.step(Party).boat = Boat("Ada")
    one.step(Party).boat.tags.append("red")  # type: ignore[union-attr]
    one.step(Party)._notes.append("one")
    one.step(Pay).save_state({"paid": [1]})
    assert other.step(Party).boat is None
    assert other.step(Party)._notes == ["made"]
    assert other.step(Pay).saved == {}


def test_state_of_steps_is_checked_as_it_is_written() -> None:
    party = Rental().step(Party)
    party.people = 3
    with pytest.raises(WrongType, match="people"):
        party.people = "many"  # type: ignore[assignment]
    with pytest.raises(UndeclaredField, match="poeple"):
        party.poeple = 3  # type: ignore[attr-defined]
    assert party.people == 3


def test_stage_is_read_and_never_written() -> None:
    rental = Rental()
    with pytest.raises(StageIsRouted) as refused:
        rental.stage = "Pay"  # type: ignore[misc]
    assert str(refused.value) == (
        "Rental.stage is the name of the current step, which only a route moves. Return it from a handler, as in "
        "`return go(NextStep)`."
    )
    assert (refused.value.code, isinstance(refused.value, AttributeError)) == ("stage-is-routed", True)
    assert rental.stage == "Party"


async def test_writing_the_stage_in_a_handler_fails_the_handler() -> None:
    class Ask(Step):
        done: bool = False

        @tool
        def leave(self) -> str:
            """Leaves the wrong way."""
            self.done = True
            self.flow.stage = "Pay"  # type: ignore[misc]
            return "left"

    class Trip(Flow):
        steps = (Ask, Pay)

    async with rehearsing(Trip, Script(calls("leave"), "Sorry.")) as call:
        await call.say("go")
        assert errors(call.log) == ["stage-is-routed"]
        assert (call.agent.stage, call.agent.step(Ask).done) == ("Ask", False)


@pytest.mark.parametrize("name", ["Address", "party", ""])
def test_a_step_that_is_not_registered_is_not_found_by_name(name: str) -> None:
    with pytest.raises(StepNotDefined) as refused:
        Rental().step(name)
    assert str(refused.value) == f"Step '{name}' is not defined in flow 'Rental'."
    assert (refused.value.step, refused.value.flow, refused.value.code) == (name, "Rental", "step-not-defined")


def test_a_step_is_found_by_its_class_and_by_no_other_of_its_name() -> None:
    rental = Rental()
    assert rental.step(Party) is rental.step("Party") is rental.current
    for wrong in (type("Party", (Step,), {}), Step, type("Sub", (Party,), {})):
        with pytest.raises(StepNotDefined, match=rf"^Step '{wrong.__name__}' is not defined in flow 'Rental'\.$"):
            rental.step(wrong)


@pytest.mark.parametrize("wrong", [None, 5, ["Party"]])
def test_what_names_no_step_at_all_is_not_found(wrong: Any) -> None:
    with pytest.raises(StepNotDefined):
        Rental().step(wrong)
    with pytest.raises(StepNotDefined):
        Rental().save_step_state(wrong, {"a": 1})


def test_a_step_in_no_flow_is_an_object_that_says_where_it_belongs() -> None:
    alone = Party()
    alone.save_state(people=6)
    assert (alone.people, alone.crowded) == (6, True)
    with pytest.raises(OutsideHandler) as refused:
        alone.flow  # noqa: B018
    assert str(refused.value) == ("This Party is in no flow. A flow makes its steps: read one with `flow.step(Party)`.")
    with pytest.raises(OutsideHandler, match="is in no flow"):
        alone.forget()


def test_a_flow_in_no_call_has_no_call() -> None:
    with pytest.raises(OutsideHandler, match="is in no call"):
        Rental().step(Party).call  # noqa: B018
    with pytest.raises(OutsideHandler):
        Rental().step(Party).forget()


@pytest.mark.parametrize("name", ["_flow", "_prompt", "_kept", "_cell"])
def test_what_is_cuelights_own_cannot_be_replaced(name: str) -> None:
    with pytest.raises(AuthorError, match="Cuelight's own"):
        setattr(Rental().step(Party), name, None)
    with pytest.raises(AuthorError, match="Cuelight's own"):
        Rental()._steps = {}


# --- copies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_of_a_flow_holds_the_state_of_every_step_and_shares_none(way: Any) -> None:
    rental = Rental(["service"])
    rental.step(Party).boat = Boat("Ada", ["red"])
    rental.step(Pay).save_state({"paid": {"euros": 5}})
    rental.save_step_state(Sort, {"_prompt": "Attached."})
    made = way(rental)
    assert type(made.current) is Party
    assert made.step(Party).boat == Boat("Ada", ["red"])
    assert made.step(Party)._notes == ["made"]
    assert made.step(Pay).saved == {"paid": {"euros": 5}}
    assert made.step(Sort).get_prompt() == "Attached."
    assert made.step(Party).flow is made
    made.step(Party).boat.tags.append("blue")
    made.step(Pay).save_state({"paid": 0})
    assert rental.step(Party).boat == Boat("Ada", ["red"])
    assert rental.step(Pay).saved == {"paid": {"euros": 5}}


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_of_a_step_is_in_no_flow(way: Any) -> None:
    rental = Rental()
    rental.step(Party).people = 4
    made = way(rental.step(Party))
    assert made.people == 4
    with pytest.raises(OutsideHandler):
        made.flow  # noqa: B018
    made.people = 5
    assert rental.step(Party).people == 4


@pytest.mark.parametrize("way", WAYS)
async def test_a_copy_of_a_flow_in_a_call_is_in_none(way: Any) -> None:
    async with rehearsing(Rental, Script(calls("record", people=3), "Paid?")) as call:
        await call.say("three")
        made = way(call.agent)
        assert (made.stage, made.step(Party).people) == ("Pay", 3)
        made.step(Party).people = 9
        assert call.agent.step(Party).people == 3
        with pytest.raises(OutsideHandler):
            made.step(Party).call  # noqa: B018
        with pytest.raises(OutsideHandler):
            call.agent.step(Party).people = 9
