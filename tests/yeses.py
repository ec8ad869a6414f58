"""What law 11 promises, read from a log alone: no guarded tool did anything without a yes to exactly that."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cuelight.agent import is_consent
from cuelight.log import reduce
from cuelight.wire import Entry
from lawbook import entries

__all__ = ["asked", "check_yeses", "declined", "granted", "statuses"]


def asked(log: Sequence[Entry]) -> list[str]:
    """Give the phrases that were asked about, in order."""
    return [one.data["phrase"] for one in entries(log, "confirm.request")]


def granted(log: Sequence[Entry]) -> list[tuple[str, str]]:
    return [(one.data["tool"], one.data["said"]) for one in entries(log, "confirm.granted")]


def declined(log: Sequence[Entry]) -> list[tuple[str, str]]:
    return [(one.data["tool"], one.data["reason"]) for one in entries(log, "confirm.declined")]


def statuses(call: Any) -> list[tuple[str, str, str | None]]:
    """Give the confirmations of a call's State, as (tool, status, reason)."""
    return [(one.tool, str(one.status), one.reason or None) for one in call.state.confirms]


def check_yeses(
    log: Sequence[Entry],
    guarded: set[str],
    *,
    judge: Callable[[str], bool | None] = is_consent,
    restarts: Sequence[int] = (),
    came_in: Mapping[str, int] | None = None,
) -> int:
    """Check every effect of the guarded tools of a log; gives how many there were.

    A guarded tool of such a log notes each effect as a `custom` entry `ran` with its `key` and `arguments`, and it may
    note as its `phrase` what would be asked as things stand then.

    Args:
        log: the whole log, private values in place or none in it.
        guarded: the names of the guarded tools.
        judge: what takes words for a yes.
        restarts: how many entries the log held each time the call was taken up again.
        came_in: how many entries it held when words came in, where that is known.
    """
    effects = [one for one in entries(log, "custom") if one.data["name"] == "ran"]
    ids = [one.data["data"]["key"].partition("/")[2] for one in effects]
    assert set(Counter(ids).values()) <= {1}, "an effect happened twice"
    for effect, call_id in zip(effects, ids, strict=True):
        _check_effect(log[: effect.seq], effect, call_id, judge, restarts, came_in or {})
    _check_ends(log, guarded, set(ids))
    return len(effects)


def _of(log: Sequence[Entry], type_: str, call_id: str) -> list[Entry]:
    return [one for one in entries(log, type_) if one.data["call_id"] == call_id]


def _check_effect(
    before: Sequence[Entry],
    effect: Entry,
    call_id: str,
    judge: Callable[[str], bool | None],
    restarts: Sequence[int],
    came_in: Mapping[str, int],
) -> None:
    """Check what came before one effect."""
    (request,) = _of(before, "confirm.request", call_id)
    (grant,) = _of(before, "confirm.granted", call_id)
    assert not _of(before, "confirm.declined", call_id)
    assert not _of(before, "tool.result", call_id), "its result was there before its effect"
    assert request.data["arguments"] == effect.data["data"]["arguments"], "what ran is not what was asked about"
    assert effect.data["data"].get("phrase") in (None, request.data["phrase"]), "what ran would be asked otherwise"
    assert request.data["audience"] == grant.data["audience"] == _audience(request)
    user = entries(before[: grant.seq - 1], "turn.user")[-1]
    assert grant.data["said"] == user.data["text"]
    assert judge(user.data["text"]) is True
    words = entries(before[: user.seq - 1], "cue.said")[-1]
    assert (words.data["by"], words.data["text"]) == ("code", request.data["phrase"])
    assert request.seq < words.seq <= came_in.get(user.data["text"], words.seq), "said before it was asked"
    turn = entries(before[: user.seq - 1], "turn.agent")[-1]
    assert turn.data["speech_id"] == words.data["speech_id"]
    assert not turn.data["interrupted"]
    assert turn.data["text"].endswith(request.data["phrase"])
    between = before[turn.seq - 1 : user.seq - 1]
    for heard in entries(between, "cue.heard"):
        assert "".join(heard.data["text"].split()).endswith("".join(request.data["phrase"].split()))
    assert user.ts - words.ts <= request.data["ttl_s"]
    assert not [length for length in restarts if words.seq <= length < user.seq], "asked before a restart"


def _audience(request: Entry) -> str:
    """Make the fingerprint of a call by other means than the engine does."""
    text = json.dumps(
        [request.data["tool"], request.data["arguments"]], sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _check_ends(log: Sequence[Entry], guarded: set[str], ran: set[str]) -> None:
    """Check what became of every question, and of every guarded call."""
    state = reduce(log)
    ended = bool(entries(log, "call.ended"))
    refused = {one.data["call_id"] for one in entries(log, "cue.refused")}
    for confirm in state.confirms:
        call_id = confirm.call_id
        assert len(_of(log, "confirm.request", call_id)) == 1
        yes, no = _of(log, "confirm.granted", call_id), _of(log, "confirm.declined", call_id)
        assert len(yes) <= 1
        assert len(no) <= 1
        assert confirm.status == ("declined" if no else "granted" if yes else "pending")
        assert call_id not in refused
        assert len(_of(log, "tool.result", call_id)) == (confirm.status != "pending")
        assert confirm.status != "declined" or call_id not in ran
        assert not ended or confirm.status != "pending"
    questions = {confirm.call_id for confirm in state.confirms}
    for run in state.tools:
        if run.name in guarded:
            assert run.call_id in questions or run.call_id in refused
