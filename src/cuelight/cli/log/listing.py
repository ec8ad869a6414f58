"""`cuelight log list`: the calls that are stored."""

import sys
from datetime import datetime
from typing import Annotated

import msgspec
import typer

from cuelight.cli.commands import single
from cuelight.cli.naming import DEMO_AGENT, command_line
from cuelight.cli.options import AsJsonLines, StoreName
from cuelight.cli.stored import with_store
from cuelight.ports import CallInfo, Store
from cuelight.wiring import store_setting

__all__ = ["app"]


def list_calls(
    store: StoreName = None,
    most: Annotated[
        int, typer.Option("--most", "-n", min=1, metavar="NUMBER", help="How many to list; 20 unless it is said.")
    ] = 20,
    as_json: AsJsonLines = False,
) -> None:
    """List the calls that are stored.

    Those that were active last come first.
    """

    async def read(opened: Store) -> list[CallInfo]:
        return await opened.calls()

    calls = with_store(store, read)
    if as_json:
        for info in calls[:most]:
            sys.stdout.write(msgspec.json.encode(info).decode() + "\n")
        return
    if not calls:
        typer.echo(f"There are no calls in {store_setting(store)}. `cuelight demo` makes one.")
        return
    rows = [("CALL", "AGENT", "LAST ACTIVE", "ENTRIES", "")]
    for info in calls[:most]:
        at = datetime.fromtimestamp(info.last_at).astimezone().strftime("%Y-%m-%d %H:%M")
        rows.append((info.call, info.agent, at, str(info.seq), "ended" if info.ended else "open"))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for call, agent, at, seq, status in rows:
        line = f"{call:{widths[0]}}  {agent:{widths[1]}}  {at:{widths[2]}}  {seq:>{widths[3]}}  {status}"
        typer.echo(line.rstrip())
    if len(calls) > most:
        typer.echo(f"… and {len(calls) - most} more: --most {len(calls)} lists all.")
    if still_open := next((info for info in calls[:most] if not info.ended), None):
        again = ("demo",) if still_open.agent == DEMO_AGENT else ("chat", still_open.agent)
        typer.echo(f"To take up an open one: {command_line(*again, '--resume', still_open.call, store=store)}")


app = single(list_calls)
