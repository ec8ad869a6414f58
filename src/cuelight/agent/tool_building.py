"""Build a tool from a method that is marked as one; everything wrong with it is found."""

import inspect
import re
import sys
from collections.abc import Collection, Mapping
from typing import Any

from cuelight.agent.annotations import NoSchema, Scope, admits_none, type_name
from cuelight.agent.arguments import Arguments, Parameter
from cuelight.agent.coders import Misfit, adapter_of, coder_of
from cuelight.agent.confirming import ANSWER_TOOL, names_in
from cuelight.agent.docstrings import read_docstring
from cuelight.agent.reading import no_schema, shown
from cuelight.agent.schemas import is_array, reaches
from cuelight.agent.tools import RESULT, Tool, ToolOptions, named, result_path
from cuelight.agent.words import nearest

__all__ = ["build_tool"]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_EFFECTS = ("read", "write", "irreversible")


def build_tool(
    method: str,
    function: Any,
    options: ToolOptions,
    scope: Scope,
    problems: list[str],
    *,
    overridden: str | None = None,
) -> Tool | None:
    """Build a tool from a marked method, or give None where that is not possible.

    Args:
        method: the attribute's name in the class.
        function: the attribute.
        options: what `@tool` was told.
        scope: the names in sight of its annotations.
        problems: gets one sentence for each fault.
        overridden: the docstring of the tool it overrides, which describes it where it has none of its own.
    """
    builder = _Builder(method, function, options, scope, overridden)
    built = builder.build()
    problems.extend(builder.problems)
    return None if builder.problems else built


class _Builder:
    def __init__(self, method: str, function: Any, options: ToolOptions, scope: Scope, overridden: str | None) -> None:
        self._method = method
        self._function = function
        self._options = options
        self._scope = scope
        self._overridden = overridden
        self.problems: list[str] = []

    def build(self) -> Tool | None:
        function, options = self._function, self._options
        self.problems.extend(_option_problems(self._method, options))
        if options.replaced is not None and options.replaced is not function:
            self.problems.append(
                f"the class defines it twice, and only the last would count; give one of the two another name, with "
                f"@tool(name={(options.name or self._method)!r}) where they are for different stages"
            )
        if not inspect.isfunction(function):
            kind = type(function).__name__
            self.problems.append(f"it is a {kind}; write it as a method with self")
            return None
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            self.problems.append("it yields; a tool has one result, so let it return")
        text = read_docstring(function.__doc__ or self._overridden)
        parameters = self._parameters(text.parameters)
        arguments = self._arguments(parameters)
        returned = self._returned()
        if isinstance(options.pii, str | Collection):
            self._check_pii([parameter.name for parameter in parameters], returned)
        self._check_preview(returned)
        self.problems.extend(_confirm_problems(options.confirm, [parameter.name for parameter in parameters]))
        if self.problems or arguments is None:
            return None
        return Tool(
            self._method, function, options, arguments,
            description=text.description, none_is_null=_none_is_null(function, returned),
        )  # fmt: skip

    # --- parameters ---------------------------------------------------------------------------------------------------

    def _parameters(self, described: Mapping[str, str]) -> list[Parameter]:
        found = []
        declared = list(inspect.signature(self._function).parameters.values())
        if not declared or declared[0].kind not in (
            inspect.Parameter.POSITIONAL_ONLY,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
        ):
            self.problems.append("it takes no `self`; write it as a method")
            return []
        for parameter in declared[1:]:
            name = parameter.name
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                self.problems.append(
                    f"parameter `{name}` cannot be given by name, as a model gives every argument; name each one"
                )
            elif parameter.annotation is parameter.empty:
                self.problems.append(f"parameter `{name}` has no type; annotate it, as in `{name}: str`")
            else:
                annotation = self._resolved(name, parameter.annotation)
                if annotation is not _UNREADABLE:
                    form = self._default(name, annotation, parameter.default)
                    text = described.get(name, "")
                    found.append(Parameter(name, annotation, parameter.default, form, text))
        names = [parameter.name for parameter in declared[1:]]
        for name in described:
            if name not in names and self._function.__doc__:
                self.problems.append(f"its docstring describes `{name}`, which is no parameter{nearest(name, names)}")
        return found

    def _resolved(self, name: str, annotation: Any) -> Any:
        try:
            return self._scope.resolve(annotation, self._function)
        except Exception as error:  # annotations are the author's code
            self.problems.append(
                f"the type of parameter `{name}` cannot be read ({error}); define or import what it names before the "
                "class, not only under TYPE_CHECKING"
            )
            return _UNREADABLE

    def _default(self, name: str, annotation: Any, default: Any) -> bytes | None:
        """Check a default against its annotation; gives it as JSON."""
        if default is inspect.Parameter.empty:
            return None
        kind = type_name(annotation)
        if default is None and not admits_none(annotation):
            self.problems.append(f"parameter `{name}` is None unless it is given; write `{name}: {kind} | None = None`")
            return None
        try:
            return coder_of(annotation).admit(default)[0]
        except NoSchema:
            return None  # told where all parameters are looked at
        except Misfit as misfit:
            self.problems.append(
                f"parameter `{name}` has the default {shown(default)}, which does not fit {kind}: {misfit}"
            )
            return None

    def _arguments(self, parameters: list[Parameter]) -> Arguments | None:
        try:
            return Arguments(self._method, parameters)
        except NoSchema as whole:
            before = len(self.problems)
            for parameter in parameters:
                try:
                    adapter_of(parameter.annotation)
                except NoSchema as error:
                    self.problems.append(no_schema(f"parameter `{parameter.name}`", parameter.annotation, error))
            if len(self.problems) == before:
                self.problems.append(f"no JSON Schema exists for its parameters together ({whole})")
            return None

    # --- the result ---------------------------------------------------------------------------------------------------

    def _returned(self) -> Any:
        """Give the annotation of the result, `_UNREADABLE` where there is none or it cannot be read."""
        annotation = inspect.signature(self._function).return_annotation
        if annotation is inspect.Signature.empty:
            return _UNREADABLE
        try:
            return self._scope.resolve(annotation, self._function)
        except Exception:  # it only informs, so what it names may be imported for checkers alone
            return _UNREADABLE

    def _result_schema(self, returned: Any) -> Mapping[str, Any]:
        """Describe the JSON that a result becomes; an empty schema where nothing is known of it."""
        if returned is _UNREADABLE:
            return {}
        try:
            adapter, _ = adapter_of(returned)
            return adapter.json_schema(mode="serialization")
        except Exception:  # a type that only code needs to know, such as a route
            return {}

    def _check_pii(self, names: list[str], returned: Any) -> None:
        pii = named(self._options.pii) or ()
        if RESULT in names and RESULT in pii:
            self.problems.append("pii names `result`, which is a parameter and the result; rename the parameter")
        schema: Mapping[str, Any] | None = None
        for name in pii:
            path = result_path(name) if isinstance(name, str) else None
            if path is None:
                if name not in names:
                    hint = nearest(name, [*names, RESULT]) if isinstance(name, str) else ""
                    self.problems.append(
                        f"pii names {shown(name)}, which is no parameter of it, nor 'result' or a path in it such as "
                        f"'result.phone'{hint}"
                    )
            elif path:
                schema = self._result_schema(returned) if schema is None else schema
                if not all(path) or not reaches(schema, path):
                    self.problems.append(f"pii names {name!r}, but {type_name(returned)} has no such part")

    def _check_preview(self, returned: Any) -> None:
        if _is_number(self._options.preview, int) and not is_array(self._result_schema(returned)):
            self.problems.append(f"preview counts the rows of a list, and {type_name(returned)} is none; leave it out")


