"""Read a golden from its file: what is wrong with it is found before anything runs, all of it at once."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.inspect import ListType, StructType, Type, UnionType, type_info

from cuelight.agent import nearest
from cuelight.errors import GoldenRefused
from cuelight.testing.goldens.shape import Check, Expect, Golden, ReplyCheck, RouteCheck, Turn
from cuelight.testing.goldens.source import BadSource, Source, Where, read_source

__all__ = ["KINDS", "GoldenFile", "read_golden"]

KINDS = (
    "tool", "no_tool", "refused", "stage", "step", "state", "visible", "reply", "route", "error", "end", "nothing_else",
)  # fmt: skip
"""What a check may be of."""

_PLACE = re.compile(r"^(?P<said>.*?)(?: - at `\$(?P<path>.*)`)?$", re.DOTALL)
_PIECE = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


class GoldenFile(msgspec.Struct, frozen=True):
    """Hold a golden, the file it is from and the lines its parts stand in."""

    golden: Golden
    file: Path
    source: Source

    def place(self, where: Where) -> str:
        """Name a part by file and line."""
        line = self.source.line(where)
        return str(self.file) if line is None else f"{self.file}:{line}"


def read_golden(file: Path) -> GoldenFile:
    """Read a golden.

    Args:
        file: a JSON or YAML file.

    Raises:
        GoldenRefused: with everything that is wrong with the file by itself; what the agent does not have is found by
            `check_names`.
    """
    try:
        source = read_source(file)
    except BadSource as bad:
        raise GoldenRefused(str(file), [_at(str(bad), bad.line)]) from bad
    problems = list(_unknown_keys(source, source.value, type_info(Golden), ()))
    if not problems:
        try:
            golden = msgspec.convert(source.value, Golden)
        except msgspec.ValidationError as error:
            problems = [_told(source, str(error))]
        else:
            problems = [_at(said, source.line(where)) for said, where in _faults(golden)]
    if problems:
        raise GoldenRefused(str(file), problems)
    return GoldenFile(golden, file, source)


def _at(said: str, line: int | None) -> str:
    return said if line is None else f"line {line}: {said}"


def _unknown_keys(source: Source, value: Any, shape: Type, where: Where) -> Iterator[str]:
    """Find the keys that no shape has, at any depth."""
    kinds = shape.types if isinstance(shape, UnionType) else (shape,)
    for kind in kinds:
        if isinstance(kind, ListType) and isinstance(value, list):
            for index, each in enumerate(value):
                yield from _unknown_keys(source, each, kind.item_type, (*where, index))
        if isinstance(kind, StructType) and isinstance(value, dict):
            fields = {field.encode_name: field for field in kind.fields}
            for key, member in value.items():
                if key in fields:
                    yield from _unknown_keys(source, member, fields[key].type, (*where, key))
                else:
                    known = ", ".join(name for name in fields if not name.startswith("$"))
                    said = f"{_named(where)} has no key `{key}`{nearest(key, fields)}; it may have {known}"
                    yield _at(said, source.line((*where, key)))


def _named(where: Where) -> str:
    """Name a part of a golden: "turn 2, then 1", counted from one."""
    if not where:
        return "a golden"
    pieces = [f"{where[i]} {int(where[i + 1]) + 1}" if isinstance(where[i + 1], int) else str(where[i])
              for i in range(len(where) - 1) if not isinstance(where[i], int)]  # fmt: skip
    if not isinstance(where[-1], int):
        pieces.append(str(where[-1]))
    return ", ".join(pieces).replace("turns ", "turn ")


def _told(source: Source, error: str) -> str:
    """Say what does not fit, and where."""
    found = _PLACE.match(error)
    assert found is not None
    where: Where = tuple(int(index) if index else name for name, index in _PIECE.findall(found["path"] or ""))
    said = found["said"].replace("Object missing required field", "it has no")
    return _at(f"{_named(where)}: {said[:1].lower()}{said[1:]}", source.line(where))


# --- what no shape can say --------------------------------------------------------------------------------------------


def _faults(golden: Golden) -> Iterator[tuple[str, Where]]:
    if not golden.name.strip():
        yield "a golden has a name", ("name",)
    if not golden.turns:
        yield "`turns` is empty; write what the caller says, as in `- say: Hello`", ("turns",)
    if golden.today is not UNSET and not _is_day(golden.today):
        yield f"`today` is {golden.today!r}; write a day, as in 2026-12-01", ("today",)
    for index, turn in enumerate(golden.turns):
        yield from _turn_faults(turn, ("turns", index), first=index == 0)
    yield from _expect_faults(golden.expect)
    if isinstance(golden.model, list):
        for index, reply in enumerate(golden.model):
            for piece in reply if isinstance(reply, list) else [reply]:
                if not isinstance(piece, str) and (piece.call is UNSET) == (piece.fail is UNSET):
                    yield "a scripted piece is text, {call: tool, args: {...}} or {fail: words}", ("model", index)
    if not _judges(golden):
        yield "it judges nothing, so it could never fail; write `then` in a turn, or `expect`", ()


def _turn_faults(turn: Turn, where: Where, *, first: bool) -> Iterator[tuple[str, Where]]:
    given = [name for name in ("say", "event", "wait") if getattr(turn, name) is not UNSET]
    if len(given) > 1:
        yield f"a turn is one of `say`, `event` and `wait`, and this has {' and '.join(given)}", where
    elif not given and not (first and turn.then):
        yield "a turn says what happens: `say`, `event` or `wait`", where
    if turn.wait is not UNSET and not 0 <= turn.wait < 1e9:
        yield f"`wait` is {turn.wait:g}; write seconds", (*where, "wait")
    for index, check in enumerate(turn.then):
        yield from _check_faults(check, (*where, "then", index))


def _check_faults(check: Check, where: Where) -> Iterator[tuple[str, Where]]:
    kinds = [kind for kind in KINDS if getattr(check, kind) is not UNSET]
    if len(kinds) != 1:
        had = f"this has {' and '.join(kinds)}; write one after the other" if kinds else "this has none"
        yield f"a check is of one thing ({', '.join(KINDS)}), and {had}", where
        return
    if check.tool is UNSET and (check.args is not UNSET or check.result is not UNSET):
        yield "`args` and `result` belong to a `tool`", where
    if check.reply is not UNSET:
        yield from _reply_faults(check.reply, (*where, "reply"))
    if check.route is not UNSET and check.route == RouteCheck():
        yield "`route` says nothing about the route; write what it is, as in {to: Payment}", (*where, "route")
    if check.state is not UNSET and not check.state:
        yield "`state` names no field", (*where, "state")
    if check.end is False:
        yield "`end: false` judges nothing; leave it out", (*where, "end")


def _reply_faults(reply: ReplyCheck, where: Where) -> Iterator[tuple[str, Where]]:
    if reply == ReplyCheck():
        yield "`reply` says nothing; write `says`, `says_any`, `not` or `matches`", where
    if reply.matches is not UNSET:
        try:
            re.compile(reply.matches)
        except re.error as error:
            yield f"`matches` is no regular expression: {error}", (*where, "matches")


def _expect_faults(expect: Expect) -> Iterator[tuple[str, Where]]:
    if expect.max_model_requests is not UNSET and expect.max_model_requests < 0:
        yield "`max_model_requests` is a number of requests", ("expect", "max_model_requests")


def _judges(golden: Golden) -> bool:
    return any(turn.then for turn in golden.turns) or golden.expect not in (Expect(), Expect(no_errors=False))


def _is_day(text: Any) -> bool:
    try:
        return bool(date.fromisoformat(text).isoformat() == text)
    except (TypeError, ValueError):
        return False
