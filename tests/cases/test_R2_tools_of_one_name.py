"""R2: two steps have a tool of one name, and the model was shown one of them while the other one ran."""

import json
from typing import Any

from cuelight import Flow, Route, Step, go, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls, rehearse


class PartySize(Step["Rental"]):
    people: int | None = None

    @tool
    def record(self, people: int) -> Route:
        """Records how many people come along."""
        self.save_state(people=people)
        return go(PickBoat)


class PickBoat(Step["Rental"]):
    boat: str = ""

    @tool
    def back(self) -> Route:
        """Goes back."""
        return go(PartySize)

    @tool
    def record(self, boat: str, hours: int = 1) -> str:
        """Records the boat."""
        self.save_state(boat=f"{boat} for {hours} h")
        return "Recorded."


class Rental(Flow):
    """You rent out boats."""

    steps = (PartySize, PickBoat)


def told(request: Any) -> dict[str, tuple[str, list[str]]]:
    """What the model is told of `record`, by its words and its parameters."""
    return {spec["name"]: (spec["description"], [*spec["parameters"]["properties"]]) for spec in request.specs}


PARTY = ("Records how many people come along.", ["people"])
BOAT = ("Records the boat.", ["boat", "hours"])


async def test_the_active_steps_tool_is_the_one_that_is_shown_and_run_also_after_going_back() -> None:
    script = Script(
        calls("record", people=3),
        calls("record", boat="Otter", hours=2),
        calls("back"),
        calls("record", people=4),
        calls("record", boat="Swan"),
        "Done.",
    )
    async with rehearse(Rental, script) as call:
        assert (await call.say("go on")).text == "Done."
        assert [told(request)["record"] for request in call.requests] == [PARTY, BOAT, BOAT, PARTY, BOAT, BOAT]
        assert [request.tools for request in call.requests[:2]] == [["record"], ["back", "record"]]
        assert call.agent.step(PartySize).people == 4
        assert call.agent.step(PickBoat).boat == "Swan for 1 h"
        assert not any(row.error for row in call.state.tools)


async def test_arguments_for_the_other_steps_tool_are_refused_and_neither_runs() -> None:
    script = Script(calls("record", boat="Otter"), "How many are you?")
    async with rehearse(Rental, script) as call:
        await call.say("the Otter")
        (row,) = call.state.tools
        assert row.error
        assert "people" in json.dumps(call.requests[1].messages)
        assert (call.agent.stage, call.agent.step(PickBoat).boat) == ("PartySize", "")


async def test_a_resumed_call_shows_and_runs_the_tool_of_the_step_it_is_in() -> None:
    store = MemoryStore()
    async with rehearse(Rental, Script(calls("record", people=3), "Which boat?"), store=store) as first:
        await first.say("three of us")
    script = Script(calls("record", boat="Otter"), "Done.")
    async with rehearse(Rental, script, store=store, resume=first.id) as call:
        await call.say("the Otter")
        assert told(call.requests[0])["record"] == BOAT
        assert call.agent.step(PickBoat).boat == "Otter for 1 h"
