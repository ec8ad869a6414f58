"""T23 a to d: an empty reply, white space with a route, an error before the first token, a mute model."""

import asyncio
from typing import Any, Literal

import pytest

from cuelight import Agent, go, tool
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, errors, heard, rehearsing


class Steps(Agent):
    """You go step by step."""

    stage: Literal["one", "two"] = "one"

    @tool(stage="one")
    def next(self) -> Any:
        """Goes on."""
        return go("two")


async def mute(request: Any) -> str:
    await asyncio.Event().wait()
    return "never"


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("", "model-empty"),
        (" \n", "model-empty"),
        (ConnectionError("refused"), "model-failed"),
        (mute, "model-too-slow"),
    ],
)
@pytest.mark.parametrize("faults", [1, 2, 3])
async def test_t23_a_bounded_retry_and_then_a_line_of_code(fault: Any, code: str, faults: int) -> None:
    async with rehearsing(Steps, Script(*[fault] * faults, "Hello.")) as call:
        saying = asyncio.create_task(call.say("hi"))
        if fault is mute:
            for _ in range(faults):
                await call.advance(20)
        reply = await asyncio.wait_for(saying, 2)
        assert reply.text == ("Hello." if faults < 3 else FALLBACK)
        assert heard(call.log) == [reply.text]
        assert errors(call.log) == [code] * faults, "each is recorded with its reason"
        assert len(call.requests) == min(faults + 1, 3)
        assert all(data["message"] for data in datas(call.log, "error"))


@pytest.mark.parametrize("space", ["", " ", "\n \t"])
async def test_t23_white_space_with_a_route_proceeds(space: str) -> None:
    async with rehearsing(Steps, Script([space, calls("next")], "Step two.")) as call:
        assert (await call.say("next")).text == "Step two."
        assert call.agent.stage == "two"
        assert errors(call.log) == []
