"""Tools: what `@tool` says, and a tool as a class declares it."""

import inspect
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args, get_origin, overload

from msgspec import UNSET

from cuelight.wire import ToolSpec

from .arguments import Arguments, Parameter
from .coders import Coder, NoSchema, type_name
from .docstrings import read_docstring
from .words import nearest

__all__ = ["MARK", "Effect", "Tool", "ToolOptions", "build_tool", "tool"]

F = TypeVar("F", bound=Callable[..., Any])
Effect = Literal["read", "write", "irreversible"]

MARK = "__cuelight_tool__"
_EFFECTS = ("read", "write", "irreversible")


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """Carry what `@tool` was told until the class is created; nothing of it is checked yet."""

    name: Any
    stage: Any
    when: Any
    pii: Any
    effect: Any
    timeout: Any
    preview: Any
    confirm: Any


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(
    *,
    name: str | None = ...,
    stage: Any = ...,
    when: Callable[[Any], object] | None = ...,
    pii: str | Collection[str] = ...,
    effect: Effect = ...,
    timeout: float | None = ...,
    preview: int | None = ...,
    confirm: Any = ...,
) -> Callable[[F], F]: ...
def tool(
    function: F | None = None,
    /,
    *,
    name: str | None = None,
    stage: Any = None,
    when: Callable[[Any], object] | None = None,
    pii: str | Collection[str] = (),
    effect: Effect = "write",
    timeout: float | None = None,
    preview: int | None = None,
    confirm: Any = None,
) -> Any:
    """Make a method one that the model may call.

    The signature gives the tool's JSON Schema, the docstring its description; an `Args:` section describes parameters.
    `stage` and `when` both hold, or the tool is hidden: then it is not offered, and a call to it does not run. What is
    wrong with a declaration is refused when the class is created.

    Args:
        name: what the model calls it, where that is not the method's name.
        stage: the stage, or stages, in which it is visible; None is every stage.
        when: a question asked of the agent before each request to the model; the tool is visible while it says yes.
        pii: parameters that are private, and parts of the result: "result", or a path in it as in "result.phone".
        effect: "read" changes nothing anywhere, so it may be run again; "write" is the default; "irreversible" cannot
            be taken back.
        timeout: seconds it may take; None is the class's `Limits.tool_s`.
        preview: how many rows of a list that it returns the model reads; the log keeps all.
        confirm: reserved for the question that a caller must say yes to.
    """
    options = ToolOptions(
        name=name, stage=stage, when=when, pii=pii, effect=effect, timeout=timeout, preview=preview, confirm=confirm
    )

    def mark(function: F) -> F:
        setattr(function, MARK, options)
        return function

    return mark if function is None else mark(function)


class Tool:
    """Hold one tool of a class: immutable, shared by all its calls."""

    __slots__ = (
        "arguments",
        "effect",
        "function",
        "is_async",
        "method",
        "name",
        "none_is_null",
        "pii_arguments",
        "pii_results",
        "preview",
        "spec",
        "stages",
        "timeout_s",
        "when",
    )

    def __init__(self, method: str, function: Callable[..., Any], options: ToolOptions) -> None:
        self.method = method
        self.function = function
        self.name: str = options.name or method
        self.is_async = inspect.iscoroutinefunction(function)
        self.stages = _stages(options.stage)
        self.when: Callable[[Any], object] | None = options.when
        self.effect: Effect = options.effect
        self.timeout_s: float | None = options.timeout
        self.preview: int | None = options.preview
        names = (options.pii,) if isinstance(options.pii, str) else tuple(options.pii)
        self.pii_results = tuple(_path(name) for name in names if _path(name) is not None)
        self.pii_arguments = tuple(name for name in names if _path(name) is None)
        self.arguments: Arguments
        self.spec: ToolSpec
        self.none_is_null = False

    def __repr__(self) -> str:
        return f"<tool {self.name}>"

    def shown_in(self, stage: str | None) -> bool:
        """Tell whether a stage shows the tool, whatever its `when` says."""
        return self.stages is None or stage in self.stages


