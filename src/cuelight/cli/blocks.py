"""The prompt as a person reads it: its blocks, the stage, and which tools may be called."""

from collections.abc import Mapping, Sequence

import msgspec
from rich.console import Console
from rich.text import Text

from cuelight.agent import Block, Tool
from cuelight.cli.transcript import clean
from cuelight.flow import Course, tools_by_stage
from cuelight.log import Secrets

__all__ = ["Prompt", "print_prompt", "read_prompt"]


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what a model is told in the state that an agent is in, private values masked.

    `hidden` says of each tool that cannot be called now why not; `stage` is None where the agent has no stages;
    that of a flow is its step.
    """

    blocks: tuple[Block, ...]
    stage: str | None
    stages: tuple[str, ...]
    visible: tuple[str, ...]
    hidden: dict[str, str]


def read_prompt(course: Course, *, static: bool = True) -> Prompt:
    """Compute the prompt of a request that follows words of the caller's.

    Args:
        course: the course of the agent, which is in the state that is meant.
        static: whether to give the blocks that never change, beside the view.
    """
    course.snapshot()  # the values of an agent that is in no call are written by this, and are known from then on
    secrets = Secrets(course.private_values())
    gate = course.offered(heard=True)
    shown = tools_by_stage(type(course.agent))
    failures = dict(gate.failures)
    return Prompt(
        blocks=(*(course.blocks() if static else ()), Block("view", secrets.text(_view(course)))),
        stage=course.stage or None,
        stages=tuple(filter(None, shown)),
        visible=gate.names,
        hidden={
            tool.name: secrets.text(_why_hidden(tool.name, course.stage, shown, failures.get(tool.name)))
            for tool in course.tools
            if tool.name not in gate.names
        },
    )


def print_prompt(prompt: Prompt, console: Console) -> None:
    """Print it: the blocks under their names, then the stage and the tools."""

    def show(text: str, style: str = "") -> None:
        console.print(Text(clean(text), style=style), highlight=False, soft_wrap=not console.is_terminal)

    for block in prompt.blocks:
        show(f"── {block.name} ──", "bold cyan")
        show(block.text or "(empty)", "" if block.text else "dim")
        show("")
    if prompt.stages:
        others = ", ".join(name for name in prompt.stages if name != prompt.stage)
        show(f"stage    {prompt.stage}" + (f"  (others: {others})" if others else ""))
    show(f"visible  {', '.join(prompt.visible) or 'none'}")
    hidden = ", ".join(f"{name} ({why})" for name, why in prompt.hidden.items())
    show(f"hidden   {hidden or 'none'}", "dim")


def _view(course: Course) -> str:
    text, failures = course.view()
    faults = (f"({name}() raised {type(error).__name__}: {error})" for name, error in failures)
    return "\n\n".join(filter(None, (text, *faults)))


def _why_hidden(name: str, stage: str, shown: Mapping[str, Sequence[Tool]], failure: Exception | None) -> str:
    stages = [each for each, tools in shown.items() if any(tool.name == name for tool in tools)]
    if stage not in stages:
        return f"stage {' or '.join(stages)}" if stages else "in no stage"
    if failure is not None:
        return f"when raised {type(failure).__name__}: {failure}"
    return "when says no"
