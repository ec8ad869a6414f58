"""Where state lives: committed values, and the frames in which handlers change them.

Outside a call an instance is a plain, checked object. In a live call its committed state is fixed, and each handler
works in a frame of its own: it reads copies, writes freely, and either all of it is committed or none. A frame that is
closed refuses writes, so a handler that ran out of time, or a task it left behind, cannot change the state late.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from cuelight.errors import OutsideHandler

from .coders import is_immutable

if TYPE_CHECKING:
    from .fields import Field

__all__ = ["Cell", "Frame", "Ledger", "Staged", "open_frame"]

_open: ContextVar["Frame | None"] = ContextVar("cuelight_frame", default=None)


class Ledger:
    """Tie the cells of one call together: one handler's frame covers all of them."""

    __slots__ = ("live",)

    def __init__(self) -> None:
        self.live = False


class Cell:
    """Hold the committed state of one instance: each field in its encoded form, immutable values ready to use."""

    __slots__ = ("encoded", "fields", "ledger", "owner", "ready", "resting")

    def __init__(self, owner: str, fields: Mapping[str, "Field"]) -> None:
        self.owner = owner
        self.fields = fields
        self.ledger = Ledger()
        self.encoded: dict[str, bytes] = {}
        self.ready: dict[str, Any] = {}
        # The values of an instance that is in no call: an ever open frame without a handler.
        self.resting: dict[str, Any] = {}
        for name, field in fields.items():
            self.put(name, field.default, field.coder.decode(field.default))

    def put(self, name: str, encoded: bytes, value: Any) -> None:
        """Commit one field, in its encoded form and as the value that this is the form of."""
        self.encoded[name] = encoded
        if is_immutable(value):
            self.ready[name] = value
        else:
            self.ready.pop(name, None)

    def fresh(self, name: str) -> Any:
        """Give a field's committed value; one that could be changed in place is decoded anew."""
        try:
            return self.ready[name]
        except KeyError:
            return self.fields[name].coder.decode(self.encoded[name])

    def read(self, name: str) -> Any:
        """Give a field's value as the running handler sees it."""
        values = self._values()
        if values is None:
            return self.fresh(name)
        try:
            return values[name]
        except KeyError:
            value = values[name] = self.fresh(name)
            return value

    def write(self, name: str, value: Any) -> None:
        """Check and take a value for a field.

        Raises:
            OutsideHandler: in a live call when no handler is open, or the open one is over.
            WrongType, NotAStage: when the field does not admit the value.
        """
        frame = _open.get()
        if frame is not None and frame.ledger is self.ledger:
            frame.admit_write(f"{self.owner}.{name}")
            self.fields[name].check(self.owner, value, frame.label)
            frame.values_of(self)[name] = value
            return
        if self.ledger.live:
            raise OutsideHandler(
                f"{self.owner}.{name} was written while no handler was running. The state of a live call changes only "
                "in a tool, a hook or an event handler: write it there."
            )
        self.fields[name].check(self.owner, value, None)
        self.resting[name] = value

    def go_live(self) -> None:
        """Enter a call: what the instance holds becomes the committed state, and from now on only handlers change it.

        Raises:
            WrongType: when a value that was changed in place no longer fits its field.
        """
        for name, value in self.resting.items():
            self.put(name, self.fields[name].encode(self.owner, value, None, self.encoded[name]), value)
        self.resting.clear()
        self.ledger.live = True

    def _values(self) -> dict[str, Any] | None:
        frame = _open.get()
        if frame is not None and frame.ledger is self.ledger:
            return frame.values_of(self)
        return None if self.ledger.live else self.resting


class Staged:
    """Hold what a frame changed, encoded and checked, before anything is committed."""

    __slots__ = ("_changes",)

    def __init__(self, changes: list[tuple[Cell, dict[str, tuple[bytes, Any]]]]) -> None:
        self._changes = changes

    def __bool__(self) -> bool:
        return bool(self._changes)

    def names(self, cell: Cell) -> tuple[str, ...]:
        """Name the fields of a cell that changed."""
        return tuple(name for changed, values in self._changes if changed is cell for name in values)

    def commit(self) -> None:
        """Make the changes the committed state."""
        for cell, values in self._changes:
            for name, (encoded, value) in values.items():
                cell.put(name, encoded, value)


class Frame:
    """Be one handler's view of the state, and its changes."""

    __slots__ = ("_closed", "_read_only", "_values", "label", "ledger")

    def __init__(self, ledger: Ledger, label: str, *, read_only: bool = False) -> None:
        self.ledger = ledger
        self.label = label
        self._read_only = read_only
        self._closed = False
        self._values: dict[Cell, dict[str, Any]] = {}

    def values_of(self, cell: Cell) -> dict[str, Any]:
        """Give the values of a cell that this frame has read or written."""
        values = self._values.get(cell)
        if values is None:
            values = self._values[cell] = cell.resting.copy()  # empty in a live call
        return values

    def admit_write(self, target: str) -> None:
        """Refuse a write that comes too late, or from a place that may only read."""
        if self._closed:
            raise OutsideHandler(
                f"{target} was written after {self.label} was over (it returned, failed or ran out of time). "
                "Finish the work before the handler returns."
            )
        if self._read_only:
            raise OutsideHandler(
                f"{target} was written in {self.label}, which only reads. Write it in a tool or a hook."
            )

    def stage(self) -> Staged:
        """Encode what changed, without committing it.

        Raises:
            WrongType: when a value changed in place no longer fits its field.
        """
        changes = []
        for cell, values in self._values.items():
            changed: dict[str, tuple[bytes, Any]] = {}
            for name, value in values.items():
                if name in cell.ready and cell.ready[name] is value:
                    continue
                before = cell.encoded[name]
                encoded = cell.fields[name].encode(cell.owner, value, self.label, before)
                if encoded != before:
                    changed[name] = (encoded, value)
            if changed:
                changes.append((cell, changed))
        return Staged(changes)

    def close(self) -> None:
        """Refuse every later write."""
        self._closed = True


class open_frame:  # noqa: N801 - used as a function; a class because it is entered several times a turn
    """Bind a frame to the current context while a `with` block runs."""

    __slots__ = ("_frame", "_token")

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __enter__(self) -> Frame:
        self._token = _open.set(self._frame)
        return self._frame

    def __exit__(self, *_: object) -> None:
        _open.reset(self._token)
