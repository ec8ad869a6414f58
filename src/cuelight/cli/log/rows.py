"""One entry on one line, for people."""

from collections.abc import Callable
from typing import Any

from cuelight.cli.transcript import brief, clean, seconds
from cuelight.errors import BadEntry
from cuelight.wire import Entry

__all__ = ["gist"]

_Data = dict[str, Any]


def gist(entry: Entry) -> str:
    """Say on one line what an entry holds, the most telling part first."""
    try:
        data = entry.data
    except BadEntry as error:
        return f"({error})"
    tell = _TELLING.get(entry.type, _plainly)
    try:
        said = tell(data)
    except (KeyError, TypeError, AttributeError, ValueError):  # data in another shape than its type has
        said = _plainly(data)
    return " ".join(clean(said).split())


def _plainly(data: _Data) -> str:
    return ", ".join(f"{name}={brief(value)}" for name, value in data.items())


def _call(data: _Data) -> str:
    arguments = ", ".join(f"{name}={brief(value)}" for name, value in data["arguments"].items())
    return f"{data['name']}({arguments})"


def _result(data: _Data) -> str:
    failed = data.get("error") is not None
    outcome = f"failed: {data['error']}" if failed else f"→ {brief(data.get('output'))}"
    took = f" · {seconds(data['duration_s'])}" if "duration_s" in data else ""
    return f"{data['name']} {outcome}{took}"


def _question(data: _Data) -> str:
    return f"{_call({**data, 'name': data['tool']})} · “{data['phrase']}” · {data['ttl_s']} s"


def _answer(data: _Data) -> str:
    said = f"“{data['said']}”" if data.get("said") else ""
    return " · ".join(part for part in (data["tool"], data.get("reason", ""), said) if part)


def _state(data: _Data) -> str:
    state, changed = data["state"], data["changed"]
    return ", ".join(f"{name}={brief(state.get(name))}" for name in changed) or "nothing"


def _request(data: _Data) -> str:
    took = f"{data['label']} · {data['prompt_tokens']} tokens in, {data['completion_tokens']} out"
    return f"{took} · {seconds(data['duration'])}{' · cut' if data['cancelled'] else ''}"


def _reply(data: _Data) -> str:
    calls = ", ".join(call["name"] for call in data["calls"])
    return " · ".join(part for part in (data["text"], f"calls {calls}" if calls else "", data["finish"]) if part)


def _summary(data: _Data) -> str:
    turns = f"{data['turns']} turn{'' if data['turns'] == 1 else 's'}"
    return f"{data['outcome']} · {turns} · {seconds(data['duration_s'])}"


_TELLING: dict[str, Callable[[_Data], str]] = {
    "call.ended": lambda data: f"{data['reason']}, by {data['ended_by']} · {seconds(data['duration_s'])}",
    "call.started": lambda data: f"{data['channel']}, {data['direction']}",
    "call.summary": _summary,
    "confirm.declined": _answer,
    "confirm.granted": _answer,
    "confirm.request": _question,
    "cue.refused": lambda data: f"{data['name']} did not run: {data['reason']}",
    "cue.reply": _reply,
    "cue.said": lambda data: f"{data['by']}: {data['text']}",
    "error": lambda data: f"{data['code']}: {data['message']}",
    "metrics.llm": _request,
    "prompt.changed": lambda data: f"{data['name']} · {data['chars']} characters · {data['hash'][:12]}",
    "state.changed": _state,
    "tool.call": _call,
    "tool.result": _result,
    "tools.changed": lambda data: ", ".join(data["visible"]) or "none",
    "turn.agent": lambda data: f"{data['text']}{' (cut off)' if data['interrupted'] else ''}",
    "turn.user": lambda data: data["text"],
}
