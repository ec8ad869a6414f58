"""What a turn gives the caller: everything spoken in it, each piece once and in order, and content given by code."""

from typing import TYPE_CHECKING, Any

from cuelight.engine.replies import Reply, default_type, in_words
from cuelight.flow import HttpContentType
from cuelight.wire import whole_text

if TYPE_CHECKING:
    from cuelight.engine.context import CallContext

__all__ = ["Speech"]


class Speech:
    """Speak in one turn.

    Args:
        context: the call.
        speech_id: the turn's id.
    """

    def __init__(self, context: "CallContext", speech_id: str) -> None:
        self._context = context
        self._id = speech_id
        self._began = context.clock.monotonic()
        self.pieces: list[str] = []
        self.content_type: HttpContentType | None = None
        self.first_words_after: float | None = None
        """Seconds until the first words, by model or code."""
        self.cut = False
        """Whether the caller has cut in: what comes after that is written down, and not heard."""
        self.heard: str | None = None
        """What of an interrupted turn was heard; None is all that was spoken until then."""
        self._content: Any = None
        self._shown: Any = None

    def pass_on(self, words: str) -> None:
        """Pass the model's words on as they come."""
        self._time_words()
        self._context.journal.utter(self._id, words, whole=False)

    def say(self, text: str, by: str, *, passed_on: bool = False) -> None:
        """Speak a line.

        Args:
            text: the line.
            by: who speaks: the model, code, or a handler's `direct`.
            passed_on: whether its words were passed on already, as they came, so that the line is only closed.
        """
        if not text.strip():
            return
        text = whole_text(text)
        self._context.journal.write("cue.said", {"speech_id": self._id, "by": by, "text": text})
        if self.cut:
            return
        self.pieces.append(text)
        if not passed_on:
            self._time_words()
        self._context.journal.utter(self._id, "" if passed_on else text, whole=True)

    def say_cut(self, text: str, passed_on: str) -> None:
        """Write a reply that the caller cut into; what had been passed on by then was spoken."""
        if text:
            self._context.journal.write("cue.said", {"speech_id": self._id, "by": "model", "text": text})
        if passed_on:
            self.pieces.append(passed_on)
            self._context.journal.utter(self._id, "", whole=True)

    def deliver(self, content: Any, shown: Any, content_type: HttpContentType | None) -> bool:
        """Give content as it is, unless the caller has cut in and nobody is waiting for it; tells whether it was given.

        Args:
            content: plain JSON.
            shown: the same as declarations mask it.
            content_type: what kind it is, where that was said.
        """
        if self.cut:
            return False
        self._content, self._shown = content, shown
        self.content_type = content_type or self.content_type
        self.say(in_words(content), "direct")
        return True

    def write(self, metrics: dict[str, Any]) -> str:
        """Write everything spoken, or heard of it, as the turn's one `turn.agent`; gives the words."""
        text = self.heard if self.cut and self.heard is not None else "\n".join(self.pieces)
        if self.pieces or self.cut:
            data = {"speech_id": self._id, "text": text, "interrupted": self.cut, "metrics": metrics}
            self._context.journal.write("turn.agent", data)
        return text

    def close(self, metrics: dict[str, Any], *, attempts: int, message_id: str | None) -> Reply:
        """Write the end of the turn, and give the reply.

        Args:
            metrics: of the turn, as `turn.agent` has them.
            attempts: how often the model was asked.
            message_id: the id of the caller's message, where it has one.
        """
        text = self.write(metrics)
        content_type = self.content_type or default_type(self._content)
        delivered: dict[str, Any] = {"speech_id": self._id, "attempts": attempts}
        if message_id is not None:
            delivered["message_id"] = message_id
        shown = dict(delivered)
        if self._content is not None:
            delivered["content"], shown["content"] = self._content, self._shown
        if self._content is not None or self.content_type is not None:
            delivered["content_type"] = shown["content_type"] = str(content_type)
        masked = None if self._shown == self._content else shown
        self._context.journal.write("cue.delivered", delivered, shown=masked)
        return Reply(
            text=text, content=self._content, content_type=content_type, interrupted=self.cut, speech_id=self._id
        )

    def _time_words(self) -> None:
        if self.first_words_after is None:
            self.first_words_after = self._context.clock.monotonic() - self._began
