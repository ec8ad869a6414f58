"""`cuelight demo`: the example, as it comes with the package."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import typer

from cuelight.cli.commands import DID_NOT_HOLD, single
from cuelight.cli.options import ModelName, StoreName
from cuelight.cli.piped import answer_lines, show_plainly
from cuelight.cli.session import Asked, open_session
from cuelight.cli.terminal import in_terminal, talk
from cuelight.cli.waiting import run
from cuelight.errors import NotSetUp
from cuelight.log import reduce
from cuelight.wire import encode
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
    "No, that's all. Thank you!",
)


def demo(model: ModelName = None, store: StoreName = None) -> None:
    """Talk with the example agent: no key, no service.

    It is the front desk of a vet. Without a terminal a short session is played, and at the end the State that its log
    folds into is shown.
    """
    folder = str(example())
    asked = Asked(folder, find_agent(folder), model, store)
    if in_terminal():
        run(lambda interrupts: talk(asked, interrupts))
        typer.echo("\nAn agent of your own: cuelight new front-desk")
    elif not run(lambda _: _play(asked)):
        raise typer.Exit(DID_NOT_HOLD)


app = single(demo)


async def _play(asked: Asked) -> bool:
    """Play the short session; tells whether each of its lines was answered."""
    async with open_session(asked) as session:
        with show_plainly(session) as show:
            given, answered = await answer_lines(session, _lines(), show)
        typer.echo("\nThe State of the call, folded from its log:")
        typer.echo(msgspec.json.format(encode(reduce(await session.log()))))
    return given == answered


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
