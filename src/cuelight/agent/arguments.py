"""A tool's arguments: their JSON Schema, and the check that turns a model's text into Python values."""

import copy
import inspect
import json
from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

import msgspec

from cuelight.agent.annotations import NoSchema, supported
from cuelight.agent.coders import adapter_of, is_immutable
from cuelight.agent.faults import sentence
from cuelight.agent.schemas import close_objects, is_open, property_names
from cuelight.errors import CuelightError

__all__ = ["Arguments", "BadArguments", "Parameter", "parse_object"]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class BadArguments(CuelightError):
    """Say what is wrong with a call's arguments, in words for the model; no value that was given is repeated."""

    code = "bad-arguments"

    def __init__(self, fault: str, remedy: str) -> None:
        super().__init__(f"Nothing was done: {fault}. {remedy}")


class Parameter:
    """Hold one parameter of a tool.

    Args:
        name: as the model gives it.
        annotation: its type.
        default: what the method has for it, `inspect.Parameter.empty` where it has nothing.
        form: the default as JSON; None where there is none.
        description: what the docstring says of it.
    """

    __slots__ = ("annotation", "default", "description", "form", "name")

    def __init__(self, name: str, annotation: Any, default: Any, form: bytes | None, description: str) -> None:
        self.name = name
        self.annotation = annotation
        self.default = default
        self.form = form
        self.description = description

    @property
    def required(self) -> bool:
        """Tell whether the model must give it."""
        return self.default is inspect.Parameter.empty


class Arguments:
    """Describe and check the arguments of one tool.

    Args:
        tool: the tool's name.
        parameters: what it takes, in order.

    Raises:
        NoSchema: when some parameter's annotation has no JSON Schema.
    """

    __slots__ = ("_copied", "_extra", "_load", "_names", "_required", "parameters", "schema")

    def __init__(self, tool: str, parameters: list[Parameter]) -> None:
        adapter, self.schema = adapter_of(_shape(tool, parameters))
        shown = self.schema.setdefault("properties", {})
        for parameter in parameters:
            if parameter.form is not None:
                shown[parameter.name]["default"] = _decode(parameter.form)
        self.parameters = {parameter.name: parameter for parameter in parameters}
        self._load = adapter.validator.validate_json
        # What a class in it does not declare would be dropped without a word; unless some class asks for more.
        self._extra: Any = None if is_open(self.schema) else "forbid"
        if self._extra is not None:
            close_objects(self.schema)
        self._names = property_names(self.schema)
        self._required = {parameter.name: parameter.required for parameter in parameters}
        self._copied = [p for p in parameters if not (p.required or is_immutable(p.default))]

    def check(self, text: str) -> dict[str, Any]:
        """Turn the text of a JSON object, one that `parse_object` takes, into values of the parameters' types.

        Nothing is converted but what JSON has no form of its own for, such as dates. What is absent stays absent, so
        that the method's default holds; a default that could be changed in place is given as a copy.

        Raises:
            BadArguments: when a name is unknown or missing, or a value does not fit.
        """
        try:
            values: dict[str, Any] = self._load(text, strict=True, extra=self._extra)
        except Exception as error:  # an author's validator may raise anything
            raise BadArguments(self._words(error, text), "Correct the arguments and call again.") from None
        for parameter in self._copied:
            if parameter.name not in values:
                values[parameter.name] = copy.deepcopy(parameter.default)
        return values

    def whole(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Give checked values with the defaults of what is absent, as the method will have them."""
        return {
            name: values[name] if name in values else copy.deepcopy(parameter.default)
            for name, parameter in self.parameters.items()
            if name in values or not parameter.required
        }

    def _words(self, error: Exception, text: str) -> str:
        faults = getattr(error, "errors", None)
        if faults is None:
            return "the arguments do not fit"
        return sentence(faults(include_url=False), _decode(text), self._required, self._names)


def _shape(tool: str, parameters: list[Parameter]) -> Any:
    """Make the type of the object that holds the arguments.

    Raises:
        NoSchema: when some annotation is no type.
    """
    import pydantic
    from typing_extensions import TypedDict

    entries: dict[str, Any] = {}
    for parameter in parameters:
        annotation = supported(parameter.annotation)
        if parameter.description:
            annotation = Annotated[annotation, pydantic.Field(description=parameter.description)]
        entries[parameter.name] = annotation if parameter.required else NotRequired[annotation]
    make: Any = TypedDict  # made from names known only here, which a checker cannot follow
    try:
        shape = make(tool, entries)
    except TypeError as error:  # some annotation is no type at all
        raise NoSchema(str(error)) from error
    shape.__pydantic_config__ = pydantic.ConfigDict(extra="forbid")
    return shape


def parse_object(text: str, arguments: Arguments | None) -> dict[str, Any]:
    """Read what a model wrote as arguments: a JSON object. No text at all is an empty one, if nothing is required.

    Args:
        text: what the model wrote.
        arguments: those of the tool, where there is such a tool.

    Raises:
        BadArguments: when it is no JSON, no object, or an object that names something twice.
    """
    known = arguments.parameters.values() if arguments is not None else ()
    if not text.strip() and not any(parameter.required for parameter in known):
        return {}
    fault = None
    value = None
    try:
        value = _decode(text)
        if not isinstance(value, dict):
            fault = "the arguments are no JSON object"
        elif text.count(":") > 1 and _names_twice(text):
            fault = "the arguments name something twice"
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        fault = "the arguments are not valid JSON" if text.strip() else "the call has no arguments"
    if fault is None and isinstance(value, dict):
        return value
    schema = f" of this schema: {_encode(arguments.schema).decode()}" if arguments is not None else ""
    raise BadArguments(str(fault), f"Call again with one JSON object{schema}")


class _Twice(Exception):
    pass


def _names_twice(text: str) -> bool:
    """Tell whether an object in a JSON text has a member twice: readers would silently take the last."""
    try:
        _strict.decode(text)
    except _Twice:
        return True
    except ValueError:
        return False  # an integer too long for this reader alone
    return False


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Twice
    return members


_strict = json.JSONDecoder(object_pairs_hook=_distinct)
