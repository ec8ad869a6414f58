"""What is read and written again is the same, for every type, with every field."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import saturated
from cuelight import wire
from strategies import data_of, entries

EXAMPLES = [(type_, data) for type_, all_data in saturated.ENTRIES.items() for data in all_data]
ASKED = [(type_, data) for type_, all_data in saturated.COMMANDS.items() for data in all_data]


def fields_left_out(shape: msgspec.Struct, place: str) -> list[str]:
    """Name every field of a shape, and of the shapes in it, that is absent or an empty list."""
    left_out = []
    for name in shape.__struct_fields__:
        value = getattr(shape, name)
        if value is msgspec.UNSET or value == []:
            left_out.append(f"{place}.{name}")
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, msgspec.Struct):
                left_out += fields_left_out(inner, f"{place}.{name}")
    return left_out


def shapes_in(value: Any) -> set[type]:
    """Collect the shapes that a value is made of."""
    if isinstance(value, msgspec.Struct):
        return {type(value)}.union(*(shapes_in(getattr(value, name)) for name in value.__struct_fields__))
    if isinstance(value, list | dict):
        return set().union(*map(shapes_in, value.values() if isinstance(value, dict) else value))
    return set()


def shapes_of_the_wire() -> set[type]:
    """Collect every shape that the package exports, apart from the frames and the base of all."""
    exported = [getattr(wire, name) for name in wire.__all__]
    structs = {one for one in exported if isinstance(one, type) and issubclass(one, msgspec.Struct)}
    return structs - {wire.Shape, wire.Entry, wire.Command, wire.Damage}


def test_every_type_has_a_saturated_example() -> None:
    assert saturated.ENTRIES.keys() == wire.ENTRY_TYPES.keys()
    assert saturated.COMMANDS.keys() == wire.COMMAND_TYPES.keys()


def test_every_shape_occurs_in_an_example() -> None:
    read = [msgspec.convert(data, wire.ENTRY_TYPES[type_]) for type_, data in EXAMPLES]
    read += [msgspec.convert(data, wire.COMMAND_TYPES[type_]) for type_, data in ASKED]
    # How an agent is declared is carried by no entry and no command; these three are written for those who ask.
    declared = {wire.PromptBlockSpec, wire.StateFieldSpec, wire.EventSpec}
    assert shapes_of_the_wire() - shapes_in(read) == declared


@pytest.mark.parametrize(("type_", "data"), EXAMPLES, ids=[type_ for type_, _ in EXAMPLES])
def test_a_saturated_entry_has_every_field(type_: str, data: dict[str, Any]) -> None:
    assert fields_left_out(msgspec.convert(data, wire.ENTRY_TYPES[type_]), type_) == []


@pytest.mark.parametrize(("type_", "data"), ASKED, ids=[type_ for type_, _ in ASKED])
def test_a_saturated_command_has_every_field(type_: str, data: dict[str, Any]) -> None:
    assert fields_left_out(msgspec.convert(data, wire.COMMAND_TYPES[type_]), type_) == []


@pytest.mark.parametrize(("type_", "data"), EXAMPLES, ids=[type_ for type_, _ in EXAMPLES])
def test_a_saturated_entry_keeps_everything(type_: str, data: dict[str, Any]) -> None:
    written = wire.entry(type_, data, seq=1, ts=2.5, call="CA_1", agent="desk")
    read = wire.decode_entry(wire.encode(written))
    assert read == written
    assert read.data == data
    assert json.loads(wire.encode(wire.typed(read))) == data


@pytest.mark.parametrize(("type_", "data"), ASKED, ids=[type_ for type_, _ in ASKED])
def test_a_saturated_command_keeps_everything(type_: str, data: dict[str, Any]) -> None:
    written = wire.command(type_, data, agent="desk", call="CA_1", id_="k1")
    read = wire.decode_command(wire.encode(written))
    assert read == written
    assert read.data == data
    assert json.loads(wire.encode(read)) == {
        "type": type_,
        "agent": "desk",
        "call": "CA_1",
        "id": "k1",
        "data": data,
    }


@pytest.mark.parametrize(
    ("shape", "data"),
    [
        (wire.PromptBlockSpec, {"name": "view", "region": "dynamic"}),
        (wire.StateFieldSpec, {"name": "owner", "visibility": "pii"}),
        (wire.EventSpec, {"name": "paid", "from": ["app", "participant"]}),
    ],
)
def test_declarations_keep_everything(shape: type[wire.Shape], data: dict[str, Any]) -> None:
    assert json.loads(wire.encode(msgspec.convert(data, shape))) == data


@given(st.data())
def test_fields_that_are_absent_stay_absent(data: st.DataObject) -> None:
    types = {**wire.ENTRY_TYPES, **wire.COMMAND_TYPES}
    shape = types[data.draw(st.sampled_from(sorted(types)))]
    value = data.draw(data_of(shape))
    assert json.loads(wire.encode(msgspec.convert(value, shape))) == value


@given(entries())
def test_decoding_undoes_encoding(entry: wire.Entry) -> None:
    assert wire.decode_entry(wire.encode(entry)) == entry
    assert wire.encode(wire.decode_entry(wire.encode(entry))) == wire.encode(entry)


def test_null_and_absent_are_two_things() -> None:
    absent = wire.decode_entry(wire.encode(_result({"call_id": "c1", "name": "book"})))
    null = wire.decode_entry(wire.encode(_result({"call_id": "c1", "name": "book", "output": None})))
    assert absent != null
    assert wire.typed(absent, wire.ToolResult).output is msgspec.UNSET
    assert wire.typed(null, wire.ToolResult).output is None
    assert b"output" not in wire.encode(wire.typed(absent))


def test_numbers_are_written_as_they_came() -> None:
    line = b'{"seq":1,"ts":12,"call":null,"agent":"a","type":"pong","ephemeral":true,"data":{"ts":12}}'
    assert wire.encode(wire.decode_entry(line)) == line
    assert wire.encode(wire.typed(wire.decode_entry(line))) == b'{"ts":12}'


def test_a_value_that_an_enumeration_does_not_list_is_kept() -> None:
    entry = _entry("call.ended", {"reason": "eclipse", "ended_by": "moon", "ended_at": 1, "duration_s": 1})
    assert wire.typed(entry, wire.CallEnded).reason == "eclipse"
    assert json.loads(wire.encode(wire.typed(entry))) == entry.data


def test_fields_nobody_knows_are_ignored_and_kept_in_the_entry() -> None:
    entry = _entry("user.state", {"state": "away", "later": [1]})
    assert wire.typed(entry) == wire.UserStateChanged(state="away")
    assert wire.decode_entry(wire.encode(entry)).data == {"state": "away", "later": [1]}


def test_a_state_keeps_everything() -> None:
    state = wire.decode_state(json.dumps(saturated.STATE))
    assert fields_left_out(state, "State") == []
    assert json.loads(wire.encode(state)) == saturated.STATE


@pytest.mark.parametrize("absent", ["attention"])
def test_a_state_that_lacks_what_may_be_absent_stays_so(absent: str) -> None:
    lacking = {name: value for name, value in saturated.STATE.items() if name != absent}
    assert json.loads(wire.encode(wire.decode_state(json.dumps(lacking)))) == lacking


def test_the_empty_state_is_the_opening_one() -> None:
    assert json.loads(wire.encode(wire.State.empty())) == {
        "seq": 0,
        "agent": "",
        "call": None,
        "status": "idle",
        "channel": None,
        "direction": None,
        "from": None,
        "to": None,
        "caller": None,
        "room": None,
        "started_at": None,
        "ended_at": None,
        "end_reason": None,
        "outcome": None,
        "user_state": None,
        "agent_state": None,
        "live": {"user": None, "agent": None},
        "turns": [],
        "metrics": {
            name: [] for name in ("llm", "stt", "tts", "vad", "eou", "eot", "interruption", "realtime", "avatar")
        },
        "tools": [],
        "app_state": {},
        "events": [],
        "prompt": {},
        "tools_visible": [],
        "confirms": [],
        "memory": [],
        "sources": [],
        "handoff": {"active": False, "by": None},
        "held": False,
        "muted": False,
        "transfer": None,
        "attention": None,
        "usage": [],
        "cost": None,
        "routes": [],
        "gaps": [],
        "errors": [],
        "custom": [],
    }


def _entry(type_: str, data: dict[str, Any]) -> wire.Entry:
    return wire.entry(type_, data, seq=1, ts=1, call="CA_1", agent="desk")


def _result(data: dict[str, Any]) -> wire.Entry:
    return _entry("tool.result", data)


@pytest.mark.parametrize(
    ("tag", "shapes"),
    [
        ("role", wire.Turn),
        ("type", wire.ModelUsage),
        ("kind", wire.StateCause),
        ("verb", wire.Verb),
    ],
)
def test_shapes_that_a_tag_tells_apart_say_which_they_are(tag: str, shapes: Any) -> None:
    for shape in shapes.__args__:
        assert getattr(shape, tag) == shape.__struct_config__.tag
        assert shape.__struct_config__.tag_field == tag
