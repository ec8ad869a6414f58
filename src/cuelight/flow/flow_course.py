"""The course of a flow: its current step decides."""

from collections.abc import Mapping
from typing import Any

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
    json_object,
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
        self.memories = {
            name: None if isinstance(step, LogicStep) else step.memory
            for name, step in steps.items()
            if isinstance(step, LogicStep) or step.memory is not None
        }
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
        shots = {name: snapshot(step) for name, step in self._steps.items()}
        derived, failures = dict(own.derived), list(own.failures)
        for name, shot in shots.items():
            derived.update((f"{name}.{part}", value) for part, value in shot.derived.items())
            failures.extend((f"{name}.{part}", error) for part, error in shot.failures)
        full = _joined(own.full, {name: shot.full for name, shot in shots.items()})
        bare = own.full is own.shown and all(shot.full is shot.shown for shot in shots.values())
        shown = full if bare else _joined(own.shown, {name: shot.shown for name, shot in shots.items()})
        return Snapshot(full, shown, derived, tuple(failures))

    def private_values(self) -> list[str]:
        return [value for one in (self.agent, *self._steps.values()) for value in private_values(one)]

    def private(self, stage: str) -> Mapping[str, Any]:
        return self._steps[stage].__declaration__.private

    def changed(self, staged: Staged) -> list[str]:
        names = list(staged.names(self.agent._cell))
        return names + [name for name, step in self._steps.items() if staged.names(step._cell)]

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
        notices = list(restore(self.agent, {k: v for k, v in stored.items() if k not in self._steps}).notices)
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


def _joined(members: bytes, more: Mapping[str, bytes]) -> bytes:
    return members[:-1] + b"," + json_object(more)[1:]
