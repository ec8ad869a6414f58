"""The fold: a log in, its State out. No clock, no I/O, no chance."""

import re
from collections.abc import Iterable
from copy import copy
from typing import Any

import msgspec

import cuelight.wire as wire
from cuelight.log.row import Places
from cuelight.log.rows_call import CALL_ROWS
from cuelight.log.rows_metrics import METRICS_ROWS
from cuelight.log.rows_talk import TALK_ROWS

__all__ = ["Fold", "apply", "reduce"]

_TABLE = {**CALL_ROWS, **TALK_ROWS, **METRICS_ROWS}
# As plain tuples, which the interpreter takes apart faster than named ones.
_ROWS = {name: (row.decode, row.effect, row.touches) for name, row in _TABLE.items()}
_CONTROLS = {name: wire.decoder_of(shape).decode for name, shape in wire.CONTROL_TYPES.items()}
_CONTAINERS = frozenset({"errors", "gaps"}.union(*(row.touches for row in _TABLE.values())))

_MISSING = re.compile(r"Object missing required field `(.*?)`")


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
        # Reading `.state` lends it out. The next entry then works on a copy of it that shares the containers, each of
        # which is copied before it is changed for the first time.
        self._lent = state is not None
        self._borrowed: set[str] = set()

    @property
    def state(self) -> wire.State:
        """The State so far: a snapshot that later entries do not change.

        Reading it costs nothing; the entries after it copy each list that they are the first to touch, one level deep.
        """
        self._lent = True
        return self._state

    def feed(self, entry: wire.Entry) -> None:
        """Fold one entry."""
        self.extend((entry,))

    def extend(self, entries: Iterable[wire.Entry]) -> None:
        """Fold entries, in order."""
        # This loop is what folding a log costs: one more call of a function for each entry would be a fifth of it.
        row_of = _ROWS.get
        state, places, borrowed = self._state, self._places, self._borrowed
        for entry in entries:
            row = row_of(entry.type)
            if self._lent:
                state, borrowed = self._take_back()
            if row is None and wire.is_control(entry.type):
                state, places, borrowed = self._control(entry)
                continue
            seq, known = entry.seq, state.seq
            if seq > known:
                if seq != known + 1:
                    self._own("gaps").append(wire.Gap(from_seq=known + 1, to_seq=seq - 1))
                state.seq = seq
            elif not entry.ephemeral:
                continue
            state.agent = entry.agent
            if entry.call is not None:
                state.call = entry.call
            if row is None:
                continue
            decode, effect, touches = row
            try:
                data = decode(entry.body)
            except (msgspec.DecodeError, RecursionError) as why:
                self._unreadable(entry, why)
                continue
            if borrowed:
                for name in touches:
                    self._own(name)
            effect(state, data, entry, places)

    def _take_back(self) -> tuple[wire.State, set[str]]:
        """Go on with a State of the fold's own, which shares all containers with the one that was lent."""
        self._lent = False
        self._state = copy(self._state)
        self._borrowed = set(_CONTAINERS)
        return self._state, self._borrowed

    def _own(self, name: str) -> Any:
        """Return a container of the State, copied first where somebody else may hold it."""
        container = getattr(self._state, name)
        if name in self._borrowed:
            self._borrowed.discard(name)
            container = _copied(container)
            setattr(self._state, name, container)
        return container

    def _control(self, entry: wire.Entry) -> tuple[wire.State, Places, set[str]]:
        decode = _CONTROLS.get(entry.type)
        try:
            data = decode(entry.body) if decode else None
        except (msgspec.DecodeError, RecursionError) as why:
            self._unreadable(entry, why)
            data = None
        if isinstance(data, wire.LogGap) and data.to_seq > self._state.seq:
            if data.snapshot is not None:
                self._state, self._places, self._borrowed = data.snapshot, Places(), set()
            self._own("gaps").append(wire.Gap(from_seq=data.from_seq, to_seq=data.to_seq))
            self._state.seq = max(self._state.seq, data.to_seq)
        return self._state, self._places, self._borrowed

    def _unreadable(self, entry: wire.Entry, why: Exception) -> None:
        message = f"{entry.type} at seq {entry.seq} does not fit its shape at {_place(why)}"
        self._own("errors").append(wire.LoggedError(seq=entry.seq, code="unreadable", message=message))


def _copied(container: object) -> object:
    found = copy(container)
    if isinstance(found, wire.CollectedMetrics):
        for name in found.__struct_fields__:
            setattr(found, name, copy(getattr(found, name)))
    return found


def _place(why: Exception) -> str:
    """Find where in the data a misfit is: a path that readers in all languages can give, up to the first map."""
    text, _, path = str(why).rpartition(" - at `$")
    missing = _MISSING.match(text or path)
    place = "data" + (path.removesuffix("`") if text else "") + (f".{missing.group(1)}" if missing else "")
    return place.split("[...]")[0]
