"""`cuelight prompt`: what a model is told, without asking one."""

import sys

import msgspec

from cuelight.agent import lay_over
from cuelight.cli.blocks import print_prompt, read_prompt
from cuelight.cli.commands import single
from cuelight.cli.console import open_console
from cuelight.cli.given import read_state
from cuelight.cli.options import AgentName, AsJson, StateGiven
from cuelight.engine import make_agent
from cuelight.wiring import find_agent

__all__ = ["app"]


def prompt(
    agent: AgentName,
    state: StateGiven = None,
    as_json: AsJson = False,
) -> None:
    """Show what a model is told, and which tools it may call.

    The blocks of the prompt, then the stage that the agent is in and the tools that this stage shows and hides. No
    model is asked, and private values are masked.
    """
    found = find_agent(agent)
    instance = make_agent(found.make)
    lay_over(instance, read_state(state, found))
    shown = read_prompt(instance)
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(shown)).decode() + "\n")
    else:
        print_prompt(shown, open_console())


app = single(prompt)
