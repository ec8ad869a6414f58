"""Judge what a turn brought against what a golden expects of it: by the log alone, entry by entry, in order."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET

from cuelight.testing.goldens.comparing import holds, lacking, mentions, shown
from cuelight.testing.goldens.happening import Happening, happening
from cuelight.testing.goldens.shape import Check, ReplyCheck
from cuelight.testing.goldens.source import Where
from cuelight.testing.goldens.window import Moment, Window
from cuelight.wire import Entry

__all__ = ["Fault", "Finding", "judge_errors", "judge_reply", "judge_turn"]

_ABSENT = "it did not come"
_SILENT = "nothing was said"
_MODELS = "model-"
"""How the codes of a model's failures begin."""


@dataclass(frozen=True)
class Fault:
    """Say what broke: where in the golden, what it expected, and what came in its place."""

    where: Where
    expected: str
    came: str

    @property
    def is_absence(self) -> bool:
        """Tell whether it merely did not come, as what a turn that broke off did not get to."""
        return self.came.startswith((_ABSENT, _SILENT))


Finding = tuple[str, str] | None
"""What was expected and what came, where these differ."""


def judge_turn(
    window: Window, checks: Sequence[Check], where: Where, shows: Mapping[str, Sequence[str]]
) -> Fault | None:
    """Judge one turn; gives the first check that broke.

    What happens (`tool`, `refused`, `route`, `error`, `end`) is looked for in the order written. How things stand
    (`stage`, `step`, `state`, `visible`) is judged just before the next of these happens, or when the turn is over.
    That nothing else happens is judged last, wherever it is written.

    Args:
        window: the turn.
        checks: what must happen.
        where: the turn's place in the golden.
        shows: for each tool the stages that show it.
    """
    judge = _TurnJudge(window, shows)
    for index in sorted(range(len(checks)), key=lambda index: checks[index].nothing_else is not UNSET):
        finding = judge.judge(checks[index], checks[index + 1 :])
        if finding is not None:
            return Fault((*where, "then", index), *finding)
    return None


class _TurnJudge:
    def __init__(self, window: Window, shows: Mapping[str, Sequence[str]]) -> None:
        self._window = window
        self._shows = shows
        self._next = 0
        """The entry from where on the next thing is looked for."""
        self._named: set[tuple[str, int]] = set()
        """The entries that a check has named, and as what."""

    def judge(self, check: Check, upcoming: Sequence[Check]) -> Finding:
        """Judge the next check.

        Args:
            check: it.
            upcoming: those written after it.
        """
        wanted = happening(check)
        if wanted is not None:
            return self._find(check, wanted)
        if check.reply is not UNSET:
            return judge_reply(check.reply, self._window.said, "the reply")
        if check.no_tool is not UNSET:
            ran = [run.name for _, run in self._window.runs if not run.is_answer]
            return ("no tool runs", f"{', '.join(ran)} ran") if ran else None
        if check.nothing_else is not UNSET:
            return self._nothing_else()
        following = next((found for each in upcoming if (found := happening(each)) is not None), None)
        if following is None:
            return _judge_moment(check, self._window.after)
        index = self._index(following)
        # Before something that does not come is no moment at all; that it does not come is told in its own place.
        return None if index is None else _judge_moment(check, self._window.before(index))

    def _index(self, wanted: Happening) -> int | None:
        """Give where something happens, from where the last one did on."""
        for index in range(self._next, len(self._window.entries)):
            if (wanted.kind, index) not in self._named and wanted.fits(self._window, index) is None:
                return index
        return None

    def _find(self, check: Check, wanted: Happening) -> Finding:
        index = self._index(wanted)
        if index is not None:
            self._named.add((wanted.kind, index))
            # A guarded tool runs after its yes, though both are found where that is written.
            self._next = index if check.tool is UNSET else index + 1
            return None
        free = [index for index in range(len(self._window.entries)) if (wanted.kind, index) not in self._named]
        if any(wanted.fits(self._window, index) is None for index in free):
            return wanted.said, "it came before what is written above it"
        near = next(filter(None, (wanted.fits(self._window, index) for index in free if index >= self._next)), None)
        hidden = None if check.tool is UNSET else self._hidden(check.tool)
        came = near or _ABSENT
        return wanted.said, f"{came.removesuffix('.')}; {hidden}" if hidden else came

    def _hidden(self, tool: str) -> str | None:
        """Say that a tool was hidden all along, and what shows it; None where it was visible at some point."""
        moments = [self._window.before(index) for index in range(self._next, len(self._window.entries))]
        if any(tool in moment.visible for moment in (*moments, self._window.after)):
            return None
        stage, stages = self._window.after.stage, self._shows.get(tool, ())
        hidden = f"it is hidden in {stage}" if stage else "it is hidden"
        if stage in stages:
            return f"{hidden} by its `when`, or because the step waits for the caller"
        return f"{hidden}, and shown in {' and '.join(stages)}" if stages else hidden

    def _nothing_else(self) -> Finding:
        ran = dict(self._window.runs)
        kinds: tuple[tuple[str, str, Callable[[Entry], bool]], ...] = (
            ("refused", "name", self._window.was_refused),
            ("confirm", "tool", lambda entry: entry.type in ("confirm.request", "confirm.declined")),
            ("error", "code", lambda entry: entry.type == "error"),
            ("end", "reason", lambda entry: entry.type == "call.ended"),
        )
        for index, entry in enumerate(self._window.told):
            if index in ran and not ran[index].is_answer and ("", index) not in self._named:
                return "nothing else", f"tool {ran[index].name}, at entry {entry.seq}"
            for kind, key, is_of in kinds:
                as_what = "confirm" if kind == "confirm" else ""
                if is_of(entry) and (as_what, index) not in self._named:
                    return "nothing else", f"{kind} {entry.data[key]}, at entry {entry.seq}"
        return None


