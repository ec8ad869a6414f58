"""Models: the ones that talk to providers and the ones that need none."""

from cuelight.models.resolve import resolve_model
from cuelight.models.script import Request, Script, calls, raw_call
from cuelight.models.understudy import CueSheet, Understudy

__all__ = ["CueSheet", "Request", "Script", "Understudy", "calls", "raw_call", "resolve_model"]
