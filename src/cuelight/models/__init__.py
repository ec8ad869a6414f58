"""Models: the ones that talk to providers and the ones that need none."""

from typing import TYPE_CHECKING, Any

from cuelight.models.cassette import Cassette, Recording, Replay
from cuelight.models.resolve import resolve_model
from cuelight.models.script import Request, Script, answers, calls, raw_call

if TYPE_CHECKING:
    from cuelight.models.understudy import CueSheet, Understudy

__all__ = [
    "Cassette",
    "CueSheet",
    "Recording",
    "Replay",
    "Request",
    "Script",
    "Understudy",
    "answers",
    "calls",
    "raw_call",
    "resolve_model",
]


def __getattr__(name: str) -> Any:
    """Import the Understudy when it is asked for: its patterns take longer to compile than all else here."""
    if name not in ("CueSheet", "Understudy"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cuelight.models import understudy

    return getattr(understudy, name)
