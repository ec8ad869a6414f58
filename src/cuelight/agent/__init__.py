"""The author's class: fields, tools, stages, the gate, the prompt."""

from cuelight.agent.agent import Agent
from cuelight.agent.arguments import BadArguments, parse_object
from cuelight.agent.calls import CallHandle, ToolHandle
from cuelight.agent.cells import Frame, Staged, open_frame
from cuelight.agent.coders import plain_json
from cuelight.agent.declaration import Declaration
from cuelight.agent.fields import Field, state
from cuelight.agent.gate import Gate, visible
from cuelight.agent.limits import Limits
from cuelight.agent.prompt import (
    Block,
    delimit,
    hidden_mentions,
    static_blocks,
    static_text,
    undelimit,
    view_text,
)
from cuelight.agent.snapshot import Notice, Restored, Snapshot, lay_over, private_values, restore, snapshot
from cuelight.agent.stateful import Stateful
from cuelight.agent.tools import Effect, Tool, tool

__all__ = [
    "Agent",
    "BadArguments",
    "Block",
    "CallHandle",
    "Declaration",
    "Effect",
    "Field",
    "Frame",
    "Gate",
    "Limits",
    "Notice",
    "Restored",
    "Snapshot",
    "Staged",
    "Stateful",
    "Tool",
    "ToolHandle",
    "delimit",
    "hidden_mentions",
    "lay_over",
    "open_frame",
    "parse_object",
    "plain_json",
    "private_values",
    "restore",
    "snapshot",
    "state",
    "static_blocks",
    "static_text",
    "tool",
    "undelimit",
    "view_text",
    "visible",
]
