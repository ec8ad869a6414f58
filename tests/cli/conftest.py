"""What the tests of the command line use: agents on disk, the runner, and real processes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from typer.testing import CliRunner

from cuelight.cli import app

DESK = '''
    """A desk that takes a name, then looks something up."""

    import os
    from typing import Literal

    from cuelight import Agent, Limits, ToolFailed, state, tool


    class Desk(Agent):
        """You are a desk."""

        rules = ("Be brief.",)
        stage: Literal["greet", "look"] = "greet"
        who: str | None = state(None, pii=True)
        found: list[str] = []

        def on_call(self) -> None:
            self.call.speak("Hello, who is it?")

        @property
        def known(self) -> bool:
            return self.who is not None

        @tool(stage="greet", pii="name")
        def take_name(self, name: str) -> None:
            """Notes the name."""
            self.who, self.stage = name, "look"
            self.call.speak(f"So you are {name}.")

        @tool(stage="look")
        def look(self, what: str) -> list[str]:
            """Looks something up."""
            if what == "nothing":
                raise ToolFailed("There is no nothing.")
            self.found = [what]
            return self.found

        @tool(stage="look", when=lambda desk: desk.found)
        def wait(self) -> str:
            """Waits until somebody writes into a pipe."""
            with open(os.environ["DESK_PIPE"]) as pipe:
                return pipe.read()

        @tool
        def die(self) -> None:
            """Ends the process."""
            os.kill(os.getpid(), 9)

        @tool
        def leave(self) -> None:
            """Ends the call."""
            self.call.speak("Bye then.")
            self.call.end()

        def render(self) -> str:
            return f"The caller is {self.who}." if self.who else "Find out who it is."


    class Hasty(Desk):
        """You are in a hurry."""

        limits = Limits(model_requests=1)
'''

CUES = """
about = "A desk."

[slot.name]
kind = "name"
ask = "Your name?"

[slot.words]
kind = "words"

[[cue]]
stage = "greet"
call = "take_name"
with = { name = "{name}" }

[[after]]
tool = "take_name"
say = "Thank you, {args.name}. What shall I look up?"

[[cue]]
hears = "bye"
call = "leave"

[[cue]]
hears = "die"
call = "die"

[[after]]
tool = "die"
say = "Still here."

[[cue]]
stage = "look"
hears = "wait"
call = "wait"

[[after]]
tool = "wait"
say = "Waited for {result}."

[[cue]]
stage = "look"
hears = "look up (?P<what>\\\\w+)"
call = "look"
with = { what = "{what}" }

[[after]]
tool = "look"
when = "error"
say = "That I cannot find."

[[after]]
tool = "look"
say = "Found it."

[fallback]
greet = "Your name, please."
look = "What shall I look up?"
"""


class Commands:
    """Run `cuelight` with settings of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {"CUELIGHT_STORE": str(folder / "calls.sqlite3"), "CUELIGHT_MODEL": "", "CUELIGHT_DEBUG": ""}

    def __call__(self, *args, stdin=None, **env):
        """Run it in this process."""
        return CliRunner().invoke(app, [*map(str, args)], input=stdin, env=self.env | env, terminal_width=100)

    def run(self, *args, stdin=None, **env):
        """Run it in a process of its own."""
        return subprocess.run(
            self.line(*args), input=stdin, env=self.environ(**env), cwd=self.folder,
            capture_output=True, text=not isinstance(stdin, bytes), timeout=30, check=False,
        )  # fmt: skip

    def line(self, *args):
        return [sys.executable, "-c", "from cuelight.cli import main; main()", *map(str, args)]

    def environ(self, **env):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CUELIGHT", "NO_COLOR"))}
        return kept | self.env | env

    def log(self, call="last"):
        """Give a stored log as plain entries."""
        shown = self("log", "show", call, "--json")
        assert shown.exit_code == 0, shown.stderr
        return [json.loads(line) for line in shown.stdout.splitlines()]

    def state(self, call="last"):
        return json.loads(self("log", "state", call).stdout)


@pytest.fixture
def desk(tmp_path):
    """An agent with a cue sheet."""
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "agent.py").write_text(dedent(DESK))
    (folder / "cues.toml").write_text(CUES)
    return folder / "agent.py:Desk"


@pytest.fixture
def cuelight(tmp_path, monkeypatch):
    """The command, in an empty folder, with a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield Commands(tmp_path)
    # Agents of other tests bear the same names.
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
