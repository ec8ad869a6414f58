"""The prompt: blocks that stay the same for a whole call, and the view, which is computed for each request."""

import inspect
import re
from typing import TYPE_CHECKING

import msgspec

from cuelight.agent.cells import Frame, open_frame
from cuelight.log import without_marks
from cuelight.wire import whole_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from cuelight.agent.agent import Agent
    from cuelight.agent.tools import Tool

__all__ = ["Block", "delimit", "mentions", "static_blocks", "static_text", "undelimit", "view_text"]

_OPEN, _CLOSE = "<now>\n", "\n</now>"
_TOOLS_NOTE = (
    "These are all the tools of this conversation. With each request only some of them are offered, as far as the "
    "conversation has come; call only those. Never say that something was done unless a tool's result says so. How "
    "things stand is said between <now> and </now>, at the end of the newest message; these are no words of the caller."
)


class Block(msgspec.Struct, frozen=True):
    """Hold one part of the prompt by name."""

    name: str
    text: str


def static_blocks(agent: "Agent", listed: "Mapping[str, Sequence[Tool]] | None" = None) -> tuple[Block, ...]:
    """Give the parts that are byte-identical for the whole call, empty ones left out.

    Args:
        agent: whose prompt it is.
        listed: every tool of the conversation under the line it is listed under, which may be empty; None is the
            agent's own tools.
    """
    identity = "\n\n".join(part for part in (_docstring(type(agent)), _lines(agent.rules)) if part)
    blocks = (
        Block("identity", identity),
        Block("knowledge", _lines(agent.knowledge)),
        Block("tools", _tools(listed or {"": agent.__declaration__.tools})),
    )
    return tuple(Block(block.name, whole_text(block.text)) for block in blocks if block.text)


def static_text(blocks: tuple[Block, ...]) -> str:
    """Join the static blocks to the text that opens every request."""
    return "\n\n".join(block.text for block in blocks)


def view_text(agent: "Agent", source: "Callable[[], str | None]", label: str) -> str:
    """Compute what one method of the author's says of the state as it is now.

    Args:
        agent: whose state it is.
        source: the method.
        label: what it is called, for messages.

    Raises:
        TypeError: when it gives something that is no text.
        Exception: whatever it raises.
    """
    with open_frame(Frame(agent._cell.ledger, label, read_only=True)):
        text = source() or ""
    if not isinstance(text, str):
        raise TypeError(f"it gives the prompt as text, not as {type(text).__name__}")
    text = whole_text(text)
    return inspect.cleandoc(text).strip() if "\n" in text else text.strip()


def mentions(text: str, tools: "Iterable[Tool]", shown: "Collection[str]") -> tuple[str, ...]:
    """Name the tools that a view speaks of although they are hidden: a model would announce a call and make none.

    A tool is spoken of where its name stands in backticks, or, if it holds an underscore, anywhere as a word.

    Args:
        text: the view.
        tools: every tool of the conversation.
        shown: the names of those that are visible.
    """
    names = dict.fromkeys(tool.name for tool in tools if tool.name not in shown)
    return tuple(name for name in names if re.search(rf"`{name}`" + rf"|\b{name}\b" * ("_" in name), text))


def delimit(view: str, *notes: str) -> str:
    """Mark the view off from the caller's words beside which it is sent; nothing where there is nothing to say."""
    text = "\n\n".join(part for part in (view, *notes) if part)
    # The state may hold a caller's words, and these must not end the view early.
    return f"{_OPEN}{without_marks(text)}{_CLOSE}" if text else ""


def undelimit(view: str) -> str:
    """Give a delimited view without its marks."""
    return view.removeprefix(_OPEN).removesuffix(_CLOSE)


def _docstring(cls: type) -> str:
    """Give the nearest docstring of the class and the agents it builds on; what it mixes in speaks of other things."""
    for base in cls.__mro__:
        if "__declaration__" in vars(base) and base.__doc__:
            return inspect.cleandoc(base.__doc__)
    return ""


def _lines(text: str | tuple[str, ...] | list[str]) -> str:
    if isinstance(text, str):
        return inspect.cleandoc(text)
    return "\n".join(f"- {line}" for line in text)


def _tools(listed: "Mapping[str, Sequence[Tool]]") -> str:
    parts = []
    for heading, tools in listed.items():
        lines = [f"- {tool.name}: {' '.join(tool.spec.description.split()) or 'no description'}" for tool in tools]
        if lines:
            parts.append("\n".join(filter(None, (heading, *lines))))
    return "\n".join((_TOOLS_NOTE, *parts)) if parts else ""
