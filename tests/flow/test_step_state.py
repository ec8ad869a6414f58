"""What a step saves is checked, written whole or not at all, and is state like any other: one handler, one change."""

from datetime import date
from typing import Any

import pytest

from cuelight import Flow, OutsideHandler, Step, StepNotDefined, UndeclaredField, WrongType, go, stay, tool
from cuelight.errors import AuthorError
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls
from lawbook import datas, entries, errors, rehearsing, results, told


class Fixed(Step):
    """Declares what it keeps."""

    count: int = 0
    day: date | None = None
    table: dict[str, list[int]] = {}

    @property
    def many(self) -> bool:
        return self.count > 5


class Free(Step):
    """Keeps anything."""

    @property
    def size(self) -> int:
        return len(self.saved)


class Keep(Flow):
    steps = (Fixed, Free)


def test_saving_writes_some_and_leaves_the_rest() -> None:
    fixed = Keep().step(Fixed)
    fixed.save_state(count=2, table={"a": [1]})
    fixed.save_state({"day": date(2026, 1, 2)})
    assert fixed.saved == {"count": 2, "day": date(2026, 1, 2), "table": {"a": [1]}}


def test_a_value_that_is_there_is_replaced_as_a_whole() -> None:
    keep = Keep()
    keep.step(Fixed).save_state(table={"a": [1], "b": [2]})
    keep.step(Fixed).save_state(table={"c": [3]})
    keep.step(Free).save_state({"deep": {"a": 1}})
    keep.step(Free).save_state({"deep": {"b": 2}})
    assert keep.step(Fixed).table == {"c": [3]}
    assert keep.step(Free).saved == {"deep": {"b": 2}}


def test_names_may_be_data_or_arguments_and_arguments_win() -> None:
    free = Keep().step(Free)
    free.save_state({"a": 1, "not a name": 2, "values": 3}, a=4, values_too=5)
    assert free.saved == {"a": 4, "not a name": 2, "values": 3, "values_too": 5}
    assert free.size == 4


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"count": 5, "size": 1}, UndeclaredField),
        ({"count": 5, "table": {"a": "x"}}, WrongType),
        ({"count": 5, "day": "soon"}, WrongType),
        ({"count": 5, "many": True}, AuthorError),
        ({"count": 5, "_prompt": 7}, WrongType),
        ({"count": 5, "_kept": {}}, AuthorError),
        ({"count": 5, "stage": "Free"}, UndeclaredField),
    ],
)
def test_where_one_value_does_not_fit_nothing_is_written(values: dict[str, Any], error: type[Exception]) -> None:
    keep = Keep()
    before = keep.step(Fixed).saved
    for save in (
        lambda: keep.step(Fixed).save_state(values),
        lambda: keep.save_step_state(Fixed, values),
        lambda: keep.save_step_state("Fixed", **values),
    ):
        with pytest.raises(error):
            save()
        assert keep.step(Fixed).saved == before
        assert keep.step(Fixed).get_prompt() is None


@pytest.mark.parametrize("value", [object(), {1, 2}.__iter__(), float("nan"), {"deep": [object()]}, lambda: None])
def test_a_step_without_fields_keeps_what_has_a_json_form_and_nothing_else(value: Any) -> None:
    free = Keep().step(Free)
    with pytest.raises(WrongType):
        free.save_state(fine=1, wrong=value)
    assert free.saved == {}


def test_a_property_cannot_be_saved_over() -> None:
    with pytest.raises(AuthorError, match=r"Free\.size is a property, so it cannot be saved"):
        Keep().step(Free).save_state(size=5)


def test_what_is_read_back_is_no_handle_on_the_state() -> None:
    free = Keep().step(Free)
    free.save_state(a=1)
    with pytest.raises(TypeError):
        free.saved["a"] = 2  # type: ignore[index]
    assert free.saved == {"a": 1}


def test_a_prompt_goes_by_its_own_name_and_is_no_field() -> None:
    keep = Keep()
    for step in (Fixed, Free):
        keep.save_step_state(step, {"_prompt": "Attached."})
        assert keep.step(step).get_prompt() == "Attached."
        assert "_prompt" not in keep.step(step).saved
    keep.save_step_state(Fixed, {"_prompt": None})
    assert keep.step(Fixed).get_prompt() is None


@pytest.mark.parametrize("step", ["Nowhere", Step, type("Fixed", (Step,), {})])
def test_state_of_a_step_that_is_not_registered_cannot_be_written(step: Any) -> None:
    with pytest.raises(StepNotDefined, match=r"^Step '\w+' is not defined in flow 'Keep'\.$"):
        Keep().save_step_state(step, {"count": 1})


# --- in a call --------------------------------------------------------------------------------------------------------


