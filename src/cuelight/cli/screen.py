"""Where a conversation is shown: a terminal, in colours and as wide as it is, or plain text for a pipe or a file."""

import re
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console
from rich.text import Text

from cuelight.cli.transcript import Item, clean

__all__ = ["PlainScreen", "Screen", "Wrapper"]

_LABELS = {
    "you": "you    ", "agent": "agent  ", "tool": "       · ", "ask": "       ? ", "error": "       ! ",
    "note": "       ",
}  # fmt: skip
_STYLES = {"you": "bold green", "agent": "bold cyan", "tool": "dim", "ask": "dim", "error": "yellow", "note": "dim"}
_INDENT = 7
_TOKENS = re.compile(r"\s+|\S+")
_NARROWEST = 20


class Wrapper:
    """Wrap words as they stream in, each line beginning under the first.

    Args:
        width: how many cells a line has.
        indent: how many of them are left free; the first line has begun already.
    """

    def __init__(self, width: int, indent: int) -> None:
        self._width = max(width, indent + _NARROWEST)
        self._indent = indent
        self._column = indent
        self._gap = ""
        self._held = ""

    def feed(self, text: str) -> str:
        """Give what can be shown now: a word that may go on is held back, and so is space that may be the last."""
        tokens = _TOKENS.findall(self._held + text)
        self._held = tokens.pop() if tokens and not tokens[-1].isspace() else ""
        return "".join(map(self._place, tokens))

    def finish(self) -> str:
        """Give what was held back."""
        held, self._held = self._held, ""
        return self._place(held) if held else ""

    def _place(self, token: str) -> str:
        if token.isspace():
            self._gap += token
            return ""
        gap, self._gap = self._gap, ""
        lines = min(gap.count("\n"), 2)
        if lines:
            gap = gap.rpartition("\n")[2]
            self._column = self._indent
        size = cell_len(token)
        if not lines and self._column + cell_len(gap) + size > self._width and self._column > self._indent:
            lines, gap, self._column = 1, "", self._indent
        start = ("\n" * lines + " " * self._indent if lines else "") + gap
        self._column += cell_len(gap)
        if self._column + size <= self._width:
            self._column += size
            return start + token
        pieces = chop_cells(token, self._width - self._indent)
        self._column = self._indent + cell_len(pieces[-1])
        return start + ("\n" + " " * self._indent).join(pieces)


class Screen:
    """Show a conversation in a terminal, words as they come."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._wrapper: Wrapper | None = None
        self._labelled = False
        self._waiting = False

    def item(self, item: Item) -> None:
        """Show something that is there as a whole."""
        self._close()
        self._label(item.kind)
        indent = len(_LABELS[item.kind])
        if item.kind in ("tool", "ask"):
            text = _fit(clean(item.text), self._console.width - indent - cell_len(item.tail)) + item.tail
        else:
            wrapper = Wrapper(self._console.width, indent)
            text = wrapper.feed(clean(item.text).strip()) + wrapper.finish()
        self._write(text + "\n", "" if item.kind in ("you", "agent") else _STYLES[item.kind])

    def words(self, text: str, whole: bool) -> None:
        """Show the agent's next words; `whole` says that a piece ends with them."""
        if self._wrapper is None:
            text = text.lstrip()
        if text and self._wrapper is None:
            self._clear()
            self._label("agent")
            self._wrapper = Wrapper(self._console.width, _INDENT)
        if self._wrapper is not None:
            self._write(self._wrapper.feed(clean(text)))
        if whole:
            self._close()

    def wait(self, text: str = "…") -> None:
        """Say what is being waited for, until something else is shown."""
        self._close()
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._write(_fit(" " * _INDENT + clean(text), self._console.width - 1), "dim")
            self._waiting = True

    def begin_turn(self) -> None:
        """Let the agent's next words carry its name, which further pieces of a turn do not repeat."""
        self._labelled = False
        self.wait()

    def end_turn(self) -> None:
        """Leave nothing half shown."""
        self._close()
        self._labelled = False

    def line(self, text: str = "", style: str = "dim") -> None:
        """Show a line of the command's own; one that is indented is there to be copied, and is not wrapped."""
        self._close()
        self._console.print(Text(clean(text), style=style), highlight=False, soft_wrap=text.startswith(" "))

    def standing(self, stage: str | None, tools: Iterable[str]) -> None:
        """Show where the conversation stands: one line above the caller's next words."""
        self._close()
        parts = [f"stage {stage}"] if stage is not None else []
        parts.append(f"tools {', '.join(tools) or 'none'}")
        row = _fit(" " * _INDENT + " · ".join(parts), self._console.width)
        self._write(f"\n{row}\n", "dim")

    def ask(self) -> str:
        """Wait for the caller's next line.

        Raises:
            EOFError: there is no more.
        """
        label = _LABELS["you"]
        if self._console.color_system is None:
            return input(label)
        style = "1" if self._console.no_color else "1;32"
        # What is between these marks takes no room, as far as the line editor is concerned.
        return input(f"\x01\x1b[{style}m\x02{label}\x01\x1b[0m\x02")

    def _label(self, kind: str) -> None:
        repeated = kind == "agent" and self._labelled
        self._labelled = kind != "you" and (self._labelled or kind == "agent")
        self._write(" " * _INDENT if repeated else _LABELS[kind], _STYLES[kind])

    def _close(self) -> None:
        self._clear()
        if self._wrapper is not None:
            self._write(self._wrapper.finish() + "\n")
            self._wrapper = None

    def _clear(self) -> None:
        if self._waiting:
            self._waiting = False
            self._console.file.write("\r\x1b[2K")

    def _write(self, text: str, style: str = "") -> None:
        if text:
            self._console.print(Text(text, style=style), end="", soft_wrap=True, highlight=False)


def _fit(text: str, width: int) -> str:
    """Cut text to one line of a width."""
    row = text.replace("\n", " ")
    return row if cell_len(row) <= width else set_cell_size(row, max(width - 1, 0)) + "…"


class PlainScreen:
    """Show a conversation as plain text, each piece on one line however long."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout

    def item(self, item: Item) -> None:
        """Show something that is there as a whole."""
        text = clean(item.text + item.tail).strip().replace("\n", "\n" + " " * _INDENT)
        self.line(_LABELS[item.kind] + text)

    def line(self, text: str = "") -> None:
        """Show a line of the command's own."""
        self._out.write(clean(text) + "\n")
        self._out.flush()
