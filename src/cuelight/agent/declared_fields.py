"""Read the fields that a class declares, and the properties that are fields too."""

import enum
import functools
import inspect
import types
from collections.abc import Mapping
from typing import Any, ClassVar, Final, get_origin

from cuelight.agent.annotations import NoSchema, literal_values, type_name
from cuelight.agent.coders import Misfit, coder_of
from cuelight.agent.fields import NO_DEFAULT, Field, StateOptions
from cuelight.agent.reading import Reading, no_schema, shown, stage_line
from cuelight.agent.tools import options_of

__all__ = ["read_derived", "read_fields"]

_NO_VALUE = (property, functools.cached_property, types.FunctionType, classmethod, staticmethod)


def read_fields(reading: Reading) -> dict[str, Field]:
    """Give the fields of a class by name, inherited ones first."""
    fields: dict[str, Field] = {}
    for base in reading.line:
        if base in reading.fresh:
            _Reader(reading, base, fields).read()
        elif "__declaration__" in vars(base):
            own = vars(base)
            fields.update(
                (name, own[name]) for name in own["__declaration__"].fields if isinstance(own.get(name), Field)
            )
    _check_old_names(reading, fields)
    return fields


class _Reader:
    """Read the fields of one class of the line into those of the classes before it."""

    def __init__(self, reading: Reading, base: type, fields: dict[str, Field]) -> None:
        self._reading = reading
        self._base = base
        self._fields = fields
        self._refuse = reading.refuse

    def read(self) -> None:
        annotated = inspect.get_annotations(self._base)
        for name, annotation in annotated.items():
            if not name.startswith("_"):
                self._read_annotated(name, annotation)
        for name, value in vars(self._base).items():
            if name in self._fields and name not in annotated and not isinstance(value, Field):
                self._redefine(name, value)

    def _read_annotated(self, name: str, annotation: Any) -> None:
        try:
            resolved = self._reading.scope(self._base).resolve(annotation)
        except Exception as error:  # annotations are the author's code
            self._refuse(
                f"field `{name}`: its annotation cannot be read ({error}); define or import what it names before the "
                "class, not only under TYPE_CHECKING"
            )
            return
        if (get_origin(resolved) or resolved) in (ClassVar, Final):
            if name in self._fields:
                self._refuse(f"`{name}` is a field that {self._reading.name} inherits, so it cannot be a constant")
            return
        written = vars(self._base).get(name, NO_DEFAULT)
        if isinstance(written, types.MemberDescriptorType):
            written = NO_DEFAULT  # a slot; the field takes its place
        if name in self._reading.reserved:
            self._refuse(self._reserved(name))
        elif isinstance(written, _NO_VALUE):
            kind = "a property" if isinstance(written, property | functools.cached_property) else "a method"
            self._refuse(f"field `{name}` is {kind} too; give one of them another name")
        elif name == "stage" and not _are_stages(resolved):
            self._refuse(self._no_stages(resolved))
        else:
            options = written if isinstance(written, StateOptions) else StateOptions(written)
            self._add(name, resolved, options, None)

    def _reserved(self, name: str) -> str:
        if name in getattr(self._reading.cls, "__settings__", ()):
            return f"field `{name}` has the name of a setting; to set that, leave out the annotation: `{name} = ...`"
        return f"field `{name}` has the name of a member of {self._reading.kind}; give it another name"

    def _no_stages(self, annotation: Any) -> str:
        stages = self._reading.stages_named()
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum) and not stages:
            stages = [member.value for member in annotation if isinstance(member.value, str)]
        kind = type_name(annotation)
        return f"field `stage` is of type {kind}; a stage is a Literal of its values, as in {stage_line(stages)}"

    def _redefine(self, name: str, written: Any) -> None:
        """Take a new opening value for an inherited field."""
        old = self._fields[name]
        if isinstance(written, _NO_VALUE):
            self._refuse(
                f"`{name}` is a field that {self._reading.name} inherits, so it cannot be a method or property; "
                "give that another name"
            )
            return
        given = (
            written if isinstance(written, StateOptions) else StateOptions(written, old.pii, old.visibility, old.was)
        )
        self._add(name, old.annotation, given, old)

    def _add(self, name: str, annotation: Any, options: StateOptions, old: Field | None) -> None:
        problems = [f"field `{name}`: {problem}" for problem in _option_problems(name, options)]
        self._refuse(*problems)
        try:
            coder = old.coder if old is not None else coder_of(annotation)
        except NoSchema as error:
            self._refuse(f"{no_schema(f'field `{name}`', annotation, error)}, or call it `_{name}` if it is no state")
            return
        if problems:
            return
        field = Field(name, annotation, coder, options)
        if options.default is NO_DEFAULT and old is not None:
            field.default = old.default
        elif not self._open(field, options.default):
            return
        self._fields[name] = field

    def _open(self, field: Field, default: Any) -> bool:
        """Give a field the value it opens with; tells whether it has one."""
        name, kind = field.name, type_name(field.annotation)
        if default is NO_DEFAULT:
            default = field.stages[0] if field.stages else None
            if field.stages is None and not _admits(field, None):
                if self._opened_later(name):
                    return True  # with what is read there
                self._refuse(
                    f"field `{name}` has no value to open with; write one, `{name}: {kind} = ...`, or let it be None, "
                    f"`{name}: {kind} | None = None`"
                )
                return False
        if field.stages is not None and default not in field.stages:
            stages = ", ".join(map(repr, field.stages))
            self._refuse(f"field `stage` opens with {shown(default)}, which is none of its stages: {stages}")
            return False
        try:
            field.default, _ = field.coder.admit(default)
        except Misfit as misfit:
            hint = ""
            if isinstance(default, type | types.FunctionType):
                hint = "; write the value itself, which is copied for each call"
            self._refuse(f"field `{name}` opens with {shown(default)}, which does not fit {kind}: {misfit}{hint}")
            return False
        return True

    def _opened_later(self, name: str) -> bool:
        """Tell whether a later class of the line declares a field again or gives it a value to open with."""
        line = self._reading.line
        for base in line[line.index(self._base) + 1 :]:
            value = vars(base).get(name, NO_DEFAULT)
            given = value.default if isinstance(value, StateOptions) else value
            if given is not NO_DEFAULT or name in inspect.get_annotations(base):
                return True
        return False


