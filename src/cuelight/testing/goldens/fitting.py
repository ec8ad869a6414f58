"""Fit what a file says into shapes, and say of each part that does not fit what is wrong with it."""

from collections.abc import Mapping
from functools import reduce
from operator import or_
from types import UnionType
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct, UnsetType

from cuelight.agent import nearest
from cuelight.testing.goldens.advising import other_key, other_value
from cuelight.testing.goldens.source import Where

__all__ = ["Misfit", "fit", "named"]

T = TypeVar("T", bound=Struct)


class Misfit(NamedTuple):
    """Say what is wrong, and where."""

    said: str
    where: Where
    spoilt: Where
    """The part that cannot be judged because of it: where a key is misspelled, that of the right one."""


_UNFIT = object()


def fit(value: Any, shape: type[T]) -> tuple[T, list[Misfit]]:
    """Read a value as a shape, as far as it fits: what does not is left out or empty, and told of.

    Args:
        value: plain JSON.
        shape: what is to come of it.

    Returns:
        An instance, and everything that does not fit.
    """
    misfits: list[Misfit] = []
    fitted = _fitted(value, shape, (), misfits)
    return (_empty(shape) if fitted is _UNFIT else fitted), misfits


def named(where: Where) -> str:
    """Name a part of a golden: "turn 2, then 1", counted from one."""
    text = ""
    for before, step in zip(("", *where), where, strict=False):
        if isinstance(step, str):
            text += f", {step}" if text else step
        else:
            text = text.removesuffix("s") if before == "turns" else text
            text += f".{step + 1}" if isinstance(before, int) else f" {step + 1}"
    return text or "a golden"


def _fitted(value: Any, kind: Any, where: Where, misfits: list[Misfit]) -> Any:
    kinds = [each for each in _alternatives(kind) if each is not UnsetType]
    for each in kinds:
        if isinstance(value, list) and get_origin(each) is list:
            (item,) = get_args(each)
            return _items(value, item, where, misfits)
        if isinstance(value, dict) and isinstance(each, type) and issubclass(each, Struct):
            return _members(value, each, where, misfits)
    try:
        return msgspec.convert(value, reduce(or_, kinds))
    except msgspec.ValidationError:
        misfits.append(Misfit(f"{named(where)}: {other_value(value, kinds, where)}", where, where))
        return _UNFIT


def _items(value: list[Any], kind: Any, where: Where, misfits: list[Misfit]) -> list[Any]:
    """Fit the items of a list; those that do not are empty, so that the others keep their places."""
    items = []
    for index, each in enumerate(value):
        item = _fitted(each, kind, (*where, index), misfits)
        items.append(_empty(kind) if item is _UNFIT else item)
    return items


def _members(value: Mapping[str, Any], shape: type[Struct], where: Where, misfits: list[Misfit]) -> Struct:
    fields = {field.encode_name: field for field in msgspec.structs.fields(shape)}
    members: dict[str, Any] = {}
    missing = [key for key in fields if key not in value]
    meant = {key: next((each for each in missing if nearest(key, [each])), key) for key in value if key not in fields}
    for key, member in value.items():
        if key in meant:
            said = f"{named(where)} has no key `{key}`{other_key(key, member, shape, fields)}"
            misfits.append(Misfit(said, (*where, key), (*where, meant[key])))
            continue
        fitted = _fitted(member, fields[key].type, (*where, key), misfits)
        if fitted is not _UNFIT:
            members[fields[key].name] = fitted
    for key, field in fields.items():
        if field.required and field.name not in members:
            members[field.name] = _empty(field.type)
            if key not in value and key not in meant.values():
                misfits.append(Misfit(f"{named(where)} lacks `{key}`", (*where, key), (*where, key)))
    return shape(**members)


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _empty(kind: Any) -> Any:
    """Give what stands where something does not fit."""
    first = _alternatives(kind)[0]
    if isinstance(first, type) and issubclass(first, Struct):
        return _members({}, first, (), [])
    return [] if get_origin(first) is list else ""
