"""Ask a real model, and keep what it was asked and what it replied."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Self

from cuelight.errors import AuthorError, ModelFailed, NotSetUp
from cuelight.models.cassette.asked import Asked, Normaliser
from cuelight.models.cassette.lines import VERSION, Header, written
from cuelight.models.cassette.take import Call, Closed, End, Failed, Finished, Piece, Take, Words
from cuelight.models.cassette.volatile import Volatile
from cuelight.ports import Model, ModelEvent, ModelRequest, TextDelta, ToolCallRequest
from cuelight.wire import told, whole_text

__all__ = ["Recording"]


class Recording:
    """Be a model that passes every request on to another, and keeps it with its reply.

    Made by `Cassette.record`. The events are passed on as they come. What is kept is the same for the same replies,
    in whatever pieces they came and whatever ids the provider gave them.
    """

    def __init__(self, path: Path, model: Model, again: str | None) -> None:
        self._path = path
        self._model = model
        self._again = again
        self._volatile = Volatile()
        self._normaliser = Normaliser(self._volatile)
        self._takes: list[Take | None] = []

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self._model.name

    @property
    def provider(self) -> str:
        """Who serves the model that is asked."""
        return self._model.provider

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask the model, and pass on what comes.

        Raises:
            Exception: whatever the model raises. A failed request is recorded as one; an error of the author's side
                is none, and nothing is kept of its request.
        """
        asked = self._normaliser.asked(request)  # now: the history is the engine's own list, and grows
        number = len(self._takes)
        self._takes.append(Take(asked))
        kept: list[ModelEvent] = []
        end: End | None = Closed()
        events = self._model.stream(request)
        try:
            async for event in events:
                kept.append(event)
                yield event
            end = Finished()
        except AuthorError:
            end = None
            raise
        except Exception as error:
            end = _failed(error)
            raise
        finally:
            # Before anything is awaited, so that the next request cannot come first.
            self._takes[number] = None if end is None else self._take(asked, kept, end)
            if (close := getattr(events, "aclose", None)) is not None:
                await close()

    def save(self) -> None:
        """Write what was recorded so far; where that fails, the file stays as it was.

        Raises:
            NotSetUp: when the file cannot be written.
        """
        header = Header(VERSION, self.provider, self.name, self._again)
        _write(self._path, written(header, [take for take in self._takes if take is not None]))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.save()

    async def aclose(self) -> None:
        """Close the model that is asked; this saves nothing."""
        if (close := getattr(self._model, "aclose", None)) is not None:
            await close()

    def _take(self, asked: Asked, events: list[ModelEvent], end: End) -> Take:
        """Make of the events what is kept of them: the words between two calls are one piece."""
        pieces: list[Piece] = []
        text = ""

        def close_text() -> None:
            nonlocal text
            if text:
                pieces.append(Words(self._volatile.reply(text)))
            text = ""

        for event in events:
            if isinstance(event, TextDelta):
                text += event.text
            elif isinstance(event, ToolCallRequest):
                close_text()
                name = whole_text(event.name)
                pieces.append(Call(name, self._volatile.reply_arguments(name, event.arguments)))
            elif not isinstance(end, Failed):
                end = Finished.of(event)
        close_text()
        return Take(asked, tuple(pieces), end)


def _failed(error: Exception) -> Failed:
    if isinstance(error, ModelFailed):
        return Failed(told(error), error.retryable)
    return Failed(f"The request to the model failed: {type(error).__name__}: {told(error)}", True)


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        NotSetUp: when it cannot be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as problem:
        raise NotSetUp(
            f"The cassette {path} cannot be written: {problem.strerror}. What was there is as it was; make the folder "
            "writable and record again."
        ) from problem
