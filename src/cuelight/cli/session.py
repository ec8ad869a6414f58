"""One call, held open for a terminal or a pipe: what both of them do with it."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, NamedTuple

from cuelight.cli.stored import find_call
from cuelight.engine import Call, Engine, Reply, slug
from cuelight.errors import BadInput, CallEnded
from cuelight.log import Record, disclose, unmasked
from cuelight.ports import Model, Store
from cuelight.stores import MemoryStore
from cuelight.wire import Entry
from cuelight.wiring import FoundAgent, choose_model, choose_store, find_store

__all__ = ["Asked", "Session", "open_session"]


class Asked(NamedTuple):
    """Hold what a call is to be opened or taken up with; `command` is what takes it up with --resume."""

    command: tuple[str, ...]
    found: FoundAgent
    model: str | None = None
    store: str | None = None
    state: Mapping[str, Any] | None = None
    resume: str | None = None


class Session:
    """Hold one call open; made by `open_session`."""

    def __init__(self, asked: Asked, model: Model, store: Store, call: Call, before: list[Record]) -> None:
        self.asked = asked
        self.model = model
        self.call = call
        self.resumed_at = before[-1].entry.seq if before else 0
        """The seq at which a call was taken up; 0 for a new one."""
        self.unanswered = _unanswered(before)
        """The last message of a resumed call and its id, where its turn had broken off."""
        self._store = store
        self._seen = 0
        self._messages = 0
        self._token = secrets.token_hex(4)

    @property
    def is_kept(self) -> bool:
        """Whether the log can be read when the process has ended."""
        return not isinstance(self._store, MemoryStore)

    @property
    def ended(self) -> bool:
        """Whether the call is over."""
        return self.call.ended is not None

    def say(self, text: str) -> Awaitable[Reply]:
        """Be the caller speaking; the turn goes on when nobody waits for the reply."""
        self._messages += 1
        return self.call.say(_whole(text), id=f"{self._token}-{self._messages}")

    def say_again(self) -> Awaitable[Reply]:
        """Send the message once more whose turn had broken off; it is answered, and not taken for a new one."""
        assert self.unanswered is not None
        (text, id_), self.unanswered = self.unanswered, None
        return self.call.say(text, id=id_)

    async def log(self) -> list[Entry]:
        """Give the whole log as it may be shown, private values masked."""
        return disclose(await self._store.read(self.call.id))

    async def new_records(self) -> list[Record]:
        """Give what was stored of the call since this was last asked."""
        records = await self._store.read(self.call.id, self._seen + 1)
        if records:
            self._seen = records[-1].entry.seq
        return records


@asynccontextmanager
async def open_session(asked: Asked) -> AsyncIterator[Session]:
    """Open a call, or take one up; afterwards it is let go of without being ended.

    Raises:
        CuelightError: the model, the store, the state or the call cannot be had.
    """
    model = choose_model(asked.found, asked.model)
    async with AsyncExitStack() as stack:
        store = choose_store(asked.store) if asked.resume is None else find_store(asked.store)
        stack.push_async_callback(store.close)
        if close := getattr(model, "aclose", None):
            stack.push_async_callback(close)
        before = await _records(asked, store)
        engine = Engine(store)
        if before:
            call = await engine.resume(before[0].entry.call or "", asked.found.make, model)
        else:
            call = await engine.open(asked.found.make, model, channel="terminal", state=asked.state)
        stack.push_async_callback(call.close)
        yield Session(asked, model, store, call, before)


async def _records(asked: Asked, store: Store) -> list[Record]:
    """Give what is stored of the call that is to be taken up.

    Raises:
        CallNotFound: there is none.
        BadInput: it is another agent's.
        CallEnded: it is over.
    """
    if asked.resume is None:
        return []
    info = await find_call(store, asked.resume)
    make = asked.found.make
    if isinstance(make, type) and slug(make) != info.agent:
        raise BadInput(f"Call {info.call} is one of agent {info.agent!r}; {asked.found.name} cannot take it up.")
    if info.ended:
        raise CallEnded(info.call)
    return await store.read(info.call)


def _unanswered(records: list[Record]) -> tuple[str, str] | None:
    """Find the caller's last message where its turn broke off."""
    last: dict[str, Any] | None = None
    for record in records:
        if record.entry.type == "turn.user":
            last = unmasked(record).data
        elif record.entry.type == "cue.delivered" and last and record.entry.data.get("speech_id") == last["speech_id"]:
            last = None
    return (last["text"], last["item_id"]) if last is not None and "item_id" in last else None


def _whole(text: str) -> str:
    """Replace what is no character: a terminal or a pipe may send bytes that are no UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