def _admits(field: Field, value: Any) -> bool:
    try:
        field.coder.admit(value)
    except Misfit:
        return False
    return True


def _are_stages(annotation: Any) -> bool:
    values = literal_values(annotation)
    return values is not None and all(isinstance(value, str) for value in values)


def _option_problems(name: str, options: StateOptions) -> list[str]:
    problems = []
    if options.visibility not in ("tenant", "public"):
        problems.append(f"visibility is {shown(options.visibility)}; write 'tenant' or 'public'")
    if not isinstance(options.pii, bool):
        problems.append(f"pii is {shown(options.pii)}; a field is private as a whole, so write True or False")
    elif options.pii and options.visibility == "public":
        problems.append("it is both private and public; write pii=True or visibility='public'")
    elif options.pii and name == "stage":
        problems.append("the stage decides what may run and is shown everywhere; leave out pii")
    if not (isinstance(options.was, tuple) and all(isinstance(old, str) for old in options.was)):
        problems.append(f"was is {shown(options.was)}; write the old names, as in was=('old_name',)")
    return problems


def _check_old_names(reading: Reading, fields: Mapping[str, Field]) -> None:
    taken: dict[str, str] = {}
    for name, field in fields.items():
        for old in field.was:
            if old in fields:
                reading.refuse(f"field `{name}`: was names `{old}`, which is a field still; a renamed one is gone")
            elif old in taken:
                reading.refuse(
                    f"field `{name}`: was names `{old}`, which field `{taken[old]}` was too; only one can be"
                )
            taken[old] = name


# --- derived fields ---------------------------------------------------------------------------------------------------


def read_derived(reading: Reading, fields: Mapping[str, Field]) -> dict[str, property]:
    """Give the public properties of a class by name: what they say is state too."""
    derived: dict[str, property] = {}
    for base in reading.line:
        for name, value in vars(base).items():
            if name.startswith("_"):
                continue
            if isinstance(value, property):
                derived[name] = value
            else:
                derived.pop(name, None)
            if base not in reading.fresh:
                continue
            if isinstance(value, functools.cached_property):
                reading.refuse(f"`{name}` is a cached_property, which keeps what the state once was; write @property")
            elif isinstance(value, property) and options_of(value) is not None:
                reading.refuse(f"`{name}` is both a property and a tool; leave out one of the two")
            elif isinstance(value, property) and inspect.iscoroutinefunction(value.fget):
                reading.refuse(
                    f"property `{name}` is async; it is read whenever the state is, so let it wait for nothing"
                )
            elif isinstance(value, property) and name not in reading.reserved:
                _check_derived(reading, base, name, value)
    return {name: value for name, value in derived.items() if name not in fields and name not in reading.reserved}


def _check_derived(reading: Reading, base: type, name: str, value: property) -> None:
    """Refuse a property that says to give what is no state, such as a service; one that says nothing is read anyhow."""
    annotation = getattr(value.fget, "__annotations__", {}).get("return")
    if annotation is None:
        return
    try:
        resolved = reading.scope(base).resolve(annotation, value.fget)
    except Exception:  # it only informs, so what it names may be imported for checkers alone
        return
    try:
        coder_of(resolved)
    except NoSchema as error:
        said = no_schema(f"property `{name}`", resolved, error)
        reading.refuse(f"{said}, or call it `_{name}`, or make it a method, if it is no state")
