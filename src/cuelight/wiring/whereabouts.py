"""Where goldens are, and whose: in folders called `goldens`, beside an agent or under `test/<agent>/`."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import UNSET

from cuelight.errors import AgentNotFound, AgentNotLoaded, BadInput, GoldenRefused
from cuelight.testing.goldens import GoldenFile
from cuelight.wiring.agents import FoundAgent, file_of, find_agent, short_path

__all__ = [
    "agent_named",
    "agent_of",
    "cassette_file",
    "files_below",
    "find_goldens",
    "golden_folders",
    "is_golden",
    "stray_cassettes",
]

_SUFFIXES = (".json", ".yaml", ".yml")
_GOLDENS = "goldens"
_CASSETTE = ".cassette.jsonl"
_TESTS = ("test", "tests")
_PASSED_OVER = ("node_modules", "__pycache__")
_ENVIRONMENT = "pyvenv.cfg"


# --- the files --------------------------------------------------------------------------------------------------------


def find_goldens(paths: Sequence[Path] = ()) -> list[Path]:
    """Find goldens: the files that are named, and those in folders called `goldens` beneath the folders that are named.

    Hidden folders, virtual environments and `node_modules` are passed over.

    Args:
        paths: files and folders; none are the current folder.

    Raises:
        BadInput: a path is not there, or is a file that is neither JSON nor YAML.
    """
    found: dict[Path, Path] = {}
    for path in paths or (Path(),):
        path = path.expanduser()
        if path.is_dir():
            within = _as_it_is_called(path)
            files = sorted(file for file in files_below(path) if is_golden(within / file.relative_to(path)))
        elif not path.exists():
            raise BadInput(f"There is no {path}. Name a golden's file, or a folder with `{_GOLDENS}` somewhere in it.")
        elif path.suffix.lower() not in _SUFFIXES:
            raise BadInput(f"{path} is no golden; the file of one ends in {', '.join(_SUFFIXES)}.")
        else:
            files = [path]
        for file in files:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def is_golden(file: Path) -> bool:
    """Tell whether a file counts as a golden where nobody has named it: by its ending, and a folder that it is in.

    Args:
        file: from the folder that is searched, whose own surroundings make no difference.
    """
    return file.suffix.lower() in _SUFFIXES and _GOLDENS in file.parts[:-1]


def _as_it_is_called(folder: Path) -> Path:
    """Write a folder from the current one, the name of that included."""
    here, folder = Path.cwd().resolve(), folder.resolve()
    return Path(here.name, folder.relative_to(here)) if folder.is_relative_to(here) else Path(folder.name)


def files_below(folder: Path) -> Iterator[Path]:
    """Give the files beneath a folder, without those that nobody writes by hand."""
    for at, folders, files in os.walk(folder):
        folders[:] = [
            name for name in folders
            if not name.startswith(".") and name not in _PASSED_OVER and not Path(at, name, _ENVIRONMENT).exists()
        ]  # fmt: skip
        yield from (Path(at, name) for name in files if not name.startswith("."))


def cassette_file(file: Path) -> Path:
    """Give where the cassette of a golden would be: beside it, with `.cassette.jsonl` for its ending."""
    return file.with_name(f"{file.stem}{_CASSETTE}")


def stray_cassettes(files: Iterable[Path]) -> list[Path]:
    """Find cassettes in the folders of goldens that are of no golden there, as after one was renamed."""
    stray: list[Path] = []
    for folder in dict.fromkeys(file.parent for file in files):
        beside = sorted(folder.iterdir())
        owned = {cassette_file(file) for file in beside if file.suffix.lower() in _SUFFIXES}
        stray += (file for file in beside if file.name.endswith(_CASSETTE) and file not in owned)
    return stray


# --- their agents -----------------------------------------------------------------------------------------------------


def agent_of(read: GoldenFile) -> FoundAgent:
    """Find the agent of a golden.

    It is the one that the golden names as `agent`; else the one whose `agent.py` is beside the folder `goldens`; else,
    for `test/<agent>/goldens/`, the agent of that name in the folder that `test` is in.

    Raises:
        GoldenRefused: there is none; the message says where it was looked for, and what to write.
        AgentNotLoaded: the author's code raised when it was imported, or holds no agent, or several.
    """
    home, beside = _home(read.file)
    if read.golden.agent is not UNSET:
        named, line = read.golden.agent, read.source.line(("agent",))
    elif beside is None:
        raise GoldenRefused(str(read.file), [_says_nothing(f"it is in no folder `{_GOLDENS}`")])
    elif (beside / "agent.py").is_file():
        named, line = str(beside), None
    elif home != beside:
        named, line = beside.name, None
    else:
        raise GoldenRefused(str(read.file), [_says_nothing(f"{short_path(beside, Path.cwd())} has no agent.py")])
    try:
        return find_agent(named, under=home)
    except AgentNotFound as error:
        where = "" if line is None else f"line {line}: "
        looked = f"its agent was looked for in {short_path(home, Path.cwd()) or '.'}"
        raise GoldenRefused(str(read.file), [f"{where}{looked}: {str(error).rstrip('.')}"]) from error
    except AgentNotLoaded as error:
        raise AgentNotLoaded(f"The agent of {read.file} (`agent` in it names another): {error}") from error


def agent_named(file: Path, found: FoundAgent, named: str | None = None) -> str | None:
    """Give what a golden has to say as `agent`; None where its place says that already.

    Args:
        file: the golden.
        found: its agent.
        named: what the user wrote to find that; a class after a colon is one of several.
    """
    home, beside = _home(file)
    attribute = (named or "").partition(":")[2]
    agent = found.file.resolve()
    if beside is not None and not attribute:
        looked = beside / "agent.py"
        if not looked.is_file() and home != beside:
            looked = file_of(beside.name, home) or looked
        if looked == agent:
            return None
    path = Path(os.path.relpath(agent, home)).as_posix()
    return f"{path}:{attribute}" if attribute else path


def _says_nothing(why: str) -> str:
    return f"nothing says whose it is: {why}; write where the class is, as in `agent: front_desk/agent.py`"


def _home(file: Path) -> tuple[Path, Path | None]:
    """Give the folder that a golden's agent is named from, and the one that its folder `goldens` is in."""
    file = file.resolve()
    beside = next((folder.parent for folder in file.parents if folder.name == _GOLDENS), None)
    if beside is None:
        return file.parent, None
    return (beside.parent.parent if beside.parent.name in _TESTS else beside), beside


def golden_folders(file: Path, agent: str | None) -> set[Path]:
    """Give the folders whose files decide how a golden goes; nothing is imported.

    Args:
        file: the golden.
        agent: what it names as its agent.
    """
    home, beside = _home(file)
    folders = {home, file.resolve().parent, *([beside] if beside else [])}
    if agent is not None:
        target = agent.rpartition(":")[0] or agent
        try:
            named = file_of(target, home)
        except AgentNotFound:
            named = None
        folders |= {named.resolve().parent} if named else set()
    return folders
