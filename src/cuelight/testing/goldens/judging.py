"""Judge what came against what a golden expects: by the log alone, entry by entry, in order."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from cuelight.testing.goldens.comparing import holds, lacking, shown
from cuelight.testing.goldens.shape import Check, Expect, ReplyCheck, RouteCheck
from cuelight.testing.goldens.source import Where
from cuelight.testing.goldens.window import Moment, Window
from cuelight.wire import Entry

__all__ = ["Fault", "judge_call", "judge_turn"]


@dataclass(frozen=True)
class Fault:
    """Say what broke: where in the golden, what it expected, and what came in its place."""

    where: Where
    expected: str
    came: str


Finding = tuple[str, str] | None
"""What was expected and what came, where these differ."""


def judge_turn(
    window: Window, checks: Sequence[Check], where: Where, shows: Mapping[str, Sequence[str]]
) -> Fault | None:
    """Judge one turn; gives the first check that broke.

    What happens (`tool`, `refused`, `route`, `error`, `end`) is looked for in the order written. How things stand
    (`stage`, `step`, `state`, `visible`) is judged just before the next of these happens, or when the turn is over.

    Args:
        window: the turn.
        checks: what must happen.
        where: the turn's place in the golden.
        shows: for each tool the stages that show it.
    """
    judge = _TurnJudge(window, shows)
    for index, check in enumerate(checks):
        finding = judge.judge(check, checks[index + 1 :])
        if finding is not None:
            return Fault((*where, "then", index), *finding)
    return None


class _TurnJudge:
    def __init__(self, window: Window, shows: Mapping[str, Sequence[str]]) -> None:
        self._window = window
        self._shows = shows
        self._next = 0
        self._named: set[int] = set()

    def judge(self, check: Check, upcoming: Sequence[Check]) -> Finding:
        if (wanted := _happening(check)) is not None:
            return self._find(check, wanted)
        if check.reply is not UNSET:
            return _judge_reply(check.reply, self._window.said)
        if check.no_tool is not UNSET:
            ran = [entry.data["name"] for entry in self._window.entries if self._window.ran(entry)]
            return ("no tool runs", f"{', '.join(ran)} ran") if ran else None
        if check.nothing_else is not UNSET:
            return self._nothing_else()
        following = next((wanted for each in upcoming if (wanted := _happening(each)) is not None), None)
        index = self._index(following) if following is not None else None
        return _judge_moment(check, self._window.after if index is None else self._window.before(index))

    def _index(self, wanted: "_Happening") -> int | None:
        """Give where something happens, from where the last one did on."""
        for index in range(self._next, len(self._window.entries)):
            if index not in self._named and wanted.fits(self._window, self._window.entries[index]) is None:
                return index
        return None

    def _find(self, check: Check, wanted: "_Happening") -> Finding:
        index = self._index(wanted)
        if index is not None:
            self._named.add(index)
            self._next = index
            return None
        reasons = [wanted.fits(self._window, entry) for entry in self._window.entries[self._next :]]
        near = next((reason for reason in reasons if reason), None)
        return wanted.said, near or self._absence(check, wanted)

    def _absence(self, check: Check, wanted: "_Happening") -> str:
        earlier = any(wanted.fits(self._window, entry) is None for entry in self._window.entries[: self._next])
        if earlier:
            return "it came before what is written above it"
        if check.tool is not UNSET and check.tool not in self._window.after.visible:
            moment = self._window.after
            stages = [stage for stage in self._shows.get(check.tool, ()) if stage]
            shown_in = f"; it is shown in {' and '.join(stages)}" if stages else ""
            now = f" in {moment.stage}" if moment.stage else ""
            if moment.stage in stages:
                shown_in = "; its `when`, or that the step waits for the caller, hides it"
            return f"it was not called, and it is hidden{now}{shown_in}"
        return "it did not come"

    def _nothing_else(self) -> Finding:
        kinds: tuple[tuple[str, Callable[[Entry], bool]], ...] = (
            ("tool", self._window.ran),
            ("refused", self._window.was_refused),
            ("error", lambda entry: entry.type == "error"),
            ("end", lambda entry: entry.type == "call.ended"),
        )
        for index, entry in enumerate(self._window.entries):
            for kind, is_of in kinds:
                if index not in self._named and is_of(entry):
                    what = entry.data.get("name") or entry.data.get("code") or entry.data.get("reason")
                    return "nothing else", f"{kind} {what}, at entry {entry.seq}"
        return None


class _Happening:
    """Look for one thing that happens: tells of an entry why it is not that, in words where it nearly is."""

    def __init__(self, said: str, fits: Callable[[Window, Entry], str | None]) -> None:
        self.said = said
        self.fits = fits


_NO = ""


def _happening(check: Check) -> _Happening | None:
    """Give what a check looks for among the entries; None where it judges something else."""
    if check.tool is not UNSET:
        return _Happening(_said_tool(check), lambda window, entry: _fits_tool(check, window, entry))
    if check.refused is not UNSET:
        return _Happening(
            f"a call of {check.refused} is refused",
            lambda window, entry: (
                None if window.was_refused(entry) and entry.data["name"] == check.refused
                else "it ran" if window.ran(entry) and entry.data["name"] == check.refused else _NO
            ),
        )  # fmt: skip
    if check.route is not UNSET:
        route = check.route
        return _Happening(f"a route {shown(_written(route))}", lambda window, entry: _fits_route(route, entry))
    if check.error is not UNSET:
        return _Happening(
            f"an error {check.error}",
            lambda window, entry: (
                _NO if entry.type != "error" else None if entry.data["code"] == check.error
                else f"an error {entry.data['code']}: {entry.data['message']}"
            ),
        )  # fmt: skip
    if check.end is not UNSET:
        reason = check.end
        return _Happening(
            "the call ends" + (f" with {reason}" if isinstance(reason, str) else ""),
            lambda window, entry: (
                _NO if entry.type != "call.ended" else None if reason in (True, entry.data["reason"])
                else f"it ended with {entry.data['reason']}"
            ),
        )  # fmt: skip
    return None


def _said_tool(check: Check) -> str:
    args = "" if check.args is UNSET else f" {shown(check.args)}"
    result = "" if check.result is UNSET else f" → {shown(check.result)}"
    return f"tool {check.tool}{args}{result}"


def _fits_tool(check: Check, window: Window, entry: Entry) -> str | None:
    if entry.type != "tool.call" or entry.data["name"] != check.tool:
        return _NO
    result = window.results.get(entry.data["call_id"], {})
    if window.was_refused(entry):
        return f"its call was refused: {result.get('error')}"
    called = f"{check.tool} {shown(entry.data['arguments'])}"
    if check.args is not UNSET and (found := lacking(check.args, entry.data["arguments"], "args")):
        return f"{called} ({found})"
    if check.result is not UNSET:
        output = result.get("output", result.get("error"))
        if found := lacking(check.result, output, "result"):
            return f"{called} → {shown(output)} ({found})"
    return None


def _fits_route(route: RouteCheck, entry: Entry) -> str | None:
    if entry.type != "cue.route":
        return _NO
    came = {name: value for name, value in entry.data.items() if name != "call_id"}
    found = lacking(_written(route), came, "route")
    return None if found is None else f"a route {shown(came)} ({found})"


def _written(route: RouteCheck) -> dict[str, Any]:
    return {
        field.removesuffix("_"): value for field in route.__struct_fields__
        if (value := getattr(route, field)) is not UNSET
    }  # fmt: skip


def _judge_moment(check: Check, moment: Moment) -> Finding:
    for kind, wanted in (("stage", check.stage), ("step", check.step)):
        if wanted is not UNSET and moment.stage != wanted:
            return f"{kind} {wanted}", f"{kind} {moment.stage or 'none'}"
    if check.visible is not UNSET and set(moment.visible) != set(check.visible):
        return f"visible {', '.join(check.visible) or 'none'}", f"visible {', '.join(moment.visible) or 'none'}"
    if check.state is not UNSET and (found := lacking(check.state, moment.state, "state")):
        return f"state {shown(check.state)}", found
    return None


def _judge_reply(reply: ReplyCheck, said: str) -> Finding:
    heard = f"“{said}”" if said else "nothing was said"
    wanted = [reply.says] if isinstance(reply.says, str) else list(reply.says)
    found = holds(said, wanted)
    for words in wanted:
        if words not in found:
            return f"the reply says “{words}”", heard
    if reply.says_any and not holds(said, reply.says_any):
        return f"the reply says one of {shown(reply.says_any)}", heard
    for words in holds(said, reply.not_):
        return f"the reply does not say “{words}”", heard
    if reply.matches is not UNSET and not re.search(reply.matches, said):
        return f"the reply matches {reply.matches}", heard
    return None


# --- the call as a whole ----------------------------------------------------------------------------------------------


def judge_call(windows: Sequence[Window], checks: Sequence[Sequence[Check]], expect: Expect) -> Fault | None:
    """Judge the whole call; gives the first part of `expect` that broke.

    Args:
        windows: its turns.
        checks: what each of these was to bring, all of which came.
        expect: what must hold of all of them together.
    """
    for part, finding in _whole(windows, checks, expect):
        if finding is not None:
            return Fault(("expect", part), *finding)
    return None


def _whole(windows: Sequence[Window], checks: Sequence[Sequence[Check]], expect: Expect) -> list[tuple[str, Finding]]:
    entries = [(window, entry) for window in windows for entry in window.entries]
    ran = [entry.data["name"] for window, entry in entries if window.ran(entry)]
    visible = {name for _, entry in entries if entry.type == "tools.changed" for name in entry.data["visible"]}
    said = "\n".join(filter(None, (window.said for window in windows)))
    missing = _first_missing(expect.tools, ran)
    unwanted = [name for name in expect.not_tools if name in ran]
    shown_tools = [name for name in expect.never_visible if name in visible]
    fault = lacking(expect.state, windows[-1].after.state, "state")
    requests = sum(window.requests for window in windows)
    limit = expect.max_model_requests
    errors = _unnamed_errors(windows, checks) if expect.no_errors else []
    return [
        ("tools", (f"the tools {', '.join(expect.tools)} run", f"{', '.join(ran) or 'none'} ran") if missing else None),
        ("not_tools", (f"{unwanted[0]} does not run", "it ran") if unwanted else None),
        ("never_visible", (f"{shown_tools[0]} is never visible", "it was") if shown_tools else None),
        ("state", (f"state {shown(expect.state)}", fault) if fault else None),
        ("says", _judge_reply(ReplyCheck(says=expect.says), said)),
        ("not", _judge_reply(ReplyCheck(not_=expect.not_), said)),
        (
            "max_model_requests",
            (f"at most {limit} requests to the model", f"{requests}")
            if limit is not UNSET and requests > limit else None,
        ),
        ("no_errors", ("no error that the golden does not name", "; ".join(errors)) if errors else None),
    ]  # fmt: skip


def _first_missing(wanted: Sequence[str], ran: Sequence[str]) -> bool:
    """Tell whether some tools did not run in this order; others may have run between them."""
    rest = iter(ran)
    return not all(name in rest for name in wanted)


def _unnamed_errors(windows: Sequence[Window], checks: Sequence[Sequence[Check]]) -> list[str]:
    """Give the errors and refused calls that no check of their turn names."""
    found = []
    for window, named in zip(windows, checks, strict=False):
        errors = {check.error for check in named if check.error is not UNSET}
        refused = {check.refused for check in named if check.refused is not UNSET}
        for entry in window.entries:
            if entry.type == "error" and entry.data["code"] not in errors:
                found.append(f"entry {entry.seq}: error {entry.data['code']}: {entry.data['message']}")
            elif window.was_refused(entry) and entry.data["name"] not in refused:
                result = window.results.get(entry.data["call_id"], {}).get("error", "")
                found.append(f"entry {entry.seq}: {entry.data['name']} was refused: {result}")
    return found
