"""What runs in the processes that test_kills.py kills: one caller who says one message after another, for ever."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

from cuelight import Agent, tool
from cuelight.engine import Engine
from cuelight.ports import Finished, ModelEvent, ModelRequest, TextDelta, ToolCallRequest
from cuelight.stores import SqliteStore

CALL = "call-1"


class Obedient:
    """A model that records each message once, and says honestly when it does not know whether it did."""

    name = "obedient"
    provider = "tests"

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        last_words = max(i for i, message in enumerate(request.history) if message.role == "user")
        number = int(request.history[last_words].content.split()[1])
        results = [message.content for message in request.history[last_words:] if message.role == "tool"]
        if not results or results[-1].startswith("Not run"):
            yield ToolCallRequest("look", "{}")
            yield ToolCallRequest("record", f'{{"number": {number}}}')
        elif any("not known" in result for result in results):
            yield TextDelta(f"I must check whether {number} was recorded.")
        else:
            yield TextDelta(f"Recorded {number}.")
        yield Finished()


class Clerk(Agent):
    """You record numbers."""

    recorded: list[int] = []

    def __init__(self, effects: Path) -> None:
        self._effects = effects

    @tool
    def record(self, number: int) -> str:
        """Records a number in the world outside, which forgets nothing."""
        append(self._effects, f"{number} {self.call.tool.key}")
        self.recorded.append(number)
        return "recorded"

    @tool(effect="read")
    async def look(self) -> int:
        """Looks how many numbers there are."""
        await asyncio.sleep(0)
        return len(self.recorded)


def append(path: Path, line: str) -> None:
    """Append a line in one system call, so that a kill leaves all of it or nothing."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def converse(folder: Path, last: int | None) -> None:
    """Take the call up where its log ends and go on: until killed, or until message `last` is answered."""
    asyncio.run(_converse(folder, last))


async def _converse(folder: Path, last: int | None) -> None:
    store = SqliteStore(folder / "calls.sqlite3")
    engine = Engine(store)

    def clerk() -> Clerk:
        return Clerk(folder / "effects")

    if await store.read(CALL):
        call = await engine.resume(CALL, clerk, Obedient())
    else:
        call = await engine.open(clerk, Obedient(), call=CALL)
    append(folder / "started", str(os.getpid()))
    acknowledged = folder / "acknowledged"
    number = len(acknowledged.read_text().split("\n")) - 1 if acknowledged.exists() else 0
    while last is None or number < last:
        number += 1
        reply = await call.say(f"message {number}", id=f"m{number}")
        append(acknowledged, f"{number} {reply.speech_id} {reply.text}")
    await call.close()
    await store.close()
