"""`cuelight log erase`: private values, gone for good."""

import sys
import time
from typing import Annotated

import typer

from cuelight.cli.commands import single
from cuelight.cli.options import CallName, StoreName
from cuelight.cli.stored import find_call, with_store
from cuelight.errors import BadInput
from cuelight.log import scrub
from cuelight.ports import Store
from cuelight.wire import Entry, entry

__all__ = ["app"]


def erase(
    call: CallName,
    store: StoreName = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
) -> None:
    """Erase the private values of a call for good.

    They are deleted beside the log and masked in it; the log stays whole, says that this was done, and still folds. A
    field that held one is as new when the call is taken up again. A call that is live somewhere cannot be erased.
    """
    with_store(store, lambda opened: _erase(opened, call, yes))


app = single(erase)


async def _erase(store: Store, named: str, yes: bool) -> None:
    info = await find_call(store, named)
    records = await store.read(info.call)
    values = {value for record in records if record.private is not None for value in record.private.values}
    private = sum(record.private is not None for record in records)
    what = f"{_counted(len(values), 'private value')} in {_counted(private, 'entry', 'entries')} of call {info.call}"
    if not private:
        typer.echo(f"Call {info.call} has no private values.")
        return
    if not yes:
        if not sys.stdin.isatty():
            raise BadInput(f"This would erase {what} for good, and there is no terminal to ask in. Add --yes to do it.")
        typer.confirm(f"Erase {what} for good?", abort=True)
    await store.erase(info.call, scrub(_closing))
    typer.echo(f"Erased {what}.")


def _closing(last: Entry) -> Entry:
    now = time.time()
    return entry("cue.erased", {"at": now}, seq=last.seq + 1, ts=now, call=last.call, agent=last.agent)


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
