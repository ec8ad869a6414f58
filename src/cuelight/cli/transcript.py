"""A conversation as a person reads it: from its log, so that everything which was said is there, in order."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import msgspec

from cuelight.flow import VALIDATED
from cuelight.log import Record, Secrets, disclose, unmasked
from cuelight.wire import Entry

__all__ = ["Item", "Transcript", "brief", "clean", "seconds"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LONGEST = 160


class Item(NamedTuple):
    """Hold one thing that a reader sees: who says or does what; the tail is shown also where the text is cut."""

    kind: Literal["you", "agent", "tool", "error", "note"]
    text: str
    tail: str = ""


class Transcript:
    """Turn entries into items, in order. Private values are masked, save in the agent's words to the caller."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._running: dict[str, tuple[str, Any]] = {}

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
            case "tool.call":
                self._running[data["call_id"]] = (data["name"], data["arguments"])
            case "tool.result":
                yield self._tool(data)
            case "turn.agent" if data["interrupted"]:
                yield Item("note", "(cut off)")
            case "error":
                yield Item("error", data["message"])

    def running(self) -> str | None:
        """Say which tool is running."""
        for name, arguments in self._running.values():
            return f"{name}({_arguments(arguments)})"
        return None

    def _tool(self, data: dict[str, Any]) -> Item:
        name, arguments = self._running.pop(data["call_id"], (data["name"], {}))
        said = f"{name}({_arguments(arguments)})"
        failed = data.get("error") is not None
        output = data.get("output")
        outcome = f" failed: {data['error']}" if failed else f" → {brief(output)}" if output != VALIDATED else ""
        took = f" · {seconds(data['duration_s'])}" if "duration_s" in data else ""
        return Item("tool", _cut(said + outcome, _LONGEST), took)


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


def _arguments(arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return brief(arguments)
    return ", ".join(f"{name}={brief(value)}" for name, value in arguments.items())


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
