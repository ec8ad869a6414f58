"""What a check looks for among the entries of a turn: a tool that runs, a refusal, a route, an error, the end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from cuelight.testing.goldens.comparing import holds, lacking, shown
from cuelight.testing.goldens.shape import Check, ConfirmCheck, RouteCheck
from cuelight.testing.goldens.window import Window

__all__ = ["Happening", "happening"]

_NO = ""
"""The answer of an entry that is something else altogether."""


@dataclass(frozen=True)
class Happening:
    """Look for one thing that happens.

    Attributes:
        said: what it is, in words.
        kind: apart from others that are found at the same entry; a yes is one, and the run of what it was to another.
        fits: tells of an entry, by its index, why it is not that: in words where it nearly is. None where it is.
    """

    said: str
    fits: Callable[[Window, int], str | None]
    kind: str = ""


def happening(check: Check) -> Happening | None:
    """Give what a check looks for among the entries; None where it judges something else."""
    if check.tool is not UNSET:
        return Happening(_said_tool(check), lambda window, index: _fits_tool(check, window, index))
    if check.confirm is not UNSET:
        confirm = check.confirm
        return Happening(
            _said_confirm(confirm), lambda window, index: _fits_confirm(confirm, window, index), kind="confirm"
        )
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
    run = window.run(index)
    if run is None:
        return _not_run(check, window, index)
    if run.name != check.tool:
        return _NO
    called = f"{check.tool} {shown(run.told_arguments)}"
    if check.args is not UNSET and (found := lacking(check.args, run.arguments, run.told_arguments, "args")):
        return f"{called} ({found})"
    if check.result is not UNSET and (found := lacking(check.result, run.came, run.told, "result")):
        return f"{called} → {shown(run.told)} ({found})"
    return None


def _not_run(check: Check, window: Window, index: int) -> str:
    """Say of a call that did not run why; nothing of an entry that is none of this tool."""
    entry = window.entries[index]
    if entry.type != "tool.call" or entry.data["name"] != check.tool:
        return _NO
    if window.was_refused(entry):
        return f"its call was refused: {window.result(entry)[1]}"
    return "the caller was asked about its call, and it runs only once they have said yes"


def _said_confirm(confirm: ConfirmCheck) -> str:
    if confirm.status == "asked":
        words = f" with {shown(confirm.phrase)}" if confirm.phrase else ""
        return f"the caller is asked about {confirm.tool}{words}"
    reason = "" if confirm.reason is UNSET else f" ({confirm.reason})"
    words = f" by {shown(confirm.said)}" if confirm.said else ""
    return f"{confirm.tool} is {confirm.status}{reason}{words}"


def _fits_confirm(confirm: ConfirmCheck, window: Window, index: int) -> str | None:
    entry, told = window.entries[index], window.told[index]
    if not entry.type.startswith("confirm.") or entry.data["tool"] != confirm.tool:
        return _NO
    status = "asked" if entry.type == "confirm.request" else entry.type.removeprefix("confirm.")
    reason = f" ({entry.data['reason']})" if "reason" in entry.data else ""
    if status != confirm.status or confirm.reason not in (UNSET, entry.data.get("reason")):
        return f"it was {status}{reason}"
    for name, words in (("phrase", confirm.phrase), ("said", confirm.said)):
        wanted = [words] if isinstance(words, str) else words
        if len(holds(entry.data.get(name, ""), wanted)) < len(wanted):
            return f"it was {status}{reason}: {shown(told.data.get(name, ''))}"
    return None


def _fits_refused(name: str, window: Window, index: int) -> str | None:
    entry = window.entries[index]
    if entry.type != "tool.call" or entry.data["name"] != name:
        return _NO
    if window.was_refused(entry):
        return None
    return "the caller was asked about it" if window.is_asked(entry) else "it ran"


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
