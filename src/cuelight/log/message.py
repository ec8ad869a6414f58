"""One message as a model reads it: safe to show it, and in the form that providers take."""

import hashlib
import re
from typing import Any, Literal

import msgspec

__all__ = ["CUT_BY_CALLER", "CUT_BY_FAULT", "Message", "ToolUse", "legal_name", "without_marks"]

CUT_BY_CALLER = "[the caller cut in here]"
CUT_BY_FAULT = "[cut off here by a fault]"


# As they are read, not as they are written: with spaces, and with line breaks that JSON has escaped.
_MARKS = re.compile(r"<(?:[\s/]|\\[nrt])*now(?:[\s/]|\\[nrt])*>", re.IGNORECASE)


def without_marks(text: str) -> str:
    """Take from a text the marks between which a prompt's view stands, so that no one can imitate it."""
    return _MARKS.sub("now", text)


_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_OF_A_NAME = re.compile(r"[^A-Za-z0-9_-]")


def legal_name(name: str) -> str:
    """Give a tool's name as providers take it: one that a model made up is refused in every later request otherwise."""
    if _NAME.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]  # keeps different names different
    return f"{_NOT_OF_A_NAME.sub('_', name)[:55]}_{digest}"


class ToolUse(msgspec.Struct, frozen=True):
    """Hold one tool call of an assistant message.

    `name` is one that providers take, also where the model made up another; `arguments` is a JSON object as text.
    """

    id: str
    name: str
    arguments: str


class Message(msgspec.Struct, frozen=True):
    """Hold one message of the history: role user, assistant or tool."""

    role: Literal["user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolUse, ...] = ()
    tool_call_id: str | None = None

    def plain(self) -> dict[str, Any]:
        """Give the message as a dict of `role` and `content`, and `tool_calls` or `tool_call_id` if it has them."""
        plain: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.tool_calls:
            plain["tool_calls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in self.tool_calls]
        if self.tool_call_id is not None:
            plain["tool_call_id"] = self.tool_call_id
        return plain
