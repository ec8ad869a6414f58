"""A golden as YAML that people like to read: short things on one line, longer texts as they are."""

import re
from typing import Any

import yaml

__all__ = ["as_yaml"]

_WIDTH = 120
_NARROW = 96  # what an object on one line may take, its indent not counted
_INLINE = frozenset({"args", "confirm", "data", "never_without_yes", "reply", "result", "route", "tools"})
_TAG = "tag:yaml.org,2002:"


class _Inline(dict[str, Any]):
    """Be an object that stands on one line."""


class _InlineList(list[Any]):
    """Be a list that stands on one line."""


class _Dumper(yaml.SafeDumper):
    """Write what every reader of YAML takes for the same."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything where it is."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the items of a list under its name."""
        return super().increase_indent(flow, False)


_Dumper.add_representer(
    _Inline, lambda dumper, data: dumper.represent_mapping(f"{_TAG}map", data.items(), flow_style=True)
)
_Dumper.add_representer(
    _InlineList, lambda dumper, data: dumper.represent_sequence(f"{_TAG}seq", data, flow_style=True)
)
_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(f"{_TAG}str", text, style="|" if _has_lines(text) else None),
)
# Readers of later versions take these for numbers; texts that look like one are quoted.
_Dumper.add_implicit_resolver(
    f"{_TAG}float", re.compile(r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$"), list("-0123456789")
)


def as_yaml(golden: dict[str, Any], head: str) -> str:
    """Write a golden.

    Args:
        golden: plain JSON.
        head: what is said of it in a comment at its head.
    """
    comment = "".join(f"# {line}".rstrip() + "\n" for line in head.splitlines())
    body = yaml.dump(
        _arranged(golden), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH, default_flow_style=False
    )
    return comment + body


def _arranged(value: Any, key: str = "") -> Any:
    """Mark what goes on one line."""
    if isinstance(value, dict | list) and key in _INLINE and _fits(value):
        return _inline(value)
    if isinstance(value, list):
        return [_arranged(item) for item in value]
    return {name: _arranged(item, name) for name, item in value.items()} if isinstance(value, dict) else value


def _inline(value: Any) -> Any:
    if isinstance(value, dict):
        return _Inline({name: _inline(item) for name, item in value.items()})
    return _InlineList(map(_inline, value)) if isinstance(value, list) else value


def _fits(value: Any) -> bool:
    text = str(value)
    return len(text) <= _NARROW and "\\n" not in text


def _has_lines(text: str) -> bool:
    return "\n" in text.strip("\n")
