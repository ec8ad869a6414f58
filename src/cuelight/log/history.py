"""The model's view of a call: what it reads as the conversation so far, projected from the log.

The projection is fed entry by entry, with private values in their places, and is valid at every point where a model
may be asked: each tool call stands with its one result, an interrupted turn holds what was heard, and trimming takes
whole exchanges. Feeding the stored log again gives an equal history.

Steps may have memories of their own: then what is said while one of them is current goes there, and nowhere else.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from cuelight.log.memory import Line, Memory, Spoken
from cuelight.log.message import CUT_BY_CALLER, CUT_BY_FAULT, Message, ToolUse, legal_name, without_marks

__all__ = ["History"]

NO_WORDS = "[the caller said nothing]"
UNSETTLED = "It is not known whether this call was carried out."

_OF_THE_CALL = ""


class _Batch:
    """A reply whose calls are not all settled: nothing of it is in the messages yet."""

    __slots__ = ("arguments", "later", "line", "memory", "names", "results")

    def __init__(self, memory: Memory, text: str, calls: list[dict[str, Any]]) -> None:
        self.memory = memory
        self.line = Line(memory, text, text)
        self.names: dict[str, str] = {call["call_id"]: call["name"] for call in calls}
        self.arguments: dict[str, str] = {}
        self.results: dict[str, str] = {}
        self.later: list[Line] = []
        """Lines said while its tools ran: nothing may stand between a call and its result."""


class History:
    """Project a call's log to the messages a model is sent.

    Args:
        previews: for tools that return long lists, how many rows of one the model reads, by tool name.
        exchanges: how many exchanges each memory keeps (an exchange starts with the caller's words); None keeps all.
            When the number is passed, the oldest quarter goes at once, so that the beginning the provider caches
            changes rarely.
        memories: the names of the steps' memories, by step. A step that is not in it has the call's own memory, whose
            name is empty; one whose name is None has none, and leaves current whichever is.
        waiting: what stands as the result of a call that waits for the caller's yes; its `{phrase}`, `{tool}` and
            `{call_id}` are filled in.
    """

    def __init__(
        self,
        previews: Mapping[str, int] | None = None,
        exchanges: int | None = None,
        memories: Mapping[str, str | None] | None = None,
        waiting: str = "{phrase}",
    ) -> None:
        self._waiting = waiting
        self._previews = dict(previews or {})
        self._exchanges = exchanges
        self._steps = dict(memories) if memories and any(memories.values()) else {}
        names = {_OF_THE_CALL, *(name for name in self._steps.values() if name is not None)}
        self._memories = {name: Memory(exchanges) for name in names}
        self._name = _OF_THE_CALL
        self._current = self._memories[_OF_THE_CALL]
        self._words: Message | None = None
        """The caller's newest words, while the turn that they began is open."""
        self._turn: tuple[str | None, str | None] = (None, None)
        """The ids of that turn and of the message it answers."""
        self._batch: _Batch | None = None
        self._held: str | None = None
        """The turn whose last reply was held, without calls: what is said of it is in no reply yet."""
        self._spoken = Spoken()
        self.projections: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
            "turn.user": self._turn_user,
            "turn.agent": self._turn_agent,
            "tool.call": self._tool_call,
            "tool.result": self._tool_result,
            "confirm.request": self._confirm_request,
            "cue.reply": self._reply,
            "cue.said": self._said,
            "cue.crossing": self._crossing,
            "cue.delivered": self._delivered,
            "cue.heard": self._heard,
            "cue.forgotten": self._forgotten,
            **({"state.changed": self._state_changed} if self._steps else {}),
        }
        """What each type of entry does; other types change nothing."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, History) and (self._name, self._memories) == (other._name, other._memories)

    __hash__ = None  # type: ignore[assignment]

    @property
    def messages(self) -> list[Message]:
        """Give the messages of the memory that is current: for each memory the same list throughout the call."""
        return self._current.messages

    @property
    def newest_words(self) -> int:
        """Give the index, in these messages, of the caller's newest words.

        While a turn of the caller's is open they are there, in whichever memory is current.
        """
        return self._current.start

    def again(self) -> "History":
        """Give an empty history with the same settings."""
        return History(self._previews, self._exchanges, self._steps, self._waiting)

    def ahead(self, text: str) -> "History":
        """Give the history as it will be once the caller has said these words; this one stays as it is.

        It holds the current memory alone.
        """
        ahead = self.again()
        ahead._name = self._name
        ahead._memories[ahead._name] = ahead._current = self._current.copy()
        ahead.feed("turn.user", {"text": text})
        return ahead

    def feed(self, type: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the wire's own word
        """Take in one entry, by its type and its data with private values in place; unknown types change nothing."""
        handler = self.projections.get(type)
        if handler is not None:
            handler(data)

    def stand(self, stage: str | None) -> None:
        """Make the memory of a step the current one: what feeding a `state.changed` does, without its whole state.

        In a turn that the caller's words began, a memory that does not hold them begins an exchange with them.

        Args:
            stage: the step that the call is in from here on; None where there are none.
        """
        if not self._steps:
            return
        name = _OF_THE_CALL if stage is None else self._steps.get(stage, _OF_THE_CALL)
        if name is None:
            return
        self._name, self._current = name, self._memories[name]
        if self._words is not None and self._current.words is not self._words:
            self._current.begin(self._words)

    # --- what each entry does -----------------------------------------------------------------------------------------

    def _turn_user(self, data: Mapping[str, Any]) -> None:
        self._break_off()
        self._spoken.turn_to(data.get("speech_id", ""))
        self._turn = (data.get("speech_id"), data.get("item_id"))
        self._words = Message("user", without_marks(data["text"]) if data["text"].strip() else NO_WORDS)
        self._current.begin(self._words)

    def _delivered(self, data: Mapping[str, Any]) -> None:
        speech_id, item_id = self._turn
        # A turn that broke off is answered under another id when its message is sent again.
        if data.get("speech_id") == speech_id or (item_id is not None and data.get("message_id") == item_id):
            self._words = None

    def _state_changed(self, data: Mapping[str, Any]) -> None:
        stage = data["state"].get("stage")
        self.stand(stage if isinstance(stage, str) else None)

    def _crossing(self, data: Mapping[str, Any]) -> None:
        if data.get("message"):
            self._current.messages.append(Message("user", without_marks(data["message"])))

    def _forgotten(self, data: Mapping[str, Any]) -> None:
        memory = self._memories.get(data["memory"])
        if memory is None:
            return
        self._spoken.forget(memory)
        memory.clear()
        if memory is self._current:
            if self._words is not None:  # the model goes on answering them
                memory.begin(self._words)
        elif self._batch is not None and self._batch.memory is memory:
            self._batch = None  # nobody waits in that memory for its results

    def _reply(self, data: Mapping[str, Any]) -> None:
        self._break_off()
        text, speech_id, held = data["text"].strip(), data.get("speech_id", ""), bool(data.get("held"))
        self._held = None
        if data["calls"]:
            self._batch = _Batch(self._current, text, data["calls"])
            if text and not held:
                self._spoken.note(speech_id, self._batch.line)
        elif held:
            self._held = speech_id
        elif text:
            self._speak(speech_id, Line(self._current, text, f"{text} {CUT_BY_FAULT}" if data.get("cut") else text))

    def _said(self, data: Mapping[str, Any]) -> None:
        speech_id = data.get("speech_id", "")
        if data["by"] != "model" or self._held == speech_id:  # otherwise its reply holds these words
            self._speak(speech_id, Line(self._current, data["text"], data["text"]))

    def _tool_call(self, data: Mapping[str, Any]) -> None:
        if self._batch is not None:
            self._batch.arguments[data["call_id"]] = msgspec.json.encode(data["arguments"]).decode()

    def _tool_result(self, data: Mapping[str, Any]) -> None:
        batch = self._batch
        if batch is None or data["call_id"] not in batch.names:
            return
        self._give(batch, data["call_id"], self._read(data))

    def _confirm_request(self, data: Mapping[str, Any]) -> None:
        batch = self._batch
        if batch is not None and data["call_id"] in batch.names:
            result = self._waiting
            for name in ("call_id", "tool", "phrase"):  # nothing in the phrase is taken for a place
                result = result.replace(f"{{{name}}}", data[name])
            self._give(batch, data["call_id"], result)

    def _give(self, batch: _Batch, call_id: str, result: str) -> None:
        """Give a call of a batch what the model reads as its result; the last one settles the batch."""
        batch.results[call_id] = without_marks(result)
        if len(batch.results) == len(batch.names):
            self._settle(batch)

    def _turn_agent(self, data: Mapping[str, Any]) -> None:
        if not data["interrupted"]:
            return
        self._spoken.turn_to(data.get("speech_id", ""))
        rest = self._spoken.keep_heard(data["text"])
        if rest:  # heard of a reply that nothing else was written of
            self._current.messages.append(Message("assistant", f"{rest} {CUT_BY_CALLER}"))

    def _heard(self, data: Mapping[str, Any]) -> None:
        if data.get("speech_id", "") == self._spoken.speech_id:
            self._spoken.keep_heard(data["text"])

    # --- how they do it -----------------------------------------------------------------------------------------------

    def _speak(self, speech_id: str, line: Line) -> None:
        self._spoken.note(speech_id, line)
        if self._batch is not None and self._batch.memory is line.memory:
            self._batch.later.append(line)
        else:
            line.place()

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

    def _break_off(self) -> None:
        """Give the calls of a batch that the log goes on without the honest result."""
        if self._batch is not None:
            for call_id in self._batch.names:
                self._batch.results.setdefault(call_id, UNSETTLED)
            self._settle(self._batch)

    def _settle(self, batch: _Batch) -> None:
        self._batch = None
        calls = (ToolUse(one, legal_name(name), batch.arguments.get(one, "{}")) for one, name in batch.names.items())
        batch.line.place(tuple(calls))
        messages = batch.memory.messages
        messages.extend(Message("tool", batch.results[one], tool_call_id=one) for one in batch.names)
        for line in batch.later:
            line.place()
