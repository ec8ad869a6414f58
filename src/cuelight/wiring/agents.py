"""Find an agent, and import its author's code as they would."""

import importlib
import importlib.util
import inspect
import os
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from cuelight.agent import Agent
from cuelight.errors import AgentNotFound, AgentNotLoaded, DeclarationRefused
from cuelight.flow import Flow

__all__ = ["LIBRARIES", "FoundAgent", "file_of", "find_agent", "short_path"]

_SHEET = "cues.toml"
_STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_PACKAGE = Path(__file__).resolve().parents[1]
LIBRARIES = tuple(
    Path(path).resolve() for name, path in sysconfig.get_paths().items() if name in ("stdlib", "purelib", "platlib")
)
"""Where what an author has installed lies."""


class FoundAgent(NamedTuple):
    """Hold what makes an agent, and where it was found.

    `make` is an Agent class or a function that gives an instance; `file` is where it is written.
    """

    make: Callable[[], Agent]
    name: str
    file: Path

    @property
    def sheet(self) -> Path:
        """Where its cue sheet would be: beside it."""
        return self.file.parent / _SHEET


def find_agent(named: str, *, under: Path | None = None) -> FoundAgent:
    """Find an agent by the file or folder it is in, as `module:Class`, or by its slug.

    A folder's agent is in its `agent.py`; a slug is a folder or a file of that name here or in `agents/`, its hyphens
    standing for underscores too. After a colon comes the class, or a function that makes an instance, where a file
    has several.

    Args:
        named: what the user wrote.
        under: the folder that relative paths and slugs start from; None is the current one.

    Raises:
        AgentNotFound: nothing of that name is there; the message says where it was looked for.
        AgentNotLoaded: the author's code raised when it was imported, or holds no agent, or several.
    """
    here = (under or Path.cwd()).resolve()
    target, colon, attribute = named.rpartition(":")
    if not colon:
        target, attribute = named, ""
    file = file_of(target, here) if target else None
    if file is not None:
        module, shown = _load(file), short_path(file, here)
    elif colon and target.replace(".", "").isidentifier():
        module, shown = _import(target, here), target
        file = Path(module.__file__ or here / target)
    else:
        raise AgentNotFound(_not_found(named, here))
    return _pick(module, file, attribute, shown)


def file_of(target: str, here: Path) -> Path | None:
    """Give the file that a path, a folder or a slug means."""
    path = here / Path(target).expanduser()
    if path.is_file():
        if path.suffix != ".py":
            raise AgentNotFound(f"{target} is no Python file. Name the file or folder that the agent's class is in.")
        return path
    if path.is_dir() and (path / "agent.py").is_file():
        return path / "agent.py"
    if target.endswith(".py") or "/" in target or os.sep in target or path.is_dir():
        return None
    names = dict.fromkeys((target, target.replace("-", "_")))
    return next((file for name in names for file in _places(name, here) if file.is_file()), None)


def _places(slug: str, here: Path) -> Iterator[Path]:
    for folder in (here, here / "agents"):
        yield folder / slug / "agent.py"
        yield folder / f"{slug}.py"


def _not_found(named: str, here: Path) -> str:
    target = named.rpartition(":")[0] or named
    path = here / target
    if path.is_dir():
        return f"The folder {target} has no agent.py. Name the file that the agent's class is in."
    if target.endswith(".py") or "/" in target:
        return f"There is no {target}. Name a file, a folder with an agent.py in it, or module:Class."
    there = sorted({file.parent.name for pattern in ("*/agent.py", "agents/*/agent.py") for file in here.glob(pattern)})
    close = get_close_matches(target.replace("-", "_"), there, n=1)
    known = f"Agents here: {', '.join(there)}." if there else f"`cuelight new {target}` makes one."
    hint = f"Did you mean {close[0]}? {known}" if close else known
    return f"There is no agent {named!r}: no {target}/agent.py or {target}.py, here or in agents/. {hint}"


def _import(name: str, here: Path) -> ModuleType:
    _search_first(here)
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:  # the author's code: whatever it raises, they are told where
        raise AgentNotLoaded(_fault(name, error, here)) from error


def _load(file: Path) -> ModuleType:
    """Import a file: as part of its package where it is in one, else with its own folder to import from."""
    file = file.resolve()
    parts = [] if file.name == "__init__.py" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    _search_first(folder)
    name = ".".join(parts)
    try:
        if len(parts) > 1 and not _is_foreign(parts[0], folder):
            return importlib.import_module(name)
        return _execute(file, name)
    except (Exception, SystemExit) as error:  # the author's code: whatever it raises, they are told where
        raise AgentNotLoaded(_fault(short_path(file, Path.cwd()), error, folder)) from error


