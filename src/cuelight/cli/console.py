"""The terminal, as the command line uses it."""

from rich.console import Console

__all__ = ["open_console"]


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the command, as any other way of writing does, that its reader went away."""
        raise


def open_console() -> Console:
    """Give what writes to stdout, in colours where that is a terminal that has them and NO_COLOR is not set."""
    return _Console(highlight=False)
