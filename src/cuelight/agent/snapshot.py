"""An agent's state as a whole: written for the log, laid over at the start, and read back from an old log."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from cuelight.agent.annotations import type_name
from cuelight.agent.cells import Frame, open_frame
from cuelight.agent.coders import Misfit, plain_json
from cuelight.agent.words import closest
from cuelight.errors import UndeclaredField
from cuelight.log import MASK, leaves

if TYPE_CHECKING:
    from cuelight.agent.stateful import Stateful

__all__ = [
    "Notice",
    "Restored",
    "Snapshot",
    "fitting",
    "json_object",
    "lay_over",
    "private_values",
    "restore",
    "snapshot",
]

_encode = msgspec.json.Encoder().encode
_MASK = _encode(MASK)


class Snapshot(msgspec.Struct, frozen=True):
    """Hold the state at one moment, as JSON objects.

    `full` has every value; in `shown` private fields are masked. `derived` is the encoded form of each public property,
    `failures` names those that raised, which stand as null.
    """

    full: bytes
    shown: bytes
    derived: dict[str, bytes]
    failures: tuple[tuple[str, Exception], ...]


class Notice(msgspec.Struct, frozen=True):
    """Say what could not be read back from an old log: a stable code and a sentence."""

    code: str
    message: str


class Restored(msgspec.Struct, frozen=True):
    """Hold what restoring a state had to leave out."""

    notices: tuple[Notice, ...] = ()


def snapshot(agent: "Stateful") -> Snapshot:
    """Write the committed state, and what the properties say of it.

    Raises:
        WrongType: when the instance is in no call and holds a value, changed in place, that no longer fits.
    """
    cell = agent._cell
    if not cell.ledger.live:
        cell.settle()
    derived: dict[str, bytes] = {}
    failures: list[tuple[str, Exception]] = []
    if agent.__declaration__.derived:
        with open_frame(Frame(cell.ledger, "a property", read_only=True)):
            for name in agent.__declaration__.derived:
                try:
                    derived[name] = plain_json(getattr(agent, name))
                except Exception as error:  # the author's code: whatever it raises, the field is null
                    derived[name] = b"null"
                    failures.append((name, error))
    members = {**agent.__members__(), **derived}
    full = json_object(members)
    private = agent.__declaration__.private
    if not private:
        return Snapshot(full, full, derived, tuple(failures))
    masked = {name: _MASK for name in private if cell.encoded[name] != b"null"}
    return Snapshot(full, json_object({**members, **masked}), derived, tuple(failures))


def private_values(agent: "Stateful") -> list[str]:
    """List the words and numbers that the private fields hold, except those that they open with."""
    cell = agent._cell
    return [
        leaf
        for name, opening in agent.__declaration__.private.items()
        for leaf in leaves(msgspec.json.decode(cell.encoded[name]))
        if leaf not in opening
    ]


def lay_over(agent: "Stateful", values: Mapping[str, Any], where: str = "the given state") -> None:
    """Write given values over the fields, each as a Python value or in its JSON form: all of them, or none.

    Args:
        agent: whose fields.
        values: by the names of the fields.
        where: what writes them, for messages.

    Raises:
        UndeclaredField: when a name is no field.
        WrongType: when a value does not fit.
        NotAStage: when the stage is none.
    """
    for name, value in fitting(agent, values, where).items():
        agent._cell.write(name, value)


def fitting(agent: "Stateful", values: Mapping[str, Any], where: str, more: Iterable[str] = ()) -> dict[str, Any]:
    """Give values as the fields hold them; nothing is written. Raises as `lay_over` does.

    Args:
        agent: whose fields.
        values: by the names of the fields.
        where: what writes them, for messages.
        more: other names that such a state may have, for messages.
    """
    owner, fields = type(agent).__name__, agent.__declaration__.fields
    for name in values:
        if name not in fields:
            known = (*fields, *more)
            close = closest(name, known) if isinstance(name, str) else None
            advice = f"Did you mean `{close}`?" if close else "Give it under the name of one of these, or leave it out."
            raise UndeclaredField(owner, name, known, where=where, advice=advice)
    return {name: fields[name].fit(owner, value, where) for name, value in values.items()}


def restore(agent: "Stateful", stored: Mapping[str, Any], *, within: str = "") -> Restored:
    """Read the state of an old log back into the fields, with their types; what cannot be read keeps its default.

    Args:
        agent: a new instance.
        stored: the `app_state` of the log, private values in place as far as they are kept.
        within: what stands before the names of fields in the notices.
    """
    cell = agent._cell
    declaration = agent.__declaration__
    left = dict(stored)
    notices: list[Notice] = []
    for name, field in declaration.fields.items():
        key = next((known for known in (name, *field.was) if known in left), None)
        if key is None:
            continue  # a field that the log is older than opens as in a new call
        value = left.pop(key)
        if value == MASK:
            notices.append(
                Notice(
                    "field-erased", f"Field {within + name!r} was erased with the call's private values; it is as new."
                )
            )
            continue
        try:
            if field.stages is not None and value not in field.stages:
                raise Misfit("it is no stage any more")
            read = field.coder.decode(msgspec.json.encode(value))
            cell.put(name, field.coder.encode(read), read)
        except Misfit as misfit:
            reason = "" if field.pii else f" ({misfit})"
            kind = type_name(field.annotation)
            notices.append(
                Notice("field-unreadable", f"Field {within + name!r} in the log is no {kind}{reason}; it is as new.")
            )
    notices.extend(
        Notice("field-removed", f"The log holds a field {within + name!r} that {declaration.name} no longer declares.")
        for name in left
        if name not in declaration.derived and not name.startswith("_")
    )
    return Restored(tuple(notices))


def json_object(members: Mapping[str, bytes]) -> bytes:
    """Join members that are JSON already."""
    return b"{" + b",".join(b"%b:%b" % (_encode(name), value) for name, value in members.items()) + b"}"
