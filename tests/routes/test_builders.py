"""Routes are immutable values; a builder called again replaces its own earlier value and no other."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from cuelight import Agent, DirectMessage, HttpContentType, OutsideHandler, Route, direct, go, stay, tool
from cuelight.testing import Script, calls, rehearse

START = go("b").with_tool_feedback("one").with_state(a=1).with_message("m").with_content_type(HttpContentType.JSON)


def test_a_builder_gives_a_new_route_and_leaves_the_old_one() -> None:
    for build in (
        lambda r: r.with_tool_feedback("two"),
        lambda r: r.with_state(b=2),
        lambda r: r.with_prompt("p"),
        lambda r: r.with_message("other"),
        lambda r: r.with_content_type(HttpContentType.HTML),
    ):
        before = dataclasses.asdict(dataclasses.replace(START, state={**START.state}))
        other = build(START)
        assert other is not START
        assert other != START
        assert dataclasses.asdict(dataclasses.replace(START, state={**START.state})) == before


@pytest.mark.parametrize(
    ("build", "field", "value"),
    [
        (lambda r: r.with_tool_feedback("two"), "feedback", "two"),
        (lambda r: r.with_state(b=2), "state", {"b": 2}),
        (lambda r: r.with_state({"b": 2}, c=3), "state", {"b": 2, "c": 3}),
        (lambda r: r.with_prompt("p"), "prompt", "p"),
        (lambda r: r.with_message("other"), "message", "other"),
        (lambda r: r.with_content_type(HttpContentType.HTML), "content_type", HttpContentType.HTML),
    ],
)
def test_the_last_call_of_a_builder_replaces_its_own_value_alone(build: Any, field: str, value: Any) -> None:
    built = build(START)
    assert getattr(built, field) == value
    others = {f.name for f in dataclasses.fields(Route)} - {field}
    assert {name: getattr(built, name) for name in others} == {name: getattr(START, name) for name in others}


def test_a_route_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        START.target = "c"  # type: ignore[misc]
    with pytest.raises(TypeError):
        START.state["a"] = 2  # type: ignore[index]


def test_a_route_keeps_the_state_it_was_given() -> None:
    given = {"a": 1}
    route = go("b").with_state(given)
    given["a"] = 2
    assert route.state == {"a": 1}


async def in_a_handler(build: Callable[[], Any]) -> Any:
    """Give what a function gives when a tool of a live call runs it."""
    built: list[Any] = []

    class Holder(Agent):
        @tool
        def build(self) -> None:
            built.append(build())

    async with rehearse(Holder, Script(calls("build"), "Done.")) as call:
        await call.say("Go on.")
    return built[0]


async def test_stay_and_direct_say_what_they_are() -> None:
    plain, said, again = await in_a_handler(lambda: (stay(), stay("no"), stay("no")))
    assert (plain.kind, plain.feedback) == ("stay", "input validated")
    assert said.feedback == "no"
    assert said == again
    assert said.with_tool_feedback("yes").feedback == "yes"
    shown = await in_a_handler(lambda: direct("x"))
    assert shown == Route("direct", message=DirectMessage("x"))
    assert shown.with_message("y").message == "y"
    assert plain.with_message(DirectMessage("x")).message == DirectMessage("x")


@pytest.mark.parametrize("helper", [stay, lambda: direct("x")], ids=["stay", "direct"])
def test_stay_and_direct_say_so_outside_a_handler(helper: Any) -> None:
    with pytest.raises(OutsideHandler, match=r"^(stay|direct)\(\) was used where no handler of a call is running"):
        helper()


@pytest.mark.parametrize(
    "build",
    [
        lambda: go("b").with_tool_feedback(None),
        lambda: go("b").with_prompt(5),
        lambda: go("b").with_message(5),
        lambda: go("b").with_state(5),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_where_it_is_written(build: Any) -> None:
    with pytest.raises(TypeError):
        build()


async def test_feedback_is_text() -> None:
    def wrong() -> str:
        with pytest.raises(TypeError, match="stay takes text"):
            stay(5)  # type: ignore[arg-type]
        return "refused"

    assert await in_a_handler(wrong) == "refused"


def test_content_types_are_strings_with_names() -> None:
    assert {t.name: str(t) for t in HttpContentType} == {
        "TEXT": "text/plain", "JSON": "application/json", "HTML": "text/html", "MARKDOWN": "text/markdown",
    }  # fmt: skip
    assert go("b").with_content_type("application/json").content_type is HttpContentType.JSON  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="image/png"):
        go("b").with_content_type("image/png")  # type: ignore[arg-type]
