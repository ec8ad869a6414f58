"""`cuelight demo`: the example, as it comes with the package."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import typer

from cuelight.cli.commands import DID_NOT_HOLD, single
from cuelight.cli.naming import command_line
from cuelight.cli.options import ModelName, Resumed, StoreName
from cuelight.cli.piped import answer_lines, show_plainly
from cuelight.cli.session import Asked, open_session
from cuelight.cli.terminal import in_terminal, talk
from cuelight.cli.waiting import run
from cuelight.errors import BadInput, NotSetUp
from cuelight.log import reduce
from cuelight.wire import State
from cuelight.wiring import find_agent

__all__ = ["app", "example"]

# In a wheel the example lies beside this file; in a checkout it is among the others.
_PLACES = (Path(__file__).parent / "_demo", Path(__file__).parents[3] / "examples")

LINES = (
    "Hello, I would like to make an appointment for my cat.",
    "I'm Ada Byrne, and my number is 600 123 456.",
    "Would Friday be possible?",
    "Then next Tuesday, please.",
    "Sorry, the day after would be better.",
    "Is there anything in the afternoon?",
    "The first one, please.",
    "What did you say?",
    "Yes, please.",
    "No, that's all. Thank you!",
)


def demo(model: ModelName = None, store: StoreName = None, resume: Resumed = None) -> None:
    """Talk with the example agent: no key, no service.

    It is the front desk of a vet. Without a terminal a short session is played, and at the end the most telling
    parts of the State that its log folds into are shown, as JSON.
    """
    folder = str(example())
    asked = Asked(("demo",), find_agent(folder), model, store, resume=resume)
    if in_terminal():
        run(lambda interrupts: talk(asked, interrupts))
        typer.echo(f"\nAn agent of your own: {command_line('new', 'front-desk')}")
    elif resume is not None:
        raise BadInput(
            "There is no terminal to take a call up in, and the session that is played without one is a new call. To "
            f"answer lines from a pipe: {command_line('chat', folder, '--resume', resume, store=store)}"
        )
    elif not run(lambda _: _play(asked)):
        raise typer.Exit(DID_NOT_HOLD)


app = single(demo)


async def _play(asked: Asked) -> bool:
    """Play the short session; tells whether each of its lines was answered."""
    async with open_session(asked) as session:
        with show_plainly(session) as show:
            given, answered = await answer_lines(session, _lines(), show)
        typer.echo("\nThe State of the call, folded from its log, in short:")
        typer.echo(_in_short(reduce(await session.log())))
        if session.is_kept:
            typer.echo(f"The whole of it: {command_line('log', 'state', session.call.id, store=asked.store)}")
    return given == answered


def _in_short(state: State) -> str:
    """Write the most telling parts of a State as JSON, each on a line."""
    parts = {
        "call": state.call,
        "status": state.status,
        "end_reason": state.end_reason,
        "app_state": state.app_state,
        "tools": [{"name": run.name, "status": run.status} for run in state.tools],
        "turns": len(state.turns),
        "errors": state.errors,
    }
    lines = (
        f'  "{name}": {msgspec.json.format(msgspec.json.encode(part), indent=0).decode()}'
        for name, part in parts.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}"


async def _lines() -> AsyncIterator[str]:
    for line in LINES:
        yield line


def example() -> Path:
    """Find the example's folder.

    Raises:
        NotSetUp: it is not there.
    """
    for place in _PLACES:
        if (place / "harbour_vets" / "agent.py").is_file():
            return place / "harbour_vets"
    raise NotSetUp("This installation lacks the example. Install it anew: pip install --force-reinstall cuelight.")
