"""The gate: which tools the model may call now. One function, computed from the state each time it is asked."""

from typing import TYPE_CHECKING

from .cells import Frame, open_frame
from .tools import Tool

if TYPE_CHECKING:
    from .stateful import Stateful

__all__ = ["Gate", "visible"]


class Gate:
    """Say which tools are visible, in the order the class declares them, and which `when` could not be asked."""

    __slots__ = ("failures", "names", "tools")

    def __init__(self, tools: tuple[Tool, ...], failures: tuple[tuple[str, Exception], ...]) -> None:
        self.tools = tools
        self.names = tuple(tool.name for tool in tools)
        self.failures = failures

    def find(self, name: str) -> Tool | None:
        """Give the visible tool of a name."""
        for tool in self.tools:
            if tool.name == name:
                return tool
        return None


def visible(agent: "Stateful") -> Gate:
    """Ask which tools of an agent are visible in the state it is in.

    A tool whose `when` raises is hidden: the gate fails closed. The state is only read.
    """
    stage = getattr(agent, "stage", None)
    settled = agent.__gates__.get(stage)
    if settled is not None:
        return settled
    candidates = [tool for tool in agent.__declaration__.tools if tool.shown_in(stage)]
    if all(tool.when is None for tool in candidates):
        gate = agent.__gates__[stage] = Gate(tuple(candidates), ())  # nothing but the stage decides here
        return gate
    return _asked(agent, candidates)


def _asked(agent: "Stateful", candidates: list[Tool]) -> Gate:
    shown: list[Tool] = []
    failures: list[tuple[str, Exception]] = []
    with open_frame(Frame(agent._cell.ledger, "a `when`", read_only=True)):
        for tool in candidates:
            try:
                if tool.when is None or tool.when(agent):
                    shown.append(tool)
            except Exception as error:  # the author's code: whatever it raises hides the tool
                failures.append((tool.name, error))
    return Gate(tuple(shown), tuple(failures))
