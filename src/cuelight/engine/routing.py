"""Follow the routes of a batch: the first move in call order wins, after the last call; then the first direct reply."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from cuelight.agent import lay_over, plain_json
from cuelight.errors import AuthorError, NotAStage, OutsideHandler
from cuelight.flow import VALIDATED, DirectMessage, Route

from . import lines

if TYPE_CHECKING:
    from .turn import Turn

__all__ = ["Routing"]


@dataclass(slots=True)
class _Taken:
    """One route that a handler returned, and what becomes of it."""

    route: Route
    call_id: str
    tool: str
    start: str
    applied: bool
    reason: str = ""


class Routing:
    """Hold the routes that the handlers of one batch return, and apply the ones that win.

    Args:
        turn: the turn they belong to.
    """

    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._context = turn.context
        self._taken: list[_Taken] = []
        self._move: _Taken | None = None
        self._direct: _Taken | None = None

    def read(self, value: Any) -> Route | None:
        """Give the route that a handler returned, if it did."""
        return value if isinstance(value, Route) else None

    def fault(self, route: Route) -> Exception | None:
        """Say why a route cannot be followed: then it is its call's error, and the conversation stays where it is."""
        agent = self._context.agent
        stages = agent.__declaration__.stages
        if route.prompt is not None:
            return OutsideHandler(
                "with_prompt attaches a prompt to a Step, and a plain agent has none; let render() say it "
                "from a field, which with_state can set."
            )
        if route.kind == "go" and (stages is None or route.target not in stages):
            return NotAStage(type(agent).__name__, route.target, stages or ())
        content = route.content if route.kind == "direct" else None
        if isinstance(route.message, DirectMessage):
            content = route.message.content
        try:
            if content is not None:
                plain_json(content)
        except ValueError as error:
            return TypeError(f"direct was given content without a JSON form: {error}")
        return self._state_fault(route)

    def _state_fault(self, route: Route) -> Exception | None:
        declared = self._context.agent.__declaration__.fields
        for name, value in route.state.items():
            if name not in declared:
                return AttributeError(
                    f"with_state names {name!r}, which is no field; the fields are {', '.join(declared)}."
                )
            try:
                declared[name].check(type(self._context.agent).__name__, value, "with_state")
            except AuthorError as error:
                return error
        return None

    def take(self, route: Route, call_id: str, tool: str) -> Any:
        """Take a route in call order; gives what the model reads as its call's result."""
        start = self._context.standing.stage or ""
        taken = _Taken(route, call_id, tool, start, applied=True)
        self._taken.append(taken)
        if route.kind == "go" and route.target != start:
            if self._move is not None:
                taken.applied = False
                taken.reason = lines.NOT_APPLIED.format(target=self._move.route.target)
                return taken.reason
            self._move = taken
        if route.kind == "direct" or isinstance(route.message, DirectMessage):
            if self._direct is not None:
                taken.applied = False
                taken.reason = lines.NOT_SHOWN
                return taken.reason
            self._direct = taken
        return route.feedback

    async def finish(self) -> None:
        """Apply what won, after the batch's last call; write what became of every route."""
        turn, context = self._turn, self._context
        if self._move is not None:
            await self._apply_move(self._move)
        for taken in self._taken:
            if taken.applied and taken is not self._move:
                await self._lay(taken)
            self._write(taken)
        for taken in self._taken:
            if taken.applied and taken.route.content_type is not None:
                turn.content_type = taken.route.content_type
                break
        self._carry_message()
        if self._direct is not None and not turn.over and context.ended is None:
            route = self._direct.route
            content = route.message.content if isinstance(route.message, DirectMessage) else route.content
            turn.deliver(msgspec.json.decode(plain_json(content)))
        if turn.asked_again and context.ended is None:
            turn.over = turn.asked_again = False

    async def _apply_move(self, move: _Taken) -> None:
        turn, context = self._turn, self._context
        if turn.transitions >= context.limits.transitions:
            move.applied, move.reason = False, "the limit of transitions in one turn was reached"
            turn.stop_at("transitions", context.limits.transitions)
            return
        turn.transitions += 1
        await self._lay(move, stage=str(move.route.target))

    async def _lay(self, taken: _Taken, stage: str | None = None) -> None:
        """Write what a route brings to where it leads: one change of state."""
        values = dict(taken.route.state)
        if stage is not None:
            values = {"stage": stage, **values}
        if not values:
            return

        async def write() -> None:
            lay_over(self._context.agent, values)

        cause = {"kind": "tool", "tool": taken.tool, "call_id": taken.call_id}
        await self._context.hook(f"the route of {taken.tool}", write, cause)

    def _carry_message(self) -> None:
        move = self._move
        if move is None or not move.applied or not isinstance(move.route.message, str):
            return
        self._context.journal.write(
            "cue.crossing", {"from": move.start, "to": str(move.route.target), "message": move.route.message}
        )

    def _write(self, taken: _Taken) -> None:
        route = taken.route
        data: dict[str, Any] = {
            "call_id": taken.call_id,
            "kind": route.kind,
            "from": taken.start,
            "applied": taken.applied,
        }
        if route.kind == "go":
            data["to"] = str(route.target)
        if taken.reason:
            data["reason"] = taken.reason
        if route.feedback != VALIDATED:
            data["feedback"] = route.feedback
        if route.state:
            data["state"] = msgspec.json.decode(plain_json(dict(route.state)))
        if route.content_type is not None:
            data["content_type"] = str(route.content_type)
        if isinstance(route.message, str):
            data["message"] = route.message
        elif route.message is not None:
            data["message"] = msgspec.json.decode(plain_json({"content": route.message.content}))
        self._context.journal.write("cue.route", data)
