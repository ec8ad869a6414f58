"""Where state lives: committed values, and the frames in which handlers change them.

Outside a call an instance is a plain, checked object. In a live call its committed state is fixed, and each handler
works in a frame of its own: it reads copies, writes freely, and either all of it is committed or none. A frame that is
closed refuses writes, so a handler that ran out of time, or a task it left behind, cannot change the state late.
"""

from collections.abc import Mapping
from contextvars import ContextVar, Token
from typing import Any

from cuelight.agent.coders import Misfit, is_immutable
from cuelight.agent.fields import Field
from cuelight.errors import AuthorError, OutsideHandler

__all__ = ["Cell", "Frame", "Ledger", "Opening", "Staged", "in_handler", "note_route", "open_frame"]

_NONE = object()
_open: ContextVar["Frame | None"] = ContextVar("cuelight_frame", default=None)


class Ledger:
    """Tie the cells of one call together: one handler's frame covers all of them."""

    __slots__ = ("live",)

    def __init__(self) -> None:
        self.live = False


class Opening:
    """Hold the values that instances of a class open with, made once for all of them."""

    __slots__ = ("encoded", "ready")

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self.encoded = {name: field.default for name, field in fields.items()}
        values = {name: field.coder.decode(field.default) for name, field in fields.items()}
        self.ready = {name: value for name, value in values.items() if is_immutable(value)}


class Cell:
    """Hold the committed state of one instance: each field in its encoded form, immutable values ready to use."""

    __slots__ = ("encoded", "fields", "ledger", "owner", "ready", "resting", "version")

    def __init__(self, owner: str, fields: Mapping[str, Field], opening: Opening) -> None:
        self.owner = owner
        self.fields = fields
        self.ledger = Ledger()
        self.encoded: dict[str, bytes] = dict(opening.encoded)
        self.ready: dict[str, Any] = dict(opening.ready)
        self.version = 0
        """Counts what was committed, so that what was made of the state can be kept while it stands."""
        # What an instance that is in no call holds, as far as it was read or written.
        self.resting: dict[str, Any] = {}

    def put(self, name: str, encoded: bytes, value: Any) -> None:
        """Commit one field, in its encoded form and as the value that this is the form of."""
        self.encoded[name] = encoded
        self.version += 1
        self.resting.pop(name, None)
        if is_immutable(value):
            self.ready[name] = value
        else:
            self.ready.pop(name, None)

    def read(self, name: str) -> Any:
        """Give a field's value as the running handler sees it; in a live call and outside a handler, a copy."""
        frame = _open.get()
        if frame is not None and frame.ledger is self.ledger and not frame.closed:
            values = frame.values_of(self)
        elif self.ledger.live:
            return self._committed(name)
        else:
            values = self.resting
        try:
            return values[name]
        except KeyError:
            value = values[name] = self._committed(name)
            return value

    def _committed(self, name: str) -> Any:
        if name in self.resting:
            return self.resting[name]
        try:
            return self.ready[name]
        except KeyError:
            return self.fields[name].coder.decode(self.encoded[name])

    def write(self, name: str, value: Any) -> None:
        """Check and take a value for a field.

        Raises:
            OutsideHandler: in a live call when no handler is open, or the open one is over.
            WrongType, NotAStage: when the field does not admit the value.
        """
        frame = _open.get()
        if frame is not None and frame.ledger is self.ledger:
            frame.write(self, name, value)
        elif self.ledger.live:
            raise OutsideHandler(
                f"{self.owner}.{name} was written where no handler is running. The state of a live call changes only "
                "in a tool, a hook or an event handler; a thread that one of these starts is part of it when it is "
                "started with asyncio.to_thread."
            )
        else:
            _, read = self.fields[name].admit(self.owner, value, None)
            self.resting[name] = read if is_immutable(read) else value

    def running(self) -> str | None:
        """Say which handler of the call is running here, or None."""
        frame = _open.get()
        return frame.label if frame is not None and frame.ledger is self.ledger else None

    def settle(self) -> None:
        """Bring the encoded state of an instance that is in no call up to what it holds.

        Raises:
            WrongType: when a value that was changed in place no longer fits its field.
        """
        for name, value in self.resting.items():
            self.encoded[name], _ = self.fields[name].admit(self.owner, value, None)

    def go_live(self) -> None:
        """Enter a call: from now on only handlers change the state.

        Raises:
            WrongType: when a value that was changed in place no longer fits its field.
            AuthorError: when the instance is in a call already.
        """
        if self.ledger.live:
            raise AuthorError(f"This {self.owner} is in a call already; each call needs an instance of its own.")
        self.settle()
        for name, value in list(self.resting.items()):
            self.put(name, self.encoded[name], value)
        self.ledger.live = True

    def forms(self) -> dict[str, bytes]:
        """Give every field's JSON form, as the running handler sees it.

        Raises:
            WrongType: when a value that was changed in place no longer fits its field.
        """
        frame = _open.get()
        values: Mapping[str, Any] = self.resting
        if frame is not None and frame.ledger is self.ledger and not frame.closed:
            values = {**self.resting, **frame.values_of(self)}
        changed = {name: self.fields[name].admit(self.owner, value, None)[0] for name, value in values.items()}
        return {**self.encoded, **changed}


