"""The lines of a cassette's file, one JSON object each.

The first line is the header. Then come the takes, each from a `request` line to a line that says how its reply ended.
Of a request only that is written which the one before did not have: a conversation grows, and the file with it, and in
a comparison of two recordings only that differs which is different. A longer text has a line for each of its own.
"""

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import msgspec

from cuelight.log import Message, ToolUse
from cuelight.models.cassette.asked import Asked, Told, labelled, newest_words
from cuelight.models.cassette.take import Call, Closed, Failed, Finished, Take, Words

__all__ = [
    "VERSION",
    "DeclaredLine",
    "Header",
    "Line",
    "MessageLine",
    "RequestLine",
    "StaticLine",
    "ViewLine",
    "written",
]

VERSION = 1


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """Open the file: the version of its form, the model that was asked, and how to record it again."""

    cassette: int
    provider: str
    name: str
    again: str | None = None


class _Line(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    pass


class DeclaredLine(_Line, frozen=True, tag="tool"):
    """Hold a tool as the model is told of it."""

    name: str
    description: str
    parameters: Any


class RequestLine(_Line, frozen=True, tag="request"):
    """Open a take.

    Attributes:
        stage: the stage, or step, that the conversation was in.
        offered: the tools that could be called, by label; in full what is none of the declared ones.
        declares: how many `tool` lines follow, which are all that are declared; left out, they are those of before.
        back: how many requests before this one the one is whose messages go on; left out, 1.
        kept: the first and last of those messages, counted from 1, or nothing; left out, all.
        view_at: the message, counted from 1, that the view is sent with; left out, the newest of the caller's side.
        view_alone: whether the view stands before that message, as one of its own.
    """

    stage: str | None = None
    offered: "tuple[str | DeclaredLine, ...]" = ()
    declares: int | None = None
    back: int = 1
    kept: tuple[int, ...] | None = None
    view_at: int | None = None
    view_alone: bool = False


class StaticLine(_Line, frozen=True, tag="static"):
    """Hold one line of the static part of the prompt; left out, it is that of before."""

    text: str


class ViewLine(_Line, frozen=True, tag="view"):
    """Hold one line of the view; left out, it is that of before."""

    text: str


class MessageLine(_Line, frozen=True, tag="message"):
    """Hold a message that is new."""

    role: Literal["user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolUse, ...] = ()
    tool_call_id: str | None = None


Line: TypeAlias = (
    RequestLine | StaticLine | DeclaredLine | MessageLine | ViewLine | Words | Call | Finished | Failed | Closed
)


def written(header: Header, takes: list[Take]) -> bytes:
    """Write a whole cassette; the same takes always give the same bytes."""
    lines: list[Header | Line] = [header]
    asked: list[Asked] = []
    for take in takes:
        lines += _request(take.asked, asked)
        lines += take.pieces
        lines.append(take.end)
        asked.append(take.asked)
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def _request(asked: Asked, earlier: list[Asked]) -> Iterator[Line]:
    before = earlier[-1] if earlier else Asked()
    back, kept, known = _kept(asked.messages, earlier)
    labels = {tool: label for label, tool in reversed(labelled(asked.tools).items())}
    usual = newest_words(asked.messages) if asked.view else None
    yield RequestLine(
        stage=asked.stage,
        offered=tuple(labels.get(tool) or _declared(tool) for tool in asked.offered),
        declares=None if asked.tools == before.tools else len(asked.tools),
        back=back,
        kept=kept,
        view_at=None if asked.view_at == usual or asked.view_at is None else asked.view_at + 1,
        view_alone=asked.view_alone,
    )
    if asked.static != before.static:
        yield from map(StaticLine, asked.static.split("\n"))
    if asked.tools != before.tools:
        yield from map(_declared, asked.tools)
    for message in asked.messages[known:]:
        yield MessageLine(message.role, message.content, message.tool_calls, message.tool_call_id)
    if asked.view != before.view:
        yield from map(ViewLine, asked.view.split("\n"))


def _declared(tool: Told) -> DeclaredLine:
    return DeclaredLine(tool.name, tool.description, msgspec.Raw(tool.schema.encode()))


def _kept(messages: tuple[Message, ...], earlier: list[Asked]) -> tuple[int, tuple[int, ...] | None, int]:
    """Find the earlier request whose messages these continue best: how far back, which of them, and how many.

    It is nearly always all of the one before. But the oldest may have been trimmed, the newest cut short, and a step
    may have a memory of its own, whose last request lies further back.
    """
    before = earlier[-1].messages if earlier else ()
    if not earlier or (before and before == messages[: len(before)]):
        return 1, None, len(before)
    best, longest = (1, 0), 0
    for back in range(1, len(earlier) + 1):
        theirs = earlier[-back].messages
        for start, message in enumerate(theirs):
            if messages and message == messages[0]:
                length = _run(theirs[start:], messages)
                if length > longest:
                    best, longest = (back, start), length
    back, start = best
    if not longest:
        return 1, () if before else None, 0
    whole = start == 0 and longest == len(earlier[-back].messages)
    return back, None if whole else (start + 1, start + longest), longest


def _run(theirs: tuple[Message, ...], ours: tuple[Message, ...]) -> int:
    """Count the messages that two lists have in common at their beginnings."""
    length = 0
    for one, other in zip(theirs, ours, strict=False):
        if one != other:
            break
        length += 1
    return length
