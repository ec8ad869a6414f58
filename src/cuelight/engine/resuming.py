"""Take up a call from its log: what it knew, what it owes, and what became of what it had begun."""

from collections.abc import Iterable
from typing import Any

import msgspec

from cuelight.agent import restore, snapshot
from cuelight.flow import HttpContentType
from cuelight.log import Fold, Record, unmasked
from cuelight.wire import ENTRY_TYPES, OPAQUE_TYPES, Entry, State

from . import lines
from .conduct import Conduct
from .handle import LiveHandle
from .replies import Reply

__all__ = ["Resumption"]


class Resumption:
    """Bring a conduct to where its log ends.

    Args:
        conduct: a new one, for the agent of the log.
        records: everything stored of the call.
    """

    def __init__(self, conduct: Conduct, records: list[Record]) -> None:
        self._conduct = conduct
        self._context = conduct.context
        self._records = records
        self._entries = [unmasked(record) for record in records]
        self._by_type: dict[str, list[Entry]] = {}
        for entry in self._entries:
            self._by_type.setdefault(entry.type, []).append(entry)

    async def run(self) -> dict[str, Reply]:
        """Restore, settle and report; gives the replies that were delivered, by their messages' ids."""
        context = self._context
        fold = Fold()
        for entry in self._entries:
            fold.feed(entry)
        state = fold.state
        context.journal.resume(self._records, self._entries)
        context.know_ids([call["call_id"] for reply in self._data("cue.reply") for call in reply["calls"]])
        context.turns = sum(1 for _ in self._data("turn.user"))
        self._count_usage()
        self._restore(state)
        if state.status == "ended":
            context.ended = state.end_reason or "ended"
            context.closed = bool(self._by_type.get("call.summary"))
        else:
            self._settle(state)
            await context.journal.barrier()
        return self._replies()

    def _data(self, type: str) -> Iterable[dict[str, Any]]:  # noqa: A002 - the wire's own word
        return (entry.data for entry in self._by_type.get(type, ()))

    def _restore(self, state: State) -> None:
        context = self._context
        agent = context.agent
        caller = next(iter(self._data("call.started")), {}).get("caller")
        agent._call = LiveHandle(context.journal.call, str(state.channel or ""), caller)
        notices = list(restore(agent, state.app_state).notices)
        agent._cell.go_live()
        view = state.prompt.get("view")
        logged = snapshot(agent).derived
        context.standing.resume(
            {name: msgspec.json.encode(state.app_state.get(name)) for name in logged},
            tuple(state.tools_visible),
            view.hash if view is not None else "",
        )
        for notice in notices:
            context.error(notice.code, notice.message)
        unknown = {type_ for type_ in self._by_type if type_ not in ENTRY_TYPES and type_ not in OPAQUE_TYPES}
        for type_ in sorted(unknown):
            seqs = ", ".join(str(entry.seq) for entry in self._by_type[type_])
            context.error(
                "entry-unknown", f"Entries of type {type_!r} ({seqs}) are of a kind unknown here: kept, and skipped."
            )

    def _settle(self, state: State) -> None:
        """Give every call of the log that has no result the one it is due, and close the turn that broke off."""
        context = self._context
        effects = {tool.name: tool.effect for tool in context.agent.__declaration__.tools}
        begun = {run.call_id for run in state.tools}
        for run in state.tools:
            if run.status == "running":
                read = effects.get(run.name) == "read"
                if not read:
                    context.journal.write("cue.unknown", {"call_id": run.call_id, "name": run.name, "reason": "crash"})
                error = lines.TIMED_OUT_READ if read else lines.UNKNOWN_OUTCOME
                context.journal.write("tool.result", {"call_id": run.call_id, "name": run.name, "error": error})
        for reply in list(self._data("cue.reply"))[-1:]:
            for call in reply["calls"]:
                if call["call_id"] not in begun:
                    named = {"call_id": call["call_id"], "name": call["name"]}
                    context.journal.write("tool.call", {**named, "arguments": {}, "speech_id": reply["speech_id"]})
                    context.journal.write("tool.result", {**named, "error": lines.NOT_RUN_RESUMED})
                    context.journal.write("cue.refused", {**named, "reason": "not run"})
        self._close_turn()

    def _close_turn(self) -> None:
        """Write the end of a turn that broke off after words were spoken; the caller's message stays unanswered."""
        answered = {data["speech_id"] for data in self._data("turn.agent")}
        delivered = {data["speech_id"] for data in self._data("cue.delivered")}
        spoken: dict[str, list[str]] = {}
        for said in self._data("cue.said"):
            spoken.setdefault(said["speech_id"], []).append(said["text"])
        for speech_id, pieces in spoken.items():
            if speech_id not in answered:
                text = "\n".join(pieces)
                data = {"speech_id": speech_id, "text": text, "interrupted": True, "metrics": {}}
                self._context.journal.write("turn.agent", data)
        users = list(self._data("turn.user"))
        if users and users[-1]["speech_id"] not in delivered:
            self._conduct.unanswered = users[-1].get("item_id")

    def _replies(self) -> dict[str, Reply]:
        texts = {data["speech_id"]: data for data in self._data("turn.agent")}
        replies = {}
        for data in self._data("cue.delivered"):
            if "message_id" not in data:
                continue
            turn = texts.get(data["speech_id"], {})
            replies[data["message_id"]] = Reply(
                text=turn.get("text", ""),
                content=data.get("content"),
                content_type=HttpContentType(data.get("content_type", HttpContentType.TEXT)),
                interrupted=turn.get("interrupted", False),
                speech_id=data["speech_id"],
            )
        return replies

    def _count_usage(self) -> None:
        for data in self._data("metrics.llm"):
            metadata = data.get("metadata", {})
            self._context.add_usage(
                (metadata.get("model_provider", ""), metadata.get("model_name", "")),
                data["prompt_tokens"], data["prompt_cached_tokens"], data["completion_tokens"],
            )  # fmt: skip
