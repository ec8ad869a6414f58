"""What a call does with what comes in: open, answer, take events, end. One thing at a time; the door sees to that."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec

from cuelight.agent import Frame, lay_over, open_frame
from cuelight.errors import CallEnded

from .context import CallContext
from .handlers import Handler
from .replies import Reply
from .turn import Turn

__all__ = ["Conduct"]

T = TypeVar("T")

_STORE_CODES = frozenset({"seq-conflict", "lease-lost", "store-unusable"})


class Conduct:
    """Run the parts of one call's life. No two of its methods run at once.

    Args:
        context: the call.
    """

    def __init__(self, context: CallContext) -> None:
        self.context = context
        self.turn: Turn | None = None
        self.unanswered: str | None = None
        """The id of the message in whose turn a resumed call had broken off."""
        self.broken: Exception | None = None
        """Why nothing more can be written: then the call is over here, and can be resumed from its log."""
        context.speak = self.speak

    def admit(self) -> None:
        """Refuse what comes to a call that is over.

        Raises:
            CallEnded: when it has ended.
            SeqConflict, LeaseLost, StoreUnusable: when its log can no longer be written from here.
        """
        if self.broken is not None:
            raise self.broken
        if self.context.ended is not None:
            raise CallEnded(self.context.journal.call)

    async def open(self, started: dict[str, Any], state: Mapping[str, Any]) -> None:
        """Open the call: `on_call`, then the given state, then the whole State before the first word."""
        context = self.context
        context.journal.write("call.started", started)
        context.agent._cell.go_live()
        first_lines: list[str] = []
        context.speak = first_lines.append
        outcome, handler, staged = await context.handle("on_call", context.agent.on_call)
        if outcome.status == "done":
            staged.commit()
        if state:
            frame = Frame(context.agent._cell.ledger, "the given state")
            with open_frame(frame):
                lay_over(context.agent, state)
            frame.stage().commit()
            frame.close()
        context.standing.open()
        if outcome.status != "done":
            context.tell_broken("on_call", outcome)
        context.speak = self.speak
        for line in first_lines:
            self.speak(line)
        await self._guard(context.journal.barrier)
        if outcome.status == "done":
            await self._follow(handler)

    async def answer(self, text: str, message_id: str | None) -> Reply:
        """Answer the caller's words with one turn."""
        self.admit()
        journal = self.context.journal
        speech_id = self._speech_id()
        if message_id is None or message_id != self.unanswered:
            said: dict[str, Any] = {"speech_id": speech_id, "text": text, "metrics": {}}
            if message_id is not None:
                said["item_id"] = message_id
            journal.write("turn.user", said)
            at = len(journal.history.messages) - 1
        else:  # the turn of this very message had broken off: its words stand in the log already
            at = max(i for i, message in enumerate(journal.history.messages) if message.role == "user")
        self.unanswered = None
        self.context.turns += 1
        return await self._run_turn(speech_id, message_id, at, None)

    async def take_event(self, name: str, data: dict[str, Any]) -> Reply:
        """Take something that happened outside: `on_event` runs, and the turn it may ask for."""
        self.admit()
        context = self.context
        seq = context.journal.write("event.received", {"name": name, "data": data, "source": "app"})
        await self._guard(context.journal.barrier)
        spoken: list[str] = []

        def speak(text: str) -> None:
            spoken.append(text)
            self.speak(text)

        context.speak = speak
        try:
            cause = {"kind": "event", "name": name, "seq": seq}
            handler = await context.hook("on_event", _bound(context.agent.on_event, name, data), cause)
        finally:
            context.speak = self.speak
        await self._guard(context.journal.barrier)
        reply = None if handler is None else await self._follow(handler)
        if reply is None:
            return Reply(text="\n".join(spoken))
        return msgspec.structs.replace(reply, text="\n".join([*spoken, *([reply.text] if reply.text else [])]))

    async def note_heard(self, heard: str) -> None:
        """Write how much of the last reply was heard, which was cut after its turn had ended."""
        if self.context.ended is None:
            self.context.journal.write("cue.heard", {"text": heard})
            await self._guard(self.context.journal.barrier)

    async def finish(self, reason: str, by: str) -> None:
        """End the call: the entry, the hook, the summary. Nothing runs after that."""
        context = self.context
        if context.closed:
            return
        context.ended, context.closed = reason, True
        now = context.clock.now()
        started = context.journal.state.started_at
        duration = max(0.0, now - started) if started is not None else 0.0
        context.journal.write("call.ended", {"reason": reason, "ended_by": by, "ended_at": now, "duration_s": duration})
        await self._guard(context.journal.barrier)
        context.speak = lambda text: None  # nobody is there to hear it
        await context.hook("on_end", _bound(context.agent.on_end, reason))
        usage = [
            {"type": "llm_usage", "provider": provider, "model": model, **{k: n for k, n in used.items() if n}}
            for (provider, model), used in context.usage.items()
        ]
        summary = {"reason": reason, "outcome": reason, "duration_s": duration, "turns": context.turns}
        context.journal.write("call.summary", {**summary, "usage": usage, "cost": {}})
        await self._guard(context.journal.barrier)

    def speak(self, text: str) -> None:
        """Say a line for a handler: in the running turn, or as a turn of its own."""
        if self.turn is not None:
            self.turn.say(text, "code")
        elif text.strip():
            speech_id = self._speech_id()
            journal = self.context.journal
            journal.write("cue.said", {"speech_id": speech_id, "by": "code", "text": text})
            journal.write("turn.agent", {"speech_id": speech_id, "text": text, "interrupted": False, "metrics": {}})
            journal.utter(speech_id, text, whole=True)

    async def _follow(self, handler: Handler) -> Reply | None:
        """Do what a hook between turns asked for: a reply of the model, or the end."""
        if handler.end is not None:
            await self.finish(handler.end, "agent")
        elif handler.reply is not None:
            return await self._run_turn(self._speech_id(), None, None, handler.reply)
        return None

    async def _run_turn(
        self, speech_id: str, message_id: str | None, at: int | None, instructions: str | None
    ) -> Reply:
        turn = Turn(self.context, speech_id, message_id)
        turn.instructions = instructions
        if at is not None:
            turn.hear_caller(at)
        self.turn = turn
        try:
            reply = await self._guard(turn.run)
        except Exception:
            if self.broken is None:
                await self._guard(turn.close)  # what happened before the author's fault stays known
            raise
        finally:
            self.turn = None
        if self.context.ended is not None:
            await self.finish(self.context.ended, "agent")
        return reply

    async def _guard(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do what writes. Where the store refuses, the call is over here: what happens is no longer recorded."""
        try:
            return await work()
        except Exception as error:
            if getattr(error, "code", "") in _STORE_CODES:
                self.broken = error
            raise

    def _speech_id(self) -> str:
        return f"speech-{self.context.journal.seq + 1}"


def _bound(hook: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    """Bind a hook's arguments, keeping it a coroutine function where it is one."""
    import inspect

    if not inspect.iscoroutinefunction(hook):
        return lambda: hook(*args)

    async def bound() -> Any:
        return await hook(*args)

    return bound
