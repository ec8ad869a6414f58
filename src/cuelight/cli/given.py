"""What a command is given as a file or as JSON."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from cuelight.errors import BadInput
from cuelight.testing.goldens import for_golden, opening_state, read_golden
from cuelight.wiring import FoundAgent

__all__ = ["read_opening"]

_YAML = (".yaml", ".yml")


def read_opening(given: str | None, found: FoundAgent) -> tuple[FoundAgent, dict[str, Any]]:
    """Read the state that an agent is to open in; gives the agent too, which a golden may set on a day.

    Args:
        given: a JSON object, or the file of one: the state itself, or a golden, which may be YAML as well.
        found: the agent; where it has a field called `turns` or `state`, an object that has it is no golden.

    Raises:
        BadInput: there is no such file, or it holds no JSON object.
        GoldenRefused: it is a golden, and not a right one.
    """
    if given is None:
        return found, {}
    if given.lstrip().startswith("{"):
        return found, _state(given.encode(), "--state", found)
    file = Path(given).expanduser()
    try:
        text = file.read_bytes()
    except OSError as error:
        raise BadInput(
            f"--state {given} cannot be read: {error.strerror}. Give a file, or JSON as in --state '{{}}'."
        ) from error
    if file.suffix not in _YAML and ("turns" in _fields(found) or "turns" not in _object(text, given)):
        return found, _state(text, given, found)
    read = read_golden(file)
    if read.golden.today is not UNSET:
        found = found._replace(make=for_golden(found.make, read.golden))
    return found, opening_state(read)


def _state(text: bytes, where: str, found: FoundAgent) -> dict[str, Any]:
    """Give the state that an object is, or that it has as `state`."""
    state = _object(text, where)
    inner = state.get("state")
    if "state" in _fields(found):
        return state
    return {"stage": inner} if isinstance(inner, str) else inner if isinstance(inner, dict) else state


def _object(text: bytes, where: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise BadInput(f"{where} is no JSON: {error}.") from error
    if not isinstance(value, dict):
        raise BadInput(f'{where} holds no JSON object. Write the fields by name, as in {{"stage": "choose"}}.')
    return value


def _fields(found: FoundAgent) -> Any:
    return getattr(getattr(found.make, "__declaration__", None), "fields", {})
