"""`cuelight wire`: the format of the logs."""

from cuelight.cli.commands import group

__all__ = ["app"]

app = group(
    {"schema": ("cuelight.cli.wire.schema", "Show the JSON Schema of every entry, command and State.")},
    help="Show the format of the logs.",
)


@app.callback()
def _root() -> None:
    pass
