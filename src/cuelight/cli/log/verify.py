"""`cuelight log verify`: whether a log is whole."""

import sys

import typer

from cuelight.cli.commands import DID_NOT_HOLD, complain, single
from cuelight.cli.log.source import read_log
from cuelight.cli.options import AsJsonLines, SourceName, StoreName
from cuelight.errors import StoreDamaged
from cuelight.wire import encode

__all__ = ["app"]


def verify(source: SourceName, store: StoreName = None, as_json: AsJsonLines = False) -> None:
    """Say whether a log is whole and, if not, where and how not.

    The exit code is 0 when it is and 1 when it is not.
    """
    try:
        found = read_log(source, store)
    except StoreDamaged as damage_of_store:
        complain(str(damage_of_store), damage_of_store.code)
        raise typer.Exit(DID_NOT_HOLD) from damage_of_store
    for damage in found.damage:
        if as_json:
            sys.stdout.write(encode(damage).decode() + "\n")
        else:
            typer.echo(f"{damage.message} [{damage.kind}]")
    if found.damage:
        if not as_json:
            count = len(found.damage)
            typer.echo(
                f"Not whole: {count} thing{' is' if count == 1 else 's are'} wrong in {_read(len(found.entries))}."
            )
        raise typer.Exit(DID_NOT_HOLD)
    if not as_json:
        typer.echo(f"Whole: {_read(len(found.entries))}.")


app = single(verify)


def _read(entries: int) -> str:
    return f"{entries} entr{'y' if entries == 1 else 'ies'}"
