"""Say why a golden failed: what was expected, what came, and how things stood."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from cuelight.agent import Agent
from cuelight.testing.goldens.comparing import shown
from cuelight.testing.goldens.fitting import named
from cuelight.testing.goldens.judging import Fault
from cuelight.testing.goldens.names import other_day
from cuelight.testing.goldens.reading import GoldenFile
from cuelight.testing.goldens.shape import Turn
from cuelight.testing.goldens.source import Where
from cuelight.testing.goldens.window import Window
from cuelight.testing.rehearsal import Rehearsal
from cuelight.wire import Entry

__all__ = ["failure_text"]

_TOLD = (
    "turn.", "tool.", "state.changed", "event.received", "error", "call.ended", "confirm.", "cue.route", "cue.refused",
)  # fmt: skip
_UNTOLD = ("audience", "call_id", "seq", "speech_id", "ttl_s")


def failure_text(
    read: GoldenFile, fault: Fault | None, error: str | None, call: Rehearsal[Agent] | None, window: Window | None
) -> str:
    """Write the failure of a golden, private values masked.

    Args:
        read: the golden.
        fault: the part that broke, or None where the call itself did.
        error: why the call did.
        call: the call, as far as it came.
        window: its last turn.
    """
    mask = (lambda text: text) if call is None else call.live.secrets.text
    lines = [f"{read.golden.name}: failed"]
    if fault is not None:
        # What the golden's own file says is no secret of the call, and must be seen to be mended.
        lines = [f"{read.golden.name}: {_named(read, fault.where)}"]
        lines.append(f"  at        {read.place(fault.where)}")
        lines.append(f"  expected  {fault.expected}")
        lines.append(f"  came      {mask(fault.came)}")
    if error is not None:
        lines.append(f"  {mask(error)}")
    if call is not None and window is not None:
        came = [f"    {line}" for line in _told(window)] or ["    nothing"]
        turn = "the last turn" if fault is None or fault.where[0] in ("expect", "model") else "this turn"
        lines += ["", f"  what came in {turn}:", *map(mask, [*came, "", *_standing(call, window)])]
        if note := other_day(read, call.agent, window.after.state):
            lines.append(f"  note      {note}")
    return "\n".join(lines)


def _named(read: GoldenFile, where: Where) -> str:
    """Name a part of a golden: "turn 2 (say: Tuesday), then 1"."""
    turn, rest = where[:2], where[2:]
    if turn[:1] != ("turns",):
        return named(where)
    check = f", {named(rest)}" if rest else ""
    return f"{named(turn)} ({_happens(read.golden.turns[int(where[1])])}){check}"


def _happens(turn: Turn) -> str:
    if turn.say is not UNSET:
        return f"say: {turn.say}"
    if turn.event is not UNSET:
        return f"event: {turn.event.name}"
    return "the opening" if turn.wait is UNSET else f"wait: {turn.wait:g}"


def _told(window: Window) -> Iterator[str]:
    for entry in window.told:
        if entry.type.startswith(_TOLD):
            yield f"{entry.seq:>4}  {entry.type:<15} {_about(entry)}"


def _about(entry: Entry) -> str:
    data: dict[str, Any] = entry.data
    if entry.type == "tool.call":
        return f"{data['name']} {shown(data['arguments'])}"
    if entry.type == "tool.result":
        return f"{data['name']} → {data.get('error') or shown(data.get('output'))}"
    if entry.type == "state.changed":
        return shown({name: data["state"].get(name) for name in data["changed"]})
    if entry.type == "error":
        return f"{data['code']}: {data['message']}"
    if entry.type == "call.ended":
        return str(data["reason"])
    if "text" in data:
        return shown(data["text"])
    return shown({name: value for name, value in data.items() if name not in _UNTOLD})


def _standing(call: Rehearsal[Agent], window: Window) -> list[str]:
    """Say how things stood when it broke: the stage, the tools, and the view of the last request."""
    stage = [f"  stage     {window.after.stage}"] if window.after.stage else []
    visible = f"  visible   {', '.join(window.after.visible) or 'none'}"
    view = call.live.secrets.text(call.requests[-1].view) if call.requests else ""
    asked = [
        f"  view      {line}" if index == 0 else f"            {line}" for index, line in enumerate(view.splitlines())
    ]
    return [*stage, visible, *asked]
