"""Tools: what `@tool` says, and a tool as a class declares it."""

import inspect
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, overload

from msgspec import UNSET

from cuelight.agent.arguments import Arguments
from cuelight.agent.confirming import Confirm
from cuelight.errors import DeclarationRefused
from cuelight.wire import ToolSpec

__all__ = ["RESULT", "Effect", "Tool", "ToolOptions", "named", "options_of", "result_path", "stages_of", "tool"]

F = TypeVar("F", bound=Callable[..., Any])
Effect = Literal["read", "write", "irreversible"]

RESULT = "result"
"""What `pii` calls the value that a tool returns."""

_MARK = "__cuelight_tool__"


@dataclass(frozen=True, slots=True, eq=False)
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
    replaced: Any = None
    """A method marked before in the same class body, whose name this one takes away."""


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(
    *,
    name: str | None = ...,
    stage: str | type | Collection[str | type] | None = ...,
    when: Callable[[Any], object] | None = ...,
    pii: str | Collection[str] = ...,
    effect: Effect = ...,
    timeout: float | None = ...,
    preview: int | None = ...,
    confirm: str | Callable[..., str] | None = ...,
) -> Callable[[F], F]: ...
def tool(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    stage: str | type | Collection[str | type] | None = None,
    when: Callable[[Any], object] | None = None,
    pii: str | Collection[str] = (),
    effect: Effect = "write",
    timeout: float | None = None,
    preview: int | None = None,
    confirm: str | Callable[..., str] | None = None,
) -> Any:
    """Make a method one that the model may call.

    The signature gives the tool's JSON Schema, the docstring its description; an `Args:` section describes parameters.
    `stage` and `when` both hold, or the tool is hidden: then it is not offered, and a call to it does not run. What is
    wrong with a declaration is refused when the class is created.

    Args:
        function: the method, where `@tool` stands without brackets.
        name: what the model calls it, where that is not the method's name.
        stage: the stage, or stages, in which it is visible, in a flow a Step class or its name; None is every stage.
        when: a question asked of the agent before each request to the model; the tool is visible while it says yes.
        pii: parameters that are private, and parts of the result: "result", or a path in it as in "result.phone".
        effect: "read" changes nothing anywhere, so it may be run again; "write" is the default; "irreversible" cannot
            be taken back.
        timeout: seconds it may take; None is the class's `Limits.tool_s`.
        preview: how many rows of a list that it returns the model reads; the log keeps all.
        confirm: what the caller is asked, and must say yes to, before it runs: a template over the arguments and the
            state, as in "Shall I book {slot}?", or a function that is given the instance and the arguments and returns
            the phrase.

    Raises:
        DeclarationRefused: when it stands above something that cannot be marked, such as a property.
    """
    options = ToolOptions(
        name=name, stage=stage, when=when, pii=pii, effect=effect, timeout=timeout, preview=preview, confirm=confirm
    )
    around = sys._getframe(1).f_locals
    body = around if "__qualname__" in around else {}  # only the body of a class has that name

    def mark(marked: Any) -> Any:
        before = body.get(getattr(marked, "__name__", ""))
        try:
            setattr(marked, _MARK, options if options_of(before) is None else replace(options, replaced=before))
        except AttributeError:
            raise DeclarationRefused("@tool", [_unmarkable(marked)]) from None
        return marked

    return mark if function is None else mark(function)


def _unmarkable(marked: Any) -> str:
    if isinstance(marked, str):
        return f"it was given {marked!r}; give a tool another name with @tool(name={marked!r})"
    return f"it stands above a {type(marked).__name__}; write it above a method"


def options_of(value: Any) -> ToolOptions | None:
    """Give what `@tool` said of an attribute of a class, also where something was wrapped around the method."""
    for inner in (value, *(getattr(value, name, None) for name in ("__func__", "fget", "func"))):
        options = getattr(inner, _MARK, None)
        if isinstance(options, ToolOptions):
            return options
    return None


class Tool:
    """Hold one tool of a class: immutable, shared by all its calls.

    Args:
        method: the attribute's name in the class.
        function: the method.
        options: what `@tool` was told, checked.
        arguments: what it takes.
        description: what its docstring says.
        none_is_null: whether None is one of its results, not the absence of one.
    """

    __slots__ = (
        "arguments",
        "confirm",
        "effect",
        "function",
        "is_async",
        "method",
        "name",
        "none_is_null",
        "options",
        "pii_arguments",
        "pii_results",
        "preview",
        "spec",
        "stages",
        "timeout_s",
        "when",
    )

    def __init__(
        self,
        method: str,
        function: Callable[..., Any],
        options: ToolOptions,
        arguments: Arguments,
        *,
        description: str,
        none_is_null: bool,
    ) -> None:
        self.method = method
        self.function = function
        self.options = options
        self.arguments = arguments
        self.none_is_null = none_is_null
        self.name: str = options.name or method
        self.is_async = inspect.iscoroutinefunction(function)
        self.stages: tuple[str, ...] | None = stages_of(options)
        self.when: Callable[[Any], object] | None = options.when
        self.effect: Effect = options.effect
        self.confirm = None if options.confirm is None else Confirm(options.confirm)
        self.timeout_s: float | None = options.timeout
        self.preview: int | None = options.preview
        pii = named(options.pii) or ()
        self.pii_arguments = tuple(name for name in pii if result_path(name) is None)
        self.pii_results = tuple(path for name in pii if (path := result_path(name)) is not None)
        self.spec = ToolSpec(
            name=self.name,
            description=description,
            parameters=arguments.schema,
            side_effect=self.effect,
            confirm=UNSET if self.confirm is None else self.confirm.text,
            pii=list(pii) or UNSET,
            timeout_s=UNSET if self.timeout_s is None else float(self.timeout_s),
        )

    def __repr__(self) -> str:
        return f"<tool {self.name}>"

    def shown_in(self, stage: str | None) -> bool:
        """Tell whether a stage shows the tool, whatever its `when` says."""
        return self.stages is None or stage in self.stages


def named(given: Any) -> tuple[Any, ...] | None:
    """Give one name, or several, as a tuple; names that have no order get one."""
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Collection):
        return (given,)
    return tuple(sorted(given, key=str) if isinstance(given, set | frozenset) else given)


def stages_of(options: ToolOptions) -> tuple[Any, ...] | None:
    """Give the stages that a tool names: a Step class by its name, anything else as it is; None is every stage."""
    stages = named(options.stage)
    return None if stages is None else tuple(getattr(stage, "__stage__", stage) for stage in stages)


def result_path(name: str) -> tuple[str, ...] | None:
    """Give the path in a result that a pii name means, or None when it means a parameter."""
    head, *rest = name.split(".")
    return tuple(rest) if head == RESULT else None
