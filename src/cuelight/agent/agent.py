"""The class that authors subclass."""

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from cuelight.agent.declared_names import Setting
from cuelight.agent.limits import Limits
from cuelight.agent.stateful import Stateful
from cuelight.errors import OutsideHandler

if TYPE_CHECKING:
    from cuelight.agent.calls import CallHandle

__all__ = ["Agent"]


def _are_lines(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple | list) and all(isinstance(line, str) for line in value))


class Agent(Stateful):
    """Govern one conversation: subclass this.

    Annotated public attributes are the call's state, `@tool` methods are what the model may call, public properties are
    derived state, the docstring and `render()` are the prompt. Each call has an instance of its own. Services that are
    no state come in through `__init__` and live under underscore names.
    """

    __framework__ = True
    __plain__ = frozenset({"render"})
    __settings__ = MappingProxyType(
        {
            "limits": Setting(lambda value: isinstance(value, Limits), "a Limits, as in `limits = Limits(tool_s=10)`"),
            "model": Setting(
                lambda value: value is None or (isinstance(value, str) and bool(value)),
                "the model's name, as in `model = 'openai:gpt-5'`, or None",
            ),
            "rules": Setting(_are_lines, "one text, or a tuple of texts"),
            "knowledge": Setting(_are_lines, "one text, or a tuple of texts"),
            "fallback_line": Setting(
                lambda value: isinstance(value, str) and bool(value.strip()), "a line that can be spoken"
            ),
        }
    )

    limits: ClassVar[Limits] = Limits()
    """What one turn may cost."""
    model: ClassVar[str | None] = None
    """The model to use, as `provider:name`, unless the surroundings name another."""
    rules: ClassVar[str | tuple[str, ...]] = ()
    """What the agent must always or never do; part of the prompt that stays the same."""
    knowledge: ClassVar[str | tuple[str, ...]] = ()
    """What the agent knows; part of the prompt that stays the same."""
    fallback_line: ClassVar[str] = "I'm sorry, something went wrong on my side. Could you say that again?"
    """What code says when the model has failed to."""

    _call: "CallHandle | None" = None

    @property
    def call(self) -> "CallHandle":
        """The live call.

        Raises:
            OutsideHandler: when the instance is in no call.
        """
        if self._call is None:
            raise OutsideHandler(
                f"This {type(self).__name__} is in no call, so `self.call` says nothing. Open one, in a test with "
                "`cuelight.testing.rehearse`."
            )
        return self._call

    def render(self) -> str:
        """Say what the model should know and do now; computed before each request, from the state."""
        return ""

    def on_call(self) -> Any:
        """Run when a call opens, before the first word. May be async."""

    def on_end(self, reason: str) -> Any:
        """Run when the call has ended, for what is to be put away. May be async.

        Args:
            reason: why it ended, as in the `call.ended` entry.
        """

    def on_event(self, name: str, data: dict[str, Any]) -> Any:
        """Run when something from outside reaches the call. May be async.

        Args:
            name: the event's name.
            data: what came with it, plain JSON values.
        """
