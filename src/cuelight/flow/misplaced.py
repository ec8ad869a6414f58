"""Hooks that stand where nothing runs them."""

import inspect
from collections.abc import Iterable

from cuelight.agent import Reading

__all__ = ["refuse_methods"]


def refuse_methods(reading: Reading, names: Iterable[str], why: str) -> None:
    """Refuse methods that have the name of a hook of other classes: they would be passed over in silence.

    Args:
        reading: of the class; gets what is wrong.
        names: the hooks that such a class does not have.
        why: whose they are, and what to write.
    """
    for name in names:
        if inspect.isfunction(inspect.getattr_static(reading.cls, name, None)):
            reading.refuse(f"`{name}` is {why}, or give the method another name")
