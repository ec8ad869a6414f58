"""The results of goldens as a person reads them: a line each, the failures, a table, a summary."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median

from rich.console import Console
from rich.text import Text

from cuelight.cli.test.results import Result, Results
from cuelight.cli.transcript import seconds

__all__ = ["show_failures", "show_result", "show_running", "show_summary", "show_table"]

_UNKNOWN = "—"
_HEAD = ("GOLDEN", "MODEL", "PASSED", "TOKENS IN", "OUT", "COST", "A TURN")
_LEFT = 2  # columns of words; the others are numbers


@contextmanager
def show_running(console: Console | None) -> Iterator[Callable[[str], None]]:
    """Let a terminal show what is run; gives what is to be told of it."""
    if console is None or not console.is_terminal:
        yield lambda what: None
        return
    with console.status("") as status:
        yield lambda what: status.update(Text(what, "dim"))


def show_result(console: Console, result: Result, *, runs: int) -> None:
    """Say in a line how a run went."""
    which = f" · run {result.run}" if runs > 1 else ""
    recorded = f" · recorded {result.cassette}" if result.cassette else ""
    console.print(
        Text.assemble(
            ("ok    ", "green") if result.passed else ("FAILED", "bold red"),
            f"  {result.name}  ",
            (f"{result.file} · {result.model}{which} · {seconds(result.seconds)}{recorded}", "dim"),
        ),
        soft_wrap=True,
    )


def show_failures(console: Console, results: Sequence[Result]) -> None:
    """Show what broke in each run that failed; where several runs of a golden broke alike, once."""
    shown: set[tuple[str, str, str]] = set()
    for result in results:
        key = (result.file, result.model, result.failure)
        if result.passed or key in shown:
            continue
        shown.add(key)
        console.print(Text(f"\n{result.file} · {result.model}", "bold"), soft_wrap=True)
        console.print(Text(result.failure), soft_wrap=True)


def show_table(console: Console, results: Sequence[Result]) -> None:
    """Show how each golden went with each model: how often it passed, and what that took in all runs together."""
    rows = [_HEAD, *_rows(results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    console.print()
    for row in rows:
        cells = (
            f"{cell:{width}}" if column < _LEFT else f"{cell:>{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        console.print(Text("  ".join(cells).rstrip()), soft_wrap=True)


def _rows(results: Sequence[Result]) -> Iterator[tuple[str, ...]]:
    models = list(dict.fromkeys(result.model for result in results))
    for file, name in dict.fromkeys((result.file, result.name) for result in results):
        for model in models:
            if runs := [each for each in results if each.file == file and each.model == model]:
                yield _row(name, model, runs)
    for model in models:
        yield _row("all", model, [each for each in results if each.model == model])


def _row(name: str, model: str, runs: Sequence[Result]) -> tuple[str, ...]:
    costs = [result.cost for result in runs if result.cost is not None]
    latencies = [each for result in runs for each in result.latencies]
    return (
        name,
        model,
        f"{sum(result.passed for result in runs)}/{len(runs)}",
        f"{sum(result.prompt_tokens for result in runs):,}",
        f"{sum(result.completion_tokens for result in runs):,}",
        f"${sum(costs):.4f}" if len(costs) == len(runs) else _UNKNOWN,
        seconds(median(latencies)) if latencies else _UNKNOWN,
    )


def show_summary(console: Console, results: Results) -> None:
    """Say in a line how all of them went."""
    failed = f"{results.failed} failed, " if results.failed else ""
    style = "bold red" if results.failed else "bold green"
    console.print(Text(f"\n{failed}{results.passed} passed in {seconds(results.seconds)}", style))
