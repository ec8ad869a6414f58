"""Say what to write in the place of what does not fit, to those who know neither the shapes nor their types."""

import json
from collections.abc import Iterable
from typing import Any, Literal, get_args, get_origin

from cuelight.agent import nearest
from cuelight.testing.goldens.shape import Check, Expect, Golden, ReplyCheck, Turn
from cuelight.testing.goldens.source import Where

__all__ = ["other_key", "other_value"]

_SAY = "write `say`"
_REPLY = "it stands in `reply`, as in reply: {says: …}"
_TURN = "it stands in a turn"
_KEYS: dict[type, dict[str, str]] = {
    Golden: {"say": _TURN, "then": _TURN, "stage": "write `state`", "step": "write `state`"},
    Turn: {
        "expect": "it stands beside `turns`; in a turn write `then`",
        **dict.fromkeys(("user", "input", "text", "caller"), _SAY),
    },
    Check: {**dict.fromkeys(("says", "says_any", "not", "matches"), _REPLY), "call": "write `tool`"},
    ReplyCheck: {"text": "write `says`", "contains": "write `says`"},
    Expect: {"then": _TURN, "reply": "write `says` and `not`"},
}
"""What people call things, or where they look for them, and what is right."""

_OBJECTS = {
    "": "an object with `name` and `turns`",
    "turns": '{say: "…"}',
    "then": "{tool: …}",
    "reply": '{says: "…"}',
    "confirm": "{tool: …, status: …}",
    "route": "{to: …}",
    "event": "{name: …}",
    "model": "{call: …}",
    "expect": "{tools: […]}",
}
"""Each object by the key that it stands at, or whose list it is an item of."""

_LISTED = {"then": "each check", "turns": "each turn", "model": "each reply"}


def other_key(key: str, value: Any, shape: type, known: Iterable[str]) -> str:
    """Say what to write in the place of a key that a shape does not have."""
    if advice := _KEYS.get(shape, {}).get(key):
        return f"; {advice}"
    near = nearest(key, known)
    if value is None and not near:
        return (
            "; a comma between braces begins another key: put a text with one in double quotes, "
            'as in {says: "Sorry, who is calling?"}'
        )
    return f"{near}; it may have {', '.join(name for name in known if not name.startswith('$'))}"


def other_value(value: Any, kinds: Iterable[Any], where: Where) -> str:
    """Say what a value is that does not fit, and what to write in its place.

    Args:
        value: plain JSON.
        kinds: the types of which it had to be one.
        where: its place.
    """
    kinds = list(kinds)
    words = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
    if words:
        near = nearest(value, list(map(str, words))) if isinstance(value, str) else ""
        return f"it is {_is(value)}{near}; write {', '.join(map(json.dumps, words))}"
    asked = [_asked(kind, value, where) for kind in sorted(kinds, key=lambda kind: kind is str)]
    return f"it is {_is(value)}; write {' or '.join(asked)}"


def _is(value: Any) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    if value is None:
        return "empty"
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= 40 else f"{written[:40]}…"


def _asked(kind: Any, value: Any, where: Where) -> str:
    key = next((step for step in reversed(where) if isinstance(step, str)), "")
    if kind is str:
        return "text in double quotes" if isinstance(value, bool | int | float) else "text"
    if kind in (bool, int, float):
        return {bool: "true or false", int: "a whole number", float: "a number"}[kind]
    if get_origin(kind) is list:
        if isinstance(value, dict) and key in _LISTED:
            return f'a list: put "- " before {_LISTED[key]}, or brackets around them'
        return f"a list, as in [{value}]" if isinstance(value, str) and value.isidentifier() else "a list"
    return _OBJECTS.get(key, "{name: value}")
