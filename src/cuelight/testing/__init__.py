"""What authors test with: rehearse(), Script, and a clock that the test moves."""

from cuelight.engine import Reply
from cuelight.models.script import Request, Script, answers, calls, raw_call
from cuelight.stores.memory import MemoryStore
from cuelight.testing.clock import ManualClock
from cuelight.testing.rehearsal import Rehearsal, rehearse

__all__ = [
    "ManualClock",
    "MemoryStore",
    "Rehearsal",
    "Reply",
    "Request",
    "Script",
    "answers",
    "calls",
    "raw_call",
    "rehearse",
]
