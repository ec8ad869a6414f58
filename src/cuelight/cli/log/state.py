"""`cuelight log state`: what a log comes to."""

import sys

import msgspec
import typer

from cuelight.cli.commands import DID_NOT_HOLD, complain, single
from cuelight.cli.log.source import read_log
from cuelight.cli.options import SourceName, StoreName
from cuelight.log import reduce
from cuelight.wire import encode

__all__ = ["app"]


def state(source: SourceName, store: StoreName = None) -> None:
    """Show the State that a log folds into, as JSON.

    Of a log with lines that cannot be read the others are folded; what is wrong is told on stderr, and the exit code
    is 1.
    """
    found = read_log(source, store)
    sys.stdout.buffer.write(msgspec.json.format(encode(reduce(found.entries))) + b"\n")
    sys.stdout.buffer.flush()
    for damage in found.unreadable:
        complain(damage.message, damage.kind)
    if found.unreadable:
        raise typer.Exit(DID_NOT_HOLD)


app = single(state)
