"""How to write a further command so that it can be copied: with the program as it can be started here."""

import os
import shlex
import shutil
import sys

__all__ = ["DEMO_AGENT", "command_line"]

DEMO_AGENT = "harbour-vets"

_NAME = "cuelight"


def command_line(*words: str, store: str | None = None) -> str:
    """Write a command of this program: its short name where that starts it, else as this process was started.

    Args:
        words: the command and its arguments.
        store: what the user wrote for --store.
    """
    where = ("--store", store) if store else ()
    return " ".join([_program(), *map(shlex.quote, (*words, *where))])


def _program() -> str:
    started, short = sys.argv[0], shutil.which(_NAME)
    if os.path.basename(started) == _NAME and os.path.isfile(started):
        if short is not None and os.path.samefile(short, started):
            return _NAME
        return shlex.quote(started)
    if os.path.basename(started) == "__main__.py" or short is None:
        return f"{shlex.quote(sys.executable or 'python')} -m {_NAME}"
    return _NAME
