"""What one turn of a golden brought, by the log alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuelight.wire import Entry

__all__ = ["Moment", "Window"]


@dataclass(frozen=True)
class Moment:
    """Say how things stand at one point of a log: the author's state, and the tools that are visible."""

    state: Mapping[str, Any]
    visible: tuple[str, ...]

    @property
    def stage(self) -> str:
        """The stage or step; empty where there are none."""
        return str(self.state.get("stage", ""))


class Window:
    """Hold the entries of one turn, private values in place, and how things stood after each.

    Args:
        entries: of the turn.
        before: how things stood as it began.
    """

    def __init__(self, entries: Sequence[Entry], before: Moment) -> None:
        self.entries = entries
        self._moments = [before]
        for entry in entries:
            now = self._moments[-1]
            if entry.type == "state.changed":
                now = Moment(entry.data["state"], now.visible)
            elif entry.type == "tools.changed":
                now = Moment(now.state, tuple(entry.data["visible"]))
            self._moments.append(now)
        self.results = {entry.data["call_id"]: entry.data for entry in entries if entry.type == "tool.result"}
        self.refused = {entry.data["call_id"] for entry in entries if entry.type == "cue.refused"}

    def before(self, index: int) -> Moment:
        """Say how things stood before an entry."""
        return self._moments[index]

    @property
    def after(self) -> Moment:
        """How things stand when the turn is over."""
        return self._moments[-1]

    def ran(self, entry: Entry) -> bool:
        """Tell whether an entry is a tool call that ran."""
        return entry.type == "tool.call" and entry.data["call_id"] not in self.refused

    def was_refused(self, entry: Entry) -> bool:
        """Tell whether an entry is a tool call that was answered without running it."""
        return entry.type == "tool.call" and entry.data["call_id"] in self.refused

    @property
    def said(self) -> str:
        """Everything that was said in it, a line break between."""
        return "\n".join(entry.data["text"] for entry in self.entries if entry.type == "turn.agent")

    @property
    def requests(self) -> int:
        """How often the model was asked."""
        return sum(entry.type == "metrics.llm" for entry in self.entries)
