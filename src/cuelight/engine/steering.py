"""Steer a call from step to step: the hooks, what a route brings, and the steps of code alone."""

from collections.abc import Mapping
from functools import partial
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, Protocol

from cuelight.agent import Staged
from cuelight.engine.handlers import Handler
from cuelight.engine.routing import content_of, leads_to, staged_by, write_route
from cuelight.errors import OutsideHandler
from cuelight.flow import HttpContentType, LogicStep, Route, Step, as_route, overrides

if TYPE_CHECKING:
    from cuelight.engine.context import CallContext

__all__ = ["Host", "Steering", "refuse_route"]


class Host(Protocol):
    """Be what a call is steered in: a turn, or what happens between turns."""

    def follow(self, handler: Handler) -> None:
        """Do what a handler asked for beside its result: another reply, the end of the call."""
        ...

    def deliver(self, content: Any, shown: Any, content_type: HttpContentType | None) -> None:
        """Give the caller content as it is, after which no model is asked."""
        ...

    def stop_at(self, limit: str, value: float) -> None:
        """Stop at a limit: nothing more begins."""
        ...


class Steering:
    """Move one call, within the limit of transitions; made anew for each turn, and for what happens between turns."""

    def __init__(self, context: "CallContext", host: Host) -> None:
        self._context = context
        self._host = host
        self._transitions = 0

    def count(self) -> bool:
        """Count a move that is about to be made; tells whether it may be, and stops the host where it may not."""
        limit = self._context.limits.transitions
        if self._transitions >= limit:
            self._host.stop_at("transitions", limit)
            return False
        self._transitions += 1
        return True

    async def move(self, route: Route, cause: Mapping[str, Any] | None, label: str) -> None:
        """Make a move that has been checked: one change of state, in the order that routes promise.

        Args:
            route: where to, and what goes along.
            cause: of the change of state, as in its entry.
            label: what makes the move, for messages.
        """
        context, course = self._context, self._context.course
        start, left, stage = course.stage, course.step, leads_to(course, route)
        names: dict[str, None] = {}
        await self._run_hook(left, "on_exit", names)
        self._commit(staged_by(course, label, lambda: course.enter(stage)), names)
        entered = course.step
        await self._run_hook(entered, "on_enter", names)
        self._commit(staged_by(course, label, lambda: course.bring(stage, route.state, route.prompt)), names)
        message = route.message if isinstance(route.message, str) else context.carried
        context.carried = None
        if entered is not None:
            message = await self._run_hook(entered, "on_crossing", names, message, left, otherwise=message)
        context.standing.tell(list(names), cause)
        if isinstance(entered, LogicStep):
            message, context.carried = None, message
        if message or entered is not None:
            self.cross(start, stage, message)

    def cross(self, start: str, stage: str, message: str | None) -> None:
        """Write what a turn carries along, for the model to hear; blank words are none, and providers refuse them."""
        carried = {"message": message} if message and message.strip() else {}
        self._context.journal.write("cue.crossing", {"from": start, "to": stage, **carried})

    def tell_made(self, route: Route, start: str, stage: str) -> None:
        """Write a route down that was followed while the call opened, and give the caller what it shows."""
        content = content_of(route)
        write_route(self._context, route, content, start, stage)
        if isinstance(route.message, str):
            self.cross(start, stage, route.message)
        if content is not None:
            self._host.deliver(content, content, route.content_type)

    async def settle(self) -> bool:
        """Run steps of code alone until the current one is another; tells whether it came to one that asks a model."""
        while isinstance(step := self._context.course.step, LogicStep):
            if not await self._run_logic(step):
                return False
        return True

    async def follow_hook(self, route: Any, start: str, label: str, cause: Mapping[str, Any] | None = None) -> bool:
        """Follow the checked route of a handler that is no tool; tells whether the model may be asked after it.

        Args:
            route: what it returned.
            start: the stage it was returned in.
            label: what returned it, for messages.
            cause: of the change of state, as in its entry.
        """
        context, course = self._context, self._context.course
        content, stage = content_of(route), leads_to(course, route)
        if stage != start and not self.count():
            write_route(context, route, content, start, stage, applied=False)
            return False
        write_route(context, route, content, start, stage)
        if stage != start:
            await self.move(route, cause, label)
        elif isinstance(route.message, str):
            self.cross(start, start, route.message)
        if content is not None:
            self._host.deliver(content, content, route.content_type)
        return content is None

    async def _run_logic(self, step: LogicStep[Any]) -> bool:
        context = self._context
        name = f"{type(step).__name__}.run_logic"
        await context.journal.barrier()
        outcome, handler, staged = await context.handle(
            name, step.run_logic, is_async=iscoroutinefunction(step.run_logic)
        )
        if outcome.status != "done":
            context.tell_broken(name, outcome)
            return False
        context.standing.take(staged, None)
        self._host.follow(handler)
        if not isinstance(outcome.value, Route):
            kind = type(outcome.value).__name__
            context.error("no-route", f"{name} returned a value of type {kind}, which is no route; return go(...).")
            return False
        moves = leads_to(context.course, outcome.value) != handler.stage
        goes_on = await self.follow_hook(outcome.value, handler.stage, name)
        if not moves and goes_on:
            context.error("no-route", f"{name} stayed, and no model is asked there; return go(...) to another step.")
        return moves and goes_on and context.ended is None

    async def _run_hook(
        self, step: Step[Any] | None, name: str, names: dict[str, None], *args: Any, otherwise: Any = None
    ) -> Any:
        """Run a hook of a step, if it has one; what it raises costs it its own writes, and nothing else.

        Args:
            step: whose hook it is.
            name: the hook's.
            names: gets the parts of the state that it changed.
            args: what it is given.
            otherwise: what it gives where there is none, or it failed.
        """
        if step is None or not overrides(type(step), name):
            return otherwise
        context = self._context
        await context.journal.barrier()
        label, hook = f"{type(step).__name__}.{name}", getattr(step, name)
        outcome, handler, staged = await context.handle(
            label, partial(hook, *args), is_async=iscoroutinefunction(hook),
            follow=partial(refuse_route, label, texts=name == "on_crossing"),
        )  # fmt: skip
        if outcome.status != "done":
            context.tell_broken(label, outcome)
            return otherwise
        self._commit(staged, names)
        self._host.follow(handler)
        return outcome.value

    def _commit(self, staged: Staged, names: dict[str, None]) -> None:
        staged.commit()
        names.update(dict.fromkeys(self._context.course.changed(staged)))


def refuse_route(label: str, value: Any, *, texts: bool = False) -> tuple[Any, Staged]:
    """Refuse what a hook of a transition may not return.

    Raises:
        OutsideHandler: when it is a route.
        TypeError: when the hook gives text or nothing, and this is neither.
    """
    if isinstance(as_route(value), Route):
        raise OutsideHandler(
            f"{label} returned a route, but a move is being made already. Return it from a tool, from `on_response` or "
            "from the `run_logic` of a LogicStep."
        )
    if texts and not (value is None or isinstance(value, str)):
        raise TypeError(f"{label} returned a value of type {type(value).__name__}; return text for the model, or None.")
    return value, Staged([])
