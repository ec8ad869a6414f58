"""Ask the model: within time, cut short by an interruption, again after a fault, without a word said twice."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from cuelight.engine.alarm import Alarm
from cuelight.errors import AuthorError, ModelFailed, ModelTooSlow
from cuelight.ports import Clock, Finished, Model, ModelRequest, TextDelta, ToolCallRequest
from cuelight.wire import WholeText, told, whole_text

__all__ = ["Attempt", "Overlap", "Stream", "failure_message", "usage_metrics"]


class Attempt:
    """Hold what came of one request: words, calls, and how it ended."""

    __slots__ = ("calls", "cut", "error", "finished", "first_after", "held", "passed_on", "repeats", "seconds", "text")

    def __init__(self) -> None:
        self.text = ""
        self.passed_on = ""
        """What of the text the caller got before cutting in."""
        self.repeats = False
        """Whether it said again what an earlier attempt had spoken."""
        self.calls: list[ToolCallRequest] = []
        self.finished = Finished()
        self.error: BaseException | None = None
        self.cut = False
        self.held = False
        """Whether its words wait for a step to decide about them, so that the caller has none of them."""
        self.first_after: float | None = None
        self.seconds = 0.0

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing useful came: no call, and no words but white space."""
        return not self.calls and not self.text.strip() and not self.repeats


class Overlap:
    """Drop from a reply the words that an earlier attempt has already spoken, as they stream in.

    Spacing and capitals make no difference: an attempt that begins anew rarely breaks its lines in the same places. A
    word that was broken off is said again, as a whole: nobody knows that it is the same word.
    """

    def __init__(self, spoken: str) -> None:
        self._spoken = "".join(spoken.lower().split())
        self._matched = 0
        self._held = ""
        self._word = 0
        """Where in what is held the newest word begins."""
        self._settled = not self._spoken

    def feed(self, text: str) -> str:
        """Give what of the next words is new."""
        if self._settled:
            return text
        start = len(self._held)
        self._held += text
        for index in range(start, len(self._held)):
            if self._matched == len(self._spoken):
                self._settled = True
                return self._held[self._word if _within_word(self._held, index) else index :]
            char = self._held[index].lower()
            if char.isspace():
                self._word = index + 1
                continue
            if char != self._spoken[self._matched : self._matched + len(char)]:
                self._settled = True
                return self._held  # it goes on, rather than beginning anew
            self._matched += len(char)
        return ""


def _within_word(text: str, index: int) -> bool:
    """Tell whether a place in a text is inside a word, not between two."""
    return text[index - 1].isalnum() and (text[index].isalnum() or text[index] in "'’")


