"""How each provider's model is made, and what its provider needs."""

import os
import re
from difflib import get_close_matches

import httpx2
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import infer_model, known_model_names
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers import infer_provider_class
from pydantic_ai.providers.openai import OpenAIProvider

from cuelight.errors import NotSetUp
from cuelight.models.openai_chat import tolerant, watch_ending
from cuelight.models.pydantic_ai import PydanticAIModel

__all__ = ["build"]

_KEYS = {
    "openai": "OPENAI_API_KEY",
    "openai-responses": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}
_SETTING = re.compile(r"`([A-Z][A-Z0-9_]+)`")
_EXTRA = re.compile(r"pip install [\"']?(pydantic-ai-slim\[[\w,-]+\])")
# What the providers' own clients wait for; the engine has shorter limits of its own.
_TIMEOUT = httpx2.Timeout(600, connect=5)
_LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)


def build(provider: str, name: str) -> PydanticAIModel:
    """Make a provider's model.

    Raises:
        NotSetUp: when there is no such provider, or it lacks a package or a setting.
    """
    if provider in ("openai", "openai-chat"):
        return _openai_chat(name)
    try:
        infer_provider_class(provider)
        model = infer_model(f"{provider}:{name}")
    except ValueError as unknown:
        near = get_close_matches(provider, {known.partition(":")[0] for known in known_model_names()}, n=1)
        hint = f"did you mean {near[0]}?" if near else "openai and anthropic are some there are."
        raise NotSetUp(f"There is no provider {provider!r} of models; {hint}") from unknown
    except ImportError as missing:
        extra = _EXTRA.search(str(missing))
        package = f'pip install "{extra[1]}"' if extra else str(missing)
        raise NotSetUp(f"{provider}:{name} needs a package that is not installed: {package}.") from missing
    except UserError as problem:
        settings = _SETTING.findall(str(problem))
        if not settings:
            raise NotSetUp(f"{provider}:{name} cannot be used: {problem}") from problem
        raise NotSetUp(f"{provider}:{name} needs a key: set {' or '.join(settings)} in the environment.") from problem
    if isinstance(model, OpenAIChatModel) and model.provider is not None:
        model = tolerant(type(model))(model.model_name, provider=model.provider)
    return PydanticAIModel(model, setting=_KEYS.get(provider))


def _openai_chat(name: str) -> PydanticAIModel:
    if not (os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL")):
        raise NotSetUp(
            f"openai:{name} needs a key: set OPENAI_API_KEY in the environment. "
            "For another server that speaks its protocol, set OPENAI_BASE_URL to it; then the key may be left out."
        )
    client = httpx2.AsyncClient(timeout=_TIMEOUT, limits=_LIMITS, event_hooks={"response": [watch_ending]})
    provider = OpenAIProvider(http_client=client)
    return PydanticAIModel(
        tolerant(OpenAIChatModel)(name, provider=provider), setting=_KEYS["openai"], closing=client.aclose
    )
