"""Run one handler: a tool, a hook. In a frame of its own, within its time, in a thread where it blocks."""

import asyncio
import contextlib
import inspect
import os
import traceback
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from pathlib import Path
from typing import Any, Literal

from cuelight.agent import Frame, Staged, Stateful, open_frame
from cuelight.engine.alarm import Alarm
from cuelight.engine.threads import Threads
from cuelight.errors import OutsideHandler
from cuelight.ports import Clock
from cuelight.wire import told

__all__ = ["Handler", "Outcome", "Runner", "describe", "running_handler"]

Status = Literal["done", "failed", "timeout"]

_running: ContextVar["Handler | None"] = ContextVar("cuelight_handler", default=None)
_PACKAGE = str(Path(__file__).resolve().parent.parent)
_STANDARD = str(Path(os.__file__).parent) + os.sep
_INSTALLED = {"site-packages", "dist-packages"}
_GRACE_CYCLES = 8  # how long a cancelled coroutine may take to put its things away, in turns of the loop


def running_handler() -> "Handler | None":
    """Give the handler that the current code runs in."""
    return _running.get()


class Outcome:
    """Say how a handler ended: done with a value, failed with an error, or out of time."""

    __slots__ = ("dropped", "error", "misrouted", "seconds", "status", "value")

    def __init__(self, status: Status, value: Any, error: BaseException | None) -> None:
        self.status: Status = status
        self.value = value
        self.error = error
        self.misrouted = False
        """Whether it failed because of the route it returned."""
        self.seconds = 0.0
        self.dropped: Any = None
        """A route that was made in it and not returned, where it returned nothing."""


class Handler:
    """Be one run of a handler: what it is called, what it has asked for, and whether it is over.

    What a handler says is said at once. What it asks for (another reply, the end of the call) counts when it succeeds.
    """

    def __init__(
        self, label: str, tool: Any, key: str, say: Callable[[str], None], note: Callable[[str, Any], None]
    ) -> None:
        self.label = label
        self.tool = tool
        self.key = key
        self.reply: str | None = None
        self.end: str | None = None
        self.forgotten: list[str] = []
        self.returned: Any = None
        self.stage = ""
        """The stage it began in, where there are stages."""
        self._over = False
        self._loop = asyncio.get_running_loop()
        self._say = say
        self._note = note

    @property
    def name(self) -> str:
        """The tool's name."""
        return str(self.tool.name)

    def say(self, text: str) -> None:
        """Speak a line from any thread."""
        self._on_loop(self._say, text)

    def note(self, name: str, data: Any) -> None:
        """Write a line of the author's into the log from any thread."""
        self._on_loop(self._note, name, data)

    def close(self) -> None:
        """Refuse everything that comes later."""
        self._over = True

    def admit(self, what: str) -> None:
        """Refuse what comes too late."""
        if self._over:
            raise OutsideHandler(
                f"`self.call.{what}` was used after {self.label} was over (it returned, failed or ran out of time). "
                "Use it before the handler returns."
            )

    def _on_loop(self, function: Callable[..., None], *args: Any) -> None:
        try:
            on_loop = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            on_loop = False
        if on_loop:
            function(*args)
        else:
            # Before the thread's own end is noticed, so the order is that of the handler.
            self._loop.call_soon_threadsafe(self._unless_over, function, *args)

    def _unless_over(self, function: Callable[..., None], *args: Any) -> None:
        if not self._over:  # it may have run out of time on the way here
            function(*args)


