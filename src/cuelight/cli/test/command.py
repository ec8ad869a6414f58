"""`cuelight test`: goldens, run and judged."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.text import Text

from cuelight.cli.commands import CANNOT_RUN, DID_NOT_HOLD, complain, single
from cuelight.cli.console import open_console
from cuelight.cli.options import AsJson
from cuelight.cli.test.junit import write_junit
from cuelight.cli.test.results import Result, Results
from cuelight.cli.test.running import Asked, Refused, prepare, run_all
from cuelight.cli.test.selecting import Selects, selecting
from cuelight.cli.test.showing import show_failures, show_result, show_running, show_summary, show_table
from cuelight.cli.test.watching import watch, watched_folders
from cuelight.engine import describe
from cuelight.errors import AuthorError, BadInput, CuelightError
from cuelight.testing.goldens import read_replies
from cuelight.wiring import TIME_LIMIT, Goldens, find_goldens, stray_cassettes

__all__ = ["app"]

_POLL = 0.5  # seconds between two looks for changes

Paths = Annotated[
    list[Path] | None,
    typer.Argument(help="Goldens, or folders to look for them in; else this one.", metavar="[PATH]..."),
]
Selected = Annotated[
    str | None, typer.Option("-k", help="Only goldens with these words in name or file: and, or, not.", metavar="WORDS")
]
ModelNames = Annotated[
    list[str] | None,
    typer.Option("--model", help="What answers: provider:name, understudy or cassette; any number.", metavar="MODEL"),
]
Runs = Annotated[int, typer.Option("--runs", min=1, help="How often each is run; once.", metavar="NUMBER")]
Record = Annotated[bool, typer.Option("--record", help="Record the model's replies as the goldens' cassettes.")]
ScriptFile = Annotated[
    Path | None, typer.Option("--script", help="Take the model's replies from a file.", metavar="FILE")
]
Watch = Annotated[bool, typer.Option("--watch", help="Run again whenever something changes; ctrl-C ends it.")]
JUnit = Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML too.", metavar="FILE")]
Limit = Annotated[
    float, typer.Option("--timeout", min=0.001, help="Seconds that one golden may take; 120.", metavar="SECONDS")
]


def run_goldens(
    paths: Paths = None,
    words: Selected = None,
    models: ModelNames = None,
    runs: Runs = 1,
    record: Record = False,
    script: ScriptFile = None,
    limit: Limit = TIME_LIMIT,
    keep_watching: Watch = False,
    as_json: AsJson = False,
    junit: JUnit = None,
) -> None:
    """Run goldens: conversations in files, judged by what happens in them.

    They are the JSON and YAML files in folders called `goldens`. What answers in one is what it says itself as `model`,
    else its cassette, else the Understudy; --model asks another, and a table compares several, or several runs.
    CUELIGHT_MODEL is not read: a golden says the same to everybody.

    All are checked before the first one runs. The exit code is 0 when all passed, 1 when one failed, and 2 when one
    cannot be run, or there is none.
    """
    chosen: list[str | None] = [*dict.fromkeys(models or ())]
    _check_options(chosen, runs, record=record, script=script, keep_watching=keep_watching)
    selects = selecting(words)
    if keep_watching:
        _watch(paths or [])
    replies = None if script is None else read_replies(script)
    asked = Asked(models=chosen or (None,), runs=runs, record=record, replies=replies, limit=limit)
    console = None if as_json else open_console()
    try:
        results = asyncio.run(_run(_found(paths or []), selects, asked, console))
    except Refused as refused:
        _complain(refused.errors, junit)
        raise typer.Exit(CANNOT_RUN) from refused
    except SystemExit as stop:  # of the author's code; its own code, often 0, must not tell that all is well
        ended = (
            f"The agent's code ended the program ({describe(stop)}), so nothing is known of the goldens. Take that out."
        )
        _complain([AuthorError(ended)], junit)
        raise typer.Exit(CANNOT_RUN) from stop
    if junit is not None:
        write_junit(junit, results)
    if console is None:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(results)).decode() + "\n")
    else:
        _show(console, results, compared=bool(chosen) or runs > 1)
    if results.failed:
        raise typer.Exit(DID_NOT_HOLD)


app = single(run_goldens)


def _complain(errors: Sequence[CuelightError], junit: Path | None) -> None:
    """Say what kept the goldens from being run, in JUnit XML too where that is asked for."""
    for error in errors:
        complain(str(error), error.code)
    if junit is not None:
        write_junit(junit, Results(passed=0, failed=0, seconds=0.0, results=[]), errors)


def _check_options(
    models: Sequence[str | None], runs: int, *, record: bool, script: Path | None, keep_watching: bool
) -> None:
    """Refuse what does not go together.

    Raises:
        BadInput: it does not.
    """
    if script is not None and (models or record):
        raise BadInput("--script is what answers; leave out --model and --record.")
    if record and (len(models) > 1 or runs > 1):
        raise BadInput("--record makes one cassette of each golden: name one --model, and leave out --runs.")
    if record and keep_watching:
        raise BadInput("--record asks a real model at each run; leave out --watch.")


def _found(paths: Sequence[Path]) -> list[Path]:
    """Find the goldens.

    Raises:
        BadInput: there are none.
    """
    files = find_goldens(paths)
    if not files:
        where = ", ".join(map(str, paths)) or "this folder"
        raise BadInput(
            f"There are no goldens in {where}. Write one as goldens/first.yaml beside an agent.py, or as "
            "tests/<agent>/goldens/first.yaml in a project."
        )
    return files


async def _run(files: Sequence[Path], selects: Selects, asked: Asked, console: Console | None) -> Results:
    goldens, began = Goldens(), time.perf_counter()
    results: list[Result] = []
    try:
        ready = prepare(goldens, files, selects, asked)
        with show_running(console) as begin:
            async for result in run_all(goldens, ready, asked, begin):
                results.append(result)
                if console is not None:
                    show_result(console, result, runs=asked.runs)
    finally:
        await goldens.aclose()
    passed = sum(result.passed for result in results)
    seconds = time.perf_counter() - began
    return Results(passed=passed, failed=len(results) - passed, seconds=seconds, results=results)


def _show(console: Console, results: Results, *, compared: bool) -> None:
    if compared:
        show_table(console, results.results)
    show_failures(console, results.results)
    show_summary(console, results)
    for cassette in stray_cassettes(Path(each.file) for each in results.results if each.model == "understudy"):
        said = f"{cassette} is of no golden there, so it is not played; call it as its golden is called."
        console.print(Text(said, "dim"), soft_wrap=True)
    setting = os.environ.get("CUELIGHT_MODEL", "").strip()
    if setting and not compared:
        said = f"CUELIGHT_MODEL is not read by goldens; --model {setting} asks that model."
        console.print(Text(said, "dim"), soft_wrap=True)


def _watch(paths: Sequence[Path]) -> None:
    """Run in a process of its own after each change: the author's code is then what is on the disk, all of it."""
    line = [argument for argument in sys.argv[1:] if argument != "--watch"]

    def run() -> None:
        subprocess.run([sys.executable, "-m", "cuelight", *line], check=False)
        typer.echo("\nWatching for changes; ctrl-C ends it.", err=True)

    watch(lambda: watched_folders(paths), run, lambda: time.sleep(_POLL))
