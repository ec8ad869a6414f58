"""What agents have under their public surface: declared fields, derived fields and tools, and a cell of state."""

import sys
from types import FrameType
from typing import Any, ClassVar

from cuelight.errors import UndeclaredField

from .cells import Cell
from .declaration import Declaration, declare
from .gate import Gate

__all__ = ["Stateful"]


class Stateful:
    """Hold typed state in declared fields; the base that agents, and what works like them, share."""

    __declaration__: ClassVar[Declaration]
    __gates__: ClassVar[dict[str | None, Gate]]
    """The gates of the stages in which no `when` is asked; made when first needed, and the same for all instances."""
    __reserved__: ClassVar[frozenset[str]] = frozenset()
    _cell: Cell

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__framework__" in cls.__dict__:
            return
        cls.__gates__ = {}
        cls.__declaration__ = declare(cls, _names_around(cls), cls.__reserved__)

    def __new__(cls, *_args: Any, **_options: Any) -> "Stateful":
        instance = super().__new__(cls)
        declaration = getattr(cls, "__declaration__", None)
        if declaration is None:
            raise TypeError(f"{cls.__name__} is a base: subclass it, then create instances of the subclass.")
        object.__setattr__(instance, "_cell", Cell(cls.__name__, declaration.fields))
        return instance

    def __setattr__(self, name: str, value: Any) -> None:
        declaration = self.__declaration__
        if name in declaration.fields or name.startswith("_") or name in declaration.writable:
            object.__setattr__(self, name, value)
            return
        raise UndeclaredField(type(self).__name__, name, tuple(declaration.fields))


def _names_around(cls: type) -> dict[str, Any]:
    """Gather the local names in sight where a class is defined, so that annotations may be text.

    A class made inside a function sees that function's names, as it does in ordinary code.
    """
    names: dict[str, Any] = {}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__") == cls.__module__ and frame.f_locals is not frame.f_globals:
            for name, value in frame.f_locals.items():
                names.setdefault(name, value)
        frame = frame.f_back
    return names
