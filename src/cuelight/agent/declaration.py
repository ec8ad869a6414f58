"""Read a class: its fields, derived fields and tools. Everything wrong with it is found at once, when it is created."""

import functools
import inspect
import sys
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, ClassVar, Literal, get_args, get_origin

from cuelight.errors import AuthorError, DeclarationRefused

from .coders import Coder, NoSchema, type_name
from .fields import NO_DEFAULT, Field, StateOptions
from .tools import MARK, Tool, ToolOptions, build_tool
from .words import nearest

__all__ = ["Declaration", "declare"]

_OWN = "__cuelight_own__"  # a class's own annotations, resolved once where they were written


@dataclass(frozen=True, slots=True)
class Declaration:
    """Hold what a class declares; made once, shared by its instances, never changed."""

    name: str
    fields: Mapping[str, Field]
    derived: Mapping[str, property]
    tools: tuple[Tool, ...]
    stages: tuple[str, ...] | None
    writable: frozenset[str]

    def pii_fields(self) -> frozenset[str]:
        """Name the private fields."""
        return frozenset(name for name, field in self.fields.items() if field.pii)


def declare(cls: type, around: Mapping[str, Any], reserved: frozenset[str]) -> Declaration:
    """Read a class and make its annotated attributes fields.

    Args:
        cls: the class, as its body left it.
        around: the local names in sight where it is defined.
        reserved: names of the framework that no field, tool or property may take.

    Raises:
        DeclarationRefused: with everything that is wrong with the class.
    """
    reader = _Reader(cls, around, reserved)
    declaration = reader.read()
    if reader.problems:
        raise DeclarationRefused(cls.__name__, reader.problems)
    for name, field in declaration.fields.items():
        if cls.__dict__.get(name) is not field and getattr(cls, name, None) is not field:
            setattr(cls, name, field)
    return declaration


