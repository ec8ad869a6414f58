"""The command line, one file a command."""

from cuelight.cli.entry import app, main

__all__ = ["app", "main"]
