"""The turn benchmark measures what it says: each run holds the whole conversation, and one that does not is told apart.

No time is asserted here: how long something takes is for `make bench` to say.
"""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.turns.__main__ import Row
from bench.turns.ours import DESKS, converse
from bench.turns.subjects import Subject
from bench.turns.workload import STAGE_EVERY, TURNS, VISIBLE, Desk, Run, read_run
from cuelight.stores import MemoryStore, SqliteStore

ROOT = Path(__file__).resolve().parents[2]
FEW = 2 * STAGE_EVERY + 1  # two changes of stage, and a turn after them


@pytest.mark.parametrize("kind", sorted(DESKS))
@pytest.mark.parametrize("medium", ["memory", "sqlite"])
def test_our_run_does_the_whole_work(medium: str, kind: str, tmp_path: Path) -> None:
    async def run() -> Run:
        store = MemoryStore() if medium == "memory" else SqliteStore(tmp_path / "calls.sqlite3")
        try:
            return await converse(store, kind, FEW)
        finally:
            await store.close()

    measured = asyncio.run(run())
    assert measured.faults == []
    assert measured.stale == 0
    assert len(measured.seconds) == FEW
    assert min(measured.seconds) > 0


class Library:
    """Stand for a library that does the work, as far as a test lets it."""

    def __init__(self) -> None:
        self.desk = Desk(FEW)
        self.stage: Callable[[], str] = lambda: self.desk.stage
        self.calls = 1
        self.answers = True

    def run(self) -> Run:
        async def say(words: str) -> str:
            desk = self.desk
            desk.offer(VISIBLE[self.stage()])
            for _ in range(self.calls):
                desk.find(desk.number)
            desk.offer(VISIBLE[self.stage()])
            return desk.answer if self.answers else words

        return asyncio.run(self.desk.drive(say))


def test_a_library_that_does_the_work_has_no_faults() -> None:
    run = Library().run()
    assert (run.faults, run.stale, len(run.seconds)) == ([], 0, FEW)


def test_tools_of_the_stage_before_are_counted_as_stale() -> None:
    library = Library()
    before = next(iter(VISIBLE))
    library.stage = lambda: before
    run = library.run()
    assert run.faults == []
    # From the change in turn 10 to the one in turn 20: the second request of the one, both of each between, the first
    # of the other.
    assert run.stale == 2 * STAGE_EVERY


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda library: setattr(library, "calls", 0), "the tool had run for []"),
        (lambda library: setattr(library, "calls", 2), "the tool had run for [1, 1]"),
        (lambda library: setattr(library, "answers", False), "the answer was"),
        (lambda library: library.desk.offer(VISIBLE["arriving"]), "the model had been asked 3 times"),
        (lambda library: library.desk.offer([]), "the model was offered []"),
    ],
)
def test_work_that_was_not_done_is_a_fault(spoil: Callable[[Library], None], told: str) -> None:
    library = Library()
    spoil(library)
    run = library.run()
    assert any(told in fault for fault in run.faults)
    assert len(run.seconds) == 1


def test_a_run_is_read_back_whatever_was_printed_before(capsys: pytest.CaptureFixture[str]) -> None:
    run = Library().run()
    run.write()
    assert read_run("a library says hello" + capsys.readouterr().out) == run


def test_the_table_has_our_four_rows_and_no_peer_unless_asked() -> None:
    done = _bench("turns", "--peers", "none", "--repeats", "1")
    assert done.returncode == 0, done.stderr
    rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| Cuelight")]
    assert len(rows) == 4
    assert [row[-1].strip(" |") for row in rows] == ["0"] * 4
    assert sum(line.startswith("| ") for line in done.stdout.splitlines()) == 5
    assert f"{TURNS} turns with one tool call each" in done.stdout


def test_a_subject_that_cannot_run_is_a_row_that_says_so() -> None:
    row = Row(Subject("Nothing", ("bench.turns.peers.nothing",)))
    row.set_up()
    row.measure()
    row.measure()
    assert row.runs == []
    assert row.cells() == ["Nothing", "it ended with exit code 1", "", "", "", "", ""]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("turns", "--peers", "nobody"), "'nobody' is no peer; the peers are burr, pipecat,"),
        (("turns", "--repeats", "0"), "'0' is no number of runs"),
        (("everything",), "There is no part 'everything'; the parts are fold, turns."),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(arguments: tuple[str, ...], told: str) -> None:
    done = _bench(*arguments)
    assert done.returncode == 2
    assert told in done.stderr


def _bench(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "bench", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=50
    )
