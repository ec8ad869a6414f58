"""What all commands share: how they are listed, and how errors are told."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from cuelight.cli import app
from cuelight.cli.entry import app as root


def _commands(group, path=()):
    """Give every command with its path and the line that its group lists it with."""
    for name, (_, line) in group.table.items():
        command = group.get_command(None, name)
        yield (*path, name), line, command
        if hasattr(command, "table"):
            yield from _commands(command, (*path, name))


COMMANDS = list(_commands(get_command(root)))


def test_without_a_command_the_help_is_shown(cuelight):
    assert cuelight().exit_code == 0
    assert cuelight().stdout == cuelight("--help").stdout
    assert cuelight("log").stdout == cuelight("log", "--help").stdout


@pytest.mark.parametrize(
    ("path", "line", "command"), COMMANDS, ids=lambda value: "-".join(value) if isinstance(value, tuple) else ""
)
def test_a_command_is_listed_with_the_first_line_of_its_own_help(path, line, command, cuelight):
    assert command.help.splitlines()[0] == line
    assert cuelight(*path, "--help").exit_code == 0


def test_the_help_imports_no_command():
    code = (
        "import sys; from cuelight.cli import main\n"
        "sys.argv = ['cuelight', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith(('cuelight.engine', 'cuelight.stores', 'rich'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_version(cuelight):
    import cuelight as package

    assert cuelight("--version").stdout == f"cuelight {package.__version__}\n"


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["tlak"], ["No such command 'tlak'."]),
        (["chta"], ["No such command 'chta'.", "Did you mean 'chat'?"]),
        (["chat"], ["Missing argument", "AGENT"]),
        (["log", "shw"], ["No such command 'shw'.", "Did you mean 'show'?"]),
        (["doctor", "--nope"], ["No such option", "--nope"]),
    ],
)
def test_a_wrong_line_is_told_in_one_line_that_says_where_to_look(cuelight, args, said):
    done = cuelight(*args)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert all(part in done.stderr for part in said), done.stderr
    assert re.fullmatch(r"cuelight: .*[.?] `cuelight[a-z ]* --help` says what there is\. \[usage\]\n", done.stderr)


def test_an_error_is_one_line_with_its_stable_code(cuelight):
    done = cuelight("chat", "nobody")
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("[agent-not-found]\n")


@pytest.mark.parametrize("place", ["first", "last", "environment"])
def test_a_traceback_is_shown_only_when_it_is_asked_for(cuelight, place):
    line = {"first": ["--debug", "chat", "nobody"], "last": ["chat", "nobody", "--debug"]}.get(
        place, ["chat", "nobody"]
    )
    done = cuelight(*line, CUELIGHT_DEBUG="1" if place == "environment" else "")
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].endswith("[agent-not-found]")
    assert done.exit_code == 2
    assert "Traceback" not in cuelight("chat", "nobody").stderr


def test_the_problems_of_a_class_are_told_one_a_line(cuelight, tmp_path):
    (tmp_path / "odd.py").write_text(
        "from cuelight import Agent, tool\n\n\n"
        "class Odd(Agent):\n    @tool\n    def one(self, x): ...\n    @tool\n    def two(self, y): ...\n"
    )
    told = cuelight("chat", "odd").stderr.splitlines()
    assert told[0] == "cuelight: Odd is refused (odd.py:4), 2 problems:"
    assert [line.startswith("  - tool ") for line in told[1:]] == [True, True]
    assert told[2].endswith(" [agent-not-loaded]")


def test_an_error_that_nobody_foresaw_is_told_in_one_line_too(cuelight, desk, tmp_path):
    file = tmp_path / "odd.py"
    file.write_text(
        "from cuelight import Agent\n\n\n"
        "class Odd(Agent):\n    def __init__(self):\n        raise ValueError('odd\\nindeed')\n"
    )
    done = cuelight("prompt", "odd.py")
    assert done.exit_code == 2
    assert done.stderr == (
        "cuelight: ValueError: odd indeed CUELIGHT_DEBUG=1 shows where it comes from. [unexpected]\n"
    )


def test_a_store_that_cannot_be_opened_is_told(cuelight, tmp_path):
    other = tmp_path / "other.sqlite3"
    other.write_bytes(b"this is no database, whatever it is called")
    done = cuelight("log", "list", "--store", other)
    assert done.exit_code == 2
    assert done.stderr.endswith("[store-unusable]\n")
    assert cuelight("log", "list", "--store", "redis://here").stderr.endswith("[not-set-up]\n")


def test_a_reader_that_goes_away_is_quiet(cuelight, desk):
    cuelight("chat", desk, stdin="hello\n" * 300)
    process = subprocess.Popen(
        cuelight.line("log", "show", "last"), env=cuelight.environ(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=20) == 141
    assert process.stderr.read() == ""
    process.stderr.close()


def test_output_that_is_no_terminal_has_no_colours(cuelight, desk):
    cuelight("chat", desk, stdin="hello\n")
    for line in (["log", "show", "last"], ["prompt", desk], ["doctor"], ["--help"]):
        assert "\x1b" not in cuelight.run(*line).stdout


def test_it_runs_as_a_module_and_names_further_commands_as_they_can_be_run(cuelight, desk):
    environ = cuelight.environ(PATH="/nowhere")
    line = [sys.executable, "-m", "cuelight", "chat", str(desk)]
    done = subprocess.run(line, env=environ, input="", capture_output=True, text=True, check=True)
    (shown,) = [line for line in done.stdout.splitlines() if " log show " in line]
    assert shown.startswith(f"  {sys.executable} -m cuelight log show call-")
    again = subprocess.run(shown.split(), env=environ, capture_output=True, text=True, check=True)
    assert "call.started" in again.stdout


@pytest.mark.parametrize("on_path", [True, False])
def test_a_program_that_is_not_on_the_path_names_itself_as_it_was_called(cuelight, desk, on_path):
    program = Path(sys.executable).with_name("cuelight")
    environ = cuelight.environ(PATH=str(program.parent) if on_path else "/nowhere")
    done = subprocess.run([program, "chat", desk], env=environ, input="", capture_output=True, text=True, check=True)
    assert f"\n  {'cuelight' if on_path else program} log show call-" in done.stdout


def test_the_entry_point_is_what_the_package_names():
    assert importlib.import_module("cuelight.cli").app is app
