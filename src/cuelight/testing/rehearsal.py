"""Rehearse a call: the real engine, a scripted model, a clock that the test moves."""

from collections.abc import AsyncIterator, Callable, Generator, Mapping
from types import TracebackType
from typing import Any, Generic, TypeVar

from cuelight.agent import Agent
from cuelight.engine import Call, Engine, Reply
from cuelight.errors import AuthorError
from cuelight.log import Record, disclose, reduce, unmasked
from cuelight.models.script import Request
from cuelight.ports import Model, ModelEvent, ModelRequest, Store
from cuelight.stores.memory import MemoryStore
from cuelight.testing.clock import ManualClock
from cuelight.wire import Entry, State, fits

__all__ = ["Rehearsal", "rehearse"]

A = TypeVar("A", bound=Agent)


class _Recorded:
    """Pass requests on to a model, and keep what each of them was."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.requests: list[Request] = []

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def provider(self) -> str:
        return self._model.provider

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(Request(request))
        return self._model.stream(request)


class _Done:
    """Stand for something that has been done already, for those who await it."""

    def __await__(self) -> Generator[Any, None, None]:
        return
        yield


class Rehearsal(Generic[A]):
    """Be one rehearsed call; `async with` opens it, and closes it without ending it.

    Ids are counters and the time stands still, so a rehearsal run twice writes the same log. When the block ends, the
    model's view of the call is rebuilt from the store and must equal the one that was used.
    """

    def __init__(
        self,
        agent: Callable[[], A],
        model: Model,
        *,
        state: Mapping[str, Any] | None = None,
        store: Store | None = None,
        resume: str | None = None,
        now: float | None = None,
    ) -> None:
        _check_model(model)
        self._factory = agent
        self._model = _Recorded(model)
        self._state = state
        self._resume = resume
        self.clock = ManualClock() if now is None else ManualClock(now)
        """The call's clock."""
        self.store: Store = store if store is not None else MemoryStore(now=self.clock.now)
        """Where its log is."""
        self._entries: list[Entry] = []
        self._call: Call | None = None

    async def __aenter__(self) -> "Rehearsal[A]":
        engine = Engine(self.store, clock=self.clock, owner="rehearsal")
        if self._resume is not None:
            self._call = await engine.resume(self._resume, self._factory, self._model)
        else:
            number = len(await self.store.calls()) + 1
            self._call = await engine.open(
                self._factory, self._model, call=f"call-{number}", channel="terminal", state=self._state
            )
        self._entries = [record.entry for record in await self.store.read(self._call.id)]
        self._call.listen(lambda entry: None if entry.ephemeral else self._entries.append(entry))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        call = self.live
        await call.close()
        if error is None:
            await self._check_history(call)

    async def _check_history(self, call: Call) -> None:
        if call.broken is not None:
            return  # what it wrote last is nowhere
        rebuilt = call.history.again()
        for record in await self.store.read(call.id):
            if record.entry.seq <= len(self._entries):  # later ones are another owner's
                entry = unmasked(record)
                if fits(entry):
                    rebuilt.feed(entry.type, entry.data)
        assert rebuilt == call.history, (
            "The model's view of the call differs from the one rebuilt from its log.\n"
            f"used:    {call.history.messages}\nrebuilt: {rebuilt.messages}"
        )

    @property
    def live(self) -> Call:
        """The call as the engine has it, for what a rehearsal has no name of its own for."""
        if self._call is None:
            raise RuntimeError("A rehearsal is opened with `async with rehearse(...) as call:`.")
        return self._call

    # --- the caller's side --------------------------------------------------------------------------------------------

    async def say(self, text: str, id: str | None = None) -> Reply:  # noqa: A002 - a message's id
        """Be the caller speaking: one turn runs, and its reply comes back.

        Raises:
            CallEnded: when the call is over.
            ScriptRanOut: when the script has no item for a request of this turn.
        """
        return await self.live.say(text, id)

    async def event(self, name: str, data: Mapping[str, Any] | None = None) -> Reply:
        """Let something happen outside; gives what the agent said to it."""
        return await self.live.event(name, data)

    def interrupt(self, heard: str | None = None) -> _Done:
        """Be the caller cutting in, at once; may be awaited.

        Args:
            heard: the words that reached the caller's ear; None is all that was spoken.
        """
        self.live.interrupt(heard)
        return _Done()

    def prepare(self, text: str) -> _Done:
        """Let the model be asked ahead, for words that the caller is likely to be saying; may be awaited."""
        self.live.prepare(text)
        return _Done()

    async def hang_up(self) -> None:
        """Be the caller hanging up: the call ends."""
        await self.live.hang_up()

    async def advance(self, seconds: float) -> None:
        """Move the clock, and let what falls due happen."""
        await self.clock.advance(seconds)

    # --- what can be looked at ----------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The call's id."""
        return self.live.id

    @property
    def agent(self) -> A:
        """The live instance."""
        return self.live.agent  # type: ignore[return-value]

    @property
    def requests(self) -> list[Request]:
        """What the model was sent, one a request."""
        return self._model.requests

    @property
    def log(self) -> list[Entry]:
        """The stored entries, private values masked."""
        return disclose([Record(entry) for entry in self._entries], self.live.secrets)

    @property
    def state(self) -> State:
        """The State folded from the log."""
        return reduce(self.log)


def rehearse(
    agent: Callable[[], A],
    model: Model,
    *,
    state: Mapping[str, Any] | None = None,
    store: Store | None = None,
    resume: str | None = None,
    now: float | None = None,
) -> Rehearsal[A]:
    """Open or resume a call for a test.

    Args:
        agent: an Agent class, or a function that makes an instance.
        model: what answers: usually a `Script`.
        state: fields to open in, laid over what `on_call` leaves.
        store: where the log is kept; None is a store of its own.
        resume: the id of a call in `store` to take up again, instead of opening one.
        now: the time at which the call's clock stands, in unix seconds.

    Raises:
        AuthorError: when `model` is none.
    """
    return Rehearsal(agent, model, state=state, store=store, resume=resume, now=now)


def _check_model(model: object) -> None:
    """Refuse what can be no model, before a call is opened with it.

    Raises:
        AuthorError: it is something else.
    """
    if not isinstance(model, Model):
        raise AuthorError(
            f"rehearse() was given {model!r} as the model. Give a Script of what it replies, as in "
            "Script('Good day!'), or another model."
        )
