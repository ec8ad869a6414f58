"""Environments of their own for the libraries that are measured beside Cuelight."""

import subprocess
import sys
import venv
from pathlib import Path

__all__ = ["ROOT", "WORK", "python_with"]

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / ".bench"
"""Where the benchmarks keep what they make; it may be deleted at any time."""


def python_with(name: str, *requirements: str) -> Path:
    """Return the interpreter of an environment that has these packages, made and filled when it is first asked for.

    Args:
        name: the folder of the environment under `.bench`.
        requirements: what `pip install` is told.

    Raises:
        subprocess.CalledProcessError: the packages cannot be installed, for example without a network.
    """
    folder = WORK / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp = folder / ".installed"
    wanted = "\n".join(requirements)
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"Setting up {folder.relative_to(ROOT)} with {', '.join(requirements)} (once).", file=sys.stderr)
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)
        stamp.write_text(wanted)
    return python
