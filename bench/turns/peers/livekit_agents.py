"""LiveKit Agents: a text-only session, `session.run` a turn; the stage moves by `update_tools` from inside the tool."""

import asyncio
import json
import logging

from livekit.agents import Agent, AgentSession, RunContext, function_tool, llm

from bench.turns.workload import TOOLS, VISIBLE, Desk


class Answer(llm.LLMStream):
    """Stream one chunk."""

    async def _run(self) -> None:
        desk = self._llm.desk
        desk.offer(one.info.name for one in self._tools)
        if self._chat_ctx.items[-1].type == "message":
            call = llm.FunctionToolCall(name="find_parcel", arguments=json.dumps(desk.arguments), call_id=desk.call_id)
            delta = llm.ChoiceDelta(role="assistant", tool_calls=[call])
        else:
            delta = llm.ChoiceDelta(role="assistant", content=desk.answer)
        self._event_ch.send_nowait(llm.ChatChunk(id=f"m{desk.number}", delta=delta))


class AtOnce(llm.LLM):
    """Answer at once."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk

    def chat(self, *, chat_ctx, tools=None, conn_options=llm.llm.DEFAULT_API_CONNECT_OPTIONS, **kwargs):
        return Answer(self, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options)


def _agent(desk: Desk) -> Agent:
    @function_tool(description=TOOLS["find_parcel"])
    async def find_parcel(context: RunContext, number: int) -> str:
        before = desk.stage
        result = desk.find(number)
        if desk.stage != before:
            await context.session.current_agent.update_tools(shown(desk.stage))
        return result

    @function_tool(description=TOOLS["redirect"])
    async def redirect(number: int) -> str:
        return f"Parcel {number} is sent on."

    @function_tool(description=TOOLS["hand_over"])
    async def hand_over(number: int) -> str:
        return f"Parcel {number} is handed over."

    tools = {one.info.name: one for one in (find_parcel, redirect, hand_over)}

    def shown(stage: str) -> list:
        return [tools[name] for name in VISIBLE[stage]]

    prompt = "You answer questions about parcels. Brief and friendly."
    return Agent(instructions=prompt, tools=shown(desk.stage))


async def main() -> None:
    logging.disable(logging.WARNING)
    desk = Desk()
    async with AgentSession(llm=AtOnce(desk), vad=None) as session:
        await session.start(_agent(desk))

        async def say(words: str) -> str | None:
            result = await session.run(user_input=words)
            said = [event.item for event in result.events if event.type == "message" and event.item.role == "assistant"]
            return said[-1].text_content if said else None

        (await desk.drive(say)).write()


asyncio.run(main())
