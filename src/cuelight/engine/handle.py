"""`self.call`, as the engine provides it."""

from typing import Any

import msgspec

from cuelight.agent import ToolHandle, plain_json
from cuelight.engine.handlers import Handler, running_handler
from cuelight.errors import OutsideHandler
from cuelight.wire import whole_text

__all__ = ["LiveHandle"]


class LiveHandle:
    """Let handlers act on their call. What they may do, `cuelight.agent.CallHandle` says."""

    def __init__(self, call: str, channel: str, caller: dict[str, Any] | None) -> None:
        self._call = call
        self._channel = channel
        self._caller = caller

    @property
    def id(self) -> str:
        """The call's id."""
        return self._call

    @property
    def channel(self) -> str:
        """How the caller reaches the agent."""
        return self._channel

    @property
    def caller(self) -> dict[str, Any] | None:
        """What is known of the caller."""
        return self._caller

    @property
    def tool(self) -> ToolHandle:
        """The tool call being run."""
        handler = running_handler()
        if handler is None or handler.tool is None:
            raise OutsideHandler("`self.call.tool` names the tool call being run, and none is. Use it in a tool.")
        return handler

    def speak(self, text: str) -> None:
        """Say a line now."""
        self._handler("speak").say(_text("speak", text))

    def reply(self, instructions: str | None = None) -> None:
        """Let the model speak once the handler is done."""
        self._handler("reply").reply = _text("reply", instructions or "")

    def log(self, name: str, data: dict[str, Any] | None = None) -> None:
        """Write a line of the author's own into the log."""
        plain = msgspec.json.decode(plain_json({} if data is None else data))
        if not isinstance(plain, dict):
            raise TypeError(f"`self.call.log` takes a dict of data, not a value of type {type(data).__name__}.")
        self._handler("log").note(name, plain)

    def forget(self, memory: str = "") -> None:
        """Clear a history once the handler is done."""
        text = _text("forget", memory)
        self._handler("forget").forgotten.append(text)

    def end(self, reason: str = "agent_hung_up") -> None:
        """End the call once the handler is done."""
        self._handler("end").end = _text("end", reason)

    def _handler(self, what: str) -> Handler:
        handler = running_handler()
        if handler is None:
            raise OutsideHandler(
                f"`self.call.{what}` was used where no handler is running. Use it in a tool or a hook."
            )
        handler.admit(what)
        return handler


def _text(what: str, text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"`self.call.{what}` takes text, not a value of type {type(text).__name__}.")
    return whole_text(text)
