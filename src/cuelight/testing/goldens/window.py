"""What one turn of a golden brought, by the log alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cuelight.agent import ANSWER_TOOL
from cuelight.log import Record, Secrets, disclose, unmasked
from cuelight.wire import Entry

__all__ = ["START", "Moment", "Run", "Window"]


@dataclass(frozen=True)
class Moment:
    """Say how things stand at one point of a log: the author's state, and the tools that are visible."""

    state: Mapping[str, Any]
    told: Mapping[str, Any]
    """The state as it may be told, private values masked."""
    visible: tuple[str, ...]
    asked: Mapping[str, tuple[Entry, Entry]] = field(default_factory=dict)
    """Every question that was put to the caller, by its call's id, and the same as it may be told."""

    @property
    def stage(self) -> str:
        """The stage or step; empty where there are none."""
        return str(self.state.get("stage", ""))


@dataclass(frozen=True)
class Run:
    """Say how a tool ran: what it was given, and what came of it, its output or the error; and the same as told."""

    name: str
    arguments: Mapping[str, Any]
    told_arguments: Mapping[str, Any]
    came: Any
    told: Any

    @property
    def is_answer(self) -> bool:
        """Whether a model said by it what the caller answered: a part of asking them, and no tool of the author's."""
        return self.name == ANSWER_TOOL


START = Moment({}, {}, ())
"""How things stand before a call has opened."""


class Window:
    """Hold the entries of one turn, and how things stood before and after each.

    Args:
        records: of the turn.
        secrets: the call's private values.
        before: how things stood as it began.
    """

    def __init__(self, records: Sequence[Record], secrets: Secrets, before: Moment) -> None:
        self.entries = [unmasked(record) for record in records]
        """What is judged: private values are in their places."""
        self.told = disclose(records, secrets)
        """What is told of them: private values are masked."""
        self._moments = [before]
        for entry, told in zip(self.entries, self.told, strict=True):
            now = self._moments[-1]
            if entry.type == "state.changed":
                now = replace(now, state=entry.data["state"], told=told.data["state"])
            elif entry.type == "tools.changed":
                now = replace(now, visible=tuple(entry.data["visible"]))
            elif entry.type == "confirm.request":
                now = replace(now, asked={**now.asked, entry.data["call_id"]: (entry, told)})
            self._moments.append(now)
        self._results = {
            entry.data["call_id"]: (entry.data, told.data)
            for entry, told in zip(self.entries, self.told, strict=True)
            if entry.type == "tool.result"
        }
        self._refused = {entry.data["call_id"] for entry in self.entries if entry.type == "cue.refused"}

    def before(self, index: int) -> Moment:
        """Say how things stood before an entry."""
        return self._moments[index]

    @property
    def after(self) -> Moment:
        """How things stand when the turn is over."""
        return self._moments[-1]

    def run(self, index: int) -> Run | None:
        """Give what ran at an entry: where it was called, or where the caller had said yes to it; None elsewhere."""
        entry, told = self.entries[index], self.told[index]
        if entry.type == "confirm.granted":
            request, told_request = self.after.asked[entry.data["call_id"]]
            return self._ran(entry.data["tool"], request, told_request)
        if entry.type != "tool.call" or self.was_refused(entry) or self.is_asked(entry):
            return None
        return self._ran(entry.data["name"], entry, told)

    @property
    def runs(self) -> Iterator[tuple[int, Run]]:
        """The tools that ran, each with its entry's index."""
        return ((index, run) for index in range(len(self.entries)) if (run := self.run(index)) is not None)

    @property
    def failures(self) -> Iterator[int]:
        """Where tools that ran failed in their own words; of any other failure there is an error entry."""
        ran = {self.entries[index].data["call_id"] for index, run in self.runs if not run.is_answer}
        for index, entry in enumerate(self.entries):
            if entry.type == "tool.result" and entry.data.get("error") is not None and entry.data["call_id"] in ran:
                before = self.entries[max(0, index - 2) : index]
                if all(earlier.type not in ("error", "cue.unknown") for earlier in before):
                    yield index

    def is_asked(self, entry: Entry) -> bool:
        """Tell whether an entry is a tool call about which the caller is asked first."""
        return entry.type == "tool.call" and entry.data["call_id"] in self.after.asked

    def was_refused(self, entry: Entry) -> bool:
        """Tell whether an entry is a tool call that was answered without running it."""
        return entry.type == "tool.call" and entry.data["call_id"] in self._refused

    def result(self, entry: Entry) -> tuple[Any, Any]:
        """Give what came of a tool call, its output or the error, and the same as it may be told."""
        whole, told = self._results.get(entry.data["call_id"], ({}, {}))
        return _came(whole), _came(told)

    def _ran(self, name: str, called: Entry, told: Entry) -> Run:
        return Run(name, called.data["arguments"], told.data["arguments"], *self.result(called))

    @property
    def said(self) -> str:
        """Everything that was said in it, a line break between."""
        return "\n".join(entry.data["text"] for entry in self.entries if entry.type == "turn.agent")

    @property
    def requests(self) -> int:
        """How often the model was asked."""
        return sum(entry.type == "metrics.llm" for entry in self.entries)


def _came(result: Mapping[str, Any]) -> Any:
    return result.get("output", result.get("error"))
