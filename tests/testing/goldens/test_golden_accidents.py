"""What differs from what a golden states does not pass for it, however near it comes."""

from typing import Any

import pytest

from cuelight import Agent, tool
from golden_making import Desk


class Till(Agent):
    """You sell bread."""

    basket: dict[str, int] = {}

    @tool
    def put(self, sort: str = "rye") -> dict[str, Any]:
        """Puts a loaf into the basket."""
        self.basket = {**self.basket, sort: 1}
        return {"basket": self.basket, "gifts": {}}

    @tool
    def burn(self) -> None:
        """Burns."""
        raise RuntimeError("fire")


PUT = """
name: X
model: [{call: put, args: {sort: spelt}}, Well]
turns:
  - say: hi
    then:
      - %s
"""


@pytest.mark.parametrize(
    ("check", "came"),
    [
        ("{tool: put, args: {}}", 'put {"sort":"spelt"} (args is {"sort":"spelt"})'),
        ("{tool: put, result: {basket: {}}}", '(result.basket is {"spelt":1})'),
        ("{state: {basket: {}}}", 'state.basket is {"spelt":1}'),
    ],
)
def test_an_empty_object_is_not_one_that_has_members(desk: Desk, check: str, came: str) -> None:
    assert came in desk.failure(PUT % check, Till)


def test_an_empty_object_is_an_empty_one(desk: Desk) -> None:
    assert desk.run(PUT % "{tool: put, result: {gifts: {}}}", Till).passed
    assert desk.run((PUT % "{tool: put, args: {}}").replace(", args: {sort: spelt}", ""), Till).passed
    assert desk.run("name: X\nturns: [{then: [{state: {basket: {}}}]}]", Till).passed
