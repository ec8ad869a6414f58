"""`cuelight test --watch`: again, whenever something changes."""

import os
import select
import subprocess
import time

import pytest

from cuelight.cli.test.watching import watch, watched_folders
from kiosk import BUYS, kiosk, write


class Enough(Exception):
    """Ends the watching."""


def _rounds(folder, *steps):
    """Watch a folder, one step being done each time that is waited; gives what was done by each round."""
    done, rounds = [], []
    left = list(steps)

    def wait():
        if not left:
            raise Enough
        left[0]()
        done.append(left.pop(0).__name__)

    with pytest.raises(Enough):
        watch(lambda: watched_folders([folder]), lambda: rounds.append(tuple(done)), wait)
    return rounds


def test_a_golden_that_is_gone_is_waited_for_beside_others_that_are_not(tmp_path):
    here = write(kiosk(tmp_path / "kiosk") / "buys.yaml", BUYS)
    gone = tmp_path / "other" / "goldens" / "gone.yaml"
    (tmp_path / "other").mkdir()
    assert watched_folders([gone, here]) == {tmp_path / "kiosk", tmp_path / "other"}
    write(gone, BUYS)
    assert watched_folders([gone]) == {tmp_path / "other"}


def test_a_change_of_anything_that_a_golden_depends_on_runs_it_again(tmp_path):
    golden = write(kiosk(tmp_path / "kiosk") / "buys.yaml", BUYS)

    def nothing(): ...
    def the_golden():
        write(golden, BUYS + "\n")

    def the_cassette():
        write(golden.with_name("buys.cassette.jsonl"), "{}\n")

    def the_agent():
        write(tmp_path / "kiosk" / "agent.py", "# new\n")

    def what_it_imports():
        write(tmp_path / "kiosk" / "prices.py", "ONE = 12\n")

    def the_cue_sheet():
        write(tmp_path / "kiosk" / "cues.toml", "# new\n")

    def a_new_golden():
        write(golden.with_name("more.json"), "{}")

    def a_golden_less():
        golden.unlink()

    def other_files():
        write(tmp_path / "kiosk" / "calls.sqlite3", "x")
        write(tmp_path / "kiosk" / "results.xml", "x")
        write(tmp_path / "kiosk" / ".hidden.py", "x")
        write(tmp_path / "kiosk" / "__pycache__" / "x.py", "x")

    changes = (
        the_golden, the_cassette, the_agent, what_it_imports, the_cue_sheet, a_new_golden, a_golden_less,
    )  # fmt: skip
    steps = [nothing, *changes, other_files, nothing]
    rounds = _rounds(tmp_path / "kiosk", *steps)
    assert [seen[-1:] for seen in rounds] == [(), *((change.__name__,) for change in changes)]


def test_a_change_during_a_run_runs_it_again(tmp_path):
    golden = write(kiosk(tmp_path / "kiosk") / "buys.yaml", BUYS)
    runs = []

    def run():
        runs.append(len(runs))
        if len(runs) == 1:
            write(golden, BUYS + "\n")

    def wait():
        raise Enough

    with pytest.raises(Enough):
        watch(lambda: watched_folders([golden]), run, wait)
    assert runs == [0, 1]


def test_the_folders_of_agents_are_watched_wherever_the_goldens_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kiosk(tmp_path / "project" / "agents" / "shop")
    write(tmp_path / "project" / "tests" / "shop" / "goldens" / "buys.yaml", BUYS)
    kiosk(tmp_path / "elsewhere")
    named = write(tmp_path / "loose" / "one.yaml", BUYS + "    agent: ../elsewhere/agent.py:Kiosk\n")
    broken = write(tmp_path / "more" / "torn.yaml", "name: [")
    assert watched_folders([tmp_path / "project" / "tests"]) == {tmp_path / "project"}
    assert watched_folders([named, broken]) == {tmp_path / "loose", tmp_path / "elsewhere", tmp_path / "more"}
    assert watched_folders([]) == {tmp_path}
    assert watched_folders([tmp_path / "nowhere"]) == {tmp_path}


def test_each_round_runs_the_code_as_it_then_is(cuelight, tmp_path):
    write(kiosk(tmp_path / "kiosk") / "buys.yaml", BUYS)
    process = subprocess.Popen(
        cuelight.line("test", "--watch", "-k", "two"), env=cuelight.environ(PYTHONUNBUFFERED="1"), cwd=tmp_path,
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        shown = _until(process, "Watching for changes")
        assert "\n1 passed in " in shown
        write(tmp_path / "kiosk" / "prices.py", "ONE = 12\n")
        shown = _until(process, "Watching for changes")
        assert "24 euros" in shown
        assert "\n1 failed, 0 passed in " in shown
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _until(process, text, seconds=20):
    """Give what a process writes until a text comes."""
    ends, shown = time.monotonic() + seconds, ""
    while text not in shown:
        ready, _, _ = select.select([process.stdout], [], [], max(0, ends - time.monotonic()))
        assert ready, f"{text!r} was not shown; this was:\n{shown}"
        shown += os.read(process.stdout.fileno(), 4096).decode()
    return shown