class Work(Step):
    done: int = 0

    @tool
    def everywhere(self) -> None:
        """Writes everywhere."""
        self.save_state(done=1)
        self.flow.save_step_state(Fixed, count=2)
        self.flow.save_step_state(Free, {"note": [3]})
        self.flow.level = 4
        self.flow.step(Fixed).table["x"] = [5]

    @tool
    def break_late(self) -> None:
        """Writes everywhere, and fails."""
        self.everywhere()
        raise RuntimeError("no")

    @tool
    def bring(self, state: dict[str, Any]) -> Any:
        """Brings state to the next step."""
        self.done = 9
        return go(Fixed).with_state(state)

    @tool
    def keep(self, state: dict[str, Any]) -> Any:
        """Stays with state."""
        self.done = 9
        return stay().with_state(state)

    @tool(effect="read")
    def peek(self) -> int:
        """Should only read."""
        self.flow.save_step_state(Fixed, count=99)
        return 1


class Job(Flow):
    steps = (Work, Fixed, Free)
    level: int = 0


async def test_one_handler_makes_one_change_however_many_steps_it_writes() -> None:
    async with rehearsing(Job, Script(calls("everywhere"), "Done.")) as call:
        await call.say("work")
        (change,) = datas(call.log, "state.changed")[1:]
        assert change["changed"] == ["level", "Work", "Fixed", "Free"]
        assert change["state"] == {
            "stage": "Work", "level": 4, "Work": {"done": 1},
            "Fixed": {"count": 2, "day": None, "table": {"x": [5]}, "many": False}, "Free": {"note": [3], "size": 1},
        }  # fmt: skip


async def test_a_handler_that_fails_has_written_nothing_anywhere() -> None:
    async with rehearsing(Job, Script(calls("break_late"), "Sorry.")) as call:
        await call.say("work")
        assert len(datas(call.log, "state.changed")) == 1
        assert call.agent.level == call.agent.step(Work).done == call.agent.step(Fixed).count == 0
        assert (call.agent.step(Free).saved, call.agent.step(Fixed).table) == ({}, {})


async def test_a_tool_that_only_reads_may_not_write_another_step() -> None:
    async with rehearsing(Job, Script(calls("peek"), "Sorry.")) as call:
        await call.say("work")
        assert errors(call.log) == ["outside-handler"]
        assert call.agent.step(Fixed).count == 0


@pytest.mark.parametrize("name", ["bring", "keep"])
@pytest.mark.parametrize(
    ("state", "code"),
    [({"count": "x"}, "wrong-type"), ({"size": 1}, "undeclared-field"), ({"_prompt": 5}, "wrong-type")],
)
async def test_state_that_does_not_fit_the_destination_fails_the_call_and_moves_nothing(
    name: str, state: dict[str, Any], code: str
) -> None:
    async with rehearsing(Job, Script(calls(name, state=state), "Sorry.")) as call:
        await call.say("work")
        assert errors(call.log) == [code if name == "bring" or "count" not in state else "undeclared-field"]
        assert "error" in results(call.log)[0]
        assert (call.agent.stage, call.agent.step(Work).done, call.agent.step(Fixed).count) == ("Work", 0, 0)
        assert told(call.requests[1]), "the model hears of it, and goes on"


async def test_between_turns_nothing_can_be_written() -> None:
    async with rehearsing(Job, Script("Hello.")) as call:
        await call.say("hello")
        for write in (
            lambda: call.agent.step(Work).save_state(done=1),
            lambda: call.agent.save_step_state(Free, {"a": 1}),
            lambda: setattr(call.agent.step(Work), "done", 1),
        ):
            with pytest.raises(OutsideHandler):
                write()
        assert len(entries(call.log, "state.changed")) == 1


async def test_what_steps_hold_comes_back_with_its_types() -> None:
    store = MemoryStore()
    script = Script(calls("bring", state={"day": "2026-01-02", "count": 7}), "Done.")
    async with rehearsing(Job, script, store=store) as call:
        await call.say("work")
        assert call.agent.step(Fixed).day == date(2026, 1, 2)
    async with rehearsing(Job, Script(), store=store, resume=call.id) as again:
        assert again.agent.step(Fixed).saved == call.agent.step(Fixed).saved
        assert again.agent.step(Fixed).many is True


async def test_a_call_opens_in_the_state_that_is_given_for_its_steps() -> None:
    given = {"stage": Fixed, "level": 2, "Fixed": {"day": "2026-01-02"}, "Free": {"any": [1]}}
    async with rehearsing(Job, Script(), state=given) as call:
        assert (call.agent.stage, call.agent.level) == ("Fixed", 2)
        assert call.agent.step(Fixed).day == date(2026, 1, 2)
        assert call.agent.step(Free).saved == {"any": [1]}


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"Fixed": {"count": "x"}}, WrongType),
        ({"Fixed": {"size": 1}}, UndeclaredField),
        ({"Fixed": 5}, WrongType),
        ({"Nowhere": {}}, UndeclaredField),
        ({"stage": "Nowhere"}, Exception),
    ],
)
async def test_a_given_state_that_does_not_fit_opens_nothing(given: dict[str, Any], error: type[Exception]) -> None:
    store = MemoryStore()
    with pytest.raises(error):
        async with rehearsing(Job, Script(), state={"level": 2, **given}, store=store):
            pass
    assert await store.calls() == []
