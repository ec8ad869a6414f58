"""The tool by which a model says what the caller answered. Its claim alone settles nothing: code judges the words."""

from functools import cache
from inspect import Parameter as Signature
from typing import Any, Literal

from cuelight.agent.arguments import Arguments, Parameter
from cuelight.agent.confirming import ANSWER_TOOL
from cuelight.agent.tools import Tool, ToolOptions

__all__ = ["answer_tool"]

_DESCRIPTION = "Says what the caller answered to the question that was put to them word for word before a tool runs."
_OPTIONS = ToolOptions(
    name=ANSWER_TOOL, stage=None, when=None, pii=(), effect="write", timeout=None, preview=None, confirm=None
)


@cache
def answer_tool() -> Tool:
    """Give the tool; it has no method, since the engine answers it."""
    answers = Literal["yes", "no", "other"]
    parameters = [
        Parameter("call_id", str, Signature.empty, None, "the call that the caller was asked about"),
        Parameter("answer", answers, Signature.empty, None, "what they answered; other where that was neither"),
    ]
    return Tool(
        ANSWER_TOOL, _unanswered, _OPTIONS, Arguments(ANSWER_TOOL, parameters),
        description=_DESCRIPTION, none_is_null=False,
    )  # fmt: skip


def _unanswered(*_: Any, **__: Any) -> None:
    raise AssertionError("the engine answers this call")
