"""A golden's file as it is written: values with the lines they stand in."""

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import msgspec
import yaml

__all__ = ["BadSource", "Source", "read_source"]

Where = tuple[str | int, ...]


class BadSource(ValueError):
    """Say what is wrong with a file that cannot be read; never leaves the package."""

    def __init__(self, said: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(said)


class Source:
    """Hold what a file says, and in which line each part of it stands."""

    def __init__(self, value: Any, lines: dict[Where, int]) -> None:
        self.value = value
        self._lines = lines

    def line(self, where: Where) -> int | None:
        """Give the line of a part, or of the nearest part around it."""
        while where and where not in self._lines:
            where = where[:-1]
        return self._lines.get(where)


class _Loader(yaml.SafeLoader):
    """Read YAML as JSON would have it: a date is text, and so is yes."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _form, _first in (
    ("bool", r"true|false", "tf"),
    ("null", r"null|~|", ["n", "~", ""]),
    ("int", r"-?(?:0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "-0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_form})$"), list(_first))


def read_source(file: Path) -> Source:
    """Read a JSON or YAML file.

    Raises:
        BadSource: it cannot be read, is neither, or names something twice.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadSource(f"it cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if file.suffix != ".json":
        return _read_yaml(text)
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise BadSource(f"it is no JSON: {error}") from error
    # JSON is YAML but for its tabs, which stand between values, and for some signs, which are read above.
    return Source(value, _read_yaml(text.replace("\t", "  "))._lines)


def _read_yaml(text: str) -> Source:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise BadSource("it is empty")
        lines: dict[Where, int] = {}
        return Source(_built(loader, node, (), lines), lines)
    except RecursionError as error:
        raise BadSource("it holds itself, or lies too deep") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise BadSource(str(error.problem or error.context), mark.line + 1 if mark else None) from error
    except yaml.YAMLError as error:
        raise BadSource(str(error)) from error
    finally:
        loader.dispose()


def _built(loader: _Loader, node: yaml.Node, where: Where, lines: dict[Where, int]) -> Any:
    lines[where] = node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        return [_built(loader, each, (*where, index), lines) for index, each in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        members: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value
            if key in members:
                raise BadSource(f"`{key}` is written twice", key_node.start_mark.line + 1)
            members[key] = _built(loader, value_node, (*where, key), lines)
            lines[(*where, key)] = key_node.start_mark.line + 1
        return members
    value: Hashable = loader.construct_object(node, deep=True)
    return value