class _Reader:
    def __init__(self, cls: type, around: Mapping[str, Any], reserved: frozenset[str]) -> None:
        self.cls = cls
        self.around = around
        self.reserved = reserved
        self.problems: list[str] = []
        # From the most basic class to the class itself, without the framework's own.
        self.line = [c for c in reversed(cls.__mro__) if c is not object and "__framework__" not in c.__dict__]

    def read(self) -> Declaration:
        fields = self._fields()
        derived = self._derived(fields)
        stages = self._stages(fields)
        tools = self._tools(fields, stages)
        self._check_attributes(fields)
        writable = frozenset(
            name for base in self.cls.__mro__ for name, value in vars(base).items()
            if isinstance(value, property) and value.fset is not None
        )  # fmt: skip
        return Declaration(self.cls.__name__, fields, derived, tools, stages, writable)

    # --- fields -------------------------------------------------------------------------------------------------------

    def _fields(self) -> dict[str, Field]:
        fields: dict[str, Field] = {}
        for base in self.line:
            inherited = base.__dict__.get("__declaration__")
            if inherited is not None and base is not self.cls:
                fields.update(inherited.fields)
                continue
            own = self._own_annotations(base)
            for name, annotation in own.items():
                if self._is_field(name, annotation):
                    self._add_field(fields, name, annotation, base.__dict__.get(name, NO_DEFAULT))
            for name in fields.keys() & base.__dict__.keys() - own.keys():
                self._redefine(fields, name, base.__dict__[name])
        return fields

    def _own_annotations(self, base: type) -> dict[str, Any]:
        known = base.__dict__.get(_OWN)
        if known is not None:
            return dict(known)
        resolved: dict[str, Any] = {}
        for name, annotation in inspect.get_annotations(base).items():
            if name.startswith("_"):
                continue
            try:
                resolved[name] = resolve(annotation, base, self.around)
            except Exception as error:  # annotations are the author's code
                self.problems.append(
                    f"field `{name}` has an annotation that cannot be read ({error}); import or define what it names "
                    "where the class is defined, not under TYPE_CHECKING"
                )
        if base is self.cls:
            setattr(base, _OWN, resolved)
        return resolved

    def _is_field(self, name: str, annotation: Any) -> bool:
        if annotation is ClassVar or get_origin(annotation) in (ClassVar, typing.Final) or annotation is typing.Final:
            return False
        if name in self.reserved:
            self.problems.append(
                f"field `{name}` has the name of a member of every agent; give it another name"
                + (f", or write `{name} = ...` without an annotation to set it" if name in _SETTABLE else "")
            )
            return False
        return True

    def _add_field(self, fields: dict[str, Field], name: str, annotation: Any, written: Any) -> None:
        options = written if isinstance(written, StateOptions) else StateOptions(written, False, "tenant", ())
        if name == "stage" and not self._is_stage(annotation):
            self.problems.append(
                f"field `stage` is of type {type_name(annotation)}; a stage is a Literal of its values, "
                'as in `stage: Literal["first", "second"] = "first"`'
            )
            return
        if isinstance(written, property | FunctionType | classmethod | staticmethod):
            self.problems.append(f"field `{name}` is also a method or property of the class; give one another name")
            return
        if options.visibility not in ("tenant", "public"):
            self.problems.append(f"field `{name}`: visibility is {options.visibility!r}; write 'tenant' or 'public'")
        if not (isinstance(options.was, tuple) and all(isinstance(old, str) for old in options.was)):
            self.problems.append(
                f"field `{name}`: was is {options.was!r}; write the old names, as in was=('old_name',)"
            )
        if not isinstance(options.pii, bool):
            self.problems.append(
                f"field `{name}`: pii is {options.pii!r}; a field is private as a whole, write pii=True"
            )
        try:
            coder = Coder(annotation)
        except NoSchema:
            self.problems.append(
                f"field `{name}` is of type {type_name(annotation)}, for which no JSON Schema exists; use a builtin, "
                "a dataclass, a TypedDict, an Enum, a Literal or a pydantic model, or an underscore name"
            )
            return
        self._settle_default(fields, name, annotation, coder, options)

    def _settle_default(
        self, fields: dict[str, Field], name: str, annotation: Any, coder: Coder, options: StateOptions
    ) -> None:
        default = options.default
        if default is NO_DEFAULT:
            if name == "stage":
                default = get_args(annotation)[0]
            elif coder.fault(None) is None:
                default = None
            else:
                self.problems.append(
                    f"field `{name}` has no value to open with; write one, as in "
                    f"`{name}: {type_name(annotation)} = ...`, or let it be None: "
                    f"`{name}: {type_name(annotation)} | None = None`"
                )
                return
        field = Field(name, annotation, coder, options, b"null")
        if name == "stage":
            field.stages = get_args(annotation)
        try:
            field.check(self.cls.__name__, default, None)
            field.default = field.encode(self.cls.__name__, default, None)
        except AuthorError as error:
            self.problems.append(f"field `{name}` opens with {default!r}, which does not fit: {error}")
            return
        fields[name] = field

    def _redefine(self, fields: dict[str, Field], name: str, written: Any) -> None:
        """Take a new opening value for an inherited field."""
        old = fields[name]
        if written is old:
            return
        options = (
            written if isinstance(written, StateOptions) else StateOptions(written, old.pii, old.visibility, old.was)
        )
        self._add_field(fields, name, old.annotation, options)

    @staticmethod
    def _is_stage(annotation: Any) -> bool:
        return get_origin(annotation) is Literal and all(isinstance(value, str) for value in get_args(annotation))

    def _stages(self, fields: Mapping[str, Field]) -> tuple[str, ...] | None:
        field = fields.get("stage")
        return None if field is None else field.stages

    # --- derived fields -----------------------------------------------------------------------------------------------

    def _derived(self, fields: Mapping[str, Field]) -> dict[str, property]:
        derived: dict[str, property] = {}
        for base in self.line:
            for name, value in base.__dict__.items():
                if name.startswith("_"):
                    continue
                if isinstance(value, functools.cached_property):
                    self.problems.append(
                        f"`{name}` is a cached_property, which would keep what the state once was; write a property"
                    )
                elif isinstance(value, property):
                    if name in self.reserved:
                        self.problems.append(f"property `{name}` has the name of a member of every agent; rename it")
                    elif name in fields:
                        self.problems.append(f"property `{name}` is also a field; give one another name")
                    else:
                        derived[name] = value
                else:
                    derived.pop(name, None)
        return derived

    # --- tools --------------------------------------------------------------------------------------------------------

    def _tools(self, fields: Mapping[str, Field], stages: tuple[str, ...] | None) -> tuple[Tool, ...]:
        marked: dict[str, tuple[Any, ToolOptions]] = {}
        for base in self.line:
            for name, value in base.__dict__.items():
                options = getattr(getattr(value, "__func__", value), MARK, None)
                if options is not None:
                    marked[name] = (value, options)
                elif name in marked:
                    self.problems.append(
                        f"`{name}` takes the place of an inherited tool but is none; decorate it with @tool, or "
                        "rename it"
                    )
                    del marked[name]
        tools = []
        for name, (function, options) in marked.items():
            if name in self.reserved or name in fields:
                self.problems.append(
                    f"tool `{name}` has the name of a member of the agent; give the method another name"
                )
                continue
            built = build_tool(name, function, options, self._resolver(function), self.problems)
            if built is not None:
                self._check_stages(built, stages)
                tools.append(built)
        self._check_names(tools)
        return tuple(tools)

    def _resolver(self, function: Any) -> Callable[[Any], Any]:
        return lambda annotation: resolve(annotation, self.cls, self.around, getattr(function, "__globals__", None))

    def _check_stages(self, built: Tool, stages: tuple[str, ...] | None) -> None:
        if built.stages is None:
            return
        label = f"tool `{built.method}`"
        if not built.stages:
            self.problems.append(f"{label}: stage names none, so it could never be visible; name one, or leave it out")
        elif stages is None:
            values = ", ".join(repr(stage) for stage in built.stages)
            first = repr(built.stages[0])
            self.problems.append(
                f"{label} is for stage {values}, but {self.cls.__name__} has no stage; add "
                f"`stage: Literal[{values}, ...] = {first}` to the class (with all its stages), or ask when= instead"
            )
        else:
            for stage in built.stages:
                if stage not in stages:
                    held = ", ".join(map(repr, stages))
                    hint = nearest(stage, stages) if isinstance(stage, str) else ""
                    self.problems.append(
                        f"{label} is for stage {stage!r}, which the stages of {self.cls.__name__} ({held}) do not "
                        f"hold; add it to the Literal, or correct the tool{hint}"
                    )

    def _check_names(self, tools: list[Tool]) -> None:
        for index, one in enumerate(tools):
            for other in tools[:index]:
                if one.name != other.name:
                    continue
                if one.stages is None or other.stages is None or set(one.stages) & set(other.stages):
                    self.problems.append(
                        f"tools `{other.method}` and `{one.method}` are both called `{one.name}` and can be visible "
                        "together; give one another name with @tool(name=...), or put them in different stages"
                    )

    # --- everything else ----------------------------------------------------------------------------------------------

    def _check_attributes(self, fields: Mapping[str, Field]) -> None:
        for name, value in self.cls.__dict__.items():
            if name.startswith("_") or name in fields or name in inspect.get_annotations(self.cls):
                continue
            if name in self.reserved:
                continue
            if isinstance(value, StateOptions):
                self.problems.append(
                    f"field `{name}` has no annotation; write its type, as in `{name}: str = state(...)`"
                )
            elif type(value).__hash__ is None:
                self.problems.append(
                    f"`{name}` is a class attribute that all calls would share, and it can change; annotate it "
                    f"(`{name}: {type(value).__name__} = ...`) to make it state, each call with its own copy"
                )


_SETTABLE = frozenset({"limits", "model", "rules", "knowledge", "fallback_line"})


def resolve(annotation: Any, cls: type, around: Mapping[str, Any], names: Mapping[str, Any] | None = None) -> Any:
    """Turn an annotation that may be text into a type, as seen from a class's body.

    Raises:
        NameError: when it names something that is not there.
    """
    module = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    holder = type("_", (), {"__annotations__": {"it": annotation}, "__module__": cls.__module__})
    scope = {**vars(typing), **module, **(names or {})} if isinstance(annotation, str) and not module else None
    local = {**(names or {}), **around}
    return typing.get_type_hints(holder, globalns=scope, localns=local, include_extras=True)["it"]
