"""The whole wire as one JSON Schema."""

from collections.abc import Mapping
from typing import Any

import msgspec

from cuelight.wire import shapes, values
from cuelight.wire.damage import Damage
from cuelight.wire.registry import COMMAND_TYPES, ENTRY_TYPES, EPHEMERAL_TYPES
from cuelight.wire.state import State

__all__ = ["json_schema"]

_REF = "#/$defs/{name}"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the wire.

    A document is valid when it is an entry, a command or a State. `$defs` holds these three, every shape by its name,
    and every enumeration, whose values are those known so far: any other string is valid too. An entry or command of a
    type that is not listed is valid whatever its data.
    """
    listed = [shape for name in shapes.__all__ if isinstance(shape := getattr(shapes, name), type)]
    types: list[type] = [*ENTRY_TYPES.values(), *COMMAND_TYPES.values(), *listed, State, Damage]
    _, definitions = msgspec.json.schema_components(types, ref_template=_REF)
    definitions |= {name: msgspec.json.schema(getattr(values, name)) for name in values.__all__ if name != "known"}
    definitions["Entry"] = _frame(
        "One line of a call's log.",
        {
            "seq": {"type": "integer"},
            "ts": {"type": "number", "description": "Unix seconds."},
            "call": {"type": ["string", "null"]},
            "agent": {"type": "string"},
            "type": {"type": "string"},
            "ephemeral": {"type": "boolean", "description": f"True for {', '.join(sorted(EPHEMERAL_TYPES))}."},
            "data": {"type": "object"},
        },
        ENTRY_TYPES,
        optional=(),
    )
    definitions["Command"] = _frame(
        "One instruction to a live call.",
        {
            "type": {"enum": sorted(COMMAND_TYPES)},
            "agent": {"type": "string"},
            "call": {"type": ["string", "null"]},
            "id": {"type": "string"},
            "data": {"type": "object"},
        },
        COMMAND_TYPES,
        optional=("id",),
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The wire of Cuelight",
        "anyOf": [{"$ref": _REF.format(name=name)} for name in ("Entry", "Command", "State")],
        "$defs": dict(sorted(definitions.items())),
    }


def _frame(
    description: str,
    properties: dict[str, Any],
    types: Mapping[str, type[shapes.Shape]],
    *,
    optional: tuple[str, ...],
) -> dict[str, Any]:
    """Describe a frame whose data has the shape that its type says."""
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "allOf": [
            {
                "if": {"properties": {"type": {"const": type_}}, "required": ["type"]},
                "then": {"properties": {"data": {"$ref": _REF.format(name=shape.__name__)}}},
            }
            for type_, shape in types.items()
        ],
    }
