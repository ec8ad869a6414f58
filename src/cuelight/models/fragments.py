"""From the fragments of a stream to whole tool calls, whatever a provider does with indexes, ids and names.

The protocol says: a call begins with its index, its id and its name, and goes on under the same index. Servers that
speak it send index 0 for every call, begin at 1, leave ids out or blank, repeat them, split a call's beginning over
two fragments, or let the next call begin without saying so. What a fragment belongs to is therefore decided by its
index, its id, its name and by whether the arguments so far are whole, in that order of trust.
"""

import json
from collections.abc import Collection, Iterable

import msgspec

from cuelight.ports import ToolCallRequest

__all__ = ["Fragment", "assemble"]


class Fragment(msgspec.Struct, frozen=True, gc=False):
    """Hold what one chunk of a stream says of one call; blank and None mean that it says nothing."""

    index: int | None = None
    id: str | None = None
    name: str | None = None
    arguments: str | None = None


class _Call:
    """One call as far as it has come."""

    __slots__ = ("id", "index", "name", "text")

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.id: str | None = None
        self.name: str | None = None
        self.text = ""

    @property
    def begun(self) -> bool:
        return bool(self.text.strip())

    @property
    def whole(self) -> bool:
        """Whether the arguments so far are whole objects, so that more of them can only be another call's."""
        return bool(_objects(self.text))


def assemble(
    fragments: Iterable[Fragment], names: Collection[str] = (), taken: Iterable[str] = ()
) -> list[ToolCallRequest]:
    """Put the fragments of one reply together, in the order in which the calls began.

    Fragments that never come by a name are no call. A call without arguments has `{}`. An id that is in use already
    gets a number; a call without one has None.

    Args:
        fragments: all fragments of the reply, in the order they came.
        names: the tools the model was told of: by them a name that comes in pieces is known from another call's.
        taken: ids that earlier calls of the conversation have.
    """
    calls: list[_Call] = []
    for fragment in fragments:
        call_id = (fragment.id or "").strip()
        name = (fragment.name or "").strip()
        text = fragment.arguments or ""
        call = _belongs_to(calls, fragment.index, call_id, name, text, names)
        if call is None:
            call = _Call(fragment.index)
            calls.append(call)
        call.id = call.id or call_id or None
        if name:
            call.name = call.name + name if call.name and _goes_on(call, name, names) else call.name or name
        call.text += text
    used = set(taken)
    whole: list[ToolCallRequest] = []
    for call in calls:
        if call.name is None:
            continue
        for number, arguments in enumerate(_apart(call.text)):
            whole.append(ToolCallRequest(call.name, arguments, _unused(None if number else call.id, used)))
    return whole


def _belongs_to(
    calls: list[_Call], index: int | None, call_id: str, name: str, text: str, names: Collection[str]
) -> _Call | None:
    """Find the call that a fragment continues; None when it begins another."""
    peers = [call for call in calls if index is None or call.index == index]
    if call_id:
        return _by_id(calls, peers, call_id, name, text)
    if name:
        return _by_name(peers, name, text, names)
    return peers[-1] if peers else calls[-1] if calls else None


def _by_id(calls: list[_Call], peers: list[_Call], call_id: str, name: str, text: str) -> _Call | None:
    for call in reversed(peers):
        if call.id == call_id:
            return None if name and text.strip() and call.whole else call
    if not name:
        for call in reversed(calls):
            if call.id == call_id:
                return call
    if not peers:
        return None
    last = peers[-1]
    if last.id is None:  # its name came first
        return last if not last.whole and name in ("", last.name) else None
    # A new id without a name, while the arguments are under way, is an id made up for every chunk.
    return last if not name and last.begun and not last.whole else None


def _by_name(peers: list[_Call], name: str, text: str, names: Collection[str]) -> _Call | None:
    if not peers:
        return None
    last = peers[-1]
    if last.name is None or _goes_on(last, name, names):
        return last
    for call in reversed(peers):
        if call.name == name and not call.whole:
            return call
    return last if last.name == name and not text.strip() else None


def _goes_on(call: _Call, name: str, names: Collection[str]) -> bool:
    """Whether a name is the next piece of a call's name, not the name of another call."""
    if call.begun or call.name is None or call.name in names:
        return False
    return any(known.startswith(call.name + name) for known in names)


def _apart(text: str) -> list[str]:
    """Part arguments that hold several objects, one behind the other: each is a call of its own.

    An empty object before another is no call; some servers begin with one and then send the arguments.
    """
    objects = _objects(text) or [text.strip() or "{}"]
    return [each for each in objects[:-1] if each.strip("{} \n\t")] + objects[-1:]


def _objects(text: str) -> list[str]:
    """Find the JSON objects that a text is a row of; none when it is anything else."""
    text = text.strip()
    decoder = json.JSONDecoder()
    found: list[str] = []
    position = 0
    while position < len(text):
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        found.append(text[position:end])
        position = len(text) - len(text[end:].lstrip())
    return found


def _unused(call_id: str | None, used: set[str]) -> str | None:
    if call_id is None:
        return None
    candidate, number = call_id, 2
    while candidate in used:
        candidate, number = f"{call_id}_{number}", number + 1
    used.add(candidate)
    return candidate
