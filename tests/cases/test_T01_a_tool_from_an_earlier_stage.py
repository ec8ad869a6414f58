"""T01: a call to a tool of an earlier stage is refused, and the turn goes on."""

from typing import Literal

from cuelight import Agent, tool
from cuelight.testing import Script, calls
from lawbook import datas, entries, refusals, rehearsing, results, told


class Gym(Agent):
    """You sign people up for the gym."""

    stage: Literal["plan", "pay"] = "plan"
    plan: str | None = None

    @tool(stage="plan")
    def choose_plan(self, plan: str) -> str:
        """Chooses a plan."""
        self.plan, self.stage = plan, "pay"
        return "chosen"

    @tool(stage="pay")
    def take_payment(self) -> str:
        """Takes the payment."""
        return "paid"


async def test_t01_with_the_earlier_call_in_the_history() -> None:
    script = Script(
        calls("choose_plan", plan="gold"), "Gold it is. Shall I take the payment?",
        calls("choose_plan", plan="basic"), "The plan is chosen already.",
    )  # fmt: skip
    async with rehearsing(Gym, script) as call:
        await call.say("gold")
        before = call.state.app_state
        reply = await call.say("actually the cheaper one")
        assert reply.text == "The plan is chosen already."
        assert call.state.app_state == before == {"stage": "pay", "plan": "gold"}
        assert refusals(call.log) == [("choose_plan", "hidden")]
        refused = results(call.log)[1]["error"]
        assert "take_payment" in refused
        assert "choose_plan" not in refused
        assert len([run for run in call.state.tools if run.status == "failed"]) == 1
        assert told(call.requests[3]) == ["chosen", refused]
        assert len(call.requests) == 4, "it was asked again in the same turn"
        assert len(datas(call.log, "turn.user")) == 2


async def test_t01_opened_in_the_later_stage() -> None:
    script = Script(calls("choose_plan", plan="basic"), "Already chosen.")
    async with rehearsing(Gym, script, state={"stage": "pay", "plan": "gold"}) as call:
        assert (await call.say("the cheaper one")).text == "Already chosen."
        assert call.requests[0].tools == ["take_payment"]
        assert call.agent.plan == "gold"
        call_, result, refused = entries(call.log, "tool.call", "tool.result", "cue.refused")
        assert call_.data["call_id"] == result.data["call_id"] == refused.data["call_id"]