_UNREADABLE: Any = type("Unreadable", (), {"__repr__": lambda self: "what it returns"})()


def _none_is_null(function: Any, returned: Any) -> bool:
    """Tell whether None is one of several results, by the annotation; by its text where that cannot be read."""
    if returned is not _UNREADABLE:
        return admits_none(returned)
    text = inspect.signature(function).return_annotation
    return isinstance(text, str) and re.search(r"\|\s*None\b|\bNone\s*\||\bOptional\[", text) is not None


# --- what @tool was told ----------------------------------------------------------------------------------------------


def _option_problems(method: str, options: ToolOptions) -> list[str]:
    problems = []
    name = method if options.name is None else options.name
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        problems.append(
            f"models take no tool called {shown(name)}; name it with @tool(name=...), up to 64 letters from A to Z, "
            "digits, _ and -"
        )
    if options.effect not in _EFFECTS:
        problems.append(f"effect is {shown(options.effect)}; write 'read', 'write' or 'irreversible'")
    if options.timeout is not None and not _is_number(options.timeout, float):
        problems.append(f"timeout is {shown(options.timeout)}; write a positive number of seconds")
    if options.preview is not None and not _is_number(options.preview, int):
        problems.append(f"preview is {shown(options.preview)}; write how many rows the model reads, 1 or more")
    if name == ANSWER_TOOL:
        problems.append(f"`{ANSWER_TOOL}` is the tool by which a model says what the caller confirmed; rename yours")
    if not isinstance(options.pii, str | Collection):
        problems.append(f"pii is {shown(options.pii)}; write the names of parameters, as in pii=('phone',)")
    return problems + _when_problems(options.when)


def _confirm_problems(confirm: Any, parameters: list[str]) -> list[str]:
    """Say what is wrong with a question to the caller; whether the class has what it names is looked at later."""
    if confirm is None:
        return []
    if isinstance(confirm, str):
        try:
            list(names_in(confirm))
        except ValueError as error:
            return [f"confirm is no template: {error}; write the question, as in confirm='Shall I book {{slot}}?'"]
        return [] if confirm.strip() else ["confirm is empty; write what the caller is asked"]
    if not callable(confirm):
        return [f"confirm is {shown(confirm)}; write the question, as in confirm='Shall I book {{slot}}?'"]
    if inspect.iscoroutinefunction(confirm):
        return ["confirm is async; it is asked while nothing else happens, so let it wait for nothing"]
    try:
        inspect.signature(confirm).bind(None, **dict.fromkeys(parameters))
    except TypeError:
        listed = ", ".join(["self", *parameters])
        return [f"confirm takes other arguments than the tool; write `def question({listed})`"]
    except ValueError:
        return []  # a builtin without a signature
    return []


def _is_number(value: Any, kind: type) -> bool:
    kinds = (int, float) if kind is float else (int,)
    return isinstance(value, kinds) and not isinstance(value, bool) and 0 < value < sys.float_info.max


def _when_problems(when: Any) -> list[str]:
    if when is None:
        return []
    if not callable(when):
        return [f"when is {shown(when)}; write a question to the agent, as in when=lambda a: a.slots"]
    called = when if inspect.isroutine(when) or isinstance(when, type) else type(when).__call__
    if any(map(inspect.iscoroutinefunction, (when, called))) or any(map(inspect.isasyncgenfunction, (when, called))):
        return ["when is async; it is asked before every request, so let it read the state and wait for nothing"]
    if any(map(inspect.isgeneratorfunction, (when, called))):
        return ["when yields, and a generator always counts as a yes; let it return whether the tool is visible"]
    try:
        inspect.signature(when).bind(None)
    except TypeError:
        return ["when takes one argument, the agent, as in when=lambda a: a.slots"]
    except ValueError:
        return []  # a builtin without a signature
    return []
