"""The course of a conversation: all that the engine knows of an author's class, the same for agents and for flows."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

from cuelight.agent import (
    Agent,
    Block,
    Gate,
    Restored,
    Snapshot,
    Staged,
    Stateful,
    Tool,
    lay_over,
    private_values,
    restore,
    snapshot,
    static_blocks,
    view_text,
    visible,
)
from cuelight.errors import NotAStage, OutsideHandler
from cuelight.flow.step import Step

__all__ = ["AgentCourse", "Course", "Failures"]

Failures = tuple[tuple[str, Exception], ...]


class Course(Protocol):
    """Say where a conversation stands, what is offered there, and where it may go."""

    @property
    def agent(self) -> Agent:
        """The author's instance."""
        ...

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool that the conversation may ever show."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The parts that its state is made of, without those that are derived."""
        ...

    @property
    def memories(self) -> Mapping[str, str | None]:
        """The histories of the steps that do not read the call's own, by their names; None keeps the one before."""
        ...

    @property
    def waiting(self) -> bool:
        """Tell whether the current step waits for the caller, who has not spoken since it was entered."""
        ...

    @property
    def stage(self) -> str:
        """The stage it is in; empty where there are none."""
        ...

    @property
    def step(self) -> Step[Any] | None:
        """The current step, in a flow."""
        ...

    @property
    def fallback_line(self) -> str:
        """What code says here when the model has failed to."""
        ...

    @property
    def holds_words(self) -> bool:
        """Tell whether the current step decides what becomes of a reply without a tool call."""
        ...

    @property
    def ends(self) -> str | None:
        """Why the call ends once this stage has spoken; None where it goes on."""
        ...

    def owner(self, tool: Tool) -> Stateful:
        """Give the instance whose method a tool of the current stage is."""
        ...

    def offered(self, *, heard: bool = False) -> Gate:
        """Ask which tools the model may call now, or, with `heard`, once the caller will have spoken."""
        ...

    def blocks(self) -> tuple[Block, ...]:
        """Give the parts of the prompt that stay the same."""
        ...

    def view(self) -> tuple[str, Failures]:
        """Compute the part of the prompt that changes, and what of it could not be."""
        ...

    def snapshot(self) -> Snapshot:
        """Write the committed state."""
        ...

    def private_values(self) -> list[str]:
        """List what the private fields hold, except what they open with."""
        ...

    def private(self, stage: str) -> Mapping[str, Any]:
        """Name the private fields among those that a route to a stage may bring."""
        ...

    def changed(self, staged: Staged) -> list[str]:
        """Name the parts of the state that changes belong to."""
        ...

    def lay_over(self, values: Mapping[str, Any]) -> None:
        """Write a given opening state, all of it or nothing; raises as `cuelight.agent.lay_over` does."""
        ...

    def restore(self, stored: Mapping[str, Any]) -> Restored:
        """Read the state of an old log back."""
        ...

    def target(self, named: Any) -> str:
        """Give the stage that a route names.

        Raises:
            NotAStage, StepNotDefined: when there is none.
        """
        ...

    def enter(self, stage: str) -> None:
        """Write where the conversation is."""
        ...

    def bring(self, stage: str, values: Mapping[str, Any], prompt: str | None) -> None:
        """Write what a route brings to a stage: all of it, or nothing.

        Raises:
            OutsideHandler: when it brings a prompt, and there is no step to attach it to.
            UndeclaredField, WrongType: when a value does not fit.
        """
        ...

    def hear(self) -> None:
        """Know that the caller has spoken."""
        ...


class AgentCourse:
    """Be the course of an agent without steps; its methods do what `Course` says."""

    memories: Mapping[str, str | None] = MappingProxyType({})
    step: Step[Any] | None = None
    waiting = False
    holds_words = False
    ends: str | None = None

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        declaration = agent.__declaration__
        self.tools = declaration.tools
        self.names = tuple(declaration.fields)
        self._stages = declaration.stages or ()

    @property
    def stage(self) -> str:
        return getattr(self.agent, "stage", "") if self._stages else ""

    @property
    def fallback_line(self) -> str:
        return self.agent.fallback_line

    def owner(self, tool: Tool) -> Stateful:
        return self.agent

    def offered(self, *, heard: bool = False) -> Gate:
        return visible(self.agent)

    def blocks(self) -> tuple[Block, ...]:
        return static_blocks(self.agent)

    def view(self) -> tuple[str, Failures]:
        try:
            return view_text(self.agent, self.agent.render, "render()"), ()
        except Exception as error:  # the author's code: without its words the call goes on
            return "", (("render", error),)

    def snapshot(self) -> Snapshot:
        return snapshot(self.agent)

    def private_values(self) -> list[str]:
        return private_values(self.agent)

    def private(self, stage: str) -> Mapping[str, Any]:
        return self.agent.__declaration__.private

    def changed(self, staged: Staged) -> list[str]:
        return list(staged.names(self.agent._cell))

    def lay_over(self, values: Mapping[str, Any]) -> None:
        lay_over(self.agent, values)

    def restore(self, stored: Mapping[str, Any]) -> Restored:
        return restore(self.agent, stored)

    def target(self, named: Any) -> str:
        if named not in self._stages:
            raise NotAStage(self.agent.__declaration__.name, named, self._stages)
        return str(named)

    def enter(self, stage: str) -> None:
        self.agent._cell.write("stage", stage)

    def bring(self, stage: str, values: Mapping[str, Any], prompt: str | None) -> None:
        if prompt is not None:
            raise OutsideHandler(
                "with_prompt attaches a prompt to a Step, and a plain agent has none; let render() say it from a "
                "field, which with_state can set."
            )
        lay_over(self.agent, values)

    def hear(self) -> None:
        pass
