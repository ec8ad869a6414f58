"""A copy of an agent is an agent of its own, in no call, with the state as it was read where it was made."""

import copy
import pickle
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from cuelight import Agent, CuelightError, OutsideHandler, WrongType, tool
from cuelight.testing import Script, calls
from lawbook import rehearsing


@dataclass
class Owner:
    name: str
    pets: list[str] = field(default_factory=list)


class Desk(Agent):
    stage: Literal["a", "b"] = "a"
    owner: Owner | None = None
    slots: list[str] = []

    def __init__(self, service: list[str]) -> None:
        self._service = service

    @tool
    def work(self) -> None:
        self.stage = "b"
        self.slots.append("nine")
        made = copy.copy(self)
        assert (made.stage, made.slots) == ("b", ["nine"])
        made.slots.append("ten")
        self._made = made


WAYS = [copy.copy, copy.deepcopy, lambda desk: pickle.loads(pickle.dumps(desk))]


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_outside_a_call_shares_no_state(way: Any) -> None:
    desk = Desk(["service"])
    desk.owner, desk.stage = Owner("Ada"), "b"
    desk.owner.pets.append("cat")
    desk.slots.append("nine")
    made = way(desk)
    assert (made.owner, made.stage, made.slots) == (Owner("Ada", ["cat"]), "b", ["nine"])
    made.owner.pets.append("dog")
    made.slots.append("ten")
    made.stage = "a"
    assert (desk.owner.pets, desk.slots, desk.stage) == (["cat"], ["nine"], "b")
    with pytest.raises(WrongType):
        made.slots = 5


def test_a_copy_shares_services_and_a_deep_one_copies_them() -> None:
    desk = Desk(["service"])
    assert copy.copy(desk)._service is desk._service
    assert copy.deepcopy(desk)._service == ["service"]
    assert copy.deepcopy(desk)._service is not desk._service


@pytest.mark.parametrize("way", WAYS)
async def test_a_copy_of_a_live_agent_is_in_no_call(way: Any) -> None:
    async with rehearsing(lambda: Desk(["service"]), Script(calls("work"), "ok")) as call:
        await call.say("go")
        made = way(call.agent) if way is not copy.deepcopy else copy.copy(call.agent)
        assert (made.stage, made.slots) == ("b", ["nine"])
        made.stage = "a"
        made.slots.append("ten")
        assert (call.agent.stage, call.agent.slots) == ("b", ["nine"])
        with pytest.raises(OutsideHandler, match="This Desk is in no call"):
            made.call  # noqa: B018
        with pytest.raises(OutsideHandler):
            call.agent.stage = "a"


async def test_a_copy_made_in_a_handler_holds_what_the_handler_sees_and_changes_nothing() -> None:
    async with rehearsing(lambda: Desk([]), Script(calls("work"), "ok")) as call:
        await call.say("go")
        assert call.agent.slots == ["nine"]
        assert call.agent._made.slots == ["nine", "ten"]


def test_a_value_spoilt_in_place_is_not_copied() -> None:
    desk = Desk([])
    desk.slots.append(5)
    with pytest.raises(WrongType):
        copy.copy(desk)


def test_a_pickle_of_a_class_that_has_changed_gives_what_still_is_there() -> None:
    desk = Desk([])
    desk.slots.append("nine")
    forms, attributes = desk.__getstate__()

    class Later(Agent):
        slots: list[str] = []
        fresh: int = 3

    later = Later()
    later.__setstate__((forms, attributes))
    assert (later.slots, later.fresh) == (["nine"], 3)

    class Other(Agent):
        slots: list[int] = []

    with pytest.raises(
        CuelightError, match=r"^Other.slots cannot be read from a copy: item 0 must be a valid integer.$"
    ):
        Other().__setstate__((forms, attributes))
