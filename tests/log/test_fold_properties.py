"""What holds for every log: made up by hypothesis, of entries of every type."""

import builtins
import gc
import json
import random
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from cuelight import wire
from cuelight.log import Fold, apply, reduce, verify
from strategies import entries, json_values, logs, misfits


@given(logs(), st.data())
def test_a_prefix_then_the_rest_is_the_whole(log: list[wire.Entry], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(log)))
    whole = reduce(log)
    prefix = reduce(log[:at])

    on_the_state = Fold(prefix)
    on_the_state.extend(log[at:])
    through_json = Fold(wire.decode_state(wire.encode(prefix)))
    through_json.extend(log[at:])
    one_by_one = prefix
    for entry in log[at:]:
        one_by_one = apply(one_by_one, entry)

    assert on_the_state.state == through_json.state == one_by_one == whole
    assert prefix == reduce(log[:at])


@given(logs())
def test_reading_the_state_in_between_changes_nothing(log: list[wire.Entry]) -> None:
    fold = Fold()
    states = []
    for entry in log:
        fold.feed(entry)
        states.append(fold.state)
    assert fold.state == reduce(log)
    assert states == [reduce(log[:count]) for count in range(1, len(log) + 1)]


@given(logs(), st.data())
def test_a_duplicate_of_a_stored_entry_changes_nothing(log: list[wire.Entry], data: st.DataObject) -> None:
    stored = [entry for entry in log if not (entry.ephemeral or wire.is_control(entry.type))]
    if not stored:
        return
    again = data.draw(st.sampled_from(stored))
    later = data.draw(st.integers(log.index(again) + 1, len(log)))
    assert reduce([*log[:later], again, *log[later:]]) == reduce(log)
    assert apply(reduce(log), again) == reduce(log)


@given(logs())
def test_the_log_and_its_bytes_fold_alike(log: list[wire.Entry]) -> None:
    assert reduce(wire.decode_log(wire.encode_lines(log))) == reduce(wire.decode_log(wire.encode(log))) == reduce(log)


@given(logs())
def test_every_state_reads_back(log: list[wire.Entry]) -> None:
    state = reduce(log)
    assert wire.decode_state(wire.encode(state)) == state
    assert all(json.loads(wire.encode(state)) == json.loads(wire.encode(state)) for _ in range(2))


@given(logs())
def test_seq_and_gaps_account_for_every_number(log: list[wire.Entry]) -> None:
    counted = [entry for entry in log if not wire.is_control(entry.type)]
    state = reduce(counted)
    seen = {entry.seq for entry in counted}
    assert state.seq == max(seen, default=0)
    missed = {number for gap in state.gaps for number in range(gap.from_seq, gap.to_seq + 1)}
    assert set(range(1, state.seq + 1)) - seen <= missed


@given(st.lists(misfits() | entries(), max_size=6))
def test_no_entry_makes_the_fold_raise(log: list[wire.Entry]) -> None:
    state = reduce(log)
    assert wire.decode_state(wire.encode(state)) == state
    verify(log)


@given(st.sampled_from(sorted(wire.ENTRY_TYPES)), json_values | st.binary(max_size=20), st.integers(-5, 2**70))
def test_not_even_one_that_no_reader_lets_through(type_: str, data: Any, seq: int) -> None:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    entry = wire.Entry(seq, 0, "CA_1", "desk", type_, False, msgspec.Raw(raw))
    before = reduce([])
    after = apply(before, entry)
    assert before == wire.State.empty()
    assert after.errors == [] or [error.code for error in after.errors] == ["unreadable"]


def test_nor_one_that_is_nested_too_deeply() -> None:
    raw = b'{"name":"n","data":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}"
    state = reduce([wire.Entry(1, 0, "CA_1", "desk", "custom", False, msgspec.Raw(raw))])
    assert state.errors[0].message == "custom at seq 1 does not fit its shape at data"


