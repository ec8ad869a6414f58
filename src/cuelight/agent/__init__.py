"""The author's class: fields, tools, stages, the gate, the prompt."""

from cuelight.agent.agent import Agent
from cuelight.agent.answering import answer_tool
from cuelight.agent.arguments import BadArguments, parse_object
from cuelight.agent.calls import CallHandle, ToolHandle
from cuelight.agent.cells import Frame, Ledger, Staged, in_handler, note_route, open_frame
from cuelight.agent.coders import JsonCoder, Misfit, plain_json
from cuelight.agent.confirming import ANSWER_TOOL, Confirm, audience_of
from cuelight.agent.consent import LANGUAGES, is_consent
from cuelight.agent.declaration import Declaration
from cuelight.agent.declared_names import Setting
from cuelight.agent.fields import Field, StateOptions, state
from cuelight.agent.gate import Gate, ask, visible
from cuelight.agent.limits import Limits
from cuelight.agent.prompt import (
    Block,
    delimit,
    mentions,
    static_blocks,
    static_text,
    undelimit,
    view_text,
)
from cuelight.agent.reading import Reading, shown
from cuelight.agent.snapshot import (
    Notice,
    Restored,
    Snapshot,
    fitting,
    json_object,
    lay_over,
    private_values,
    restore,
    snapshot,
)
from cuelight.agent.stateful import Stateful
from cuelight.agent.tools import Effect, Tool, tool
from cuelight.agent.wording import Wording, wording_for
from cuelight.agent.words import nearest

__all__ = [
    "ANSWER_TOOL",
    "LANGUAGES",
    "Agent",
    "BadArguments",
    "Block",
    "CallHandle",
    "Confirm",
    "Declaration",
    "Effect",
    "Field",
    "Frame",
    "Gate",
    "JsonCoder",
    "Ledger",
    "Limits",
    "Misfit",
    "Notice",
    "Reading",
    "Restored",
    "Setting",
    "Snapshot",
    "Staged",
    "StateOptions",
    "Stateful",
    "Tool",
    "ToolHandle",
    "Wording",
    "answer_tool",
    "ask",
    "audience_of",
    "delimit",
    "fitting",
    "in_handler",
    "is_consent",
    "json_object",
    "lay_over",
    "mentions",
    "nearest",
    "note_route",
    "open_frame",
    "parse_object",
    "plain_json",
    "private_values",
    "restore",
    "shown",
    "snapshot",
    "state",
    "static_blocks",
    "static_text",
    "tool",
    "undelimit",
    "view_text",
    "visible",
    "wording_for",
]