def build_tool(
    method: str,
    function: Callable[..., Any],
    options: ToolOptions,
    resolve: Callable[[Any], Any],
    problems: list[str],
) -> Tool | None:
    """Build a tool from a marked method; what is wrong with it is added to `problems`.

    Args:
        method: the attribute's name in the class.
        function: the method.
        options: what `@tool` was told.
        resolve: turns an annotation that may be text into a type; raises NameError.
        problems: gets one sentence for each fault.
    """
    label = f"tool `{method}`"
    if not inspect.isfunction(function):
        problems.append(f"{label} is no plain method (`def` or `async def` with self); write it as one")
        return None
    before = len(problems)
    text = read_docstring(function.__doc__)
    parameters = _parameters(label, function, text.parameters, resolve, problems)
    problems.extend(_option_problems(label, options))
    if len(problems) > before:
        return None
    built = Tool(method, function, options)
    try:
        built.arguments = Arguments(built.name, parameters)
    except NoSchema as error:
        parameter = next(p for p in parameters if p.name == error.args[0])
        problems.append(
            f"{label}: parameter `{parameter.name}` is of type {type_name(parameter.annotation)}, for which no JSON "
            "Schema exists; use a builtin, a dataclass, a TypedDict, an Enum, a Literal or a pydantic model"
        )
        return None
    built.none_is_null = _admits_none_and_more(_return_annotation(function, resolve))
    problems.extend(_pii_problems(label, built, function, resolve))
    pii = [*built.pii_arguments, *(".".join(("result", *path)) for path in built.pii_results if path is not None)]
    built.spec = ToolSpec(
        name=built.name,
        description=text.description,
        parameters=built.arguments.schema,
        side_effect=built.effect,
        pii=pii or UNSET,
        timeout_s=UNSET if built.timeout_s is None else float(built.timeout_s),
    )
    return built


def _parameters(
    label: str, function: Any, described: Mapping[str, str], resolve: Callable[[Any], Any], problems: list[str]
) -> list[Parameter]:
    found = []
    declared = list(inspect.signature(function).parameters.values())
    if not declared:
        problems.append(f"{label} takes no `self`; write it as a method")
    for parameter in declared[1:]:
        place = f"{label}: parameter `{parameter.name}`"
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            problems.append(f"{place} cannot be given by name; a model gives every argument by name, so name each one")
        elif parameter.annotation is parameter.empty:
            problems.append(f"{place} has no type; annotate it, as in `{parameter.name}: str`")
        else:
            try:
                annotation = resolve(parameter.annotation)
            except Exception as error:  # annotations are the author's code
                problems.append(f"{place} has an annotation that cannot be read ({error}); {_RESOLVE_HINT}")
                continue
            text = described.get(parameter.name, "")
            found.append(Parameter(parameter.name, annotation, parameter.default, text))
    names = [parameter.name for parameter in declared[1:]]
    for name in described:
        if name not in names:
            problems.append(f"{label}: its docstring describes `{name}`, which is no parameter{nearest(name, names)}")
    return found


_RESOLVE_HINT = "import or define what it names where the class is defined, not under TYPE_CHECKING"


