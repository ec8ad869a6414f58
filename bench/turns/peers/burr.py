"""Burr: a state machine of four actions (hear, ask, act, answer) over its immutable state."""

import asyncio

from burr.core import ApplicationBuilder, State, action, when

from bench.turns.workload import VISIBLE, Desk


@action(reads=[], writes=["messages"])
async def hear(state: State, words: str) -> State:
    """Take in the caller's words."""
    return state.append(messages={"role": "user", "content": words})


@action(reads=["messages"], writes=["reply"])
async def answer(state: State) -> State:
    """Say what the model said last."""
    return state.update(reply=state["messages"][-1]["content"])


def _application(desk: Desk):
    async def find_parcel(number: int) -> str:
        return desk.find(number)

    async def second_tool(number: int) -> str:
        return f"Parcel {number} is dealt with."

    tools = {"find_parcel": find_parcel, "redirect": second_tool, "hand_over": second_tool}

    @action(reads=["messages", "stage"], writes=["messages", "calls"])
    async def ask(state: State) -> State:
        desk.offer(VISIBLE[state["stage"]])
        if state["messages"][-1]["role"] == "user":
            calls = [{"id": desk.call_id, "name": "find_parcel", "arguments": desk.arguments}]
            return state.append(messages={"role": "assistant", "calls": calls}).update(calls=calls)
        return state.append(messages={"role": "assistant", "content": desk.answer}).update(calls=[])

    @action(reads=["messages", "stage", "calls"], writes=["messages", "stage", "calls"])
    async def act(state: State) -> State:
        for call in state["calls"]:
            result = await tools[call["name"]](**call["arguments"])
            state = state.append(messages={"role": "tool", "id": call["id"], "content": result})
        return state.update(stage=desk.stage, calls=[])

    return (
        ApplicationBuilder()
        .with_actions(hear, ask, act, answer)
        .with_transitions(
            ("hear", "ask"), ("ask", "answer", when(calls=[])), ("ask", "act"), ("act", "ask"), ("answer", "hear")
        )
        .with_state(messages=[], stage=desk.stage, calls=[], reply=None)
        .with_entrypoint("hear")
        .build()
    )


async def main() -> None:
    desk = Desk()
    application = _application(desk)

    async def say(words: str) -> str:
        _, _, state = await application.arun(halt_after=["answer"], inputs={"words": words})
        return state["reply"]

    (await desk.drive(say)).write()


asyncio.run(main())
