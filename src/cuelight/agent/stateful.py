"""What agents have under their public surface: declared fields, derived fields and tools, and a cell of state."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from cuelight.agent.cells import Cell
from cuelight.agent.coders import Misfit
from cuelight.agent.declaration import Declaration, declare
from cuelight.errors import AuthorError, DeclarationRefused, UndeclaredField

if TYPE_CHECKING:
    from cuelight.agent.fields import Field
    from cuelight.agent.reading import Reading
    from cuelight.agent.tools import Tool

__all__ = ["Stateful"]

_NO_INIT = "fields open with their defaults, and services come in through an `__init__` that you write"


class Stateful:
    """Hold typed state in declared fields; the base that agents, and what works like them, share.

    A class of the framework says `__framework__ = True` in its body: its public members are then names that no author
    may take, except the hooks and settings that are there to be overridden. A copy, and what comes out of a pickle, is
    an instance of its own that is in no call: it holds the state as it was read where it was made.
    """

    __framework__ = True
    __declaration__: ClassVar[Declaration]
    __own__: ClassVar[frozenset[str]] = frozenset({"_cell", "_call"})
    _cell: Cell
    _call: Any = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__framework__" not in cls.__dict__:
            cls.__declaration__ = declare(cls)

    @classmethod
    def __given__(cls, reading: "Reading") -> dict[str, "Field"]:
        """Give the fields that the framework declares for such a class; what is wrong is noted in the reading."""
        return {}

    @classmethod
    def __vet__(cls, reading: "Reading", fields: Mapping[str, "Field"], tools: tuple["Tool", ...]) -> None:
        """Note what else is wrong with a class, once its fields and tools are read."""

    def __members__(self) -> Mapping[str, bytes]:
        """Give what the state holds when it is written, by name, as JSON."""
        return self._cell.encoded

    def __getstate__(self) -> tuple[dict[str, bytes], dict[str, Any]]:
        return self._cell.forms(), {name: value for name, value in vars(self).items() if name not in self.__own__}

    def __setstate__(self, state: tuple[dict[str, bytes], dict[str, Any]]) -> None:
        forms, attributes = state
        declaration = self.__declaration__
        for name, field in {**declaration.fields, **declaration.kept}.items():
            if name in forms:
                try:
                    self._cell.put(name, forms[name], field.coder.decode(forms[name]))
                except Misfit as misfit:
                    raise AuthorError(f"{type(self).__name__}.{name} cannot be read from a copy: {misfit}.") from None
        vars(self).update(attributes)

    if not TYPE_CHECKING:  # a checker that saw these would let any argument and any attribute pass

        def __new__(cls, *args, **options):
            instance = super().__new__(cls)
            declaration = getattr(cls, "__declaration__", None)
            if declaration is None:
                raise AuthorError(f"{cls.__name__} is a base: subclass it, then create instances of the subclass.")
            if "__dataclass_fields__" in cls.__dict__:
                raise DeclarationRefused(cls.__name__, [f"it is decorated with @dataclass; leave that out: {_NO_INIT}"])
            if (args or options) and cls.__init__ is object.__init__:
                raise AuthorError(f"{cls.__name__} has no __init__ and takes no arguments; {_NO_INIT}.")
            fields = {**declaration.fields, **declaration.kept} if declaration.kept else declaration.fields
            object.__setattr__(instance, "_cell", Cell(cls.__name__, fields, declaration.opening))
            return instance

        def __setattr__(self, name, value):
            if (
                name in self.__declaration__.writable
                or (name.startswith("_") and name not in self.__own__)
                or (name == "_call" and self._call is None)
            ):
                object.__setattr__(self, name, value)
            elif name in self.__own__:
                raise AuthorError(
                    f"{type(self).__name__}.{name} is Cuelight's own and set already. Name a service otherwise; an "
                    "instance that is in a call cannot enter another one."
                )
            else:
                fields = tuple(self.__declaration__.fields)
                raise UndeclaredField(type(self).__name__, name, fields, where=self._cell.running())
