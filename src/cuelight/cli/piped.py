"""A conversation without a terminal: each line is a turn, and all are answered."""

import os
import select
import sys
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager

from cuelight.cli.screen import PlainScreen
from cuelight.cli.session import Session
from cuelight.cli.transcript import Transcript
from cuelight.cli.waiting import in_thread
from cuelight.cli.words import closing_lines, opening_lines
from cuelight.engine import Reply
from cuelight.log import Record, disclose
from cuelight.wire import encode_lines

__all__ = ["answer_lines", "input_lines", "show_entries", "show_plainly"]

_CHUNK = 1 << 16

Show = Callable[[list[Record]], None]


async def input_lines(over: Callable[[], bool]) -> AsyncIterator[str]:
    """Give the lines of the process's input as they come; bytes that are no UTF-8 are replaced.

    Args:
        over: whether no more are wanted; then those that have arrived already are the last.
    """
    held = b""
    first = True
    async for chunk in _chunks(over):
        *whole, held = (held + chunk).split(b"\n")
        if not chunk and held:
            whole.append(held)
        for line in whole:
            text = line.decode("utf-8", "replace").rstrip("\r")
            yield text.removeprefix("\ufeff") if first else text
            first = False


async def _chunks(over: Callable[[], bool]) -> AsyncIterator[bytes]:
    """Give the bytes of the process's input as they come, and nothing as the last."""
    try:
        # The number, not the object: a thread that is left reading it would hold its lock when the process ends.
        number = sys.stdin.fileno()
    except (AttributeError, OSError):  # started without one, or with something else in its place
        yield sys.stdin.buffer.read() if sys.stdin is not None else b""
        yield b""
        return
    chunk = b"?"
    while chunk and not (over() and not select.select([number], [], [], 0)[0]):
        chunk = await in_thread(lambda: os.read(number, _CHUNK))
        yield chunk


@contextmanager
def show_plainly(session: Session) -> Iterator[Show]:
    """Show a call as plain text: who answers, what happens, how it ended."""
    screen = PlainScreen()
    transcript = Transcript(session.call.secrets)
    for line in (*opening_lines(session), ""):
        screen.line(line)

    def show(records: list[Record]) -> None:
        for item in transcript.read(records):
            screen.item(item)

    yield show
    for line in ("", *closing_lines(session)):
        screen.line(line)


@contextmanager
def show_entries(session: Session) -> Iterator[Show]:
    """Show a call as JSON lines, one an entry, private values masked as far as they are known by then."""

    def show(records: list[Record]) -> None:
        sys.stdout.buffer.write(encode_lines(disclose(records, session.call.secrets)))
        sys.stdout.buffer.flush()

    yield show


async def answer_lines(
    session: Session, lines: AsyncIterable[str], show: Show, *, keep_open: bool = False
) -> tuple[int, int]:
    """Answer each line with a turn; blank ones are passed over.

    However it ends, the call ends with it, unless it is to be kept open at the end of the lines.

    Args:
        session: the call.
        lines: what the caller says.
        show: is given what was stored of the call: at the start, after each turn, and at the end.
        keep_open: whether the end of the lines leaves the call as it is.

    Returns:
        How many lines there were, and how many of them were answered: with words of the model or content of the
        author's, not with the line that stands in for a reply that failed.
    """
    answered = given = 0
    finished = False
    try:
        show(await session.new_records())
        if session.unanswered is not None:
            given += 1
            answered += await _take_turn(session.say_again(), session, show)
        async for line in lines:
            if line.strip():
                given += 1
                answered += not session.ended and await _take_turn(session.say(line), session, show)
        finished = True
    finally:
        if not (finished and keep_open):
            session.call.interrupt()
            await session.call.hang_up()
    show(await session.new_records())
    return given, answered


async def _take_turn(turn: Awaitable[Reply], session: Session, show: Show) -> bool:
    await turn
    records = await session.new_records()
    show(records)
    return _held(records)


def _held(records: list[Record]) -> bool:
    """Tell whether a turn came to a proper end: whether words followed the last thing that went wrong in it."""
    held = True
    for record in records:
        if record.entry.type == "error":
            held = False
        elif record.entry.type == "cue.said" and record.entry.data["by"] != "code":
            held = True
    return held
