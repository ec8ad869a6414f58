"""Goldens as tests of pytest, in processes of their own: as a project has them that installed Cuelight."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kiosk import BUYS, kiosk, write

FAILS = BUYS.replace("6 euros", "7 euros").replace("Buys two", "Buys for seven")


@pytest.fixture
def run(tmp_path):
    """Run pytest in a project, warnings being errors; gives its output."""

    def run(*args, code):
        line = [sys.executable, "-m", "pytest", "-W", "error", "-p", "no:cacheprovider", "-q", *args]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=50, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    return run


def test_each_golden_is_a_test_called_by_its_name(run, tmp_path):
    goldens = kiosk(tmp_path / "kiosk")
    write(goldens / "buys.yaml", BUYS)
    write(goldens / "more" / "fails.yml", FAILS)
    write(goldens / "notes.txt", "no golden")
    write(tmp_path / "kiosk" / "settings.json", "no golden")
    write(tmp_path / "test_own.py", "def test_own(): ...\n")
    listed = run("--collect-only", code=0).splitlines()
    assert listed[:3] == [
        "kiosk/goldens/buys.yaml::Buys two", "kiosk/goldens/more/fails.yml::Buys for seven", "test_own.py::test_own",
    ]  # fmt: skip
    assert "1 passed" in run("kiosk/goldens/buys.yaml", code=0)
    assert "1 failed" in run("-k", "seven", code=1)


def test_one_is_selected_as_the_page_has_it(run, tmp_path):
    goldens = kiosk(tmp_path / "kiosk")
    write(goldens / "buys.yaml", BUYS)
    write(goldens / "fails.yaml", FAILS)
    page = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
    selected = re.search(r'`pytest -k "([^"]+)"` runs the one called Buys\s+two', page.read_text(encoding="utf-8"))
    assert selected is not None
    assert "1 passed, 1 deselected" in run("-k", selected[1], code=0)


def test_goldens_are_found_in_their_own_folder_too(tmp_path):
    goldens = kiosk(tmp_path / "kiosk")
    write(goldens / "buys.yaml", BUYS)
    write(goldens / "more" / "sold.YAML", BUYS)
    line = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q"]
    done = subprocess.run(line, cwd=goldens, capture_output=True, text=True, timeout=50, check=False)
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_a_failure_has_the_text_that_the_command_has(run, tmp_path, monkeypatch):
    write(kiosk(tmp_path / "kiosk") / "fails.yaml", FAILS)
    shown = run(code=1)
    monkeypatch.chdir(tmp_path)
    line = [sys.executable, "-m", "cuelight", "test"]
    told = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    text = told[told.index("Buys for seven: turn 1") : told.rindex("\n\n")]
    assert text in shown
    assert "FAILED kiosk/goldens/fails.yaml::Buys for seven - Buys for seven: turn 1 (" in shown
    assert "Traceback" not in shown
    assert "pytest_plugin.py" not in shown


def test_a_golden_that_is_refused_says_why(run, tmp_path):
    goldens = kiosk(tmp_path / "kiosk")
    torn = write(goldens / "torn.yaml", BUYS.replace("say:", "says:"))
    assert "torn.yaml is refused: line 3: turn 1 has no key `says`" in run(code=2)
    torn.unlink()
    write(goldens / "slip.yaml", BUYS.replace("tool: sell", "tool: sel"))
    write(goldens / "none.yaml", BUYS + "    model: cassette\n")
    write(tmp_path / "tests" / "nobody" / "goldens" / "any.yaml", BUYS)
    shown = run(code=1)
    assert "Kiosk has no tool `sel`; did you mean `sell`?" in shown
    assert "There is no cassette kiosk/goldens/none.cassette.jsonl." in shown
    assert "There is no agent 'nobody'" in shown
    assert "Traceback" not in shown
    assert "3 failed" in shown


def test_agents_with_modules_of_the_same_names_are_kept_apart_from_each_other_and_from_the_tests(run, tmp_path):
    write(kiosk(tmp_path / "cheap", one=3) / "buys.yaml", BUYS)
    write(kiosk(tmp_path / "dear", one=30) / "buys.yaml", BUYS.replace("6 euros", "60 euros"))
    write(tmp_path / "prices.py", "ONE = 'mine'\n")
    write(tmp_path / "test_own.py", "def test_own():\n    import prices\n    assert prices.ONE == 'mine'\n")
    write(tmp_path / "pytest.ini", "[pytest]\npythonpath = . cheap\n")
    assert "3 passed" in run(code=0)


def test_a_project_without_goldens_does_not_wait_for_anything(run, tmp_path):
    write(
        tmp_path / "test_own.py",
        """
        import sys

        def test_own():
            assert "cuelight.pytest_plugin" in sys.modules
            loaded = {name.partition(".")[2].partition(".")[0] for name in sys.modules if name.startswith("cuelight.")}
            assert not loaded & {"wiring", "testing", "engine", "models", "stores", "cli"}, loaded
        """,
    )
    write(tmp_path / "data" / "some.json", "{}")
    assert "1 passed" in run(code=0)


def test_the_plugin_can_be_switched_off(run, tmp_path):
    write(kiosk(tmp_path / "kiosk") / "fails.yaml", FAILS)
    assert "no tests ran" in run("-p", "no:cuelight", code=5)


def test_a_setting_changes_nothing(run, tmp_path, monkeypatch):
    monkeypatch.setenv("CUELIGHT_MODEL", "openai:gpt-5-mini")
    write(kiosk(tmp_path / "kiosk") / "buys.yaml", BUYS)
    assert "1 passed" in run(code=0)
