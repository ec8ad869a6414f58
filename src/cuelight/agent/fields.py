"""State fields: what `state()` says, and the descriptor that reads and writes one field of an instance."""

from typing import Any, Literal, TypeVar, overload

import msgspec

from cuelight.agent.annotations import literal_values, type_name
from cuelight.agent.coders import Coder, Misfit
from cuelight.errors import NotAStage, WrongType

__all__ = ["NO_DEFAULT", "Field", "StateOptions", "Visibility", "state"]

T = TypeVar("T")

NO_DEFAULT: Any = type("NoDefault", (), {"__repr__": lambda self: "NO_DEFAULT"})()

Visibility = Literal["tenant", "public"]


class StateOptions:
    """Carry what `state()` was told until the class is created; nothing of it is checked yet."""

    __slots__ = ("default", "pii", "visibility", "was")

    def __init__(self, default: Any, pii: Any = False, visibility: Any = "tenant", was: Any = ()) -> None:
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
    """Read and write one field of an instance, through the frame of the running handler.

    Args:
        name: the attribute's name.
        annotation: its type.
        coder: of that type.
        options: what `state()` was told, checked.
    """

    __slots__ = ("_stage_forms", "annotation", "coder", "default", "name", "pii", "stages", "visibility", "was")

    def __init__(self, name: str, annotation: Any, coder: Coder, options: StateOptions) -> None:
        self.name = name
        self.annotation = annotation
        self.coder = coder
        self.pii: bool = options.pii
        self.visibility: Visibility = options.visibility
        self.was: tuple[str, ...] = options.was
        self.stages: tuple[str, ...] | None = literal_values(annotation) if name == "stage" else None
        self._stage_forms = {stage: (msgspec.json.encode(stage), stage) for stage in self.stages or ()}
        self.default = b"null"
        """What a call opens with, as JSON."""

    def __repr__(self) -> str:
        return f"<field {self.name}: {type_name(self.annotation)}>"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return instance._cell.read(self.name)

    def __set__(self, instance: Any, value: Any) -> None:
        instance._cell.write(self.name, value)

    def __delete__(self, instance: Any) -> None:
        raise AttributeError(f"{type(instance).__name__}.{self.name} is state and cannot be deleted; write a value.")

    def admit(self, owner: str, value: Any, where: str | None) -> tuple[bytes, Any]:
        """Check a value and give its JSON form, and the value as that is read back.

        Args:
            owner: the name of the class whose field it is.
            value: what is to be written.
            where: what writes it, for the message.

        Raises:
            NotAStage: when the field is the stage and the value is none.
            WrongType: when the annotation does not admit the value, or its JSON form would not be read back as it.
        """
        if self.stages is not None:
            admitted = self._stage_forms.get(value) if isinstance(value, str) else None
            if admitted is None:
                raise NotAStage(owner, value, self.stages, where=where)
            return admitted
        try:
            return self.coder.admit(value)
        except Misfit as misfit:
            raise self._refusal(owner, value, where, misfit) from None

    def check(self, owner: str, value: Any, where: str | None) -> None:
        """Refuse a value that the field does not admit; raises as `admit` does."""
        self.admit(owner, value, where)

    def fit(self, owner: str, value: Any, where: str | None) -> Any:
        """Give a value that fits, from one given as such or in its JSON form; raises as `admit` does."""
        if self.stages is not None:
            self.admit(owner, value, where)
            return value
        try:
            return self.coder.fit(value)
        except Misfit as misfit:
            raise self._refusal(owner, value, where, misfit) from None

    def _refusal(self, owner: str, value: Any, where: str | None, misfit: Misfit) -> WrongType:
        detail = "" if self.pii else str(misfit)  # a validator may speak of the value; of a private one nobody does
        return WrongType(owner, self.name, type_name(self.annotation), value, where=where, detail=detail)
