"""`cuelight wire schema`: the wire as one JSON Schema."""

import sys

import msgspec

from cuelight.cli.commands import single
from cuelight.wire import json_schema

__all__ = ["app"]


def schema() -> None:
    """Show the JSON Schema of every entry, command and State."""
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(json_schema())) + b"\n")


app = single(schema)
