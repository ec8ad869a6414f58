"""Chat Completions as servers really stream them.

pydantic-ai puts the fragments of tool calls together by their index, as the protocol says. Its hooks for subclasses are
used to take the fragments out before it does, to tell a stream that was cut off from one that ended, and to spare the
conversation a walk through the client that takes 0.2 ms a message.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import httpx2
from openai.types.chat import chat_completion_chunk
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import FinishReason, ModelMessage, ModelResponseStreamEvent
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse
from pydantic_ai.providers.openai import OpenAIProvider

from cuelight.models.fragments import Fragment

__all__ = ["openai_chat", "tolerant"]

_ENDED = "cuelight.ended"
# What the clients of providers wait for by themselves; the engine has shorter limits.
_TIMEOUT = httpx2.Timeout(600, connect=5)
_LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)


def openai_chat(name: str) -> tuple[OpenAIChatModel, Callable[[], Awaitable[None]]]:
    """Make a model of OpenAI's, or of the server that `OPENAI_BASE_URL` names, and what closes its connections."""
    client = httpx2.AsyncClient(timeout=_TIMEOUT, limits=_LIMITS, event_hooks={"response": [_watch_ending]})
    return tolerant(OpenAIChatModel)(name, provider=OpenAIProvider(http_client=client)), client.aclose


@dataclass
class FragmentedStream(OpenAIStreamedResponse):
    """Collect the fragments of tool calls as they come; mixed in before the stream class that a model uses."""

    fragments: list[Fragment] = field(default_factory=list, init=False)

    def _map_tool_call_delta(self, choice: chat_completion_chunk.Choice) -> Iterable[ModelResponseStreamEvent]:
        for delta in choice.delta.tool_calls or ():
            function = delta.function
            self.fragments.append(
                Fragment(delta.index, delta.id, function.name, function.arguments)
                if function is not None
                else Fragment(delta.index, delta.id)
            )
        return ()

    def _missing_finish_reason(self) -> FinishReason:
        if self._response.source.response.extensions.get(_ENDED) is False:
            raise ModelAPIError(self._model_name, "the stream was cut off before the reply ended")
        return super()._missing_finish_reason()


class _TolerantModel:
    """Put `FragmentedStream` in front of the stream class that a model uses, and send messages as they were mapped."""

    @property
    def _streamed_response_cls(self) -> type[FragmentedStream]:
        return _fragmented(super()._streamed_response_cls)  # type: ignore[misc]

    async def _completions_create(
        self, messages: list[ModelMessage], stream: bool, settings: dict[str, Any], parameters: ModelRequestParameters
    ) -> Any:
        settings = {**settings, "extra_body": {**settings.get("extra_body", {}), "messages": []}}
        return await super()._completions_create(messages, stream, settings, parameters)  # type: ignore[misc]

    async def _map_messages(
        self,
        messages: Sequence[ModelMessage],
        parameters: ModelRequestParameters,
        *,
        model_settings: dict[str, Any],
    ) -> list[Any]:
        """Map the messages into the body's extra part: what is in there goes out as it is."""
        mapped = await super()._map_messages(messages, parameters, model_settings=model_settings)  # type: ignore[misc]
        model_settings["extra_body"]["messages"] = mapped
        return []


@cache
def _fragmented(stream: type[OpenAIStreamedResponse]) -> type[FragmentedStream]:
    return cast(type[FragmentedStream], type(f"Fragmented{stream.__name__}", (FragmentedStream, stream), {}))


@cache
def tolerant(model: type[OpenAIChatModel]) -> type[OpenAIChatModel]:
    """Give the class of models that is like this one and streams `FragmentedStream`s."""
    return cast(type[OpenAIChatModel], type(f"Tolerant{model.__name__}", (_TolerantModel, model), {}))


class _WatchedBody(httpx2.AsyncByteStream):
    """Note whether an event stream came to its end mark."""

    def __init__(self, body: httpx2.AsyncByteStream, extensions: dict[str, Any]) -> None:
        self._body = body
        self._extensions = extensions
        extensions[_ENDED] = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        tail = b""
        async for piece in self._body:
            tail = (tail + piece)[-64:]
            if b"[DONE]" in tail:
                self._extensions[_ENDED] = True
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()


async def _watch_ending(response: httpx2.Response) -> None:
    """Watch an event stream for its end mark; a response hook of an HTTP client.

    A server that sends no finish reason but an end mark has ended its reply; one that sends neither was cut off.
    """
    event_stream = response.headers.get("content-type", "").startswith("text/event-stream")
    if event_stream and "content-encoding" not in response.headers:
        response.stream = _WatchedBody(cast(httpx2.AsyncByteStream, response.stream), response.extensions)
