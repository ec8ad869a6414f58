"""Answer requests with the replies that a cassette holds."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from cuelight.errors import CassetteMissed, ModelFailed, NotSetUp
from cuelight.models.cassette.asked import Normaliser
from cuelight.models.cassette.difference import first_difference
from cuelight.models.cassette.reading import read
from cuelight.models.cassette.take import Closed, Failed, Take, Words
from cuelight.models.cassette.volatile import Volatile
from cuelight.models.words import words
from cuelight.ports import ModelEvent, ModelRequest, TextDelta, ToolCallRequest

__all__ = ["Replay"]

_TURNS_OF_THE_LOOP = 100  # in which an interruption takes effect, and nothing else is waited for


class Replay:
    """Be a model that gives the n-th recorded reply to the n-th request, if that is the one that was recorded.

    Made by `Cassette.replay`. Ids, and readings of clocks, may differ from those of the recording; the ids in a reply
    are those of this run. Text is streamed a word at a time.
    """

    def __init__(self, path: Path, again: str | None) -> None:
        self._source = str(path)
        header, self._takes = read(_bytes(path, again), self._source, again=again)
        self._again = again or header.again
        self._volatile = Volatile()
        self._normaliser = Normaliser(self._volatile)
        self._asked = 0
        self._name, self._provider = header.name, header.provider

    @property
    def name(self) -> str:
        """The name of the model that was recorded."""
        return self._name

    @property
    def provider(self) -> str:
        """Who served the model that was recorded."""
        return self._provider

    def unused(self) -> int:
        """Count the recorded replies that were not asked for yet."""
        return max(0, len(self._takes) - self._asked)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Give the next recorded reply: its words and calls, then `Finished`.

        Raises:
            CassetteMissed: when the request is not the recorded one, or there is no reply left.
            ModelFailed: when the recorded request failed.
        """
        self._asked += 1
        number = self._asked
        take = self._find(number, request)
        for piece in take.pieces:
            if isinstance(piece, Words):
                for word in words(self._volatile.filled(piece.text)):
                    yield TextDelta(word)
            else:
                yield ToolCallRequest(piece.name, self._volatile.filled(piece.arguments))
        end = take.end
        if isinstance(end, Failed):
            raise ModelFailed(end.message, retryable=end.retryable)
        if isinstance(end, Closed):
            for _ in range(_TURNS_OF_THE_LOOP):
                await asyncio.sleep(0)
            raise self._missed(number, "got a reply that was cut short when it was recorded, and now is not")
        yield end.event()

    def _find(self, number: int, request: ModelRequest) -> Take:
        asked = self._normaliser.asked(request)
        count = len(self._takes)
        if number > count:
            ending = ""
            if asked.messages:
                last = asked.messages[-1]
                said = last.content or ", ".join(call.name for call in last.tool_calls)
                ending = f"; its last message is {last.role}: {said[:60]!r}"
            raise self._missed(number, f"comes after the last one recorded, number {count}{ending}")
        take = self._takes[number - 1]
        difference = first_difference(take.asked, asked)
        if difference is not None:
            problem = f"of {count} is not the one that was recorded. The first difference is in {difference.part}:"
            raise self._missed(number, problem, difference.shown)
        return take

    def _missed(self, number: int, problem: str, shown: str = "") -> CassetteMissed:
        how = f": {self._again}" if self._again else "."
        ending = f"\n{shown}\n" if shown else ". "
        return CassetteMissed(
            f"{self._source}: request {number} {problem}{ending}If this is meant, record it again{how}"
        )


def _bytes(path: Path, again: str | None) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as missing:
        how = f" Record it: {again}" if again else " Record it first."
        raise NotSetUp(f"There is no cassette {path}.{how}") from missing
    except OSError as problem:
        raise NotSetUp(f"The cassette {path} cannot be read: {problem.strerror}.") from problem