def _option_problems(label: str, options: ToolOptions) -> list[str]:
    problems = []
    if options.name is not None and not (isinstance(options.name, str) and options.name.isidentifier()):
        problems.append(f"{label}: name {options.name!r} is no identifier; use letters, digits and _")
    if options.effect not in _EFFECTS:
        problems.append(f"{label}: effect is {options.effect!r}; write 'read', 'write' or 'irreversible'")
    timeout = options.timeout
    if timeout is not None and (
        isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < math.inf
    ):
        problems.append(f"{label}: timeout is {timeout!r}; write a positive number of seconds")
    preview = options.preview
    if preview is not None and (isinstance(preview, bool) or not isinstance(preview, int) or preview < 1):
        problems.append(f"{label}: preview is {preview!r}; write how many rows the model reads, 1 or more")
    if options.confirm is not None:
        problems.append(
            f"{label}: confirm is not available in this version; leave it out, and ask the caller in a stage of its own"
        )
    problems.extend(_when_problems(label, options.when))
    if not isinstance(options.pii, str) and not (
        isinstance(options.pii, Collection) and all(isinstance(name, str) for name in options.pii)
    ):
        problems.append(f"{label}: pii is {options.pii!r}; write the names of parameters, as in pii=('phone',)")
    return problems


def _when_problems(label: str, when: Any) -> list[str]:
    if when is None:
        return []
    if not callable(when):
        return [f"{label}: when is {when!r}; write a question to the agent, as in when=lambda a: a.slots"]
    if inspect.iscoroutinefunction(when) or inspect.iscoroutinefunction(getattr(when, "__call__", None)):  # noqa: B004
        return [
            f"{label}: when is async; it is asked before every request, so let it read the state and wait for nothing"
        ]
    try:
        inspect.signature(when).bind(None)
    except TypeError:
        return [f"{label}: when must take one argument, the agent, as in when=lambda a: a.slots"]
    except ValueError:
        return []  # a builtin without a signature
    return []


def _stages(stage: Any) -> tuple[Any, ...] | None:
    if stage is None:
        return None
    if isinstance(stage, str) or not isinstance(stage, Collection):
        return (stage,)
    return tuple(stage)


def _path(name: str) -> tuple[str, ...] | None:
    """Give the path in a result that a pii name means, or None when it means a parameter."""
    head, *rest = name.split(".")
    return tuple(rest) if head == "result" else None


def _return_annotation(function: Any, resolve: Callable[[Any], Any]) -> Any:
    annotation = inspect.signature(function).return_annotation
    if annotation is inspect.Signature.empty:
        return None
    try:
        return resolve(annotation)
    except Exception:  # a result's annotation only informs; a route's type may be imported for checkers alone
        return None


def _admits_none_and_more(annotation: Any) -> bool:
    import types
    import typing

    if get_origin(annotation) is typing.Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) not in (typing.Union, types.UnionType):
        return False
    return type(None) in get_args(annotation)


def _pii_problems(label: str, built: Tool, function: Any, resolve: Callable[[Any], Any]) -> list[str]:
    names = list(built.arguments.parameters)
    problems = []
    for name in built.pii_arguments:
        if name == "" or name not in names:
            hint = nearest(name, [*names, "result"])
            problems.append(
                f"{label}: pii names `{name}`, which is no parameter of it, nor `result` or a path in it{hint}"
            )
    paths = [path for path in built.pii_results if path]
    if not paths:
        return problems
    annotation = _return_annotation(function, resolve)
    try:
        schema = None if annotation is None else Coder(annotation).schema
    except NoSchema:
        schema = None
    for path in paths:
        if not all(path) or (schema is not None and not _reaches(schema, schema, list(path))):
            shown = ".".join(("result", *path))
            problems.append(f"{label}: pii names `{shown}`, but {type_name(annotation)} has no such part")
    return problems


def _reaches(schema: Mapping[str, Any], root: Mapping[str, Any], path: list[str]) -> bool:
    """Tell whether a path leads somewhere in what a JSON Schema describes; an open schema leads anywhere."""
    if "$ref" in schema:
        return _reaches(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root, path)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return any(_reaches(option, root, path) for option in schema[key])
    if schema.get("type") == "array":
        return _reaches(schema.get("items", {}), root, path)
    if not path or "type" not in schema:
        return True
    if schema["type"] != "object":
        return False
    properties = schema.get("properties", {})
    if path[0] in properties:
        return _reaches(properties[path[0]], root, path[1:])
    return bool(schema.get("additionalProperties", not properties))
