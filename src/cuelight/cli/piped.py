"""A conversation without a terminal: each line is a turn, and all are answered."""

import select
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from io import BufferedReader, BytesIO
from typing import cast

from cuelight.cli.screen import PlainScreen
from cuelight.cli.session import Session
from cuelight.cli.transcript import Transcript
from cuelight.cli.words import closing_lines, opening_lines
from cuelight.engine import Reply
from cuelight.log import Record, disclose
from cuelight.wire import encode_lines

__all__ = ["answer_lines", "lines_of", "show_entries", "show_plainly", "stdin"]

_CHUNK = 1 << 16  # no smaller than a reader's own buffer, so that nothing stays in there unseen

Show = Callable[[list[Record]], None]


def stdin() -> BufferedReader:
    """Give the process's input; an empty one where it was started without."""
    return cast(BufferedReader, sys.stdin.buffer if sys.stdin is not None else BytesIO())


def lines_of(source: BufferedReader, over: Callable[[], bool]) -> Iterator[str]:
    """Give the lines of a pipe as they come; bytes that are no UTF-8 are replaced.

    Args:
        source: the pipe.
        over: whether no more are wanted; then those that have arrived already are the last.
    """
    held = b""
    start = True
    while not (over() and not _is_ready(source)):
        chunk = source.read1(_CHUNK)
        *whole, held = (held + chunk).split(b"\n")
        if not chunk and held:
            whole.append(held)
        for line in whole:
            text = line.decode("utf-8", "replace").rstrip("\r")
            yield text.removeprefix("\ufeff") if start else text
            start = False
        if not chunk:
            return


def _is_ready(source: BufferedReader) -> bool:
    """Tell whether reading would not wait."""
    try:
        return bool(select.select([source], [], [], 0)[0])
    except (OSError, ValueError):  # no pipe of the system's, so nothing that waits
        return True


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


def answer_lines(session: Session, lines: Iterable[str], show: Show, *, keep_open: bool) -> tuple[int, int]:
    """Answer each line with a turn; blank ones are passed over.

    However it ends, the call ends with it, unless it is to be kept open at the end of the lines.

    Args:
        session: the call.
        lines: what the caller says.
        show: is given what was stored of the call: at the start, after each turn, and at the end.
        keep_open: whether the end of the lines leaves the call as it is.

    Returns:
        How many lines there were, and how many of them were answered: with words of the model or of code that meant
        to say them, not with the line that stands in for a reply that failed.
    """
    answered = given = 0
    finished = False
    try:
        show(session.new_records())
        if session.unanswered is not None:
            given += 1
            answered += _take_turn(session.say_again(), session, show)
        for line in lines:
            if line.strip():
                given += 1
                answered += not session.ended and _take_turn(session.say(line), session, show)
        finished = True
    finally:
        if not (finished and keep_open):
            session.interrupt()
            session.hang_up().result()
    show(session.new_records())
    return given, answered


def _take_turn(turn: "Future[Reply]", session: Session, show: Show) -> bool:
    turn.result()
    records = session.new_records()
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
