"""What an author sees of the live call: `self.call`."""

from typing import Any, Protocol

__all__ = ["CallHandle", "ToolHandle"]


class ToolHandle(Protocol):
    """Name the tool call being run."""

    @property
    def name(self) -> str:
        """The tool's name."""
        ...

    @property
    def key(self) -> str:
        """The idempotency key of this tool call: the same however often it is tried, another for every other call."""
        ...


class CallHandle(Protocol):
    """Act on the live call from a handler. Everything here may also be used from the thread of a `def` handler."""

    @property
    def id(self) -> str:
        """The call's id."""
        ...

    @property
    def channel(self) -> str:
        """How the caller reaches the agent: terminal, api, phone, web, ..."""
        ...

    @property
    def caller(self) -> dict[str, Any] | None:
        """What is known of the caller, as in the `call.started` entry."""
        ...

    @property
    def tool(self) -> ToolHandle:
        """The tool call being run.

        Raises:
            OutsideHandler: where no tool is running.
        """
        ...

    def speak(self, text: str) -> None:
        """Say a line, word for word, now: the model does not change it and hears that it was said.

        Raises:
            OutsideHandler: where no handler is running.
        """
        ...

    def reply(self, instructions: str | None = None) -> None:
        """Let the model speak once the handler is done: first, or again.

        Args:
            instructions: what it should do, for this reply alone.

        Raises:
            OutsideHandler: where no handler is running.
        """
        ...

    def log(self, name: str, data: dict[str, Any] | None = None) -> None:
        """Write a line of the author's own into the log, a `custom` entry.

        Raises:
            OutsideHandler: where no handler is running.
        """
        ...

    def forget(self, memory: str = "") -> None:
        """Clear a history once the handler is done, but for what the caller has just said.

        The calls of the reply that is being run stay, so that the model reads their results.

        Args:
            memory: a step's `memory`; empty is the history of the call.

        Raises:
            OutsideHandler: where no handler is running.
        """
        ...

    def end(self, reason: str = "agent_hung_up") -> None:
        """End the call once the handler is done; nothing runs afterwards but `on_end`.

        Raises:
            OutsideHandler: where no handler is running.
        """
        ...
