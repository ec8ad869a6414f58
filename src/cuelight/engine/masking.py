"""What declarations make private in a tool's result and in a route: where it stands, and the values that it is."""

from collections.abc import Iterable, Mapping
from typing import Any

from cuelight.agent import Tool
from cuelight.log import MASK, leaves

__all__ = ["mask_fields", "mask_result"]


def mask_result(tool: Tool, output: Any) -> tuple[Any, list[str]]:
    """Mask what a tool's `pii` names in what it gave, as plain JSON; gives that and the values that are private."""
    private: list[str] = []
    shown = output
    for path in tool.pii_results:
        if path is not None:
            shown = _masked(shown, path, private)
    return shown, private


def mask_fields(values: Mapping[str, Any], names: Iterable[str]) -> tuple[dict[str, Any], list[str]]:
    """Mask the fields of these names, where they hold anything; gives the fields and the values that are private."""
    private = {name: values[name] for name in names if values.get(name) is not None}
    return {**values, **dict.fromkeys(private, MASK)}, [leaf for value in private.values() for leaf in leaves(value)]


def _masked(value: Any, path: tuple[str, ...], private: list[str]) -> Any:
    """Mask what a path leads to, through lists to each of their items, and gather what it was."""
    if value is None:
        return None
    if not path:
        private.extend(leaves(value))
        return MASK
    if isinstance(value, list):
        return [_masked(item, path, private) for item in value]
    if isinstance(value, Mapping) and path[0] in value:
        return {**value, path[0]: _masked(value[path[0]], path[1:], private)}
    return value