@given(misfits())
def test_what_cannot_be_typed_is_what_the_fold_cannot_read(entry: wire.Entry) -> None:
    unreadable = [damage for damage in verify([entry]) if damage.kind == "unreadable"]
    ignored = wire.CUE_TYPES.keys()
    codes = [error.code for error in reduce([entry]).errors if error.code == "unreadable"]
    if entry.type not in ignored and entry.seq > 0:
        assert len(codes) == len(unreadable)


# The fold is pure

_armed = threading.local()
_OUTSIDE = {
    "time",
    "random",
    "_random",
    "posix",
    "nt",
    "_io",
    "io",
    "_socket",
    "_datetime",
    "select",
    "uuid",
    "secrets",
}


def _audit(event: str, args: tuple[Any, ...]) -> None:
    # A hook stays for the life of the process; it speaks up only while a fold is watched.
    if getattr(_armed, "touched", None) is not None and event.split(".")[0] in {"open", "os", "socket", "subprocess"}:
        _armed.touched.append(event)


sys.addaudithook(_audit)


@contextmanager
def watched() -> Iterator[list[str]]:
    """Collect everything that reaches outside: files, sockets, and calls of clocks and of chance."""
    touched: list[str] = []

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        if event == "c_call":
            origin = arg.__module__ or type(arg.__self__).__module__
            if origin in _OUTSIDE or arg in (builtins.open, builtins.input):
                touched.append(f"{origin}.{arg.__qualname__}")

    _armed.touched = touched
    before = sys.getprofile()
    # The test tools time garbage collections, whenever one happens to come.
    gc.disable()
    sys.setprofile(profile)
    try:
        yield touched
    finally:
        sys.setprofile(before)
        gc.enable()
        _armed.touched = None


def test_the_watch_sees_clocks_files_and_chance() -> None:
    import time
    from pathlib import Path

    with watched() as touched:
        time.time()
        random.random()
        Path(__file__).read_bytes()
    assert "time.time" in touched
    assert any("random" in one for one in touched)
    assert "open" in touched


@given(logs(), misfits())
def test_the_fold_reads_no_clock_and_no_file(log: list[wire.Entry], odd: wire.Entry) -> None:
    with watched() as touched:
        state = reduce([*log, odd])
        apply(state, odd)
    assert touched == []


def test_the_cost_of_an_entry_does_not_grow_with_the_log() -> None:
    """Counted in steps of the interpreter, not in seconds, so that a busy machine cannot fail it."""

    def turn(number: int) -> list[wire.Entry]:
        call = {"call_id": f"c{number}", "name": "t", "arguments": {}}
        asked = {"tool": "t", "call_id": f"c{number}", "audience": "a"}
        made: list[tuple[str, dict[str, Any]]] = [
            ("turn.user", {"speech_id": "s", "text": "hello", "metrics": {}}),
            ("tool.call", call),
            ("confirm.request", {**asked, "arguments": {}, "phrase": "Shall I?", "ttl_s": 1}),
            ("confirm.granted", {**asked, "said": "yes", "ttl_s": 1}),
            ("tool.result", {"call_id": f"c{number}", "name": "t", "output": number}),
            ("prompt.changed", {"name": "view", "hash": "aa", "chars": 1}),
            ("turn.agent", {"speech_id": "s", "text": "hi", "interrupted": False, "metrics": {}}),
        ]
        return [
            wire.entry(type_, data, seq=number * 7 + at, ts=0, call="CA_1", agent="desk")
            for at, (type_, data) in enumerate(made, 1)
        ]

    def steps(fold: Fold, log: list[wire.Entry]) -> int:
        counted = 0

        def trace(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal counted
            counted += 1
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            fold.extend(log)
        finally:
            sys.settrace(before)
        return counted

    fold = Fold()
    first = steps(fold, turn(0))
    fold.extend([entry for number in range(1, 400) for entry in turn(number)])
    steps(fold, turn(400))
    assert steps(fold, turn(401)) <= first
