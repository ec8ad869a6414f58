"""Types at the edge: how values of an annotation are checked, written as JSON, and read back."""

import enum
import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from cuelight.agent.annotations import NoSchema, supported
from cuelight.agent.fidelity import is_finite, lost
from cuelight.agent.schemas import clean_schema, has_sets, is_open, sort_sets
from cuelight.agent.words import place

if TYPE_CHECKING:
    import pydantic

__all__ = ["Coder", "JsonCoder", "Misfit", "adapter_of", "coder_of", "is_immutable", "plain_json"]

_IMMUTABLE = frozenset({type(None), bool, int, float, str, bytes, date, datetime, time, timedelta, Decimal})
_SHORT_INT = 1 << 63
_LONGEST_INT = 4300  # digits
_LONG_INT = re.compile(rb"\d{%d}" % _LONGEST_INT)
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"')

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class Misfit(ValueError):
    """Say why a value does not fit an annotation; never leaves the package."""


def adapter_of(annotation: Any) -> "tuple[pydantic.TypeAdapter[Any], dict[str, Any]]":
    """Make pydantic's adapter of an annotation, and its JSON Schema.

    Raises:
        NoSchema: when no JSON Schema exists for the annotation.
    """
    import pydantic

    try:
        adapter: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(supported(annotation))
        return adapter, clean_schema(adapter.json_schema())
    except pydantic.errors.PydanticUserError as error:
        raise NoSchema(_reason(error)) from error
    except NoSchema:
        raise
    except Exception as error:  # an author may write anything as a type, and much of it breaks what reads it
        raise NoSchema(str(error) if isinstance(error, NameError) else "") from error


def _reason(error: "pydantic.errors.PydanticUserError") -> str:
    """Say what the author can mend; that something is merely no data goes without saying."""
    if error.code == "typed-dict-version":
        return "a TypedDict in it must come from typing_extensions"
    if error.code == "class-not-fully-defined":
        return str(error).split(";")[0]
    return ""


class Coder:
    """Check, encode and decode the values of one annotation.

    What it admits comes back: a value that would be read back from its JSON form as another, or as one of another type,
    does not fit.

    Args:
        annotation: the type.

    Raises:
        NoSchema: when no JSON Schema exists for the annotation.
    """

    __slots__ = ("_dump", "_exact", "_load", "_schema", "_sets", "_validate")

    def __init__(self, annotation: Any) -> None:
        adapter, self._schema = adapter_of(annotation)
        self._validate = adapter.validator.validate_python
        self._load = adapter.validator.validate_json
        self._dump = adapter.serializer.to_json
        self._exact = _exact_types(annotation)
        self._sets = has_sets(self._schema)

    def admit(self, value: Any) -> tuple[bytes, Any]:
        """Check a value, converting nothing, and give its JSON form and what that is read back as, which is its equal.

        Raises:
            Misfit: when it does not fit, or would not come back from its JSON form as what it is.
        """
        if type(value) in self._exact and _is_plain(value):
            return self._dump(value), value
        try:
            self._validate(value, strict=True)
        except Exception as error:  # an author's validator may raise anything
            raise Misfit(_words(error)) from None
        encoded = self.encode(value)
        read = self.decode(encoded)
        difference = lost(value, read)
        if difference is not None:
            raise Misfit(difference)
        return encoded, read

    def fit(self, value: Any) -> Any:
        """Give a value that fits, from one given as such or in its JSON form.

        Raises:
            Misfit: when neither fits.
        """
        try:
            self.admit(value)
            return value
        except Misfit as misfit:
            try:
                encoded = plain_json(value)
            except ValueError:
                raise misfit from None
        return self._read(encoded, extra=None if is_open(self._schema) else "forbid")

    def encode(self, value: Any) -> bytes:
        """Write a value as JSON; one set has one form, whatever the order of its items.

        Raises:
            Misfit: when the value has no JSON form.
        """
        try:
            encoded = self._dump(value, by_alias=False, round_trip=True, warnings=False)
        except Exception as error:  # an author's serializer may raise anything
            raise Misfit("it has no JSON form") from error
        if self._sets:
            return _encode(sort_sets(_decode(encoded), self._schema, self._schema))
        return encoded

    def decode(self, encoded: bytes) -> Any:
        """Read a value from its JSON form, converting nothing.

        Raises:
            Misfit: when it does not fit the annotation.
        """
        return self._read(encoded)

    def _read(self, encoded: bytes, extra: Any = None) -> Any:
        try:
            return self._load(encoded, strict=True, by_alias=True, by_name=True, extra=extra)
        except Exception as error:  # an author's validator may raise anything
            raise Misfit(_words(error)) from None


