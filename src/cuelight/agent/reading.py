"""A class while it is read: the classes it is made of, what the framework reserves, and everything found wrong."""

import inspect
from collections.abc import Iterable
from typing import Any, Generic

import msgspec

from cuelight.agent.annotations import NoSchema, Scope, type_name
from cuelight.agent.tools import options_of, stages_of

__all__ = ["Reading", "no_schema", "shown", "stage_line"]

_LONGEST = 60


class Reading:
    """Hold what the parts of reading a class share.

    Args:
        cls: the class, as its body left it.
    """

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.problems: list[str] = []
        self.line = tuple(
            base for base in reversed(cls.__mro__) if base not in (object, Generic) and not is_framework(base)
        )
        """The classes of authors, the most basic first; a later one overrides an earlier one."""
        declared = [base for base in self.line if "__declaration__" in vars(base)]
        self.fresh = tuple(
            base
            for base in self.line
            if base not in declared and not any(issubclass(known, base) for known in declared)
        )
        """Those that have not been read as part of another class: the class itself, and plain classes it mixes in."""
        self.framework = tuple(base for base in cls.__mro__ if is_framework(base))
        self.reserved = frozenset(
            name
            for base in self.framework
            for name in (*vars(base), *inspect.get_annotations(base))
            if not name.startswith("_")
        )
        """Names that every such class has already."""
        self.own: frozenset[str] = getattr(cls, "__own__", frozenset())
        """The underscore names that are the framework's."""
        self.stage_home: str = getattr(cls, "__stage_home__", "the Literal")
        """Where the stages of such a class are written."""
        self.no_stages: str | None = getattr(cls, "__no_stages__", None)
        """Why such a class can have no stages of its own, and what to write instead; None where it can."""
        self._scopes: dict[type, Scope] = {}

    @property
    def name(self) -> str:
        """The class's name."""
        return self.cls.__name__

    @property
    def kind(self) -> str:
        """What the class is one of, as in "every Agent"."""
        return f"every {self.framework[0].__name__}"

    def of(self, base: type) -> str:
        """Say where something comes from, unless it is the class itself."""
        return "" if base is self.cls else f" of {base.__name__}"

    def refuse(self, *sentences: str) -> None:
        """Note what is wrong."""
        self.problems.extend(sentences)

    def scope(self, base: type) -> Scope:
        """Give the names in sight of a class's annotations."""
        if base not in self._scopes:
            self._scopes[base] = Scope(base)
        return self._scopes[base]

    def stages_named(self) -> list[str]:
        """Name the stages that tools name, each once, in the order they do."""
        stages: dict[str, None] = {}
        for base in self.line:
            for value in vars(base).values():
                options = options_of(value)
                if options is not None:
                    stages.update((stage, None) for stage in stages_of(options) or () if isinstance(stage, str))
        return list(stages)


def is_framework(cls: type) -> bool:
    """Tell whether a class is the framework's own, and no author's."""
    return "__framework__" in vars(cls)


def stage_line(stages: Iterable[str]) -> str:
    """Write the line that declares stages."""
    quoted = [msgspec.json.encode(stage).decode() for stage in stages] or ['"first"', '"second"']
    return f"`stage: Literal[{', '.join(quoted)}] = {quoted[0]}`"


def no_schema(what: str, annotation: Any, error: NoSchema) -> str:
    """Say that a type is none that can be written and read back."""
    reason = f" ({error})" if str(error) else ""
    return (
        f"{what} is of type {type_name(annotation)}, for which no JSON Schema exists{reason}; use a builtin, a "
        "dataclass, a TypedDict, an Enum, a Literal or a pydantic model"
    )


def shown(value: Any) -> str:
    """Write a value of the author's code, shortened where it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
