"""What the tests of the command line use: agents on disk, the runner, and real processes."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
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


RENTAL = '''
    from cuelight import Flow, Step, TerminateSessionStep, go, state, stay, tool


    class PartySize(Step["Rental"]):
        people: int | None = None
        who: str | None = state(None, pii=True)

        def get_prompt(self):
            return super().get_prompt() or "Find out how many people come along, and who asks."

        @tool(pii="who")
        def record(self, people: int, who: str):
            """Records how many people come along."""
            if people > 12:
                return stay("Our boats take twelve at most.")
            self.save_state(people=people, who=who)
            return go(PickBoat).with_prompt(f"Offer {who} a boat for {people}.")


    class PickBoat(Step["Rental"]):
        boat: str = ""

        def get_prompt(self):
            before = self.flow.step(PartySize)
            return super().get_prompt() or f"{before.who} has to pick a boat for {before.people}."

        @tool
        def record(self, boat: str):
            """Records the boat."""
            self.save_state(boat=boat)
            return go(TerminateSessionStep)

        @tool(when=lambda step: step.boat)
        def change(self) -> str:
            """Changes the boat."""
            return self.boat


    class Rental(Flow):
        """You rent out boats."""

        steps = (PartySize, PickBoat, TerminateSessionStep)

        @tool(stage=PickBoat)
        def back(self):
            """Goes back to the number of people."""
            return go(PartySize)

        @tool
        def weather(self) -> str:
            """Tells the weather."""
            return "calm"

        def render(self) -> str:
            return "The harbour is open."
'''

RENTAL_CUES = """
[slot.people]
kind = "number"
ask = "How many are you?"

[slot.who]
kind = "name"
ask = "Who asks?"

[slot.boat]
kind = "one of"
values = ["Otter", "Swan"]
ask = "The Otter or the Swan?"

[[cue]]
hears = "back"
call = "back"

[[cue]]
stage = "PartySize"
call = "record"
with = { people = "{people}", who = "{who}" }

[[cue]]
stage = "PickBoat"
call = "record"
with = { boat = "{boat}" }

[[after]]
tool = "record"
stage = "PickBoat"
say = "For {args.people}: the Otter or the Swan?"

[[after]]
tool = "record"
say = "The {args.boat} is yours. Goodbye."

[[after]]
tool = "back"
say = "How many are you, then?"
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


@pytest.fixture(autouse=True)
def _a_capable_terminal(monkeypatch):
    """Show what a terminal shows, also where the tests run in one that can do nothing."""
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def desk(tmp_path):
    """An agent with a cue sheet."""
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "agent.py").write_text(dedent(DESK))
    (folder / "cues.toml").write_text(CUES)
    return folder / "agent.py:Desk"


@pytest.fixture
def rental(tmp_path):
    """A flow with a cue sheet; two of its steps have a tool of the same name."""
    folder = tmp_path / "rental"
    folder.mkdir()
    (folder / "agent.py").write_text(dedent(RENTAL))
    (folder / "cues.toml").write_text(RENTAL_CUES)
    return folder / "agent.py"


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


# Makes the terminal the one that ctrl-C is sent from, then becomes the command.
TAKE_OVER = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """A person's side of a terminal that a command runs in."""

    def __init__(self, line, env, cwd):
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE_OVER, *line],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd,
            env={"TERM": "xterm", "COLUMNS": "80", "LINES": "40"} | env,
        )  # fmt: skip
        os.close(theirs)
        self.everything = ""
        self._shown = ""
        self._held = b""

    def type(self, text):
        os.write(self._ours, text.encode())

    def wait_for(self, text, seconds=20):
        """Wait until a text is on the screen, after what was waited for before; give all that was shown until then."""
        ends = time.monotonic() + seconds
        while text not in self.screen:
            ready, _, _ = select.select([self._ours], [], [], max(0, ends - time.monotonic()))
            if not (ready and self._read()) and text not in self.screen:
                raise AssertionError(f"{text!r} was not shown; this was:\n{self.screen}")
        before, found, self._shown = self.screen.partition(text)
        return before + found

    def end(self):
        """Wait for the command to end; give the rest of what it showed, and its exit code."""
        while self._read():
            pass
        return self.screen, self.process.wait(timeout=20)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)

    @property
    def screen(self):
        """What is to be seen: rows that were cleared again are not."""
        lasting = re.sub(r"[^\n]*\r\x1b\[2K", "", self._shown.replace("\r\n", "\n"))
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", lasting).replace("\r", "")

    def _read(self):
        try:
            self._held += os.read(self._ours, 4096)
        except OSError:  # the other side is closed
            return False
        text = self._held.decode(errors="ignore")  # a character may have come in two parts
        self._held = self._held[len(text.encode()) :]
        self._shown += text
        self.everything += text
        return True


@pytest.fixture
def terminal(cuelight):
    """Open terminals; they are closed after the test."""
    opened = []

    def open_terminal(*args, **env):
        opened.append(Terminal(cuelight.line(*args), cuelight.environ(**env), cuelight.folder))
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.close()
