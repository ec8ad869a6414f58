"""The golden logs fold to the States that were worked out by hand."""

import json
from pathlib import Path

import pytest

from cuelight import wire
from cuelight.log import Fold, apply, reduce

FOLDER = Path(__file__).resolve().parents[1] / "golden_logs"
LOGS = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def read(name: str) -> tuple[bytes, wire.DecodedLog]:
    raw = (FOLDER / f"{name}.jsonl").read_bytes()
    return raw, wire.decode_log(raw)


@pytest.mark.parametrize("name", LOGS)
def test_a_golden_log_folds_to_its_state(name: str) -> None:
    _, log = read(name)
    expected = json.loads((FOLDER / f"{name}.state.json").read_bytes())
    state = json.loads(wire.encode(reduce(log)))
    # Field by field, so that a failure names the field.
    for field, value in expected.items():
        assert (field, state[field]) == (field, value)
    assert state.keys() == expected.keys()


@pytest.mark.parametrize("name", LOGS)
def test_every_way_of_folding_it_agrees_entry_by_entry(name: str) -> None:
    _, log = read(name)
    fold, state = Fold(), wire.State.empty()
    for count, entry in enumerate(log, start=1):
        fold.feed(entry)
        state = apply(wire.decode_state(wire.encode(state)), entry)
        assert fold.state == state == reduce(log[:count])


@pytest.mark.parametrize("name", LOGS)
def test_it_is_written_again_as_it_was(name: str) -> None:
    raw, log = read(name)
    assert len(log) >= 80
    assert wire.encode_lines(log) == raw
    assert wire.decode_log(wire.encode(log)) == log


def test_between_them_they_hold_what_is_difficult() -> None:
    entries = [entry for name in LOGS for entry in read(name)[1]]
    types = {entry.type for entry in entries}
    snapshots = [entry.data["snapshot"] is not None for entry in entries if entry.type == "log.gap"]
    assert wire.CONTROL_TYPES.keys() <= types
    assert set(snapshots) == {True, False}
    assert {type_ for type_ in wire.ENTRY_TYPES if type_.startswith(("supervisor.", "confirm.", "metrics."))} <= types
    assert {"call.transferred", "attention.answered", "room.opened", "call.summary", "call.score"} <= types
    assert any(type_ not in wire.ENTRY_TYPES for type_ in types)
    for name in LOGS:
        state = reduce(read(name)[1])
        assert "unreadable" in {error.code for error in state.errors}
        assert state.gaps
        assert state.confirms
        assert state.transfer is not None
