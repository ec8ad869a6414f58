"""Entries and commands: how they are made, compared, shown and refused."""

import copy
import math
import pickle
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given

from cuelight import wire
from cuelight.errors import BadEntry
from strategies import json_objects


def make(data: Any, **changed: Any) -> wire.Entry:
    head: dict[str, Any] = {"seq": 3, "ts": 1.5, "call": "CA_1", "agent": "desk"}
    return wire.entry("custom", data, **{**head, **changed})


@given(json_objects)
def test_data_reads_as_plain_values_wherever_it_came_from(data: dict[str, Any]) -> None:
    made = make(data)
    from_bytes = wire.decode_entry(wire.encode(made))
    from_dict = wire.decode_entry(
        {"seq": 3, "ts": 1.5, "call": "CA_1", "agent": "desk", "type": "custom", "ephemeral": False, "data": data}
    )
    from_text = wire.decode_entry(wire.encode(made).decode())
    for entry in (made, from_bytes, from_dict, from_text, make(made.raw)):
        assert entry.data == data
        assert type(entry.data) is dict
        assert entry == made
        assert hash(entry) == hash(made)


def test_data_can_be_a_shape() -> None:
    shape = wire.CustomNote(seq=1, name="n", data={"a": [1, None]})
    assert make(shape).data == {"seq": 1, "name": "n", "data": {"a": [1, None]}}


def test_an_entry_does_not_change() -> None:
    data = {"list": [1]}
    entry = make(data)
    data["list"].append(2)
    entry.data["list"].append(3)
    assert entry.data == {"list": [1]}
    with pytest.raises(AttributeError):
        entry.seq = 4  # type: ignore[misc]


def test_entries_are_equal_by_value() -> None:
    spaced = make(b'{ "b": 2.0,\n "a": [1, null] }')
    assert spaced == make({"a": [1, None], "b": 2})
    assert not spaced != make({"a": [1, None], "b": 2})  # noqa: SIM202 - the operator itself is what is asked
    assert spaced != make({"a": [True, None], "b": 2})
    assert spaced != make({"a": [1], "b": 2})
    assert spaced != make({"a": [1, None]})
    assert make({}) != "an entry"


@pytest.mark.parametrize(
    "changed", [{"seq": 4}, {"ts": 2}, {"call": None}, {"agent": "other"}, {"ephemeral": True}], ids=str
)
def test_each_field_of_the_frame_counts(changed: dict[str, Any]) -> None:
    assert make({}) != make({}, **changed)


def test_an_entry_shows_what_it_is() -> None:
    assert repr(make({"a": 1})) == "<Entry 3 custom of 'CA_1' by 'desk' at 1.5: {\"a\":1}>"
    assert len(repr(make({"a": "x" * 5000}))) < 300


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda entry: pickle.loads(pickle.dumps(entry))])
def test_an_entry_can_be_copied(again: Callable[[wire.Entry], wire.Entry]) -> None:
    assert again(make({"a": 1})) == make({"a": 1})


CIRCLE: dict[str, Any] = {}
CIRCLE["self"] = CIRCLE


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"price": math.nan}, "Entry 'custom' holds nan at data.price"),
        ({"prices": [1, {"is": math.inf}]}, "holds inf at data.prices[1].is"),
        ({"prices": {"x": -math.inf}}, "holds -inf at data.prices.x"),
        ({"by": {7: "seven"}}, "has the key 7 in data.by"),
        ({True: 1}, "data"),
        ({"on": date(2026, 5, 1)}, "a value of type date at data.on"),
        ({"raw": b"bytes"}, "a value of type bytes at data.raw"),
        ({"of": {1, 2}}, "a value of type set at data.of"),
        ({"it": object()}, "data"),
        ({"text": "\ud800"}, "data"),
        (CIRCLE, "data"),
        (b"[1]", "no JSON object"),
        (b'{"a":', "no JSON"),
        (b'{"a":NaN}', "no JSON"),
        ("{}", "of type str"),
        (None, "of type NoneType"),
    ],
)
def test_what_json_cannot_hold_is_refused_where_it_is_written(data: Any, says: str) -> None:
    with pytest.raises(BadEntry) as refused:
        make(data)
    assert says in str(refused.value)
    assert "'custom'" in str(refused.value)


@pytest.mark.parametrize("ts", [math.nan, math.inf, None, "now"])
def test_a_time_is_a_number(ts: Any) -> None:
    with pytest.raises(BadEntry, match="ts"):
        make({}, ts=ts)