def _judge_moment(check: Check, moment: Moment) -> Finding:
    for kind, wanted in (("stage", check.stage), ("step", check.step)):
        if wanted is not UNSET and moment.stage != wanted:
            return f"{kind} {wanted}", f"{kind} {moment.stage or 'none'}"
    if check.visible is not UNSET and set(moment.visible) != set(check.visible):
        return f"visible {', '.join(check.visible) or 'none'}", f"visible {', '.join(moment.visible) or 'none'}"
    if check.state is not UNSET and (found := lacking(check.state, moment.state, moment.told, "state")):
        return f"state {shown(check.state)}", found
    return None


def judge_reply(reply: ReplyCheck, said: str, what: str) -> Finding:
    """Judge what was said.

    Args:
        reply: what is expected of it.
        said: all of it.
        what: what it is called, as in "the reply".
    """
    heard = f"“{said}”" if said else _SILENT
    wanted = [reply.says] if isinstance(reply.says, str) else reply.says
    found = holds(said, wanted)
    for words in wanted:
        if words not in found:
            return f"{what} says “{words}”", heard
    if reply.says_any and not holds(said, reply.says_any):
        return f"{what} says one of {shown(reply.says_any)}", heard
    for words in mentions(said, reply.not_):
        return f"{what} does not say “{words}”", heard
    if reply.matches is not UNSET and not re.search(reply.matches, said):
        return f"{what} matches {reply.matches}", heard
    return None


def judge_errors(window: Window, checks: Sequence[Check], where: Where) -> Fault | None:
    """Judge that a turn has no error, no refused call and no failed tool that none of its checks names.

    A tool that fails in its own words (`ToolFailed`) is named by the `result` of its check. Each check names one, save
    that one names all failures of the model with its code: a request is made several times.

    Args:
        window: the turn.
        checks: what was to happen in it.
        where: the turn's place in the golden.
    """
    named = Counter[tuple[str, object]]()
    for check in checks:
        named.update((("error", check.error), ("refused", check.refused)))
        if check.result is not UNSET:
            named[("failed", check.tool)] += 1
    found = []
    failed = set(window.failures)
    for index, (entry, told) in enumerate(zip(window.entries, window.told, strict=True)):
        if entry.type == "error":
            what = ("error", entry.data["code"])
            said = f"entry {entry.seq}: error {told.data['code']}: {told.data['message']}"
        elif window.was_refused(entry):
            what = ("refused", entry.data["name"])
            said = f"entry {entry.seq}: {told.data['name']} was refused: {window.result(entry)[1]}"
        elif index in failed:
            what = ("failed", entry.data["name"])
            said = f"entry {entry.seq}: {told.data['name']} failed: {told.data['error']}"
        else:
            continue
        if named[what] < 1:
            found.append(said)
        elif not str(what[1]).startswith(_MODELS):
            named[what] -= 1
    return Fault(where, "no error, refusal or failure that the turn does not name", "; ".join(found)) if found else None
