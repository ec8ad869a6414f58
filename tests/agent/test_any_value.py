"""Any value whatsoever, written to a field of any type, is taken as it is or refused; nothing else ever happens."""

import dataclasses
import datetime as dt
import enum
import json
from collections import Counter, deque
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Literal

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight import Agent, NotAStage, WrongType, state
from cuelight.agent import lay_over, plain_json


class Word(enum.StrEnum):
    A = "a"


class Odd(enum.Enum):
    PAIR = (1, 2)
    NONE = None


@dataclasses.dataclass
class Slot:
    id: str
    day: dt.date | None = None
    more: Any = None


class Pet(pydantic.BaseModel):
    kind: Literal["cat"] | None = None
    tags: list[Any] = []
    weight: float | None = None


class Torn:
    def __eq__(self, other: object) -> bool:
        raise ValueError("no")

    def __hash__(self) -> int:
        return 1


ANNOTATIONS: list[tuple[Any, Any]] = [
    (str, ""), (int | None, None), (float, 0.0), (bool, False), (bytes, b""), (Any, None), (dict, {}), (list, []),
    (dt.date | str, ""), (dt.datetime | dt.date | None, None), (Decimal | None, None), (Word | int | None, None),
    (Odd | None, None), (Slot | dict[str, Any] | None, None), (list[Slot | Pet], []), (Pet | None, None),
    (dict[int, set[str]], {}), (tuple[int, ...], ()), (set[Any], set()), (dict[Any, Any], {}), (complex | None, None),
    (Annotated[int, pydantic.Field(ge=0)] | list[int], 0), (Literal["a", 1, True, None], None), (object, None),
    (frozenset[int | str], frozenset()), (dict[str, tuple[float, dt.time | None]], {}),
]  # fmt: skip


def _holder(annotation: Any, opening: Any) -> type[Agent]:
    class Holder(Agent):
        stage: Literal["a", "b"] = "a"
        it: annotation = state(opening)

    return Holder


HOLDERS = [_holder(annotation, opening) for annotation, opening in ANNOTATIONS]
PLAIN = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(max_size=3) | st.dates()
    | st.datetimes() | st.times() | st.timedeltas() | st.decimals() | st.complex_numbers()
    | st.sampled_from([Word.A, Odd.PAIR, Odd.NONE, object(), Torn(), int, len, 10**400, "\ud800", "2026-01-31"])
)  # fmt: skip
HASHED = st.none() | st.booleans() | st.floats() | st.text(max_size=3) | st.dates() | st.sampled_from([Word.A, 5])
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.lists(inner, max_size=3).map(deque),
        st.dictionaries(HASHED, inner, max_size=3),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
        st.sets(HASHED, max_size=3),
        st.frozensets(st.integers() | st.text(max_size=2), max_size=3),
        st.builds(Slot, inner, inner, inner),
        st.builds(Pet.model_construct, kind=inner, tags=inner, weight=inner),
        st.text("ab", max_size=3).map(Counter),
    ),
    max_leaves=8,
)


def _taken(write: Callable[[], object]) -> bool:
    """Tell whether a write was taken; refused it may be as what it is, and as nothing else."""
    try:
        write()
    except (WrongType, NotAStage):
        return False
    return True


@given(number=st.integers(0, len(HOLDERS) - 1), value=VALUES)
@settings(max_examples=400, deadline=None)
def test_any_value_is_taken_as_it_is_or_refused(number: int, value: Any) -> None:
    holder: Any = HOLDERS[number]()
    if _taken(lambda: setattr(holder, "it", value)) or _taken(lambda: lay_over(holder, {"it": value})):
        again = HOLDERS[number]()
        again.__setstate__(holder.__getstate__())
        assert again.it == holder.it
    if _taken(lambda: setattr(holder, "stage", value)) or _taken(lambda: lay_over(holder, {"stage": value})):
        assert value in ("a", "b")


def test_digits_in_a_text_are_no_number_however_many_they_are() -> None:
    long = "7" * 5000
    for value in (long, [f'a "{long}"'], {long: f"\\{long}\\"}, [1, long, "\\"]):
        assert json.loads(plain_json(value)) == value
    for number in (10**4300, -(10**4300)):
        for value in (number, [number], {"a": "b", "c": [long, number]}):
            with pytest.raises(ValueError, match="longer than readers of JSON take"):
                plain_json(value)
