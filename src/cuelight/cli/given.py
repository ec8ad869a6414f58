"""What a command is given as a file or as JSON."""

from pathlib import Path
from typing import Any

import msgspec

from cuelight.errors import BadInput
from cuelight.wiring import FoundAgent

__all__ = ["read_state"]


def read_state(given: str | None, found: FoundAgent) -> dict[str, Any]:
    """Read the state that an agent is to open in.

    Args:
        given: a JSON object, or the file that holds one: the state itself, or a golden with a `state` in it.
        found: the agent; where it has a field called `state`, an object is never taken for a golden.

    Raises:
        BadInput: there is no such file, or it holds no JSON object.
    """
    if given is None:
        return {}
    if given.lstrip().startswith("{"):
        text, where = given.encode(), "--state"
    else:
        where = given
        try:
            text = Path(given).expanduser().read_bytes()
        except OSError as error:
            raise BadInput(
                f"--state {given} cannot be read: {error.strerror}. Give a file, or JSON as in --state '{{}}'."
            ) from error
    try:
        state = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise BadInput(f"{where} is no JSON: {error}.") from error
    if not isinstance(state, dict):
        raise BadInput(f'{where} holds no JSON object. Write the fields by name, as in {{"stage": "choose"}}.')
    inner = state.get("state")
    fields = getattr(getattr(found.make, "__declaration__", None), "fields", {})
    return inner if isinstance(inner, dict) and "state" not in fields else state
