"""Hooks and settings that stand where nothing reads them."""

import inspect
from collections.abc import Iterable

from cuelight.agent import Reading

__all__ = ["refuse_methods", "refuse_settings"]


def refuse_settings(reading: Reading, names: Iterable[str], why: str) -> None:
    """Refuse settings that belong to classes of another kind; a field of such a name is the author's own.

    Args:
        reading: of the class; gets what is wrong.
        names: the settings that such a class does not have.
        why: whose they are, and what to write.
    """
    for name in names:
        written = any(name in vars(base) and name not in inspect.get_annotations(base) for base in reading.fresh)
        if written and not callable(inspect.getattr_static(reading.cls, name)):
            reading.refuse(f"`{name}` is {why}, or give the attribute another name")


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