class JsonCoder(Coder):
    """Check, encode and decode values that are JSON already; made without a schema.

    Args:
        kinds: the types that the value itself may have.
        said: how they are called.
    """

    __slots__ = ("_kinds", "_said")

    def __init__(self, kinds: tuple[type, ...], said: str) -> None:
        self._kinds = kinds
        self._said = said

    def admit(self, value: Any) -> tuple[bytes, Any]:
        """Check a value, and give its JSON form and what that is read back as; raises as `Coder.admit`."""
        self._check(value)
        encoded = self.encode(value)
        read = _decode(encoded)
        difference = lost(value, read)
        if difference is not None:
            raise Misfit(difference)
        return encoded, read

    def fit(self, value: Any) -> Any:
        """Give a value that fits; raises as `Coder.fit`."""
        self.admit(value)
        return value

    def encode(self, value: Any) -> bytes:
        """Write a value as JSON; raises as `Coder.encode`."""
        try:
            return plain_json(value)
        except ValueError as error:
            raise Misfit("it has no JSON form") from error

    def decode(self, encoded: bytes) -> Any:
        """Read a value from its JSON form; raises as `Coder.decode`."""
        value = _decode(encoded)
        self._check(value)
        return value

    def _check(self, value: Any) -> None:
        if not isinstance(value, self._kinds):
            raise Misfit(f"it must be {self._said}")


_shared: dict[Any, Coder] = {}


def coder_of(annotation: Any) -> Coder:
    """Give the coder of an annotation; those of texts, numbers and truth values are made once for all fields.

    Raises:
        NoSchema: when no JSON Schema exists for the annotation.
    """
    if not _exact_types(annotation):
        return Coder(annotation)
    if annotation not in _shared:
        _shared[annotation] = Coder(annotation)
    return _shared[annotation]


def _exact_types(annotation: Any) -> frozenset[Any]:
    """Name the types whose values need no look: the annotation is one of them, or one and None."""
    for exact in (str, int, bool):
        if annotation is exact:
            return frozenset({exact})
        if annotation == exact | None:
            return frozenset({exact, type(None)})
    return frozenset()


def _is_plain(value: Any) -> bool:
    """Tell whether a text or number is one that every reader of JSON takes."""
    if type(value) is str:
        return value.isascii()
    return type(value) is not int or -_SHORT_INT <= value < _SHORT_INT


def _words(error: Exception) -> str:
    """Say where and how a value does not fit: the first fault, as there may be many."""
    faults = getattr(error, "errors", None)
    if faults is None:
        return f"a validator of it raised {type(error).__name__}"
    first = faults(include_url=False, include_context=False, include_input=False)[0]
    message = str(first["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return f"{place(first['loc'])} {message.replace('Input should be ', 'must be ', 1)}"


def is_immutable(value: Any) -> bool:
    """Tell whether a value can be shared because nothing can change it in place."""
    return type(value) in _IMMUTABLE or isinstance(value, enum.Enum)


def plain_json(value: Any) -> bytes:
    """Write any value that has a JSON form: builtins, dataclasses, pydantic models, dates, enums and what holds them.

    Raises:
        ValueError: when it has none.
    """
    import pydantic_core

    encoded = pydantic_core.to_json(value)
    # Depending on where it stands, a number that is not finite becomes NaN, Infinity or null.
    suspect = b"null" in encoded or b"NaN" in encoded or b"Infinity" in encoded
    if suspect and not is_finite(value):
        raise ValueError("a number that is not finite has no JSON form")
    # What stands in a text is no number; texts are left out only where digits are found, as that takes longer.
    if len(encoded) > _LONGEST_INT and _LONG_INT.search(encoded) and _LONG_INT.search(_TEXT.sub(b'""', encoded)):
        raise ValueError("an integer is longer than readers of JSON take")
    return encoded
