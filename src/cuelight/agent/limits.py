"""How much one turn may cost."""

import sys
from dataclasses import dataclass, fields

from cuelight.errors import DeclarationRefused

__all__ = ["Limits"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Bound every turn of an agent's calls.

    At a bound the calls left are not run, a line written by code is spoken, and an `error` entry names the bound.

    Args:
        model_requests: how often the model may be asked in one turn; asking again after a fault is not counted.
        transitions: how many moves to another stage or step one turn may make.
        identical_calls: how often one turn may call the same tool with the same arguments.
        tool_s: seconds each handler may take, unless its tool says otherwise.
        request_s: seconds each request to a model may take.
        first_token_s: seconds until the first words or call of a reply.
        turn_s: seconds after which a turn starts nothing more.
        confirm_s: whole seconds in which a caller's yes counts, from when they were asked.
        exchanges: how many exchanges the model is sent (one begins with the caller's words); None sends all.

    Raises:
        DeclarationRefused: when a bound is not a positive number.
    """

    model_requests: int = 8
    transitions: int = 8
    identical_calls: int = 3
    tool_s: float = 30
    request_s: float = 60
    first_token_s: float = 20
    turn_s: float = 300
    confirm_s: int = 120
    exchanges: int | None = None

    def __post_init__(self) -> None:
        problems = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.name == "exchanges":
                continue
            kinds = (int, float) if field.type == "float" or field.type is float else (int,)
            if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < sys.float_info.max:
                problems.append(
                    f"`{field.name}` is {value!r}; write a positive {'number' if len(kinds) > 1 else 'integer'}"
                )
        if problems:
            raise DeclarationRefused("Limits", problems)
