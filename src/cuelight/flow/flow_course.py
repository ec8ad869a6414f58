"""The course of a flow: its current step decides."""

from collections.abc import Mapping
from typing import Any

import msgspec

from cuelight.agent import (
    Agent,
    Block,
    Gate,
    Notice,
    Restored,
    Snapshot,
    Staged,
    Stateful,
    Tool,
    ask,
    fitting,
    mentions,
    private_values,
    restore,
    snapshot,
    static_blocks,
    view_text,
)
from cuelight.errors import WrongType
from cuelight.flow.course import AgentCourse, Course, Failures
from cuelight.flow.flow import Flow
from cuelight.flow.shown import tools_of_step
from cuelight.flow.step import LogicStep, Step, TerminateSessionStep, fit_step, overrides, restore_step, write_step

__all__ = ["FlowCourse", "course_of", "hidden_mentions"]


def course_of(agent: Agent) -> Course:
    """Give the course of an agent, whatever kind it is of."""
    return FlowCourse(agent) if isinstance(agent, Flow) else AgentCourse(agent)


def hidden_mentions(agent: Agent) -> tuple[str, ...]:
    """Name the tools that an agent's view speaks of now although they are hidden, for a test of every stage.

    Raises:
        Exception: whatever the methods that make the view raise.
    """
    course = course_of(agent)
    text, failures = course.view()
    for _, error in failures:
        raise error
    return mentions(text, course.tools, course.offered(heard=True).names)


