"""`cuelight prompt`: what a model is told, without asking one."""

import sys

import msgspec

from cuelight.cli.blocks import print_prompt, read_prompt
from cuelight.cli.commands import single
from cuelight.cli.console import open_console
from cuelight.cli.given import read_opening
from cuelight.cli.options import AgentName, AsJson, StateGiven
from cuelight.engine import make_agent
from cuelight.flow import course_of
from cuelight.wiring import find_agent

__all__ = ["app"]


def prompt(
    agent: AgentName,
    state: StateGiven = None,
    as_json: AsJson = False,
) -> None:
    """Show what a model is told, and which tools it may call.

    The blocks of the prompt, then the stage or step that the agent is in and the tools that are shown and hidden there.
    No model is asked, and private values are masked.
    """
    found, opening = read_opening(state, find_agent(agent))
    course = course_of(make_agent(found.make))
    course.lay_over(opening)
    shown = read_prompt(course)
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(shown)).decode() + "\n")
    else:
        print_prompt(shown, open_console())


app = single(prompt)
