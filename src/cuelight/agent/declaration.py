"""Read a class: its fields, derived fields and tools. Everything wrong with it is found at once, when it is created."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from cuelight.agent.cells import Opening
from cuelight.agent.declared_fields import read_derived, read_fields
from cuelight.agent.declared_names import check_names
from cuelight.agent.declared_tools import read_tools
from cuelight.agent.fields import Field
from cuelight.agent.gate import Gate
from cuelight.agent.reading import Reading
from cuelight.agent.tools import Tool
from cuelight.errors import DeclarationRefused
from cuelight.log import leaves

if TYPE_CHECKING:
    from cuelight.agent.stateful import Stateful

__all__ = ["Declaration", "declare"]


@dataclass(frozen=True, slots=True)
class Declaration:
    """Hold what a class declares; made once, shared by its instances, never changed."""

    name: str
    fields: Mapping[str, Field]
    kept: Mapping[str, Field]
    """What the framework itself keeps beside the fields, under underscore names."""
    derived: Mapping[str, property]
    tools: tuple[Tool, ...]
    stages: tuple[str, ...] | None
    gates: Mapping[str | None, Gate]
    """The gates of the stages in which no `when` is asked, None where there are no stages."""
    opening: Opening
    """What its instances open with."""
    writable: frozenset[str]
    """The public names that an instance may be given values for."""
    private: Mapping[str, frozenset[str]]
    """The fields that are private, each with the words and numbers of its default, which are in the author's code."""


def declare(cls: "type[Stateful]") -> Declaration:
    """Read a class and make its annotated attributes fields.

    Args:
        cls: the class, as its body left it.

    Raises:
        DeclarationRefused: with everything that is wrong with the class.
    """
    reading = Reading(cls)
    given = cls.__given__(reading)
    kept = {name: field for name, field in given.items() if name.startswith("_")}
    own = {name: field for name, field in given.items() if name not in kept}
    fields = {**own, **read_fields(reading), **own}
    derived = read_derived(reading, fields)
    stages = fields["stage"].stages if "stage" in fields else None
    tools = read_tools(reading, fields, stages)
    check_names(reading, fields)
    cls.__vet__(reading, fields, tools)
    if reading.problems:
        raise DeclarationRefused(cls.__name__, reading.problems)
    for name, field in {**fields, **kept}.items():
        if getattr(cls, name, None) is not field:
            setattr(cls, name, field)
    return Declaration(
        name=cls.__name__,
        fields=fields,
        kept=kept,
        derived=derived,
        tools=tools,
        stages=stages,
        gates=_gates(tools, stages),
        opening=Opening({**fields, **kept}),
        writable=frozenset((*fields, *derived)),
        private={
            name: frozenset(leaves(msgspec.json.decode(field.default))) for name, field in fields.items() if field.pii
        },
    )


def _gates(tools: Sequence[Tool], stages: tuple[str, ...] | None) -> dict[str | None, Gate]:
    gates = {}
    for stage in (None,) if stages is None else stages:
        shown = tuple(tool for tool in tools if tool.shown_in(stage))
        if all(tool.when is None for tool in shown):
            gates[stage] = Gate(shown)
    return gates
