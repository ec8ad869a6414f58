"""The goldens of a command line: all read and checked first, then run one after another."""

import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from msgspec import Struct

from cuelight.cli.test.results import Result, result_of
from cuelight.cli.test.selecting import Selects
from cuelight.errors import BadInput, CuelightError, GoldenRefused, NotSetUp
from cuelight.models import Cassette
from cuelight.testing.goldens import ScriptedReply, read_golden
from cuelight.wiring import Goldens, ReadyGolden

__all__ = ["Asked", "Refused", "prepare", "run_all"]


class Asked(Struct, frozen=True, kw_only=True):
    """Hold how goldens are to be run.

    `models` are names; None is what each golden says itself. `replies` stand in the place of that.
    """

    models: Sequence[str | None] = (None,)
    runs: int = 1
    record: bool = False
    replies: list[ScriptedReply] | None = None
    limit: float


class Refused(Exception):
    """Carry what keeps goldens from being run: all of it, each error once."""

    def __init__(self, errors: Sequence[CuelightError]) -> None:
        self.errors = list({str(error): error for error in errors}.values())
        super().__init__("; ".join(map(str, self.errors)))


def prepare(goldens: Goldens, files: Sequence[Path], selects: Selects, asked: Asked) -> list[ReadyGolden]:
    """Read the goldens that are selected, and check everything about them that can be wrong before they run.

    Raises:
        BadInput: none is selected.
        Refused: at least one golden cannot be run. One that cannot be read counts as selected: its name is not known.
    """
    ready: list[ReadyGolden] = []
    errors: list[CuelightError] = []
    for file in files:
        try:
            read = read_golden(file)
            if not selects(read.golden.name, str(file)):
                continue
            golden = goldens.ready(read)
            golden = golden if asked.replies is None else golden.with_replies(asked.replies)
            _check(goldens, golden, asked)
        except CuelightError as error:
            errors.append(error)
        else:
            ready.append(golden)
    errors += _twins(ready)
    if errors:
        raise Refused(errors)
    if not ready:
        raise BadInput(f"-k selects none of {len(files)} goldens.")
    return ready


def _check(goldens: Goldens, golden: ReadyGolden, asked: Asked) -> None:
    golden.check()
    for model in asked.models:
        if asked.record:
            goldens.recording(golden, model)
        else:
            goldens.model(golden, model)


def _twins(ready: Sequence[ReadyGolden]) -> Iterator[GoldenRefused]:
    """Refuse goldens of one folder that nobody could tell apart: by their name, or by the cassette they would share."""
    seen: dict[tuple[Path, str], Path] = {}
    for golden in ready:
        file = golden.read.file
        for what, said in (
            (golden.read.golden.name, f"it is called {golden.read.golden.name!r}, as is"),
            (golden.cassette.name, f"it would have the cassette {golden.cassette.name}, as would"),
        ):
            other = seen.setdefault((file.resolve().parent, what), file)
            if other is not file:
                yield GoldenRefused(str(file), [f"{said} {other}; call one of them otherwise"])


async def run_all(
    goldens: Goldens, ready: Sequence[ReadyGolden], asked: Asked, begin: Callable[[str], None]
) -> AsyncIterator[Result]:
    """Run goldens one after another, each with every model, and give what came of each run as it is over.

    Args:
        goldens: where `ready` comes from.
        ready: the goldens.
        asked: how they are to be run.
        begin: is told what is run next.
    """
    for golden in ready:
        for model in asked.models:
            for number in range(1, asked.runs + 1):
                begin(f"{golden.read.golden.name} · {model or golden.answered_by()}")
                yield await _run(goldens, golden, model, number, asked)


async def _run(goldens: Goldens, golden: ReadyGolden, named: str | None, number: int, asked: Asked) -> Result:
    if asked.record:
        return await _record(goldens, golden, named, asked)
    model = goldens.model(golden, named)
    run = await golden.run(model, asked.limit)
    return result_of(golden, run, golden.answered_by(named), number, paid=goldens.is_real(model))


async def _record(goldens: Goldens, golden: ReadyGolden, named: str | None, asked: Asked) -> Result:
    """Record a golden's cassette, and keep it only where the golden passes, and passes again when it is played.

    A recording of what broke would fail from then on, in the place of one that does not.
    """
    with _room_beside(golden.cassette) as folder:
        file = Path(folder, golden.cassette.name)
        recording = goldens.recording(golden, named, file=file)
        run = await golden.run(recording, asked.limit)
        if run.passed:
            recording.save()
            played = await golden.run(Cassette.replay(file), asked.limit)
            if played.passed:
                _put(file, golden.cassette)
                return result_of(golden, run, run.model, 1, paid=True, cassette=str(golden.cassette))
            run.failure = f"{run.name}: passed with {run.model}, and not when that was played\n{played.failure}"
    kept = "is as it was" if golden.cassette.exists() else "was not made"
    run.failure += f"\n\n  Only what passes is recorded: {golden.cassette} {kept}."
    return result_of(golden, run, run.model, 1, paid=True)


def _room_beside(cassette: Path) -> TemporaryDirectory[str]:
    """Make a folder on the disk that a cassette will be on, to record it in.

    Raises:
        NotSetUp: the cassette's folder cannot be written.
    """
    try:
        return TemporaryDirectory(dir=cassette.parent, prefix=".recording-")
    except OSError as error:
        _cannot_write(cassette, error)


def _put(recorded: Path, cassette: Path) -> None:
    """Put a recording in the place of a cassette.

    Raises:
        NotSetUp: it cannot be written.
    """
    try:
        os.replace(recorded, cassette)
    except OSError as error:
        _cannot_write(cassette, error)


def _cannot_write(cassette: Path, error: OSError) -> NoReturn:
    said = f"The cassette {cassette} cannot be written: {error.strerror}. Make its folder writable, and record again."
    raise NotSetUp(said) from error
