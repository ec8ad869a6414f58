"""Cuelight's part: `python -m bench.turns.ours {memory,sqlite} {async,def} [--turns N]`.

The real engine, a store as it comes, and a model that answers at once.
"""

import argparse
import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Literal

import msgspec

from bench.environments import WORK
from bench.turns.workload import TURNS, Desk, Run
from cuelight import Agent, tool
from cuelight.engine import Engine
from cuelight.ports import Finished, ModelEvent, ModelRequest, Store, TextDelta, ToolCallRequest
from cuelight.stores import MemoryStore, SqliteStore

Stage = Literal["arriving", "arrived"]


class AtOnce:
    """Answer each request at once and in one piece: the caller's words with a call, its result with a line."""

    name = "at-once"
    provider = "bench"

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Give the call or the line, then `Finished`."""
        desk = self._desk
        desk.offer(request.visible)
        if request.history[-1].role == "user":
            yield ToolCallRequest("find_parcel", msgspec.json.encode(desk.arguments).decode(), desk.call_id)
            yield Finished("tool_calls")
        else:
            yield TextDelta(desk.answer)
            yield Finished()


class ParcelDesk(Agent):
    """You answer questions about parcels. Brief and friendly."""

    stage: Stage = "arriving"
    last: int | None = None

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @tool(stage="arriving")
    def redirect(self, number: int) -> str:
        """Send a parcel to another address."""
        return f"Parcel {number} is sent on."

    @tool(stage="arrived")
    def hand_over(self, number: int) -> str:
        """Give a parcel to the person who asks for it."""
        return f"Parcel {number} is handed over."

    def render(self) -> str:
        """Tell the model where the conversation stands."""
        return f"Parcels are {self.stage}; the last one asked for was {self.last}."

    def _find(self, number: int) -> str:
        place = self._desk.find(number)
        self.last = number
        if self.stage != self._desk.stage:
            self.stage = "arrived" if self.stage == "arriving" else "arriving"
        return place


class AsyncDesk(ParcelDesk):
    """You answer questions about parcels. Brief and friendly."""

    @tool
    async def find_parcel(self, number: int) -> str:
        """Look up where a parcel is, by its number."""
        return self._find(number)


class ThreadDesk(ParcelDesk):
    """You answer questions about parcels. Brief and friendly."""

    @tool
    def find_parcel(self, number: int) -> str:
        """Look up where a parcel is, by its number."""
        return self._find(number)


DESKS: dict[str, Callable[[Desk], Agent]] = {"async": AsyncDesk, "def": ThreadDesk}


async def converse(store: Store, kind: str, turns: int) -> Run:
    """Run the conversation on a store, with an `async` tool or one that is a plain `def`, and read the log back."""
    desk = Desk(turns)
    call = await Engine(store).open(lambda: DESKS[kind](desk), AtOnce(desk))

    async def say(words: str) -> str:
        return (await call.say(words)).text

    run = await desk.drive(say)
    await call.hang_up()
    state = call.state
    await call.close()
    types = [record.entry.type for record in await store.read(call.id)]
    for type_, expected in {"tool.call": turns, "tool.result": turns, "turn.agent": turns, "error": 0}.items():
        if types.count(type_) != expected:
            run.faults.append(f"the log holds {types.count(type_)} entries of type {type_}")
    if state.app_state.get("stage") != desk.stage or state.app_state.get("last") != turns:
        run.faults.append(f"the State is {state.app_state}")
    return run


async def main(arguments: argparse.Namespace) -> None:
    """Run it on the store that was asked for."""
    WORK.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        store = MemoryStore() if arguments.store == "memory" else SqliteStore(Path(folder) / "calls.sqlite3")
        run = await converse(store, arguments.tool, arguments.turns)
        await store.close()
    run.write()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.turns.ours")
    parser.add_argument("store", choices=["memory", "sqlite"])
    parser.add_argument("tool", choices=sorted(DESKS))
    parser.add_argument("--turns", type=int, default=TURNS)
    asyncio.run(main(parser.parse_args()))
