"""`cuelight test`: goldens, run and judged."""

from cuelight.cli.test.command import app

__all__ = ["app"]
