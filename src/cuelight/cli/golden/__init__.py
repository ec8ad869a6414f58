"""`cuelight golden`: the files of goldens."""

from cuelight.cli.commands import group

__all__ = ["app"]

app = group(
    {
        "from": ("cuelight.cli.golden.from_", "Write a golden and its cassette from a stored call."),
        "schema": ("cuelight.cli.golden.schema", "Show the JSON Schema of a golden."),
    },
    help="Make goldens, and show their format.",
)


@app.callback()
def _root() -> None:
    pass
