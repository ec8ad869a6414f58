"""The first difference between the request that was recorded and the one that came."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

import msgspec

from cuelight.log import Message
from cuelight.models.cassette.asked import Asked, Told, labelled
from cuelight.models.cassette.volatile import agree

__all__ = ["Difference", "first_difference"]

_BEFORE, _AFTER = 32, 64  # how much of a line is shown on the two sides of where it begins to differ
_CONTEXT = 2  # lines above it


class Difference(NamedTuple):
    """Say which part of a request differs, and show it."""

    part: str
    shown: str


def first_difference(expected: Asked, actual: Asked) -> Difference | None:
    """Compare two requests in the order in which a model reads them; None where they say the same."""
    if expected == actual:
        return None
    for part, one, other in _parts(expected, actual):
        if not agree(one, other):
            return Difference(part, _shown(one, other))
    return None


def _parts(expected: Asked, actual: Asked) -> Iterator[tuple[str, str, str]]:
    """Give every part that may differ by its name, as both requests have it."""
    yield "the static part of the prompt", expected.static, actual.static
    ours, theirs = labelled(expected.tools), labelled(actual.tools)
    yield "the list of declared tools", "\n".join(ours), "\n".join(theirs)
    for label, tool in ours.items():
        yield from _tool(label, tool, theirs[label])
    for at, (one, other) in enumerate(zip_longest(expected.messages, actual.messages)):
        if one != other:
            yield from _message(f"message {at + 1}", _speaker(actual if one is None else expected, at), one, other)
    yield "the stage", expected.stage or "", actual.stage or ""
    yield "the tools that are offered", _offered(expected, ours), _offered(actual, theirs)
    yield "the view", expected.view, actual.view
    yield "where the view stands", _place(expected), _place(actual)


def _tool(label: str, one: Told, other: Told) -> Iterator[tuple[str, str, str]]:
    yield f"the description of the tool {label}", one.description, other.description
    yield f"the schema of the tool {label}", _indented(one.schema), _indented(other.schema)


def _message(number: str, speaker: str, one: Message | None, other: Message | None) -> Iterator[tuple[str, str, str]]:
    part = f"{number} ({speaker})"
    if one is None or other is None:
        yield part, _whole(one), _whole(other)
        return
    yield f"who speaks in {number}", one.role, other.role
    yield part, one.content, other.content
    yield f"the calls of {part}", _calls(one), _calls(other)
    yield f"the call that {part} answers", one.tool_call_id or "", other.tool_call_id or ""


def _speaker(asked: Asked, at: int) -> str:
    """Say who speaks in a message: of a result, the tool."""
    message = asked.messages[at]
    if message.role != "tool":
        return {"user": "the caller", "assistant": "the agent"}[message.role]
    calls = (call for earlier in asked.messages[:at] for call in earlier.tool_calls)
    tool = next((call.name for call in calls if call.id == message.tool_call_id), "a tool")
    return f"the result of {tool}"


def _whole(message: Message | None) -> str:
    if message is None:
        return "(there is none)"
    return "\n".join(filter(None, (f"{message.role}: {message.content}", _calls(message))))


def _calls(message: Message) -> str:
    return "\n".join(f"{call.name} {call.arguments} {call.id}" for call in message.tool_calls)


def _offered(asked: Asked, labels: dict[str, Told]) -> str:
    names = {tool: label for label, tool in reversed(labels.items())}
    # One that is not declared has no label, and is shown as it is.
    return "\n".join(names.get(tool) or msgspec.json.encode(tool).decode() for tool in asked.offered)


def _place(asked: Asked) -> str:
    if asked.view_at is None:
        return ""
    return f"{'before' if asked.view_alone else 'with'} message {asked.view_at + 1}"


def _indented(schema: str) -> str:
    return msgspec.json.format(schema, indent=2)


# --- showing it -------------------------------------------------------------------------------------------------------


def _shown(expected: str, actual: str) -> str:
    """Show the first line that differs, as it was and as it is, and what stands above it."""
    ours, theirs = expected.split("\n"), actual.split("\n")
    at = next(
        (at for at, (one, other) in enumerate(zip(ours, theirs, strict=False)) if not agree(one, other)),
        min(len(ours), len(theirs)),
    )
    above = [f"      {_cut(line, 0)}" for line in theirs[max(0, at - _CONTEXT) : at]]
    one, other = (lines[at] if at < len(lines) else None for lines in (ours, theirs))
    return "\n".join([*above, *_changed(one, other)])


def _changed(one: str | None, other: str | None) -> Iterator[str]:
    begins = 0
    if one is not None and other is not None:
        begins = next(
            (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
        )
        if "".join(one.split()) == "".join(other.split()):  # they look alike unless the white space is seen
            one, other = (
                re.sub(r"\s", lambda space: "·" if space[0] == " " else repr(space[0])[1:-1], line)
                for line in (one, other)
            )
    if one is not None:
        yield f"    - {_cut(one, begins)}"
    if other is not None:
        yield f"    + {_cut(other, begins)}"


def _cut(line: str, at: int) -> str:
    """Give what of a line stands around a place in it."""
    first, last = max(0, at - _BEFORE), at + _AFTER
    return f"{'…' if first else ''}{line[first:last]}{'…' if last < len(line) else ''}"
