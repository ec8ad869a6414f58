"""A log is whole, or it is said where and how it is not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import saturated
from cuelight import wire
from cuelight.log import verify
from strategies import data_of


def note(seq: int, data: dict[str, Any] | None = None, **frame: Any) -> wire.Entry:
    head: dict[str, Any] = {"ts": 100 + seq, "call": "CA_1", "agent": "desk"}
    return wire.entry("custom", {"name": "n", "data": data or {}}, seq=seq, **{**head, **frame})


def kinds(log: list[wire.Entry] | bytes) -> list[tuple[str, int | None]]:
    return [(damage.kind, damage.seq) for damage in verify(log)]


WHOLE = [note(seq) for seq in range(1, 8)]


def test_a_whole_log_has_no_damage() -> None:
    assert verify(WHOLE) == []
    assert verify(wire.encode(WHOLE)) == []
    assert verify(wire.encode_lines(WHOLE)) == []
    assert verify(wire.encode_lines(WHOLE).decode()) == []
    assert verify(iter(WHOLE)) == []
    assert verify(b"") == verify([]) == verify(b"[]") == []


def test_what_is_delivered_and_not_stored_is_not_counted() -> None:
    control = wire.entry("log.caught_up", {"seq": 2}, seq=2, ts=1, call="CA_1", agent="desk")
    heard = wire.entry(
        "user.transcript", {"text": "h", "final": False}, seq=1, ts=1, call="CA_1", agent="desk", ephemeral=True
    )
    assert verify([note(1), heard, note(2), control, heard, note(3)]) == []


def test_a_log_in_which_ephemeral_entries_have_numbers_is_whole() -> None:
    def heard(seq: int) -> wire.Entry:
        return wire.entry(
            "user.transcript", {"text": "h", "final": False}, seq=seq, ts=1, call="CA_1", agent="desk", ephemeral=True
        )

    assert verify([note(1), heard(2), heard(3), note(4)]) == []
    assert kinds([note(1), heard(3), note(4)]) == [("hole", 3)]
    assert kinds([note(1), heard(2), note(2)]) == [("edited", 2)]


def test_the_same_entry_twice_is_no_damage() -> None:
    assert verify([note(1), note(2), note(1), note(2), note(3)]) == []


@pytest.mark.parametrize(
    ("log", "found"),
    [
        ([note(1), note(2), note(5)], [("hole", 5)]),
        ([note(3)], [("hole", 3)]),
        ([note(1), note(3), note(5), note(9)], [("hole", 3), ("hole", 5), ("hole", 9)]),
        ([note(1), note(3), note(2), note(4)], [("disorder", 2)]),
        ([note(2), note(1)], [("disorder", 1)]),
        ([note(0), note(1)], [("disorder", 0)]),
        ([note(1), note(6), note(3), note(7)], [("hole", 6), ("hole", 6), ("disorder", 3)]),
        ([note(1), note(10**15)], [("hole", 10**15)]),
        ([note(1), note(2), note(2, {"changed": 1})], [("edited", 2)]),
        ([note(1), note(2), note(2, ts=5)], [("edited", 2)]),
        ([note(1), note(2, {"a": 1}), note(2, {"a": True})], [("edited", 2)]),
        ([note(1), note(2, {"a": 1}), note(2, {"a": 1.0})], []),
        ([note(1), note(2, call="CA_2"), note(3, call=None)], [("foreign", 2)]),
    ],
)
def test_what_is_wrong_with_the_numbers_is_found(log: list[wire.Entry], found: list[tuple[str, int]]) -> None:
    assert kinds(log) == found
    assert kinds(wire.encode_lines(log)) == found


def test_damage_is_told_with_its_place() -> None:
    lines = wire.encode_lines([note(1), note(2), note(5), note(2, {"x": 1})]).splitlines(keepends=True)
    source = b"".join([*lines, lines[0][:30]])
    third, fourth, fifth = (sum(map(len, lines[:count])) for count in (2, 3, 4))
    assert [json.loads(wire.encode(damage)) for damage in verify(source)] == [
        {
            "kind": "hole",
            "message": f"Line 3, byte {third}: Entries 3 to 4 are missing.",
            "line": 3,
            "byte": third,
            "seq": 5,
        },
        {
            "kind": "edited",
            "message": f"Line 4, byte {fourth}: Entry 2 is there twice, first on line 2, with different bodies.",
            "line": 4,
            "byte": fourth,
            "seq": 2,
        },
        {
            "kind": "torn",
            "message": f"Line 5, byte {fifth + 30}: it ends inside an unfinished entry.",
            "line": 5,
            "byte": fifth + 30,
            "seq": None,
        },
    ]


def test_damage_of_entries_is_told_without_a_place() -> None:
    assert [(one.message, one.line, one.byte) for one in verify([note(2), note(1)])] == [
        ("Entry 1 comes after entry 2.", None, None)
    ]
    assert verify([note(1), note(3)])[0].message == "Entry 2 is missing."
    assert verify([note(1), note(2, call="B")])[0].message == "Entry 2 is of call 'B', and the log is that of 'CA_1'."


def test_broken_bytes_are_told_among_the_rest() -> None:
    lines = wire.encode_lines(WHOLE).splitlines()
    lines[2] = b"\0" * 20
    lines[4] = lines[4].replace(b"desk", b"de\xffk")
    assert kinds(b"\n".join(lines)) == [("zero-bytes", None), ("hole", 4), ("not-utf-8", None), ("hole", 6)]


@pytest.mark.parametrize("type_", sorted(wire.ENTRY_TYPES))
def test_data_that_does_not_fit_is_found(type_: str) -> None:
    good = wire.entry(type_, saturated.ENTRIES[type_][0], seq=1, ts=1, call="CA_1", agent="desk")
    bad = wire.entry(type_, {}, seq=1, ts=1, call="CA_1", agent="desk")
    assert verify([good]) == []
    assert kinds([bad])[-1:] == [("unreadable", 1)]
    assert repr(type_) in verify([bad])[-1].message


def test_data_that_nobody_can_read_is_found_in_unknown_types_too() -> None:
    line = b'{"seq":1,"ts":1,"call":null,"agent":"a","type":"later","ephemeral":false,"data":{"n":1e999}}'
    assert kinds(line) == [("unreadable", 1)]


@given(st.binary(max_size=80), st.integers(0, 900))
def test_no_bytes_make_it_fail(raw: bytes, at: int) -> None:
    lines = wire.encode_lines(WHOLE)
    assert verify(raw) == [] or verify(raw)[0].line == raw[: verify(raw)[0].byte].count(b"\n") + 1
    verify(lines[:at] + raw + lines[at:])


@given(data_of(wire.Custom))
def test_whatever_is_well_written_is_whole(data: dict[str, Any]) -> None:
    assert verify(wire.encode_lines([wire.entry("custom", data, seq=1, ts=1, call="CA_1", agent="desk")])) == []
