"""Slips that every author makes once, and what they are told."""

from typing import Any

import pytest

from cuelight import Agent, DeclarationRefused, Flow, LogicStep, StageIsRouted, Step, direct, go, stay, tool
from cuelight.testing import Script, calls
from lawbook import datas, rehearsing


class Ask(Step):
    @tool
    async def forget_to_return(self, how: str) -> Any:
        if how == "go":
            go(Offer).with_state(slot="ten")
        elif how == "stay":
            stay("Ask again.")
        elif how == "direct":
            direct("Here you are.")
        return None

    @tool
    async def make_and_keep(self) -> str:
        go(Offer)
        return "kept"

    @tool
    async def return_an_instance(self) -> Any:
        return Offer()

    @tool
    async def go_to_an_instance(self) -> Any:
        return go(Offer())

    @tool
    async def return_two(self) -> Any:
        return go(Offer), "ok"

    @tool
    async def write_the_stage(self) -> None:
        self.stage = "Offer"


class Offer(Step):
    slot: str = ""


class Forgetful(LogicStep):
    def run_logic(self) -> Any:
        go(Offer)


class Shop(Flow):
    """You mend bicycles."""

    steps = (Ask, Offer)


def told(log: Any) -> list[tuple[str, str]]:
    return [(data["code"], data["message"]) for data in datas(log, "error")]


@pytest.mark.parametrize(("how", "made"), [("go", "go(Offer)"), ("stay", "stay(...)"), ("direct", "direct(...)")])
async def test_a_route_that_is_made_and_not_returned_is_told(how: str, made: str) -> None:
    async with rehearsing(Shop, Script(calls("forget_to_return", how=how), "Go on.")) as call:
        await call.say("My chain is off")
        assert call.agent.stage == "Ask"
        assert told(call.log) == [
            (
                "route-not-returned",
                f"tool forget_to_return made the route {made} and returned nothing, so nothing came of it. Write "
                f"`return {made}`.",
            )
        ]


async def test_a_route_that_a_handler_made_and_chose_not_to_return_is_its_own_affair() -> None:
    async with rehearsing(Shop, Script(calls("make_and_keep"), "Kept.")) as call:
        await call.say("Hm")
        assert told(call.log) == []


async def test_logic_without_a_return_is_told() -> None:
    class Led(Flow):
        """You lead on."""

        steps = (Forgetful, Offer)

    async with rehearsing(Led, Script()) as call:
        assert [code for code, _ in told(call.log)] == ["route-not-returned", "no-route"]


@pytest.mark.parametrize(
    ("slip", "words"),
    [
        ("return_an_instance", "An instance of Offer was returned, which is no route; write `return Offer`."),
        ("go_to_an_instance", "go takes a Step class, and was given an instance of Offer; write go(Offer)."),
        ("return_two", "A route was returned in a tuple; return it by itself, and say the rest with its builders."),
        (
            "write_the_stage",
            "Ask.stage is the name of the current step, which only a route moves. Return it from a handler, as in "
            "`return go(NextStep)`.",
        ),
    ],
)
async def test_what_is_no_route_is_told_with_what_to_write(slip: str, words: str) -> None:
    async with rehearsing(Shop, Script(calls(slip), "Sorry.")) as call:
        await call.say("Hm")
        ((_, message),) = told(call.log)
        assert message.endswith(words)
        assert call.agent.stage == "Ask"


def test_the_stage_of_a_step_can_be_read() -> None:
    shop = Shop()
    assert shop.step(Offer).stage == "Ask"
    with pytest.raises(StageIsRouted, match="return go"):
        shop.step(Ask).stage = "Offer"


def test_a_property_that_gives_a_service_is_refused() -> None:
    class Diary:
        pass

    with pytest.raises(DeclarationRefused, match="property `diary` is of type Diary, for which no JSON Schema exists"):

        class Desk(Agent):
            @property
            def diary(self) -> Diary:
                return Diary()
