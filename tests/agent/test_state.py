"""State: written by handlers alone, checked at once, all of a handler's changes or none of them."""

import asyncio
import contextvars
import dataclasses
import threading
from collections.abc import Awaitable, Callable
from datetime import date
from typing import Any, Literal

import pydantic
import pytest

from cuelight import (
    Agent,
    CuelightError,
    NotAStage,
    OutsideHandler,
    ToolFailed,
    UndeclaredField,
    WrongType,
    state,
    tool,
)
from cuelight.agent import visible
from cuelight.testing import Script, calls, rehearse
from lawbook import datas, errors, rehearsing, results


@dataclasses.dataclass
class Owner:
    name: str
    pets: list[str] = dataclasses.field(default_factory=list)


class Visit(pydantic.BaseModel):
    day: date
    notes: list[str] = []


class Desk(Agent):
    """You are the desk."""

    stage: Literal["identify", "choose", "done"] = "identify"
    count: int = 0
    name: str | None = None
    slots: list[str] = ["nine"]
    owner: Owner | None = None
    visit: Visit | None = None
    table: dict[str, list[int]] = {}
    tags: set[str] = set()

    def __init__(
        self, work: Callable[["Desk"], Any] | None = None, later: Callable[["Desk"], Any] | None = None
    ) -> None:
        self._work = work
        self._later = later

    @property
    def busy(self) -> bool:
        return len(self.slots) > 2

    @property
    def nickname(self) -> str | None:
        return self.name

    @nickname.setter
    def nickname(self, value: str) -> None:
        self.name = value.title()

    @tool
    def work(self) -> Any:
        assert self._work is not None
        return self._work(self)

    @tool
    async def work_async(self) -> Any:
        assert self._work is not None
        found = self._work(self)
        return await found if isinstance(found, Awaitable) else found

    @tool(effect="read")
    def look(self) -> Any:
        assert self._work is not None
        return self._work(self)

    @tool(timeout=5)
    def slow(self) -> Any:
        assert self._work is not None
        return self._work(self)

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        if self._later is not None:
            self._later(self)


async def one_tool(work: Callable[[Desk], Any], name: str = "work") -> Any:
    """Run one handler in a call, and give the call when it is over."""
    async with rehearsing(lambda: Desk(work), Script(calls(name), "ok")) as call:
        await call.say("go")
        return call


def changes(call: Any) -> list[dict[str, Any]]:
    """Give what state.changed entries say changed, after the opening one."""
    return [data["changed"] for data in datas(call.log, "state.changed")][1:]


# --- outside a call ---------------------------------------------------------------------------------------------------


def test_outside_a_call_an_instance_is_a_plain_checked_object() -> None:
    desk = Desk()
    slots = desk.slots
    slots.append("ten")
    assert desk.slots is slots
    desk.slots += ["eleven"]
    assert desk.busy
    desk.owner = owner = Owner("Ada")
    owner.pets.append("cat")
    assert desk.owner is owner
    assert desk.owner.pets == ["cat"]
    desk.stage = "done"
    assert desk.stage == "done"
    desk.nickname = "ada"
    assert desk.name == "Ada"
    with pytest.raises(WrongType):
        desk.count = "5"
    assert desk.count == 0


def test_defaults_are_copied_for_each_instance() -> None:
    one, other = Desk(), Desk()
    one.slots.append("ten")
    one.table["a"] = [1]
    assert (other.slots, other.table) == (["nine"], {})
    assert Desk().slots == ["nine"]


async def test_defaults_are_copied_for_each_call() -> None:
    def add(desk: Desk) -> None:
        desk.slots.append("ten")

    async with (
        rehearse(lambda: Desk(add), Script(calls("work"), "ok", calls("work"), "ok")) as one,
        rehearse(lambda: Desk(add), Script(calls("work"), "ok")) as other,
    ):
        await asyncio.gather(one.say("go"), other.say("go"))
        await one.say("go")
        assert one.agent.slots == ["nine", "ten", "ten"]
        assert other.agent.slots == ["nine", "ten"]


def test_a_gate_and_a_frame_see_what_an_instance_outside_a_call_holds() -> None:
    class Shop(Agent):
        stage: Literal["a", "b"] = "a"
        basket: list[str] = []

        @tool(stage="b", when=lambda a: a.basket)
        def pay(self) -> None: ...

    shop = Shop()
    shop.stage = "b"
    assert visible(shop).names == ()
    shop.basket.append("loaf")
    assert visible(shop).names == ("pay",)


