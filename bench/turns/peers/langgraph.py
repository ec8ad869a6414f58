"""LangGraph: a graph of a model node and its ToolNode; `saver` adds the in-memory checkpointer that resuming needs.

Without the saver the caller carries the state from turn to turn. The stage moves by the tool's `Command`.
"""

import asyncio
import sys
from typing import Annotated, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import InjectedToolCallId, tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command

from bench.turns.workload import TOOLS, VISIBLE, Desk


class Conversation(MessagesState):
    """The messages, and the stage."""

    stage: str


class AtOnce(BaseChatModel):
    """Answer at once."""

    desk: Any

    @property
    def _llm_type(self) -> str:
        return "at-once"

    def bind_tools(self, tools, **kwargs):
        return self.bind(tools=[convert_to_openai_tool(one) for one in tools], **kwargs)

    def _generate(self, messages, stop=None, run_manager=None, *, tools=(), **kwargs):
        self.desk.offer(one["function"]["name"] for one in tools)
        if isinstance(messages[-1], HumanMessage):
            call = {"name": "find_parcel", "args": self.desk.arguments, "id": self.desk.call_id}
            message = AIMessage("", tool_calls=[call])
        else:
            message = AIMessage(self.desk.answer)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        return self._generate(messages, stop, run_manager, **kwargs)


def _graph(desk: Desk, saver: InMemorySaver | None):
    @tool(description=TOOLS["find_parcel"])
    async def find_parcel(number: int, tool_call_id: Annotated[str, InjectedToolCallId]) -> Any:
        before = desk.stage
        result = desk.find(number)
        if desk.stage == before:
            return result
        return Command(update={"stage": desk.stage, "messages": [ToolMessage(result, tool_call_id=tool_call_id)]})

    @tool(description=TOOLS["redirect"])
    async def redirect(number: int) -> str:
        return f"Parcel {number} is sent on."

    @tool(description=TOOLS["hand_over"])
    async def hand_over(number: int) -> str:
        return f"Parcel {number} is handed over."

    tools = {one.name: one for one in (find_parcel, redirect, hand_over)}
    model = AtOnce(desk=desk)
    bound = {stage: model.bind_tools([tools[name] for name in names]) for stage, names in VISIBLE.items()}
    prompt = SystemMessage("You answer questions about parcels. Brief and friendly.")

    async def ask(state: Conversation):
        return {"messages": [await bound[state["stage"]].ainvoke([prompt, *state["messages"]])]}

    graph = StateGraph(Conversation)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode(list(tools.values())))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", tools_condition)
    graph.add_edge("tools", "ask")
    return graph.compile(checkpointer=saver)


async def main(saver: bool) -> None:
    desk = Desk()
    graph = _graph(desk, InMemorySaver() if saver else None)
    state: dict[str, Any] = {"messages": [], "stage": desk.stage}

    async def say(words: str) -> str:
        nonlocal state
        state = await graph.ainvoke({**state, "messages": [*state["messages"], HumanMessage(words)]})
        return state["messages"][-1].content

    async def say_saved(words: str) -> str:
        given: dict[str, Any] = {"messages": [HumanMessage(words)]}
        if desk.number == 1:
            given["stage"] = desk.stage
        saved = await graph.ainvoke(given, {"configurable": {"thread_id": "call"}})
        return saved["messages"][-1].content

    (await desk.drive(say_saved if saver else say)).write()


asyncio.run(main(saver="saver" in sys.argv[1:]))
