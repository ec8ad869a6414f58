"""The replies of a stored call's model, for a script to give them again."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from cuelight.errors import ModelFailed
from cuelight.models.script import Item, Request, Script
from cuelight.ports import ToolCallRequest
from cuelight.testing.goldens.standins import StandIns
from cuelight.testing.goldens.stretches import Stretch
from cuelight.wire import Entry

__all__ = ["Replies"]

Piece = str | ToolCallRequest | ModelFailed

_ID = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![0-9A-Za-z])")
_AGAIN = " It is asked again."
_GAVE_UP = " A line written by code is spoken in its place."
_NO_JSON = "{"  # arguments that could not be read are not in the log; these cannot be read either


class Replies:
    """Hold what the model of a call replied, one reply a request; a request that failed fails again.

    Args:
        parts: the call.
        stand_ins: what stands in for its private values.
    """

    def __init__(self, parts: Sequence[Stretch], stand_ins: StandIns) -> None:
        self._ids = _Ids(parts)
        asked = (entry.data for part in parts for entry in part.entries if entry.type == "metrics.llm")
        self._model: dict[str, str] = next((data.get("metadata", {}) for data in asked), {})
        self._replies = [reply for part in parts for reply in _Replies(part, stand_ins).replies()]

    def script(self) -> Script:
        """Give a model that replies so, under the name of the call's model.

        Of the ids that tools give it takes those of the run for those of the call.
        """
        script = Script(*map(self._item, self._replies))
        script.provider = self._provider
        script.name = self._model.get("model_name", Script.name)
        return script

    @property
    def model(self) -> str | None:
        """The model of the call, as provider:name; None where that was one of Cuelight's own stand-ins."""
        return None if self._provider == Script.provider else f"{self._provider}:{self._model.get('model_name')}"

    @property
    def _provider(self) -> str:
        return self._model.get("model_provider", Script.provider)

    def _item(self, reply: list[Piece]) -> Item:
        return lambda request: self._ids.of_today(reply, request)

    def written(self) -> list[Any]:
        """Give the same as a golden writes it as `model`."""
        return [_written(reply) for reply in self._replies]


def _written(reply: list[Piece]) -> Any:
    pieces = [_written_piece(piece) for piece in reply]
    return pieces[0] if len(pieces) == 1 else pieces or ""


def _written_piece(piece: Piece) -> Any:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, ModelFailed):
        return {"fail": str(piece)}
    if piece.arguments == _NO_JSON:
        return {"call": piece.name, "raw": piece.arguments}
    arguments = msgspec.json.decode(piece.arguments)
    return {"call": piece.name, **({"args": arguments} if arguments else {})}


class _Ids:
    """Know the ids in the results that the stored call's model read, for its replies to speak of those of today."""

    def __init__(self, parts: Sequence[Stretch]) -> None:
        self._stored = {
            entry.data["call_id"]: _ids_in(entry.data.get("output"))
            for part in parts for entry in part.entries if entry.type == "tool.result"
        }  # fmt: skip

    def of_today(self, reply: Sequence[Piece], request: Request) -> list[Piece]:
        """Give a reply with the ids that came in the places of the stored ones."""
        today: dict[str, str] = {}
        for message in request.messages:
            stored = self._stored.get(message.get("tool_call_id"), ())
            came = _ID.findall(message["content"])
            today.update(zip(stored, came, strict=False) if len(stored) == len(came) else ())

        def put(text: str) -> str:
            return _ID.sub(lambda found: today.get(found[0], found[0]), text)

        return [
            put(piece) if isinstance(piece, str)
            else msgspec.structs.replace(piece, arguments=put(piece.arguments)) if isinstance(piece, ToolCallRequest)
            else piece
            for piece in reply
        ]  # fmt: skip


def _ids_in(output: Any) -> list[str]:
    return _ID.findall(msgspec.json.encode(output).decode())


class _Replies:
    def __init__(self, part: Stretch, stand_ins: StandIns) -> None:
        self._part = part
        self._stand_ins = stand_ins
        self._calls = {entry.data["call_id"]: entry for entry in part.entries if entry.type == "tool.call"}
        self._refused = {
            entry.data["call_id"]: entry.data["reason"] for entry in part.entries if entry.type == "cue.refused"
        }

    def replies(self) -> Iterator[list[Piece]]:
        """Give one reply for each request of the stretch."""
        entries = self._part.entries
        asked = [index for index, entry in enumerate(entries) if entry.type == "metrics.llm"]
        spoken: list[str] = []
        for number, index in enumerate(asked):
            end = asked[number + 1] if number + 1 < len(asked) else len(entries)
            came = entries[index + 1 : end]
            reply = came[0].data if came and came[0].type == "cue.reply" else None
            failure = self._failure(came)
            pieces = [] if reply is None else self._pieces(reply)
            if entries[index].data["cancelled"] and failure is not None:
                spoken += [piece for piece in pieces if isinstance(piece, str)]
                yield [*pieces, failure]
                continue
            if reply is None and failure is None:  # it only said again what the one before had said
                yield ["".join(spoken)]
            else:
                yield pieces
            spoken = []

    def _failure(self, came: Sequence[Entry]) -> ModelFailed | None:
        """Give how a request failed, or that its reply was empty, as its error entry tells it."""
        for entry in came:
            message = entry.data["message"] if entry.type == "error" else ""
            if message.endswith((_AGAIN, _GAVE_UP)):
                told = message.removesuffix(_AGAIN).removesuffix(_GAVE_UP)
                return ModelFailed(self._stand_ins.text(told), retryable=message.endswith(_AGAIN))
        return None

    def _pieces(self, reply: dict[str, Any]) -> list[Piece]:
        text = self._stand_ins.text(reply["text"])
        return [*([text] if text else []), *(self._call(call["call_id"], call["name"]) for call in reply["calls"])]

    def _call(self, call_id: str, name: str) -> ToolCallRequest:
        """Write a call under its own id, which later ones may speak of."""
        entry = self._calls.get(call_id)
        arguments = {} if entry is None else self._part.member(entry, "arguments", self._stand_ins)
        unread = not arguments and self._refused.get(call_id) == "bad arguments"
        name = name if name.isidentifier() else self._stand_ins.text(name)
        return ToolCallRequest(name, _NO_JSON if unread else msgspec.json.encode(arguments).decode(), call_id)
