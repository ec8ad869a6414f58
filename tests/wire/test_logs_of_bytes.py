"""Logs as bytes: every way of writing one is read, and no whole entry is lost to what is broken beside it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuelight import wire
from cuelight.errors import LogDamaged
from strategies import logs


def entries(count: int) -> list[wire.Entry]:
    return [
        wire.entry(
            "custom", {"name": "n", "data": {"text": f"línea\n{seq} 🎭"}}, seq=seq, ts=seq, call="CA_1", agent="desk"
        )
        for seq in range(1, count + 1)
    ]


LOG = entries(5)
LINES = wire.encode_lines(LOG)
BOM = b"\xef\xbb\xbf"
INDENTED = json.dumps(json.loads(wire.encode(LOG)), indent=2, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "source",
    [
        LINES,
        LINES.decode(),
        BOM + LINES,
        LINES.replace(b"\n", b"\r\n"),
        LINES.replace(b"\n", b"\n\n  \n"),
        b"\n\n" + LINES,
        LINES[:-1],
        LINES.replace(b"\n", b""),
        wire.encode(LOG),
        wire.encode(LOG).decode(),
        BOM + b" \r\n" + wire.encode(LOG) + b"\n",
        INDENTED,
        bytearray(LINES),
    ],
    ids=range(13),
)
def test_every_way_of_writing_a_log_is_read(source: bytes | str) -> None:
    for strict in (True, False):
        read = wire.decode_log(source, strict=strict)
        assert read == LOG
        assert read.damage == ()


@pytest.mark.parametrize("source", [b"", "", b"\n", BOM, b"[]", b" [ ]\n"])
def test_an_empty_log_is_one(source: bytes | str) -> None:
    assert wire.decode_log(source) == []


@given(logs())
def test_lines_and_array_hold_the_same(log: list[wire.Entry]) -> None:
    assert wire.decode_log(wire.encode_lines(log)) == log
    assert wire.decode_log(wire.encode(log)) == log


def test_a_line_holds_no_line_end() -> None:
    read = wire.decode_log(INDENTED)
    assert wire.encode_lines(read).count(b"\n") == len(LOG)
    assert wire.decode_log(wire.encode_lines(read)) == LOG


def line(number: int) -> bytes:
    """Return one of the log's lines, without its end."""
    return LINES.splitlines()[number - 1]


def start_of(number: int) -> int:
    """Return the offset of the first byte of a line."""
    return sum(len(one) for one in LINES.splitlines(keepends=True)[: number - 1])


NUL = b"\0" * 16
THIRD = start_of(3)
ACCENT = line(3).index("í".encode())
BREAKS = {
    # name: (bytes of the third line, kind, offset of the first wrong byte in it)
    "cut": (line(3)[:40], "torn", 40),
    "cut in a character": (line(3)[: ACCENT + 1], "torn", ACCENT),
    "not UTF-8": (line(3)[:ACCENT] + b"\xff" + line(3)[ACCENT + 2 :], "not-utf-8", ACCENT),
    "zeros inside": (line(3)[:50] + NUL + line(3)[66:], "zero-bytes", 50),
    "zeros only": (NUL, "zero-bytes", 0),
    "words": (b"hello", "not-json", 0),
    "a control character": (line(3).replace(b"custom", b"cu\x01tom"), "not-json", line(3).index(b"custom") + 2),
    "too deep": (b'{"a":' * 50_000, "not-json", 0),
    "another object": (b'{"a":{"b":1}}', "not-an-entry", 0),
    "a list": (b"[1]", "not-an-entry", 0),
    "a wrong type": (line(3).replace(b'"seq":3', b'"seq":"3"'), "not-an-entry", 0),
    "data that is no object": (line(3)[: line(3).index(b'"data":') + 7] + b"7}", "not-an-entry", 0),
}


@pytest.mark.parametrize("name", BREAKS)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_a_broken_line_is_named_and_the_rest_is_read(name: str, line_end: bytes) -> None:
    broken, kind, offset = BREAKS[name]
    source = line_end.join([line(1), line(2), broken, line(4), line(5), b""])
    place = start_of(3) + offset + 2 * (len(line_end) - 1)

    with pytest.raises(LogDamaged) as damaged:
        wire.decode_log(source)
    assert damaged.value.line == 3
    assert f"Line 3, byte {damaged.value.byte}: " in str(damaged.value)
    assert "Whole entries before it: 2." in str(damaged.value)

    read = wire.decode_log(source, strict=False)
    assert read == [LOG[0], LOG[1], LOG[3], LOG[4]]
    assert [(damage.kind, damage.line, damage.byte) for damage in read.damage] == [(kind, 3, place)]
    assert damaged.value.byte == place


@pytest.mark.parametrize("name", set(BREAKS) - {"zeros only", "words"})
def test_a_broken_element_of_an_array_is_named_and_the_rest_is_read(name: str) -> None:
    broken, kind, _ = BREAKS[name]
    source = b"[" + b",\n".join([line(1), line(2), broken, line(4), line(5)]) + b"]"
    with pytest.raises(LogDamaged) as damaged:
        wire.decode_log(source)
    assert damaged.value.line == 3
    read = wire.decode_log(source, strict=False)
    assert [entry for entry in LOG if entry.seq != 3] == read
    assert [(damage.kind, damage.line) for damage in read.damage] == [(kind, 3)]


