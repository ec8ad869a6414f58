"""`cuelight log`: read, check and erase the logs of calls."""

from cuelight.cli.commands import group

__all__ = ["app"]

app = group(
    {
        "list": ("cuelight.cli.log.listing", "List the calls that are stored."),
        "show": ("cuelight.cli.log.show", "Show a log, one line an entry."),
        "state": ("cuelight.cli.log.state", "Show the State that a log folds into, as JSON."),
        "verify": ("cuelight.cli.log.verify", "Say whether a log is whole and, if not, where and how not."),
        "erase": ("cuelight.cli.log.erase", "Erase the private values of a call for good."),
    },
    help="Read, check and erase the logs of calls.",
)


@app.callback()
def _root() -> None:
    pass
