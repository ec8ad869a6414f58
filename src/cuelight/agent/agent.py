"""The class that authors subclass."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from cuelight.agent.consent import LANGUAGES, is_consent
from cuelight.agent.declared_names import Setting
from cuelight.agent.limits import Limits
from cuelight.agent.stateful import Stateful
from cuelight.agent.wording import Wording
from cuelight.errors import OutsideHandler

if TYPE_CHECKING:
    from cuelight.agent.calls import CallHandle

__all__ = ["Agent"]


def _are_lines(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple | list) and all(isinstance(line, str) for line in value))


def _is_wording(value: Any) -> bool:
    return isinstance(value, Wording) or (
        isinstance(value, Mapping) and all(isinstance(one, Wording) for one in value.values())
    )


class Agent(Stateful):
    """Govern one conversation: subclass this.

    Annotated public attributes are the call's state, `@tool` methods are what the model may call, public properties are
    derived state, the docstring and `render()` are the prompt. Each call has an instance of its own. Services that are
    no state come in through `__init__` and live under underscore names.
    """

    __framework__ = True
    __plain__ = frozenset({"consents", "render"})
    __settings__ = MappingProxyType(
        {
            "limits": Setting(lambda value: isinstance(value, Limits), "a Limits, as in `limits = Limits(tool_s=10)`"),
            "model": Setting(
                lambda value: value is None or (isinstance(value, str) and bool(value)),
                "the model's name, as in `model = 'openai:gpt-5'`, or None",
            ),
            "rules": Setting(_are_lines, "one text, or a tuple of texts"),
            "knowledge": Setting(_are_lines, "one text, or a tuple of texts"),
            "language": Setting(
                lambda value: value in LANGUAGES, f"the language that callers answer in, one of {', '.join(LANGUAGES)}"
            ),
            "wording": Setting(_is_wording, "a Wording, or one for each language, as in {'de': Wording(...)}"),
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

    language: ClassVar[str] = "en"
    """The language in which a caller's yes and no are understood."""
    wording: ClassVar[Wording | Mapping[str, Wording]] = Wording()
    """What is said about confirmations, to the model and by code; or that for each language."""

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

    def consents(self, said: str) -> bool | None:
        """Judge whether the caller's words are a yes to what they were asked, which no tool runs without.

        This one knows clear yeses and noes of the agent's language. A question, a condition, a number or a correction
        beside a yes makes it neither.

        Args:
            said: what the caller said after the phrase.

        Returns:
            True for a yes, False for a no, None for neither.
        """
        return is_consent(said, self.language)

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