async def test_what_was_written_before_the_call_is_its_opening_state() -> None:
    def make() -> Desk:
        desk = Desk()
        desk.slots.append("ten")
        desk.count = 5
        return desk

    async with rehearse(make, Script()) as call:
        assert call.state.app_state["slots"] == ["nine", "ten"]
        assert call.state.app_state["count"] == 5
        assert call.agent.count == 5


async def test_a_value_spoilt_in_place_before_the_call_stops_it_from_opening() -> None:
    def make() -> Desk:
        desk = Desk()
        desk.slots.append(5)
        return desk

    with pytest.raises(WrongType, match=r"Desk.slots holds list\[str\]"):
        async with rehearse(make, Script()):
            pass


async def test_an_instance_is_in_one_call_only() -> None:
    desk = Desk()
    async with rehearse(lambda: desk, Script()) as call:
        with pytest.raises(CuelightError, match="an instance that is in a call cannot enter another one"):
            async with rehearse(lambda: desk, Script()):
                pass
        assert desk.call.id == call.id


def test_private_names_are_free_and_public_ones_are_not() -> None:
    desk = Desk()
    desk._anything = object()
    with pytest.raises(UndeclaredField) as refused:
        desk.slot = "nine"
    assert refused.value.fields == ("stage", "count", "name", "slots", "owner", "visit", "table", "tags")
    assert str(refused.value) == (
        "Desk has no field 'slot'; a write was refused. Its fields: stage, count, name, slots, owner, visit, table, "
        "tags. Declare it in the class (`slot: ... = ...`), or call it `_slot` if it is no state."
    )
    with pytest.raises(AttributeError):
        desk.busy = True
    with pytest.raises(UndeclaredField):
        desk.work = None
    with pytest.raises(CuelightError, match=r"^Desk\._cell is Cuelight's own"):
        desk._cell = None


# --- writes in a call -------------------------------------------------------------------------------------------------


async def test_a_write_of_a_wrong_type_names_tool_field_and_both_types_and_undoes_the_handler() -> None:
    def work(desk: Desk) -> None:
        desk.slots.append("ten")
        desk.stage = "choose"
        desk.count = "5"

    call = await one_tool(work)
    (error,) = datas(call.log, "error")
    assert error["code"] == "wrong-type"
    assert error["message"].endswith(
        "Desk.count holds int; tool work writes a value of type str, refused: it must be a valid integer."
    )
    assert "test_state.py:" in error["message"]
    assert changes(call) == []
    assert (call.agent.slots, call.agent.stage) == (["nine"], "identify")


@pytest.mark.parametrize("stage", ["nowhere", None, 5, "", ["done"]])
async def test_a_stage_that_is_none_is_refused(stage: Any) -> None:
    def work(desk: Desk) -> None:
        with pytest.raises(NotAStage) as refused:
            desk.stage = stage
        assert str(refused.value) == (
            f"{stage!r} is no stage of Desk (tool work). Its stages are 'identify', 'choose', 'done'."
        )
        desk.count = 1

    call = await one_tool(work)
    assert (call.agent.stage, call.agent.count) == ("identify", 1)


async def test_an_undeclared_name_is_refused_with_the_tool_and_the_fields() -> None:
    def work(desk: Desk) -> None:
        desk.cuont = 5

    call = await one_tool(work)
    (error,) = datas(call.log, "error")
    assert error["code"] == "undeclared-field"
    assert "Desk has no field 'cuont'; tool work writes it. Its fields: stage, count, name" in error["message"]


MUTATIONS: list[tuple[str, Callable[[Desk], Any], Any]] = [
    ("slots", lambda desk: desk.slots.append("ten"), ["nine", "ten"]),
    ("slots", lambda desk: desk.slots.clear(), []),
    ("slots", lambda desk: desk.slots.__setitem__(0, "one"), ["one"]),
    ("table", lambda desk: desk.table.setdefault("a", []).append(1), {"a": [1]}),
    ("table", lambda desk: desk.table.update(b=[2]), {"b": [2]}),
    ("tags", lambda desk: desk.tags.add("x"), ["x"]),
    ("tags", lambda desk: desk.tags.update("cab"), ["a", "b", "c"]),
    ("owner", lambda desk: setattr(desk.owner, "name", "Eve"), {"name": "Eve", "pets": ["cat"]}),
    ("owner", lambda desk: desk.owner.pets.append("dog"), {"name": "Ada", "pets": ["cat", "dog"]}),
    ("visit", lambda desk: desk.visit.notes.append("late"), {"day": "2026-01-31", "notes": ["late"]}),
    ("visit", lambda desk: setattr(desk.visit, "day", date(2026, 2, 1)), {"day": "2026-02-01", "notes": []}),
]


