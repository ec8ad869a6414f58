"""How one entry is folded, rule by rule, and what a fold promises to whoever holds its States."""

import json
from typing import Any

import msgspec
import pytest

import saturated
from cuelight import wire
from cuelight.log import Fold, apply, reduce


def entry(type_: str, data: dict[str, Any] | bytes, seq: int, **frame: Any) -> wire.Entry:
    head: dict[str, Any] = {"ts": 100, "call": "CA_1", "agent": "desk", "ephemeral": False}
    return wire.entry(type_, data, seq=seq, **{**head, **frame})


def note(seq: int, **frame: Any) -> wire.Entry:
    return entry("custom", {"name": f"n{seq}", "data": {}}, seq, **frame)


def user_state(state: str, seq: int, **frame: Any) -> wire.Entry:
    return entry("user.state", {"state": state}, seq, **frame)


def gap(from_seq: int, to_seq: int, snapshot: wire.State | None = None, seq: int = 0) -> wire.Entry:
    shape = wire.LogGap(from_seq=from_seq, to_seq=to_seq, snapshot=snapshot)
    return entry("log.gap", json.loads(wire.encode(shape)), seq, ephemeral=True)


def gaps(state: wire.State) -> list[tuple[int, int]]:
    return [(one.from_seq, one.to_seq) for one in state.gaps]


def names(state: wire.State) -> list[str]:
    return [one.name for one in state.custom]


# 1. Control entries


@pytest.mark.parametrize(
    "control",
    [
        entry("log.caught_up", {"seq": 9}, 9, agent="other", call="CA_2", ephemeral=True),
        entry("pong", {"ts": 5}, 0, agent="other", call="CA_2", ephemeral=True),
        entry("log.later", {"a": 1}, 99, agent="other", call="CA_2"),
        entry("log.caught_up", {"seq": 9}, 9, agent="other"),
    ],
    ids=lambda one: one.type,
)
def test_a_control_entry_is_not_counted(control: wire.Entry) -> None:
    assert reduce([note(1), control, note(2)]) == reduce([note(1), note(2)])


def test_a_gap_without_a_snapshot_is_recorded() -> None:
    state = reduce([note(1), gap(2, 7, seq=7), note(8)])
    assert (state.seq, gaps(state), names(state)) == (8, [(2, 7)], ["n1", "n8"])


def test_a_gap_that_is_already_behind_changes_nothing() -> None:
    log = [note(1), note(2), note(3)]
    assert reduce([*log, gap(1, 3)]) == reduce(log)
    assert reduce([*log, gap(1, 3, wire.State.empty())]) == reduce(log)
    assert gaps(reduce([*log, gap(1, 4)])) == [(1, 4)]


def test_a_gap_with_a_snapshot_replaces_the_state() -> None:
    missed = reduce([note(1), note(2), note(3), entry("tool.call", {"call_id": "c1", "name": "t", "arguments": {}}, 4)])
    settles = entry("tool.result", {"call_id": "c1", "name": "t", "output": 1}, 5)
    state = reduce([note(1, agent="first"), gap(2, 4, missed), settles])
    assert names(state) == ["n1", "n2", "n3"]
    assert (state.seq, gaps(state), state.tools[0].status) == (5, [(2, 4)], "done")


def test_a_snapshot_that_is_ahead_keeps_its_seq() -> None:
    missed = reduce([note(seq) for seq in range(1, 9)])
    state = reduce([note(1), gap(2, 4, missed)])
    assert (state.seq, gaps(state)) == (8, [(2, 4)])
    behind = reduce([note(1), gap(2, 4, reduce([note(1), note(2)]))])
    assert (behind.seq, gaps(behind), names(behind)) == (4, [(2, 4)], ["n1", "n2"])


def test_a_snapshot_brings_its_own_gaps() -> None:
    missed = reduce([note(1), note(3)])
    assert gaps(reduce([note(1), gap(2, 3, missed)])) == [(2, 2), (2, 3)]


def test_a_gap_does_not_say_whose_call_it_is() -> None:
    state = reduce([note(1), entry("log.gap", {"from_seq": 2, "to_seq": 3, "snapshot": None}, 3, agent="x", call="y")])
    assert (state.agent, state.call) == ("desk", "CA_1")


# 2. Numbers


def test_a_hole_is_recorded() -> None:
    state = reduce([note(3), note(4), note(9)])
    assert (state.seq, gaps(state)) == (9, [(1, 2), (5, 8)])


