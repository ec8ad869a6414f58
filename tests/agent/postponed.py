"""Agents whose annotations are all text, as `from __future__ import annotations` makes them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NotRequired, Required, TypedDict

from cuelight import Agent, state, tool

if TYPE_CHECKING:
    from collections import OrderedDict


@dataclass
class Later:
    when: datetime.date


class Pet(TypedDict):
    name: str
    age: NotRequired[int]
    chip: Annotated[NotRequired[str], "the number on it"]


class Stay(Pet, total=False):
    day: Required[datetime.date]
    note: str


class Kennel(Agent):
    pet: Pet = {"name": "Rex"}
    stay: Stay | None = None

    @tool
    def keep(self, stay: Stay) -> None:
        self.stay = stay


class Desk(Agent):
    """Everything here is named before it is defined, or is named like its type."""

    stage: Literal["a", "b"] = "a"
    date: datetime.date | None = None
    later: Later | None = None
    inner: list[Inner] = []
    SHARED: ClassVar[list[int]] = []
    _private: NoSuchThing = None  # noqa: F821

    @dataclass
    class Inner:
        n: int = 0

    @tool
    def keep(self, later: Later, inner: Inner | None = None) -> OrderedDict[str, Later] | None:
        self.later = later
        return None

    @tool
    def date_of(self, date: datetime.date) -> datetime.date:
        self.date = date
        return date


def make_desk() -> tuple[type[Agent], type]:
    """Make a class whose types are local to a function."""
    datetime = "a local name of a caller, which must not hide the module's"

    @dataclass
    class Slot:
        id: str

    def inside() -> type[Agent]:
        class Desk(Agent):
            slots: list[Slot] = state([])
            slot: Slot | None = None

            @tool
            def take(self, slot: Slot) -> Slot | None:
                self.slots.append(slot)
                return None

        return Desk

    assert datetime
    return inside(), Slot


def make_from_outside() -> type[Agent]:
    """Call what defines a class at the module's level, from a function with a local name like a type's."""
    Later = 5  # noqa: F841, N806
    return _define()


def _define() -> type[Agent]:
    class Desk(Agent):
        later: Later | None = None

    return Desk
