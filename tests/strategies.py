"""What hypothesis makes up: data for every shape, entries, and logs whose entries have to do with each other."""

from typing import Any

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from msgspec import inspect

from cuelight import wire

__all__ = ["data_of", "entries", "json_objects", "json_values", "logs", "misfits"]

# A log is large, and how long one takes to make up depends on what else the machine does.
settings.register_profile("made up", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("made up")

texts = st.text(max_size=8)
integers = st.integers(-(2**53), 2**53)
numbers = integers | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)

# Names by which entries speak of each other: few, so that they do.
_SHARED = {
    "call_id": st.sampled_from(["c1", "c2", "c3"]),
    "identity": st.sampled_from(["caller", "agent", "guest"]),
    "kind": st.sampled_from(["caller", "agent", "listener", "audio"]),
}
_cache: dict[type, st.SearchStrategy[dict[str, Any]]] = {}


def data_of(shape: type[msgspec.Struct]) -> st.SearchStrategy[dict[str, Any]]:
    """Make up JSON objects that fit a shape, fields that may be absent being so half the time."""
    if shape not in _cache:
        _cache[shape] = _struct(inspect.type_info(shape))
    return _cache[shape]


def _struct(info: Any) -> st.SearchStrategy[dict[str, Any]]:
    required: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    if info.tag_field is not None:
        required[info.tag_field] = st.just(info.tag)
    for field in info.fields:
        is_text = isinstance(field.type, inspect.StrType | inspect.Metadata)
        made = _SHARED[field.encode_name] if is_text and field.encode_name in _SHARED else _value(field.type)
        (required if field.required else optional)[field.encode_name] = made
    return st.fixed_dictionaries(required, optional=optional)


def _value(info: Any) -> st.SearchStrategy[Any]:
    match info:
        case inspect.Metadata():
            listed = info.extra_json_schema["anyOf"][0]["enum"] if info.extra_json_schema else []
            return st.sampled_from(listed) | texts if listed else _value(info.type)
        case inspect.AnyType():
            return json_values
        case inspect.NoneType():
            return st.none()
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType():
            return integers
        case inspect.FloatType():
            return numbers
        case inspect.StrType():
            return texts
        case inspect.ListType():
            return st.lists(_value(info.item_type), max_size=2)
        case inspect.DictType():
            return st.dictionaries(texts, _value(info.value_type), max_size=2)
        case inspect.UnionType():
            return st.one_of(*map(_value, info.types))
        case inspect.StructType():
            return data_of(info.cls)
    raise NotImplementedError(info)


_UNKNOWN = st.sampled_from(
    ["later.version", "callback.requested", "message.sent", "code.ran", "log.later", "cue.later"]
)
# A snapshot makes the State another one; it comes rarely, or little else would be tested.
_TYPES = st.sampled_from(sorted(set(wire.ENTRY_TYPES) - {"log.gap"}) * 3 + ["log.gap"])


@st.composite
def typed_data(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Make up a type and data that fits it."""
    type_ = draw(_TYPES | _UNKNOWN)
    shape = wire.ENTRY_TYPES.get(type_)
    return type_, draw(json_objects if shape is None else data_of(shape))


@st.composite
def entries(draw: st.DrawFn, seq: int | None = None) -> wire.Entry:
    """Make up an entry of any type, known or not."""
    type_, data = draw(typed_data())
    return wire.entry(
        type_,
        data,
        seq=draw(st.integers(0, 50)) if seq is None else seq,
        ts=draw(st.integers(0, 2_000_000_000) | st.floats(0, 2e9)),
        call=draw(st.sampled_from(["CA_1", "CA_1", "CA_1", None])),
        agent=draw(st.sampled_from(["desk", "desk", "night"])),
        ephemeral=type_ in wire.EPHEMERAL_TYPES,
    )


@st.composite
def logs(draw: st.DrawFn, max_size: int = 12) -> list[wire.Entry]:
    """Make up a log: mostly in order, with holes, repetitions and entries that come late."""
    log: list[wire.Entry] = []
    seq = 0
    for step in draw(st.lists(st.sampled_from([1, 1, 1, 1, 1, 1, 2, 4, 0, -1]), max_size=max_size)):
        entry = draw(entries(seq=0))
        seq = max(0, seq + (0 if entry.ephemeral else step))
        log.append(msgspec.structs.replace(entry, seq=seq))
    return log


@st.composite
def misfits(draw: st.DrawFn) -> wire.Entry:
    """Make up an entry of a known type whose data is anything at all, often not of its shape."""
    type_ = draw(st.sampled_from(sorted(wire.ENTRY_TYPES)))
    fitting = draw(data_of(wire.ENTRY_TYPES[type_]))
    changed = draw(st.dictionaries(st.sampled_from(sorted(fitting) or ["x"]), json_values, max_size=2))
    data = draw(st.sampled_from([fitting | changed, changed]) | json_objects)
    return wire.entry(type_, data, seq=draw(st.integers(0, 20)), ts=1, call="CA_1", agent="desk")
