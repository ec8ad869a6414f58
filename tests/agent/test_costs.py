"""What the author's class costs: nothing of pydantic before it is needed, little per read, write and handler.

The bounds are many times what is measured, so that a busy machine does not fail them; what grows with the size of the
state, or with the number of instances, still does.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, Literal

from cuelight import Agent, tool
from cuelight.agent import Frame, open_frame, visible


class Desk(Agent):
    stage: Literal["a", "b"] = "a"
    count: int = 0
    slots: list[str] = []
    big: dict[str, list[str]] = {}

    @tool(stage="a")
    def one(self) -> None: ...

    @tool(when=lambda a: a.count > 3)
    def two(self) -> None: ...


def best(function: Callable[[], Any], times: int = 300, rounds: int = 5) -> float:
    """Give the seconds that one call takes, in the best of some rounds."""
    found = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        for _ in range(times):
            function()
        found = min(found, (time.perf_counter() - began) / times)
    return found


def live(big: int) -> Desk:
    desk = Desk()
    desk.big = {str(n): ["x" * 20] * 5 for n in range(big)}
    desk._cell.go_live()
    return desk


def handler(desk: Desk) -> None:
    """Do what the engine does around a tool that reads one field and writes one."""
    frame = Frame(desk._cell.ledger, "tool one")
    with open_frame(frame):
        desk.count = desk.count + 1
    frame.stage().commit()


def test_pydantic_is_imported_by_the_first_class_with_a_field_or_a_tool() -> None:
    code = """
import sys, cuelight
class Bare(cuelight.Agent):
    "You are polite."
    def render(self) -> str: return "Now."
Bare()
assert "pydantic" not in sys.modules
class Desk(Bare):
    count: int = 0
assert "pydantic" in sys.modules
"""
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_handler_costs_the_same_whatever_the_size_of_the_state() -> None:
    small, large = live(0), live(2000)
    assert best(lambda: handler(large)) < 5 * best(lambda: handler(small))
    assert best(lambda: handler(small)) < 0.000_3


def test_reading_and_writing_a_field_is_cheap() -> None:
    desk = Desk()
    assert best(lambda: desk.count) < 0.000_05
    assert best(lambda: setattr(desk, "count", 5)) < 0.000_1


def test_a_gate_is_cheap_and_without_a_when_it_is_made_once() -> None:
    desk = live(2000)
    assert best(lambda: visible(desk)) < 0.000_2

    class Plain(Agent):
        stage: Literal["a", "b"] = "a"

        @tool(stage="a")
        def one(self) -> None: ...

    assert visible(Plain()) is visible(Plain())


def test_an_instance_is_cheap_however_large_what_it_opens_with() -> None:
    class Large(Agent):
        big: list[list[int]] = [[1, 2, 3]] * 2000

    assert best(Large) < 0.000_3
    assert Large().big is not Large().big


def test_a_subclass_is_not_checked_anew() -> None:
    def make() -> None:
        class Night(Desk):
            pass

    assert best(make, times=10) < 0.01