class Staged:
    """Hold what a frame changed, encoded and checked, before anything is committed."""

    __slots__ = ("_changes",)

    def __init__(self, changes: list[tuple[Cell, dict[str, tuple[bytes, Any]]]]) -> None:
        self._changes = changes

    def __bool__(self) -> bool:
        return bool(self._changes)

    @property
    def cells(self) -> list[Cell]:
        """The cells in which something changed."""
        return [cell for cell, _ in self._changes]

    def names(self, cell: Cell) -> tuple[str, ...]:
        """Name the fields of a cell that changed."""
        return tuple(name for changed, values in self._changes if changed is cell for name in values)

    def commit(self) -> None:
        """Make the changes the committed state."""
        for cell, values in self._changes:
            for name, (encoded, value) in values.items():
                cell.put(name, encoded, value)


class Frame:
    """Be one handler's view of the state, and its changes.

    Args:
        ledger: of the call.
        label: what runs in it, for messages.
        read_only: whether it refuses every write.
    """

    __slots__ = ("_values", "_written", "closed", "label", "ledger", "read_only", "route")

    def __init__(self, ledger: Ledger, label: str, *, read_only: bool = False) -> None:
        self.ledger = ledger
        self.label = label
        self.closed = False
        self.read_only = read_only
        self.route: Any = None
        """The route that was made last in it."""
        self._values: dict[Cell, dict[str, Any]] = {}
        # The forms of written values, which need no second check as long as nothing changes them in place.
        self._written: dict[tuple[Cell, str], bytes] = {}

    def values_of(self, cell: Cell) -> dict[str, Any]:
        """Give the values of a cell that this frame has read or written."""
        values = self._values.get(cell)
        if values is None:
            values = self._values[cell] = {}
        return values

    def write(self, cell: Cell, name: str, value: Any) -> None:
        """Check and take a value for a field of a cell.

        Raises:
            OutsideHandler: when the frame is closed or only reads.
            WrongType, NotAStage: when the field does not admit the value.
        """
        if self.closed:
            raise OutsideHandler(
                f"{cell.owner}.{name} was written after {self.label} was over (it returned, failed or ran out of "
                "time). Finish the work before the handler returns."
            )
        if self.read_only:
            raise OutsideHandler(
                f"{cell.owner}.{name} was written in {self.label}, which only reads. Write it in a tool or a hook."
            )
        self._written[cell, name], read = cell.fields[name].admit(cell.owner, value, self.label)
        # The same thing everywhere: an integer written to a float is that float, at once and after a restart.
        self.values_of(cell)[name] = read if is_immutable(read) else value

    def stage(self) -> Staged:
        """Close the frame and encode what changed in it, without committing it.

        Raises:
            WrongType: when a value changed in place no longer fits its field.
        """
        self.closed = True  # first, so that what a handler left running cannot change what is being read here
        changes = []
        for cell, values in list(self._values.items()):
            changed = {}
            for name, value in list(values.items()):
                encoded = self._changed(cell, name, value)
                if encoded is not None:
                    changed[name] = (encoded, value)
            if changed:
                changes.append((cell, changed))
        return Staged(changes)

    def _changed(self, cell: Cell, name: str, value: Any) -> bytes | None:
        """Give the JSON form of a value that the handler read or wrote, or None when it is what it was."""
        if cell.ready.get(name, _NONE) is value:
            return None
        field = cell.fields[name]
        before, written = cell.encoded[name], self._written.get((cell, name))
        if written is not None and is_immutable(value):
            return None if written == before else written
        try:
            encoded = field.coder.encode(value)
        except Misfit:
            encoded = b""  # no form of anything, so the check below finds the fault
        if encoded == before:
            return None
        return encoded if encoded == written else field.admit(cell.owner, value, self.label)[0]

    def close(self) -> None:
        """Refuse every later write."""
        self.closed = True


def note_route(route: Any) -> None:
    """Remember in the running handler, if one is, that a route was made."""
    frame = _open.get()
    if frame is not None:
        frame.route = route


def in_handler() -> bool:
    """Tell whether the current code runs in a handler of some call."""
    frame = _open.get()
    return frame is not None and not frame.read_only


class open_frame:  # noqa: N801 - used as a function; a class because it is entered several times a turn
    """Bind a frame to the current context while a `with` block runs."""

    __slots__ = ("_frame", "_token")

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __enter__(self) -> Frame:
        self._token: Token[Frame | None] = _open.set(self._frame)
        return self._frame

    def __exit__(self, *_: object) -> None:
        _open.reset(self._token)
