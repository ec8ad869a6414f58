"""`cuelight golden from`: a golden and its cassette, from a stored call."""

import asyncio
import os
import re
import shlex
from dataclasses import dataclass, field
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
from cuelight.wiring import FoundAgent, Goldens, ReadyGolden, agent_named, cassette_file, find_agent, record_line

__all__ = ["app"]

_FOLDER = "goldens"
_LONGEST = 100  # letters of a file's name, of the 255 that there may be with all its endings

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
    wanted = _Wanted(info.call, upto=upto, out=out, agent=agent, keep_private=keep_private, store=store)
    if not asyncio.run(_make(records, found, file, wanted)):
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
    """Give where the golden of a call is written where nobody says so; in no hidden file, which would never be run."""
    named = re.sub(r"^\.|[^A-Za-z0-9._-]", "_", call)[:_LONGEST]
    file = found.file.parent / _FOLDER / f"{named}.yaml"
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


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """Hold which golden of a call was asked for."""

    call: str = field(kw_only=False)
    upto: int | None
    out: Path | None
    agent: str | None
    keep_private: bool
    store: str | None

    def line(self, call: str) -> str:
        """Write the command that makes it again; it is kept in the cassette, so no path in it is absolute."""
        options = {"--upto": self.upto, "--out": self.out, "--agent": self.agent, "--store": self.store}
        given = [(name, _relative(str(value))) for name, value in options.items() if value is not None]
        private = ["--keep-private"] if self.keep_private else []
        return shlex.join(
            ["cuelight", "golden", "from", call, *(part for one in given for part in one), *private, "--force"]
        )


def _relative(value: str) -> str:
    return os.path.relpath(value) if os.path.isabs(value) else value


async def _make(records: list[Record], found: FoundAgent, file: Path, wanted: _Wanted) -> bool:
    """Write the golden, record its cassette and run it; tells whether it passed."""
    draft = await golden_from(
        records,
        found.make,
        name=None if wanted.out is None else file.stem,
        agent=agent_named(file, found, wanted.agent),
        upto=wanted.upto,
        keep_private=wanted.keep_private,
    )
    _write(file, draft.text)
    cassette_file(file).unlink(missing_ok=True)  # that of a golden that was here before
    goldens = Goldens()
    try:
        ready = goldens.ready(read_golden(file))
        again = _again(ready, draft, wanted)
        if draft.has_cassette:
            await record_draft(draft, ready.read, found.make, ready.cassette, again)
        failure = (await ready.run(goldens.model(ready))).failure
    except GoldenRefused as refused:
        failure, who = str(refused), records[0].entry.agent
        remedy = f"The call was with the agent {who}. What that has no longer, change in the golden."
    else:
        remedy = _remedy(ready, draft)
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


def _again(ready: ReadyGolden, draft: GoldenDraft, wanted: _Wanted) -> str:
    """Say how the cassette is made anew: from the model of the call, or where that was none, in one of three ways."""
    if draft.replies.model is not None:
        return record_line(ready, draft.replies.model)
    call = wanted.call if draft.stand_ins.text(wanted.call) == wanted.call else "CALL"
    return (
        f"{wanted.line(call)}\n"
        "Or delete the cassette, and the Understudy answers. Or record a real model, by its NAME: "
        f"{record_line(ready, 'NAME')}"
    )


def _remedy(ready: ReadyGolden, draft: GoldenDraft) -> str:
    file, model = ready.read.file, draft.replies.model
    if draft.looks_up:
        renewed = " and delete its cassette, so that the Understudy answers"
        if model is not None:
            renewed = f" and record its cassette anew ({record_line(ready, model)})"
        return (
            "Where a tool looked up a stand-in and found nothing, write values that it knows into "
            f"{file}{renewed if draft.has_cassette else ''}, or make the golden with --keep-private --force."
        )
    return f"Where the agent does today what it should, change what {file} expects; otherwise it has found a fault."


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
