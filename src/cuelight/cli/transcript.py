"""A conversation as a person reads it: from its log, so that everything which was said is there, in order."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import msgspec

from cuelight.agent import ANSWER_TOOL
from cuelight.flow import VALIDATED
from cuelight.log import Record, Secrets, disclose, unmasked
from cuelight.wire import Entry

__all__ = ["Item", "Transcript", "brief", "clean", "seconds"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LONGEST = 160
_WORDS = 60


class Item(NamedTuple):
    """Hold one thing that a reader sees: who says or does what; the tail is shown also where the text is cut."""

    kind: Literal["you", "agent", "tool", "ask", "error", "note"]
    text: str
    tail: str = ""


class Transcript:
    """Turn entries into items, in order. Private values are masked, save in the agent's words to the caller.

    Of a call that needs a yes it is said that it waits, and what came of that; the result of one that was declined, and
    that of an answer which settled something, would say it again.
    """

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._running: dict[str, str] = {}
        self._asked: dict[str, str] = {}
        self._silent: set[str] = set()
        """The calls whose result would only say again what was said of a question."""
        self._answer: str | None = None
        """The newest call of the answering tool."""

    def read(self, records: Iterable[Record]) -> Iterator[Item]:
        """Give the items of stored records."""
        for record in records:
            if record.entry.type == "cue.said":
                yield Item("agent", unmasked(record).data["text"])
            else:
                yield from self.feed(record.entry)

    def feed(self, entry: Entry) -> Iterator[Item]:
        """Give the items of one entry, the agent's words left out."""
        data = disclose([Record(entry)], self._secrets)[0].data
        match entry.type:
            case "turn.user":
                yield Item("you", data["text"])
            case "tool.call" if data["name"] == ANSWER_TOOL:
                self._answer = data["call_id"]
            case "tool.call":
                self._running[data["call_id"]] = _call(data["name"], data["arguments"])
            case "tool.result":
                yield from self._result(data)
            case "confirm.request":
                yield self._ask(data)
            case "confirm.granted" | "confirm.declined":
                yield self._answered(data)
            case "turn.agent" if data["interrupted"]:
                yield Item("note", "(cut off)")
            case "error":
                yield Item("error", data["message"])

    def running(self) -> str | None:
        """Say which tool is running."""
        return next(iter(self._running.values()), None)

    @property
    def asks(self) -> bool:
        """Whether some call waits for the caller's yes."""
        return bool(self._asked)

    def _ask(self, data: dict[str, Any]) -> Item:
        self._running.pop(data["call_id"], None)
        self._asked[data["call_id"]] = said = _call(data["tool"], data["arguments"])
        return Item("ask", _cut(said, _LONGEST), " waits for a yes")

    def _answered(self, data: dict[str, Any]) -> Item:
        call, reason = self._asked.pop(data["call_id"], data["tool"]), data.get("reason")
        if self._answer is not None:
            self._silent.add(self._answer)
        if reason is None:
            self._running[data["call_id"]] = call
        else:
            self._silent.add(data["call_id"])
        became = "granted" if reason is None else f"declined ({reason})"
        words = f": {_json(data['said'])}" if data.get("said") else ""
        return Item("ask", _cut(call, _LONGEST), _cut(f" {became}{words}", _WORDS))

    def _result(self, data: dict[str, Any]) -> Iterator[Item]:
        if data["call_id"] == self._answer:
            self._answer = None
        said = self._running.pop(data["call_id"], data["name"])
        if data["call_id"] in self._silent:
            self._silent.remove(data["call_id"])
            return
        failed = data.get("error") is not None
        output = data.get("output")
        outcome = f" failed: {data['error']}" if failed else f" → {brief(output)}" if output != VALIDATED else ""
        took = f" · {seconds(data['duration_s'])}" if "duration_s" in data else ""
        yield Item("tool", _cut(said + outcome, _LONGEST), took)


def brief(value: Any) -> str:
    """Write a JSON value so that it can be read at a glance, on one line."""
    if isinstance(value, str):
        return value if value and " " not in value and value.isprintable() else _json(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {brief(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(brief, value)) + "]"
    return _json(value)


def clean(text: str) -> str:
    """Take out what would command a terminal instead of being shown."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").expandtabs(4))


def seconds(duration: float) -> str:
    """Write a duration as short as it can be read."""
    if duration < 0.0005:
        return "<1 ms"
    if duration < 0.9995:
        return f"{duration * 1000:.0f} ms"
    if duration < 60:
        return f"{duration:.1f} s"
    minutes, rest = divmod(round(duration), 60)
    return f"{minutes} min {rest} s"


def _call(name: str, arguments: Any) -> str:
    given = brief(arguments)
    if isinstance(arguments, dict):
        given = ", ".join(f"{key}={brief(value)}" for key, value in arguments.items())
    return f"{name}({given})"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
