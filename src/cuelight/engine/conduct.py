"""What a call does with what comes in: open, answer, take events, end. One thing at a time; the door sees to that."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from inspect import iscoroutinefunction
from typing import Any

import msgspec

from cuelight.engine.aside import Aside
from cuelight.engine.context import CallContext
from cuelight.engine.replies import Reply
from cuelight.engine.routing import leads_to, staged_by
from cuelight.engine.speculation import Speculation
from cuelight.engine.steering import refuse_route
from cuelight.engine.turn import Turn
from cuelight.errors import CallEnded
from cuelight.flow import Route, overrides

__all__ = ["Conduct"]


class Conduct:
    """Run the parts of one call's life. No two of its methods run at once.

    Args:
        context: the call.
    """

    def __init__(self, context: CallContext) -> None:
        self.context = context
        self.turn: Turn | None = None
        self.unanswered: str | None = None
        """The id of the message whose turn broke off, in an author's fault or with the process."""
        self.playing: str | None = None
        """The id of the last reply, which the caller may be hearing still."""
        self.awaited = 0
        """How many of the caller's messages wait for their turns."""
        self.cut_ahead: tuple[str | None] | None = None
        """That the caller cut in before the turn of the first of them began, and what was heard."""
        self.prepared: Speculation | None = None
        """The answer that was asked for ahead."""
        self._outdated: list[Speculation] = []
        context.speak = self.speak

    def admit(self) -> None:
        """Refuse what comes to a call that is over.

        Raises:
            CallEnded: when it has ended.
            SeqConflict, LeaseLost, StoreUnusable: when its log can no longer be written from here.
        """
        if self.context.journal.broken is not None:
            raise self.context.journal.broken
        if self.context.ended is not None:
            raise CallEnded(self.context.journal.call)

    async def open(self, started: dict[str, Any], state: Mapping[str, Any]) -> None:
        """Open the call: `on_call`, the given state, the first step's entry, and the whole State before the first word.

        A step that is given as part of the state is not entered: the call opens inside it.
        """
        context, course = self.context, self.context.course
        context.journal.write("call.started", started)
        context.agent._cell.go_live()
        later: list[Callable[[], object]] = []
        context.speak = lambda text: later.append(lambda: self.speak(text))
        context.note = lambda name, data: later.append(lambda: context.write_note(name, data))
        aside, start = Aside(context, self.speak), course.stage
        route = await self._run_opening("on_call", context.agent.on_call, aside, later)
        to = start if route is None else leads_to(course, route)
        if to != start:
            staged_by(course, "on_call", lambda: course.enter(to)).commit()
        if state:
            staged_by(course, "the given state", lambda: course.lay_over(state)).commit()
        step = course.step
        if step is not None and "stage" not in state and overrides(type(step), "on_enter"):
            label = f"{type(step).__name__}.on_enter"
            await self._run_opening(label, step.on_enter, aside, later, follow=partial(refuse_route, label))
        if route is not None and to != start:  # what a route that stays brings is written by now
            staged_by(course, "on_call", lambda: course.bring(to, route.state, route.prompt)).commit()
        context.speak, context.note = self.speak, context.write_note
        context.standing.open()
        for act in later:
            act()
        await context.journal.barrier()
        if route is not None:
            aside.steering.tell_made(route, start, to)
        await self._proceed(aside, moved=step is not None)
        await context.journal.barrier()  # where steps of code led on, nothing has stored that yet

    async def _run_opening(
        self, label: str, hook: Callable[[], Any], aside: Aside, later: list[Callable[[], object]], **options: Any
    ) -> Route | None:
        """Run a hook before the State is complete: what it changed is committed, what it says and asks for comes later.

        Gives the route it returned.
        """
        context = self.context
        outcome, handler, staged = await context.handle(label, hook, is_async=iscoroutinefunction(hook), **options)
        if outcome.status != "done":
            later.append(lambda: context.tell_broken(label, outcome))
            return None
        staged.commit()
        later.append(lambda: aside.follow(handler))
        return outcome.value if isinstance(outcome.value, Route) else None

    async def answer(self, text: str, message_id: str | None, askings: int) -> Reply:
        """Answer the caller's words with one turn.

        Args:
            text: the words.
            message_id: the id of the message, where it has one.
            askings: how often the caller had been asked for a yes when it came in.
        """
        journal = self.context.journal
        try:
            self.admit()
            # Where the turn of this very message had broken off, its words stand in the log already.
            is_new = message_id is None or message_id != self.unanswered
            prepared = await self._take_prepared(text if is_new else None)
        finally:
            self.awaited -= 1
            cut_ahead, self.cut_ahead = self.cut_ahead, None
        speech_id = self._speech_id()
        if is_new:
            said: dict[str, Any] = {"speech_id": speech_id, "text": text, "metrics": {}}
            if message_id is not None:
                said["item_id"] = message_id
            journal.write("turn.user", said)
            self.context.turns += 1
            if text.strip():
                self.context.course.hear()
        self.context.confirmations.hear(text if is_new else None, askings)  # others came before anything asked since
        self.unanswered = None
        turn = Turn(self.context, speech_id, message_id)
        turn.hear_caller()
        turn.prepared = prepared
        if cut_ahead is not None:
            turn.interrupt(*cut_ahead)
        return await self._run_turn(turn)

    def prepare(self, text: str) -> None:
        """Ask the model ahead for the answer to these words; nothing else is being done."""
        if self.prepared is None or not self.prepared.begins(text, self.context.journal.seq):
            if self.prepared is not None:
                self.prepared.stream.cut()
                self._outdated.append(self.prepared)
            self.prepared = Speculation(self.context, text)

    async def _take_prepared(self, text: str | None) -> Speculation | None:
        """Give what was prepared for these words; what was prepared for others is dropped."""
        outdated, prepared, self._outdated, self.prepared = self._outdated, self.prepared, [], None
        if prepared is not None and not (text is not None and prepared.begins(text, self.context.journal.seq)):
            outdated, prepared = [*outdated, prepared], None
        for one in outdated:
            one.stream.cut()  # all of them, as the call may be let go of while one is waited for
        try:
            for one in outdated:
                await one.drop()
        except asyncio.CancelledError:
            self._outdated, self.prepared = outdated, prepared  # whoever lets go of the call waits for them
            raise
        return prepared

    async def let_go(self) -> None:
        """Store what is written, where it can be, and stop what was asked for ahead."""
        await self.drop_prepared()
        if self.context.journal.broken is None:
            await self.context.journal.barrier()

    async def drop_prepared(self) -> None:
        """Stop what was asked for ahead, without a trace."""
        await self._take_prepared(None)

    async def take_event(self, name: str, data: dict[str, Any]) -> Reply:
        """Take something that happened outside: `on_event` runs, and the turn it may ask for."""
        self.admit()
        await self.drop_prepared()
        context = self.context
        seq = context.journal.write("event.received", {"name": name, "data": data, "source": "app"})
        await context.journal.barrier()
        spoken: list[str] = []

        def speak(text: str) -> None:
            spoken.append(text)
            self.speak(text)

        context.speak = speak
        aside, start = Aside(context, self.speak), context.course.stage
        try:
            cause = {"kind": "event", "name": name, "seq": seq}
            handler = await context.hook("on_event", context.agent.on_event, name, data, cause=cause)
            if handler is not None:
                aside.follow(handler)
                if isinstance(handler.returned, Route):
                    await aside.steering.follow_hook(handler.returned, start, "on_event", cause)
        finally:
            context.speak = self.speak
        reply = await self._proceed(aside, moved=context.course.stage != start)
        await context.journal.barrier()
        if reply is None:
            return Reply(text="\n".join(spoken))
        return msgspec.structs.replace(reply, text="\n".join([*spoken, *([reply.text] if reply.text else [])]))

    async def note_heard(self, heard: str) -> None:
        """Write how much of the last reply was heard, which was cut after its turn had ended. It is cut once."""
        await self.drop_prepared()
        if self.playing is not None and self.context.ended is None:
            self.context.journal.write("cue.heard", {"speech_id": self.playing, "text": heard})
            self.context.confirmations.heard_of(heard)
            self.playing = None
            await self.context.journal.barrier()

    async def finish(self, reason: str, by: str) -> None:
        """End the call: the entry, the hook, the summary. Nothing runs after that."""
        context = self.context
        if context.closed:
            return
        await self.drop_prepared()
        context.ended, context.closed = reason, True
        context.confirmations.cancel(context.confirmations.wording.ended)
        now = context.clock.now()
        started = context.journal.state.started_at
        duration = max(0.0, now - started) if started is not None else 0.0
        context.journal.write("call.ended", {"reason": reason, "ended_by": by, "ended_at": now, "duration_s": duration})
        await context.journal.barrier()
        context.speak = lambda text: None  # nobody is there to hear it
        await context.hook("on_end", context.agent.on_end, reason)
        self.summarise()
        await context.journal.barrier()

    def summarise(self) -> None:
        """Write the summary of a call that has ended."""
        context, state = self.context, self.context.journal.state
        usage = [
            {"type": "llm_usage", "provider": provider, "model": model, **{k: n for k, n in used.items() if n}}
            for (provider, model), used in context.usage.items()
        ]
        duration = max(0.0, (state.ended_at or 0.0) - (state.started_at or 0.0))
        summary = {"reason": context.ended, "outcome": context.ended, "duration_s": duration, "turns": context.turns}
        context.journal.write("call.summary", {**summary, "usage": usage, "cost": {}})

    def speak(self, text: str, by: str = "code") -> str:
        """Say a line for a handler, in the running turn or as a turn of its own; gives the turn's id."""
        if self.turn is not None:
            self.turn.say(text, by)
            return self.turn.speech_id
        speech_id = self._speech_id()
        if text.strip():
            journal = self.context.journal
            journal.write("cue.said", {"speech_id": speech_id, "by": by, "text": text})
            journal.write("turn.agent", {"speech_id": speech_id, "text": text, "interrupted": False, "metrics": {}})
            journal.utter(speech_id, text, whole=True)
            self.playing = speech_id
            self.context.confirmations.talked_over()
        return speech_id

    async def _proceed(self, aside: Aside, *, moved: bool) -> Reply | None:
        """Go on after what happened between turns: steps of code alone, then a reply of the model, or the end."""
        context, course = self.context, self.context.course
        if moved and context.ended is None and not aside.stopped:
            moved = await aside.steering.settle()
        if context.ended is None and moved and aside.shown is not None:
            context.ended = course.ends
        if context.ended is not None:
            await self.finish(context.ended, "agent")
        elif aside.instructions is not None or (moved and course.ends is not None):
            context.confirmations.hear()
            turn = Turn(context, self._speech_id())
            turn.instructions = aside.instructions
            reply = await self._run_turn(turn)
            if aside.shown is None:
                return reply
            return msgspec.structs.replace(
                aside.shown, text=f"{aside.shown.text}\n{reply.text}", speech_id=reply.speech_id
            )
        return aside.shown

    async def _run_turn(self, turn: Turn) -> Reply:
        self.turn = turn
        try:
            reply = await turn.run()
        except Exception:  # an author's fault or the store's: what happened before stays known
            self.unanswered = turn.message_id  # so that the same message, sent again, is the same turn
            if self.context.journal.broken is None:
                await turn.break_off()
            raise
        finally:
            self.turn = None
            if turn.prepared is not None:  # it came to no request
                await turn.prepared.drop()
        self.playing = turn.speech_id if turn.speech.pieces and not turn.cut else None
        if self.context.ended is not None:
            await self.finish(self.context.ended, "agent")
        return reply

    def _speech_id(self) -> str:
        return f"speech-{self.context.journal.seq + 1}"
