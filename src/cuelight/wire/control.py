"""Entries about the reading of a log; a log does not hold them."""

from cuelight.wire.shapes import Shape
from cuelight.wire.state import State
from cuelight.wire.values import Number

__all__ = [
    "LogCaughtUp",
    "LogGap",
    "Pong",
]


class LogCaughtUp(Shape, frozen=True, kw_only=True):
    """The replay is done; what follows is live."""

    seq: int


class LogGap(Shape, frozen=True, kw_only=True):
    """The reader missed a stretch; the snapshot, where there is one, is the State after it."""

    from_seq: int
    to_seq: int
    snapshot: State | None


class Pong(Shape, frozen=True, kw_only=True):
    """The answer to a `ping`."""

    ts: Number
