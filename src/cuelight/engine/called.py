"""One call of a reply, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from cuelight.agent import Tool
from cuelight.ports import ToolCallRequest

__all__ = ["Called", "Result"]


@dataclass(slots=True)
class Called:
    """Hold one call of a reply, as far as it has been looked at."""

    request: ToolCallRequest
    id: str
    name: str
    tool: Tool | None = None
    given: dict[str, Any] | None = None
    values: dict[str, Any] | None = None
    refused: str | None = None
    reason: str = ""
    judged: bool = False


class Result(NamedTuple):
    """Hold the data of a `tool.result`: as it is, as declarations mask it where they do, and what is private in it."""

    data: dict[str, Any]
    shown: dict[str, Any] | None
    private: Sequence[str]
