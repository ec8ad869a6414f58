"""Voice and chat agents whose conversation is governed by code.

What an author imports. Cheap to import: no HTTP client, no provider, no server.
"""

import logging

from cuelight.agent import Agent, Limits, Wording, state, tool
from cuelight.errors import (
    CallEnded,
    CuelightError,
    DeclarationRefused,
    NotAStage,
    OutsideHandler,
    StageIsRouted,
    StepNotDefined,
    ToolFailed,
    UndeclaredField,
    WrongType,
)
from cuelight.flow import (
    DirectMessage,
    Flow,
    HttpContentType,
    LogicStep,
    Route,
    Step,
    TerminateSessionStep,
    direct,
    go,
    stay,
)

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "CallEnded",
    "CuelightError",
    "DeclarationRefused",
    "DirectMessage",
    "Flow",
    "HttpContentType",
    "Limits",
    "LogicStep",
    "NotAStage",
    "OutsideHandler",
    "Route",
    "StageIsRouted",
    "Step",
    "StepNotDefined",
    "TerminateSessionStep",
    "ToolFailed",
    "UndeclaredField",
    "Wording",
    "WrongType",
    "__version__",
    "direct",
    "go",
    "state",
    "stay",
    "tool",
]

logging.getLogger(__name__).addHandler(logging.NullHandler())
