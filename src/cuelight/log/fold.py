"""The fold: a log in, its State out. No clock, no I/O, no chance."""

import re
from collections.abc import Iterable
from copy import copy

import msgspec

import cuelight.wire as wire
from cuelight.log.row import Places, Row
from cuelight.log.rows_call import CALL_ROWS
from cuelight.log.rows_talk import TALK_ROWS

__all__ = ["Fold", "apply", "reduce"]

_ROWS: dict[str, Row] = {**CALL_ROWS, **TALK_ROWS}
_CONTROLS = {name: wire.decoder_of(shape).decode for name, shape in wire.CONTROL_TYPES.items()}
_CONTAINERS = frozenset({"metrics"}.union(*(row.touches for row in _ROWS.values())) | {"gaps", "errors"})

_PLACE = re.compile(r" - at `\$(.*)`$")
_MISSING = re.compile(r"missing required field `(.*?)`")


def reduce(entries: Iterable[wire.Entry]) -> wire.State:
    """Fold a whole log into its State.

    Pure: the same entries give the same State, whenever and wherever. No entry makes it raise.

    Args:
        entries: the log, in the order it was written.
    """
    fold = Fold()
    fold.extend(entries)
    return fold.state


def apply(state: wire.State, entry: wire.Entry) -> wire.State:
    """Return the State that one more entry leads to; the one given is left as it is.

    What the entry does not touch is shared between the two, so the whole is not copied. To fold many, use a `Fold`.
    """
    fold = Fold(state)
    fold.feed(entry)
    return fold.state


class Fold:
    """Fold a log entry by entry.

    The cost of an entry does not grow with the log. No entry makes it raise: one of a known type in a shape that cannot
    be read becomes a row of `errors` with the code `unreadable`.

    Args:
        state: where to go on, for example a State that was read from JSON. It is left as it is. None is an empty log.
    """

    __slots__ = ("_borrowed", "_lent", "_places", "_state")

    def __init__(self, state: wire.State | None = None) -> None:
        self._state = wire.State.empty() if state is None else state
        self._places = Places()
        # Reading `.state` lends it out. The next entry then works on a copy that shares the containers, and copies each
        # of those before it is changed for the first time.
        self._lent = state is not None
        self._borrowed: set[str] = set()

    @property
    def state(self) -> wire.State:
        """The State so far: a snapshot that later entries do not change.

        Reading it costs nothing. The first entries after that copy the lists that they touch, one level deep.
        """
        self._lent = True
        return self._state

    def feed(self, entry: wire.Entry) -> None:
        """Fold one entry."""
        self.extend((entry,))

    def extend(self, entries: Iterable[wire.Entry]) -> None:
        """Fold entries, in order."""
        for entry in entries:
            self._feed(entry)

    def _feed(self, entry: wire.Entry) -> None:
        if self._lent:
            self._lent = False
            self._state = copy(self._state)
            self._borrowed = set(_CONTAINERS)
        state = self._state
        row = _ROWS.get(entry.type)
        if row is None and wire.is_control(entry.type):
            self._control(state, entry)
            return
        seq, known = entry.seq, state.seq
        if seq > known:
            if seq != known + 1:
                self._own("gaps")
                state.gaps.append(wire.Gap(from_seq=known + 1, to_seq=seq - 1))
            state.seq = seq
        elif not entry.ephemeral:
            return
        state.agent = entry.agent
        if entry.call is not None:
            state.call = entry.call
        if row is None:
            return
        try:
            data = row.decode(entry.body)
        except (msgspec.DecodeError, RecursionError) as why:
            self._unreadable(state, entry, why)
            return
        if row.effect is not None:
            if self._borrowed:
                self._own(*row.touches)
            row.effect(state, data, entry, self._places)

    def _control(self, state: wire.State, entry: wire.Entry) -> None:
        decode = _CONTROLS.get(entry.type)
        if decode is None:
            return
        try:
            data = decode(entry.body)
        except (msgspec.DecodeError, RecursionError) as why:
            self._unreadable(state, entry, why)
            return
        if not isinstance(data, wire.LogGap) or data.to_seq <= state.seq:
            return
        if data.snapshot is not None:
            state = self._state = data.snapshot
            self._places = Places()
            self._borrowed = set()
        self._own("gaps")
        state.gaps.append(wire.Gap(from_seq=data.from_seq, to_seq=data.to_seq))
        state.seq = max(state.seq, data.to_seq)

    def _own(self, *names: str) -> None:
        for name in self._borrowed.intersection(names):
            self._borrowed.discard(name)
            setattr(self._state, name, _copied(getattr(self._state, name)))

    def _unreadable(self, state: wire.State, entry: wire.Entry, why: Exception) -> None:
        self._own("errors")
        message = f"{entry.type} at seq {entry.seq} does not fit its shape at {_place(why)}"
        state.errors.append(wire.LoggedError(seq=entry.seq, code="unreadable", message=message))


def _copied(container: object) -> object:
    found = copy(container)
    if isinstance(found, wire.CollectedMetrics):
        for name in found.__struct_fields__:
            setattr(found, name, copy(getattr(found, name)))
    return found


def _place(why: Exception) -> str:
    """Find where in the data a misfit is, in words that a reader in any language can give."""
    text = str(why)
    path, missing = _PLACE.search(text), _MISSING.search(text)
    return "data" + (path.group(1) if path else "") + (f".{missing.group(1)}" if missing else "")
