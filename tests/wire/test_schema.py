"""The JSON Schema describes the whole wire."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import saturated
from cuelight import wire

SCHEMA = wire.json_schema()
DEFINITIONS = SCHEMA["$defs"]


def references(schema: Any) -> Iterator[str]:
    """Give every reference in a schema."""
    if isinstance(schema, dict):
        yield from (value for key, value in schema.items() if key == "$ref")
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from references(inner)


def branches(frame: str) -> dict[str, str]:
    """Give the definition that the data of each type refers to."""
    return {
        branch["if"]["properties"]["type"]["const"]: branch["then"]["properties"]["data"]["$ref"]
        for branch in DEFINITIONS[frame]["allOf"]
    }


def test_it_is_json_and_refers_to_itself_alone() -> None:
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert {reference.removeprefix("#/$defs/") for reference in references(SCHEMA)} <= DEFINITIONS.keys()


def test_every_type_is_in_it() -> None:
    assert branches("Entry") == {type_: f"#/$defs/{shape.__name__}" for type_, shape in wire.ENTRY_TYPES.items()}
    assert branches("Command") == {type_: f"#/$defs/{shape.__name__}" for type_, shape in wire.COMMAND_TYPES.items()}
    assert {branch["$ref"] for branch in SCHEMA["anyOf"]} == {"#/$defs/Entry", "#/$defs/Command", "#/$defs/State"}


@pytest.mark.parametrize("frame", ["Entry", "Command"])
def test_a_frame_lists_its_fields(frame: str) -> None:
    fields = {field if field != "body" else "data" for field in getattr(wire, frame).__struct_fields__}
    assert DEFINITIONS[frame]["properties"].keys() == fields
    assert fields - set(DEFINITIONS[frame]["required"]) == ({"id"} if frame == "Command" else set())


def test_shapes_have_the_names_of_the_wire_and_say_what_may_be_absent() -> None:
    for type_, examples in saturated.ENTRIES.items():
        definition = DEFINITIONS[wire.ENTRY_TYPES[type_].__name__]
        for example in examples:
            assert example.keys() <= definition["properties"].keys()
    assert DEFINITIONS["CallDial"]["required"] == ["to"]
    assert "from" in DEFINITIONS["CallDial"]["properties"]
    assert DEFINITIONS["State"]["properties"].keys() == saturated.STATE.keys()


def test_enumerations_list_what_is_known_and_take_any_string() -> None:
    channel = DEFINITIONS["Channel"]
    assert channel["type"] == "string"
    assert {"enum": ["phone", "web", "whatsapp", "terminal", "api"]} in channel["anyOf"]
    assert {"type": "string"} in channel["anyOf"]
    assert DEFINITIONS["CallStarted"]["properties"]["channel"]["anyOf"] == channel["anyOf"]
    assert DEFINITIONS["Projection"]["anyOf"][0]["enum"] == ["public", "tenant"]


def test_each_definition_says_what_it_is() -> None:
    nameless = [name for name, one in DEFINITIONS.items() if one.get("type") == "object" and not one.get("description")]
    assert nameless == []
