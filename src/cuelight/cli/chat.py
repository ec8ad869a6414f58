"""`cuelight chat`: talk with an agent, from a terminal or through a pipe."""

from typing import Annotated

import typer

from cuelight.cli.blocks import print_prompt, read_prompt
from cuelight.cli.commands import DID_NOT_HOLD, complain, single
from cuelight.cli.console import open_console
from cuelight.cli.given import read_opening
from cuelight.cli.options import AgentName, AsLines, ModelName, Resumed, StateGiven, StoreName
from cuelight.cli.piped import answer_lines, input_lines, show_entries, show_plainly
from cuelight.cli.session import Asked, open_session
from cuelight.cli.terminal import in_terminal, talk
from cuelight.cli.waiting import run
from cuelight.errors import BadInput
from cuelight.flow import course_of
from cuelight.wiring import find_agent

__all__ = ["app"]


def chat(
    agent: AgentName,
    state: StateGiven = None,
    model: ModelName = None,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Show the prompt, and what changes of it.")
    ] = False,
    resume: Resumed = None,
    keep_open: Annotated[
        bool, typer.Option("--keep-open", help="Do not end the call at the end of the input; --resume takes it up.")
    ] = False,
    store: StoreName = None,
    as_json: AsLines = False,
) -> None:
    """Talk with an agent, here in the terminal or through a pipe.

    In a terminal, ctrl-C cuts a reply short; where none is being given it ends the call, as ctrl-D does.

    Through a pipe each line is a turn, and all are answered; blank lines are passed over. The exit code is 0 when each
    line was answered; 1 when the call had ended before, or a turn ended in an error instead of an answer; 2 when the
    call could not be opened or could not go on.
    """
    if resume is not None and state is not None:
        raise BadInput("--state is for a new call; a resumed one has the state that its log says. Leave one out.")
    if as_json and show_prompt:
        raise BadInput("--show-prompt is for people and --json for programs; leave one out.")
    found, opening = read_opening(state, find_agent(agent))
    asked = Asked(("chat", agent), found, model, store, opening, resume)
    if in_terminal() and not as_json:
        run(lambda interrupts: talk(asked, interrupts, keep_open=keep_open, show_prompt=show_prompt))
        return
    given, answered = run(lambda _: _answer(asked, keep_open=keep_open, show_prompt=show_prompt, as_json=as_json))
    if answered < given:
        complain(f"{given - answered} of {given} lines got no answer.", "not-answered")
        raise typer.Exit(DID_NOT_HOLD)


app = single(chat)


async def _answer(asked: Asked, *, keep_open: bool, show_prompt: bool, as_json: bool) -> tuple[int, int]:
    """Answer what comes through the pipe; gives how many lines that were, and how many of them were answered."""
    async with open_session(asked) as session:
        if show_prompt:
            print_prompt(read_prompt(course_of(session.call.agent)), open_console())
        with show_entries(session) if as_json else show_plainly(session) as show:
            return await answer_lines(session, input_lines(lambda: session.ended), show, keep_open=keep_open)
