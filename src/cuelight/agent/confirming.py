"""What a caller is asked before a guarded tool runs: the phrase, and what exactly a yes is to."""

import hashlib
import inspect
import string
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from cuelight.wire import whole_text

if TYPE_CHECKING:
    from cuelight.agent.stateful import Stateful

__all__ = ["ANSWER_TOOL", "Confirm", "audience_of", "names_in"]

ANSWER_TOOL = "answer_confirmation"
"""The tool by which a model says what the caller answered; no author's tool may be called so."""

_canonical = msgspec.json.Encoder(order="deterministic").encode
_formatter = string.Formatter()


def audience_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Give the fingerprint of a call: of the tool's name and its arguments, whatever the order these are written in.

    Args:
        tool: the tool's name.
        arguments: as they are checked, defaults included, in plain JSON.
    """
    return hashlib.sha256(_canonical([tool, arguments])).hexdigest()


def names_in(template: str) -> Iterator[str]:
    """Give the names that a template begins its places with.

    Raises:
        ValueError: when it is no template.
    """
    for _, place, spec, _ in _formatter.parse(template):
        if place is None:
            continue
        if not place or place[0].isdigit():
            raise ValueError("each place in it has a name, as in {slot}")
        yield place.replace("[", ".").split(".")[0]
        yield from names_in(spec or "")


class Confirm:
    """Make the phrase that asks for a yes.

    Args:
        given: a template over the arguments and the state, as in "Shall I book {slot}?", or a function that is given
            the instance and the arguments and returns the phrase.
    """

    __slots__ = ("_given",)

    def __init__(self, given: str | Callable[..., Any]) -> None:
        self._given = given

    @property
    def text(self) -> str:
        """The template, or the name of the function."""
        return self._given if isinstance(self._given, str) else getattr(self._given, "__name__", "a function")

    def phrase(self, owner: "Stateful", arguments: Mapping[str, Any]) -> str:
        """Give the phrase for a call.

        Args:
            owner: whose tool it is.
            arguments: as the tool takes them.

        Raises:
            TypeError: when it is no text.
            ValueError: when there is nothing in it.
            Exception: whatever the function, or what the template names, raises.
        """
        if isinstance(self._given, str):
            said: Any = _formatter.vformat(self._given, (), _Names(owner, arguments))
        else:
            said = self._given(owner, **arguments)
            if inspect.iscoroutine(said):
                said.close()
        if not isinstance(said, str):
            raise TypeError(f"the phrase of a confirmation is text, not a value of type {type(said).__name__}")
        if not said.strip():
            raise ValueError("the phrase of a confirmation is empty, so the caller would be asked nothing")
        return whole_text(said.strip())


class _Names(Mapping[str, Any]):
    """Look a name up among the arguments, then among what the instance has."""

    def __init__(self, owner: "Stateful", arguments: Mapping[str, Any]) -> None:
        self._owner = owner
        self._arguments = arguments

    def __getitem__(self, name: str) -> Any:
        return self._arguments[name] if name in self._arguments else getattr(self._owner, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._arguments)

    def __len__(self) -> int:
        return len(self._arguments)
