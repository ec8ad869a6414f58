"""Take up a call from its log: what it knew, what it owes, and what became of what it had begun."""

from collections.abc import Iterable
from typing import Any

from cuelight.agent import Tool
from cuelight.engine import lines
from cuelight.engine.aside import Aside
from cuelight.engine.conduct import Conduct
from cuelight.engine.confirming import Question
from cuelight.engine.handle import LiveHandle
from cuelight.engine.replies import Reply
from cuelight.engine.routing import take_route
from cuelight.errors import AuthorError
from cuelight.flow import Flow, HttpContentType, go, tools_by_stage
from cuelight.log import MASK, Fold, Record, leaves, unmasked
from cuelight.wire import ENTRY_TYPES, Entry, State, fits, is_opaque

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
        self._readable: list[Entry] = []
        self._by_type: dict[str, list[Entry]] = {}
        self._unreadable: dict[str, list[Entry]] = {}
        for entry in self._entries:
            if fits(entry):
                self._readable.append(entry)
                self._by_type.setdefault(entry.type, []).append(entry)
            else:
                self._unreadable.setdefault(entry.type, []).append(entry)

    async def run(self) -> dict[str, Reply]:
        """Restore, settle and report; gives the replies that were delivered, by their messages' ids."""
        context = self._context
        fold = Fold()
        for entry in self._entries:
            fold.feed(entry)
        state = fold.state
        context.journal.resume(self._records, self._readable)
        context.know_ids([call["call_id"] for reply in self._data("cue.reply") for call in reply["calls"]])
        context.turns = sum(1 for _ in self._data("turn.user"))
        self._count_usage()
        self._restore(state)
        if state.status == "ended":
            context.ended, context.closed = state.end_reason or "ended", True
            if not self._by_type.get("call.summary"):
                self._conduct.summarise()
        else:
            await self._settle(state)
            if context.ended is not None:  # a hook of the move that was made up for has ended the call
                await self._conduct.finish(context.ended, "agent")
        await context.journal.barrier()
        return self._replies()

    def _data(self, type: str) -> Iterable[dict[str, Any]]:  # noqa: A002 - the wire's own word
        return (entry.data for entry in self._by_type.get(type, ()))

    def _restore(self, state: State) -> None:
        context = self._context
        agent = context.agent
        caller = next(iter(self._data("call.started")), {}).get("caller")
        agent._call = LiveHandle(context.journal.call, str(state.channel or ""), caller)
        notices = [(notice.code, notice.message) for notice in context.course.restore(state.app_state).notices]
        agent._cell.go_live()
        if self._has_spoken():
            context.course.hear()
        if state.status == "ended":
            return  # nothing is written any more, and nobody reads what has changed since
        unknown = {type_ for type_ in self._by_type if type_ not in ENTRY_TYPES and not is_opaque(type_)}
        notices += _skipped("entry-unknown", "are of a kind unknown here", unknown, self._by_type)
        notices += _skipped("entry-unreadable", "do not fit their shape", set(self._unreadable), self._unreadable)
        for code, message in notices:
            self._tell(code, message)
        self._take_up_questions(state)
        context.standing.resume(state)

    def _has_spoken(self) -> bool:
        """Tell whether the caller has spoken since the call came to where it is."""
        moved = self._moved_at()
        said = self._by_type.get("turn.user", ())
        return any(entry.seq > moved and entry.data["text"].strip() for entry in said)

    def _moved_at(self) -> int:
        """Give the seq of the newest change of the stage."""
        changes = self._by_type.get("state.changed", ())
        return max((entry.seq for entry in changes if "stage" in entry.data["changed"]), default=0)

    def _tell(self, code: str, message: str) -> None:
        """Write an `error` entry, unless the log holds it already."""
        if all((data["code"], data["message"]) != (code, message) for data in self._data("error")):
            self._context.error(code, message)

    async def _settle(self, state: State) -> None:
        """Give every call of the log that has no result the one it is due, and close the turn that broke off."""
        context = self._context
        effects = self._effects()
        begun = {run.call_id: run for run in state.tools}
        waiting = self._never_granted()
        for run in state.tools:
            if run.status != "running" or context.confirmations.find(run.call_id) is not None:
                continue
            named = {"call_id": run.call_id, "name": run.name}
            if run.call_id in waiting:
                context.journal.write("tool.result", {**named, "error": lines.NOT_RUN_RESUMED})
                context.confirmations.tell(run.name, run.call_id, lines.NOT_RUN_RESUMED)
            else:
                error = lines.UNKNOWN_READ if effects.get(run.name) == "read" else lines.UNKNOWN_OUTCOME
                context.journal.write("cue.unknown", {**named, "reason": "crash"})
                context.journal.write("tool.result", {**named, "error": error})
        broken_off: set[str] = set()
        for reply in list(self._data("cue.reply"))[-1:]:
            for call in reply["calls"]:
                if call["call_id"] not in begun:
                    named = {"call_id": call["call_id"], "name": call["name"]}
                    context.journal.write("tool.call", {**named, "arguments": {}, "speech_id": reply["speech_id"]})
                    context.journal.write("tool.result", {**named, "error": lines.NOT_RUN_RESUMED})
                    context.journal.write("cue.refused", {**named, "reason": "not run"})
            ids = [call["call_id"] for call in reply["calls"]]
            if any(one not in begun or (begun[one].status == "running" and one not in waiting) for one in ids):
                broken_off.update(ids)
        self._withdraw_questions()
        self._close_turn()
        owed = self._owed(state, broken_off)
        context.carried = self._carried([route for route in self._data("cue.route") if _moves(route)], owed)
        if owed is not None:
            await self._move(owed, {run.call_id: run.name for run in state.tools})

    def _take_up_questions(self, state: State) -> None:
        """Take up the questions that the log leaves open, each with the tool that it was about."""
        running = {run.call_id for run in state.tools if run.status == "running"}
        open_ = {confirm.call_id for confirm in state.confirms if confirm.status == "pending"} & running
        given = {data["call_id"]: data["arguments"] for data in self._data("tool.call") if data["call_id"] in open_}
        for entry in self._by_type.get("confirm.request", ()):
            data = entry.data
            if data["call_id"] in open_:
                asked = {name: data[name] for name in ("call_id", "tool", "arguments", "audience", "phrase", "ttl_s")}
                guarded = self._guarded(data["tool"], entry.seq)
                question = Question(**asked, given=given[data["call_id"]], guarded=guarded)
                self._context.confirmations.take_up(question)

    def _guarded(self, name: str, seq: int) -> Tool | None:
        """Give the guarded tool that a name stood for where an entry was written."""
        agent = type(self._context.agent)
        shown = tools_by_stage(agent)
        changes = (entry for entry in self._by_type.get("state.changed", ()) if entry.seq < seq)
        newest = max(changes, key=lambda entry: entry.seq, default=None)
        stage = "" if newest is None or "" in shown else newest.data["state"].get("stage")
        if issubclass(agent, Flow) and agent.__registry__ is not None:
            steps = agent.__registry__.steps
            stage = next((name for name, step in steps.items() if stage in step.was), stage)
        return next((tool for tool in shown.get(stage, ()) if tool.name == name and tool.confirm is not None), None)

    def _withdraw_questions(self) -> None:
        """Close the questions that cannot be asked any more: today's class has no such tool, or a part is erased."""
        confirmations = self._context.confirmations
        for question in confirmations:
            told = (question.phrase, *leaves(question.arguments), *leaves(question.given))
            if question.guarded is None or any(MASK in text for text in told):
                confirmations.close(question, "cancelled", confirmations.wording.withdrawn)

    def _never_granted(self) -> set[str]:
        """Name the calls that waited for a yes which never came: nothing of them has begun, whatever closed them."""
        granted = {data["call_id"] for data in self._data("confirm.granted")}
        return {data["call_id"] for data in self._data("confirm.request")} - granted

    def _effects(self) -> dict[str, str]:
        """Give what running a tool does, by name; of one name, it is that of the tool that the current step shows."""
        course = self._context.course
        shared = course.agent.__declaration__.tools
        own = course.step.__declaration__.tools if course.step is not None else ()
        return {tool.name: tool.effect for tool in (*course.tools, *shared, *own)}

    def _owed(self, state: State, broken_off: set[str]) -> dict[str, Any] | None:
        """Give the route whose move the log ends before, where there is one.

        Args:
            state: what the log folds into.
            broken_off: the ids of the calls of a batch that did not come to its end, and so not to its move.
        """
        moves = (entry for entry in self._by_type.get("cue.route", ()) if _moves(entry.data))
        newest = max(moves, key=lambda entry: entry.seq, default=None)
        if newest is None:
            return None
        # Between a route and its move there are hooks alone; a turn or an event comes after it.
        later = (
            one.seq for type_ in ("turn.user", "event.received", "cue.reply") for one in self._by_type.get(type_, ())
        )
        if max(later, default=0) > newest.seq:
            return None
        if newest.data.get("call_id") in broken_off:
            return newest.data
        is_made = self._moved_at() > newest.seq or state.app_state.get("stage") == newest.data["to"]
        return None if is_made else newest.data

    def _carried(self, moves: list[dict[str, Any]], owed: dict[str, Any] | None) -> str | None:
        """Give the message that was on its way through steps of code alone, where the call stands in one.

        Args:
            moves: the routes that led from stage to stage.
            owed: the newest of them, where its move was not made.
        """
        course = self._context.course
        at = course.stage
        for route in reversed(moves if owed is None else moves[:-1]):
            if route["to"] != at or course.memories.get(at, "") is not None:  # it led elsewhere, or a model heard it
                return None
            if isinstance(route.get("message"), str):
                return str(route["message"])
            at = route["from"]
        return None

    async def _move(self, route: dict[str, Any], tools: dict[str, str]) -> None:
        """Make the move that a route asked for, its hooks included, which may have run before.

        Args:
            route: as the log has it.
            tools: the names of the tools that were called, by the ids of their calls.
        """
        context = self._context
        brought = {name: value for name, value in route.get("state", {}).items() if value != MASK}  # others are erased
        owed = go(route["to"]).with_state(brought)
        if route.get("prompt", MASK) != MASK:
            owed = owed.with_prompt(route["prompt"])
        if isinstance(route.get("message"), str):
            owed = owed.with_message(route["message"])
        tool = tools.get(route.get("call_id", ""))
        cause = None if tool is None else {"kind": "tool", "tool": tool, "call_id": route["call_id"]}
        try:
            take_route(context.course, owed)
        except AuthorError as error:  # today's class is another one
            self._tell(error.code, str(error))
            return
        aside = Aside(context, self._conduct.speak)
        await aside.steering.move(owed, cause, "the route" if tool is None else f"the route of {tool}")

    def _close_turn(self) -> None:
        """Write what was spoken in a turn that broke off; the caller's message stays unanswered."""
        answered = {data["speech_id"] for data in self._data("turn.agent")}
        delivered = {data["speech_id"] for data in self._data("cue.delivered")}
        spoken: dict[str, list[str]] = {}
        for said in self._data("cue.said"):
            spoken.setdefault(said["speech_id"], []).append(said["text"])
        for speech_id, pieces in spoken.items():
            if speech_id not in answered:
                text = "\n".join(pieces)
                data = {"speech_id": speech_id, "text": text, "interrupted": False, "metrics": {}}
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
                content_type=_content_type(data.get("content_type")),
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


def _skipped(code: str, why: str, types: set[str], by_type: dict[str, list[Entry]]) -> list[tuple[str, str]]:
    """Say of each of these types which of its entries change nothing."""
    notices = []
    for type_ in sorted(types):
        seqs = ", ".join(str(entry.seq) for entry in by_type[type_])
        notices.append((code, f"Entries of type {type_!r} ({seqs}) {why}: kept, and skipped."))
    return notices


def _moves(route: dict[str, Any]) -> bool:
    """Tell whether a route that was written down leads to another stage, and counts."""
    return bool(route["applied"]) and route["kind"] == "go" and route.get("to", route["from"]) != route["from"]


def _content_type(name: str | None) -> HttpContentType:
    known = {str(member.value): member for member in HttpContentType}
    return known.get(name or "", HttpContentType.TEXT)