class FlowCourse:
    """Be the course of a flow; its methods do what `Course` says."""

    def __init__(self, flow: Flow) -> None:
        self.agent = flow
        declaration = flow.__declaration__
        steps = flow._steps
        self._steps = steps
        self.tools = (*declaration.tools, *(tool for step in steps.values() for tool in step.__declaration__.tools))
        self.names = (*declaration.fields, *steps)
        self._renamed = {old: name for name, step in steps.items() for old in step.was}
        self.memories = {
            known: None if isinstance(step, LogicStep) else step.memory
            for name, step in steps.items()
            for known in (name, *step.was)
            if isinstance(step, LogicStep) or step.memory is not None
        }
        self._keys = {name: b"%b:" % msgspec.json.encode(name) for name in steps}
        self._names_of = {step._cell: name for name, step in steps.items()}
        self._shots: dict[str, tuple[int, Snapshot]] = {}
        """What each step's state was when it was written last, and the version of it."""
        self._heard = False
        self._settled: dict[tuple[str, bool], Gate] = {}
        """The gates in which no `when` is asked, by the step and whether it waits."""

    @property
    def stage(self) -> str:
        return self.agent.stage

    @property
    def step(self) -> Step[Any]:
        return self._steps[self.agent.stage]

    @property
    def waiting(self) -> bool:
        return not self._heard and self.step.waits

    @property
    def fallback_line(self) -> str:
        step = self.step
        return step.fallback_line if isinstance(step, TerminateSessionStep) else self.agent.fallback_line

    @property
    def holds_words(self) -> bool:
        return overrides(type(self.step), "on_response")

    @property
    def ends(self) -> str | None:
        step = self.step
        return step.reason if isinstance(step, TerminateSessionStep) else None

    def owner(self, tool: Tool) -> Stateful:
        return self.agent if tool in self.agent.__declaration__.tools else self.step

    def offered(self, *, heard: bool = False) -> Gate:
        step, waiting = self.step, self.waiting and not heard
        key = (type(step).__stage__, waiting)
        settled = self._settled.get(key)
        if settled is not None:
            return settled
        own = step.__declaration__.tools
        tools = tuple(
            tool
            for tool in tools_of_step(type(self.agent), type(step))
            if not (waiting and tool in own and tool.effect != "read")
        )
        if all(tool.when is None for tool in tools):
            return self._settled.setdefault(key, Gate(tools))
        return ask(self.agent._cell.ledger, ((tool, step if tool in own else self.agent) for tool in tools))

    def blocks(self) -> tuple[Block, ...]:
        listed = {"": self.agent.__declaration__.tools}
        listed |= {f"In {name}:": step.__declaration__.tools for name, step in self._steps.items()}
        return static_blocks(self.agent, listed)

    def view(self) -> tuple[str, Failures]:
        step = self.step
        texts, failures = [], []
        for name, source in (("render", self.agent.render), (f"{type(step).__name__}.get_prompt", step.get_prompt)):
            try:
                texts.append(view_text(self.agent, source, f"{name}()"))
            except Exception as error:  # the author's code: without its words the call goes on
                failures.append((name, error))
        return "\n\n".join(filter(None, texts)), tuple(failures)

    def snapshot(self) -> Snapshot:
        own = snapshot(self.agent)
        full, shown = [own.full[:-1]], [own.shown[:-1]]
        derived, failures = dict(own.derived), list(own.failures)
        bare = own.full is own.shown
        for name, step in self._steps.items():
            shot, key = self._shot(name, step), self._keys[name]
            full.append(key + shot.full)
            shown.append(key + shot.shown)
            bare = bare and shot.full is shot.shown
            if shot.derived:
                derived.update((f"{name}.{part}", value) for part, value in shot.derived.items())
                failures.extend((f"{name}.{part}", error) for part, error in shot.failures)
        whole = b",".join(full) + b"}"
        return Snapshot(whole, whole if bare else b",".join(shown) + b"}", derived, tuple(failures))

    def _shot(self, name: str, step: Step[Any]) -> Snapshot:
        """Write the state of a step, unless it stands as it was written last: most steps rest while one works."""
        cell = step._cell
        kept = self._shots.get(name)
        if kept is not None and kept[0] == cell.version and cell.ledger.live and not step.__declaration__.derived:
            return kept[1]
        shot = snapshot(step)
        self._shots[name] = (cell.version, shot)
        return shot

    def private_values(self) -> list[str]:
        return [value for one in (self.agent, *self._steps.values()) for value in private_values(one)]

    def private(self, stage: str) -> Mapping[str, Any]:
        return self._steps[stage].__declaration__.private

    def changed(self, staged: Staged) -> list[str]:
        steps = (self._names_of.get(cell) for cell in staged.cells)
        return [*staged.names(self.agent._cell), *filter(None, steps)]

    def lay_over(self, values: Mapping[str, Any]) -> None:
        own = {name: value for name, value in values.items() if name not in self._steps}
        if "stage" in own:
            own["stage"] = getattr(own["stage"], "__stage__", own["stage"])  # a Step class is its name
        for name, state in values.items():
            if name in self._steps and not isinstance(state, Mapping):
                raise WrongType(
                    type(self.agent).__name__, name, "an object of the step's fields", state, where="the given state"
                )
        given = "the given state"
        fits: list[tuple[Stateful, dict[str, Any]]] = [(self.agent, fitting(self.agent, own, given, self._steps))]
        fits.extend((step, fit_step(step, values[name], given)) for name, step in self._steps.items() if name in values)
        for owner, fit in fits:
            for name, value in fit.items():
                owner._cell.write(name, value)

    def restore(self, stored: Mapping[str, Any]) -> Restored:
        stored = {self._renamed.get(name, name): value for name, value in stored.items()}
        own = {name: value for name, value in stored.items() if name not in self._steps}
        if "stage" in own:
            own["stage"] = self._renamed.get(own["stage"], own["stage"])
        notices = list(restore(self.agent, own).notices)
        for name, step in self._steps.items():
            state = stored.get(name, {})
            if isinstance(state, Mapping):
                notices.extend(restore_step(step, state))
            else:
                notices.append(Notice("field-unreadable", f"The log holds no object for step {name!r}; it is as new."))
        return Restored(tuple(notices))

    def target(self, named: Any) -> str:
        found: Step[Any] = self.agent.step(named)
        return type(found).__stage__

    def enter(self, stage: str) -> None:
        self.agent._cell.write("stage", stage)
        self._heard = False

    def bring(self, stage: str, values: Mapping[str, Any], prompt: str | None) -> None:
        attached = {} if prompt is None else {"_prompt": prompt}
        write_step(self._steps[stage], {**values, **attached}, self.agent._cell.running() or "with_state")

    def hear(self) -> None:
        self._heard = True
