"""The model's view of a call: what it reads as the conversation so far, projected from the log.

The projection is fed entry by entry, with private values in their places, and is valid at every point where a model
may be asked: each tool call stands with its one result, an interrupted turn holds what was heard, and trimming takes
whole exchanges. Feeding the stored log again gives an equal history.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

__all__ = ["CUT_BY_CALLER", "CUT_BY_FAULT", "History", "Message", "ToolUse", "without_marks"]

CUT_BY_CALLER = "[the caller cut in here]"
CUT_BY_FAULT = "[cut off here by a fault]"
NO_WORDS = "[the caller said nothing]"
UNSETTLED = "It is not known whether this call was carried out."


# As they are read, not as they are written: with spaces, and with line breaks that JSON has escaped.
_MARKS = re.compile(r"<(?:[\s/]|\\[nrt])*now(?:[\s/]|\\[nrt])*>", re.IGNORECASE)


def without_marks(text: str) -> str:
    """Take from a text the marks between which a prompt's view stands, so that no one can imitate it."""
    return _MARKS.sub("now", text)


_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_OF_A_NAME = re.compile(r"[^A-Za-z0-9_-]")


def _legal(name: str) -> str:
    """Give a tool's name as providers take it: one that a model made up is refused in every later request otherwise."""
    if _NAME.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]  # keeps different names different
    return f"{_NOT_OF_A_NAME.sub('_', name)[:55]}_{digest}"


class ToolUse(msgspec.Struct, frozen=True):
    """Hold one tool call of an assistant message.

    `name` is one that providers take, also where the model made up another; `arguments` is a JSON object as text.
    """

    id: str
    name: str
    arguments: str


