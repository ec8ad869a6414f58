"""What is no name at all is refused as a field that is not there, wherever state is written by name."""

from typing import Any

import pytest

from cuelight import Flow, Step, go, tool
from cuelight.errors import UndeclaredField
from cuelight.testing import Script, calls
from lawbook import datas, rehearsing, results

NAMELESS: Any = {3: 4}
WORDS = r"^Kept has no field 3; .* Its fields: count\. Give it under the name of one of these, or leave it out\.$"


class Kept(Step):
    count: int = 0

    @tool
    def bring(self) -> Any:
        """Brings state."""
        return go(Kept).with_state(NAMELESS)


class Desk(Flow):
    """You answer."""

    steps = (Kept,)


def test_it_is_refused_where_it_is_saved() -> None:
    desk = Desk()
    with pytest.raises(UndeclaredField, match=WORDS):
        desk.step(Kept).save_state(NAMELESS)
    with pytest.raises(UndeclaredField, match=WORDS):
        desk.save_step_state(Kept, NAMELESS)


async def test_it_is_refused_where_a_route_brings_it() -> None:
    async with rehearsing(Desk, Script(calls("bring"), "Sorry.")) as call:
        await call.say("Go on")
        (error,) = datas(call.log, "error")
        (result,) = results(call.log)
        assert error["code"] == "undeclared-field"
        assert result["error"] == error["message"]
        assert error["message"].startswith("Kept has no field 3; tool bring writes it.")