@pytest.mark.parametrize("tool_name", ["work", "work_async"])
@pytest.mark.parametrize(("field", "work", "shown"), MUTATIONS)
async def test_a_change_in_place_counts_like_an_assignment(
    field: str, work: Callable[[Desk], Any], shown: Any, tool_name: str
) -> None:
    def make() -> Desk:
        desk = Desk(lambda desk: work(desk) and None)
        desk.owner, desk.visit = Owner("Ada", ["cat"]), Visit(day=date(2026, 1, 31))
        return desk

    async with rehearsing(make, Script(calls(tool_name), "ok")) as call:
        await call.say("go")
        assert call.state.app_state[field] == shown
        assert [data["changed"] for data in datas(call.log, "state.changed")][1:] == [[field]]


async def test_a_change_in_place_that_does_not_fit_fails_the_handler() -> None:
    def work(desk: Desk) -> None:
        desk.count = 5
        desk.slots.append(5)

    call = await one_tool(work)
    (error,) = datas(call.log, "error")
    assert error["code"] == "wrong-type"
    assert (
        "Desk.slots holds list[str]; tool work writes a value of type list, refused: item 1 must be a valid string"
        in (error["message"])
    )
    assert (call.agent.count, call.agent.slots, changes(call)) == (0, ["nine"], [])


async def test_numbers_that_are_not_finite_are_refused_where_they_are_written() -> None:
    class Scales(Agent):
        weight: float = 1.0
        weights: list[float] = []
        maybe: float | None = None
        anything: dict[str, Any] = {}

        @tool
        def weigh(self) -> None:
            for name in ("weight", "maybe"):
                with pytest.raises(WrongType):
                    setattr(self, name, float("nan"))
            for number in (float("nan"), float("inf"), -float("inf")):
                with pytest.raises(WrongType):
                    self.weights = [number]
                with pytest.raises(WrongType):
                    self.anything = {"a": [number]}

        @tool
        def spoil(self) -> None:
            self.weights.append(float("nan"))

    async with rehearsing(Scales, Script([calls("weigh"), calls("spoil")], "ok")) as call:
        await call.say("go")
        assert errors(call.log) == ["wrong-type"]
        assert results(call.log)[0]["output"] == "input validated"
        assert call.state.app_state == {"weight": 1.0, "weights": [], "maybe": None, "anything": {}}


async def test_the_same_value_written_again_is_no_change() -> None:
    def work(desk: Desk) -> None:
        desk.count = 0
        desk.slots = ["nine"]
        desk.tags = set(reversed(sorted(desk.tags)))
        desk.slots.append("ten")
        desk.slots.pop()

    async with rehearsing(lambda: Desk(work), Script(calls("work"), "ok"), state={"tags": ["a", "b", "c"]}) as call:
        await call.say("go")
        assert changes(call) == []


async def test_one_handler_makes_at_most_one_change_of_state_and_of_tools() -> None:
    class Shop(Agent):
        stage: Literal["a", "b", "c"] = "a"
        n: int = 0
        m: int = 0

        @tool(stage=("a", "b"))
        def move(self) -> None:
            self.stage = "b"
            self.n += 1
            self.stage = "c"
            self.m += 1

        @tool(stage="c")
        def pay(self) -> None: ...

    async with rehearsing(Shop, Script(calls("move"), "ok")) as call:
        await call.say("go")
        assert changes(call) == [["stage", "n", "m"]]
        assert [data["visible"] for data in datas(call.log, "tools.changed")] == [["move"], ["pay"]]


async def test_what_a_handler_wrote_it_reads_again_as_the_same_object() -> None:
    def work(desk: Desk) -> None:
        owner = desk.owner = Owner("Ada")
        assert desk.owner is owner
        owner.pets.append("cat")
        assert desk.slots is desk.slots
        assert desk.owner.pets == ["cat"]

    call = await one_tool(work)
    assert not call.state.errors
    assert call.state.app_state["owner"] == {"name": "Ada", "pets": ["cat"]}


