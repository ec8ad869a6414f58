"""What a check looks for among the entries of a turn: a tool that runs, a refusal, a route, an error, the end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from cuelight.testing.goldens.comparing import lacking, shown
from cuelight.testing.goldens.shape import Check, RouteCheck
from cuelight.testing.goldens.window import Window

__all__ = ["Happening", "happening"]

_NO = ""
"""The answer of an entry that is something else altogether."""


@dataclass(frozen=True)
class Happening:
    """Look for one thing that happens.

    Attributes:
        said: what it is, in words.
        fits: tells of an entry, by its index, why it is not that: in words where it nearly is. None where it is.
    """

    said: str
    fits: Callable[[Window, int], str | None]


def happening(check: Check) -> Happening | None:
    """Give what a check looks for among the entries; None where it judges something else."""
    if check.tool is not UNSET:
        return Happening(_said_tool(check), lambda window, index: _fits_tool(check, window, index))
    if check.refused is not UNSET:
        name = check.refused
        return Happening(f"a call of {name} is refused", lambda window, index: _fits_refused(name, window, index))
    if check.route is not UNSET:
        wanted = _written(check.route)
        return Happening(f"a route {shown(wanted)}", lambda window, index: _fits_route(wanted, window, index))
    if check.error is not UNSET:
        code = check.error
        return Happening(f"an error {code}", lambda window, index: _fits_error(code, window, index))
    if check.end is not UNSET:
        reason = check.end if isinstance(check.end, str) else None
        said = "the call ends" if reason is None else f"the call ends with {reason}"
        return Happening(said, lambda window, index: _fits_end(reason, window, index))
    return None


def _said_tool(check: Check) -> str:
    args = "" if check.args is UNSET else f" {shown(check.args)}"
    result = "" if check.result is UNSET else f" → {shown(check.result)}"
    return f"tool {check.tool}{args}{result}"


def _fits_tool(check: Check, window: Window, index: int) -> str | None:
    entry, told = window.entries[index], window.told[index]
    if entry.type != "tool.call" or entry.data["name"] != check.tool:
        return _NO
    output, told_output = window.result(entry)
    if window.was_refused(entry):
        return f"its call was refused: {told_output}"
    called = f"{check.tool} {shown(told.data['arguments'])}"
    if check.args is not UNSET:
        found = lacking(check.args, entry.data["arguments"], told.data["arguments"], "args")
        if found:
            return f"{called} ({found})"
    if check.result is not UNSET and (found := lacking(check.result, output, told_output, "result")):
        return f"{called} → {shown(told_output)} ({found})"
    return None


def _fits_refused(name: str, window: Window, index: int) -> str | None:
    entry = window.entries[index]
    if entry.type != "tool.call" or entry.data["name"] != name:
        return _NO
    return None if window.was_refused(entry) else "it ran"


def _fits_route(wanted: dict[str, Any], window: Window, index: int) -> str | None:
    entry, told = window.entries[index], window.told[index]
    if entry.type != "cue.route":
        return _NO
    found = lacking(wanted, entry.data, told.data, "route")
    came = {name: value for name, value in told.data.items() if name != "call_id"}
    return f"a route {shown(came)} ({found})" if found else None


def _written(route: RouteCheck) -> dict[str, Any]:
    """Give what a check says of a route, in the words of the log."""
    return {
        field.removesuffix("_"): value for field in route.__struct_fields__
        if (value := getattr(route, field)) is not UNSET
    }  # fmt: skip


def _fits_error(code: str, window: Window, index: int) -> str | None:
    told = window.told[index]
    if told.type != "error":
        return _NO
    return None if told.data["code"] == code else f"an error {told.data['code']}: {told.data['message']}"


def _fits_end(reason: str | None, window: Window, index: int) -> str | None:
    entry, told = window.entries[index], window.told[index]
    if entry.type != "call.ended":
        return _NO
    return None if reason in (None, entry.data["reason"]) else f"it ended with {told.data['reason']}"
