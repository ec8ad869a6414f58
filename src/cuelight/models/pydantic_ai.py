"""Real models, through pydantic-ai's models and its direct streaming API."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings, ToolOrOutput
from pydantic_ai.tools import ToolDefinition

from cuelight.errors import ModelFailed
from cuelight.models.conversation import Conversations
from cuelight.models.failures import model_failed, refuses_restriction
from cuelight.models.fragments import Fragment, assemble
from cuelight.models.spoken import SpokenText
from cuelight.ports import Finished, ModelEvent, ModelRequest, TextDelta, ToolCallRequest, Usage
from cuelight.wire import ToolSpec

__all__ = ["Habits", "PydanticAIModel"]

_INVENTED_ID = "pyd_ai_"  # how pydantic-ai begins the ids that it makes up itself


@dataclass(frozen=True)
class Habits:
    """Say what is particular about a provider.

    Attributes:
        key: the environment variable its key comes from, for messages.
        restricts_tools: it can be told which of the tools it is sent may be called.
        wants_tools: it refuses a history with calls when no tools come with it.
        gives_reason: a stream of its that ends without a finish reason was cut off.
        settings: what every request says beside its own settings.
    """

    key: str | None = None
    restricts_tools: bool = False
    wants_tools: bool = True
    gives_reason: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


class _Offer(NamedTuple):
    """What of the tools goes into one request."""

    tools: list[ToolDefinition]
    choice: Any = None

    @property
    def restricts(self) -> bool:
        return isinstance(self.choice, ToolOrOutput)


class PydanticAIModel:
    """Ask a model of pydantic-ai.

    The conversation and the tools are written as the provider takes them, its stream is read whatever its habits, and
    every failure comes out as `ModelFailed`. Nothing is retried here: the engine does that.

    Args:
        model: the model to ask.
        habits: what is particular about its provider.
        closing: what else to close with the model.
    """

    def __init__(
        self, model: Model[Any], habits: Habits, *, closing: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._model = model
        self._habits = habits
        self._closing = closing
        self._conversations = Conversations()
        self._restricts = habits.restricts_tools
        client: Any = getattr(model, "client", None)
        if hasattr(client, "max_retries"):
            client.max_retries = 0
        self._secret: str | None = getattr(client, "api_key", None)

    @property
    def name(self) -> str:
        """The model's name as its provider writes it."""
        return str(self._model.model_name)

    @property
    def provider(self) -> str:
        """Who serves the model."""
        return self._model.system

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask the model: words as they come, then the calls, then `Finished`.

        Closing the stream early closes the connection that carries it.

        Raises:
            ModelFailed: when the request or its stream fails in any way, also when the stream ends before the reply.
        """
        try:
            async with AsyncExitStack() as stack:
                reply = await self._open(stack, request)
                events = await stack.enter_async_context(aclosing(self._events(reply, request)))
                async for event in events:
                    yield event
        except ModelFailed:
            raise
        except Exception as error:
            failed = model_failed(error, f"{self.provider}:{self.name}", secret=self._secret, setting=self._habits.key)
            # A provider's exception may quote the key, and all it says that matters is in ours.
            raise failed from None if isinstance(error, ModelAPIError) else error

    async def aclose(self) -> None:
        """Close the connections; the model answers no more."""
        async with self._model:
            pass
        if self._closing is not None:
            await self._closing()

    # --- asking -------------------------------------------------------------------------------------------------------

    async def _open(self, stack: AsyncExitStack, request: ModelRequest) -> StreamedResponse:
        messages = self._conversations.messages(request)
        offer = self._offer(request)
        try:
            return await self._send(stack, request, messages, offer)
        except ModelHTTPError as error:
            if not (offer.restricts and refuses_restriction(error)):
                raise
        # A server that speaks OpenAI's protocol without this part of it: from now on it gets the visible list.
        self._restricts = False
        return await self._send(stack, request, messages, self._offer(request))

    async def _send(
        self, stack: AsyncExitStack, request: ModelRequest, messages: list[ModelMessage], offer: _Offer
    ) -> StreamedResponse:
        settings = {**self._habits.settings, **request.settings}
        if offer.choice is not None:
            settings["tool_choice"] = offer.choice
        parameters = ModelRequestParameters(
            function_tools=offer.tools,
            instruction_parts=[InstructionPart(request.static)] if request.static else None,
        )
        opening = model_request_stream(
            self._model,
            messages,
            model_settings=cast(ModelSettings, settings),
            model_request_parameters=parameters,
            instrument=False,  # a tracer would be a sink for private values
        )
        return await stack.enter_async_context(opening)

    def _offer(self, request: ModelRequest) -> _Offer:
        if self._restricts:
            return _Offer(_listed(request), ToolOrOutput(list(request.visible)))
        if self._habits.wants_tools and request.tools and not request.offered:
            return _Offer(_listed(request), "none")
        return _Offer([_definition(spec) for spec in request.offered])

    # --- reading the answer -------------------------------------------------------------------------------------------

    async def _events(self, reply: StreamedResponse, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        speech = SpokenText()
        async for event in reply:
            if (text := _text(event)) and (spoken := speech.feed(text)):
                yield TextDelta(spoken)
        if spoken := speech.finish():
            yield TextDelta(spoken)
        whole = reply.get()
        details = whole.provider_details or {}
        reason = details.get("finish_reason") or whole.finish_reason
        if whole.state == "incomplete" or (reason is None and self._habits.gives_reason):
            raise ModelFailed(f"{self.provider}:{self.name} broke off before its reply ended. Ask again.")
        for call in _calls(reply, whole, request):
            yield call
        usage = whole.usage
        yield Finished(
            reason=str(reason or "stop"),
            usage=Usage(
                prompt_tokens=usage.input_tokens,
                completion_tokens=usage.output_tokens,
                cached_tokens=usage.cache_read_tokens,
                cache_creation_tokens=usage.cache_write_tokens,
                reasoning_tokens=usage.details.get("reasoning_tokens", 0),
            ),
            request_id=whole.provider_response_id,
        )


def _listed(request: ModelRequest) -> list[ToolDefinition]:
    """List every declared tool, so that the list stays as it is whatever is offered.

    Of several of one name only one can be in a list: it is the one that is offered, or else the first.
    """
    offered = {spec.name: spec for spec in request.offered}
    first = {spec.name: spec for spec in reversed(request.tools)}
    return [_definition(offered.get(name, first[name])) for name in dict.fromkeys(spec.name for spec in request.tools)]


def _definition(spec: ToolSpec) -> ToolDefinition:
    # Strict mode would have the schema rewritten, for some tools and not for others.
    return ToolDefinition(
        name=spec.name, parameters_json_schema=spec.parameters, description=spec.description, strict=False
    )


def _text(event: ModelResponseStreamEvent | object) -> str:
    """Find the words in an event; reasoning has none that are spoken."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        # Text behind a call is a line of its own.
        return f"\n{event.part.content}" if event.previous_part_kind == "tool-call" else event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _calls(reply: StreamedResponse, whole: ModelResponse, request: ModelRequest) -> list[ToolCallRequest]:
    fragments: list[Fragment] | None = getattr(reply, "fragments", None)
    if fragments is None:
        fragments = [
            Fragment(
                index,
                None if part.tool_call_id.startswith(_INVENTED_ID) else part.tool_call_id,
                part.tool_name,
                part.args if isinstance(part.args, str) else part.args_as_json_str(),
            )
            for index, part in enumerate(whole.parts)
            if isinstance(part, ToolCallPart)
        ]
    if not fragments:
        return []
    taken = (call.id for message in request.history for call in message.tool_calls)
    return assemble(fragments, [spec.name for spec in request.tools], taken)
