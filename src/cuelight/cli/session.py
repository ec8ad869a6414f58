"""One call, held open for a terminal or a pipe: what both of them do with it."""

import secrets
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from types import TracebackType
from typing import Any, NamedTuple

from cuelight.cli.loop import LoopThread
from cuelight.cli.stored import find_call
from cuelight.engine import Call, Engine, Reply, slug
from cuelight.errors import BadInput, CallEnded
from cuelight.log import Record, unmasked
from cuelight.ports import Model, Store
from cuelight.stores import MemoryStore
from cuelight.wiring import FoundAgent, choose_model, choose_store

__all__ = ["Asked", "Session"]


class Asked(NamedTuple):
    """Hold what a call is to be opened or taken up with; `named` is what the user wrote for the agent."""

    named: str
    found: FoundAgent
    model: str | None = None
    store: str | None = None
    state: Mapping[str, Any] | None = None
    resume: str | None = None


class Session:
    """Hold one call open; `with` opens or resumes it, and lets go of it without ending it.

    Raises:
        CuelightError: on entering, when the model, the store, the state or the call cannot be had.
    """

    call: Call
    model: Model

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.unanswered: tuple[str, str] | None = None
        """The last message of a resumed call and its id, where its turn had broken off."""
        self.resumed_at = 0
        """The seq at which a resumed call was taken up."""
        self._seen = 0
        self._messages = 0
        self._token = secrets.token_hex(4)
        self._stack = ExitStack()
        self._loop = LoopThread()

    def __enter__(self) -> "Session":
        with self._stack:
            self.model = choose_model(self.asked.found, self.asked.model)
            self._loop = self._stack.enter_context(LoopThread())
            self._store = choose_store(self.asked.store)
            self._stack.callback(self._run, self._store.close())
            if close := getattr(self.model, "aclose", None):
                self._stack.callback(lambda: self._run(close()))
            self.call = self._loop.run(self._open(self._store))
            self._stack.callback(lambda: self._run(self.call.close()))
            self._stack = self._stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    async def _open(self, store: Store) -> Call:
        engine = Engine(store)
        make = self.asked.found.make
        if self.asked.resume is None:
            return await engine.open(make, self.model, channel="terminal", state=self.asked.state)
        info = await find_call(store, self.asked.resume)
        if isinstance(make, type) and slug(make) != info.agent:
            raise BadInput(
                f"Call {info.call} is one of agent {info.agent!r}; {self.asked.found.name} cannot take it up."
            )
        if info.ended:
            raise CallEnded(info.call)
        records = await store.read(info.call)
        self.unanswered = _unanswered(records)
        self.resumed_at = records[-1].entry.seq
        return await engine.resume(info.call, make, self.model)

    # --- the caller's side --------------------------------------------------------------------------------------------

    @property
    def is_kept(self) -> bool:
        """Whether the log can be read when the process has ended."""
        return not isinstance(self._store, MemoryStore)

    @property
    def ended(self) -> bool:
        """Whether the call is over."""
        return self.call.ended is not None

    def say(self, text: str) -> "Future[Reply]":
        """Be the caller speaking; the turn goes on when nobody waits for the reply."""
        self._messages += 1
        return self._loop.start(self.call.say(_whole(text), id=f"{self._token}-{self._messages}"))

    def say_again(self) -> "Future[Reply]":
        """Send the message once more whose turn had broken off; it is answered, and not taken for a new one."""
        assert self.unanswered is not None
        (text, id_), self.unanswered = self.unanswered, None
        return self._loop.start(self.call.say(text, id=id_))

    def interrupt(self) -> None:
        """Cut in: the reply stops, and what was shown of it is what was heard."""
        self._loop.call(self.call.interrupt)

    def hang_up(self) -> "Future[None]":
        """End the call, after what is under way."""
        return self._loop.start(self.call.hang_up())

    def new_records(self) -> list[Record]:
        """Give what was stored of the call since this was last asked."""
        records = self._loop.run(self._store.read(self.call.id, self._seen + 1))
        if records:
            self._seen = records[-1].entry.seq
        return records

    def _run(self, work: Coroutine[Any, Any, Any]) -> None:
        self._loop.run(work)


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
