"""Agents of one process kept apart: each finds its own modules, however the modules of the others are called."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from cuelight.wiring.agents import LIBRARIES

__all__ = ["Apart"]


class Apart:
    """Hold the modules of one agent, which can be imported only while it is at work.

    Two agents have an `agent.py` each, and may have a `registry.py` each. Whoever imports both by these names would
    get the first one twice.
    """

    def __init__(self) -> None:
        self.folder: Path | None = None
        """Where the agent lies, once that is known."""
        self._modules: dict[str, ModuleType] = {}
        self._path: list[str] = []

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Let the agent's code be imported and run while a `with` block runs; afterwards all is as it was."""
        path, before = [*sys.path], dict(sys.modules)
        sys.path[:0] = self._path
        sys.modules.update(self._modules)
        try:
            yield
        finally:
            self._path = list(Counter(sys.path) - Counter(path))
            own = [*map(Path, self._path), *([self.folder] if self.folder else [])]
            for name, module in list(sys.modules.items()):
                if before.get(name) is not module and _is_below(module, own):
                    self._modules[name] = module
                    if name in before:
                        sys.modules[name] = before[name]
                    else:
                        del sys.modules[name]
            sys.path[:] = path


def _is_below(module: ModuleType, folders: list[Path]) -> bool:
    """Tell whether a module is an author's own: beneath a folder of the agent's, and no installed one."""
    written = getattr(module, "__file__", None)
    if written is None:
        return False
    file = Path(written).resolve()
    return any(map(file.is_relative_to, folders)) and not any(map(file.is_relative_to, LIBRARIES))
