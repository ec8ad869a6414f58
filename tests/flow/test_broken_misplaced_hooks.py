"""A hook that stands where nothing runs it, or that would do nothing when it is run, is refused and not passed over."""

from collections.abc import Callable
from typing import Any

import pytest

from cuelight import Agent, DeclarationRefused, Flow, LogicStep, Step, TerminateSessionStep


class Only(Step):
    pass


def nothing(self: Any, *_: Any) -> None:
    """Do nothing."""


async def soon(self: Any, *_: Any) -> None:
    """Do nothing, later."""


def yields(self: Any, *_: Any) -> Any:
    yield


async def yields_later(self: Any, *_: Any) -> Any:
    yield


def problem(make: Callable[[], Any]) -> str:
    with pytest.raises(DeclarationRefused) as refused:
        make()
    (one,) = refused.value.problems
    return one


@pytest.mark.parametrize("method", [nothing, soon])
@pytest.mark.parametrize("name", ["on_call", "on_event", "on_end"])
def test_a_hook_of_the_flow_in_a_step(name: str, method: Any) -> None:
    wanted = f"`{name}` is a hook of the flow; write it there, or give the method another name"
    assert problem(lambda: type("Seat", (Step,), {name: method})) == wanted
    assert problem(lambda: type("Bye", (TerminateSessionStep,), {name: method})) == wanted
    assert problem(lambda: type("Sort", (LogicStep,), {name: method, "run_logic": nothing})) == wanted


@pytest.mark.parametrize("name", ["get_prompt", "on_enter", "on_exit", "on_crossing", "on_response", "run_logic"])
def test_a_hook_of_a_step_in_the_flow(name: str) -> None:
    wanted = f"`{name}` is a hook of a Step; write it there, or give the method another name"
    assert problem(lambda: type("Shop", (Flow,), {"steps": (Only,), name: nothing})) == wanted


def test_run_logic_where_it_is_not_run() -> None:
    assert problem(lambda: type("Sort", (Step,), {"run_logic": nothing})) == (
        "`run_logic` is run in a LogicStep alone; make it one, or give the method another name"
    )


def test_render_in_a_step_without_a_prompt_of_its_own() -> None:
    assert problem(lambda: type("Seat", (Step,), {"render": nothing})) == (
        "`render` is asked of the flow alone; write what a Step says in `get_prompt`, or give the method another name"
    )
    helped = type("Seat", (Step,), {"render": lambda self: "Ask.", "get_prompt": lambda self: self.render()})
    assert type("Shop", (Flow,), {"steps": (helped,)})().current.get_prompt() == "Ask."


def test_state_may_have_such_a_name() -> None:
    ward = type("Ward", (Step,), {"__annotations__": {"on_call": bool}, "on_call": True})
    assert type("Shop", (Flow,), {"steps": (ward,)})().step(ward).saved == {"on_call": True}


def test_a_goodbye_waits_for_nobody() -> None:
    assert problem(lambda: type("Bye", (TerminateSessionStep,), {"waits": True})) == (
        "`waits` means nothing in a TerminateSessionStep, after which nobody is heard; leave it out"
    )
    assert type("Bye", (TerminateSessionStep,), {"waits": False}).waits is False


@pytest.mark.parametrize("method", [yields, yields_later])
@pytest.mark.parametrize(
    ("base", "name"),
    [
        *((Step, name) for name in ("on_enter", "on_exit", "on_crossing", "on_response", "get_prompt")),
        *((Agent, name) for name in ("on_call", "on_event", "on_end", "render")),
    ],
)
def test_a_hook_that_yields(base: type, name: str, method: Any) -> None:
    assert problem(lambda: type("Seat", (base,), {name: method})) == (
        f"`{name}` yields, so nothing in it would run; let it return"
    )
