"""A type checker sees fields, tools, steps and routes as they are written, and refuses what would be refused anyway."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parent / "typing_samples"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, int, str]]:
    """What the checker finds in the samples: file, line, code."""
    cache = tmp_path_factory.mktemp("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", f"--config-file={SAMPLES / 'mypy.ini'}", f"--cache-dir={cache}", str(SAMPLES)],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    matches = (re.match(r"(?:.*/)?(\w+\.py):(\d+): error: .* \[([\w-]+)\]$", line) for line in done.stdout.splitlines())
    return {(match[1], int(match[2]), match[3]) for match in matches if match}


def _expected(path: Path) -> set[tuple[str, int, str]]:
    return {
        (path.name, number, code)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for code in line.partition("# expect: ")[2].split(", ")
        if code
    }


@pytest.mark.parametrize("name", ["accepted.py", "flow_accepted.py"])
def test_what_an_author_writes_is_accepted_with_its_types(found: set[tuple[str, int, str]], name: str) -> None:
    assert (SAMPLES / name).exists()
    assert not {error for error in found if error[0] == name}


@pytest.mark.parametrize("name", ["refused.py", "flow_refused.py"])
def test_what_is_wrong_is_refused_where_it_is(found: set[tuple[str, int, str]], name: str) -> None:
    expected = _expected(SAMPLES / name)
    assert len(expected) > 10
    assert {error for error in found if error[0] == name} == expected
