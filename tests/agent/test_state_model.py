"""Whatever handlers do to the state, it is what plain Python objects would be, as far as the handlers succeeded."""

import copy
import dataclasses
import json
from collections.abc import Callable
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any, Literal

import pydantic
from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight import Agent, tool
from cuelight.testing import Script, calls, rehearse
from lawbook import run

FIRST = date(2026, 1, 1)


@dataclasses.dataclass
class Owner:
    name: str
    born: date = FIRST
    pets: list["Pet"] = dataclasses.field(default_factory=list)


class Pet(pydantic.BaseModel):
    kind: str
    visits: dict[str, date] = {}


class Desk(Agent):
    stage: Literal["a", "b", "c"] = "a"
    count: int = 0
    note: str | None = None
    slots: list[int] = []
    table: dict[str, list[str]] = {}
    tags: set[int] = set()
    owner: Owner | None = None
    owners: list[Owner] = []
    day: date = FIRST

    def __init__(self, work: Callable[["Desk"], None]) -> None:
        self._work = work

    @tool
    def work(self) -> None:
        self._work(self)


Operation = Callable[[Any], None]


def _on_owner(change: Callable[[Owner], Any]) -> Operation:
    def operation(it: Any) -> None:
        if it.owner is not None:
            change(it.owner)

    return operation


def _pop(it: Any) -> None:
    if it.slots:
        it.slots.pop()


def _pet(owner: Owner, kind: str, day: date) -> None:
    owner.pets.append(Pet(kind=kind))
    owner.pets[0].visits[kind] = day


def _rename_first(it: Any, name: str) -> None:
    for owner in it.owners[:1]:
        owner.name = name


def _share(it: Any) -> None:
    """Put one object in two fields: within a handler it is one, afterwards it is two, as in JSON."""
    if it.owner is not None:
        it.owners = [*it.owners, it.owner]


NUMBERS = st.integers(-3, 3)
TEXTS = st.text("ab\x00é", max_size=2)
DAYS = st.integers(0, 5).map(lambda n: FIRST + timedelta(days=n))
OPERATIONS: st.SearchStrategy[Operation] = st.one_of(
    NUMBERS.map(lambda n: lambda it: setattr(it, "count", it.count + n)),
    st.sampled_from("abc").map(lambda stage: lambda it: setattr(it, "stage", stage)),
    (st.none() | TEXTS).map(lambda text: lambda it: setattr(it, "note", text)),
    NUMBERS.map(lambda n: lambda it: it.slots.append(n)),
    st.lists(NUMBERS, max_size=3).map(lambda ns: lambda it: setattr(it, "slots", list(ns))),
    st.just(_pop),
    st.just(lambda it: it.slots.sort()),
    st.tuples(TEXTS, TEXTS).map(lambda pair: lambda it: it.table.setdefault(pair[0], []).append(pair[1])),
    TEXTS.map(lambda key: lambda it: it.table.pop(key, None)),
    NUMBERS.map(lambda n: lambda it: it.tags.add(n)),
    NUMBERS.map(lambda n: lambda it: it.tags.discard(n)),
    TEXTS.map(lambda name: lambda it: setattr(it, "owner", Owner(name))),
    st.just(lambda it: setattr(it, "owner", None)),
    TEXTS.map(lambda name: _on_owner(lambda owner: setattr(owner, "name", name))),
    DAYS.map(lambda day: _on_owner(lambda owner: setattr(owner, "born", day))),
    st.tuples(TEXTS, DAYS).map(lambda pair: _on_owner(lambda owner: _pet(owner, *pair))),
    TEXTS.map(lambda name: lambda it: it.owners.append(Owner(name))),
    TEXTS.map(lambda name: lambda it: _rename_first(it, name)),
    st.just(_share),
    DAYS.map(lambda day: lambda it: setattr(it, "day", day)),
    st.just(lambda it: [it.slots, it.table, it.tags, it.owner, it.owners].clear()),
)
HANDLERS = st.lists(st.tuples(st.lists(OPERATIONS, max_size=6), st.booleans()), min_size=1, max_size=6)


def plain(model: SimpleNamespace) -> dict[str, Any]:
    """Write a plain object as JSON would, sets sorted as the log has them."""
    shown = {**vars(model), "tags": sorted(model.tags, key=lambda n: str(n).encode())}
    return dict(json.loads(pydantic.TypeAdapter(Any).dump_json(shown)))


def apart(model: SimpleNamespace) -> SimpleNamespace:
    """Copy a plain object field by field, as what two fields share is two things once a handler is over."""
    return SimpleNamespace(**{name: copy.deepcopy(value) for name, value in vars(model).items()})


@given(handlers=HANDLERS)
@settings(max_examples=150, deadline=None)
def test_the_state_is_what_plain_objects_would_be(
    handlers: list[tuple[list[Operation], bool]],
) -> None:
    model = SimpleNamespace(
        stage="a", count=0, note=None, slots=[], table={}, tags=set(), owner=None, owners=[], day=FIRST
    )
    queue = iter(handlers)

    def work(desk: Desk) -> None:
        operations, succeeds = next(queue)
        for operation in operations:
            operation(desk)
        if not succeeds:
            raise ValueError("undone")

    async def rehearsal() -> None:
        nonlocal model
        script = Script(*[item for _ in handlers for item in (calls("work"), "ok")])
        async with rehearse(lambda: Desk(work), script) as call:
            for operations, succeeds in handlers:
                before = plain(model)
                entries = len(call.log)
                after = apart(model)
                for operation in operations:
                    operation(after)
                await call.say("go")
                if succeeds:
                    model = apart(after)
                assert call.state.app_state == plain(model)
                changed = [entry.data["changed"] for entry in call.log[entries:] if entry.type == "state.changed"]
                different = [name for name, value in plain(model).items() if value != before[name]]
                assert [sorted(names) for names in changed] == ([sorted(different)] if different else [])
                assert {name: getattr(call.agent, name) for name in vars(model)} == vars(model)
            id_, store = call.id, call.store
        async with rehearse(lambda: Desk(work), Script(), store=store, resume=id_) as call:
            assert {name: getattr(call.agent, name) for name in vars(model)} == vars(model)
            assert not [entry for entry in call.log if entry.type == "error" and entry.data["code"].startswith("field")]

    run(rehearsal())