@pytest.mark.parametrize(
    ("source", "whole", "kind"),
    [
        (wire.encode(LOG)[:-1], 5, "torn"),
        (wire.encode(LOG)[:-30], 4, "torn"),
        (b"[" + line(1), 1, "torn"),
        (b"[", 0, "torn"),
        (b"[" + line(1) + b"," + line(2) + b"] and so on", 2, "not-json"),
    ],
)
def test_an_array_that_breaks_off(source: bytes, whole: int, kind: str) -> None:
    with pytest.raises(LogDamaged):
        wire.decode_log(source)
    read = wire.decode_log(source, strict=False)
    assert read == LOG[:whole]
    assert [damage.kind for damage in read.damage] == [kind]


def test_several_broken_lines_are_each_named() -> None:
    source = b"\n".join([b"a", line(1), b"b", b"c", b"", line(2), b'{"seq":3'])
    read = wire.decode_log(source, strict=False)
    assert read == LOG[:2]
    assert [(damage.line, damage.kind) for damage in read.damage] == [
        (1, "not-json"),
        (3, "not-json"),
        (4, "not-json"),
        (7, "torn"),
    ]


def test_entries_that_were_fused_with_a_torn_one_are_read() -> None:
    source = line(1) + b"\n" + line(2)[:50] + line(3) + line(4) + b"\n"
    read = wire.decode_log(source, strict=False)
    assert read == [LOG[0], LOG[2], LOG[3]]
    assert [(damage.kind, damage.line) for damage in read.damage] == [("torn", 2)]


@given(st.binary(max_size=60))
def test_no_bytes_make_reading_fail_otherwise(raw: bytes) -> None:
    read = wire.decode_log(LINES + raw, strict=False)
    assert read[:5] == LOG
    if not read.damage:
        assert wire.decode_log(LINES + raw) == read
        return
    with pytest.raises(LogDamaged) as damaged:
        wire.decode_log(LINES + raw)
    assert damaged.value.byte == read.damage[0].byte


@given(st.integers(0, len(LINES)))
def test_wherever_a_log_is_cut_the_whole_lines_are_read(at: int) -> None:
    read = wire.decode_log(LINES[:at], strict=False)
    whole = sum(start_of(number) + len(line(number)) <= at for number in range(1, 6))
    assert read == LOG[:whole]
    is_torn = at > (start_of(whole + 1) if whole < 5 else len(LINES))
    assert [damage.kind for damage in read.damage] == (["torn"] if is_torn else [])


def test_appending_never_fuses() -> None:
    torn = LINES[:-20]
    assert wire.encode_lines(LOG[:1], after=LINES) == line(1) + b"\n"
    assert wire.encode_lines(LOG[:1], after=b"") == line(1) + b"\n"
    assert wire.encode_lines(LOG[:1], after=torn) == b"\n" + line(1) + b"\n"
    assert wire.encode_lines(LOG[:1], after=torn[-1:]) == b"\n" + line(1) + b"\n"


def test_a_number_of_any_length_is_read_beside_what_is_broken() -> None:
    long = line(2).replace(b'"name":"n"', b'"name":"n","n":' + b"7" * 5000)
    read = wire.decode_log(b"\n".join([line(1), long, b"broken"]), strict=False)
    assert [entry.seq for entry in read] == [1, 2]
    assert [damage.line for damage in read.damage] == [3]


FAULTS = {
    "braces": b"{",
    "cut short": wire.encode(LOG[0])[:-2],
    "cut in a string": wire.encode(LOG[0])[:60],
    "no data": b'{"seq":1,"ts":1}',
}


@pytest.mark.parametrize("line", FAULTS.values(), ids=FAULTS)
def test_what_a_fault_costs_does_not_grow_with_the_log(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    passed_over: list[int] = []

    class Counted(json.JSONDecodeError):
        def __init__(self, msg: str, doc: str, pos: int) -> None:
            super().__init__(msg, doc, pos)  # which looks for line ends in all that is before `pos`
            passed_over.append(pos)

    monkeypatch.setattr(json.decoder, "JSONDecodeError", Counted)
    monkeypatch.setattr(json, "JSONDecodeError", Counted)
    count = 40_000
    read = wire.decode_log(LINES + (line + b"\n") * count + LINES, strict=False)
    assert read == LOG * 2
    assert [damage.line for damage in read.damage] == list(range(6, 6 + count))
    assert sum(passed_over) <= 4 * count * len(line)


@pytest.mark.parametrize("size", range(150, 300))
def test_an_entry_of_any_size_is_found_beside_a_torn_one(size: int) -> None:
    data = {"a": "\\\u2028" * (size % 7), "b": [-1.5e-3, None, True, float(size), "x" * (size - 150)]}
    odd = wire.entry("odd", data, seq=1, ts=1, call="c", agent="a")
    line = json.dumps(json.loads(wire.encode(odd))).encode()
    assert wire.decode_log(b"{" + line + b"\n" + line, strict=False) == [odd, odd]
