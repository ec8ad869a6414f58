"""`cuelight new`: an agent to start from."""

import importlib.util
import keyword
import re
import sys
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from cuelight.cli.commands import single
from cuelight.cli.naming import command_line
from cuelight.errors import BadInput

__all__ = ["app"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*")
_GOLDEN = "goldens/first.yaml"
_TAKEN = frozenset({"Agent", "CueSheet", "Literal", "Path", "Script", "Understudy"})  # what the files themselves use


def new(
    name: Annotated[
        str, typer.Argument(help="Its name, such as front-desk; a folder may go before it.", metavar="NAME")
    ],
) -> None:
    """Make an agent, its cue sheet, its first golden and its first tests.

    They go into a folder of their own, and work at once, without a model. Nothing that is there already is touched.
    """
    folder = _folder(Path(name).expanduser())
    filled = {"cls": _class_of(folder), "package": folder.name, "title": folder.name.replace("_", " ").title()}
    made = {
        "__init__.py": f'"""{filled["title"]}."""\n',
        "agent.py": _filled("agent.py", filled),
        "cues.toml": _filled("cues.toml", filled),
        _GOLDEN: _filled("first.yaml", filled),
        f"test_{folder.name}.py": _filled("test_agent.py", filled),
    }
    try:
        (folder / _GOLDEN).parent.mkdir(parents=True)
        for file, text in made.items():
            (folder / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{folder} cannot be written: {error.strerror}. Name a folder that can.") from error
    _say_what_is_next(folder)


app = single(new)


def _folder(path: Path) -> Path:
    """Give the folder to make: the name as Python can import it.

    Raises:
        BadInput: the name cannot be used, or the folder is there.
    """
    if not _NAME.fullmatch(path.name):
        raise BadInput(
            f"{path.name!r} cannot be the name of an agent. Use letters, digits and - or _, a letter first: front-desk."
        )
    folder = path.with_name(path.name.replace("-", "_").lower())
    if _class_of(folder) in _TAKEN:
        raise BadInput(f"{path.name!r} would make a class {_class_of(folder)}, which Cuelight has. Take another name.")
    if keyword.iskeyword(folder.name) or folder.name in sys.stdlib_module_names:
        raise BadInput(
            f"{folder.name!r} means something in Python itself. Call it otherwise, such as {path.name}-desk."
        )
    if folder.exists() or path.exists():
        raise BadInput(
            f"{folder if folder.exists() else path} is there already, and stays as it is. Take another name."
        )
    if importlib.util.find_spec(folder.name) is not None:
        raise BadInput(f"A package {folder.name!r} is installed; importing would find that one. Take another name.")
    return folder


def _class_of(folder: Path) -> str:
    return "".join(word.title() for word in folder.name.split("_"))


def _filled(file: str, words: dict[str, str]) -> str:
    template = files("cuelight.cli").joinpath("_new", f"{file}.txt").read_text(encoding="utf-8")
    return Template(template).substitute(words)


def _say_what_is_next(folder: Path) -> None:
    test = f"test_{folder.name}.py"
    width = max(len(test), len(_GOLDEN)) + 2
    pytest = "" if importlib.util.find_spec("pytest") else "pip install pytest && "
    for line in (
        f"Made {folder}:",
        f"  {'agent.py':{width}}the agent: its state, its tools, its prompt",
        f"  {'cues.toml':{width}}what the Understudy says, so that no model is needed",
        f"  {_GOLDEN:{width}}a conversation, and what must happen in it",
        f"  {test:{width}}its first tests in Python",
        "",
        "Next:",
        f"  {command_line('chat', str(folder))}",
        f"  {command_line('test', str(folder))}",
        f"  {pytest}pytest {folder}",
    ):
        typer.echo(line)
