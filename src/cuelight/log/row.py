"""What one row of the table of entries is: how its data is read, and what it does to a State."""

from collections.abc import Callable
from typing import Any, NamedTuple

import cuelight.wire as wire

__all__ = ["Decode", "Effect", "Places", "Row", "nothing", "row"]

Decode = Callable[[Any], Any]
Effect = Callable[[wire.State, Any, wire.Entry, "Places"], None]


class Places:
    """Where in a State the last run and the last confirmation of each call id stand.

    They are found by looking when first asked for and kept from then on: searching backwards each time would cost more
    the longer the log is. A State that came from elsewhere needs new ones.
    """

    __slots__ = ("_confirms", "_runs")

    def __init__(self) -> None:
        self._runs: dict[str, int] | None = None
        self._confirms: dict[str, int] | None = None

    def add_run(self, state: wire.State, run: wire.ToolRun) -> None:
        """Append a run to the State."""
        if self._runs is not None:
            self._runs[run.call_id] = len(state.tools)
        state.tools.append(run)

    def run_of(self, state: wire.State, call_id: str) -> int | None:
        """Return the index of the last run of a call id."""
        if self._runs is None:
            self._runs = {run.call_id: index for index, run in enumerate(state.tools)}
        return self._runs.get(call_id)

    def add_confirm(self, state: wire.State, confirm: wire.Confirm) -> None:
        """Append a confirmation to the State."""
        if self._confirms is not None:
            self._confirms[confirm.call_id] = len(state.confirms)
        state.confirms.append(confirm)

    def confirm_of(self, state: wire.State, call_id: str) -> int | None:
        """Return the index of the last confirmation of a call id."""
        if self._confirms is None:
            self._confirms = {confirm.call_id: index for index, confirm in enumerate(state.confirms)}
        return self._confirms.get(call_id)


class Row(NamedTuple):
    """One type of entry.

    `effect` may change, in place, the State and the containers of it that `touches` names. All else it replaces: lists
    and shapes are shared with whoever holds an older State.
    """

    decode: Decode
    effect: Effect
    touches: tuple[str, ...]


def nothing(state: wire.State, data: Any, entry: wire.Entry, places: Places) -> None:
    """Change nothing: the effect of types whose data is only checked."""


def row(shape: type[wire.Shape], effect: Effect, *touches: str) -> Row:
    """Make the row of a type whose data has this shape."""
    return Row(wire.decoder_of(shape).decode, effect, touches)
