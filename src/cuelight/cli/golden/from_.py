"""`cuelight golden from`: a golden and its cassette, from a stored call."""

import asyncio
import re
from pathlib import Path
from typing import Annotated

import typer

from cuelight.cli.commands import DID_NOT_HOLD, single
from cuelight.cli.options import CallName, StoreName
from cuelight.cli.stored import find_call, with_store
from cuelight.errors import AgentNotFound, BadInput, GoldenRefused
from cuelight.log import Record
from cuelight.ports import CallInfo, Store
from cuelight.testing.goldens import GoldenDraft, golden_from, read_golden, record_draft
from cuelight.wiring import FoundAgent, Goldens, agent_named, cassette_file, find_agent, record_line

__all__ = ["app"]

_FOLDER = "goldens"

UpTo = Annotated[
    int | None, typer.Option("--upto", metavar="SEQ", help="The last turn is the one that holds this entry.")
]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Where to write it; goldens/CALL.yaml beside the agent.")
]
Named = Annotated[
    str | None, typer.Option("--agent", metavar="AGENT", help="The agent, where the log's name for it finds none.")
]
Kept = Annotated[bool, typer.Option("--keep-private", help="Write private values as they are, without stand-ins.")]
Force = Annotated[bool, typer.Option("--force", help="Write over the files that are there.")]


def from_(
    call: CallName,
    upto: UpTo = None,
    out: Out = None,
    agent: Named = None,
    keep_private: Kept = False,
    force: Force = False,
    store: StoreName = None,
) -> None:
    """Write a golden and its cassette from a stored call.

    The golden says what the caller said, and expects what code decided: the tools that ran, refusals, routes, errors,
    stages, code's own lines, the end. What the model replied is in the cassette. Private values are replaced by
    stand-ins of the same shape, each by the same one wherever it is.

    Then the golden is run, with the agent's own tools. The exit code is 0 when it passes and 1 when it does not, as
    where a tool looks a stand-in up and finds nothing; its files are there either way.
    """
    info, records = with_store(store, lambda opened: _read(opened, call))
    found = _agent_of(info, agent)
    file = out or _beside(found, info.call)
    _check_place(file, force=force)
    passed = asyncio.run(_make(records, found, file, agent, upto, keep_private=keep_private))
    if not passed:
        raise typer.Exit(DID_NOT_HOLD)


app = single(from_)


async def _read(store: Store, named: str) -> tuple[CallInfo, list[Record]]:
    info = await find_call(store, named)
    return info, await store.read(info.call)


def _agent_of(info: CallInfo, named: str | None) -> FoundAgent:
    try:
        return find_agent(named or info.agent)
    except AgentNotFound as error:
        if named is not None:
            raise
        raise AgentNotFound(f"{error} Say where the agent of call {info.call} is: --agent AGENT.") from error


def _beside(found: FoundAgent, call: str) -> Path:
    """Give where the golden of a call is written where nobody says so."""
    file = found.file.parent / _FOLDER / f"{re.sub(r'[^A-Za-z0-9._-]', '_', call)}.yaml"
    return file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file


def _check_place(file: Path, *, force: bool) -> None:
    """Refuse to write over what is there.

    Raises:
        BadInput: something is, or the file would be no YAML.
    """
    if file.suffix not in (".yaml", ".yml"):
        raise BadInput(f"--out {file} does not end in .yaml, and YAML is what is written.")
    for each in () if force else (file, cassette_file(file)):
        if each.exists():
            raise BadInput(f"{each} is there already. Name another file with --out, or add --force to write over it.")


async def _make(
    records: list[Record], found: FoundAgent, file: Path, named: str | None, upto: int | None, *, keep_private: bool
) -> bool:
    """Write the golden, record its cassette and run it; tells whether it passed."""
    agent = agent_named(file, found, named)
    draft = await golden_from(records, found.make, agent=agent, upto=upto, keep_private=keep_private)
    _write(file, draft.text)
    cassette_file(file).unlink(missing_ok=True)  # that of a golden that was here before
    goldens = Goldens()
    try:
        ready = goldens.ready(read_golden(file))
        again = record_line(ready, draft.replies.model or "provider:name")
        if draft.has_cassette:
            await record_draft(draft, ready.read, found.make, ready.cassette, again)
        failure = (await ready.run(goldens.model(ready))).failure
    except GoldenRefused as refused:
        failure, who = str(refused), records[0].entry.agent
        remedy = f"The call was with the agent {who}. What that has no longer, change in the golden."
    else:
        remedy = _remedy(file, draft, again)
    beside = f" and {cassette_file(file).name} beside it" if cassette_file(file).exists() else ""
    typer.echo(f"Wrote {file}{beside}.")
    _tell_private(draft, cassette_file(file))
    typer.echo("It passes." if not failure else f"It does not pass.\n\n{failure}\n\n{remedy}")
    return not failure


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror}. Name another with --out.") from error


def _tell_private(draft: GoldenDraft, cassette: Path) -> None:
    if draft.replaced:
        typer.echo(f"{_counted(draft.replaced, 'private value has a stand-in', 'private values have stand-ins')}.")
    if draft.kept:
        what = _counted(draft.kept, "private value is", "private values are")
        typer.echo(f"{what} written as in the call: mind who can read the files.", err=True)
    if cassette.exists() and (lines := draft.betrayed_in(cassette)):
        what = "holds a private value of the call, which the agent's own code has given: mind who can read it."
        typer.echo(f"{cassette}:{lines[0]} {what}", err=True)
    if draft.erased:
        typer.echo(
            "Private values of the call were erased: what stands in their places, [private], is written as it is."
        )


def _remedy(file: Path, draft: GoldenDraft, again: str) -> str:
    if draft.replaced:
        recorded = f" and record its cassette anew ({again})" if draft.has_cassette else ""
        return (
            "Where a tool looked up a stand-in and found nothing, write values that it knows into "
            f"{file}{recorded}, or make the golden with --keep-private --force."
        )
    return f"Where the agent does today what it should, change what {file} expects; otherwise it has found a fault."


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
