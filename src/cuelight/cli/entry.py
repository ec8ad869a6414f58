"""The `cuelight` command."""

from typing import Annotated

import typer
from typer.main import get_command

import cuelight
from cuelight.cli.commands import group

__all__ = ["app", "main"]

app = group(
    {
        "demo": ("cuelight.cli.demo", "Talk with the example agent: no key, no service."),
        "new": ("cuelight.cli.new", "Make an agent, its cue sheet, its first golden and its first tests."),
        "chat": ("cuelight.cli.chat", "Talk with an agent, here in the terminal or through a pipe."),
        "test": ("cuelight.cli.test", "Run goldens: conversations in files, judged by what happens in them."),
        "golden": ("cuelight.cli.golden", "Make goldens, and show their format."),
        "prompt": ("cuelight.cli.prompt", "Show what a model is told, and which tools it may call."),
        "graph": ("cuelight.cli.graph", "Draw the map of an agent: what each step shows, and every route."),
        "check": ("cuelight.cli.check", "Check the map of an agent, and say where and how to mend it."),
        "log": ("cuelight.cli.log", "Read, check and erase the logs of calls."),
        "wire": ("cuelight.cli.wire", "Show the format of the logs."),
        "doctor": ("cuelight.cli.doctor", "Say what is set up, what is missing and how to add it."),
    },
    help="Voice and chat agents whose conversation is governed by code.",
    epilog="Settings: CUELIGHT_MODEL (provider:name), CUELIGHT_STORE (a file, or memory), CUELIGHT_DEBUG=1.",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"cuelight {cuelight.__version__}")
        raise typer.Exit()


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Tell errors with all their details; goes anywhere.")] = False,
) -> None:
    pass


def main() -> None:
    """Run the `cuelight` command with the process's arguments, and exit."""
    get_command(app)()
