"""A conversation in a terminal: a person types, and sees what happens while it happens."""

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Iterator

import typer

from cuelight.agent import ANSWER_TOOL
from cuelight.cli.blocks import print_prompt, read_prompt
from cuelight.cli.console import open_console
from cuelight.cli.screen import Screen
from cuelight.cli.session import Asked, Session, open_session
from cuelight.cli.transcript import Transcript
from cuelight.cli.waiting import Interrupts, in_thread
from cuelight.cli.words import closing_lines, opening_lines
from cuelight.engine import Reply
from cuelight.flow import course_of
from cuelight.wire import Entry

__all__ = ["in_terminal", "talk"]


def in_terminal() -> bool:
    """Tell whether a person sits at both ends."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


async def talk(asked: Asked, interrupts: Interrupts, *, keep_open: bool = False, show_prompt: bool = False) -> None:
    """Let a person talk with an agent until one of them ends it.

    Ctrl-C cuts a reply short; where none is being given it ends the call. A second one ends the call after what is
    under way, a third does not wait for that. The end of the input (ctrl-D) ends the call too.

    Args:
        asked: the call.
        interrupts: ctrl-C.
        keep_open: whether the end of the input leaves the call as it is.
        show_prompt: whether to show the prompt, and its view whenever it has changed.

    Raises:
        Exit: with 130, after a third ctrl-C.
    """
    screen = Screen(open_console())
    async with open_session(asked) as session:
        leaving = "leaves it open" if keep_open else "ends the call"
        for line in (*opening_lines(session), f"Ctrl-C cuts a reply short; ctrl-D {leaving}.", ""):
            screen.line(line)
        try:
            await _Conversation(session, screen, interrupts, keep_open=keep_open, show_prompt=show_prompt).hold()
        finally:
            for line in ("", *closing_lines(session)):
                screen.line(line)


class _Conversation:
    """Be one conversation between a person at a screen and an agent."""

    def __init__(
        self, session: Session, screen: Screen, interrupts: Interrupts, *, keep_open: bool, show_prompt: bool
    ) -> None:
        self._session = session
        self._screen = screen
        self._interrupts = interrupts
        self._transcript = Transcript(session.call.secrets)
        self._keep_open = keep_open
        self._show_prompt = show_prompt
        self._view = ""

    async def hold(self) -> None:
        """Take turns until the call ends, or the person leaves."""
        session = self._session
        for item in self._transcript.read(await session.new_records()):
            self._screen.item(item)
        self._screen.end_turn()
        session.call.hear(self._screen.words)
        session.call.listen(self._show)
        if session.unanswered is not None:
            await self._take_turn(session.say_again())
        while not session.ended:
            self._show_standing()
            text = await self._ask()
            if text is None:
                return
            if text.strip():
                await self._take_turn(session.say(text))

    async def _ask(self) -> str | None:
        """Wait for the caller's next line; None when the caller has left, by ctrl-C or the end of the input."""
        asking = asyncio.ensure_future(in_thread(self._screen.ask))
        stays = False
        with _terminal_as_it_was(), self._interrupts.calling(asking.cancel):
            try:
                return await asking
            except EOFError:
                stays = self._keep_open
            except asyncio.CancelledError:  # ctrl-C
                pass
        self._screen.line()
        if not stays:
            await self._session.call.hang_up()
        return None

    async def _take_turn(self, say: Awaitable[Reply]) -> None:
        call = self._session.call
        turn = asyncio.ensure_future(say)
        leaving: list[asyncio.Future[None]] = []
        presses = 0

        def press() -> None:
            nonlocal presses
            presses += 1
            if presses == 1:
                self._screen.wait("cutting in …")
                call.interrupt()
            elif presses == 2:
                self._screen.wait("ending the call after this; ctrl-C leaves at once …")
                leaving.append(asyncio.ensure_future(call.hang_up()))
            else:
                turn.cancel()

        self._screen.begin_turn()
        with self._interrupts.calling(press):
            try:
                await turn
                await asyncio.gather(*leaving)
            except asyncio.CancelledError as left:
                self._screen.line("\nLeft while something was running.")
                raise typer.Exit(130) from left
        self._screen.end_turn()

    def _show(self, entry: Entry) -> None:
        """Show an entry as it is stored; the words of both sides are on the screen already."""
        for item in self._transcript.feed(entry):
            if item.kind not in ("you", "agent"):
                self._screen.item(item)
        running = self._transcript.running()
        if running is not None:
            self._screen.wait(f"· {running} …")
        elif entry.type == "tool.result":
            self._screen.wait()

    def _show_standing(self) -> None:
        """Show where the conversation stands, and the prompt where that is wanted and has changed."""
        course = course_of(self._session.call.agent)
        if self._show_prompt:
            prompt = read_prompt(course, static=not self._view)
            view = prompt.blocks[-1].text
            if view != self._view:
                self._view = view
                self._screen.line()
                print_prompt(prompt, open_console())
        answering = (ANSWER_TOOL,) if self._transcript.asks else ()
        self._screen.standing(course.stage or None, (*course.offered(heard=True).names, *answering))


@contextlib.contextmanager
def _terminal_as_it_was() -> Iterator[None]:
    """Give the terminal back as it was, also when a line was begun and never ended."""
    try:
        import readline  # noqa: F401 - gives `input` its line editor, where the system has one
        import termios
    except ImportError:
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
