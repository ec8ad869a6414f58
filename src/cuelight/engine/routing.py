"""Follow the routes of a batch: the first move in call order wins, after the last call; then the first direct reply."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from cuelight.agent import Agent, Frame, Staged, Tool, lay_over, open_frame, plain_json
from cuelight.engine import lines
from cuelight.engine.masking import mask_fields, mask_result
from cuelight.errors import NotAStage, OutsideHandler
from cuelight.flow import VALIDATED, DirectMessage, Route
from cuelight.wire import told, whole_text

if TYPE_CHECKING:
    from cuelight.engine.context import CallContext
    from cuelight.engine.turn import Turn

__all__ = ["Routing", "content_of", "laid", "take_route", "write_route"]


def take_route(agent: Agent, value: Any, *, at_once: bool) -> Staged:
    """Check the route that a handler returned, if it did, in that handler's own frame.

    What a route that stays brings is state like any other the handler writes; a move is only checked, unless `at_once`,
    and what it brings is given, as it is written when the move is made.

    Raises:
        CuelightError, ValueError: why the route cannot be followed.
    """
    if not isinstance(value, Route):
        return Staged([])
    declaration = agent.__declaration__
    if value.prompt is not None:
        raise OutsideHandler(
            "with_prompt attaches a prompt to a Step, and a plain agent has none; let render() say it "
            "from a field, which with_state can set."
        )
    if value.kind == "go" and value.target not in (declaration.stages or ()):
        raise NotAStage(declaration.name, value.target, declaration.stages or ())
    content_of(value)
    if at_once and value.kind == "go":
        lay_over(agent, {"stage": value.target, **value.state})
    elif _moves(value, _stage(agent)):
        return laid(agent, "with_state", value.state)
    else:
        lay_over(agent, value.state)
    return Staged([])


def laid(agent: Agent, label: str, values: Mapping[str, Any]) -> Staged:
    """Lay values over an agent's fields, in a frame of its own; nothing is committed yet.

    Raises:
        UndeclaredField, WrongType, NotAStage: when a value does not fit.
    """
    frame = Frame(agent._cell.ledger, label)
    try:
        with open_frame(frame):
            lay_over(agent, values)
        return frame.stage()
    finally:
        frame.close()


def content_of(route: Route) -> Any:
    """Give what a route shows the caller, as plain JSON; None where it shows nothing.

    Raises:
        ValueError: when there is nothing in it, or it has no JSON form.
    """
    if not isinstance(route.message, DirectMessage):
        return None
    content = route.message.content
    if content is None or (isinstance(content, str) and not content.strip()):
        raise ValueError("direct was given no content; the caller would hear nothing. Give it words or a value.")
    try:
        return whole_text(content) if type(content) is str else msgspec.json.decode(plain_json(content))
    except ValueError as error:
        raise ValueError(f"direct was given content without a JSON form: {told(error)}") from error


def write_route(
    context: "CallContext", route: Route, content: Any, start: str, *, tool: Tool | None = None, **more: Any
) -> None:
    """Write a route down, as `cue.route` has it; what is as usual is left out, what is declared private is masked.

    Args:
        context: the call.
        route: what a handler returned.
        content: what it shows the caller, as plain JSON.
        start: the stage it was returned in.
        tool: whose route it is; None is a hook's.
        more: the entry's `call_id`, `applied` and `reason`, where they are not as usual.
    """
    data: dict[str, Any] = {"kind": route.kind, "from": start, "applied": True, **more}
    if route.kind == "go":
        data["to"] = str(route.target)
    if route.feedback != VALIDATED:
        data["feedback"] = route.feedback
    if route.content_type is not None:
        data["content_type"] = str(route.content_type)
    if isinstance(route.message, str):
        data["message"] = route.message
    shown = dict(data)
    private: list[str] = []
    if route.state:
        data["state"] = msgspec.json.decode(plain_json(dict(route.state)))
        shown["state"], private = mask_fields(data["state"], context.agent.__declaration__.private)
    if content is not None:
        data["message"] = {"content": content}
        masked, values = (content, []) if tool is None else mask_result(tool, content)
        shown["message"], private = {"content": masked}, [*private, *values]
    context.journal.write("cue.route", data, shown=shown, private=private)


def _stage(agent: Agent) -> str:
    return getattr(agent, "stage", "") if agent.__declaration__.stages else ""


def _moves(route: Route, stage: str) -> bool:
    """Tell whether a route leads to another stage than the one the conversation is in."""
    return route.kind == "go" and route.target != stage


@dataclass(slots=True)
class _Taken:
    """One route that a handler returned, and what becomes of it."""

    route: Route
    content: Any
    call_id: str
    tool: Tool
    start: str
    applied: bool = True
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

    def take(self, route: Route, call_id: str, tool: Tool) -> str:
        """Take a checked route in call order; gives what the model reads as its call's result."""
        taken = _Taken(route, content_of(route), call_id, tool, _stage(self._context.agent))
        self._taken.append(taken)
        if _moves(route, taken.start):
            limit = self._context.limits.transitions
            if self._move is not None:
                return self._drop(taken, lines.NOT_APPLIED.format(target=self._move.route.target))
            if self._turn.transitions >= limit:
                self._turn.stop_at("transitions", limit)
                return self._drop(taken, lines.NOT_APPLIED_LIMIT)
            self._turn.transitions += 1
            self._move = taken
        if isinstance(route.message, DirectMessage):
            if self._direct is None:
                self._direct = taken
            elif self._move is taken:
                taken.reason = lines.NOT_SHOWN
                return f"{route.feedback}\n{lines.NOT_SHOWN}"
            else:
                return self._drop(taken, lines.NOT_SHOWN)
        return route.feedback

    def note(self) -> None:
        """Write what became of the route taken last."""
        taken = self._taken[-1]
        more = {"reason": taken.reason} if taken.reason else {}
        write_route(
            self._context, taken.route, taken.content, taken.start,
            tool=taken.tool, call_id=taken.call_id, applied=taken.applied, **more,
        )  # fmt: skip

    def finish(self) -> None:
        """Apply what won, after the batch's last call."""
        turn, context = self._turn, self._context
        if self._move is not None:
            self._apply(self._move)
        applied = [taken for taken in self._taken if taken.applied]
        for taken in applied:
            if taken.route.content_type is not None and (taken.content is None or taken is self._direct):
                turn.content_type = taken.route.content_type
            if isinstance(taken.route.message, str):
                to = str(taken.route.target) if taken.route.kind == "go" else taken.start
                crossing = {"from": taken.start, "to": to, "message": taken.route.message}
                context.journal.write("cue.crossing", crossing)
        if self._direct is not None and not turn.cut:
            turn.content_type = self._direct.route.content_type or turn.content_type
            content = self._direct.content
            turn.deliver(content, mask_result(self._direct.tool, content)[0])

    def _apply(self, move: _Taken) -> None:
        """Move, and lay what the route brings over where it leads: one change of state."""
        staged = laid(
            self._context.agent, f"the route of {move.tool.name}", {"stage": move.route.target, **move.route.state}
        )
        self._context.standing.take(staged, {"kind": "tool", "tool": move.tool.name, "call_id": move.call_id})

    @staticmethod
    def _drop(taken: _Taken, reason: str) -> str:
        taken.applied, taken.reason = False, reason
        return reason
