"""Write docs/reference.md: every exported name of every package, with the first sentence of its docstring.

Run `python scripts/reference.py` after changing what a package exports; a test fails while the page is out of date.
"""

import importlib
import inspect
import pkgutil
from pathlib import Path

import cuelight

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference.md"

HEAD = """# Reference

Every public name, by the package it is imported from. What an author needs is in `cuelight` and `cuelight.testing`;
the rest serves those who build beside it. Full docstrings are in the code.
"""


def packages() -> list[str]:
    """Name the public packages and modules, the author's first."""
    found = sorted(f"cuelight.{one.name}" for one in pkgutil.iter_modules(cuelight.__path__) if one.ispkg)
    modules = ["cuelight.errors", "cuelight.ports"]
    return ["cuelight", "cuelight.testing", *(name for name in found if name != "cuelight.testing"), *modules]


def sentence(value: object) -> str:
    """Give what a name is, in one sentence."""
    if inspect.isclass(value) or inspect.isroutine(value):
        text = (inspect.getdoc(value) or "").split("\n\n")[0]
        return " ".join(text.split()).replace("|", "\\|")
    return f"A value of type `{type(value).__name__}`."


def page() -> str:
    """Give the whole page."""
    parts = [HEAD]
    for name in packages():
        module = importlib.import_module(name)
        summary = (inspect.getdoc(module) or "").splitlines()[0]
        names = [public for public in module.__all__ if public != "__version__"]
        rows = [f"| `{public}` | {sentence(getattr(module, public))} |" for public in names]
        parts.append("\n".join([f"## `{name}`", "", summary, "", "| name | what it is |", "|---|---|", *rows, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
