"""The prompt as a person reads it: its blocks, the stage, and which tools may be called."""

from collections.abc import Iterator
from typing import Any

import msgspec
from rich.console import Console
from rich.text import Text

from cuelight.agent import Agent, Block, Tool, plain_json, static_blocks, view_text, visible
from cuelight.cli.transcript import clean
from cuelight.log import Secrets, leaves

__all__ = ["Prompt", "print_prompt", "read_prompt"]


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what a model is told in the state that an agent is in, private values masked.

    `hidden` says of each tool that cannot be called now why not; `stage` is None where the agent has no stages.
    """

    blocks: tuple[Block, ...]
    stage: str | None
    stages: tuple[str, ...]
    visible: tuple[str, ...]
    hidden: dict[str, str]


def read_prompt(agent: Agent, *, static: bool = True) -> Prompt:
    """Compute the prompt.

    Args:
        agent: the agent, in the state it is in.
        static: whether to give the blocks that never change, beside the view.
    """
    gate = visible(agent)
    failures = dict(gate.failures)
    stage = getattr(agent, "stage", None)
    declared = agent.__declaration__
    return Prompt(
        blocks=(*(static_blocks(agent) if static else ()), _view(agent)),
        stage=stage,
        stages=declared.stages or (),
        visible=gate.names,
        hidden={
            tool.name: _why_hidden(tool, stage, failures.get(tool.name))
            for tool in declared.tools
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


def _view(agent: Agent) -> Block:
    try:
        text = view_text(agent)
    except Exception as error:  # the author's code: they are told, and the rest is shown
        text = f"(render() raised {type(error).__name__}: {error})"
    return Block("view", Secrets(_private(agent)).text(text))


def _private(agent: Agent) -> Iterator[str]:
    for name in agent.__declaration__.private:
        yield from leaves(msgspec.json.decode(plain_json(getattr(agent, name))))


def _why_hidden(tool: Tool, stage: Any, failure: Exception | None) -> str:
    if not tool.shown_in(stage):
        return f"stage {' or '.join(tool.stages or ())}"
    if failure is not None:
        return f"when raised {type(failure).__name__}: {failure}"
    return "when says no"
