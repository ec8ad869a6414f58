"""Types at the edge: how values of an annotation are checked, written as JSON, read back, and described."""

import enum
import functools
import operator
import types
import typing
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, get_args, get_origin
from uuid import UUID

__all__ = ["Coder", "NoSchema", "clean_schema", "is_immutable", "plain_json", "supported", "type_name"]

_IMMUTABLE = frozenset(
    {type(None), bool, int, float, str, bytes, date, datetime, time, timedelta, Decimal, UUID},
)


class NoSchema(Exception):
    """Say that an annotation has no JSON Schema; never leaves the package."""


class Coder:
    """Check, encode and decode the values of one annotation.

    Raises:
        NoSchema: when no JSON Schema exists for the annotation.
    """

    __slots__ = ("_adapter", "annotation", "schema")

    def __init__(self, annotation: Any) -> None:
        import pydantic

        self.annotation = annotation
        wanted = supported(annotation)
        try:
            try:
                config = pydantic.ConfigDict(ser_json_inf_nan="constants")
                self._adapter: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(wanted, config=config)
            except pydantic.errors.PydanticUserError:
                self._adapter = pydantic.TypeAdapter(wanted)  # a model or dataclass brings its own configuration
            self.schema: dict[str, Any] = clean_schema(self._adapter.json_schema())
        except (pydantic.errors.PydanticUserError, pydantic.errors.PydanticSchemaGenerationError, NameError) as error:
            raise NoSchema(str(error).splitlines()[0]) from error

    def fault(self, value: Any) -> str | None:
        """Say why a value does not fit, or None when it does; nothing is converted."""
        import pydantic

        try:
            self._adapter.validate_python(value, strict=True)
        except pydantic.ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            return f"{place}: {first['msg']}" if place else str(first["msg"])
        return None

    def lenient(self, value: Any) -> Any:
        """Read a value given as such or in its JSON form.

        Raises:
            ValueError: when neither fits.
        """
        return value if self.fault(value) is None else self._adapter.validate_python(value)

    def encode(self, value: Any) -> bytes:
        """Write a value as JSON.

        Raises:
            ValueError: when the value has no JSON form.
        """
        encoded: bytes = self._adapter.dump_json(value, warnings=False)
        if (b"NaN" in encoded or b"Infinity" in encoded) and not _is_json(encoded):
            raise ValueError("numbers that are not finite have no JSON form")
        return encoded

    def decode(self, encoded: bytes) -> Any:
        """Read a value from its JSON form.

        Raises:
            ValueError: when it does not fit the annotation.
        """
        return self._adapter.validate_json(encoded)


def is_immutable(value: Any) -> bool:
    """Tell whether a value can be shared because nothing can change it in place."""
    return type(value) in _IMMUTABLE or isinstance(value, enum.Enum)


def plain_json(value: Any) -> bytes:
    """Write any value that has a JSON form: builtins, dataclasses, pydantic models, dates, enums and what holds them.

    Raises:
        ValueError: when it has none.
    """
    import pydantic_core

    encoded: bytes = pydantic_core.to_json(value)
    if (b"NaN" in encoded or b"Infinity" in encoded) and not _is_json(encoded):
        raise ValueError("numbers that are not finite have no JSON form")
    return encoded


def _is_json(text: bytes) -> bool:
    import msgspec

    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False
    return True


def supported(annotation: Any) -> Any:
    """Put what pydantic reads in the place of what it does not: `typing.TypedDict` on Python 3.11."""
    if typing.is_typeddict(annotation):
        return _typed_dict(annotation)
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is None or origin is Literal or not args:
        return annotation
    if origin is Annotated:
        return Annotated[(supported(args[0]), *args[1:])]
    wanted = tuple(supported(arg) for arg in args)
    if wanted == args:
        return annotation
    if origin is typing.Union or origin is types.UnionType:
        return functools.reduce(operator.or_, wanted)
    return origin[wanted]


@functools.cache
def _typed_dict(declared: Any) -> Any:
    from typing import NotRequired, Required

    from typing_extensions import TypedDict

    if type(declared).__module__ != "typing":
        return declared
    hints = typing.get_type_hints(declared, include_extras=True)
    entries = {}
    for key, hint in hints.items():
        bare = get_args(hint)[0] if get_origin(hint) in (typing.Required, typing.NotRequired) else hint
        required = key in declared.__required_keys__
        entries[key] = (Required if required else NotRequired)[supported(bare)]
    make: Any = TypedDict  # made from names known only here, which a checker cannot follow
    converted = make(declared.__name__, entries)
    converted.__doc__ = declared.__doc__
    return converted


def clean_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop the titles that pydantic invents: the model pays for each token and learns nothing from them."""
    cleaned: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if key in ("properties", "$defs"):
            cleaned[key] = {name: clean_schema(inner) for name, inner in value.items()}
        elif isinstance(value, dict) and key not in ("default", "const", "examples", "enum"):
            cleaned[key] = clean_schema(value)
        elif isinstance(value, list) and key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            cleaned[key] = [clean_schema(inner) if isinstance(inner, dict) else inner for inner in value]
        else:
            cleaned[key] = value
    return cleaned


def type_name(annotation: Any) -> str:
    """Write an annotation as an author would."""
    if annotation is None or annotation is type(None):
        return "None"
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