async def test_what_a_handler_keeps_is_no_part_of_the_state_afterwards() -> None:
    kept: list[Any] = []

    def keep(desk: Desk) -> None:
        kept.append(desk.slots)
        desk.slots.append("ten")

    async with rehearsing(lambda: Desk(keep), Script(calls("work"), "ok")) as call:
        await call.say("go")
        kept[0].append("eleven")
        assert call.agent.slots == ["nine", "ten"]


# --- handlers that fail, and what comes too late ----------------------------------------------------------------------


@pytest.mark.parametrize("error", [ValueError("x"), ToolFailed("no"), KeyError("y")])
@pytest.mark.parametrize("name", ["work", "work_async"])
async def test_a_handler_that_raises_changes_nothing(error: Exception, name: str) -> None:
    def work(desk: Desk) -> None:
        desk.slots.append("ten")
        desk.count = 5
        desk.stage = "done"
        raise error

    call = await one_tool(work, name)
    assert (call.agent.slots, call.agent.count, call.agent.stage) == (["nine"], 0, "identify")
    assert changes(call) == []


async def test_a_hook_that_raises_changes_nothing() -> None:
    def later(desk: Desk) -> None:
        desk.count = 5
        raise ValueError("x")

    async with rehearsing(lambda: Desk(later=later), Script()) as call:
        await call.event("tick")
        assert call.agent.count == 0
        assert errors(call.log) == ["handler-raised"]


async def test_a_handler_that_runs_out_of_time_changes_nothing_and_its_late_writes_are_refused() -> None:
    begun, go, done = threading.Event(), threading.Event(), threading.Event()
    late: list[Exception] = []

    def work(desk: Desk) -> None:
        desk.count = 5
        desk.slots.append("ten")
        begun.set()
        go.wait(10)
        for write in (lambda: setattr(desk, "count", 6), lambda: setattr(desk, "stage", "done")):
            try:
                write()
            except OutsideHandler as error:
                late.append(error)
        desk.slots.append("eleven")
        done.set()

    async with rehearsing(lambda: Desk(work), Script(calls("slow"), "ok")) as call:
        saying = asyncio.create_task(call.say("go"))
        assert await asyncio.to_thread(begun.wait, 10)
        await call.advance(6)
        await saying
        go.set()
        assert await asyncio.to_thread(done.wait, 10)
        assert [str(error) for error in late] == [
            f"Desk.{name} was written after tool slow was over (it returned, failed or ran out of time). Finish the "
            "work before the handler returns."
            for name in ("count", "stage")
        ]
        assert (call.agent.count, call.agent.slots, call.agent.stage) == (0, ["nine"], "identify")
        assert changes(call) == []


async def test_a_task_that_a_handler_leaves_behind_cannot_write_and_reads_what_is_committed() -> None:
    left: list[asyncio.Task[Any]] = []
    release = asyncio.Event()

    async def later(desk: Desk) -> Any:
        await release.wait()
        seen = (desk.count, list(desk.slots))
        with pytest.raises(OutsideHandler, match="written after tool work_async was over"):
            desk.count = 7
        desk.slots.append("lost")
        return seen

    async def work(desk: Desk) -> None:
        desk.count = 1
        left.append(asyncio.create_task(later(desk)))

    async with rehearsing(lambda: Desk(work), Script(calls("work_async"), "ok", calls("work_async"), "ok")) as call:
        await call.say("go")
        release.set()
        assert await left[0] == (1, ["nine"])
        assert (call.agent.count, call.agent.slots) == (1, ["nine"])


async def test_what_runs_while_the_changes_are_gathered_cannot_change_them() -> None:
    written: list[str] = []

    class Sly(pydantic.BaseModel):
        n: int = 0

        @pydantic.field_serializer("n")
        def _write(self, n: int) -> int:
            if live:
                try:
                    live[0].count = 9
                except OutsideHandler:
                    written.append("refused")
            return n

    class Holder(Agent):
        count: int = 0
        sly: Sly | None = None

        @tool
        def work(self) -> None:
            self.sly = Sly(n=1)
            live.append(self)

    live: list[Holder] = []
    async with rehearsing(Holder, Script(calls("work"), "ok")) as call:
        await call.say("go")
        assert set(written) == {"refused"}
        assert (call.agent.count, call.agent.sly) == (0, Sly(n=1))


