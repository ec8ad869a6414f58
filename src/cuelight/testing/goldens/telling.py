"""What a stored turn brought, as the checks of a golden."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from cuelight.agent import ANSWER_TOOL
from cuelight.flow import VALIDATED
from cuelight.models.cassette.volatile import Volatile
from cuelight.testing.goldens.standins import StandIns
from cuelight.testing.goldens.stretches import Stretch
from cuelight.wire import Entry

__all__ = ["GONE", "Teller", "lasting"]

_Check = dict[str, Any]

_MARKS = re.compile(r"⟨(?:time|(?:id|call) \d+)⟩")
GONE = object()
"""Stands for a value that is another in every run."""


class Teller:
    """Tell the turns of a call one after another.

    Args:
        stand_ins: what stands in for the call's private values.
        cursor: what the place in the conversation is called: "stage", or "step" in a flow.
    """

    def __init__(self, stand_ins: StandIns, cursor: str) -> None:
        self._stand_ins = stand_ins
        self._cursor = cursor
        self._stage: str | None = None
        self._asked: dict[str, tuple[Stretch, Entry]] = {}
        """The questions that were put to the caller, by their calls' ids."""
        self._open: set[str] = set()
        """Those of them that wait for an answer."""

    def turn(self, part: Stretch) -> dict[str, Any] | None:
        """Write a turn with everything that code decided in it; None is an opening with nothing to tell of.

        What the model said is not among it: that is the model's, and in the cassette.
        """
        cause = part.cause
        checks = self._checks(part)
        if cause is None:
            return {"then": checks} if checks else None
        if cause.type == "turn.user":
            said: dict[str, Any] = {"say": self._stand_ins.text(cause.data["text"])}
        else:
            data = part.member(cause, "data", self._stand_ins)
            said = {"event": {"name": self._stand_ins.text(cause.data["name"]), **({"data": data} if data else {})}}
        return {**said, "then": checks or [{"no_tool": True}]}

    def _checks(self, part: Stretch) -> list[_Check]:
        self._asked |= {one.data["call_id"]: (part, one) for one in part.entries if one.type == "confirm.request"}
        left_open = self._leaves_open(part)
        checks: list[_Check] = []
        for entry in part.entries:
            for check in self._told(part, entry):
                if self._cursor in check and checks and self._cursor in checks[-1]:
                    checks.pop()  # nothing happened between the two
                checks.append(check)
        if left_open and not any("tool" in check for check in checks):
            checks.append({"no_tool": True})
        lines = [line for entry in part.entries if _is_codes(entry) for line in self._lines(entry.data["text"])]
        if lines:
            checks.append({"reply": {"says": _says(lines)}})
        return checks

    def _leaves_open(self, part: Stretch) -> bool:
        """Follow what becomes of the questions; tells whether the caller's words left all open that were so before."""
        before = frozenset(self._open)
        for entry in part.entries:
            if entry.type == "confirm.request":
                self._open.add(entry.data["call_id"])
            elif entry.type.startswith("confirm."):
                self._open.discard(entry.data["call_id"])
        spoken = part.cause is not None and part.cause.type == "turn.user"
        return spoken and bool(before) and before <= self._open

    def _told(self, part: Stretch, entry: Entry) -> Iterator[_Check]:
        data = entry.data
        if entry.type == "state.changed":
            stage = data["state"].get("stage")
            if isinstance(stage, str) and stage and stage != self._stage:
                self._stage = stage
                yield {self._cursor: stage}
        elif entry.type == "tool.call":
            yield from self._call(part, entry)
        elif entry.type.startswith("confirm."):
            yield from self._confirm(part, entry)
        elif entry.type == "cue.route":
            yield {"route": _route(data)}
        elif entry.type == "error":
            # One that was too slow fails when it is replayed, as time stands still.
            yield {"error": "model-failed" if data["code"] == "model-too-slow" else data["code"]}
        elif entry.type == "call.ended":
            yield {"end": self._stand_ins.text(data["reason"])}

    def _call(self, part: Stretch, entry: Entry) -> Iterator[_Check]:
        name, call_id = entry.data["name"], entry.data["call_id"]
        if any(one.type == "cue.refused" and one.data["call_id"] == call_id for one in part.entries):
            yield {"refused": name if name.isidentifier() else self._stand_ins.text(name)}
        elif call_id not in self._asked and name != ANSWER_TOOL:
            yield self._ran(part, name, part, entry)

    def _confirm(self, part: Stretch, entry: Entry) -> Iterator[_Check]:
        """Tell of a question that was put to the caller, or of what they answered; after a yes the tool runs."""
        tool, status = entry.data["tool"], entry.type.removeprefix("confirm.")
        more = {"reason": entry.data["reason"]} if status == "declined" else {}
        if status == "request":
            status, phrase = "asked", list(self._lines(entry.data["phrase"]))
            more = {"phrase": _says(phrase)} if phrase else {}
        yield {"confirm": {"tool": tool, "status": status, **more}}
        if status == "granted":
            yield self._ran(part, tool, *self._asked[entry.data["call_id"]])

    def _ran(self, part: Stretch, name: str, called_in: Stretch, called: Entry) -> _Check:
        """Tell of a tool that ran in one turn, and was called in this or an earlier one."""
        check: _Check = {"tool": name}
        arguments = called_in.member(called, "arguments", self._stand_ins)
        if arguments and (kept := lasting(called.data["arguments"], arguments)) is not GONE:
            check["args"] = kept
        call_id = called.data["call_id"]
        results = (one for one in part.entries if one.type == "tool.result" and one.data["call_id"] == call_id)
        if (result := next(results, None)) is not None:
            kind = "error" if result.data.get("error") is not None else "output"
            kept = lasting(result.data.get(kind), part.member(result, kind, self._stand_ins))
            if kept is not GONE and kept != VALIDATED:
                check["result"] = kept
        return check

    def _lines(self, text: str) -> Iterator[str]:
        """Give what of a line is the same in every run."""
        marked = Volatile().text(text)
        for piece in [text] if marked == text else _MARKS.split(marked):
            if piece.strip():
                yield self._stand_ins.text(piece.strip())


def _is_codes(entry: Entry) -> bool:
    return entry.type == "cue.said" and entry.data["by"] != "model"


def _says(lines: list[str]) -> str | list[str]:
    says = list(dict.fromkeys(lines))
    return says if len(says) > 1 else says[0]


def _route(data: dict[str, Any]) -> dict[str, Any]:
    told = {"kind": data["kind"]}
    told |= {"to": data["to"]} if "to" in data else {}
    return told if data["applied"] else {**told, "applied": False}


def lasting(full: Any, written: Any, key: str = "") -> Any:
    """Give what of a value is the same in every run; `GONE` where nothing is.

    What is not, ids and readings of clocks, is left out of objects. Lists are left out as a whole, as those that are
    compared have the same items.

    Args:
        full: the value as it came, plain JSON.
        written: the same with stand-ins.
        key: what it is called in the object it is in.
    """
    if isinstance(full, dict):
        pairs = zip(full.items(), written.items(), strict=True)
        members = {name: lasting(item, other, old) for (old, item), (name, other) in pairs}
        kept = {name: item for name, item in members.items() if item is not GONE}
        return kept if kept or not full else GONE
    if isinstance(full, list):
        items = [lasting(item, other, key) for item, other in zip(full, written, strict=True)]
        return GONE if any(item is GONE for item in items) else items
    text = msgspec.json.encode({key: full}).decode()
    return written if Volatile().text(text) == text else GONE
