"""`cuelight log show`: a log for people."""

import sys
from datetime import datetime

import typer
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from cuelight.cli.commands import DID_NOT_HOLD, complain, single
from cuelight.cli.console import open_console
from cuelight.cli.log.rows import gist
from cuelight.cli.log.source import read_log
from cuelight.cli.options import AsLines, SourceName, StoreName
from cuelight.wire import Entry, encode_lines

__all__ = ["app"]

_STYLES = {"turn.user": "green", "turn.agent": "cyan", "error": "yellow"}


def show(source: SourceName, store: StoreName = None, as_json: AsLines = False) -> None:
    """Show a log, one line an entry.

    Private values are masked. In a terminal lines are cut at its width; elsewhere they are whole.
    """
    found = read_log(source, store)
    if as_json:
        sys.stdout.buffer.write(encode_lines(found.entries))
        sys.stdout.buffer.flush()
    else:
        _print(found.entries, open_console())
    for damage in found.unreadable:
        complain(damage.message, damage.kind)
    if found.unreadable:
        raise typer.Exit(DID_NOT_HOLD)


app = single(show)


def _print(entries: list[Entry], console: Console) -> None:
    number = max((len(str(entry.seq)) for entry in entries), default=1)
    kind = max((len(entry.type) for entry in entries), default=1)
    last = None
    for entry in entries:
        day, time = _stamp(entry)
        if day != last:
            console.print(Text(f"{entry.call or 'no call'} · {entry.agent} · {day}", style="bold"), soft_wrap=True)
            last = day
        head = f"{entry.seq:>{number}}  {time}  {entry.type:{kind}}  "
        body = gist(entry)
        if console.is_terminal and cell_len(head + body) > console.width:
            body = set_cell_size(body, max(console.width - cell_len(head) - 1, 1)) + "…"
        console.print(Text.assemble((head, "dim"), (body, _STYLES.get(entry.type, ""))), soft_wrap=True)


def _stamp(entry: Entry) -> tuple[str, str]:
    """Give an entry's day and time, as this machine's zone has them."""
    try:
        at = datetime.fromtimestamp(entry.ts).astimezone()
    except (OverflowError, ValueError, OSError):  # a number that is no moment of ours
        return "no date", str(entry.ts)
    return at.strftime("%Y-%m-%d"), at.strftime("%H:%M:%S.%f")[:-3]
