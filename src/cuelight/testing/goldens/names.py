"""Hold a golden against the class it is for: every name in it must be one that the class has."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET

from cuelight.agent import ANSWER_TOOL, Agent, nearest
from cuelight.errors import AuthorError
from cuelight.flow import Course, Flow, course_of
from cuelight.testing.goldens.reading import Faults, GoldenFile
from cuelight.testing.goldens.shape import Check, Golden, ScriptedCall
from cuelight.testing.goldens.source import Where

__all__ = ["check_names", "opening_state", "other_day"]


def check_names(read: GoldenFile, agent: Agent) -> None:
    """Refuse a golden that names a tool, stage, step or state field that the agent does not have.

    Args:
        read: the golden.
        agent: an instance in no call; the golden's opening state is laid over it.

    Raises:
        GoldenRefused: with every such name and the nearest right one.
    """
    if refused := read.refused(_Names(read, course_of(agent)).faults()):
        raise refused


def opening_state(read: GoldenFile) -> dict[str, Any]:
    """Give the state that the golden's call opens in."""
    state = read.golden.state
    if state is UNSET:
        return {}
    return {"stage": state} if isinstance(state, str) else dict(state)


def other_day(read: GoldenFile, agent: Agent, state: Mapping[str, Any]) -> str:
    """Say that a field `today` does not hold the golden's day, where one may have thought that this sets it.

    Args:
        read: the golden.
        agent: whose field it is; a property of that name is something else.
        state: the author's, as it came to be in the call.
    """
    today = read.golden.today
    if today is UNSET or "today" in opening_state(read) or "today" not in agent.__declaration__.fields:
        return ""
    if state.get("today") == today:
        return ""
    return "the golden's `today` sets the call's clock; the field `today` is set by `state`"


