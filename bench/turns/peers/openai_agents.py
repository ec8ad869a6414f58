"""OpenAI Agents SDK: `Runner.run` a turn, its input list as the memory, tools shown by `is_enabled`; tracing is off."""

import asyncio
import json

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from bench.turns.workload import TOOLS, Desk


class AtOnce(Model):
    """Answer at once."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def get_response(self, system_instructions, input, model_settings, tools, *args, **kwargs):  # noqa: A002
        desk = self._desk
        desk.offer(one.name for one in tools)
        if input[-1].get("role") == "user":
            item = ResponseFunctionToolCall(
                type="function_call", call_id=desk.call_id, name="find_parcel", arguments=json.dumps(desk.arguments)
            )
        else:
            text = ResponseOutputText(type="output_text", text=desk.answer, annotations=[])
            item = ResponseOutputMessage(
                type="message", id=f"m{desk.number}", role="assistant", status="completed", content=[text]
            )
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError("this benchmark does not stream")


def _agent(desk: Desk) -> Agent:
    def only(stage: str):
        return lambda context, agent: desk.stage == stage

    @function_tool(description_override=TOOLS["find_parcel"])
    async def find_parcel(number: int) -> str:
        return desk.find(number)

    @function_tool(description_override=TOOLS["redirect"], is_enabled=only("arriving"))
    async def redirect(number: int) -> str:
        return f"Parcel {number} is sent on."

    @function_tool(description_override=TOOLS["hand_over"], is_enabled=only("arrived"))
    async def hand_over(number: int) -> str:
        return f"Parcel {number} is handed over."

    prompt = "You answer questions about parcels. Brief and friendly."
    return Agent(name="parcels", instructions=prompt, tools=[find_parcel, redirect, hand_over], model=AtOnce(desk))


async def main() -> None:
    set_tracing_disabled(True)
    desk = Desk()
    agent = _agent(desk)
    history: list = []

    async def say(words: str) -> str:
        nonlocal history
        result = await Runner.run(agent, [*history, {"role": "user", "content": words}])
        history = result.to_input_list()
        return result.final_output

    (await desk.drive(say)).write()


asyncio.run(main())
