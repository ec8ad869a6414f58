"""Ask the model ahead, for the answer to words that the caller has not said to the end: it leaves no trace."""

import asyncio
from collections.abc import Callable

from cuelight.agent import delimit
from cuelight.engine.alarm import Alarm
from cuelight.engine.asking import Attempt, Overlap
from cuelight.engine.context import CallContext
from cuelight.ports import ModelRequest

__all__ = ["Speculation"]


class Speculation:
    """Be one request made ahead of its turn.

    It writes nothing, speaks nothing and runs no tool. The turn of the same words may adopt it, where the request that
    the turn would make is this very one; otherwise it is dropped.

    Args:
        context: the call, in which nothing is being done.
        text: the words that the caller is expected to say.
    """

    def __init__(self, context: CallContext, text: str) -> None:
        self.text = text
        self.stream = context.stream(Alarm(context.clock))
        self._seq = context.journal.seq
        self._held: list[str] = []
        self._hear: Callable[[str], None] = self._held.append
        self._request = self._expected(context)
        self._task = asyncio.get_running_loop().create_task(
            self.stream.run(self._request, Overlap(""), lambda words: self._hear(words))
        )

    def _expected(self, context: CallContext) -> ModelRequest:
        """Build the request of a turn that would begin now."""
        history, course = context.journal.history.ahead(self.text), context.course
        asked = context.confirmations
        view = delimit(course.view()[0], *asked.notes())  # the turn tells what of it failed, if it comes to that
        gate = asked.gate(course.offered(heard=True))
        return context.request(history.messages, view, gate, at=history.newest_words, alone=False)

    def begins(self, text: str, seq: int) -> bool:
        """Tell whether these are the expected words, and nothing was written to the log since."""
        return self.text == text and self._seq == seq

    def fits(self, request: ModelRequest) -> bool:
        """Tell whether this is the request that a turn is about to make, and has not failed."""
        if self._task.done() and (self._task.cancelled() or self._task.exception() or self._task.result().error):
            return False
        ours = self._request
        return all(getattr(ours, part) == getattr(request, part) for part in ("stage", "view", "offered", "static"))

    async def adopt(self, hear: Callable[[str], None]) -> Attempt:
        """Go on as the request of a turn: the words that came so far are passed on, the others as they come."""
        self._hear = hear
        for words in self._held:
            hear(words)
        return await self._task

    async def drop(self) -> None:
        """Stop the request, and forget what came of it."""
        self.stream.cut()
        await asyncio.wait({self._task})
        if not self._task.cancelled():
            self._task.exception()  # whatever it is, nobody asked for it
