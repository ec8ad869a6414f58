"""A state that is given: to open a call in, or by a route; Python values or their JSON forms; all of it or nothing."""

import dataclasses
import enum
from datetime import date
from typing import Any, Literal

import pydantic
import pytest

from cuelight import Agent, NotAStage, UndeclaredField, WrongType, state
from cuelight.agent import lay_over, snapshot
from cuelight.testing import Script, rehearse


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Slot:
    id: str
    day: date


class Loose(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    n: int = 0


class Desk(Agent):
    stage: Literal["a", "b"] = "a"
    slots: list[Slot] = []
    colour: Colour | None = None
    price: float = 0.0
    loose: Loose | None = None
    name: str = state("", pii=True)


DAY = date(2026, 1, 31)


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ({"stage": "b"}, "b"),
        ({"slots": [{"id": "a", "day": "2026-01-31"}]}, [Slot("a", DAY)]),
        ({"slots": [Slot("a", DAY)]}, [Slot("a", DAY)]),
        ({"slots": [Slot("a", DAY), {"id": "b", "day": DAY}]}, [Slot("a", DAY), Slot("b", DAY)]),
        ({"colour": "red"}, Colour.RED),
        ({"colour": Colour.RED}, Colour.RED),
        ({"colour": None}, None),
        ({"price": 3}, 3.0),
        ({"loose": {"n": 1, "more": 2}}, Loose(n=1, more=2)),
    ],
)
async def test_a_call_opens_in_a_given_state(given: dict[str, Any], held: Any) -> None:
    async with rehearse(Desk, Script(), state=given) as call:
        (name,) = given
        assert getattr(call.agent, name) == held
        assert type(getattr(call.agent, name)) is type(held)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (
            {"nmae": "x"},
            UndeclaredField,
            "Desk has no field 'nmae'; the given state writes it. Its fields: stage, ",
        ),
        ({"nmae": "x"}, UndeclaredField, ". Did you mean `name`?"),
        ({"zzz": "x"}, UndeclaredField, ". Give it under the name of one of these, or leave it out."),
        ({"stage": "c"}, NotAStage, "'c' is no stage of Desk (the given state). Its stages are 'a', 'b'."),
        ({"stage": None}, NotAStage, "None is no stage of Desk (the given state)."),
        ({"price": "3"}, WrongType, "the given state writes a value of type str, refused: it must be a valid number."),
        ({"slots": [{"id": "a"}]}, WrongType, "refused: item 0.day Field required."),
        (
            {"slots": [{"id": "a", "day": "2026-01-31", "dya": 1}]},
            WrongType,
            "refused: item 0.dya Unexpected keyword",
        ),
        ({"slots": object()}, WrongType, "refused: it must be a valid list."),
        ({"name": 600123456}, WrongType, "Desk.name holds str; the given state writes a value of type int, refused."),
    ],
)
async def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as refused:
        async with rehearse(Desk, Script(), state=given):
            pass
    assert words in str(refused.value)


def test_a_given_state_is_laid_over_whole_or_not_at_all() -> None:
    desk = Desk()
    with pytest.raises(WrongType):
        lay_over(desk, {"stage": "b", "price": "3"})
    assert desk.stage == "a"
    lay_over(desk, {"stage": "b", "price": 3})
    assert (desk.stage, desk.price) == ("b", 3.0)


def test_a_snapshot_of_an_instance_in_no_call_is_of_what_it_holds() -> None:
    desk = Desk()
    desk.slots.append(Slot("a", DAY))
    desk.name = "Ada Byrne"
    shot = snapshot(desk)
    assert b'"slots":[{"id":"a","day":"2026-01-31"}]' in shot.full
    assert b"Ada Byrne" in shot.full
    assert b"Ada Byrne" not in shot.shown
    desk.slots.append(5)
    with pytest.raises(WrongType):
        snapshot(desk)
