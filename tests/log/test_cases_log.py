"""Trial cases T19 (reading and verifying) and T21 (the unknown event kind)."""

from typing import Any

import pytest

from cuelight import wire
from cuelight.errors import LogDamaged
from cuelight.log import reduce, verify


def entry(seq: int, text: str | None = None) -> wire.Entry:
    data: dict[str, Any] = {"name": f"note {seq}", "data": {"text": text or f"café {seq}"}}
    return wire.entry("custom", data, seq=seq, ts=seq, call="CA_1", agent="desk")


TEN = [entry(seq) for seq in range(1, 11)]
FILE = wire.encode_lines(TEN)
LAST = FILE.rindex(b"\n", 0, -1) + 1
MORE = [entry(11), entry(12)]


def folded(raw: bytes) -> list[int]:
    """Return the numbers of the notes that a damaged file still folds to."""
    return [note.seq for note in reduce(wire.decode_log(raw, strict=False)).custom]


def test_t19_a_cut_inside_a_record() -> None:
    torn = FILE[: LAST + 40]
    with pytest.raises(LogDamaged, match=f"Line 10, byte {len(torn)}") as damaged:
        wire.decode_log(torn)
    assert (damaged.value.line, damaged.value.byte) == (10, len(torn))
    assert folded(torn) == list(range(1, 10))
    assert [(one.kind, one.line, one.byte) for one in verify(torn)] == [("torn", 10, len(torn))]


def test_t19_b_cut_inside_a_character() -> None:
    at = FILE.rindex("é".encode()) + 1
    torn = FILE[:at]
    with pytest.raises(LogDamaged, match="Line 10"):
        wire.decode_log(torn)
    assert folded(torn) == list(range(1, 10))
    assert [(one.kind, one.line, one.byte) for one in verify(torn)] == [("torn", 10, at - 1)]


@pytest.mark.parametrize("at", [LAST + 1, LAST + 40, FILE.rindex("é".encode()) + 1, len(FILE) - 2])
def test_t19_ab_what_is_appended_to_a_torn_file_stands_on_its_own_lines(at: int) -> None:
    torn = FILE[:at]
    reopened = torn + wire.encode_lines(MORE, after=torn)
    assert reopened.startswith(torn)
    assert folded(reopened) == [*range(1, 10), 11, 12]
    assert reopened.splitlines()[-2:] == wire.encode_lines(MORE).splitlines()
    assert [(one.kind, one.line) for one in verify(reopened)] == [("torn", 10), ("hole", 11)]


def test_t19_c_only_the_last_line_end_is_cut() -> None:
    cut = FILE[:-1]
    assert wire.decode_log(cut) == TEN
    assert verify(cut) == []
    reopened = cut + wire.encode_lines(MORE, after=cut)
    assert wire.decode_log(reopened) == [*TEN, *MORE]
    assert verify(reopened) == []


@pytest.mark.parametrize("size", [1, 16, 4096])
def test_t19_d_zero_bytes_in_the_middle_are_never_silent(size: int) -> None:
    middle = FILE.index(b"note 5")
    zeroed = FILE[:middle] + b"\0" * size + FILE[middle + size :]
    with pytest.raises(LogDamaged, match=f"{min(size, len(zeroed) - middle)} zero bytes") as damaged:
        wire.decode_log(zeroed)
    assert (damaged.value.line, damaged.value.byte) == (5, middle)
    assert verify(zeroed)[0].kind == "zero-bytes"
    assert folded(zeroed)[:4] == [1, 2, 3, 4]
    if size < 100:
        assert folded(zeroed) == [1, 2, 3, 4, 6, 7, 8, 9, 10]
        assert [(one.kind, one.line) for one in verify(zeroed)] == [("zero-bytes", 5), ("hole", 6)]


def test_t19_d_a_block_of_zero_bytes_between_two_lines() -> None:
    end = FILE.index(b"\n") + 1
    zeroed = FILE[:end] + b"\0" * 512 + FILE[end:]
    with pytest.raises(LogDamaged, match="Line 2"):
        wire.decode_log(zeroed)
    assert folded(zeroed) == list(range(1, 11))


@pytest.mark.parametrize("text", ["one\ntwo", "one\r\ntwo\r\n", "\n", "one\u2028two\u2029three\x0bfour\x85five"])
def test_t19_e_a_value_with_line_breaks(text: str) -> None:
    log = [*TEN[:4], entry(5, text), *TEN[5:]]
    raw = wire.encode_lines(log)
    assert raw.count(b"\n") == 10
    assert wire.decode_log(raw) == wire.decode_log(raw.decode()) == log
    assert verify(raw) == []
    assert reduce(wire.decode_log(raw)).custom[4].data == {"text": text}


def test_t21_an_unknown_event_kind_is_kept_and_skipped() -> None:
    later = wire.entry("guest.seated", {"table": 4, "by": None}, seq=3, ts=3, call="CA_1", agent="desk")
    log = [entry(1), entry(2), later, entry(4)]
    read = wire.decode_log(wire.encode_lines(log))

    assert read[2] == later
    assert read[2].data == {"table": 4, "by": None}
    assert wire.encode_lines(read) == wire.encode_lines(log)

    state = reduce(read)
    assert [note.seq for note in state.custom] == [1, 2, 4]
    assert (state.seq, state.gaps, state.errors) == (4, [], [])
    assert verify(read) == []