async def test_tasks_and_threads_of_a_running_handler_write_in_its_frame() -> None:
    async def set_count(desk: Desk) -> None:
        desk.count += 1

    def add(desk: Desk, slot: str) -> None:
        desk.slots.append(slot)

    async def work(desk: Desk) -> None:
        await asyncio.gather(set_count(desk), set_count(desk))
        await asyncio.to_thread(add, desk, "ten")
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(add, desk, "eleven"))
        thread.start()
        thread.join()

    call = await one_tool(work, "work_async")
    assert (call.agent.count, call.agent.slots) == (2, ["nine", "ten", "eleven"])
    assert changes(call) == [["count", "slots", "busy"]]


async def test_a_thread_without_the_handlers_context_is_told_how_to_have_it() -> None:
    told: list[str] = []

    def write(desk: Desk) -> None:
        try:
            desk.count = 5
        except OutsideHandler as error:
            told.append(str(error))

    def work(desk: Desk) -> None:
        thread = threading.Thread(target=write, args=(desk,))
        thread.start()
        thread.join()

    call = await one_tool(work)
    assert told == [
        "Desk.count was written where no handler is running. The state of a live call changes only in a tool, a hook "
        "or an event handler; a thread that one of these starts is part of it when it is started with "
        "asyncio.to_thread."
    ]
    assert call.agent.count == 0


async def test_outside_a_handler_a_live_call_gives_copies_and_takes_no_writes() -> None:
    async with rehearsing(Desk, Script(), state={"owner": {"name": "Ada"}}) as call:
        call.agent.slots.append("ten")
        call.agent.owner.name = "Eve"
        assert (call.agent.slots, call.agent.owner) == (["nine"], Owner("Ada"))
        for write in (
            lambda: setattr(call.agent, "count", 5),
            lambda: setattr(call.agent, "stage", "done"),
            lambda: setattr(call.agent, "nickname", "ada"),
        ):
            with pytest.raises(OutsideHandler, match="was written where no handler is running"):
                write()
        with pytest.raises(UndeclaredField):
            call.agent.undeclared = 5
    assert call.agent.slots == ["nine"]


async def test_a_call_does_not_write_in_the_frame_of_another() -> None:
    other = Desk()

    def work(desk: Desk) -> None:
        other.count = 7
        desk.count = 1

    call = await one_tool(work)
    assert (call.agent.count, other.count) == (1, 7)

    async with rehearsing(Desk, Script()) as held:

        def meddle(desk: Desk) -> None:
            with pytest.raises(OutsideHandler):
                held.agent.count = 9

        await one_tool(meddle)
        assert held.agent.count == 0


# --- what only reads --------------------------------------------------------------------------------------------------


async def test_a_tool_marked_read_that_changes_the_state_is_an_error() -> None:
    def work(desk: Desk) -> str:
        desk.slots.append("ten")
        return "seen"

    call = await one_tool(work, "look")
    (error,) = datas(call.log, "error")
    assert error["code"] == "outside-handler"
    assert 'tool look is marked effect="read" but changes the state' in error["message"]
    assert call.agent.slots == ["nine"]
    assert "error" in results(call.log)[0]


async def test_a_tool_marked_read_may_read_everything() -> None:
    def work(desk: Desk) -> Any:
        return [desk.slots, desk.owner, desk.tags, desk.table, desk.visit, desk.busy]

    def opening() -> dict[str, Any]:
        return {
            "owner": {"name": "Ada"},
            "tags": sorted("hgfedcba"),
            "visit": {"day": "2026-01-31"},
            "table": {"a": [1]},
        }

    async with rehearsing(lambda: Desk(work), Script(calls("look"), "ok"), state=opening()) as call:
        await call.say("go")
        assert not errors(call.log)
        assert changes(call) == []


