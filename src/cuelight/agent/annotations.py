"""Annotations: read where they were written, put into words, and made fit for pydantic."""

import functools
import inspect
import operator
import sys
import types
import typing
from collections import abc
from types import FrameType
from typing import Annotated, Any, ClassVar, Final, Literal, NotRequired, Required, get_args, get_origin
from weakref import WeakKeyDictionary

__all__ = ["NoSchema", "Scope", "admits_none", "literal_values", "supported", "type_name"]

# What can only be walked once, or called. None of it has a JSON form that reads back, though pydantic takes some.
_NO_DATA = frozenset(
    {
        abc.AsyncGenerator,
        abc.AsyncIterable,
        abc.AsyncIterator,
        abc.Awaitable,
        abc.Callable,
        abc.Coroutine,
        abc.Generator,
        abc.Iterable,
        abc.Iterator,
        type,
    }
)


class NoSchema(Exception):
    """Say why an annotation has no JSON Schema; never leaves the package."""


class Scope:
    """Know the names that the annotations of one class may use: its own, those around it, its module's.

    Made while the class is being created. A class inside a function sees that function's names, so annotations may be
    text there too, as `from __future__ import annotations` makes all of them.

    Args:
        cls: the class.
    """

    def __init__(self, cls: type) -> None:
        self._module = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
        annotated = inspect.get_annotations(cls)
        # Types that the class itself defines; its other attributes would only hide the types they are named after.
        inside = {
            name: value
            for name, value in vars(cls).items()
            if name not in annotated and (isinstance(value, type) or get_origin(value) is not None)
        }
        self._local = {**_names_around(cls), **inside}

    def resolve(self, annotation: Any, function: Any = None) -> Any:
        """Turn an annotation that may be text into a type.

        Args:
            annotation: as it was written.
            function: the method it belongs to, as that may come from another module.

        Raises:
            Exception: whatever evaluating the author's text raises, a NameError above all.
        """
        names = self._module if function is None else getattr(inspect.unwrap(function), "__globals__", self._module)
        holder = type("_", (), {"__annotations__": {"it": annotation}})
        return typing.get_type_hints(holder, globalns=names, localns=self._local, include_extras=True)["it"]


def _names_around(cls: type) -> dict[str, Any]:
    """Gather the local names of the functions that a class is defined in, as far as these are running."""
    enclosing = set()
    name = cls.__qualname__
    while ".<locals>." in name:
        name = name.rpartition(".<locals>.")[0]
        enclosing.add(name)
    names: dict[str, Any] = {}
    frame: FrameType | None = sys._getframe(1) if enclosing else None
    while frame is not None:
        if frame.f_code.co_qualname in enclosing and frame.f_globals.get("__name__") == cls.__module__:
            for local, value in frame.f_locals.items():
                names.setdefault(local, value)
        frame = frame.f_back
    return names


def _bare(annotation: Any) -> Any:
    """Take off what says nothing of the values: `Annotated`, and the name that `type X = ...` gives."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        else:
            return annotation


def literal_values(annotation: Any) -> tuple[Any, ...] | None:
    """Give the values of a `Literal`, or None when the annotation is none."""
    bare = _bare(annotation)
    return get_args(bare) if get_origin(bare) is Literal else None


def admits_none(annotation: Any) -> bool:
    """Tell whether an annotation admits None beside something else."""
    bare = _bare(annotation)
    if bare is Any or bare is object:
        return True
    origin, args = get_origin(bare), get_args(bare)
    if origin is Literal:
        return None in args and len(args) > 1
    if origin is typing.Union or origin is types.UnionType:
        return any(arg is type(None) or admits_none(arg) for arg in args)
    return False


def type_name(annotation: Any) -> str:
    """Write an annotation as an author would."""
    if annotation is None or annotation is type(None):
        return "None"
    if isinstance(annotation, list):
        return f"[{', '.join(map(type_name, annotation))}]"
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_name(args[0])
    if origin is typing.Union or origin is types.UnionType:
        return " | ".join(map(type_name, args))
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, args))}]"
    if origin is not None:
        inner = ", ".join("..." if arg is ... else type_name(arg) for arg in args)
        name = getattr(origin, "__name__", str(origin))
        return f"{name}[{inner}]" if inner else name
    return getattr(annotation, "__name__", str(annotation).removeprefix("typing."))


# --- for pydantic -----------------------------------------------------------------------------------------------------


def supported(annotation: Any) -> Any:
    """Put what pydantic reads in the place of what it does not: `typing.TypedDict` before Python 3.12.

    Raises:
        NoSchema: when the annotation, or a part of it, is not of data that is written and read back.
    """
    return _supported(annotation, ())


def _supported(annotation: Any, inside: tuple[Any, ...]) -> Any:
    if typing.is_typeddict(annotation):
        return _typed_dict(annotation, inside)
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in _NO_DATA or (isinstance(annotation, type) and annotation in _NO_DATA):
        raise NoSchema("")
    kind = annotation if origin is None else origin
    if kind is ClassVar or kind is Final:
        wanted = type_name(args[0]) if args else "the type of the value"
        raise NoSchema(f"{type_name(kind)} is for attributes; write {wanted}")
    if origin is None or origin is Literal or not args:
        return annotation
    if origin is Annotated:
        return Annotated[(_supported(args[0], inside), *args[1:])]
    parts = tuple(_supported(arg, inside) for arg in args)
    if all(one is other for one, other in zip(parts, args, strict=True)):
        return annotation
    if origin is typing.Union or origin is types.UnionType:
        return functools.reduce(operator.or_, parts)
    return origin[parts]


_converted: "WeakKeyDictionary[Any, Any]" = WeakKeyDictionary()


def _typed_dict(declared: Any, inside: tuple[Any, ...]) -> Any:
    if sys.version_info >= (3, 12) or type(declared).__module__ != "typing":
        return declared
    if declared in inside:
        raise NoSchema("it holds itself; import TypedDict from typing_extensions")
    known = _converted.get(declared)
    if known is None:
        known = _converted[declared] = _convert(declared, (*inside, declared))
    return known


def _convert(declared: Any, inside: tuple[Any, ...]) -> Any:
    from typing_extensions import TypedDict

    try:
        hints = typing.get_type_hints(declared, include_extras=True)
    except NameError as error:
        raise NoSchema(f"{error} where it is defined; import TypedDict from typing_extensions") from error
    entries = {}
    for key, hint in hints.items():
        qualifier, bare = _qualified(hint)
        # Where annotations were text, the class itself did not know its qualifiers.
        required = key in declared.__required_keys__ if qualifier is None else qualifier is Required
        entries[key] = (Required if required else NotRequired)[_supported(bare, inside)]
    make: Any = TypedDict  # made from names known only here, which a checker cannot follow
    converted = make(declared.__name__, entries)
    converted.__doc__ = declared.__doc__
    return converted


def _qualified(hint: Any) -> tuple[Any, Any]:
    """Part a key's annotation into `Required` or `NotRequired`, None where it says neither, and the type."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Required or origin is NotRequired:
        return origin, args[0]
    if origin is Annotated:
        qualifier, bare = _qualified(args[0])
        return qualifier, Annotated[(bare, *args[1:])]
    return None, hint
