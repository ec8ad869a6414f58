"""Private values: what is masked in a log, what is kept beside it, and how the two come together again.

A value is private because a tool or a field declares it. From then on it is masked wherever it turns up in free text,
also in entries written before anybody knew.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import msgspec

from cuelight.log.spelling import SHORTEST, Spellings, spell
from cuelight.wire import ENTRY_TYPES, Entry, entry

__all__ = ["MASK", "Private", "Record", "Secrets", "disclose", "leaves", "scrub", "secrets_of", "unmasked"]

MASK = "[private]"

# Which parts of an entry's data may hold words of people or values of the author's. Everything else is the wire's own:
# masking the id of a tool call would break the log for nothing.
_CALLER = frozenset({"caller", "from", "to"})
_TEXT = frozenset({"text"})
_FREE: dict[str, frozenset[str]] = {
    "attention.requested": frozenset({"reason"}),
    "call.dialing": _CALLER,
    "call.ringing": _CALLER,
    "call.ended": frozenset({"reason"}),
    "call.started": _CALLER | {"persona"},
    "call.summary": frozenset({"outcome", "reason"}),
    "confirm.declined": frozenset({"said"}),
    "confirm.granted": frozenset({"said"}),
    "confirm.request": frozenset({"arguments", "phrase"}),
    "cue.crossing": frozenset({"message"}),
    "cue.delivered": frozenset({"content", "message_id"}),
    "cue.heard": _TEXT,
    "cue.reply": _TEXT,
    "cue.route": frozenset({"feedback", "prompt", "state", "message", "reason"}),
    "cue.said": _TEXT,
    "custom": frozenset({"data", "name"}),
    "docs.sources": frozenset({"query", "sources"}),
    "error": frozenset({"message"}),
    "event.received": frozenset({"data", "name"}),
    "memory.ops": frozenset({"ops"}),
    "participant.joined": frozenset({"name", "attributes"}),
    "state.changed": frozenset({"state"}),
    "supervisor.said": _TEXT,
    "supervisor.whispered": _TEXT,
    "tool.call": frozenset({"arguments"}),
    "tool.result": frozenset({"output", "error", "summary"}),
    "agent.transcript": _TEXT,
    "turn.agent": _TEXT,
    "turn.user": _TEXT | {"item_id"},
    "user.transcript": _TEXT,
}
# Where the name of a tool stands, which a model may have made up. One that a class declares is an identifier.
_TOOL_NAMED = frozenset({"tool.call", "tool.result", "cue.refused", "cue.unknown"})

# Parts whose keys, down to so many levels, are names: the class's own ones or the wire's. Keys further down are data.
_NAMED = {"arguments": 1, "caller": 1, "message": 1, "ops": 2, "sources": 1, "state": 1}


class Private(msgspec.Struct, frozen=True, gc=False):
    """Hold what was masked out of one entry: its data as it was (JSON bytes), and the values it makes private."""

    data: bytes
    values: tuple[str, ...] = ()


class Record(msgspec.Struct, frozen=True, gc=False):
    """Pair an entry as the log holds it with its private part, which lives beside the log."""

    entry: Entry
    private: Private | None = None


class Secrets:
    """Know a call's private values, and mask them."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: set[str] = set()
        self._spellings = Spellings()
        self._longest = 0
        self.add(values)

    def __bool__(self) -> bool:
        return bool(self._values)

    def add(self, values: Iterable[str]) -> tuple[str, ...]:
        """Learn values; gives those that are new.

        Values shorter than four characters are never masked in free text, nor are numbers of fewer than four digits,
        zeros after the decimal mark not counted.
        """
        new = {}
        for value in values:
            if value not in self._values and value not in new and (spellings := spell(value)):
                new[value] = spellings
        for value, spellings in new.items():
            self._longest = max(self._longest, len(value))
            self._spellings.add(spellings)
        self._values.update(new)
        return tuple(new)

    def text(self, text: str) -> str:
        """Mask every private value in a text, however it is spaced, punctuated or capitalised.

        A masked text is left as it is when it is masked again.
        """
        if not self._values:
            return text
        masked = MASK.join(map(self._masked, text.split(MASK)))
        return masked if masked == text else self.text(masked)  # what stood beside a value may stand alone now

    def _masked(self, text: str) -> str:
        if len(text) < SHORTEST:
            return text
        parts: list[str] = []
        end = 0
        for start, stop in self._spellings.find(text):
            parts += (text[end:start], MASK)
            end = stop
        return "".join((*parts, text[end:]))

    def settled(self, text: str) -> int:
        """Give how many characters of a text that is still growing can be masked by themselves.

        No private value stands across that place, nor can one that the text grows into, unless it is spelled out at
        more than three times its length.
        """
        if not self._values:
            return len(text)
        end = max(0, len(text) - 3 * self._longest)
        for start, stop in self._spellings.find(text):
            if start < end < stop:
                return start
        return end

    def value(self, value: Any, named: int = 0) -> Any:
        """Mask every private value in a plain JSON value, in its keys too; the value itself is left alone.

        Args:
            value: the value.
            named: down to how many levels its keys are names, which are never masked. Others stay distinct.
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            keys = self._keys(value, self._name if named else self.text)
            return {key: self.value(item, max(0, named - 1)) for key, item in zip(keys, value.values(), strict=True)}
        if isinstance(value, list | tuple):
            return [self.value(item, named) for item in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            number = int(value) if isinstance(value, float) and value.is_integer() else value
            return MASK if self.text(str(abs(number))) == MASK else value
        return value

    def _name(self, name: str) -> str:
        """Mask a name that no class can declare, and leave every other."""
        return name if name.isidentifier() else self.text(name)

    def _keys(self, keys: Iterable[str], mask: Callable[[str], str]) -> Iterable[str]:
        """Mask keys, in order; those that would be the same are numbered."""
        given = tuple(keys)
        masked = tuple(map(mask, given))
        if masked == given:
            return given
        taken = {new for old, new in zip(given, masked, strict=True) if old == new}
        distinct = []
        numbers: dict[str, Iterator[int]] = {}
        for old, new in zip(given, masked, strict=True):
            key = new
            if old != new:
                while key in taken or mask(key) != key:
                    key = f"{new} {next(numbers.setdefault(new, count(2)))}"
                taken.add(key)
            distinct.append(key)
        return distinct

    def data(self, type: str, data: Mapping[str, Any]) -> dict[str, Any]:  # noqa: A002 - the wire's own word
        """Mask the free parts of an entry's data; types that this version does not know are masked in every part."""
        free = _FREE.get(type)
        if free is None and type not in ENTRY_TYPES:
            return {key: self.value(item) for key, item in data.items()}
        free = free or frozenset()
        masked = {key: self.value(item, _NAMED.get(key, 0)) if key in free else item for key, item in data.items()}
        if type in _TOOL_NAMED:
            masked = _renamed(masked, self._name)
        elif type == "cue.reply" and isinstance(data.get("calls"), list):
            masked["calls"] = [_renamed(call, self._name) for call in data["calls"]]
        elif type == "state.changed" and "cause" in data:
            masked["cause"] = _renamed(data["cause"], self.text)
        if type == "state.changed" and "stage" in data["state"]:
            masked["state"]["stage"] = data["state"]["stage"]  # a stage is one of the author's own words
        return masked