class Stream:
    """Run one request to a model, so that time or an interruption can stop it at any point.

    The request runs in the turn's own task, which is cancelled to stop it: what `asyncio.timeout` does, without a scope
    that has to be entered for each request.
    """

    def __init__(self, model: Model, clock: Clock, alarm: Alarm, *, first_token_s: float, request_s: float) -> None:
        self._model = model
        self._clock = clock
        self._alarm = alarm
        self._first_token_s = first_token_s
        self._request_s = request_s
        self._task: asyncio.Task[Any] | None = None
        self._stopped = False
        self._cut = False
        self._began = 0.0

    def cut(self) -> None:
        """Stop the request: the caller interrupts."""
        self._cut = True
        if self._task is not None:
            # Not at once: whoever interrupts may be the model itself, in the very task that is to be cancelled.
            self._task.get_loop().call_soon(self._stop)

    async def run(self, request: ModelRequest, overlap: Overlap, hear: Callable[[str], None]) -> Attempt:
        """Ask, and gather the reply; `hear` gets the words as they come. Failures are in what is returned.

        Raises:
            AuthorError: when the model is a script or a sheet that its author must mend.
        """
        attempt = Attempt()
        attempt.cut = self._cut
        if attempt.cut:  # before it began
            return attempt
        clock = self._clock
        self._began = clock.monotonic()
        self._task = task = asyncio.current_task()
        self._alarm.set(min(self._first_token_s, self._request_s), lambda: self._expire(attempt))
        try:
            await self._gather(request, attempt, overlap, hear)
        except asyncio.CancelledError as error:
            if not self._stopped:
                if task is None or task.cancelling():
                    raise
                attempt.error = error  # the provider's own, not ours
        except AuthorError:
            raise
        except Exception as error:  # whatever a provider raises is a failed request, and the turn goes on
            attempt.error = error
        finally:
            self._alarm.off()
            self._task = None
            if self._stopped and task is not None and task.uncancel():
                raise asyncio.CancelledError  # somebody else has cancelled the task as well
        if self._stopped and not self._cut:
            attempt.error = ModelTooSlow(_too_slow(attempt, self._first_token_s, self._request_s))
        attempt.cut = self._cut
        if attempt.error is not None:
            attempt.calls = []  # they came with half a reply, and are made again with the whole one
        attempt.seconds = clock.monotonic() - self._began
        return attempt

    async def _gather(
        self, request: ModelRequest, attempt: Attempt, overlap: Overlap, hear: Callable[[str], None]
    ) -> None:
        events = self._model.stream(request)
        whole = WholeText()

        def take(text: str) -> None:
            new = overlap.feed(text)
            attempt.repeats = attempt.repeats or (not new and bool(text.strip()))
            attempt.text += new
            if new and not self._cut:
                attempt.passed_on += new
                hear(new)

        try:
            async for event in events:
                if attempt.first_after is None:
                    attempt.first_after = self._clock.monotonic() - self._began
                if isinstance(event, TextDelta):
                    take(whole.feed(event.text))
                elif isinstance(event, ToolCallRequest):
                    attempt.calls.append(_whole_call(event))
                else:
                    attempt.finished = event
            take(whole.finish())
        finally:
            close = getattr(events, "aclose", None)
            if close is not None:
                await close()

    def _expire(self, attempt: Attempt) -> None:
        """Stop a request that is late: without a first token, or as a whole."""
        if attempt.first_after is not None:
            left = self._request_s - (self._clock.monotonic() - self._began)
            if left > 0:
                self._alarm.set(left, self._stop)
                return
        self._stop()

    def _stop(self) -> None:
        if self._task is not None and not self._stopped:
            self._stopped = True
            self._task.cancel()


def _whole_call(call: ToolCallRequest) -> ToolCallRequest:
    id_ = None if call.id is None else whole_text(call.id)
    return ToolCallRequest(whole_text(call.name), whole_text(call.arguments), id_)


def _too_slow(attempt: Attempt, first_token_s: float, request_s: float) -> str:
    if attempt.first_after is None:
        return f"The model gave no first word within {first_token_s:g} s."
    return f"The model was not done within {request_s:g} s."


def usage_metrics(
    model: Model, attempt: Attempt, *, request_id: str, timestamp: float, speech_id: str
) -> dict[str, Any]:
    """Measure one request in the shape of `metrics.llm`."""
    usage = attempt.finished.usage
    produced = attempt.seconds - (attempt.first_after or 0.0)
    data: dict[str, Any] = {
        "type": "llm_metrics",
        "label": f"{model.provider}:{model.name}",
        "request_id": attempt.finished.request_id or request_id,
        "timestamp": timestamp,
        "duration": attempt.seconds,
        "ttft": attempt.first_after if attempt.first_after is not None else -1.0,
        "cancelled": attempt.cut or attempt.error is not None,
        "completion_tokens": usage.completion_tokens,
        "prompt_tokens": usage.prompt_tokens,
        "prompt_cached_tokens": usage.cached_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "tokens_per_second": usage.completion_tokens / produced if produced > 0 else 0.0,
        "speech_id": speech_id,
        "metadata": _metadata(model),
    }
    if usage.cache_creation_tokens:
        data["cache_creation_tokens"] = usage.cache_creation_tokens
    if usage.reasoning_tokens:
        data["reasoning_tokens"] = usage.reasoning_tokens
    return data


def _metadata(model: Model) -> Mapping[str, str]:
    return {"model_name": model.name, "model_provider": model.provider}


def failure_message(error: BaseException) -> tuple[str, bool]:
    """Say what failed, and whether asking again can help."""
    if isinstance(error, ModelFailed):
        return told(error), error.retryable
    return f"The request to the model failed: {type(error).__name__}: {told(error)}", True
