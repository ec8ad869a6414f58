"""What is wrong with a log, and where."""

from typing import Annotated

from msgspec import Struct

from cuelight.wire.values import known

__all__ = ["Damage", "DamageKind"]

DamageKind = Annotated[
    str,
    known(
        "torn",
        "zero-bytes",
        "not-utf-8",
        "not-json",
        "not-an-entry",
        "unreadable",
        "hole",
        "disorder",
        "edited",
        "foreign",
    ),
]


class Damage(Struct, frozen=True, gc=False, kw_only=True):
    """One thing that is wrong with a log.

    `line` counts from 1 and `byte`, the first one that is wrong, from 0 over the whole source; both are None where the
    source is no bytes. `seq` is that of the entry concerned, None where none could be read.
    """

    kind: DamageKind
    message: str
    line: int | None = None
    byte: int | None = None
    seq: int | None = None
