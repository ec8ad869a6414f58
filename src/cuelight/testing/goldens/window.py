"""What one turn of a golden brought, by the log alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuelight.log import Record, Secrets, disclose, unmasked
from cuelight.wire import Entry

__all__ = ["START", "Moment", "Window"]


@dataclass(frozen=True)
class Moment:
    """Say how things stand at one point of a log: the author's state, and the tools that are visible."""

    state: Mapping[str, Any]
    told: Mapping[str, Any]
    """The state as it may be told, private values masked."""
    visible: tuple[str, ...]

    @property
    def stage(self) -> str:
        """The stage or step; empty where there are none."""
        return str(self.state.get("stage", ""))


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
                now = Moment(entry.data["state"], told.data["state"], now.visible)
            elif entry.type == "tools.changed":
                now = Moment(now.state, now.told, tuple(entry.data["visible"]))
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

    def ran(self, entry: Entry) -> bool:
        """Tell whether an entry is a tool call that ran."""
        return entry.type == "tool.call" and entry.data["call_id"] not in self._refused

    def was_refused(self, entry: Entry) -> bool:
        """Tell whether an entry is a tool call that was answered without running it."""
        return entry.type == "tool.call" and entry.data["call_id"] in self._refused

    def result(self, entry: Entry) -> tuple[Any, Any]:
        """Give what came of a tool call, its output or the error, and the same as it may be told."""
        whole, told = self._results.get(entry.data["call_id"], ({}, {}))
        return _came(whole), _came(told)

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
