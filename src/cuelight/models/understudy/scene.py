"""What one request shows of the conversation: what was heard, what was asked for, and what tools answered."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, Literal, NamedTuple

import msgspec

from cuelight.agent import ANSWER_TOOL, is_consent
from cuelight.flow import VALIDATED
from cuelight.log import Message
from cuelight.models.understudy.choosing import choose
from cuelight.models.understudy.hearing import clean
from cuelight.models.understudy.lines import Line, Unknown, field_of, spoken, today_of
from cuelight.models.understudy.picking import pick
from cuelight.models.understudy.shapes import Scope, Slot
from cuelight.models.understudy.sheet import CueSheet
from cuelight.ports import ModelRequest

__all__ = ["Picked", "Result", "Scene", "Text", "Utterance", "in_words"]

_PREVIEW = re.compile(r"\s*\(the first \d+ of \d+\)\s*")


class Text(str):
    """A result that is words, not data: a tool's own, or those of an error."""


class Picked(NamedTuple):
    """A piece as it is passed to a tool, and as it is said."""

    value: Any
    shown: Any


@dataclass(frozen=True)
class Result:
    """One call of a tool with what it answered.

    That of a call which waited for the caller's yes is what came of their answer.
    """

    tool: str
    arguments: Mapping[str, Any]
    value: Any
    answer: Literal["yes", "no", "open"] | None = None
    """What the caller was taken to have answered; open where that was neither, and the call still waits."""

    @property
    def declined(self) -> bool:
        return self.answer == "no"


class Utterance(NamedTuple):
    """What the caller said once, what the agent had said before, and how many results there were by then."""

    text: str
    before: str
    results: int
    last: str = ""
    """The last line of what the agent had said."""