def test_a_duplicate_changes_nothing() -> None:
    log = [note(1), note(2, agent="night"), note(3)]
    assert reduce([*log, note(2, agent="other", call="CA_2")]) == reduce(log)
    assert reduce([*log, entry("custom", {"broken": True}, 1)]) == reduce(log)


def test_an_entry_that_comes_late_is_lost_to_the_state() -> None:
    state = reduce([note(1), note(3), note(2)])
    assert (state.seq, gaps(state), names(state)) == (3, [(2, 2)], ["n1", "n3"])


def test_an_ephemeral_entry_is_applied_whatever_its_number() -> None:
    log = [note(1), note(2)]
    for seq in (0, 1, 2):
        state = reduce([*log, user_state("away", seq, ephemeral=True, agent="night")])
        assert (state.seq, state.user_state, state.agent, gaps(state)) == (2, "away", "night", [])


def test_an_ephemeral_entry_that_is_ahead_counts() -> None:
    state = reduce([note(1), user_state("away", 4, ephemeral=True), note(5)])
    assert (state.seq, state.user_state, gaps(state)) == (5, "away", [(2, 3)])


# 3. Whose call


def test_agent_and_call_are_those_of_the_last_entry() -> None:
    assert reduce([note(1, call=None)]).call is None
    state = reduce([note(1), note(2, agent="night", call=None), entry("later.type", {}, 3, agent="third")])
    assert (state.agent, state.call) == ("third", "CA_1")


# 4. The row


@pytest.mark.parametrize(
    ("type_", "data", "place"),
    [
        ("user.state", {}, "data.state"),
        ("user.state", {"state": 5}, "data.state"),
        ("user.state", {"state": None}, "data.state"),
        ("call.line", {"held": "no", "muted": False}, "data.held"),
        ("call.line", {"held": True}, "data.muted"),
        ("memory.ops", {"ops": [saturated.MEMORY, {**saturated.MEMORY, "facts": [{}]}]}, "data.ops[1].facts[0].text"),
        ("memory.ops", {"ops": {}}, "data.ops"),
        ("supervisor.said", {"by": {"name": "G"}, "text": "hi"}, "data.by.id"),
        ("call.dialing", {"channel": "web", "from": "", "to": ""}, "data.caller"),
        ("tool.call", {"call_id": "c", "name": "t", "arguments": []}, "data.arguments"),
        ("tool.result", {"call_id": "c", "name": "t", "summary": None}, "data.summary"),
        ("turn.user", {"speech_id": "s", "text": 1, "metrics": {}, "role": "user"}, "data.text"),
        ("turn.agent", {"speech_id": "s", "text": "", "interrupted": True, "role": 1}, "data.metrics"),
        ("custom", {"name": "n", "data": 5}, "data.data"),
        # where the keys are anybody's, the place is the map
        ("custom", b'{"name":"n","data":{"n":1e999}}', "data.data"),
        # what tells shapes apart is shape
        (
            "call.summary",
            {**saturated.ENTRIES["call.summary"][0], "usage": [{"type": "tea_usage"}]},
            "data.usage[0].type",
        ),
        ("call.summary", {**saturated.ENTRIES["call.summary"][0], "usage": [{}]}, "data.usage[0].type"),
        ("state.changed", {"state": {}, "changed": [], "cause": {"kind": "moon"}}, "data.cause.kind"),
        ("state.changed", {"state": {}, "changed": [], "cause": {"kind": "x - at `$.y`"}}, "data.cause.kind"),
        # types that change nothing are read as well
        ("dtmf.received", {"digit": 5, "code": 5}, "data.digit"),
        ("track.published", {"identity": "a", "kind": "audio"}, "data.source"),
        ("room.sent", {"topic": "t", "bytes": 1.5}, "data.bytes"),
    ],
)
def test_a_known_type_in_another_shape_is_one_error(type_: str, data: Any, place: str) -> None:
    body = data if isinstance(data, dict) else msgspec.Raw(data)
    odd = entry(type_, body, 2) if isinstance(body, dict) else wire.Entry(2, 100, "CA_1", "desk", type_, False, body)
    state = reduce([note(1), odd, note(3)])
    message = f"{type_} at seq 2 does not fit its shape at {place}"
    assert state.errors == [wire.LoggedError(seq=2, code="unreadable", message=message)]
    assert (state.seq, names(state), state.agent) == (3, ["n1", "n3"], "desk")


@pytest.mark.parametrize("type_", sorted(wire.CONTROL_TYPES))
def test_a_control_entry_in_another_shape_is_one_error_and_not_counted(type_: str) -> None:
    state = reduce([note(1), entry(type_, {"from_seq": 1}, 9, ephemeral=True), note(2)])
    assert [(one.seq, one.code) for one in state.errors] == [(9, "unreadable")]
    assert (state.seq, gaps(state)) == (2, [])


