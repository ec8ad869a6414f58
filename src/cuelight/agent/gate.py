"""The gate: which tools the model may call now. One function, computed from the state each time it is asked."""

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING

from cuelight.agent.cells import Frame, Ledger, open_frame
from cuelight.agent.tools import Tool

if TYPE_CHECKING:
    from cuelight.agent.stateful import Stateful

__all__ = ["Gate", "ask", "visible"]


class Gate:
    """Say which tools are visible, in the order the class declares them, and which `when` could not be asked."""

    __slots__ = ("_by_name", "failures", "names", "tools")

    def __init__(self, tools: tuple[Tool, ...], failures: tuple[tuple[str, Exception], ...] = ()) -> None:
        self.tools = tools
        self.names = tuple(tool.name for tool in tools)
        self.failures = failures
        self._by_name = dict(zip(self.names, tools, strict=True))

    def find(self, name: str) -> Tool | None:
        """Give the visible tool of a name."""
        return self._by_name.get(name)


def ask(ledger: Ledger, offers: Iterable[tuple[Tool, "Stateful"]]) -> Gate:
    """Ask the `when` of each of these tools, of the instance whose tool it is; the state is only read."""
    shown: list[Tool] = []
    failures: list[tuple[str, Exception]] = []
    with open_frame(Frame(ledger, "a `when`", read_only=True)):
        for tool, owner in offers:
            try:
                if tool.when is None or _says_yes(tool.when(owner)):
                    shown.append(tool)
            except Exception as error:  # the author's code: whatever it raises hides the tool
                failures.append((tool.name, error))
    return Gate(tuple(shown), tuple(failures))


def visible(agent: "Stateful") -> Gate:
    """Ask which tools of an agent are visible in the state it is in.

    A tool whose `when` raises, or gives something to be awaited or walked, is hidden: the gate fails closed. The state
    is only read.
    """
    declaration = agent.__declaration__
    stage = getattr(agent, "stage", None) if declaration.stages is not None else None
    settled = declaration.gates.get(stage)
    if settled is not None:
        return settled
    return ask(agent._cell.ledger, ((tool, agent) for tool in declaration.tools if tool.shown_in(stage)))


def _says_yes(answer: object) -> bool:
    if hasattr(answer, "__await__"):
        close = getattr(answer, "close", None)
        if close is not None:
            close()
        raise TypeError("it gave something to be awaited, which would always count as a yes; let it wait for nothing")
    if isinstance(answer, Iterator | AsyncIterator):
        raise TypeError("it gave an iterator, which would always count as a yes; ask it with any(...) or all(...)")
    return bool(answer)
