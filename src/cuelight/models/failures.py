"""Foreign exceptions, said in our words: what happened, at which provider and model, and what to do."""

from typing import Any

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    UserError,
)

from cuelight.errors import ModelFailed
from cuelight.wire import told

__all__ = ["model_failed", "refuses_restriction"]

_SHORTEST_SECRET = 8  # anything shorter is a placeholder, and may be part of any word
_RETRYABLE = frozenset({408, 409, 425, 429})
_ADVICE = {
    400: "The provider does not take this request as it is: check the model's settings and its base URL",
    401: "Check the key{key}",
    403: "Check what the key{key} may use",
    404: "Check the model's name, and the base URL if you set one",
    408: "Ask again",
    409: "Ask again",
    413: "The conversation is too long for the provider: limit its exchanges",
    422: "The provider does not take this request as it is: check the model's settings and its base URL",
    429: "The provider takes no more requests just now: wait, or have the limit raised",
}


def model_failed(error: Exception, model: str, *, secret: str | None = None, setting: str | None = None) -> ModelFailed:
    """Say as `ModelFailed` what an exception of pydantic-ai, a provider's client or its connection means.

    Args:
        error: the exception.
        model: provider and name, for the message.
        secret: the key in use; it is cut out of whatever the provider said.
        setting: the environment variable the key comes from.
    """
    said = " ".join(_said(error).split())
    if secret and len(secret) >= _SHORTEST_SECRET:
        said = said.replace(secret, "***")
    if isinstance(error, ModelHTTPError):
        status = error.status_code
        quota = isinstance(error, ModelQuotaExceededError)
        advice = _ADVICE.get(status, "Ask again" if status >= 500 else "Check the request")
        if quota:
            advice = "The account's quota is used up: add credit, or have the limit raised"
        elif isinstance(error, ModelContextWindowExceededError):
            advice = _ADVICE[413]
        hint = f" (did you mean {error.suggested_model_id}?)" if error.suggested_model_id else ""
        return ModelFailed(
            f"{model} answered {status}: {said}. {advice.format(key=f' in {setting}' if setting else '')}{hint}.",
            retryable=(status in _RETRYABLE or status >= 500) and not quota,
        )
    if isinstance(error, ModelConnectionError):
        return ModelFailed(
            f"The connection to {model} failed: {said}. Ask again; check the network and the base URL if it stays so."
        )
    if isinstance(error, UserError):
        return ModelFailed(f"{model} cannot be asked that way: {said}", retryable=False)
    refused = isinstance(error, ModelRequestRejectedError | ModelQuotaExceededError)
    return ModelFailed(
        f"{model} did not answer as it should ({type(error).__name__}): {said}. "
        + ("Check the model's settings." if refused else "Ask again."),
        retryable=not refused,
    )


def refuses_restriction(error: ModelHTTPError) -> bool:
    """Whether a server says that it does not know how to restrict the callable tools."""
    return error.status_code in (400, 422) and any(word in str(error.body) for word in ("tool_choice", "allowed_tools"))


def _said(error: Exception) -> str:
    """Find the provider's own words in an error."""
    body: Any = error.body if isinstance(error, ModelAPIError) else None
    if isinstance(body, dict):
        inner = body.get("error", body)
        said = inner.get("message") if isinstance(inner, dict) else inner
        if said:
            return str(said)[:500].rstrip(".")
    if isinstance(error, ModelHTTPError):
        return str(body)[:500].rstrip(".") if body else "nothing more"
    return (told(error) or type(error).__name__)[:500].rstrip(".")
