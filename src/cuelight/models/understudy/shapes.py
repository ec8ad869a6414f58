"""The parts of a cue sheet, as they are once everything in them was checked."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from cuelight.errors import CueSheetRefused
from cuelight.models.understudy.lines import Line

__all__ = ["After", "Cue", "Opening", "Outcome", "Scope", "Slot", "Trigger", "lines_in", "refusal"]


class Trigger(NamedTuple):
    """What a cue listens for: a slot of that name, `yes`, `no`, or words, in which groups may be slots."""

    slot: str | None
    words: re.Pattern[str] | None = None


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """One piece that can be picked out of a caller's words."""

    name: str
    kind: str
    ask: tuple[Line, ...] = ()
    hears: tuple[re.Pattern[str], ...] = ()
    values: tuple[tuple[Any, re.Pattern[str]], ...] = ()
    source: str | None = None
    path: str = ""
    value: str = ""
    each: Line | None = None
    recall: bool = True
    asked: bool = False


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """Where something of a sheet applies."""

    label: str
    stages: frozenset[str] | None = None
    view: re.Pattern[str] | None = None
    once: re.Pattern[str] | None = None


class Cue(Scope, frozen=True, kw_only=True):
    """What answers something that was heard."""

    hears: tuple[Trigger, ...] = ()
    unless: tuple[re.Pattern[str], ...] = ()
    answers: re.Pattern[str] | None = None
    say: tuple[Line, ...] = ()
    asks: str | None = None
    call: str | None = None
    arguments: Mapping[str, Any] = {}
    recall: frozenset[str] | None = None
    ask: Mapping[str, tuple[Line, ...]] = {}
    declines: bool = False

    @property
    def lines(self) -> list[Line]:
        """Every line that has to be filled before the cue can be played."""
        return [*self.say, *lines_in(self.arguments)]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Which results of a tool are meant: a kind of them, words in a text, or fields by their path."""

    kind: str | None = None
    says: re.Pattern[str] | None = None
    fields: Mapping[str, Any] = {}


class After(Scope, frozen=True, kw_only=True):
    """What is said when a tool has answered."""

    tools: frozenset[str]
    when: Outcome = Outcome()
    say: tuple[Line, ...] = ()
    asks: str | None = None
    each: Line | None = None
    most: int = 5
    go_on: bool = False


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """What is said before anything was heard."""

    say: tuple[Line, ...]
    asks: str | None = None


def lines_in(value: Any) -> list[Line]:
    """Find the lines in the arguments of a call, however deep."""
    if isinstance(value, Line):
        return [value]
    if isinstance(value, Mapping):
        return [line for inner in value.values() for line in lines_in(inner)]
    if isinstance(value, list):
        return [line for inner in value for line in lines_in(inner)]
    return []


def refusal(source: str, problems: Sequence[str]) -> CueSheetRefused:
    """Say everything that is wrong with a sheet at once."""
    ended = [problem if problem.endswith("?") else f"{problem}." for problem in problems]
    if len(ended) == 1:
        return CueSheetRefused(f"{source} is refused: {ended[0]}")
    return CueSheetRefused(f"{source} is refused, {len(ended)} problems:" + "".join(f"\n  - {each}" for each in ended))
