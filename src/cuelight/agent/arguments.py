"""A tool's arguments: their JSON Schema, and the check that turns a model's text into Python values."""

import inspect
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from cuelight.errors import CuelightError

from .coders import NoSchema, clean_schema, supported

__all__ = ["Arguments", "BadArguments", "Parameter", "parse_object"]

_SHOWN = 5


class BadArguments(CuelightError):
    """Say what is wrong with a call's arguments, in words for the model; no value is repeated."""

    code = "bad-arguments"


class Parameter:
    """Hold one parameter of a tool."""

    __slots__ = ("annotation", "default", "description", "name")

    def __init__(self, name: str, annotation: Any, default: Any, description: str) -> None:
        self.name = name
        self.annotation = annotation
        self.default = default
        self.description = description

    @property
    def required(self) -> bool:
        """Tell whether the model must give it."""
        return self.default is inspect.Parameter.empty


class Arguments:
    """Describe and check the arguments of one tool.

    Raises:
        NoSchema: when a parameter's annotation has no JSON Schema; `args[0]` names the parameter.
    """

    __slots__ = ("_adapter", "parameters", "schema")

    def __init__(self, tool: str, parameters: list[Parameter]) -> None:
        from typing import NotRequired

        import pydantic
        from typing_extensions import TypedDict

        self.parameters = {parameter.name: parameter for parameter in parameters}
        entries: dict[str, Any] = {}
        for parameter in parameters:
            annotation = _described(parameter)
            try:
                pydantic.TypeAdapter(annotation).json_schema()
            except (
                pydantic.errors.PydanticUserError,
                pydantic.errors.PydanticSchemaGenerationError,
                NameError,
            ) as error:
                raise NoSchema(parameter.name) from error
            entries[parameter.name] = annotation if parameter.required else NotRequired[annotation]
        shape = TypedDict(tool, entries)  # type: ignore[misc]
        setattr(shape, "__pydantic_config__", pydantic.ConfigDict(extra="forbid", strict=True))  # noqa: B010
        self._adapter: pydantic.TypeAdapter[dict[str, Any]] = pydantic.TypeAdapter(cast(Any, shape))
        self.schema: dict[str, Any] = clean_schema(self._adapter.json_schema())
        self.schema.setdefault("properties", {})
        for name, shown in self.schema["properties"].items():
            parameter = self.parameters[name]
            if not parameter.required and _is_json_value(parameter.default):
                shown["default"] = parameter.default

    def check(self, text: str) -> dict[str, Any]:
        """Turn the text of a JSON object into the values of the parameters; absent ones stay absent.

        Raises:
            BadArguments: when a name is unknown or missing, or a value does not fit.
        """
        if not self.parameters and text in ("{}", ""):
            return {}
        import pydantic

        try:
            return self._adapter.validate_json(text)
        except pydantic.ValidationError as error:
            faults = error.errors(include_url=False, include_context=False, include_input=False)
            raise BadArguments(self._sentence(faults)) from None

    def _sentence(self, faults: list[Any]) -> str:
        parts = [self._fault(fault) for fault in faults[:_SHOWN]]
        if len(faults) > _SHOWN:
            parts.append(f"and {len(faults) - _SHOWN} more")
        return "Nothing was done, because the arguments do not fit: " + "; ".join(parts) + ". Mend them and call again."

    def _fault(self, fault: Mapping[str, Any]) -> str:
        place = ".".join(map(str, fault["loc"]))
        if fault["type"] == "extra_forbidden" and len(fault["loc"]) == 1:
            known = ", ".join(f"`{name}`" for name in self.parameters) or "none"
            return f"`{place}` is no argument of this tool (it takes {known})"
        if fault["type"] == "missing":
            return f"`{place}` is missing"
        message = str(fault["msg"])
        return f"`{place}`: {message[:1].lower()}{message[1:]}"


def parse_object(text: str, arguments: Arguments | None) -> dict[str, Any]:
    """Read what a model wrote as arguments: a JSON object. No text at all is an empty one, if nothing is required.

    Raises:
        BadArguments: when it is no JSON, or no object.
    """
    if not text.strip():
        required = [p.name for p in arguments.parameters.values() if p.required] if arguments else []
        if not required:
            return {}
        names = ", ".join(f"`{name}`" for name in required)
        raise BadArguments(
            f"Nothing was done, because the call has no arguments; it needs {names}. Call again with them."
        )
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError) as error:
        wanted = msgspec.json.encode(arguments.schema).decode() if arguments else "an object"
        raise BadArguments(
            f"Nothing was done, because the arguments are not valid JSON ({error}). "
            f"Call again with one JSON object of this schema: {wanted}"
        ) from None
    if not isinstance(value, dict):
        raise BadArguments("Nothing was done, because the arguments are no JSON object. Call again with an object.")
    return value


def _described(parameter: Parameter) -> Any:
    import pydantic

    annotation = supported(parameter.annotation)
    if not parameter.description:
        return annotation
    from typing import Annotated

    return Annotated[annotation, pydantic.Field(description=parameter.description)]


def _is_json_value(value: Any) -> bool:
    return value is None or type(value) in (bool, int, float, str)
