"""Let a step decide what becomes of a reply without a tool call: `on_response`."""

from functools import partial
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING

from cuelight.engine import lines
from cuelight.engine.routing import content_of, leads_to, write_route
from cuelight.flow import VALIDATED, Route

if TYPE_CHECKING:
    from cuelight.engine.turn import Turn

__all__ = ["Response"]


class Response:
    """Run the `on_response` of a turn's current step.

    Args:
        turn: the turn.
    """

    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._context = turn.context

    async def follow(self, text: str) -> bool:
        """Do what the step decides; tells whether the model is to be asked again.

        Args:
            text: what the model wrote.
        """
        context, step = self._context, self._context.course.step
        assert step is not None
        label = f"{type(step).__name__}.on_response"
        await context.journal.barrier()
        outcome, handler, staged = await context.handle(
            label, partial(step.on_response, text), is_async=iscoroutinefunction(step.on_response)
        )
        if outcome.status != "done":
            context.tell_broken(label, outcome)
            self._fall_back()
            return False
        context.standing.take(staged, None)
        self._turn.follow(handler)
        if isinstance(outcome.value, Route):
            return await self._go(outcome.value, handler.stage, label)
        said = text if outcome.value is None else outcome.value
        if not isinstance(said, str):
            kind = type(said).__name__
            context.error(
                "bad-response",
                f"{label} returned a value of type {kind}; return the text to say, a Step class or a route.",
            )
            self._fall_back()
        elif said.strip():
            self._turn.say(said, "model" if said.strip() == text else "code")
        elif not self._turn.speech.pieces and not self._turn.asked_again and context.ended is None:
            self._fall_back()
        return self._turn.asked_again

    async def _go(self, route: Route, start: str, label: str) -> bool:
        turn, context = self._turn, self._context
        moves = leads_to(context.course, route) != start
        if moves and context.course.waiting:
            content = content_of(route)
            reason = lines.NOT_APPLIED_WAITING
            write_route(context, route, content, start, leads_to(context.course, route), applied=False, reason=reason)
            turn.instructions = reason
            return True
        if route.content_type is not None:
            turn.speech.content_type = route.content_type
        goes_on = await turn.steering.follow_hook(route, start, label)
        if goes_on and route.feedback != VALIDATED:
            turn.instructions = lines.not_said(route.feedback)
        return goes_on or turn.asked_again

    def _fall_back(self) -> None:
        self._turn.say(self._context.course.fallback_line, "code")
