"""Read a YAML file with the lines of its parts."""

import math
import re
from collections.abc import Callable
from typing import Any

import yaml
from yaml.reader import ReaderError

from cuelight.testing.goldens.mending import what_is_no_yaml
from cuelight.testing.goldens.source import HALF, BadSource, Source, Where

__all__ = ["read_yaml"]

_TAG = "tag:yaml.org,2002:"

_QUOTE = "put the text in double quotes"

_SPOKEN = ("say", "says", "says_any", "not", "matches", "phrase", "said", "model")
"""Keys of texts that somebody says: where one lost its end, the golden would hold of something else."""


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no number of JSON's")
    return value


# Each kind of value that JSON has: its form where it is written plainly, what that may begin with, and how it is read.
_KINDS: dict[str, tuple[str, str, Callable[[str], Any]]] = {
    "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF", lambda text: {"true": True, "false": False}[text.lower()]),
    "null": (r"null|Null|NULL|~|", "nN~", lambda _: None),
    "int": (r"-?(?:0|[1-9][0-9]*)", "-0123456789", int),
    "float": (r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "-0123456789", _float),
}


class _Loader(yaml.SafeLoader):
    """Read YAML as JSON would have it: a date is text, and so is yes; nothing stands for another part."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Refuse an alias; everything else is as it was."""
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            said = f"`*{event.anchor}` stands for something else; write that, or {_QUOTE}"
            raise BadSource(said, event.start_mark.line + 1)
        node: yaml.Node | None = super().compose_node(parent, index)
        return node


_Loader.yaml_implicit_resolvers = {}
for _kind, (_form, _first, _) in _KINDS.items():
    # Nothing at all is null, and begins with no sign.
    _signs = [*_first, ""] if _kind == "null" else list(_first)
    _Loader.add_implicit_resolver(f"{_TAG}{_kind}", re.compile(f"^(?:{_form})$"), _signs)


def read_yaml(text: str) -> Source:
    """Read YAML of which each value is one that JSON has.

    Raises:
        BadSource: it is none, lies too deep, names something twice, or holds aliases or tags.
    """
    lines: dict[Where, int] = {}
    try:
        loader = _Loader(text)
    except ReaderError as error:
        sign = f"#x{ord(error.character):02x}" if isinstance(error.character, str) else f"#x{error.character:02x}"
        line = text.count("\n", 0, error.position) + 1
        raise BadSource(f"it holds the character {sign}, which no YAML may", line) from error
    try:
        node = loader.get_single_node()
        if node is None:
            raise BadSource("it is empty")
        return Source(_built(node, (), lines), lines)
    except RecursionError as error:
        raise BadSource("it lies too deep") from error
    except yaml.MarkedYAMLError as error:
        said, at = what_is_no_yaml(error)
        raise BadSource(f"it is no YAML: {said}", at) from error
    finally:
        loader.dispose()


def _built(node: yaml.Node, where: Where, lines: dict[Where, int]) -> Any:
    """Give the value of a node, and note the lines of its parts."""
    line = node.start_mark.line + 1
    lines.setdefault(where, line)
    if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
        return [_built(each, (*where, index), lines) for index, each in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
        return _object(node, where, lines)
    kind = node.tag.removeprefix(_TAG)
    if isinstance(node, yaml.ScalarNode) and kind == "str":
        _refuse_cut(node, where)
        return _text(node.value, line)
    if not isinstance(node, yaml.ScalarNode) or kind not in _KINDS:
        tag = node.tag.replace(_TAG, "!!")
        raise BadSource(f"the tag {tag} is for what JSON has not; leave it out, or {_QUOTE}", line)
    try:
        return _KINDS[kind][2](node.value)
    except (KeyError, ValueError) as error:
        raise BadSource(f"{str(node.value)[:20]} is no {kind} of JSON's, or too large", line) from error


def _refuse_cut(node: yaml.ScalarNode, where: Where) -> None:
    """Refuse words that are cut short, as in `say: Room #5`: what is meant as a comment has a space behind the sign."""
    key = next((step for step in reversed(where) if isinstance(step, str)), "")
    behind = (node.end_mark.buffer or "")[node.end_mark.pointer :]
    if node.style is None and key in _SPOKEN and re.match(r"[ \t]+#[^\s#]", behind):
        said = f"`{key}` ends before ` #`, where a comment begins; {_QUOTE}"
        raise BadSource(f"{said}, or a space behind the #", node.end_mark.line + 1)


def _object(node: yaml.MappingNode, where: Where, lines: dict[Where, int]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise BadSource("a key is no text", line)
        key = _text(key_node.value, line)
        if key in members:
            raise BadSource(f"`{key}` is written twice", line)
        lines[(*where, key)] = line
        members[key] = _built(value_node, (*where, key), lines)
    return members


def _text(text: str, line: int) -> str:
    """Put surrogate pairs together, which YAML's reader leaves as it reads them from escapes."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        raise BadSource(HALF, line) from error
