"""Judge that guarded tools ran with a yes alone, by the entries of the whole call."""

from collections.abc import Sequence

from cuelight.testing.goldens.judging import Finding
from cuelight.wire import Entry

__all__ = ["judge_yes"]


def judge_yes(entries: Sequence[Entry], tool: str) -> Finding:
    """Judge that each run of a tool came after its question, which was spoken, and after the caller's yes to that.

    A call has run where it has a result, and was neither refused nor declined.

    Args:
        entries: of the whole call, private values in place.
        tool: its name.
    """
    stopped = {entry.data["call_id"] for entry in entries if entry.type in ("cue.refused", "confirm.declined")}
    for index, entry in enumerate(entries):
        if entry.type != "tool.result" or entry.data["name"] != tool or entry.data["call_id"] in stopped:
            continue
        lack = _lack(entries[:index], entry.data["call_id"])
        if lack is not None:
            return f"{tool} runs only after a yes", f"it ran, at entry {entry.seq}, {lack}"
    return None


def _lack(before: Sequence[Entry], call_id: str) -> str | None:
    """Say what was missing before a call ran; None where nothing was."""
    request = _find(before, "confirm.request", call_id)
    if request is None:
        return "and nobody was asked"
    granted = _find(before, "confirm.granted", call_id)
    if granted is None or granted < request:
        return "and nobody had said yes"
    asked, yes = before[request].data, before[granted].data
    if asked["audience"] != yes["audience"]:
        return "and the yes was to other arguments"
    heard = [
        index for index in range(request, granted)
        if before[index].type == "turn.agent" and _holds(before[index].data["text"], asked["phrase"])
    ]  # fmt: skip
    if not heard:
        return "and the question was never spoken"
    answers = (entry for entry in before[heard[-1] : granted] if entry.type == "turn.user")
    if not any(_holds(entry.data["text"], yes["said"]) for entry in answers):
        return "and the caller had not spoken after the question"
    return None


def _find(entries: Sequence[Entry], kind: str, call_id: str) -> int | None:
    found = (index for index, entry in enumerate(entries) if entry.type == kind and entry.data["call_id"] == call_id)
    return next(found, None)


def _holds(text: str, words: str) -> bool:
    return "".join(words.split()) in "".join(text.split())
