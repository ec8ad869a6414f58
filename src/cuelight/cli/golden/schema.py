"""`cuelight golden schema`: the form of a golden as a JSON Schema."""

import sys

import msgspec

from cuelight.cli.commands import single
from cuelight.testing.goldens import golden_schema

__all__ = ["app"]


def schema() -> None:
    """Show the JSON Schema of a golden.

    An editor that is given it completes a golden while it is written. The same text is in the package, as
    cuelight/testing/goldens/golden.schema.json.
    """
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(golden_schema())) + b"\n")


app = single(schema)
