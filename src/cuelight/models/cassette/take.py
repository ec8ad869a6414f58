"""One recorded exchange: what the model was asked, and what came of it."""

from typing import Self, TypeAlias

import msgspec

from cuelight import ports
from cuelight.models.cassette.asked import Asked

__all__ = ["Call", "Closed", "End", "Failed", "Finished", "Piece", "Take", "Words"]


class Words(msgspec.Struct, frozen=True, tag="words", forbid_unknown_fields=True):
    """Hold words of a reply, up to a call or its end."""

    text: str


class Call(msgspec.Struct, frozen=True, tag="call", forbid_unknown_fields=True):
    """Hold one call of a reply; the arguments are the text that the model wrote."""

    name: str
    arguments: str


class Finished(msgspec.Struct, frozen=True, tag="finished", forbid_unknown_fields=True, omit_defaults=True):
    """Say that a reply came to its end, why, and the tokens it took."""

    reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cache_creation_tokens: int = 0
    reasoning_tokens: int = 0

    @classmethod
    def of(cls, event: ports.Finished) -> Self:
        """Keep of an event what the same reply has again; a request's id is another each time."""
        return cls(event.reason, *msgspec.structs.astuple(event.usage))

    def event(self) -> ports.Finished:
        """Give the event."""
        _, *tokens = msgspec.structs.astuple(self)
        return ports.Finished(self.reason, ports.Usage(*tokens))


class Failed(msgspec.Struct, frozen=True, tag="failed", forbid_unknown_fields=True):
    """Say that the request failed, after what came before."""

    message: str
    retryable: bool


class Closed(msgspec.Struct, frozen=True, tag="closed"):
    """Say that whoever asked had enough of the reply here: the caller cut in, or it took too long."""


Piece: TypeAlias = Words | Call
End: TypeAlias = Finished | Failed | Closed


class Take(msgspec.Struct, frozen=True):
    """Hold one request, the pieces of its reply in order, and how it ended."""

    asked: Asked
    pieces: tuple[Piece, ...] = ()
    end: End = Closed()
