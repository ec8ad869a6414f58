"""What a log means: fold, projections, verify, fork."""

from cuelight.log.fold import Fold, apply, reduce
from cuelight.log.fork import fork
from cuelight.log.history import History
from cuelight.log.message import CUT_BY_CALLER, CUT_BY_FAULT, Message, ToolUse, without_marks
from cuelight.log.private import MASK, Private, Record, Secrets, disclose, leaves, scrub, secrets_of, unmasked
from cuelight.log.spelling import Spellings, spell
from cuelight.log.verify import verify

__all__ = [
    "CUT_BY_CALLER",
    "CUT_BY_FAULT",
    "MASK",
    "Fold",
    "History",
    "Message",
    "Private",
    "Record",
    "Secrets",
    "Spellings",
    "ToolUse",
    "apply",
    "disclose",
    "fork",
    "leaves",
    "reduce",
    "scrub",
    "secrets_of",
    "spell",
    "unmasked",
    "verify",
    "without_marks",
]
