"""Read a golden from its file: what is wrong with it is found before anything runs, all of it at once."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from cuelight.agent import nearest
from cuelight.errors import GoldenRefused
from cuelight.testing.goldens.fitting import fit
from cuelight.testing.goldens.shape import (
    Check,
    ConfirmCheck,
    Expect,
    Golden,
    ReplyCheck,
    RouteCheck,
    ScriptedCall,
    ScriptedReply,
    Turn,
)
from cuelight.testing.goldens.source import BadSource, Source, Where
from cuelight.testing.goldens.source_json import read_json
from cuelight.testing.goldens.source_yaml import read_yaml

__all__ = ["KINDS", "GoldenFile", "read_golden", "read_replies"]

KINDS = (
    "tool", "no_tool", "confirm", "refused", "stage", "step", "state", "visible", "reply", "route", "error", "end",
    "nothing_else",
)  # fmt: skip
"""What a check may be of."""

_MODELS = ("understudy", "cassette")
"""Models that go by a name alone."""

Faults = Iterator[tuple[str, Where]]
"""What is wrong, each with its place."""


class GoldenFile(msgspec.Struct, frozen=True):
    """Hold a golden, the file it is from and the lines its parts stand in."""

    golden: Golden
    file: Path
    source: Source

    def place(self, where: Where) -> str:
        """Name a part by file and line."""
        line = self.source.line(where)
        return str(self.file) if line is None else f"{self.file}:{line}"

    def refused(self, faults: Iterable[tuple[str, Where]]) -> GoldenRefused | None:
        """Give the refusal of this file for what is wrong in its places; None where nothing is."""
        found = sorted(faults, key=lambda fault: self.source.line(fault[1]) or 0)
        problems = [_at(said, self.source.line(where)) for said, where in found]
        return GoldenRefused(str(self.file), problems) if problems else None


def read_golden(file: Path) -> GoldenFile:
    """Read a golden.

    Args:
        file: a JSON file, or one of YAML.

    Raises:
        GoldenRefused: with everything that is wrong with the file by itself; what the agent does not have is found by
            `check_names`.
    """
    try:
        source = _source(file)
    except BadSource as bad:
        raise GoldenRefused(str(file), [_at(str(bad), bad.line)]) from bad
    golden, misfits = fit(source.value, Golden)
    read = GoldenFile(golden, file, source)
    unfit = [misfit.spoilt for misfit in misfits]
    faults = [*_faults(golden), *_empties(source.value)]
    faults = [fault for fault in faults if not any(_within(fault[1], where) for where in unfit)]
    if refused := read.refused([*((misfit.said, misfit.where) for misfit in misfits), *faults]):
        raise refused
    return read


def read_replies(file: Path) -> list[ScriptedReply]:
    """Read what a model says from a file of its own: a list, as a golden may hold it as `model`.

    Args:
        file: a JSON file, or one of YAML.

    Raises:
        GoldenRefused: with everything that is wrong with it.
    """
    try:
        source = _source(file)
    except BadSource as bad:
        raise GoldenRefused(str(file), [_at(str(bad), bad.line)]) from bad
    if not isinstance(source.value, list):
        raise GoldenRefused(str(file), ["a script is a list of replies, one for each request to the model"])
    golden, misfits = fit({"name": "", "turns": [], "model": source.value}, Golden)
    replies = GoldenFile(golden, file, source)
    faults = [(misfit.said, misfit.where) for misfit in misfits] or _model_faults(golden, ("model",))
    if refused := replies.refused((said, where[1:]) for said, where in faults):
        raise refused
    assert isinstance(golden.model, list)
    return golden.model


def _source(file: Path) -> Source:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadSource(f"it is not UTF-8: {error.reason} at byte {error.start + 1}") from error
    except OSError as error:
        raise BadSource(f"it cannot be read: {error.strerror or error}") from error
    if not text.strip():
        raise BadSource("it is empty")
    return read_json(text) if file.suffix.lower() == ".json" else read_yaml(text)


def _at(said: str, line: int | None) -> str:
    return said if line is None else f"line {line}: {said}"


def _within(one: Where, other: Where) -> bool:
    """Tell whether one place is in the other; what is wrong with the one may then come of the other."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


# --- what no shape can say --------------------------------------------------------------------------------------------


def _faults(golden: Golden) -> Faults:
    if not golden.name.strip():
        yield "`name` is empty; say what the golden shows", ("name",)
    if not golden.turns:
        yield "`turns` is empty; write what the caller says, as in `- say: Hello`", ("turns",)
    if golden.today is not UNSET and not _is_day(golden.today):
        yield f"`today` is {golden.today!r}; write a day, as in 2026-12-01", ("today",)
    for index, turn in enumerate(golden.turns):
        yield from _turn_faults(turn, ("turns", index), first=index == 0)
    yield from _expect_faults(golden.expect, ("expect",))
    yield from _model_faults(golden, ("model",))
    if not _judges(golden):
        yield "it judges nothing, so it could never fail; write `then` in a turn, or `expect`", ()


def _turn_faults(turn: Turn, where: Where, *, first: bool) -> Faults:
    given = [name for name in ("say", "event", "wait") if getattr(turn, name) is not UNSET]
    if len(given) > 1:
        yield f"a turn is one of `say`, `event` and `wait`, and this has {' and '.join(given)}", where
    elif not given and not (first and turn.then):
        yield "a turn says what happens: `say`, `event` or `wait`", where
    if turn.wait is not UNSET and not 0 <= turn.wait < 1e9:
        yield f"`wait` is {turn.wait:g}; write seconds", (*where, "wait")
    for index, check in enumerate(turn.then):
        yield from _check_faults(check, (*where, "then", index))


