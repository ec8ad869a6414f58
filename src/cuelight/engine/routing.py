"""Follow the routes of a batch: the first move in call order wins, after the last call; then the first direct reply."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from cuelight.agent import Frame, Staged, Tool, open_frame, plain_json
from cuelight.engine import lines
from cuelight.engine.masking import mask_fields, mask_result
from cuelight.flow import VALIDATED, Course, DirectMessage, Route, as_route
from cuelight.wire import told, whole_text

if TYPE_CHECKING:
    from cuelight.engine.context import CallContext
    from cuelight.engine.turn import Turn

__all__ = ["Routing", "content_of", "leads_to", "staged_by", "take_route", "write_route"]


def take_route(course: Course, value: Any) -> tuple[Any, Staged]:
    """Check the route that a handler returned, if it did, in that handler's own frame.

    What a route that stays brings is state like any other the handler writes; a move is only checked, as what it brings
    is written when the move is made.

    Returns:
        The route, where a Step class was returned the one that it means, and what will be written later on.

    Raises:
        CuelightError, ValueError: why the route cannot be followed.
    """
    route = as_route(value)
    if not isinstance(route, Route):
        return value, Staged([])
    stage = leads_to(course, route)
    content_of(route)
    if stage != course.stage:
        return route, staged_by(course, "with_state", lambda: course.bring(stage, route.state, route.prompt))
    if route.state or route.prompt is not None:
        course.bring(stage, route.state, route.prompt)
    return route, Staged([])


def leads_to(course: Course, route: Route) -> str:
    """Give the stage that a route leads to, which may be the current one.

    Raises:
        NotAStage, StepNotDefined: when there is none.
    """
    return course.target(route.target) if route.kind == "go" else course.stage


def staged_by(course: Course, label: str, write: Callable[[], None]) -> Staged:
    """Write to the state in a frame of its own; nothing is committed yet.

    Raises:
        AuthorError: when a value does not fit.
    """
    frame = Frame(course.agent._cell.ledger, label)
    try:
        with open_frame(frame):
            write()
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
    context: "CallContext", route: Route, content: Any, start: str, stage: str, *, tool: Tool | None = None, **more: Any
) -> None:
    """Write a route down, as `cue.route` has it; what is as usual is left out, what is declared private is masked.

    Args:
        context: the call.
        route: what a handler returned.
        content: what it shows the caller, as plain JSON.
        start: the stage it was returned in.
        stage: the stage it leads to.
        tool: whose route it is; None is a hook's.
        more: the entry's `call_id`, `applied` and `reason`, where they are not as usual.
    """
    data: dict[str, Any] = {"kind": route.kind, "from": start, "applied": True, **more}
    if route.kind == "go":
        data["to"] = stage
    if route.feedback != VALIDATED:
        data["feedback"] = route.feedback
    if route.prompt is not None:
        data["prompt"] = route.prompt
    if route.content_type is not None:
        data["content_type"] = str(route.content_type)
    if isinstance(route.message, str):
        data["message"] = route.message
    shown = dict(data)
    private: list[str] = []
    if route.state:
        data["state"] = msgspec.json.decode(plain_json(dict(route.state)))
        shown["state"], private = mask_fields(data["state"], context.course.private(stage))
    if content is not None:
        data["message"] = {"content": content}
        masked, values = (content, []) if tool is None else mask_result(tool, content)
        shown["message"], private = {"content": masked}, [*private, *values]
    context.journal.write("cue.route", data, shown=shown, private=private)


@dataclass(slots=True)
class _Taken:
    """One route that a handler returned, and what becomes of it."""

    route: Route
    content: Any
    call_id: str
    tool: Tool
    start: str
    stage: str
    applied: bool = True
    reason: str = ""

    @property
    def moves(self) -> bool:
        """Tell whether it leads to another stage than the one it was returned in."""
        return self.stage != self.start


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
        course = self._context.course
        taken = _Taken(route, content_of(route), call_id, tool, course.stage, leads_to(course, route))
        self._taken.append(taken)
        if taken.moves:
            if self._move is not None:
                return self._drop(taken, lines.NOT_APPLIED.format(target=self._move.stage))
            if course.waiting and course.owner(tool) is course.step:
                return self._drop(taken, lines.NOT_APPLIED_WAITING)
            if not self._turn.steering.count():
                return self._drop(taken, lines.NOT_APPLIED_LIMIT)
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
            self._context, taken.route, taken.content, taken.start, taken.stage,
            tool=taken.tool, call_id=taken.call_id, applied=taken.applied, **more,
        )  # fmt: skip

    async def finish(self) -> None:
        """Apply what won, after the batch's last call."""
        turn, move = self._turn, self._move
        if move is not None:
            cause = {"kind": "tool", "tool": move.tool.name, "call_id": move.call_id}
            await turn.steering.move(move.route, cause, f"the route of {move.tool.name}")
        for taken in self._taken:
            if not taken.applied:
                continue
            if taken.route.content_type is not None and (taken.content is None or taken is self._direct):
                turn.speech.content_type = taken.route.content_type
            if isinstance(taken.route.message, str) and not taken.moves:
                turn.steering.cross(taken.start, taken.start, taken.route.message)
        if self._direct is not None:
            content = self._direct.content
            turn.deliver(content, mask_result(self._direct.tool, content)[0], self._direct.route.content_type)

    @staticmethod
    def _drop(taken: _Taken, reason: str) -> str:
        taken.applied, taken.reason = False, reason
        return reason