class _Names:
    def __init__(self, read: GoldenFile, course: Course) -> None:
        self._golden = read.golden
        self._state = opening_state(read)
        self._course = course
        agent = course.agent
        self._is_flow = isinstance(agent, Flow)
        self._owner = type(agent).__name__
        self._stages = agent.__declaration__.stages or ()
        self._tools = list(dict.fromkeys(tool.name for tool in course.tools))
        self._guarded = list(dict.fromkeys(tool.name for tool in course.tools if tool.confirm is not None))
        self._invented = {piece.call for _, piece in _scripted_pieces(self._golden) if piece.call is not UNSET}
        self._fields = [*course.names, *agent.__declaration__.derived]

    def faults(self) -> Faults:
        """Give every name that the agent does not have, and where it stands."""
        yield from self._opening()
        for number, turn in enumerate(self._golden.turns):
            for index, check in enumerate(turn.then):
                yield from self._check(check, ("turns", number, "then", index))
        expect = self._golden.expect
        for kind in ("tools", "not_tools", "never_visible"):
            yield from self._all(getattr(expect, kind), ("expect", kind))
        for index, tool in enumerate(expect.never_without_yes):
            yield from self._guard(tool, ("expect", "never_without_yes", index))
        for where, piece in _scripted_pieces(self._golden):
            if piece.tool is not UNSET:
                yield from self._guard(piece.tool, (*where, "tool"))
        yield from self._members(expect.state, ("expect", "state"))

    def _check(self, check: Check, where: Where) -> Faults:
        if check.tool is not UNSET:
            yield from self._tool(check.tool, (*where, "tool"))
            yield from self._arguments(check.tool, {} if check.args is UNSET else check.args, (*where, "args"))
        if check.confirm is not UNSET:
            yield from self._guard(check.confirm.tool, (*where, "confirm", "tool"))
        if check.refused is not UNSET and check.refused not in self._invented:
            yield from self._tool(check.refused, (*where, "refused"))
        for kind in ("stage", "step"):
            if getattr(check, kind) is not UNSET:
                yield from self._stage(kind, getattr(check, kind), (*where, kind))
        if check.visible is not UNSET:
            yield from self._all(check.visible, (*where, "visible"))
        if check.state is not UNSET:
            yield from self._members(check.state, (*where, "state"))
        if check.route is not UNSET:
            for end, name in (("from", check.route.from_), ("to", check.route.to)):
                if name is not UNSET:
                    yield from self._stage("stage", name, (*where, "route", end))

    def _opening(self) -> Faults:
        stage = self._state.get("stage")
        rest = {name: value for name, value in self._state.items() if name != "stage"}
        faults = list(self._members(rest, ("state",)))
        if isinstance(stage, str):
            faults.extend(self._stage("stage", stage, ("state", "stage")))
        yield from faults
        if not faults:
            try:
                self._course.lay_over(self._state)
            except AuthorError as error:
                yield str(error).rstrip("."), ("state",)

    def _all(self, tools: Iterable[str], where: Where) -> Faults:
        for index, tool in enumerate(tools):
            yield from self._tool(tool, (*where, index))

    def _tool(self, tool: str, where: Where) -> Faults:
        if tool not in self._tools and not (tool == ANSWER_TOOL and self._guarded):
            listed = ", ".join(self._tools) or "none"
            yield f"{self._owner} has no tool `{tool}`{nearest(tool, self._tools)}; its tools are {listed}", where

    def _guard(self, tool: str, where: Where) -> Faults:
        """Find a tool that asks the caller for no yes."""
        if tool in self._tools and tool not in self._guarded:
            yield f"tool `{tool}` has no `confirm`, so the caller is never asked for a yes", where
        else:
            yield from self._tool(tool, where)

    def _stage(self, kind: str, stage: str, where: Where) -> Faults:
        what = "step" if self._is_flow else "stage"
        if kind == "step" and not self._is_flow:
            yield f"{self._owner} is no flow, so it has no steps; write `stage`", where
        elif stage not in self._stages:
            listed = ", ".join(self._stages) or "none"
            yield f"{self._owner} has no {what} `{stage}`{nearest(stage, self._stages)}; it has {listed}", where

    def _arguments(self, tool: str, given: Mapping[str, Any], where: Where) -> Faults:
        tools = [one for one in self._course.tools if one.name == tool]
        known = list(dict.fromkeys(name for one in tools for name in one.arguments.parameters))
        for name in given if tools else ():
            if name not in known:
                listed = ", ".join(known) or "none"
                yield f"tool `{tool}` has no argument `{name}`{nearest(name, known)}; it has {listed}", (*where, name)

    def _members(self, state: Mapping[str, Any], where: Where) -> Faults:
        for name, value in state.items():
            if name not in self._fields:
                listed = ", ".join(self._fields) or "none"
                yield (
                    f"{self._owner} has no field `{name}`{nearest(name, self._fields)}; it has {listed}",
                    (*where, name),
                )
            elif self._is_flow and name in self._stages and isinstance(value, Mapping):
                yield from self._step_members(name, value, (*where, name))

    def _step_members(self, step: str, state: Mapping[str, Any], where: Where) -> Faults:
        assert isinstance(self._course.agent, Flow)
        declaration = self._course.agent.step(step).__declaration__
        known = [*declaration.fields, *declaration.derived, "_prompt"]
        for name in state if declaration.fields else ():
            if name not in known:
                listed = ", ".join(known) or "none"
                yield f"step {step} has no field `{name}`{nearest(name, known)}; it has {listed}", (*where, name)


def _scripted_pieces(golden: Golden) -> Iterator[tuple[Where, ScriptedCall]]:
    """Give what a scripted model calls, which may be tools that it made up, and where each stands."""
    for index, reply in enumerate(golden.model if isinstance(golden.model, list) else ()):
        for number, piece in enumerate(reply if isinstance(reply, list) else [reply]):
            if not isinstance(piece, str):
                yield ("model", index, number) if isinstance(reply, list) else ("model", index), piece
