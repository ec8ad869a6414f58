"""A live call: what comes in, in order, and what it does to the conversation."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from cuelight.agent import Agent, plain_json
from cuelight.engine.conduct import Conduct
from cuelight.engine.inbox import Inbox
from cuelight.engine.replies import Reply
from cuelight.errors import BadEntry, CallEnded, LeaseLost
from cuelight.log import History, Secrets
from cuelight.ports import Lease, Store, Timer
from cuelight.wire import Entry, State, told

__all__ = ["Call"]

LEASE_S = 30.0


class Call:
    """Be one live call; made by `Engine.open` and `Engine.resume`.

    Messages and events are done in the order they came, one after another; only an interruption overtakes.
    """

    def __init__(self, conduct: Conduct, store: Store, lease: Lease) -> None:
        self._conduct = conduct
        self._context = conduct.context
        self._store = store
        self._lease = lease
        self._inbox = Inbox(self._break)
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._answered: dict[str, Reply | asyncio.Future[Reply]] = {}
        self._closed = False
        self._renewal: Timer | None = None
        self._renewing: set[asyncio.Task[None]] = set()
        self._keep_lease()

    # --- reading ------------------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The call's id."""
        return self._context.journal.call

    @property
    def agent(self) -> Agent:
        """The live instance."""
        return self._context.agent

    @property
    def state(self) -> State:
        """The State of what is stored of the call."""
        return self._context.journal.state

    @property
    def history(self) -> History:
        """The model's view of the call."""
        return self._context.journal.history

    @property
    def secrets(self) -> Secrets:
        """The call's private values, so that what is shown of it can be masked."""
        return self._context.journal.secrets

    @property
    def ended(self) -> str | None:
        """Why the call ended, or None while it goes on."""
        return self._context.ended

    @property
    def broken(self) -> BaseException | None:
        """What keeps the call from being written any more, or None: then it is over here, and can be resumed."""
        return self._context.journal.broken

    def listen(self, listener: Callable[[Entry], None]) -> Callable[[], None]:
        """Deliver every later entry: stored ones once they are stored, ephemeral ones at once.

        Returns what stops it.
        """
        return self._context.journal.listen(listener)

    def hear(self, hearer: Callable[[str, bool], None]) -> Callable[[], None]:
        """Deliver the agent's words as they come, private values in place: for what speaks or shows them to the caller.

        `hearer` is given the next words, and whether a piece of speech ends with them; pieces stand on lines of their
        own, and the words that end one may be empty. Returns what stops it.
        """
        return self._context.journal.hear(hearer)

    # --- what comes in ------------------------------------------------------------------------------------------------

    async def say(self, text: str, id: str | None = None) -> Reply:  # noqa: A002 - a message's id
        """Take the caller's words, and answer them with one turn.

        The turn goes on when this is cancelled.

        Args:
            text: what the caller said or wrote.
            id: the message's id; one that was seen before gets the same reply, without a second run.

        Raises:
            CallEnded: when the call is over.
            BadEntry: when the text is none that can be stored.
        """
        _storable(text)
        if id is not None:
            _storable(id)
            known = self._answered.get(id)
            if known is not None:
                return known if isinstance(known, Reply) else await asyncio.shield(known)
        self._admit()
        self._conduct.awaited += 1
        askings = self._context.confirmations.askings  # by the time of their turn the caller may have been asked more
        future = self._inbox.put(lambda: self._conduct.answer(text, id, askings))
        if id is None:
            return await future
        self._answered[id] = future
        future.add_done_callback(lambda done: self._remember(id, done))
        return await asyncio.shield(future)  # whoever sends the same message again waits for the same reply

    def prepare(self, text: str) -> None:
        """Ask the model ahead, for words that the caller is likely to be saying.

        The answer is used when these very words are said and nothing was written to the log meanwhile; then the turn
        begins with it. Otherwise it is dropped. Until then it writes nothing, speaks nothing and runs no tool, and
        what a dropped one has cost is counted nowhere. Does nothing while the call is busy or when it is over.

        Args:
            text: the words as they are expected.

        Raises:
            BadEntry: when the text is none that can be stored.
        """
        _storable(text)
        if self._inbox.idle and self._is_open:
            self._conduct.prepare(text)

    async def event(self, name: str, data: Mapping[str, Any] | None = None) -> Reply:
        """Take something that happened outside: the agent's `on_event` runs, and may speak.

        Args:
            name: the event's name.
            data: what comes with it; anything that has a JSON form.

        Raises:
            CallEnded: when the call is over.
            BadEntry: when the data has no JSON form.
        """
        _storable(name)
        try:
            plain = msgspec.json.decode(plain_json(dict(data or {})))
        except (TypeError, ValueError) as error:
            raise BadEntry(f"The data of event {name!r} has no JSON form: {told(error)}") from error
        self._admit()
        return await self._inbox.put(lambda: self._conduct.take_event(name, plain))

    def interrupt(self, heard: str | None = None) -> None:
        """Let the caller cut in, at once.

        The model's stream stops, tool calls that have not begun do not run, one that has is finished and recorded, and
        the turn closes with what was heard. A message that waits for its turn is not answered at all. Between turns it
        is the last reply that was cut while it was played. May be used from any thread.

        Args:
            heard: the words that reached the caller's ear; None is all that was spoken until now.

        Raises:
            BadEntry: when they are no text that can be stored.
        """
        if heard is not None:
            _storable(heard)
        if threading.get_ident() != self._thread:
            self._loop.call_soon_threadsafe(self.interrupt, heard)
            return
        conduct = self._conduct
        if conduct.turn is not None and not conduct.turn.closed:
            conduct.turn.interrupt(heard)
        elif conduct.awaited and (heard is None or conduct.playing is None):
            conduct.cut_ahead = conduct.cut_ahead or (heard,)
        elif heard is not None and self._is_open:
            noted = self._inbox.put(lambda: self._conduct.note_heard(heard), overtaking=True)
            noted.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody waits for it

    async def hang_up(self, reason: str = "caller_hung_up", by: str = "caller") -> None:
        """End the call from outside, after what came in before; one that has ended or was let go of stays as it is.

        Raises:
            BadEntry: when the reason, or who ended it, is no text that can be stored.
        """
        _storable(reason)
        _storable(by)
        if self._is_open:
            await self._inbox.put(lambda: self._conduct.finish(reason, by))

    async def close(self) -> None:
        """Let go of the call without ending it: it can be resumed from its store."""
        if self._closed:
            return
        self._closed = True
        await self._inbox.stop()
        try:
            await self._conduct.let_go()
        finally:
            self._context.alarm.close()
            if self._renewal is not None:
                self._renewal.cancel()
            if self._renewing:
                await asyncio.wait(self._renewing)
            await self._store.release(self._lease)

    @property
    def _is_open(self) -> bool:
        return not self._closed and self._context.ended is None and self.broken is None

    def _admit(self) -> None:
        if self._closed:
            raise CallEnded(self.id)
        self._conduct.admit()

    def _break(self, error: BaseException) -> None:
        """Write nothing more: the log ends as after a crash, with what had begun and has no outcome."""
        self._context.journal.broken = error

    def recall(self, replies: Mapping[str, Reply]) -> None:
        """Know the replies that a resumed log says were given, by the ids of their messages."""
        self._answered.update(replies)

    def _remember(self, id: str, done: "asyncio.Future[Reply]") -> None:  # noqa: A002
        if done.cancelled() or done.exception() is not None:
            self._answered.pop(id, None)
        else:
            self._answered[id] = done.result()

    def _keep_lease(self) -> None:
        async def renew() -> None:
            try:
                await self._store.renew(self._lease, seconds=LEASE_S)
            except LeaseLost as error:
                self._context.journal.broken = error
                return
            self._keep_lease()

        def start() -> None:
            task = asyncio.get_running_loop().create_task(renew())
            self._renewing.add(task)
            task.add_done_callback(self._renewing.discard)

        if not self._closed:
            self._renewal = self._context.clock.call_later(LEASE_S / 3, start)


def _storable(text: str) -> None:
    """Refuse words, an id or a name that no JSON can hold, before anything is done with them."""
    if not isinstance(text, str):
        raise BadEntry(f"What a call is told is text, not a value of type {type(text).__name__}.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadEntry(f"The text holds half a character at position {error.start}; send whole text.") from None
