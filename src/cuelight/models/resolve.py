"""From `provider:name` to a model, or to what is missing for it."""

from difflib import get_close_matches

from cuelight.errors import NotSetUp
from cuelight.models.installing import install_line
from cuelight.ports import Model

__all__ = ["resolve_model"]

_FIRST = ("openai", "anthropic")


def resolve_model(spec: str) -> Model:
    """Give the model that `provider:name` means; nothing is sent anywhere yet.

    `openai:` speaks Chat Completions and so reaches every server that does (`OPENAI_BASE_URL`), `openai-responses:` the
    Responses API, `anthropic:` Messages; every other provider of pydantic-ai goes by the name it has there. The model
    has `aclose()`, which closes its connections, and belongs to the event loop it is first used on.

    Raises:
        NotSetUp: when this names no model, or when a package or a key is missing; it says what to set or install.
    """
    provider, colon, name = spec.strip().partition(":")
    if not (provider and colon and name):
        raise NotSetUp(
            f"{spec!r} names no model. Write provider:name, such as openai:gpt-5-mini or anthropic:claude-haiku-4-5."
        )
    try:
        # Only here: pydantic-ai and the providers' clients cost half a second and 57 MB.
        from cuelight.models.providers import build
    except ImportError as missing:
        # Which providers there are is known to what is missing; a slip in one of these two is told all the same.
        close = get_close_matches(provider, _FIRST, n=1, cutoff=0.8)
        if close and close[0] != provider:
            raise NotSetUp(f"There is no provider {provider!r} of models; did you mean {close[0]}:{name}?") from missing
        raise NotSetUp(
            f"{spec} needs a package that is not installed ({missing.name}). Run: {install_line('models')}"
        ) from missing
    return build(provider, name)