class Message(msgspec.Struct, frozen=True):
    """Hold one message of the history: role user, assistant or tool."""

    role: Literal["user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolUse, ...] = ()
    tool_call_id: str | None = None

    def plain(self) -> dict[str, Any]:
        """Give the message as a dict of `role` and `content`, and `tool_calls` or `tool_call_id` if it has them."""
        plain: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.tool_calls:
            plain["tool_calls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in self.tool_calls]
        if self.tool_call_id is not None:
            plain["tool_call_id"] = self.tool_call_id
        return plain


class _Batch:
    """A reply whose calls are not all settled: nothing of it is in the messages yet."""

    __slots__ = ("arguments", "names", "results", "speech_id", "text")

    def __init__(self, speech_id: str, text: str, calls: list[dict[str, Any]]) -> None:
        self.speech_id = speech_id
        self.text = text
        self.names: dict[str, str] = {call["call_id"]: call["name"] for call in calls}
        self.arguments: dict[str, str] = {}
        self.results: dict[str, str] = {}


class History:
    """Project a call's log to the messages a model is sent.

    Args:
        previews: for tools that return long lists, how many rows of one the model reads, by tool name.
        exchanges: how many exchanges are kept (an exchange starts with the caller's words); None keeps all. When the
            number is passed, the oldest quarter goes at once, so that the beginning the provider caches changes rarely.
    """

    def __init__(self, previews: Mapping[str, int] | None = None, exchanges: int | None = None) -> None:
        self.messages: list[Message] = []
        self._previews = dict(previews or {})
        self._exchanges = exchanges
        self._starts: list[int] = []
        self._batch: _Batch | None = None
        self._later: list[tuple[str, str]] = []
        # Where each line spoken in the newest turn stands, and its words: an interruption cuts them to what was heard.
        self._spoken: list[tuple[int, str]] = []
        self._speech_id = ""
        self.projections: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
            "turn.user": self._turn_user,
            "turn.agent": self._turn_agent,
            "tool.call": self._tool_call,
            "tool.result": self._tool_result,
            "cue.reply": self._reply,
            "cue.said": self._said,
            "cue.crossing": self._crossing,
            "cue.heard": self._heard,
        }
        """What each type of entry does; other types change nothing."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, History) and self.messages == other.messages

    __hash__ = None  # type: ignore[assignment]

    @property
    def newest_words(self) -> int:
        """Give the index of the message that holds the caller's newest words."""
        return self._starts[-1]

    def again(self) -> "History":
        """Give an empty history with the same settings."""
        return History(self._previews, self._exchanges)

    def ahead(self, text: str) -> "History":
        """Give the history as it will be once the caller has said these words; this one stays as it is."""
        ahead = self.again()
        ahead.messages, ahead._starts = list(self.messages), list(self._starts)
        ahead.feed("turn.user", {"text": text})
        return ahead

    def feed(self, type: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the wire's own word
        """Take in one entry, by its type and its data with private values in place; unknown types change nothing."""
        handler = self.projections.get(type)
        if handler is not None:
            handler(data)

    # --- what each entry does -----------------------------------------------------------------------------------------

    def _turn_user(self, data: Mapping[str, Any]) -> None:
        if self._batch is not None:  # a log that ends inside a batch and goes on: its calls get the honest result
            for call_id in self._batch.names:
                self._batch.results.setdefault(call_id, UNSETTLED)
            self._settle(self._batch)
        self._spoken.clear()
        self._trim()
        self._starts.append(len(self.messages))
        self.messages.append(Message("user", without_marks(data["text"]) if data["text"].strip() else NO_WORDS))

    def _crossing(self, data: Mapping[str, Any]) -> None:
        if data.get("message"):
            self.messages.append(Message("user", without_marks(data["message"])))

    def _reply(self, data: Mapping[str, Any]) -> None:
        text = data["text"].strip()
        if data["calls"]:
            self._batch = _Batch(data.get("speech_id", ""), text, data["calls"])
        elif text:
            self._speak(data.get("speech_id", ""), text, f"{text} {CUT_BY_FAULT}" if data.get("cut") else text)

    def _said(self, data: Mapping[str, Any]) -> None:
        if data["by"] == "model":
            return  # its reply holds these words
        if self._batch is None:
            self._speak(data.get("speech_id", ""), data["text"], data["text"])
        else:  # said while a tool ran: nothing may stand between a call and its result
            self._later.append((data.get("speech_id", ""), data["text"]))

    def _tool_call(self, data: Mapping[str, Any]) -> None:
        if self._batch is not None:
            self._batch.arguments[data["call_id"]] = msgspec.json.encode(data["arguments"]).decode()

    def _tool_result(self, data: Mapping[str, Any]) -> None:
        batch = self._batch
        if batch is None or data["call_id"] not in batch.names:
            return
        batch.results[data["call_id"]] = without_marks(self._read(data))
        if len(batch.results) == len(batch.names):
            self._settle(batch)

    def _turn_agent(self, data: Mapping[str, Any]) -> None:
        if not data["interrupted"]:
            return
        self._turn_to(data.get("speech_id", ""))
        rest = self._keep_heard(data["text"])
        if rest:  # heard of a reply that nothing else was written of
            self.messages.append(Message("assistant", f"{rest} {CUT_BY_CALLER}"))

    def _heard(self, data: Mapping[str, Any]) -> None:
        if data.get("speech_id", "") == self._speech_id:
            self._keep_heard(data["text"])

    # --- how they do it -----------------------------------------------------------------------------------------------

    def _speak(self, speech_id: str, text: str, content: str) -> None:
        self._note(speech_id, text)
        self.messages.append(Message("assistant", content))

    def _note(self, speech_id: str, text: str) -> None:
        """Remember that the message about to be added holds spoken words."""
        self._turn_to(speech_id)
        self._spoken.append((len(self.messages), text))

    def _turn_to(self, speech_id: str) -> None:
        """Forget where the lines of an earlier turn stand."""
        if speech_id != self._speech_id:
            self._spoken.clear()
            self._speech_id = speech_id

    def _read(self, data: Mapping[str, Any]) -> str:
        error = data.get("error")
        if error is not None:
            return str(error)
        output = data.get("output")
        if isinstance(output, str):
            return output
        rows = self._previews.get(data["name"])
        if rows is not None and isinstance(output, list) and len(output) > rows:
            shown = msgspec.json.encode(output[:rows]).decode()
            return f"{shown} (the first {rows} of {len(output)})"
        return msgspec.json.encode(output).decode()

    def _settle(self, batch: _Batch) -> None:
        calls = tuple(ToolUse(one, _legal(name), batch.arguments.get(one, "{}")) for one, name in batch.names.items())
        if batch.text:
            self._note(batch.speech_id, batch.text)
        self.messages.append(Message("assistant", batch.text, calls))
        self.messages.extend(Message("tool", batch.results[one], tool_call_id=one) for one in batch.names)
        self._batch = None
        for speech_id, line in self._later:
            self._speak(speech_id, line, line)
        self._later.clear()

    def _keep_heard(self, heard: str) -> str:
        """Cut the turn's spoken lines down to what reached the caller's ear, in the order they were spoken.

        Gives what was heard and is in none of them.
        """
        rest = heard.split()  # word by word: a recogniser, or a line break between pieces, spaces them its own way
        unheard: list[int] = []
        for index, text in self._spoken:
            message = self.messages[index]
            words = text.split()
            whole = rest[: len(words)] == words
            kept = text if whole else " ".join(rest)
            rest = rest[len(words) :] if whole else []
            if kept and not rest:
                kept = f"{kept} {CUT_BY_CALLER}"
            if kept or message.tool_calls:
                self.messages[index] = msgspec.structs.replace(message, content=kept)
            else:
                unheard.append(index)
        for index in reversed(unheard):
            del self.messages[index]
        self._spoken.clear()
        return " ".join(rest)

    def _trim(self) -> None:
        if self._exchanges is None or len(self._starts) < self._exchanges:
            return
        dropped = max(1, self._exchanges // 4)
        first = self._starts[dropped] if dropped < len(self._starts) else len(self.messages)
        del self.messages[:first]
        self._starts = [start - first for start in self._starts[dropped:]]