def _execute(file: Path, name: str) -> ModuleType:
    """Run a file as a module; under a name of its own where another module has its name already."""
    if name in sys.modules or name in sys.stdlib_module_names:
        name = f"cuelight_agent_{name.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # annotations are resolved through it
    try:
        spec.loader.exec_module(module)
    except BaseException:  # whatever stopped it, nothing half done stays behind
        del sys.modules[name]
        raise
    return module


def _is_foreign(package: str, folder: Path) -> bool:
    """Tell whether another package of that name is loaded."""
    loaded = sys.modules.get(package)
    file = getattr(loaded, "__file__", None)
    return loaded is not None and (file is None or Path(file).resolve().parent != folder / package)


def _search_first(folder: Path) -> None:
    if sys.path[:1] != [str(folder)]:
        sys.path.insert(0, str(folder))


def _pick(module: ModuleType, file: Path, attribute: str, shown: str) -> FoundAgent:
    if attribute:
        found = getattr(module, attribute, None)
        if not callable(found) or (inspect.isclass(found) and not issubclass(found, Agent)):
            known = _agents(module)
            close = get_close_matches(attribute, known, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise AgentNotLoaded(f"{shown} has no agent {attribute!r}.{hint} Its agents: {', '.join(known) or 'none'}.")
        _check_makes_itself(found, attribute, shown)
        written = inspect.getsourcefile(found) if inspect.isclass(found) or inspect.isfunction(found) else None
        return FoundAgent(found, attribute, Path(written or file))
    agents = _agents(module)
    if len(agents) > 1:
        first = next(iter(agents))
        raise AgentNotLoaded(f"{shown} has several agents: {', '.join(agents)}. Say which, as in {shown}:{first}.")
    for name, cls in agents.items():
        _check_makes_itself(cls, name, shown)
        return FoundAgent(cls, name, file)
    raise AgentNotLoaded(f"{shown} has no agent: write a class in it that subclasses cuelight.Agent.")


def _check_makes_itself(found: Callable[..., object], name: str, shown: str) -> None:
    """Refuse a class or function that wants arguments: a command has none to give.

    Raises:
        AgentNotLoaded: it does; the message says what to write instead.
    """
    try:
        parameters = inspect.signature(found).parameters.values()
    except ValueError:  # one of Python's own that has none to show
        return
    wanted = [each.name for each in parameters if each.default is each.empty and each.kind not in _STARRED]
    if wanted:
        raise AgentNotLoaded(
            f"{name} takes services ({', '.join(wanted)}), which a command cannot give. Write a function beside it "
            f"that gives an instance, `def make(): return {name}(...)`, and name that: {shown}:make."
        )


def _agents(module: ModuleType) -> dict[str, type[Agent]]:
    """Give the agents that a module defines; those it imports where it defines none."""
    found = {
        name: value for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, Agent)
        and "__framework__" not in vars(value) and not name.startswith("_")
        and not (issubclass(value, Flow) and value.__registry__ is None)  # a base of flows, which nobody can open
    }  # fmt: skip
    own = {name: cls for name, cls in found.items() if cls.__module__ == module.__name__}
    return own or found


def _fault(shown: str, error: BaseException, home: Path) -> str:
    """Say what an import raised, and where in the author's code; each of several problems of a class on its line."""
    place = _place(error, home)
    if isinstance(error, DeclarationRefused):
        where = f" ({place})" if place else ""
        problems = [_sentence(problem) for problem in error.problems]
        if len(problems) == 1:
            return f"{error.owner} is refused{where}: {problems[0]}"
        lines = "".join(f"\n  - {problem}" for problem in problems)
        return f"{error.owner} is refused{where}, {len(problems)} problems:{lines}"
    where = f", at {place}" if place else ""
    if isinstance(error, SystemExit):
        return f"{shown} ends the program when it is imported{where}. Put that under `if __name__ == '__main__':`."
    what = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{shown} cannot be imported{where}: {type(error).__name__}: {what}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _place(error: BaseException, home: Path) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{short_path(Path(error.filename), Path.cwd())}:{error.lineno}"
    libraries = [folder for folder in (*LIBRARIES, _PACKAGE) if not home.is_relative_to(folder)]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.is_file() and not any(map(file.resolve().is_relative_to, libraries)):
            return f"{short_path(file, Path.cwd())}:{frame.lineno}"
    return ""


def short_path(file: Path, here: Path) -> str:
    """Write a path as short as it can be read from here."""
    return str(file.relative_to(here)) if file.is_relative_to(here) else str(file)
