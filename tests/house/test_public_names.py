"""What a package exports is what its documentation lists, and every exported name says what it is."""

import importlib
import importlib.util
import inspect
import pkgutil
from pathlib import Path

import pytest

import cuelight

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [
    "cuelight",
    *sorted(f"cuelight.{found.name}" for found in pkgutil.iter_modules(cuelight.__path__) if found.ispkg),
    "cuelight.errors",
    "cuelight.ports",
]


def _documented() -> dict[str, set[str]]:
    """Read docs/reference.md: a heading names a package, the names in its table are what it exports."""
    documented: dict[str, set[str]] = {}
    package = ""
    for line in (ROOT / "docs" / "reference.md").read_text().splitlines():
        if line.startswith("## `"):
            package = line.split("`")[1]
            documented[package] = set()
        elif line.startswith("| `") and package:
            documented[package].add(line.split("`")[1])
    return documented


@pytest.mark.parametrize("name", PACKAGES)
def test_all_is_sorted_and_real(name: str) -> None:
    package = importlib.import_module(name)
    exported = list(package.__all__)
    assert len(exported) == len(set(exported))
    # Sorted as the formatter sorts: constants, classes, then the rest.
    assert exported == sorted(exported, key=lambda n: (0 if n.isupper() else 1 if n[0].isupper() else 2, n))
    for public in exported:
        assert hasattr(package, public), f"{name}.__all__ names {public}, which is not there"


@pytest.mark.parametrize("name", PACKAGES)
def test_all_is_what_the_reference_documents(name: str) -> None:
    package = importlib.import_module(name)
    assert _documented().get(name) == set(package.__all__) - {"__version__"}


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_function_and_class_has_a_docstring(name: str) -> None:
    package = importlib.import_module(name)
    for public in package.__all__:
        value = getattr(package, public)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, f"{name}.{public} has no docstring"
            first = value.__doc__.strip().splitlines()[0]
            assert first.endswith((".", ":")), f"{name}.{public}: its first line is no sentence: {first!r}"


def test_the_reference_is_what_the_docstrings_say() -> None:
    path = ROOT / "scripts" / "reference.py"
    spec = importlib.util.spec_from_file_location("reference_script", path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "run `python scripts/reference.py`"


def test_the_reference_names_no_package_that_is_not_there() -> None:
    assert set(_documented()) == set(PACKAGES)