async def test_render_when_and_properties_only_read() -> None:
    class Shop(Agent):
        n: int = 0
        seen: list[int] = []

        @property
        def bad(self) -> int:
            self.n += 1
            return self.n

        @property
        def sorting(self) -> list[int]:
            self.seen.sort()
            return self.seen

        @tool(when=lambda a: setattr(a, "n", 5) or True)
        def pay(self) -> None: ...

        def render(self) -> str:
            self.n = 7
            return "never"

    async with rehearsing(Shop, Script("ok"), state={"seen": [2, 1]}) as call:
        await call.say("go")
        told = {data["code"]: data["message"] for data in datas(call.log, "error")}
        assert sorted(told) == ["property-raised", "render-raised", "when-raised"]
        for what, code in (
            ("a property", "property-raised"),
            ("render()", "render-raised"),
            ("a `when`", "when-raised"),
        ):
            assert f"Shop.n was written in {what}, which only reads. Write it in a tool or a hook." in told[code]
        assert call.state.app_state == {"n": 0, "seen": [2, 1], "bad": None, "sorting": [1, 2]}
        assert call.agent.seen == [2, 1]
        assert call.state.tools_visible == []


# --- derived state ----------------------------------------------------------------------------------------------------


class Derived(Agent):
    n: int = 0
    fragile: int = 1

    @property
    def double(self) -> int:
        return self.n * 2

    @property
    def quotient(self) -> float:
        return self.n / self.fragile

    @property
    def strange(self) -> Any:
        return object() if self.n == 3 else float("nan") if self.n == 4 else (self.n, {"a": date(2026, 1, 31)})

    @property
    def _hidden(self) -> int:
        return 5

    @tool
    def set(self, n: int, fragile: int = 1) -> None:
        self.n, self.fragile = n, fragile


async def test_public_properties_are_state() -> None:
    async with rehearsing(Derived, Script(calls("set", n=2), "ok")) as call:
        assert call.state.app_state == {
            "n": 0, "fragile": 1, "double": 0, "quotient": 0.0, "strange": [0, {"a": "2026-01-31"}],
        }  # fmt: skip
        await call.say("go")
        assert call.state.app_state["double"] == 4
        assert changes(call) == [["n", "double", "quotient", "strange"]]


async def test_a_property_that_raises_is_null_and_told_once_until_it_recovers() -> None:
    script = Script(*[item for n in (0, 0, 1, 0) for item in (calls("set", n=5, fragile=n), "ok")])
    async with rehearsing(Derived, script) as call:
        seen = []
        for _ in range(4):
            await call.say("go")
            seen.append(call.state.app_state["quotient"])
        assert seen == [None, None, 5.0, None]
        told = datas(call.log, "error")
        assert [data["code"] for data in told] == ["property-raised"] * 2
        assert all("Property `quotient` raised, so it is null: ZeroDivisionError" in data["message"] for data in told)


@pytest.mark.parametrize("n", [3, 4])
async def test_a_property_without_a_json_form_is_null_and_told(n: int) -> None:
    async with rehearsing(Derived, Script(calls("set", n=n), "ok")) as call:
        await call.say("go")
        assert call.state.app_state["strange"] is None
        assert errors(call.log) == ["property-raised"]


async def test_a_property_with_a_setter_writes_fields() -> None:
    def work(desk: Desk) -> None:
        desk.nickname = "ada byrne"
        with pytest.raises(WrongType):
            desk.name = 5

    call = await one_tool(work)
    assert call.state.app_state["name"] == call.state.app_state["nickname"] == "Ada Byrne"
    assert changes(call) == [["name", "nickname"]]


async def test_the_log_of_a_set_is_the_same_whatever_its_order_in_memory() -> None:
    words = [f"word-{n}" for n in range(40)]

    def one_way(desk: Desk) -> None:
        desk.tags = set(words)

    def other_way(desk: Desk) -> None:
        for word in reversed(words):
            desk.tags.add(word)

    first, second = await one_tool(one_way), await one_tool(other_way)
    assert first.state.app_state["tags"] == second.state.app_state["tags"] == sorted(words)


# --- state() ----------------------------------------------------------------------------------------------------------


def test_what_state_says_of_a_field() -> None:
    class Told(Agent):
        owner: str | None = state(None, pii=True, visibility="tenant", was="caller")
        shown: list[int] = state([1], visibility="public", was=("a", "b"))
        bare: str | None = state()

    fields = Told.__declaration__.fields
    assert (fields["owner"].pii, fields["owner"].visibility, fields["owner"].was) == (True, "tenant", ("caller",))
    assert (fields["shown"].pii, fields["shown"].visibility, fields["shown"].was) == (False, "public", ("a", "b"))
    assert (Told().owner, Told().shown, Told().bare) == (None, [1], None)
