"""A fork is a new call that begins as the old one went; no yes carries over."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuelight import wire
from cuelight.errors import LogDamaged, NoSuchEntry
from cuelight.log import fork, reduce, verify
from strategies import logs

ASKED: dict[str, Any] = {"tool": "book", "audience": "aa"}


def entry(type_: str, data: dict[str, Any], seq: int, **frame: Any) -> wire.Entry:
    head: dict[str, Any] = {"ts": 100 + seq, "call": "CA_1", "agent": "desk"}
    return wire.entry(type_, data, seq=seq, **{**head, **frame})


def question(seq: int, call_id: str) -> wire.Entry:
    return entry("confirm.request", {**ASKED, "call_id": call_id, "arguments": {}, "phrase": "?", "ttl_s": 60}, seq)


def yes(seq: int, call_id: str) -> wire.Entry:
    return entry("confirm.granted", {**ASKED, "call_id": call_id, "said": "yes", "ttl_s": 60}, seq)


def no(seq: int, call_id: str) -> wire.Entry:
    return entry("confirm.declined", {**ASKED, "call_id": call_id, "reason": "no"}, seq)


def run(seq: int, call_id: str) -> wire.Entry:
    return entry("tool.call", {"call_id": call_id, "name": "book", "arguments": {}}, seq)


def result(seq: int, call_id: str) -> wire.Entry:
    return entry("tool.result", {"call_id": call_id, "name": "book", "output": "done"}, seq)


def notes(count: int, start: int = 1) -> list[wire.Entry]:
    return [entry("custom", {"name": f"n{seq}", "data": {}}, seq) for seq in range(start, start + count)]


def test_a_fork_holds_the_entries_up_to_its_point_as_those_of_the_new_call() -> None:
    log = [*notes(3), entry("agent.configured", {"changed": []}, 4, call=None), *notes(4, start=5)]
    forked = fork(log, 5, call="CA_2")
    assert [one.seq for one in forked] == [1, 2, 3, 4, 5]
    assert [one.call for one in forked] == ["CA_2", "CA_2", "CA_2", None, "CA_2"]
    assert [(one.type, one.ts, one.data) for one in forked] == [(one.type, one.ts, one.data) for one in log[:5]]
    assert log[0].call == "CA_1"


def test_it_holds_only_what_is_stored_each_once_and_in_order() -> None:
    heard = entry("user.transcript", {"text": "h", "final": False}, 2, ephemeral=True)
    control = entry("log.caught_up", {"seq": 2}, 2, ephemeral=True)
    one, two, three = notes(3)
    forked = fork([one, three, heard, control, two, two, one], 3, call="CA_2")
    assert [(entry.seq, entry.type) for entry in forked] == [(1, "custom"), (2, "custom"), (3, "custom")]


def test_no_yes_carries_over() -> None:
    log = [question(1, "waits"), question(2, "given"), yes(3, "given"), question(4, "used"), yes(5, "used")]
    log += [run(6, "used"), result(7, "used"), question(8, "refused"), no(9, "refused"), question(10, "running")]
    log += [yes(11, "running"), run(12, "running")]
    forked = fork(log, 12, call="CA_2")
    assert [(one.seq, one.ts, one.call, one.type, one.data["call_id"], one.data["reason"]) for one in forked[12:]] == [
        (13, 112, "CA_2", "confirm.declined", "waits", "cancelled"),
        (14, 112, "CA_2", "confirm.declined", "given", "cancelled"),
        (15, 112, "CA_2", "confirm.declined", "running", "cancelled"),
    ]
    statuses = {one.call_id: (one.status, one.reason) for one in reduce(forked).confirms}
    assert statuses["waits"] == statuses["given"] == statuses["running"] == ("declined", "cancelled")
    assert statuses["refused"] == ("declined", "no")
    assert statuses["used"][0] == "granted"
    assert [one.status for one in reduce(forked).tools] == ["done", "running"]
    assert verify(forked) == []


def test_a_question_asked_again_is_taken_back_once() -> None:
    forked = fork([question(1, "c"), no(2, "c"), question(3, "c")], 3, call="CA_2")
    assert [one.type for one in forked[3:]] == ["confirm.declined"]
    assert [one.status for one in reduce(forked).confirms] == ["declined", "declined"]


@pytest.mark.parametrize("seq", [0, -1, 4, 99])
def test_there_is_no_fork_where_there_is_no_entry(seq: int) -> None:
    with pytest.raises(NoSuchEntry, match=f"no entry {seq}: its entries are numbered 1 to 3"):
        fork(notes(3), seq, call="CA_2")
    with pytest.raises(NoSuchEntry, match="it is empty"):
        fork([], seq, call="CA_2")


def test_there_is_no_fork_behind_a_hole() -> None:
    log = [one for one in notes(6) if one.seq != 3]
    assert len(fork(log, 2, call="CA_2")) == 2
    with pytest.raises(LogDamaged, match="forked at entry 5, because entry 3 is missing"):
        fork(log, 5, call="CA_2")


@given(logs(), st.data())
def test_a_fork_folds_to_what_the_log_was_at_its_point(log: list[wire.Entry], data: st.DataObject) -> None:
    numbered = [
        wire.entry(one.type, one.data, seq=seq, ts=one.ts, call=one.call, agent=one.agent)
        for seq, one in enumerate((one for one in log if not wire.is_control(one.type)), start=1)
    ]
    if not numbered:
        return
    at = data.draw(st.integers(1, len(numbered)))
    forked = fork(numbered, at, call="CA_2")
    was, now = reduce(numbered[:at]), reduce(forked[:at])
    assert (now.call == "CA_2") or was.call is None
    now.call = was.call
    assert now == was
    assert {one.data["reason"] for one in forked[at:]} <= {"cancelled"}
