"""Models that talk to the stub provider."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from cuelight.models import resolve_model
from cuelight.ports import Model
from stub_provider import Answer, StubProvider


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run a conversation between a model and a stub that gives these answers."""

    @asynccontextmanager
    async def stubbed(spec: str, answers: Sequence[Answer]) -> AsyncIterator[tuple[Model, StubProvider]]:
        async with StubProvider() as stub:
            stub.answer(*answers)
            monkeypatch.setenv("OPENAI_BASE_URL", f"{stub.url}/v1")
            monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-ours")
            monkeypatch.setenv("OLLAMA_BASE_URL", f"{stub.url}/v1")
            monkeypatch.setenv("ANTHROPIC_BASE_URL", stub.url)
            monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret-of-ours")
            model = resolve_model(spec)
            try:
                yield model, stub
            finally:
                await model.aclose()  # type: ignore[attr-defined]

    def run(
        what: Callable[[Model, StubProvider], Coroutine[Any, Any, Any]], *answers: Answer, model: str = "openai:stub"
    ) -> Any:
        async def within() -> Any:
            async with asyncio.timeout(20), stubbed(model, answers) as (made, stub):
                return await what(made, stub)

        return asyncio.run(within())

    return run
