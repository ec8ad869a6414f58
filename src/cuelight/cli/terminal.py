"""A conversation in a terminal: a person types, and sees what happens while it happens."""

import contextlib
import sys
from collections.abc import Callable
from concurrent.futures import Future

import typer
from rich.console import Console

from cuelight.agent import visible
from cuelight.cli.blocks import print_prompt, read_prompt
from cuelight.cli.console import open_console
from cuelight.cli.screen import Screen
from cuelight.cli.session import Asked, Session
from cuelight.cli.transcript import Transcript
from cuelight.cli.words import closing_lines, opening_lines
from cuelight.engine import Reply
from cuelight.wire import Entry

__all__ = ["in_terminal", "talk"]


class _Abandoned(Exception):
    """Say that the person left while something was still running."""


def in_terminal() -> bool:
    """Tell whether a person sits at both ends."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def talk(asked: Asked, *, keep_open: bool = False, show_prompt: bool = False) -> None:
    """Let a person talk with an agent until one of them ends it.

    Ctrl-C cuts a reply short; where none is being given it ends the call. A second one ends the call after what is
    under way, a third does not wait for that. The end of the input (ctrl-D) ends the call too.

    Args:
        asked: the call.
        keep_open: whether the end of the input leaves the call as it is.
        show_prompt: whether to show the prompt, and its view whenever it has changed.

    Raises:
        Exit: with 130, after a third ctrl-C.
    """
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives `input` its line editor, where the system has one
    console = open_console()
    screen = Screen(console)
    with Session(asked) as session:
        for line in opening_lines(session):
            screen.line(line)
        screen.line()
        before_turn = _view_shower(session, screen, console) if show_prompt else lambda: None
        try:
            _converse(session, screen, keep_open, before_turn)
        except _Abandoned as left:
            screen.line("\nLeft while something was running.")
            raise typer.Exit(130) from left
        finally:
            for line in ("", *closing_lines(session)):
                screen.line(line)


def _view_shower(session: Session, screen: Screen, console: Console) -> Callable[[], None]:
    """Make what shows the prompt, the first time as a whole and then its view where that has changed."""
    shown = ""

    def show() -> None:
        nonlocal shown
        prompt = read_prompt(session.call.agent, static=not shown)
        view = prompt.blocks[-1].text
        if view != shown:
            shown = view
            screen.line()
            print_prompt(prompt, console)

    return show


def _converse(session: Session, screen: Screen, keep_open: bool, before_turn: Callable[[], None]) -> None:
    transcript = Transcript(session.call.secrets)
    for item in transcript.read(session.new_records()):
        screen.item(item)
    screen.end_turn()
    session.call.hear(screen.words)
    session.call.listen(lambda entry: _show(entry, transcript, screen))
    if session.unanswered is not None:
        _take_turn(session, screen, session.say_again)
    while not session.ended:
        before_turn()
        agent = session.call.agent
        screen.standing(getattr(agent, "stage", None), visible(agent).names)
        try:
            text = screen.ask()
        except (EOFError, KeyboardInterrupt) as left:
            screen.line()
            if isinstance(left, KeyboardInterrupt) or not keep_open:
                session.hang_up().result()
            return
        if text.strip():
            _take_turn(session, screen, lambda: session.say(text))  # noqa: B023 - used at once


def _show(entry: Entry, transcript: Transcript, screen: Screen) -> None:
    """Show an entry as it is stored; the words of both sides are on the screen already."""
    for item in transcript.feed(entry):
        if item.kind not in ("you", "agent"):
            screen.item(item)
    running = transcript.running()
    if running is not None:
        screen.wait(f"· {running} …")
    elif entry.type == "tool.result":
        screen.wait()


def _take_turn(session: Session, screen: Screen, say: Callable[[], "Future[Reply]"]) -> None:
    screen.begin_turn()
    turn = say()
    presses = 0
    while True:
        try:
            turn.result()
            break
        except KeyboardInterrupt as again:
            presses += 1
            if presses == 1:
                session.interrupt()
            elif presses == 2:
                session.hang_up()
            else:
                raise _Abandoned from again
    if presses >= 2:
        session.hang_up().result()
    screen.end_turn()
