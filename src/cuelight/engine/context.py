"""What every part of the engine needs of one call, held together."""

import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import iscoroutinefunction
from typing import Any

import msgspec

from cuelight.agent import Gate, Limits, Staged, Tool
from cuelight.engine.alarm import Alarm
from cuelight.engine.asking import Attempt, Stream
from cuelight.engine.confirming import Confirmations
from cuelight.engine.handlers import Handler, Outcome, Runner, describe
from cuelight.engine.journal import Journal
from cuelight.engine.routing import take_route
from cuelight.engine.standing import Standing
from cuelight.engine.threads import Threads
from cuelight.errors import CuelightError
from cuelight.flow import Course, Route
from cuelight.log import Message
from cuelight.ports import Clock, Model, ModelRequest, ToolCallRequest
from cuelight.wire import told

__all__ = ["CallContext"]

_log = logging.getLogger("cuelight")


class CallContext:
    """Tie together the parts of one live call."""

    def __init__(self, course: Course, model: Model, clock: Clock, threads: Threads, journal: Journal) -> None:
        agent = course.agent
        self.course = course
        self.agent = agent
        self.model = model
        self.clock = clock
        self.journal = journal
        self.confirmations = Confirmations(self)
        self.standing = Standing(course, journal, self.confirmations)
        self.limits: Limits = agent.limits
        self.alarm = Alarm(clock)
        self.runner = Runner(agent, clock, self.alarm, threads)
        self.ended: str | None = None
        """Why the call is to end, or has ended."""
        self.closed = False
        """Whether its end is written."""
        self.carried: str | None = None
        """A message that came with a route to a step of code alone, which has no model to hear it."""
        self.turns = 0
        self.usage: dict[tuple[str, str], dict[str, int]] = {}
        self.speak: Callable[[str], object] = lambda text: None
        """Says a line for the handler that is running: in the running turn, or beside any."""
        self.note: Callable[[str, Any], object] = self.write_note
        """Writes a line of the author's for the handler that is running."""
        self._known_ids: set[str] = set()

    # --- handlers -----------------------------------------------------------------------------------------------------

    async def handle(
        self,
        label: str,
        function: Callable[[], Any],
        *,
        is_async: bool,
        tool: Tool | None = None,
        key: str = "",
        follow: Callable[[Any], tuple[Any, Staged]] | None = None,
    ) -> tuple[Outcome, Handler, Staged]:
        """Run a handler; its changes are staged, for the caller to take or drop.

        Args:
            label: what it is called in messages.
            function: what runs.
            is_async: whether that gives a coroutine.
            tool: whose handler it is.
            key: the idempotency key of a tool's call.
            follow: what its result means; routes are checked unless another meaning is given.
        """
        handler = Handler(label, tool, key, self._say, self._note)
        handler.stage = self.course.stage
        seconds = self.limits.tool_s if tool is None or tool.timeout_s is None else tool.timeout_s
        reads_only = tool is not None and tool.effect == "read"
        outcome, staged = await self.runner.run(
            handler, function, is_async=is_async, seconds=seconds, reads_only=reads_only,
            follow=follow or partial(take_route, self.course),
        )  # fmt: skip
        handler.returned = outcome.value
        if outcome.dropped is not None:
            self._tell_dropped(label, outcome.dropped)
        return outcome, handler, staged

    def _tell_dropped(self, label: str, route: Route) -> None:
        """Tell the author of a route that was made and not returned: nothing came of it."""
        made = (
            f"go({getattr(route.target, '__name__', repr(route.target))})"
            if route.kind == "go"
            else f"{route.kind}(...)"
        )
        self.error(
            "route-not-returned", f"{label} made the route {made} and returned nothing, so nothing came of it. Write "
            f"`return {made}`.",
        )  # fmt: skip

    async def hook(
        self, label: str, hook: Callable[..., Any], *args: Any, cause: Mapping[str, Any] | None = None
    ) -> Handler | None:
        """Run a hook to its end: what it changed is committed; where it failed there is an `error` entry and None."""
        outcome, handler, staged = await self.handle(label, partial(hook, *args), is_async=iscoroutinefunction(hook))
        if outcome.status == "done":
            self.standing.take(staged, cause)
            return handler
        self.tell_broken(label, outcome)
        return None

    def tell_broken(self, label: str, outcome: Outcome) -> None:
        """Write the `error` entry of a handler that raised or ran out of time, and tell the developer's log."""
        if outcome.error is None:
            self.error("handler-timeout", f"{label} ran out of time after {outcome.seconds:g} s; it changed nothing.")
            return
        code = outcome.error.code if isinstance(outcome.error, CuelightError) else "handler-raised"
        self.error(code, told(outcome.error) if outcome.misrouted else f"{label} raised {describe(outcome.error)}")
        if _log.isEnabledFor(logging.WARNING):
            trace = "".join(traceback.format_exception(outcome.error))
            _log.warning("%s of call %s raised:\n%s", label, self.journal.call, self.journal.secrets.text(trace))

    def _say(self, text: str) -> None:
        self.speak(text)

    def _note(self, name: str, data: Any) -> None:
        self.note(name, data)

    # --- the model ----------------------------------------------------------------------------------------------------

    def request(self, history: Sequence[Message], view: str, gate: Gate, *, at: int, alone: bool) -> ModelRequest:
        """Build a request to the model, in the state the call is in."""
        standing = self.standing
        return ModelRequest(
            static=standing.static,
            history=history,
            view=view,
            view_at=at,
            view_alone=alone,
            tools=standing.tools,
            offered=tuple([standing.specs[tool] for tool in gate.tools]),
            stage=self.course.stage or None,
            pending=self.confirmations.pending,
        )

    def stream(self, alarm: Alarm | None = None) -> Stream:
        """Make ready to ask the model once.

        Args:
            alarm: keeps the time, where the request is made beside whatever else the call does.
        """
        limits = self.limits
        return Stream(
            self.model,
            self.clock,
            alarm or self.alarm,
            first_token_s=limits.first_token_s,
            request_s=limits.request_s,
        )

    # --- the log ------------------------------------------------------------------------------------------------------

    def error(self, code: str, message: str, *, recoverable: bool = True) -> None:
        """Write an `error` entry."""
        self.journal.write("error", {"code": code, "message": message, "recoverable": recoverable})

    def tell_limit(self, limit: str, value: float) -> None:
        """Write the `error` entry of a limit that was reached."""
        self.error(
            f"limit-{limit.replace('_', '-')}",
            f"The turn was stopped at its limit {limit}={value:g}. Raise it in `limits = Limits({limit}=...)` if such "
            "turns are meant to be.",
        )

    def forget(self, handler: Handler) -> None:
        """Clear the histories that a handler asked to forget, once."""
        known = {"", *filter(None, self.course.memories.values())}
        for memory in dict.fromkeys(handler.forgotten):
            if memory in known:
                self.journal.write("cue.forgotten", {"memory": memory})
            else:
                listed = ", ".join(sorted(known - {""})) or "none"
                told = f"{handler.label} forgets {memory!r}, which is no step's memory, so nothing was cleared."
                self.error("unknown-memory", f"{told} The memories: {listed}.")
        handler.forgotten.clear()

    def write_note(self, name: str, data: Any) -> None:
        """Write a `custom` entry."""
        self.journal.write("custom", {"name": name, "data": data})

    def with_ids(self, calls: Sequence[ToolCallRequest]) -> list[ToolCallRequest]:
        """Give every tool call an id that no other of this call has; a provider's own is kept where it is one."""
        named = []
        for index, call in enumerate(calls):
            id_ = call.id
            if not id_ or id_ in self._known_ids:
                id_ = f"tool-{self.journal.seq + 1}-{index + 1}"
            self._known_ids.add(id_)
            named.append(call if id_ == call.id else msgspec.structs.replace(call, id=id_))
        return named

    def know_ids(self, ids: Sequence[str]) -> None:
        """Learn the tool calls' ids of a resumed log."""
        self._known_ids.update(ids)

    def count_usage(self, attempt: Attempt) -> None:
        """Add up what a request cost, for the summary."""
        used = attempt.finished.usage
        key = (self.model.provider, self.model.name)
        self.add_usage(key, used.prompt_tokens, used.cached_tokens, used.completion_tokens)

    def add_usage(self, key: tuple[str, str], prompt: int, cached: int, completion: int) -> None:
        """Add tokens to what a provider's model has used in this call."""
        total = self.usage.setdefault(key, {"input_tokens": 0, "input_cached_tokens": 0, "output_tokens": 0})
        total["input_tokens"] += prompt
        total["input_cached_tokens"] += cached
        total["output_tokens"] += completion