def _renamed(data: Any, mask: Callable[[str], str]) -> Any:
    """Mask the name in a part of an entry, where there is one: a stored log may hold anything."""
    if isinstance(data, dict) and isinstance(data.get("name"), str):
        return {**data, "name": mask(data["name"])}
    return data


def leaves(value: Any) -> list[str]:
    """List the words and numbers in a plain JSON value, as text: what becomes private when the value is.

    Keys are among them where they are data, as "Ada Byrne" is. One that is an identifier reads as the name of a
    property, which is in the author's code.
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        keys = [key for key in value if not key.isidentifier()]
        return [*keys, *(leaf for item in value.values() for leaf in leaves(item))]
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [str(value)]
    return []


def secrets_of(records: Iterable[Record]) -> Secrets:
    """Gather what a call's records say is private."""
    return Secrets(value for record in records if record.private for value in record.private.values)


def disclose(records: Sequence[Record], secrets: Secrets | None = None) -> list[Entry]:
    """Give the entries as they may leave the store: masked, the earlier ones too.

    Args:
        records: a stretch of one call's records.
        secrets: the call's private values, where the records are not the whole call.
    """
    known = secrets_of(records) if secrets is None else secrets
    if not known:
        return [record.entry for record in records]
    return [_masked(record.entry, known) for record in records]


def _masked(whole: Entry, secrets: Secrets) -> Entry:
    data = whole.data
    masked = secrets.data(whole.type, data)
    return whole if masked == data else _with_data(whole, masked)


def unmasked(record: Record) -> Entry:
    """Give the entry with its private values in their places: for the engine and the model alone."""
    if record.private is None:
        return record.entry
    return _with_data(record.entry, record.private.data)


def scrub(closing: Callable[[Entry], Entry]) -> Callable[[Sequence[Record]], list[Entry]]:
    """Make what `Store.erase` runs: every entry masked for good, and one more that says so.

    Args:
        closing: makes the last entry (`cue.erased`) from the entry before it.
    """

    def scrubbed(records: Sequence[Record]) -> list[Entry]:
        entries = disclose(records)
        return [*entries, closing(entries[-1])]

    return scrubbed


def _with_data(whole: Entry, data: Any) -> Entry:
    return entry(
        whole.type, data, seq=whole.seq, ts=whole.ts, call=whole.call, agent=whole.agent, ephemeral=whole.ephemeral
    )
