"""The wheel, in an environment of its own and outside the checkout."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _run(*line, cwd, **options):
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("CUELIGHT", "PYTHON"))}
    done = subprocess.run(
        [*map(str, line)], cwd=cwd, env=environ | {"HOME": str(cwd), "XDG_DATA_HOME": ""},
        capture_output=True, text=True, check=False, **options,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timeout(400)
def test_an_installed_wheel_demonstrates_itself_and_makes_agents(tmp_path):
    _run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    (wheel,) = tmp_path.glob("cuelight-*.whl")
    _run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    binaries = tmp_path / "venv" / "bin"
    _run(binaries / "pip", "install", "--quiet", "--disable-pip-version-check", wheel, "pytest", cwd=tmp_path)

    played = _run(binaries / "cuelight", "demo", cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert '"status": "ended"' in played
    assert "It is booked" in played
    assert (tmp_path / ".local" / "share" / "cuelight" / "calls.sqlite3").is_file()

    _run(binaries / "cuelight", "new", "front-desk", cwd=tmp_path)
    assert "3 passed" in _run(binaries / "pytest", "-q", "front_desk", cwd=tmp_path)
    assert "1 passed" in _run(binaries / "cuelight", "test", "front_desk", cwd=tmp_path)
    talked = _run(binaries / "cuelight", "chat", "front-desk", cwd=tmp_path, input="This is Ada Byrne\nCall me back\n")
    assert "I have noted that" in talked

    told = _run(binaries / "cuelight", "doctor", cwd=tmp_path)
    assert re.search(r'/venv/bin/python\S* -m pip install "cuelight\[models\]"', told)
    assert str(ROOT) not in told
