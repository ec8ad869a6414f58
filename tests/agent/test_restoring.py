"""A call's state comes back from its log with its types, and what cannot come back is told and opens as new."""

import dataclasses
import enum
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal

import pydantic

from cuelight import Agent, state, tool
from cuelight.log import scrub
from cuelight.testing import Script, calls, rehearse
from cuelight.wire import Entry, entry
from lawbook import datas, rehearsing


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Owner:
    name: str
    born: date


class Visit(pydantic.BaseModel):
    day: date
    notes: list[str] = []


class First(Agent):
    stage: Literal["open", "middle", "shut"] = "open"
    owner: Owner | None = None
    visits: list[Visit] = []
    colour: Colour = Colour.BLUE
    slots: list[str] = []
    count: int = 0
    caller: str | None = None
    gone: int = 1

    @property
    def derived(self) -> int:
        return self.count

    @tool
    def fill(self) -> None:
        self.stage = "middle"
        self.owner = Owner("Ada", date(2000, 1, 2))
        self.visits = [Visit(day=date(2026, 1, 31), notes=["late"])]
        self.colour = Colour.RED
        self.slots.append("nine")
        self.count = 5
        self.caller = "Eve"

    @tool
    def add(self, slot: str) -> None:
        self.slots.append(slot)


async def resumed(later: Callable[[], Agent], first: Callable[[], Agent] = First, *rest: Any) -> Any:
    """Fill a call's state, and take the call up again with another class."""
    async with rehearse(first, Script(calls("fill"), "ok")) as call:
        await call.say("go")
        id_, store = call.id, call.store
    async with rehearsing(later, Script(*rest), store=store, resume=id_) as call:
        for _ in range(len(rest) // 2):
            await call.say("go on")
        return call


def notices(call: Any) -> list[tuple[str, str]]:
    return [
        (data["code"], data["message"])
        for data in datas(call.log, "error")
        if data["code"].startswith(("field", "entry"))
    ]


async def test_fields_come_back_with_their_types_and_the_stage_with_them() -> None:
    call = await resumed(First, First, calls("add", slot="ten"), "ok")
    agent = call.agent
    assert (agent.stage, agent.colour, agent.count) == ("middle", Colour.RED, 5)
    assert agent.owner == Owner("Ada", date(2000, 1, 2))
    assert agent.visits == [Visit(day=date(2026, 1, 31), notes=["late"])]
    assert agent.slots == ["nine", "ten"]
    assert not notices(call)
    assert call.requests[0].stage == "middle"
    assert [data["changed"] for data in datas(call.log, "state.changed")][-1] == ["slots"]


async def test_services_of_an_init_are_there_and_what_it_writes_gives_way_to_the_log() -> None:
    class Served(First):
        def __init__(self, service: str) -> None:
            self._service = service
            self.count = 99
            self.slots.append("from init")

    call = await resumed(lambda: Served("registry"))
    assert (call.agent._service, call.agent.count, call.agent.slots) == ("registry", 5, ["nine"])


async def test_a_renamed_field_is_found_under_its_old_name() -> None:
    class Renamed(Agent):
        stage: Literal["open", "middle", "shut"] = "open"
        places: list[str] = state([], was="slots")
        who: str | None = state(None, was=("name", "caller"))
        person: Owner | None = state(None, was="owner")

    call = await resumed(Renamed)
    assert (call.agent.places, call.agent.who) == (["nine"], "Eve")
    assert call.agent.person == Owner("Ada", date(2000, 1, 2))
    assert notices(call) == [
        ("field-removed", f"The log holds a field {name!r} that Renamed no longer declares.")
        for name in ("visits", "colour", "count", "gone", "derived")
    ]


async def test_a_field_of_today_wins_over_the_old_name_of_another() -> None:
    class Later(Agent):
        stage: Literal["open", "middle", "shut"] = "open"
        count: int = 0
        total: int = state(7, was="amount")

    call = await resumed(Later)
    assert (call.agent.count, call.agent.total) == (5, 7)


async def test_a_removed_field_is_told_and_an_added_one_opens_as_new() -> None:
    class Later(Agent):
        stage: Literal["open", "middle", "shut"] = "open"
        owner: Owner | None = None
        visits: list[Visit] = []
        colour: Colour = Colour.BLUE
        slots: list[str] = []
        count: int = 0
        caller: str | None = None
        fresh: list[int] = [1, 2]

    call = await resumed(Later)
    assert notices(call) == [
        ("field-removed", f"The log holds a field {name!r} that Later no longer declares.")
        for name in ("gone", "derived")
    ]
    assert (call.agent.fresh, call.agent.slots) == ([1, 2], ["nine"])


async def test_a_field_of_another_type_opens_as_new_with_a_notice() -> None:
    class Later(First):
        count: str = "none"
        slots: list[int] = [3]
        colour: Literal["green"] = "green"

        @tool
        def fill(self) -> None: ...

        @tool
        def add(self, slot: str) -> None: ...

    call = await resumed(Later)
    assert (call.agent.count, call.agent.slots, call.agent.colour) == ("none", [3], "green")
    assert notices(call) == [
        ("field-unreadable", "Field 'colour' in the log is no Literal['green'] (it must be 'green'); it is as new."),
        (
            "field-unreadable",
            "Field 'slots' in the log is no list[int] (item 0 must be a valid integer); it is as new.",
        ),
        ("field-unreadable", "Field 'count' in the log is no str (it must be a valid string); it is as new."),
    ]


async def test_a_stage_that_is_gone_opens_at_the_first() -> None:
    class Later(First):
        stage: Literal["open", "shut"] = "open"

        @tool
        def fill(self) -> None: ...

    call = await resumed(Later)
    assert call.agent.stage == "open"
    assert notices(call) == [
        (
            "field-unreadable",
            "Field 'stage' in the log is no Literal['open', 'shut'] (it is no stage any more); it is as new.",
        )
    ]


async def test_a_class_that_moved_to_another_module_reads_its_log() -> None:
    @dataclasses.dataclass
    class Moved:
        name: str
        born: date
        email: str | None = None

    class Elsewhere(First):
        owner: Moved | None = None

        @tool
        def fill(self) -> None: ...

    Moved.__module__ = Elsewhere.__module__ = "another.place"
    call = await resumed(Elsewhere)
    assert call.agent.owner == Moved("Ada", date(2000, 1, 2))
    assert not notices(call)


async def test_a_property_of_yesterday_is_no_removed_field() -> None:
    class Later(First):
        derived: int = 3

    class Gone(First):
        @property
        def derived(self) -> str:
            return "today"

    assert (await resumed(Later)).agent.derived == 5
    call = await resumed(Gone)
    assert not notices(call)
    assert call.agent.derived == "today"


def _erased(last: Entry) -> Entry:
    return entry("cue.erased", {"at": last.ts}, seq=last.seq + 1, ts=last.ts, call=last.call, agent=last.agent)


async def test_an_erased_private_field_opens_as_new_with_a_notice() -> None:
    class Private(Agent):
        owner: Owner | None = state(None, pii=True)
        phone: str = state("none", pii=True)
        count: int = 0

        @tool
        def fill(self) -> None:
            self.owner, self.phone, self.count = Owner("Ada Byrne", date(2000, 1, 2)), "600123456", 5

    class NoLongerPrivate(Private):
        phone: str = "nothing"

    for later in (Private, NoLongerPrivate):
        async with rehearse(Private, Script(calls("fill"), "ok")) as call:
            await call.say("go")
            assert call.agent.owner == Owner("Ada Byrne", date(2000, 1, 2))
            id_, store = call.id, call.store
        async with rehearse(later, Script(), store=store, resume=id_) as call:
            assert (call.agent.owner, call.agent.phone) == (Owner("Ada Byrne", date(2000, 1, 2)), "600123456")
            assert not notices(call)
        await store.erase(id_, scrub(_erased))
        async with rehearse(later, Script(), store=store, resume=id_) as call:
            assert (call.agent.owner, call.agent.count) == (None, 5)
            assert call.agent.phone == ("none" if later is Private else "nothing")
            assert notices(call) == [
                ("field-erased", f"Field {name!r} was erased with the call's private values; it is as new.")
                for name in ("owner", "phone")
            ]
            assert "600123456" not in str([e.data for e in call.log])


async def test_a_notice_about_a_private_field_does_not_say_what_it_held() -> None:
    class Before(Agent):
        phone: str = state("", pii=True)

        @tool
        def fill(self) -> None:
            self.phone = "600123456"

    def is_long(value: str) -> str:
        if value and len(value) < 12:
            raise ValueError(f"{value} is too short")
        return value

    class Later(Agent):
        phone: Annotated[str, pydantic.AfterValidator(is_long)] = state("", pii=True)

    call = await resumed(Later, Before)
    assert notices(call) == [("field-unreadable", "Field 'phone' in the log is no str; it is as new.")]
    assert "600123456" not in str([e.data for e in call.log])
