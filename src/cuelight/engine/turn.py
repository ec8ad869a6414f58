"""One turn: ask the model, run the calls of its reply, follow their routes, until the turn ends in words."""

import asyncio
from collections.abc import Sequence
from typing import Any

from cuelight.agent import Gate
from cuelight.engine import lines
from cuelight.engine.asking import Attempt, Overlap, Stream, failure_message, usage_metrics
from cuelight.engine.batch import Batch
from cuelight.engine.context import CallContext
from cuelight.engine.handlers import Handler
from cuelight.engine.replies import Reply
from cuelight.engine.response import Response
from cuelight.engine.speculation import Speculation
from cuelight.engine.speech import Speech
from cuelight.engine.steering import Steering
from cuelight.flow import HttpContentType, LogicStep
from cuelight.log import Message
from cuelight.ports import ModelRequest

__all__ = ["Turn"]

_ATTEMPTS = 3  # a request that fails or comes back empty is made this often


class Turn:
    """Run one turn of a call; made for it, and thrown away with it.

    Args:
        context: the call.
        speech_id: the turn's id, which the caller's words and the reply share.
        message_id: the id of the caller's message, where it has one.
    """

    def __init__(self, context: CallContext, speech_id: str, message_id: str | None = None) -> None:
        self.context = context
        self.speech_id = speech_id
        self.message_id = message_id
        self.requests = 0
        self.attempts = 0
        self.same_calls: dict[tuple[str, str, bytes], int] = {}
        self.speech = Speech(context, speech_id)
        self.cut = False
        """Whether the caller has cut in."""
        self.answered = False
        """Whether the caller has the answer, so that the model is not asked again."""
        self.stopped: tuple[str, float] | None = None
        """The limit that the turn was stopped at, and its value."""
        self.instructions: str | None = None
        """What the next request is told beside the view; asked for by `self.call.reply`."""
        self.closed = False
        """Whether its end is written, so that no interruption reaches it any more."""
        self.asked_again = False
        """Whether a handler asked for another reply, so that the turn goes on although it was answered."""
        self.prepared: Speculation | None = None
        """The first request of the turn, where it was made ahead."""
        self.gate: Gate
        """What the model was offered with the newest request."""
        self._stream: Stream | None = None
        self._began = context.clock.monotonic()
        self._first_token_s: float | None = None
        self._request_ids: list[str] = []
        self.steering = Steering(context, self)
        self._began_in: Sequence[Message] = context.journal.history.messages
        """The messages that the turn began with; another step may have others."""
        self._begins_at = len(self._began_in)
        self._by_caller = False

    # --- the loop -----------------------------------------------------------------------------------------------------

    def hear_caller(self) -> None:
        """Know that the caller's words began this turn, and are in the history."""
        self._by_caller = True

    async def run(self) -> Reply:
        """Run the turn to its end, and give what the caller got."""
        context = self.context
        await context.journal.barrier()  # readers see what began the turn before anything of its answer
        while await self._may_ask():
            self.requests += 1
            answer = await self._ask()
            if answer is None or not await self._act_on(answer):
                self.answered = True
            elif self.asked_again:
                self.answered = self.asked_again = False
        if self.stopped is not None:
            self._tell_stop(*self.stopped)
        if context.ended is None and not self.cut:
            context.ended = context.course.ends
        # One yield a turn lets an interruption in that came while everything was ready at once, and keeps a call
        # whose model and store never wait from holding the loop.
        await asyncio.sleep(0)
        if context.confirmations:
            await self._ask_caller()
        return await self.close()

    async def _ask_caller(self) -> None:
        """Put the first open question as the last words of the turn, once what led to it is stored."""
        context, confirmations = self.context, self.context.confirmations
        confirmations.settle_no()
        confirmations.talked_over()
        confirmations.rest()
        question = confirmations.first
        if question is None or context.ended is not None or self.stopped is not None:
            return
        await context.journal.barrier()
        self.say(question.phrase, "code")
        context.standing.gate()  # which shows the answering tool from now on
        if not self.cut:
            confirmations.asked("\n".join(self.speech.pieces))

    def _is_open(self) -> bool:
        """Tell whether the model may be asked."""
        return not (self.answered or self.cut or self.out_of_bounds() or self.context.ended is not None)

    async def _may_ask(self) -> bool:
        """Tell whether the model may be asked, after the steps of code that the turn has come to.

        They run also where it is answered already, or cut into: a call rests where somebody can be. A line is spoken
        where they lead nowhere.
        """
        context = self.context
        if not isinstance(context.course.step, LogicStep) or context.ended is not None or self.out_of_bounds():
            return self._is_open()
        settled = await self.steering.settle()
        if not settled and self._is_open():
            self.say(context.course.fallback_line, "code")
        return settled and self._is_open()

    async def _act_on(self, answer: Attempt) -> bool:
        """Do what a reply asks for; tells whether the model is to be asked again."""
        most = self.context.limits.model_requests
        if answer.calls:
            leaving = self.context.course.ends is not None
            if self.requests >= most:
                self.stop_at("model_requests", most)
            await Batch(self, answer).run()
            return not (leaving and answer.text.strip())  # a goodbye is said once, whatever call stood beside it
        if not answer.held or self.cut:
            return False
        goes_on = await Response(self).follow(answer.text.strip())
        if goes_on and self.requests >= most:
            self.stop_at("model_requests", most)
        return goes_on

    def follow(self, handler: Handler) -> None:
        """Do what a handler asked for beside its result."""
        self.forget(handler)
        if handler.reply is not None:
            self.instructions = handler.reply
            self.asked_again = True
        if handler.end is not None:
            self.context.ended = handler.end

    def forget(self, handler: Handler) -> None:
        """Clear the histories that a handler asked to forget."""
        if handler.forgotten:
            self._began_in = ()
            self.context.forget(handler)

    def interrupt(self, heard: str | None) -> None:
        """Let the caller cut in: the request stops, calls not begun do not run, and what was heard is kept."""
        if self.cut:
            return  # the first one was it
        self.cut = self.speech.cut = True
        self.speech.heard = heard
        if self._stream is not None:
            self._stream.cut()

    def out_of_bounds(self) -> bool:
        """Tell whether the turn may start nothing more, by a limit."""
        limit = self.context.limits.turn_s
        if self.stopped is None and self.context.clock.monotonic() - self._began >= limit:
            self.stop_at("turn_s", limit)
        return self.stopped is not None

    def stop_at(self, limit: str, value: float) -> None:
        """Stop the turn at a limit: nothing more begins in it."""
        if self.stopped is None:
            self.stopped = (limit, value)

    def _tell_stop(self, limit: str, value: float) -> None:
        """End a turn that was stopped: the log says at which limit, and the caller hears a line that claims nothing."""
        self.context.tell_limit(limit, value)
        if not self.cut:
            self.say(self.context.course.fallback_line, "code")

    # --- asking -------------------------------------------------------------------------------------------------------

    async def _ask(self) -> Attempt | None:
        """Ask until something useful comes; a code-written line is spoken where nothing does."""
        spoken = ""
        for number in range(1, _ATTEMPTS + 1):
            attempt = await self._attempt(spoken)
            if attempt is None:
                return None
            self._record(attempt)
            if attempt.error is not None and not attempt.held:
                spoken = f"{spoken} {attempt.text.strip()}".strip()
            if self.cut:
                return attempt
            if attempt.error is None and not attempt.is_empty:
                self.instructions = None
                return attempt
            if not self._tell_failure(attempt, number):
                break
            if self.out_of_bounds():
                return None
        self.say(self.context.course.fallback_line, "code")
        return None

    async def _attempt(self, spoken: str) -> Attempt | None:
        """Make one request; none is made any more when the caller has cut in."""
        context = self.context
        standing, confirmations = context.standing, context.confirmations
        if context.course.ends is not None:  # the goodbye is all that is left to say
            confirmations.cancel(confirmations.wording.ended)
        self.gate = gate = standing.gate()
        waiting = lines.WAITING if context.course.waiting else ""
        told = confirmations.notes() if confirmations else ()
        rest = lines.continue_after(spoken) if spoken else ""
        view = standing.view(waiting, *told, self.instructions or "", rest)
        if context.journal.holds_results:
            await context.journal.barrier()
        if self.cut:
            return None
        if told:
            confirmations.told()
        history = context.journal.history
        at = history.newest_words if self._by_caller else self._beginning(history.messages)
        request = context.request(history.messages, view, gate, at=at, alone=not self._by_caller)
        self.attempts += 1
        held = context.course.holds_words
        hear = _hold if held else self.speech.pass_on
        try:
            prepared = await self._take_prepared(request)
            if prepared is not None:
                self._stream = prepared.stream
                attempt = await prepared.adopt(hear)
            else:
                self._stream = context.stream()
                attempt = await self._stream.run(request, Overlap(spoken), hear)
        finally:
            self._stream = None
        attempt.held = held
        return attempt

    def _beginning(self, messages: Sequence[Message]) -> int:
        """Give the place of the view in a turn that no words of the caller's began."""
        if messages is not self._began_in:  # they are another step's, or were forgotten
            self._began_in, self._begins_at = messages, len(messages)
        return self._begins_at

    async def _take_prepared(self, request: ModelRequest) -> Speculation | None:
        """Give the request that was made ahead, if it is this one; otherwise it is dropped."""
        prepared, self.prepared = self.prepared, None
        if prepared is None or prepared.fits(request):
            return prepared
        await prepared.drop()
        return None

    def _record(self, attempt: Attempt) -> None:
        """Write down one request and what came of it."""
        context = self.context
        request_id = f"{self.speech_id}/{self.attempts}"
        if self._first_token_s is None:
            self._first_token_s = attempt.first_after
        metrics = usage_metrics(
            context.model, attempt, request_id=request_id, timestamp=context.clock.now(), speech_id=self.speech_id
        )
        context.count_usage(attempt)
        self._request_ids.append(metrics["request_id"])
        context.journal.write("metrics.llm", metrics)
        if not attempt.text and not attempt.calls:
            return
        attempt.calls = context.with_ids(attempt.calls)
        data: dict[str, Any] = {
            "speech_id": self.speech_id,
            "request": self.requests,
            "text": attempt.text,
            "calls": [{"call_id": call.id, "name": call.name} for call in attempt.calls],
            "finish": attempt.finished.reason,
        }
        if attempt.error is not None or attempt.cut:
            data["cut"] = True
        if attempt.held:
            data["held"] = True
        context.journal.write("cue.reply", data)
        if attempt.held:
            return  # its words are the step's to decide about
        if attempt.cut:
            self.speech.say_cut(attempt.text.strip(), attempt.passed_on.strip())
        elif text := attempt.text.strip():
            self.speech.say(text, "model", passed_on=True)

    def _tell_failure(self, attempt: Attempt, number: int) -> bool:
        """Write why a request came to nothing; tells whether to make it again."""
        retryable = True
        if attempt.error is None:
            code, message = "model-empty", "The model's reply was empty."
        else:
            message, retryable = failure_message(attempt.error)
            code = getattr(attempt.error, "code", "model-failed")
        again = retryable and number < _ATTEMPTS
        then = "It is asked again." if again else "A line written by code is spoken in its place."
        self.context.error(code, f"{message} {then}", recoverable=True)
        return again

    # --- speaking and closing -----------------------------------------------------------------------------------------

    def say(self, text: str, by: str) -> None:
        """Speak a line in this turn."""
        self.speech.say(text, by)

    def deliver(self, content: Any, shown: Any, content_type: HttpContentType | None) -> None:
        """End the turn with content given by code, unless the caller has cut in; as `Speech.deliver`."""
        self.answered = self.speech.deliver(content, shown, content_type) or self.answered

    async def close(self) -> Reply:
        """Write the turn's end and store it."""
        self.closed = True
        context = self.context
        reply = self.speech.close(self._metrics(), attempts=self.attempts, message_id=self.message_id)
        if context.ended is None:  # otherwise the end of the call is stored with it
            await context.journal.barrier()
        return reply

    async def break_off(self) -> None:
        """Store what was spoken in a turn that an author's fault ended; its message stays unanswered."""
        self.closed = True
        self.context.confirmations.talked_over()
        self.speech.write(self._metrics())
        await self.context.journal.barrier()

    def _metrics(self) -> dict[str, Any]:
        model = self.context.model
        metrics: dict[str, Any] = {}
        if self._first_token_s is not None:
            metrics["llm_node_ttft"] = self._first_token_s
        if self.speech.first_words_after is not None:
            metrics["e2e_latency"] = self.speech.first_words_after
        if self._request_ids:
            metrics["provider_request_ids"] = self._request_ids
            metrics["llm_metadata"] = {"model_name": model.name, "model_provider": model.provider}
        return metrics


def _hold(words: str) -> None:
    """Pass nothing on: the step decides about the reply when it is whole."""
