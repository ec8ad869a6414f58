"""Pydantic AI: `agent.run` a turn with the message history handed on, tools shown by `prepare`."""

import asyncio

from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from bench.turns.workload import TOOLS, Desk


def _agent(desk: Desk) -> Agent:
    def at_once(messages, info: AgentInfo) -> ModelResponse:
        desk.offer(one.name for one in info.function_tools)
        if any(isinstance(part, ToolReturnPart) for part in messages[-1].parts):
            return ModelResponse(parts=[TextPart(desk.answer)])
        return ModelResponse(parts=[ToolCallPart("find_parcel", desk.arguments, tool_call_id=desk.call_id)])

    async def find_parcel(number: int) -> str:
        return desk.find(number)

    async def redirect(number: int) -> str:
        return f"Parcel {number} is sent on."

    async def hand_over(number: int) -> str:
        return f"Parcel {number} is handed over."

    def only(stage: str):
        async def prepare(context, definition):
            return definition if desk.stage == stage else None

        return prepare

    return Agent(
        FunctionModel(at_once),
        instructions="You answer questions about parcels. Brief and friendly.",
        tools=[
            Tool(find_parcel, description=TOOLS["find_parcel"]),
            Tool(redirect, description=TOOLS["redirect"], prepare=only("arriving")),
            Tool(hand_over, description=TOOLS["hand_over"], prepare=only("arrived")),
        ],
    )


async def main() -> None:
    desk = Desk()
    agent = _agent(desk)
    history: list = []

    async def say(words: str) -> str:
        nonlocal history
        result = await agent.run(words, message_history=history)
        history = result.all_messages()
        return result.output

    (await desk.drive(say)).write()


asyncio.run(main())