class Scene:
    """Read a request, without changing it or keeping it."""

    def __init__(self, request: ModelRequest, sheet: CueSheet, today: Callable[[], date]) -> None:
        self.request = request
        self.sheet = sheet
        self._clock = today
        self.utterances: list[Utterance] = []
        self.results: list[Result] = []
        self.this_turn = 0  # from which of the results on they are of the turn that is being answered
        self.agent_lines = 0
        self.asked: list[tuple[str, Mapping[str, Any]]] = []  # the calls that wait for the caller's yes
        self._pieces: dict[tuple[str, bool], Picked | None] = {}
        self._read(request.history)

    def _read(self, history: Sequence[Message]) -> None:
        before = last = ""
        calls: dict[str, tuple[str, Mapping[str, Any]]] = {}
        for message in history:
            if message.role == "user":
                self.utterances.append(Utterance(message.content, before, len(self.results), last))
                self.this_turn = len(self.results)
                before = last = ""
            elif message.role == "assistant":
                last = message.content or last
                before = f"{before} {message.content}".strip()
                self.agent_lines += 1
                calls.update((call.id, (call.name, _object(call.arguments))) for call in message.tool_calls)
            elif message.tool_call_id in calls:
                self.results.append(self._resulted(calls, *calls[message.tool_call_id], message.content))
        self.asked = [calls.get(call_id, (tool, {})) for call_id, tool in self.request.pending]

    def _resulted(
        self, calls: Mapping[str, tuple[str, Mapping[str, Any]]], tool: str, arguments: Mapping[str, Any], content: str
    ) -> Result:
        """Read a result; what came of an answer of the caller's is that of the call which waited for it."""
        value, call_id = _result(content), arguments.get("call_id")
        waited = calls.get(call_id) if isinstance(call_id, str) else None
        if tool != ANSWER_TOOL or waited is None:
            return Result(tool, arguments, value)
        if any(call_id == pending for pending, _ in self.request.pending):
            return Result(*waited, value, "open")
        return Result(*waited, value, "yes" if arguments.get("answer") == "yes" else "no")

    # --- what was heard -----------------------------------------------------------------------------------------------

    @cached_property
    def heard(self) -> str:
        """The caller's newest words, cleaned."""
        return clean(self.utterances[-1].text) if self.utterances else ""

    @cached_property
    def consent(self) -> bool | None:
        """Whether the caller's newest words are a clear yes, a clear no, or neither."""
        return is_consent(self.utterances[-1].text, self.sheet.language) if self.utterances else None

    @property
    def said(self) -> str:
        """What the agent had said before that, without a question that is put again by itself."""
        newest = self.utterances[-1]
        return newest.before.removesuffix(newest.last).strip() if self.asked else newest.before

    @cached_property
    def today(self) -> date:
        if self.sheet.today is not None and (told := self._told(self.sheet.today)):
            return today_of(told) or self._clock()
        return self._clock()

    def piece(self, slot: Slot, *, recall: bool) -> Picked | None:
        """Pick a slot out of the newest words, or, where it may be recalled, out of the newest that hold it."""
        key = (slot.name, recall)
        if key not in self._pieces:
            heard = reversed(self.utterances if recall else self.utterances[-1:])
            self._pieces[key] = next((picked for each in heard if (picked := self._picked(slot, each))), None)
        return self._pieces[key]

    def meant(self, slot: Slot) -> list[Any]:
        """The rows that the newest words leave of those a choice is made from; none where they rule none out."""
        rows = self.rows(slot.source, slot.path)
        return [rows[index] for index in self._chosen(slot, self.utterances[-1], rows)]

    def _picked(self, slot: Slot, utterance: Utterance) -> Picked | None:
        if slot.kind == "choice":
            rows = self.rows(slot.source, slot.path)
            chosen = self._chosen(slot, utterance, rows)
            if len(chosen) != 1:
                return None
            row = rows[chosen[0]]
            return Picked(field_of(row, slot.value), self._row(row, slot.each))
        if slot.source is not None and self._chosen(slot, utterance, self.rows(slot.source, slot.path)):
            return None  # it is one of the rows that this piece is to be besides
        last = self._last_day(utterance) if slot.kind == "date" else None
        value = pick(slot, utterance.text, self.today, asked=self._asked(slot, utterance), last=last)
        return None if value is None else Picked(value, value)

    def _chosen(self, slot: Slot, utterance: Utterance, rows: Sequence[Any]) -> list[int]:
        offered = _listed(utterance.before, [self._row(row, slot.each) for row in rows])
        asked = self._asked(slot, utterance)
        return choose(clean(utterance.text), rows, self.today, asked=asked, offered=offered)

    def _asked(self, slot: Slot, utterance: Utterance) -> bool:
        return any(shape.search(utterance.before) for shape in self.sheet.asking[slot.name])

    def _last_day(self, utterance: Utterance) -> date | None:
        """The day that a tool had last been asked about when something was said; where it chose one itself, that."""
        for result in reversed(self.results[: utterance.results]):
            for value in (*result.arguments.values(), *_values(result.value)):
                if isinstance(value, str) and (day := today_of(value)):
                    return day
        return None

    # --- what is known ------------------------------------------------------------------------------------------------

    def applies(self, scope: Scope) -> bool:
        """Whether a part of the sheet applies at this point."""
        if scope.stages is not None and self.request.stage not in scope.stages:
            return False
        if scope.view is not None and not scope.view.search(self.request.view):
            return False
        return scope.once is None or any(scope.once.search(clean(each.text)) for each in self.utterances)

    def rows(self, tool: str | None, path: str = "") -> list[Any]:
        """The rows that a tool gave last, under a path where they are part of its answer; a single thing is one row."""
        value = field_of(self.last_of(tool, words=False), path)
        return value if isinstance(value, list) else [] if value is None else [value]

    def last_of(self, tool: str | None, *, words: bool) -> Any:
        """What a tool answered last; without words, the last that was data."""
        given = (result.value for result in reversed(self.results) if result.tool == tool)
        return next((value for value in given if words or not isinstance(value, Text)), None)

    def told(self, name: str) -> str | None:
        """Read what the sheet finds in the prompt under a name."""
        return self._told(self.sheet.view[name])

    def _told(self, expression: re.Pattern[str]) -> str | None:
        for text in (self.request.view, self.request.static):
            if match := expression.search(text):
                return (match[1] or "").strip() or None
        return None

    def within(self, row: Any) -> Callable[[str], Any]:
        """Look names up in a row: its fields, and `item` for the row itself."""
        return lambda path: (
            field_of(row, path.partition(".")[2]) if path.split(".")[0] == "item" else field_of(row, path)
        )

    def each(self, tool: str | None, each: Line | None, most: int) -> str | None:
        """Say the rows that a tool answered with, or those that the newest words leave of them."""
        choices = (slot for slot in self.sheet.slots.values() if slot.kind == "choice")
        slot = next((slot for slot in choices if slot.source == tool), None)
        if slot is None:
            rows = self.rows(tool)
        else:
            rows = self.meant(slot) or self.rows(tool, slot.path)
            each = each or slot.each
        return spoken([self._row(row, each) for row in rows[:most]]) if rows else None

    def _row(self, row: Any, each: Line | None) -> str:
        """Say a row; one that lacks what its line says is said field by field."""
        try:
            return each.fill(self.within(row)) if each else spoken(row)
        except Unknown:
            return spoken(row)


def in_words(value: Any) -> bool:
    """Whether a tool answered with words in the place of data; the standard ones of a tool that is done are none."""
    return isinstance(value, Text) and value != VALIDATED


def _values(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, Mapping) else ()


def _listed(text: str, rows: Sequence[str]) -> list[int]:
    """Find which rows a text lists in one go: others that it names besides were not offered."""
    if not any(rows):
        return []
    one = "|".join(re.escape(row) for row in sorted(filter(None, rows), key=len, reverse=True))
    lists = re.findall(rf"(?:{one})(?:(?:,|,? and|,? or) (?:{one}))*", text, re.IGNORECASE)
    listed = max(reversed(lists), key=len, default="").casefold()
    return [index for index, row in enumerate(rows) if row and row.casefold() in listed]


def _object(arguments: str) -> Mapping[str, Any]:
    try:
        value = msgspec.json.decode(arguments)
    except msgspec.DecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _result(content: str) -> Any:
    """Read a result as the history holds it: JSON, perhaps the beginning of a long list, or else words."""
    try:
        value, end = json.JSONDecoder().raw_decode(content)
    except (ValueError, RecursionError):
        return Text(content)
    rest = content[end:]
    return value if not rest.strip() or _PREVIEW.fullmatch(rest) else Text(content)
