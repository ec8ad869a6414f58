"""T07: one of three calls fails, one blocks, and another session chats meanwhile."""

import asyncio
import logging
import threading

import pytest

from cuelight import Agent, tool
from cuelight.testing import Script, calls
from lawbook import datas, rehearsing, results, told, types

SECRET = "dsn=postgres://admin:hunter2@10.0.0.7"


class Shop(Agent):
    """You sell umbrellas."""

    stock_seen: int = 0

    def __init__(self) -> None:
        self._let_go = threading.Event()

    @tool
    async def stock(self) -> int:
        """Tells the stock."""
        self.stock_seen = 3
        return 3

    @tool
    def weather(self) -> str:
        """Tells the weather."""
        self.stock_seen = 99
        raise ConnectionError(SECRET)

    @tool
    def hours(self) -> str:
        """Tells the hours; a blocking function."""
        assert self._let_go.wait(10)
        return "9 to 5"


async def test_t07_one_of_three_fails(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    batch = [calls("stock"), calls("weather"), calls("hours")]
    async with (
        rehearsing(Shop, Script(batch, "Three left; we open at nine.")) as call,
        rehearsing(Shop, Script(*["Hm."] * 20)) as other,
    ):
        saying = asyncio.create_task(call.say("umbrellas?"))
        for _ in range(20):
            assert (await other.say("and?")).text == "Hm."
        assert not saying.done(), "the other session was not held up by the blocking tool"
        call.agent._let_go.set()
        reply = await asyncio.wait_for(saying, 5)
        assert reply.text == "Three left; we open at nine."
        stock, weather, hours = results(call.log)
        assert (stock["output"], hours["output"]) == (3, "9 to 5")
        assert call.agent.stock_seen == 3
        assert call.state.app_state == {"stock_seen": 3}
        assert weather["error"]
        assert told(call.requests[1])[1] == weather["error"]
        assert SECRET not in str(call.requests[1].messages) + weather["error"] + reply.text
        assert any(SECRET in data["message"] for data in datas(call.log, "error"))
        assert SECRET in caplog.text
        assert "Traceback" in caplog.text
        assert types(call.log).count("turn.agent") == 1
