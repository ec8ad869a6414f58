"""State fields: what `state()` says, and the descriptor that reads and writes one field of an instance."""

from typing import Any, Literal, TypeVar, cast, overload

from cuelight.errors import NotAStage, WrongType

from .cells import Cell
from .coders import Coder, is_immutable, type_name

__all__ = ["NO_DEFAULT", "Field", "StateOptions", "state"]

T = TypeVar("T")

NO_DEFAULT: Any = type("NoDefault", (), {"__repr__": lambda self: "NO_DEFAULT"})()

Visibility = Literal["tenant", "public"]


class StateOptions:
    """Carry what `state()` was told until the class is created."""

    __slots__ = ("default", "pii", "visibility", "was")

    def __init__(self, default: Any, pii: Any, visibility: Any, was: Any) -> None:
        self.default = default
        self.pii = pii
        self.visibility = visibility
        self.was = was


@overload
def state(default: T, *, pii: bool = ..., visibility: Visibility = ..., was: str | tuple[str, ...] = ...) -> T: ...
@overload
def state(*, pii: bool = ..., visibility: Visibility = ..., was: str | tuple[str, ...] = ...) -> Any: ...
def state(
    default: Any = NO_DEFAULT, *, pii: bool = False, visibility: Visibility = "tenant", was: str | tuple[str, ...] = ()
) -> Any:
    """Say more about a state field than its annotation and default do.

    The default is copied for each call. What is wrong here is refused when the class is created.

    Args:
        default: the value a call opens with; a field that admits None may leave it out.
        pii: whether the field is private: masked wherever the state is shown or stored, kept beside the log.
        visibility: who may read it: "tenant" (the agent's owner) or "public" (the caller's own client too).
        was: names the field had in earlier versions, under which old logs still hold it.
    """
    return StateOptions(default, pii, visibility, (was,) if isinstance(was, str) else was)


class Field:
    """Read and write one field of an instance, through the frame of the running handler."""

    __slots__ = ("annotation", "coder", "default", "name", "pii", "stages", "visibility", "was")

    def __init__(self, name: str, annotation: Any, coder: Coder, options: StateOptions, default: bytes) -> None:
        self.name = name
        self.annotation = annotation
        self.coder = coder
        self.default = default
        self.pii = options.pii
        self.visibility = options.visibility
        self.was = options.was
        self.stages: tuple[str, ...] | None = None

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return cast(Cell, instance._cell).read(self.name)

    def __set__(self, instance: Any, value: Any) -> None:
        instance._cell.write(self.name, value)

    def __delete__(self, instance: Any) -> None:
        raise AttributeError(f"{type(instance).__name__}.{self.name} is state and cannot be deleted; write a value.")

    def check(self, owner: str, value: Any, where: str | None) -> None:
        """Refuse a value that the field does not admit.

        Raises:
            NotAStage: when the field is the stage and the value is none.
            WrongType: in every other case.
        """
        if self.stages is not None:
            if not isinstance(value, str) or value not in self.stages:
                raise NotAStage(owner, value, self.stages, where=where)
            return
        fault = self.coder.fault(value)
        if fault is not None:
            raise WrongType(owner, self.name, type_name(self.annotation), value, where=where, detail=fault)

    def encode(self, owner: str, value: Any, where: str | None, before: bytes = b"") -> bytes:
        """Write a value as JSON; one that differs from its form before is checked, as it may have changed in place.

        Raises:
            WrongType: when it has no JSON form that reads back as the field's type.
        """
        try:
            encoded = self.coder.encode(value)
            if encoded != before and not is_immutable(value):
                self.check(owner, value, where)
                self.coder.decode(encoded)
        except ValueError as error:
            if isinstance(error, NotAStage):
                raise
            raise WrongType(
                owner, self.name, type_name(self.annotation), value, where=where, detail=_first_line(error)
            ) from error
        return encoded


def _first_line(error: ValueError) -> str:
    return str(error).splitlines()[0]