def test_a_shape_with_a_nan_is_refused() -> None:
    with pytest.raises(BadEntry, match=r"holds nan at Pong\.ts"):
        wire.encode(wire.Pong(ts=math.nan))
    with pytest.raises(BadEntry, match=r"holds nan at data\.ts"):
        wire.entry("pong", wire.Pong(ts=math.nan), seq=1, ts=1, call=None, agent="desk")


def test_tuples_and_shapes_inside_are_values() -> None:
    entry = make({"caller": wire.Contact(name="Ada"), "pair": (1, 2)})
    assert entry.data == {"caller": {"name": "Ada"}, "pair": [1, 2]}
    with pytest.raises(BadEntry, match=r"nan at data\.pong\.ts"):
        make({"pong": wire.Pong(ts=math.nan)})


def test_a_number_too_large_is_said_when_it_is_read() -> None:
    entry = wire.decode_log(
        b'{"seq":1,"ts":1,"call":null,"agent":"a","type":"later","ephemeral":false,"data":{"n":1e999}}'
    )[0]
    with pytest.raises(BadEntry, match="'later' cannot be read"):
        _ = entry.data
    assert entry != make({})


HEAD: dict[str, Any] = {"seq": 1, "ts": 2, "call": None, "agent": "a", "type": "t", "ephemeral": False, "data": {}}


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ({**HEAD, "seq": "1"}, "$.seq"),
        ({**HEAD, "seq": 1.5}, "$.seq"),
        ({**HEAD, "seq": True}, "$.seq"),
        ({**HEAD, "ts": None}, "$.ts"),
        ({**HEAD, "call": 5}, "$.call"),
        ({**HEAD, "ephemeral": 0}, "$.ephemeral"),
        ({**HEAD, "data": [1]}, "no JSON object"),
        ({name: value for name, value in HEAD.items() if name != "agent"}, "`agent`"),
        ({**HEAD, "data": {"a": math.nan}}, "nan"),
        (b"[]", "array"),
        (b"", "truncated"),
        (b'{"seq":1,"ts":2,"call":null,"agent":"\xff"}', "utf-8"),
        (b'{"seq":1,"ts":2,"call":null,"agent":"a","type":"t","ephemeral":false,"data":{"a":"\xff"}}', "utf-8"),
        ('{"a":' * 100_000, "recursion"),
    ],
)
def test_what_is_no_entry_is_refused(source: Any, says: str) -> None:
    with pytest.raises(BadEntry) as refused:
        wire.decode_entry(source)
    assert says in str(refused.value)


def test_a_frame_ignores_fields_it_does_not_know() -> None:
    assert wire.decode_entry({**HEAD, "later": 1}) == wire.decode_entry(HEAD)


def test_typed_refuses_what_it_cannot_read() -> None:
    with pytest.raises(BadEntry, match=r"'later\.type', whose shape is not known"):
        wire.typed(wire.entry("later.type", {}, seq=1, ts=1, call=None, agent="a"))
    with pytest.raises(BadEntry, match="whose shape is Custom, not Pong"):
        wire.typed(make({"name": "n", "data": {}}), wire.Pong)
    with pytest.raises(BadEntry, match=r"does not fit its shape, Custom: .*`\$\.name`"):
        wire.typed(make({"name": 5, "data": {}}))


def test_a_command_is_checked_against_its_type() -> None:
    hold = wire.decode_command(b'{"type":"call.hold","agent":"a","call":"CA_1","data":{}}')
    assert hold == wire.command("call.hold", agent="a", call="CA_1")
    assert repr(hold) == "<Command call.hold to 'CA_1' of 'a': {}>"
    with pytest.raises(BadEntry, match=r"no command 'call\.fly'.*call\.hold"):
        wire.decode_command({"type": "call.fly", "agent": "a", "call": None, "data": {}})
    with pytest.raises(BadEntry, match=r"'agent\.say' does not fit.*text"):
        wire.decode_command({"type": "agent.say", "agent": "a", "call": None, "data": {}})
    with pytest.raises(BadEntry, match="no JSON object"):
        wire.decode_command({"type": "call.hold", "agent": "a", "call": None, "data": []})


def test_types_that_are_carried_as_they_came() -> None:
    assert all(
        wire.is_opaque(type_)
        for type_ in ("callback.requested", "call.claimed", "message.sent", "code.ran", "credits.exhausted")
    )
    assert not any(wire.is_opaque(type_) for type_ in ("call.ended", "messages", "later.type"))
    assert [type_ for type_ in wire.ENTRY_TYPES if wire.is_control(type_)] == list(wire.CONTROL_TYPES)
    assert wire.is_control("log.later")
