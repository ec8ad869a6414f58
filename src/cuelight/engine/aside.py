"""What happens between turns: a hook, and the routes that it and the steps it leads to return."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cuelight.engine.handlers import Handler
from cuelight.engine.replies import Reply, default_type, in_words
from cuelight.engine.steering import Steering
from cuelight.flow import HttpContentType

if TYPE_CHECKING:
    from cuelight.engine.context import CallContext

__all__ = ["Aside"]


class Aside:
    """Host a hook between turns, and gather what it asks for; made for it, and thrown away with it.

    Args:
        context: the call.
        speak: says a line as a turn of its own, and gives that turn's id.
    """

    def __init__(self, context: "CallContext", speak: Callable[[str, str], str]) -> None:
        self._context = context
        self._speak = speak
        self.steering = Steering(context, self)
        self.instructions: str | None = None
        """What the model is to be asked for, where it is."""
        self.shown: Reply | None = None
        """What the caller was given."""
        self.stopped = False

    def follow(self, handler: Handler) -> None:
        """Do what a handler asked for beside its result."""
        self._context.forget(handler)
        if handler.reply is not None:
            self.instructions = handler.reply
        if handler.end is not None:
            self._context.ended = handler.end

    def deliver(self, content: Any, shown: Any, content_type: HttpContentType | None) -> None:
        """Give the caller content as it is."""
        text = in_words(content)
        speech_id = self._speak(text, "direct")
        kind = content_type or default_type(content)
        delivered = {"speech_id": speech_id, "content": content, "content_type": str(kind), "attempts": 0}
        self._context.journal.write("cue.delivered", delivered)
        self.shown = Reply(text=text, content=content, content_type=kind, speech_id=speech_id)

    def stop_at(self, limit: str, value: float) -> None:
        """Stop at a limit; the next turn begins where this ended."""
        self._context.tell_limit(limit, value)
        self.stopped = True
