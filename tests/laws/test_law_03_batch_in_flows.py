"""Law 3 with steps: a batch may hold calls of the step's tools and of the flow's, and is one batch all the same."""

import asyncio
from typing import Any

from cuelight import Flow, Step, go, tool
from cuelight.testing import Script, calls
from lawbook import datas, entries, errors, refusals, rehearsing, results, told


class Cook(Step):
    dishes: list[str] = []

    @tool
    def cook(self, dish: str) -> str:
        """Cooks."""
        self.dishes.append(dish)
        self.flow.orders += 1
        return f"{dish} is order {self.flow.orders}"

    @tool(effect="read")
    async def taste(self) -> str:
        """Tastes, when the flow's own tool has begun too."""
        self.flow._tasting.set()
        await self.flow._looking.wait()
        return f"{len(self.dishes)} dishes"

    @tool
    def burn(self) -> str:
        """Burns."""
        self.dishes.append("burnt")
        self.flow.orders = 99
        self.flow.save_step_state(Serve, served=["burnt"])
        raise RuntimeError("fire")

    @tool
    def done(self) -> Any:
        """Serves."""
        return go(Serve)


class Serve(Step):
    served: list[str] = []

    @tool
    def serve(self) -> str:
        """Serves."""
        self.served.append("all")
        return "served"


class Kitchen(Flow):
    steps = (Cook, Serve)
    orders: int = 0

    def __init__(self) -> None:
        self._tasting, self._looking = asyncio.Event(), asyncio.Event()

    @tool
    def order(self, dish: str) -> str:
        """Takes an order."""
        self.orders += 1
        self.step(Cook).dishes.append(f"ordered {dish}")
        return f"order {self.orders}"

    @tool(effect="read")
    async def look(self) -> str:
        """Looks, when the step's own tool has begun too."""
        self._looking.set()
        await self._tasting.wait()
        return f"{self.orders} orders in {self.stage}"


async def test_calls_of_the_step_and_of_the_flow_run_in_the_order_written_and_see_each_other() -> None:
    batch = [calls("cook", dish="soup"), calls("order", dish="pie"), calls("cook", dish="pie")]
    async with rehearsing(Kitchen, Script(batch, "Served.")) as call:
        await call.say("cook")
        assert told(call.requests[1]) == ["soup is order 1", "order 2", "pie is order 3"]
        assert call.agent.step(Cook).dishes == ["soup", "ordered pie", "pie"]
        assert [data["changed"] for data in datas(call.log, "state.changed")[1:]] == [["orders", "Cook"]] * 3


async def test_adjacent_reads_of_the_step_and_of_the_flow_run_together() -> None:
    async with rehearsing(Kitchen, Script([calls("taste"), calls("look")], "Good.")) as call:
        await asyncio.wait_for(call.say("taste"), 5)
        assert told(call.requests[1]) == ["0 dishes", "0 orders in Cook"]
        order = [entry.type for entry in entries(call.log, "tool.call", "tool.result")]
        assert order == ["tool.call", "tool.call", "tool.result", "tool.result"]


async def test_what_a_failing_call_wrote_is_gone_from_flow_and_steps_and_its_siblings_writes_stay() -> None:
    batch = [calls("cook", dish="soup"), calls("burn"), calls("order", dish="pie")]
    async with rehearsing(Kitchen, Script(batch, "Half.")) as call:
        await call.say("cook")
        assert errors(call.log) == ["handler-raised"]
        assert call.agent.orders == 2
        assert call.agent.step(Cook).dishes == ["soup", "ordered pie"]
        assert call.agent.step(Serve).served == []


async def test_a_tool_of_another_step_is_refused_in_its_place_and_never_named() -> None:
    batch = [calls("serve"), calls("cook", dish="soup"), calls("serve")]
    async with rehearsing(Kitchen, Script(batch, "No.")) as call:
        await call.say("serve")
        assert refusals(call.log) == [("serve", "hidden")] * 2
        first, cooked, last = told(call.requests[1])
        assert cooked == "soup is order 1"
        assert first == last
        assert "serve" not in first
        assert "These can: cook, taste, burn, done, order, look." in first
        assert call.agent.step(Serve).served == []


async def test_a_batch_that_moves_on_still_gives_each_call_one_result_in_order() -> None:
    batch = [calls("done"), calls("cook", dish="soup"), calls("serve"), calls("order", dish="tea")]
    async with rehearsing(Kitchen, Script(batch, "Served.")) as call:
        await call.say("serve")
        assert [data["name"] for data in results(call.log)] == ["done", "cook", "serve", "order"]
        assert told(call.requests[1])[:2] == ["input validated", "soup is order 1"]
        assert told(call.requests[1])[3] == "order 2"
        assert call.agent.stage == "Serve"
        assert call.requests[1].tools == ["serve", "order", "look"]


async def test_the_next_batch_is_the_new_steps() -> None:
    script = Script(calls("done"), [calls("serve"), calls("cook", dish="late")], "Served.")
    async with rehearsing(Kitchen, script) as call:
        await call.say("serve")
        assert call.agent.step(Serve).served == ["all"]
        assert refusals(call.log) == [("cook", "hidden")]
