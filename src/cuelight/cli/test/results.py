"""What came of the runs of goldens."""

from msgspec import Struct

from cuelight.models.prices import price
from cuelight.ports import Usage
from cuelight.testing.goldens import GoldenRun
from cuelight.wiring import ReadyGolden

__all__ = ["Result", "Results", "result_of"]


class Result(Struct, frozen=True, kw_only=True):
    """Say how one run of a golden went."""

    name: str
    file: str
    agent: str
    model: str
    """What answered: `script`, `understudy`, `cassette`, or `provider:name`."""
    run: int
    """Counts the runs of one golden with one model from 1."""
    passed: bool
    failure: str
    seconds: float
    latencies: list[float]
    """Seconds, of each turn in which the model was asked."""
    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    """US dollars; null where no provider was asked, or its price is not known."""
    cassette: str | None
    """The file that was recorded."""


class Results(Struct, frozen=True, kw_only=True):
    """Hold the results of all runs, as `--json` gives them."""

    passed: int
    failed: int
    seconds: float
    results: list[Result]


def result_of(
    ready: ReadyGolden, run: GoldenRun, model: str, number: int, *, paid: bool, cassette: str | None = None
) -> Result:
    """Sum up a run.

    Args:
        ready: the golden.
        run: how it went.
        model: what answered.
        number: which of the runs it is, from 1.
        paid: whether a provider was asked.
        cassette: what was recorded.
    """
    return Result(
        name=run.name,
        file=run.file,
        agent=ready.found.name,
        model=model,
        run=number,
        passed=run.passed,
        failure=run.failure,
        seconds=run.seconds,
        latencies=run.latencies,
        requests=run.requests,
        prompt_tokens=run.prompt_tokens,
        completion_tokens=run.completion_tokens,
        cost=_cost(run) if paid else None,
        cassette=cassette,
    )


def _cost(run: GoldenRun) -> float | None:
    """Sum the prices of a run's requests; None where one of them is not known."""
    asked = [entry.data for entry in run.log if entry.type == "metrics.llm"]
    prices = [
        price(
            data["metadata"]["model_provider"],
            data["metadata"]["model_name"],
            Usage(
                data["prompt_tokens"],
                data["completion_tokens"],
                data["prompt_cached_tokens"],
                data.get("cache_creation_tokens", 0),
            ),
        )
        for data in asked
    ]
    known = [each for each in prices if each is not None]
    return sum(known) if len(known) == len(prices) and prices else None
