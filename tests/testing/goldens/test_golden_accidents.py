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


def _says(words: str, check: str) -> str:
    return f'name: X\nmodel: ["{words}"]\nturns:\n  - say: hi\n    then:\n      - reply: {check}\n'


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("That is 16 euros", "6 euros"),
        ("That is 6.50", "6"),
        ("That is 6,000", "6"),
        ("That is 1.6 euros", "6 euros"),
        ("Call 555 1234", "555 123"),
        ("It is unavailable", "available"),
        ("I know", "no"),
    ],
)
def test_a_part_of_a_number_or_the_end_of_a_word_is_not_said(desk: Desk, said: str, words: str) -> None:
    for check in (f'{{says: "{words}"}}', f'{{says_any: ["{words}"]}}'):
        assert f"came      “{said}”" in desk.failure(_says(said, check), Till)
    assert f"does not say “{words}”" in desk.failure(_says(said, f'{{not: "{words}"}}'), Till)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("That is 6 euros.", "6 euro"),
        ("First 16 euros, then 6 euros", "6 euros"),
        ("It is 6.", "6"),
        ("(6)", "6"),
        ("It's €6", "6"),
        ("no, no", "no"),
        ("re-opened", "opened"),
        ("はい明日です", "明日"),
        ("Room B6", "6"),
    ],
)
def test_words_may_end_anywhere_and_stand_anywhere_else(desk: Desk, said: str, words: str) -> None:
    assert desk.run(_says(said, f'{{says: "{words}"}}'), Till).failure == ""


def test_accents_are_the_same_however_they_are_written(desk: Desk) -> None:
    assert desk.run(_says("caf\u00e9", "{says: cafe\u0301}"), Till).passed
    assert not desk.run(_says("caf\u00e9", "{not: cafe\u0301}"), Till).passed


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


TWICE = """
name: X
model: [[{call: %s}, {call: %s}], Well]
turns:
  - say: hi
    then:
      - %s
"""


@pytest.mark.parametrize(("call", "check"), [("sing", "refused: sing"), ("burn", "error: handler-raised")])
def test_what_is_named_once_and_came_twice_was_not_named(desk: Desk, call: str, check: str) -> None:
    once = TWICE % (call, call, check)
    assert "no error, refusal or failure that the turn does not name" in desk.failure(once, Till)
    assert desk.run(f"{once}      - {check}\n", Till).failure == ""