def _check_faults(check: Check, where: Where) -> Faults:
    kinds = [kind for kind in KINDS if getattr(check, kind) is not UNSET]
    if len(kinds) != 1:
        had = f"this has {' and '.join(kinds)}; write one after the other" if kinds else "this has none"
        yield f"a check is of one thing ({', '.join(KINDS)}), and {had}", where
        return
    if check.tool is UNSET and (check.args is not UNSET or check.result is not UNSET):
        yield "`args` and `result` belong to a `tool`", where
    if check.reply is not UNSET:
        yield from _reply_faults(check.reply, (*where, "reply"))
    if check.confirm is not UNSET:
        yield from _confirm_faults(check.confirm, (*where, "confirm"))
    if check.route is not UNSET and check.route == RouteCheck():
        yield "`route` says nothing about the route; write what it is, as in {to: Payment}", (*where, "route")
    if check.state is not UNSET and not check.state:
        yield "`state` names no field", (*where, "state")
    if check.end is False or check.end == "":
        yield "`end` is true, or the reason for which the call ends", (*where, "end")


def _confirm_faults(confirm: ConfirmCheck, where: Where) -> Faults:
    status = confirm.status
    yield from _word_faults(confirm.phrase, (*where, "phrase"))
    yield from _word_faults(confirm.said, (*where, "said"))
    if confirm.phrase and status != "asked":
        yield "`phrase` belongs to the status asked", (*where, "phrase")
    if confirm.said and status == "asked":
        yield "`said` belongs to the status granted or declined", (*where, "said")
    if confirm.reason is not UNSET and status != "declined":
        yield "`reason` belongs to the status declined", (*where, "reason")


def _reply_faults(reply: ReplyCheck, where: Where) -> Faults:
    if reply == ReplyCheck():
        yield "`reply` says nothing; write `says`, `says_any`, `not` or `matches`", where
    yield from _word_faults(reply.says, (*where, "says"))
    yield from _word_faults(reply.says_any, (*where, "says_any"))
    yield from _word_faults(reply.not_, (*where, "not"))
    if reply.matches is UNSET:
        return
    if not reply.matches:
        yield "`matches` is empty, and fits everything", (*where, "matches")
    try:
        re.compile(reply.matches)
    except re.error as error:
        yield f"`matches` is no regular expression: {error}", (*where, "matches")


def _word_faults(words: str | list[str], where: Where) -> Faults:
    """Refuse words that are in everything that is said."""
    if isinstance(words, str):
        if not words.strip():
            yield f"`{where[-1]}` has no words", where
        return
    for index, each in enumerate(words):
        if not each.strip():
            yield f"`{where[-1]}` has no words", (*where, index)


def _expect_faults(expect: Expect, where: Where) -> Faults:
    yield from _word_faults(expect.says, (*where, "says"))
    yield from _word_faults(expect.not_, (*where, "not"))
    if expect.max_model_requests is not UNSET and expect.max_model_requests < 0:
        said = f"`max_model_requests` is {expect.max_model_requests}; write how often the model may be asked"
        yield said, (*where, "max_model_requests")


def _empties(written: Any) -> Faults:
    """Refuse parts of `expect` that are written and empty: they seem to say that nothing came, and hold of any call."""
    expect = written.get("expect") if isinstance(written, dict) else None
    for name, value in expect.items() if isinstance(expect, dict) else ():
        if value in ([], {}):
            none = "; that none runs is `no_tool` in a turn, or each of them in `not_tools`" if name == "tools" else ""
            yield f"`{name}` is empty, so it holds of every call{none}", ("expect", name)


def _model_faults(golden: Golden, where: Where) -> Faults:
    if golden.model is UNSET:
        return
    if isinstance(golden.model, str):
        if golden.model not in _MODELS and ":" not in golden.model:
            near = nearest(golden.model, _MODELS)
            yield (
                f"there is no model {golden.model!r}{near}; write {', '.join(_MODELS)}, provider:name or replies",
                where,
            )
        return
    for index, reply in enumerate(golden.model):
        pieces = reply if isinstance(reply, list) else [reply]
        for number, piece in enumerate(pieces):
            place = (*where, index, number) if isinstance(reply, list) else (*where, index)
            if not isinstance(piece, str):
                yield from _piece_faults(piece, place, last=number == len(pieces) - 1)


def _piece_faults(piece: ScriptedCall, where: Where, *, last: bool) -> Faults:
    given = [name for name in ("call", "args", "raw", "answer", "tool", "fail") if getattr(piece, name) is not UNSET]
    if given not in (["call"], ["call", "args"], ["call", "raw"], ["answer"], ["answer", "tool"], ["fail"]):
        forms = "{call, args}, {call, raw}, {answer, tool}, {fail}"
        yield f"a reply is text, {forms} or a list of these, and this has {' and '.join(given) or 'nothing'}", where
    elif given == ["fail"] and not last:
        yield "the reply goes on after `fail`, where it ends; write that last", where


def _judges(golden: Golden) -> bool:
    return any(turn.then for turn in golden.turns) or golden.expect not in (Expect(), Expect(no_errors=False))


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
