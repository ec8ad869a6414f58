"""What holds in every rehearsal whatever it is about, and short names for what tests look at.

Tests open their calls with `rehearsing`, which checks the invariants when the block ends: each entry decodes in its
shape, each tool call has one result, every request was a valid conversation, the fold in parts equals the whole.
"""

import asyncio
import inspect
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from cuelight import wire
from cuelight.agent import ANSWER_TOOL
from cuelight.flow import tools_by_stage
from cuelight.log import Fold, reduce
from cuelight.ports import Lease, Record
from cuelight.stores import MemoryStore
from cuelight.testing import Rehearsal, rehearse

FALLBACK = "I'm sorry, something went wrong on my side. Could you say that again?"


def pytest_pyfunc_call(pyfuncitem: Any) -> bool | None:
    """Run an `async def` test on a loop of its own, and fail it when it leaves a task behind."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    run(pyfuncitem.obj(**arguments))
    return True


def run(test: Any) -> Any:
    """Run a coroutine on a loop of its own; no task may be left when it ends."""

    async def alone() -> Any:
        result = await test
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"tasks left behind: {left}"
        return result

    return asyncio.run(alone())


@asynccontextmanager
async def rehearsing(agent: Callable[[], Any], model: Any, **options: Any) -> AsyncIterator[Rehearsal[Any]]:
    """Rehearse, and check what holds always when the block ends."""
    async with rehearse(agent, model, **options) as call:
        yield call
    check(call)


def check(call: Rehearsal[Any]) -> None:
    """Check what holds of every call's log and requests."""
    check_log(call.log)
    for request in call.requests:
        check_messages(request.messages)
        shown = {tool.name for tool in tools_by_stage(type(call.agent))[request.stage or ""]}
        assert set(request.tools) <= shown | ({ANSWER_TOOL} if request.pending else set())


def check_log(log: Sequence[wire.Entry]) -> None:
    """Check that a log is whole, decodes in its shapes, answers each tool call once, and folds in parts as at once."""
    assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
    assert log[0].type == "call.started"
    for entry in log:
        assert not entry.ephemeral
        assert entry.type in wire.ENTRY_TYPES, f"{entry.type} has no shape"
        again = wire.encode(wire.typed(entry))
        assert wire.decode_entry({**_frame(entry), "data": entry.data}) == entry
        assert set(entry.data) == set(wire.decode_entry({**_frame(entry), "data": _json(again)}).data), entry
    whole = reduce(log)
    assert not [error for error in whole.errors if error.code == "unreadable"]
    fold = Fold()
    for number, entry in enumerate(log, 1):
        fold.feed(entry)
        assert fold.state.seq == number
    assert fold.state == whole
    half = len(log) // 2
    rest = Fold(reduce(log[:half]))
    rest.extend(log[half:])
    assert rest.state == whole
    started = Counter(data["call_id"] for data in datas(log, "tool.call"))
    settled = Counter(data["call_id"] for data in datas(log, "tool.result"))
    replied = Counter(call["call_id"] for data in datas(log, "cue.reply") for call in data["calls"])
    assert set(started.values()) <= {1}
    assert set(settled.values()) <= {1}
    assert set(settled) <= set(started)
    assert set(started) <= set(replied)
    answered = Counter(data["speech_id"] for data in datas(log, "turn.agent"))
    assert set(answered.values()) <= {1}, "a turn was answered twice"


def check_messages(messages: Sequence[Mapping[str, Any]]) -> None:
    """Check that a provider would take the messages: each call is followed by its results, in order; no orphans."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert waiting, f"a result without its call: {message}"
            assert message["tool_call_id"] == waiting.pop(0)
            continue
        assert not waiting, f"{message} stands before the results of {waiting}"
        waiting = [call["id"] for call in message.get("tool_calls", ())]
        assert message["content"] or waiting, "an empty message"
    assert not waiting, f"calls without results: {waiting}"


def _frame(entry: wire.Entry) -> dict[str, Any]:
    return {
        "seq": entry.seq, "ts": entry.ts, "call": entry.call, "agent": entry.agent,
        "type": entry.type, "ephemeral": entry.ephemeral,
    }  # fmt: skip


def _json(text: bytes) -> Any:
    import json

    return json.loads(text)


# --- short names ------------------------------------------------------------------------------------------------------


def types(log: Iterable[wire.Entry]) -> list[str]:
    return [entry.type for entry in log]


def entries(log: Iterable[wire.Entry], *wanted: str) -> list[wire.Entry]:
    return [entry for entry in log if entry.type in wanted]


def datas(log: Iterable[wire.Entry], *wanted: str) -> list[dict[str, Any]]:
    return [entry.data for entry in log if entry.type in wanted]


def results(log: Iterable[wire.Entry]) -> list[dict[str, Any]]:
    """Give the tool results, in order."""
    return datas(log, "tool.result")


def errors(log: Iterable[wire.Entry]) -> list[str]:
    """Give the codes of the errors, in order."""
    return [data["code"] for data in datas(log, "error")]


def said(log: Iterable[wire.Entry]) -> list[tuple[str, str]]:
    """Give what was spoken: by whom, and the words."""
    return [(data["by"], data["text"]) for data in datas(log, "cue.said")]


def heard(log: Iterable[wire.Entry]) -> list[str]:
    """Give the texts of the agent's turns."""
    return [data["text"] for data in datas(log, "turn.agent")]


def refusals(log: Iterable[wire.Entry]) -> list[tuple[str, str]]:
    return [(data["name"], data["reason"]) for data in datas(log, "cue.refused")]


def told(request: Any) -> list[str]:
    """Give the tool results that a request carries."""
    return [message["content"] for message in request.messages if message["role"] == "tool"]


def talk(request: Any) -> list[tuple[str, str]]:
    """Give the roles and words of a request's messages, results left out."""
    return [(m["role"], m["content"]) for m in request.messages if m["role"] != "tool"]


# --- a store that remembers -------------------------------------------------------------------------------------------


class WatchedStore(MemoryStore):
    """A memory store that remembers each append, so that a crash after any of them can be played."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.appends: list[list[Record]] = []

    async def append(
        self, call: str, expected_seq: int, records: Sequence[Record], *, lease: Lease | None = None
    ) -> None:
        await super().append(call, expected_seq, records, lease=lease)
        self.appends.append(list(records))

    @property
    def types(self) -> list[list[str]]:
        """The entries' types, append by append."""
        return [[record.entry.type for record in append] for append in self.appends]

    async def crashed_after(self, appends: int) -> "MemoryStore":
        """Give a store as it was after that many appends."""
        store = MemoryStore()
        records = [record for append in self.appends[:appends] for record in append]
        if records:
            await store.append(str(records[0].entry.call), 0, records)
        return store
