"""JSON Schemas: made lean for the model, and asked what they say of a value."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

__all__ = ["clean_schema", "close_objects", "has_sets", "is_array", "is_open", "property_names", "reaches", "sort_sets"]

Schema = Mapping[str, Any]

_NAMED = ("properties", "$defs")
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
_DATA = ("default", "const", "examples", "enum", "required", "discriminator")
_encode = msgspec.json.Encoder().encode


def clean_schema(schema: Schema) -> dict[str, Any]:
    """Drop the titles that pydantic invents: the model pays for each token and learns nothing from them."""
    cleaned: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if key in _NAMED:
            cleaned[key] = {name: clean_schema(inner) for name, inner in value.items()}
        elif isinstance(value, dict) and key not in _DATA:
            cleaned[key] = clean_schema(value)
        elif isinstance(value, list) and key in _LISTED:
            cleaned[key] = [clean_schema(inner) if isinstance(inner, dict) else inner for inner in value]
        else:
            cleaned[key] = value
    return cleaned


def _parts(schema: Schema) -> Iterator[Schema]:
    """Walk a schema and all the schemas in it."""
    yield schema
    for key, value in schema.items():
        if key in _NAMED:
            for inner in value.values():
                yield from _parts(inner)
        elif isinstance(value, dict) and key not in _DATA:
            yield from _parts(value)
        elif isinstance(value, list) and key in _LISTED:
            for inner in value:
                if isinstance(inner, dict):
                    yield from _parts(inner)


def property_names(schema: Schema) -> frozenset[str]:
    """Name every property that a schema declares, at any depth."""
    return frozenset(name for part in _parts(schema) for name in part.get("properties", ()))


def is_open(schema: Schema) -> bool:
    """Tell whether some object of a schema takes properties beside those it declares, because its class says so."""
    return any("properties" in part and part.get("additionalProperties", False) is not False for part in _parts(schema))


def close_objects(schema: dict[str, Any]) -> None:
    """Say of every object that it takes no properties beside those it declares, in place."""
    for part in _parts(schema):
        if "properties" in part and isinstance(part, dict):
            part.setdefault("additionalProperties", False)


def has_sets(schema: Schema) -> bool:
    """Tell whether a schema describes sets anywhere."""
    return any(part.get("uniqueItems") is True for part in _parts(schema))


def _options(schema: Schema, root: Schema) -> Iterator[Schema]:
    """Give the schemas that a value may fit, references and choices followed."""
    if "$ref" in schema:
        yield from _options(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)
        return
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            for option in schema[key]:
                yield from _options(option, root)
            return
    yield schema


def is_array(schema: Schema) -> bool:
    """Tell whether a schema admits an array, or leaves open what it admits."""
    return any(option.get("type", "array") == "array" for option in _options(schema, schema))


def reaches(schema: Schema, path: tuple[str, ...]) -> bool:
    """Tell whether a path leads somewhere in what a schema describes, through arrays to each of their items.

    What a schema leaves open leads anywhere.
    """
    return _reaches(schema, schema, path)


def _reaches(schema: Schema, root: Schema, path: tuple[str, ...]) -> bool:
    for option in _options(schema, root):
        kind = option.get("type")
        if not path or kind is None:
            return True
        if kind == "array":
            items = option.get("items", {})
            if not isinstance(items, dict) or _reaches(items, root, path):
                return True
        elif kind == "object":
            declared = option.get("properties", {})
            if path[0] not in declared:
                if option.get("additionalProperties", not declared):
                    return True
            elif _reaches(declared[path[0]], root, path[1:]):
                return True
    return False


def sort_sets(value: Any, schema: Schema, root: Schema) -> Any:
    """Put the items of sets in an order that is always the same, as they have none of their own.

    Args:
        value: plain JSON values.
        schema: of the value.
        root: what the references of the schema lead into.
    """
    if isinstance(value, list):
        options = [option for option in _options(schema, root) if option.get("type") == "array"]
        if len(options) != 1:
            return value  # a list or a set, and nothing says which: its order may mean something
        each, first = options[0].get("items"), options[0].get("prefixItems", ())
        items = [_sorted(item, first[at] if at < len(first) else each, root) for at, item in enumerate(value)]
        return sorted(items, key=_encode) if options[0].get("uniqueItems") is True else items
    if isinstance(value, dict):
        options = [option for option in _options(schema, root) if option.get("type") == "object"]
        if len(options) != 1:
            return value
        declared, other = options[0].get("properties", {}), options[0].get("additionalProperties")
        return {key: _sorted(item, declared.get(key, other), root) for key, item in value.items()}
    return value


def _sorted(value: Any, schema: Any, root: Schema) -> Any:
    return sort_sets(value, schema, root) if isinstance(schema, dict) else value
