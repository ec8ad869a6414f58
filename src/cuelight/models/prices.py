"""What a request to a provider's model costs, as far as it is known."""

from cuelight.ports import Usage

__all__ = ["price"]


def price(provider: str, name: str, usage: Usage) -> float | None:
    """Give the price of one request in US dollars, at the provider's list prices; None where it is not known.

    Args:
        provider: who serves the model, as the model itself says.
        name: the model's name as its provider writes it.
        usage: the tokens of the request.
    """
    try:
        # Only here: the list of prices takes almost half a second to load, and belongs to the models' extra.
        import genai_prices
    except ImportError:
        return None
    counted = genai_prices.Usage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cache_read_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_creation_tokens,
    )
    try:
        return float(genai_prices.calc_price(counted, name, provider_id=provider).total_price)
    except (LookupError, ValueError):
        return None
