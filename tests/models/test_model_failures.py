"""Whatever goes wrong at a provider comes out as ModelFailed, and says whether asking again can help."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from asking import ask, calls_of, events, text_of
from cuelight.errors import ModelFailed
from cuelight.ports import ModelEvent, TextDelta
from stub_provider import DONE, Answer, anthropic, call_chunk, chunk, event, failure, openai

Talk = Callable[..., Any]
MODELS = ["openai:stub", "anthropic:stub"]


async def fails(model: Any, stub: Any) -> tuple[list[ModelEvent], ModelFailed, int]:
    """Ask once; give what came before the failure, the failure, and how many requests it took."""
    before: list[ModelEvent] = []
    try:
        async for each in model.stream(ask()):
            before.append(each)
    except ModelFailed as failed:
        return before, failed, len(stub.requests)
    pytest.fail(f"the request succeeded: {before}")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("status", "retryable", "advice"),
    [
        (400, False, "settings"),
        (401, False, "_API_KEY"),
        (403, False, "_API_KEY"),
        (404, False, "name"),
        (408, True, "Ask again"),
        (409, True, "Ask again"),
        (422, False, "settings"),
        (429, True, "wait"),
        (500, True, "Ask again"),
        (503, True, "Ask again"),
        (529, True, "Ask again"),
    ],
)
def test_T23_c_an_error_before_the_first_token(  # noqa: N802
    talk: Talk, model: str, status: int, retryable: bool, advice: str
) -> None:
    before, failed, requests = talk(fails, failure(status, "it went wrong"), model=model)
    assert before == []
    assert failed.retryable is retryable
    assert requests == 1, "the clients do not retry by themselves"
    for word in (model, str(status), "it went wrong", advice):
        assert word in str(failed)


@pytest.mark.parametrize("model", MODELS)
def test_the_key_is_in_no_message(talk: Talk, model: str) -> None:
    secret = {"openai:stub": "sk-secret-of-ours", "anthropic:stub": "sk-ant-secret-of-ours"}[model]
    _, failed, _ = talk(fails, failure(401, f"The key {secret} is not known"), model=model)
    assert secret not in str(failed)
    assert failed.__cause__ is None


def test_a_used_up_quota_is_not_retried(talk: Talk) -> None:
    _, failed, _ = talk(fails, failure(429, "You are out of credit", code="insufficient_quota"))
    assert not failed.retryable
    assert "credit" in str(failed)


def test_a_conversation_that_is_too_long_is_said_to_be(talk: Talk) -> None:
    _, failed, _ = talk(fails, failure(400, "8193 tokens are too many", code="context_length_exceeded"))
    assert not failed.retryable
    assert "too long" in str(failed)


HALF = {
    "openai:stub": [chunk({"role": "assistant", "content": "Let me "}), chunk({"content": "look"})],
    "anthropic:stub": anthropic("Let me look").pieces[:4],
}
CALL = call_chunk({"index": 0, "id": "call_1", "name": "book", "arguments": '{"slot"'})


@pytest.mark.parametrize("model", MODELS)
def test_a_connection_dropped_in_the_middle(talk: Talk, model: str) -> None:
    before, failed, requests = talk(fails, Answer(HALF[model], end="dropped"), model=model)
    assert text_of(before).startswith("Let me")
    assert failed.retryable
    assert model in str(failed)
    assert requests == 1


@pytest.mark.parametrize("model", MODELS)
def test_a_stream_that_stops_before_the_reply_has_ended(talk: Talk, model: str) -> None:
    before, failed, _ = talk(fails, Answer(HALF[model]), model=model)
    assert text_of(before).startswith("Let me")
    assert failed.retryable


def test_T09_no_call_of_a_broken_stream_comes_out(talk: Talk) -> None:  # noqa: N802
    for end in ("dropped", "properly"):
        before, failed, _ = talk(fails, Answer([CALL], end=end))
        assert calls_of(before) == []
        assert failed.retryable


@pytest.mark.parametrize("model", MODELS)
def test_a_stream_of_nothing(talk: Talk, model: str) -> None:
    _, failed, _ = talk(fails, Answer([]), model=model)
    assert failed.retryable


@pytest.mark.parametrize(
    ("model", "rubbish"),
    [
        ("openai:stub", b"data: {not json\n\n"),
        ("openai:stub", b"data: \xff\xfe\n\n"),
        ("anthropic:stub", b"event: content_block_delta\ndata: {not json\n\n"),
    ],
)
def test_a_malformed_stream(talk: Talk, model: str, rubbish: bytes) -> None:
    before, failed, _ = talk(fails, Answer([*HALF[model], rubbish]), model=model)
    assert text_of(before).startswith("Let me")
    assert failed.retryable


def test_a_page_in_place_of_a_stream(talk: Talk) -> None:
    _, failed, _ = talk(fails, Answer([b"<html>Please log in</html>"], content_type="text/html"))
    assert failed.retryable


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        ("openai:stub", [*HALF["openai:stub"], b'data: {"error": {"message": "overloaded", "code": 503}}\n\n', DONE]),
        (
            "anthropic:stub",
            [*HALF["anthropic:stub"], event("error", error={"type": "overloaded_error", "message": "overloaded"})],
        ),
    ],
)
def test_an_error_after_the_first_token(talk: Talk, model: str, answer: list[bytes]) -> None:
    before, failed, _ = talk(fails, Answer(answer), model=model)
    assert text_of(before).startswith("Let me")
    assert failed.retryable
    assert "overloaded" in str(failed)


def test_a_provider_that_is_not_there(talk: Talk) -> None:
    async def gone(model: Any, stub: Any) -> ModelFailed:
        stub._server.close()
        await stub._server.wait_closed()
        return (await fails(model, stub))[1]

    failed = talk(gone, openai("hello"))
    assert failed.retryable
    assert "connection" in str(failed)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("said", [0, 4])
def test_T23_d_a_mute_connection_waits_until_it_is_cancelled(talk: Talk, model: str, said: int) -> None:  # noqa: N802
    async def waiting(asked: Any, stub: Any) -> list[ModelEvent]:
        before: list[ModelEvent] = []
        heard = asyncio.Event()

        async def listen() -> None:
            async for each in asked.stream(ask()):
                before.append(each)
                heard.set()

        listening = asyncio.create_task(listen())
        if said:
            await heard.wait()
        else:
            await stub.asked.wait()
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening
        await stub.hung_up.wait()
        return before

    before = talk(waiting, Answer(HALF[model][:said], end="never"), model=model)
    assert bool(before) == bool(said)


@pytest.mark.parametrize("model", MODELS)
def test_closing_a_stream_early_closes_its_connection(talk: Talk, model: str) -> None:
    async def leave(asked: Any, stub: Any) -> ModelEvent:
        stream = asked.stream(ask())
        first = await anext(stream)
        tasks = asyncio.all_tasks()
        await stream.aclose()
        assert asyncio.all_tasks() == tasks, "nothing is left to be done later"
        await stub.hung_up.wait()
        return first

    first = talk(leave, Answer(HALF[model], end="never"), model=model)
    assert isinstance(first, TextDelta)


@pytest.mark.parametrize("model", MODELS)
def test_connections_are_shared_by_requests(talk: Talk, model: str) -> None:
    async def twice(asked: Any, stub: Any) -> int:
        await events(asked)
        await events(asked)
        return stub.connections

    assert talk(twice, {"openai:stub": openai("ok"), "anthropic:stub": anthropic("ok")}[model], model=model) == 1


def test_a_closed_model_answers_no_more(talk: Talk) -> None:
    async def closed(model: Any, stub: Any) -> ModelFailed:
        await model.aclose()
        return (await fails(model, stub))[1]

    assert "closed" in str(talk(closed, openai("ok")))
