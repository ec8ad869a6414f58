"""Open calls, and take them up again from their logs."""

import os
import re
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from cuelight.agent import Agent, wording_for
from cuelight.engine.call import LEASE_S, Call
from cuelight.engine.clock import SystemClock
from cuelight.engine.conduct import Conduct
from cuelight.engine.context import CallContext
from cuelight.engine.handle import LiveHandle
from cuelight.engine.journal import Journal
from cuelight.engine.resuming import Resumption
from cuelight.engine.threads import Threads
from cuelight.errors import AuthorError, CallNotFound
from cuelight.flow import course_of
from cuelight.log import History
from cuelight.ports import Clock, Lease, Model, Store

__all__ = ["Engine", "make_agent", "slug"]

_threads = Threads()  # shared by all engines of a process, as threads are


class Engine:
    """Open and resume calls over one store and one clock.

    Args:
        store: where the logs are kept.
        clock: the time; the machine's own unless a test moves it.
        owner: names this process to others that share the store.
    """

    def __init__(self, store: Store, *, clock: Clock | None = None, owner: str | None = None) -> None:
        self.store = store
        self.clock: Clock = clock or SystemClock()
        self.owner = owner or f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(3)}"

    async def open(
        self,
        agent: Callable[[], Agent],
        model: Model,
        *,
        call: str | None = None,
        channel: str = "api",
        caller: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        from_: str = "",
        to: str = "",
    ) -> Call:
        """Open a call: its log begins, `on_call` runs, and its State is complete before the first word.

        Args:
            agent: an Agent class, or a function that makes an instance.
            model: what answers.
            call: the call's id; None makes one.
            channel: how the caller reaches the agent.
            caller: what is known of the caller, in the shape of a Contact.
            state: fields to lay over what `on_call` leaves, as Python values or in their JSON form.
            from_: the caller's address, such as a phone number.
            to: the address that was called.

        Raises:
            UndeclaredField, WrongType, NotAStage: when the given state does not fit; then nothing is stored.
            CallIsOwned, SeqConflict: when a call of this id is there already.
        """
        instance = make_agent(agent)
        id_ = call or _new_id(self.clock)
        async with self._leased(id_) as lease:
            context = self._context(instance, model, id_)
            context.journal.lease = lease
            instance._call = LiveHandle(id_, channel, dict(caller) if caller is not None else None)
            started = {
                "channel": channel, "direction": "inbound", "from": from_, "to": to,
                "caller": dict(caller) if caller is not None else None, "started_at": self.clock.now(),
            }  # fmt: skip
            conduct = Conduct(context)
            await conduct.open(started, state or {})
        return Call(conduct, self.store, lease)

    async def resume(self, call: str, agent: Callable[[], Agent], model: Model) -> Call:
        """Take up a call from its log: its state with its types, its history, its stage, as they were.

        A tool call that was begun and has no result is settled as of unknown outcome, and not run again. What the log
        holds that today's class does not is reported in `error` entries.

        Raises:
            CallNotFound: when the store has no such call.
            CallIsOwned: when another living owner holds it.
        """
        async with self._leased(call) as lease:
            records = await self.store.read(call)
            if not records:
                raise CallNotFound(call)
            instance = make_agent(agent)
            context = self._context(instance, model, call)
            context.journal.lease = lease
            conduct = Conduct(context)
            replies = await Resumption(conduct, records).run()
        live = Call(conduct, self.store, lease)
        live.recall(replies)
        return live

    @asynccontextmanager
    async def _leased(self, call: str) -> AsyncIterator[Lease]:
        """Hold a call from here on, unless the block fails."""
        lease = await self.store.acquire(call, self.owner, seconds=LEASE_S)
        try:
            yield lease
        except BaseException:  # whatever it is, a call that did not come up must not stay held
            await self.store.release(lease)
            raise

    def _context(self, agent: Agent, model: Model, call: str) -> CallContext:
        course = course_of(agent)
        previews = {tool.name: tool.preview for tool in course.tools if tool.preview is not None}
        waiting = wording_for(agent.wording, agent.language).waiting
        history = History(previews, agent.limits.exchanges, course.memories, waiting)
        journal = Journal(call, slug(type(agent)), self.store, self.clock, history)
        return CallContext(course, model, self.clock, _threads, journal)


def slug(agent: type) -> str:
    """Give an agent's short name, as it stands in its log: the class's, in small letters with hyphens."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", agent.__name__).lower().strip("_")


def make_agent(factory: Callable[[], Agent]) -> Agent:
    """Make the instance of a call, from an Agent class or a function that gives one.

    Raises:
        AuthorError: when what was given makes no agent.
    """
    given: object = factory
    if isinstance(given, Agent):
        name = type(given).__name__
        raise AuthorError(
            f"An instance of {name} was given; each call makes its own. Give the class, {name}, or where it takes "
            f"services a function that makes one: lambda: {name}(service)."
        )
    if not callable(given):
        raise AuthorError(f"{given!r} makes no agent. Give an Agent class, or a function that makes an instance.")
    name = getattr(factory, "__name__", repr(factory))
    try:
        made = factory()
    except TypeError as error:
        if isinstance(error, AuthorError):
            raise
        raise AuthorError(
            f"{name} cannot be made without arguments ({error}). Where it takes services, give a function that makes "
            f"one: lambda: {name}(service)."
        ) from error
    if not isinstance(made, Agent):
        raise AuthorError(f"{name} gave a value of type {type(made).__name__}; a call needs an Agent.")
    return made


def _new_id(clock: Clock) -> str:
    """Make an id that sorts by time and that nobody guesses."""
    return f"call-{int(clock.now() * 1000):013x}-{secrets.token_hex(6)}"