class Runner:
    """Run handlers of one call."""

    def __init__(self, agent: Stateful, clock: Clock, alarm: Alarm, threads: Threads) -> None:
        self._agent = agent
        self._clock = clock
        self._alarm = alarm
        self._threads = threads

    async def run(
        self,
        handler: Handler,
        function: Callable[[], Any],
        *,
        is_async: bool,
        seconds: float,
        reads_only: bool = False,
        follow: Callable[[Any], tuple[Any, Staged]],
    ) -> tuple[Outcome, Staged]:
        """Run a handler and give its outcome, with the changes of state it made, not yet committed.

        A handler that raised or ran out of time has changed nothing, and what it writes later is refused.

        Args:
            handler: the run.
            function: what to run.
            is_async: whether it gives a coroutine; otherwise it runs in a thread.
            seconds: how long it may take.
            reads_only: whether it may not change the state.
            follow: is given what it returned, in its frame, and gives what that means and what it will change later
                on; what this raises is the handler's failure.
        """
        frame = Frame(self._agent._cell.ledger, handler.label)
        later = Staged([])
        began = self._clock.monotonic()
        try:
            with open_frame(frame):
                token = _running.set(handler)
                try:
                    outcome = await self._await(function, is_async, seconds)
                finally:
                    handler.close()
                    _running.reset(token)
                if outcome.status == "done":
                    outcome.dropped = frame.route if outcome.value is None else None
                    try:
                        outcome.value, later = follow(outcome.value)
                    except Exception as error:  # a route that cannot be followed
                        outcome.status, outcome.error, outcome.misrouted = "failed", error, True
            outcome.seconds = self._clock.monotonic() - began
            return outcome, _stage(frame, outcome, later if reads_only else None)
        finally:
            frame.close()

    async def _await(self, function: Callable[[], Any], is_async: bool, seconds: float) -> Outcome:
        context = copy_context()
        outcome = await self._within(function, is_async, context, seconds)
        if outcome.status == "done" and inspect.iscoroutine(outcome.value):
            # A plain function may hand on a coroutine, as decorators do.
            rest = outcome.value
            outcome = await self._within(lambda: rest, True, context, seconds)
        return outcome

    async def _within(self, function: Callable[[], Any], is_async: bool, context: Context, seconds: float) -> Outcome:
        """Run a function in a task or a thread of its own, and wait for it, but not for longer than it may take."""
        loop = asyncio.get_running_loop()
        over: asyncio.Future[Outcome] = loop.create_future()

        def settle(status: Status, value: Any, error: BaseException | None) -> None:
            if not over.done():
                over.set_result(Outcome(status, value, error))

        work: asyncio.Task[None] | None = None
        if is_async:
            work = loop.create_task(_told(function, settle), context=context)
        else:
            self._threads.run(function, context, settle)
        # Handlers that run together have an alarm each.
        alarm = Alarm(self._clock) if self._alarm.is_set else self._alarm
        alarm.set(seconds, lambda: settle("timeout", None, None))
        try:
            outcome = await over
        except asyncio.CancelledError:
            await _abandon(work)
            raise
        finally:
            if alarm is self._alarm:
                alarm.off()
            else:
                alarm.close()
        if outcome.status == "timeout":
            await _abandon(work)
        if not isinstance(outcome.error, Exception | asyncio.CancelledError | None):
            raise outcome.error  # it asks the whole program to stop: nobody knows what came of the handler
        return outcome


def _stage(frame: Frame, outcome: Outcome, later: Staged | None) -> Staged:
    """Give what a handler changed; what cannot be written is the handler's failure.

    Args:
        frame: the handler's.
        outcome: how it ended.
        later: what its route will change, of a handler that may change nothing; None of one that may.
    """
    if outcome.status != "done":
        return Staged([])
    try:
        staged = frame.stage()
        if later is not None and (staged or later):
            raise OutsideHandler(
                f'{frame.label} is marked effect="read" but changes the state. Mark it effect="write", or leave the '
                "state alone."
            )
    except Exception as error:
        outcome.status, outcome.error = "failed", error
        return Staged([])
    return staged


async def _told(function: Callable[[], Any], settle: Callable[..., None]) -> None:
    """Run what gives a coroutine and tell its end at once, not a turn of the loop later as a task's callbacks are."""
    try:
        value = await function()
    except asyncio.CancelledError:
        settle("failed", None, RuntimeError("the handler was cancelled"))
        raise
    except BaseException as error:  # whatever it is, it belongs to whoever waits
        settle("failed", None, error)
    else:
        settle("done", value, None)


async def _abandon(work: asyncio.Task[None] | None) -> None:
    """Stop waiting for work: a coroutine is cancelled and has a moment to end, a thread runs on unheard."""
    if work is None:
        return
    work.cancel()
    for _ in range(_GRACE_CYCLES):
        if work.done():
            return
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0)


def describe(error: BaseException) -> str:
    """Say what was raised, and where in the author's code: where it called what raised, if that is a library's."""
    places = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_PACKAGE)]
    authors = [frame for frame in places if not _is_library(frame.filename)]
    nearest = (authors or places)[-1:]
    place = "".join(f" ({Path(frame.filename).name}:{frame.lineno})" for frame in nearest)
    return f"{type(error).__name__}{place}: {told(error)}"


def _is_library(file: str) -> bool:
    """Tell whether a file is one of Python's own or of an installed package, or is none."""
    return file.startswith(("<frozen", "<string>", _STANDARD)) or not _INSTALLED.isdisjoint(Path(file).parts)
