"""What the tests of the map use: modules on disk, written for one test and charted."""

import importlib.util
import itertools
import sys
from textwrap import dedent

import pytest

_numbers = itertools.count()


class Modules:
    """Write modules and import them; they are forgotten after the test."""

    def __init__(self, folder):
        self.folder = folder
        self.names = []

    def __call__(self, text, name=None):
        """Import a module of a text."""
        name = name or f"charted_{next(_numbers)}"
        file = self.folder / f"{name}.py"
        file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        self.names.append(name)
        spec.loader.exec_module(module)
        return module

    def forget(self):
        for name in self.names:
            del sys.modules[name]


@pytest.fixture
def written(tmp_path):
    modules = Modules(tmp_path)
    yield modules
    modules.forget()


@pytest.fixture(scope="session")
def generated(tmp_path_factory):
    """The same for many modules in one test."""
    modules = Modules(tmp_path_factory.mktemp("generated"))
    yield modules
    modules.forget()
