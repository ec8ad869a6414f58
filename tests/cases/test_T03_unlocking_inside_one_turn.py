"""T03: a tool that unlocks another one does so within the turn."""

from typing import Literal

import pytest

from cuelight import Agent, tool
from cuelight.testing import Script, calls
from lawbook import heard, rehearsing, results, types


class Bank(Agent):
    """You guard an account."""

    stage: Literal["locked", "open"] = "locked"

    @tool(stage="locked")
    def check_pin(self, pin: str) -> bool:
        """Checks the pin."""
        if pin == "1234":
            self.stage = "open"
        return pin == "1234"

    @tool(stage="open")
    async def balance(self) -> int:
        """Tells the balance."""
        return 120

    def render(self) -> str:
        return {"locked": "Ask for the pin. L", "open": "The caller may ask for the balance. O"}[self.stage]


async def test_t03_the_right_pin() -> None:
    async with rehearsing(Bank, Script(calls("check_pin", pin="1234"), calls("balance"), "You have 120.")) as call:
        reply = await call.say("1234, how much do I have?")
        first, second, third = call.requests
        assert (first.tools, second.tools, third.tools) == (["check_pin"], ["balance"], ["balance"])
        assert "L" in first.view
        assert "O" in second.view
        assert "Ask for the pin" not in second.view
        assert [data["output"] for data in results(call.log)] == [True, 120]
        assert heard(call.log) == ["You have 120."] == [reply.text]
        assert types(call.log).count("turn.user") == 1


@pytest.mark.parametrize("pin", ["0000", "12345", ""])
async def test_t03_a_wrong_pin(pin: str) -> None:
    async with rehearsing(Bank, Script(calls("check_pin", pin=pin), "That is not it.")) as call:
        await call.say(pin)
        assert call.requests[1].tools == ["check_pin"]
        assert "L" in call.requests[1].view
        assert call.agent.stage == "locked"