def test_a_snapshot_that_is_no_state_is_one_error() -> None:
    broken = {"from_seq": 2, "to_seq": 5, "snapshot": {**saturated.STATE, "turns": [{"role": "ghost"}]}}
    state = reduce([note(1), entry("log.gap", broken, 5)])
    assert state.errors[0].message == "log.gap at seq 5 does not fit its shape at data.snapshot.turns[0].role"
    assert (state.seq, gaps(state)) == (1, [])


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        ("call.ended", {"reason": "eclipse", "ended_by": "moon", "ended_at": 1, "duration_s": 1}),
        ("user.state", {"state": "dreaming"}),
        ("dtmf.received", {"digit": "A", "code": 65}),
        ("metrics.vad", {**saturated.VAD, "type": "vad_metrics_v2"}),
        ("participant.joined", {"identity": "a", "kind": "ghost", "attributes": {}}),
    ],
)
def test_a_value_that_no_enumeration_lists_is_no_misfit(type_: str, data: dict[str, Any]) -> None:
    state = reduce([entry("room.opened", {"name": "r", "sid": "s", "channel": "holodeck"}, 1), entry(type_, data, 2)])
    assert state.errors == []


def test_unlisted_values_are_kept_as_they_came() -> None:
    ended = {"reason": "eclipse", "ended_by": "moon", "ended_at": 1, "duration_s": 1}
    state = reduce([user_state("dreaming", 1), entry("call.ended", ended, 2)])
    assert (state.user_state, state.end_reason) == ("dreaming", "eclipse")


# What the States of a fold are


def test_a_state_that_was_read_stays_what_it_was() -> None:
    fold = Fold()
    held, shown = [], []
    everything = [
        entry(type_, data, seq, ephemeral=type_ in wire.EPHEMERAL_TYPES)
        for seq, (type_, data) in enumerate(
            ((type_, data) for type_, examples in saturated.ENTRIES.items() for data in (*examples, *examples)), start=1
        )
        if type_ != "log.gap"
    ]
    opened = entry("room.opened", {"name": "r", "sid": "s", "channel": "web"}, 0, ephemeral=True)
    for one in [opened, *everything, gap(1, 900, reduce(everything)), *everything]:
        fold.feed(one)
        held.append(fold.state)
        shown.append(wire.encode(fold.state))
    assert [wire.encode(state) for state in held] == shown
    assert fold.state is fold.state


def test_apply_leaves_its_argument_alone() -> None:
    state = wire.decode_state(json.dumps({**saturated.STATE, "seq": 0}))
    before = wire.encode(state)
    for type_, examples in saturated.ENTRIES.items():
        apply(state, entry(type_, examples[0], 1))
        assert wire.encode(state) == before


def test_a_state_from_json_goes_on_like_any_other() -> None:
    called = entry("tool.call", {"call_id": "c1", "name": "t", "arguments": {}}, 1)
    asked = entry("confirm.request", saturated.ENTRIES["confirm.request"][0], 2)
    settled = [
        entry("tool.result", {"call_id": "c1", "name": "t", "output": 1}, 3),
        entry("confirm.granted", saturated.ENTRIES["confirm.granted"][0], 4),
    ]
    fold = Fold(wire.decode_state(wire.encode(reduce([called, asked]))))
    fold.extend(settled)
    assert fold.state == reduce([called, asked, *settled])
    assert (fold.state.tools[0].status, fold.state.confirms[0].status) == ("done", "granted")


def test_a_state_without_an_attention_is_answered_by_nothing() -> None:
    lacking = {name: value for name, value in saturated.STATE.items() if name != "attention"}
    state = wire.decode_state(json.dumps(lacking))
    answered = apply(state, entry("attention.answered", {"ok": True, "by": None}, 42))
    ended = apply(answered, entry("call.ended", saturated.ENTRIES["call.ended"][0], 43))
    assert answered.attention is ended.attention is msgspec.UNSET


def test_entries_may_read_the_state_as_they_are_given() -> None:
    fold = Fold()

    def growing() -> Any:
        for seq in range(1, 5):
            assert fold.state.seq == seq - 1
            held.append(fold.state)
            yield note(seq)

    held: list[wire.State] = []
    fold.extend(growing())
    assert [names(state) for state in [*held, fold.state]] == [[f"n{n}" for n in range(1, k)] for k in range(1, 6)]
