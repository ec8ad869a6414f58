"""The author's class: fields, tools, stages, the gate, the prompt."""

from .agent import Agent
from .arguments import BadArguments, parse_object
from .calls import CallHandle, ToolHandle
from .cells import Frame, Staged, open_frame
from .coders import plain_json
from .declaration import Declaration
from .fields import Field, state
from .gate import Gate, visible
from .limits import Limits
from .prompt import Block, delimit, static_blocks, static_text, view_text
from .snapshot import Notice, Restored, Snapshot, lay_over, private_values, restore, snapshot
from .stateful import Stateful
from .tools import Effect, Tool, tool

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
    "view_text",
    "visible",
]
