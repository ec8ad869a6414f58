"""How each provider's model is made, and what its provider needs."""

import os
import re
from difflib import get_close_matches
from typing import Any

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model, known_model_names
from pydantic_ai.providers import infer_provider_class

from cuelight.errors import NotSetUp
from cuelight.models.pydantic_ai import Habits, PydanticAIModel

__all__ = ["build"]

_SETTING = re.compile(r"`([A-Z][A-Z0-9_]+)`")
_EXTRA = re.compile(r"pip install [\"']?(pydantic-ai-slim\[[\w,-]+\])")
_HABITS = {
    "openai": Habits(key="OPENAI_API_KEY", restricts_tools=True, wants_tools=False),
    "openai-responses": Habits(key="OPENAI_API_KEY", restricts_tools=True, wants_tools=False),
    "anthropic": Habits(key="ANTHROPIC_API_KEY", gives_reason=True, settings={"anthropic_cache_instructions": True}),
}


def build(provider: str, name: str) -> PydanticAIModel:
    """Make a provider's model.

    Raises:
        NotSetUp: when there is no such provider, or it lacks a package or a setting.
    """
    if provider in ("openai", "openai-chat"):
        return _openai(name)
    model = _inferred(provider, name)
    if any(base.__name__ == "OpenAIChatModel" for base in type(model).__mro__):
        # The class that speaks Chat Completions is looked for by name: whoever uses another does not wait for it.
        from cuelight.models.openai_chat import tolerant

        model_class: Any = type(model)
        model = tolerant(model_class)(model.model_name, provider=model.provider)
    return PydanticAIModel(model, _HABITS.get(provider, Habits()))


def _inferred(provider: str, name: str) -> Any:
    try:
        infer_provider_class(provider)
        model: Model[Any] = infer_model(f"{provider}:{name}")
    except ValueError as unknown:
        known = {spec.partition(":")[0] for spec in known_model_names()} - {provider}
        near = get_close_matches(provider, known, n=1)
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
        what = "a key" if all("KEY" in setting or "TOKEN" in setting for setting in settings) else "to know its server"
        raise NotSetUp(f"{provider}:{name} needs {what}: set {' or '.join(settings)} in the environment.") from problem
    return model


def _openai(name: str) -> PydanticAIModel:
    if not (os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL")):
        raise NotSetUp(
            f"openai:{name} needs a key: set OPENAI_API_KEY in the environment. "
            "For another server that speaks its protocol, set OPENAI_BASE_URL to it; then the key may be left out."
        )
    from cuelight.models.openai_chat import openai_chat

    model, close = openai_chat(name)
    return PydanticAIModel(model, _HABITS["openai"], closing=close)
