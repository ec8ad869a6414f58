"""Which tools each stage shows: told by the class alone, without a call."""

from typing import Any

from cuelight.agent import Agent, Tool
from cuelight.flow.flow import Flow
from cuelight.flow.step import LogicStep, Step, TerminateSessionStep

__all__ = ["tools_by_stage", "tools_of_step"]


def tools_by_stage(agent: type[Agent]) -> dict[str, tuple[Tool, ...]]:
    """Give the tools that each stage of a class shows, whatever their `when` says.

    The stages are those of its `stage` field, or the steps of a flow, in order; where there are none, the only one is
    the empty text.
    """
    if issubclass(agent, Flow) and agent.__registry__ is not None:
        return {name: tools_of_step(agent, step) for name, step in agent.__registry__.steps.items()}
    declared = agent.__declaration__
    if declared.stages is None:
        return {"": declared.tools}
    return {stage: tuple(tool for tool in declared.tools if tool.shown_in(stage)) for stage in declared.stages}


def tools_of_step(flow: type[Flow], step: type[Step[Any]]) -> tuple[Tool, ...]:
    """Give the tools that a step of a flow shows, whatever their `when` says; its own come first."""
    if issubclass(step, TerminateSessionStep | LogicStep):
        return ()
    return (
        *step.__declaration__.tools,
        *(tool for tool in flow.__declaration__.tools if tool.shown_in(step.__stage__)),
    )
