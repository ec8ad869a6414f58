"""`cuelight chat` in a terminal: a real one, as far as the command can tell."""

import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

# Makes the terminal the one that ctrl-C is sent from, then becomes the command.
TAKE_OVER = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
CTRL_C, CTRL_D = "\x03", "\x04"


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


def test_a_conversation_from_the_agents_first_line_to_ctrl_c(terminal, cuelight, desk):
    chat = terminal("chat", desk)
    chat.wait_for("agent  Hello, who is it?\n")
    chat.wait_for("       stage greet · tools take_name, die, leave\nyou    ")
    chat.type("\n   \n")
    chat.wait_for("you    ")
    chat.wait_for("you    ")
    chat.type("This is Ada Byrne\n")
    shown = chat.wait_for("       stage look · tools look, die, leave\nyou    ")
    assert re.search(
        r"agent  So you are Ada Byrne\.\n *· take_name\(name=\[private\]\) · (<1|\d+) ms\n"
        r" +Thank you, Ada Byrne\. What shall I look up\?\n",
        shown,
    ), shown
    chat.type(CTRL_C)
    rest, code = chat.end()
    assert code == 0
    assert "The call has ended (caller_hung_up): 1 turn, " in rest
    state = cuelight.state()
    assert f"cuelight log show {state['call']}" in rest
    assert (state["status"], state["end_reason"]) == ("ended", "caller_hung_up")
    assert cuelight.log()[-1]["type"] == "call.summary"


def test_ctrl_d_ends_the_call_too(terminal, cuelight, desk):
    chat = terminal("chat", desk)
    chat.wait_for("you    ")
    chat.type(CTRL_D)
    rest, code = chat.end()
    assert code == 0
    assert "The call has ended (caller_hung_up): 0 turns" in rest
    assert cuelight.state()["status"] == "ended"


def test_ctrl_d_leaves_a_call_that_is_to_be_kept_open(terminal, cuelight, desk):
    chat = terminal("chat", desk, "--keep-open")
    chat.wait_for("you    ")
    chat.type(CTRL_D)
    rest, code = chat.end()
    assert code == 0
    assert f"--resume {cuelight.state()['call']}" in rest
    again = terminal("chat", desk, "--resume", "last")
    again.wait_for("taken up after entry")
    again.wait_for("Hello, who is it?")
    again.wait_for("you    ")
    again.type(CTRL_C)
    assert again.end()[1] == 0
    assert cuelight.state()["status"] == "ended"


def test_ctrl_c_while_a_tool_runs_cuts_the_turn_and_a_second_one_ends_the_call(terminal, cuelight, desk, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    chat = terminal("chat", desk, "--state", '{"stage": "look", "found": ["x"]}', DESK_PIPE=str(tmp_path / "pipe"))
    chat.wait_for("you    ")
    chat.type("please wait\n")
    chat.wait_for("· wait() …")
    chat.type(CTRL_C)
    chat.wait_for("cutting in …")
    with open(tmp_path / "pipe", "w") as pipe:
        pipe.write("this")
    chat.wait_for("· wait() → this")
    chat.wait_for("(cut off)")
    chat.wait_for("you    ")
    chat.type(CTRL_C)
    assert chat.end()[1] == 0
    log = cuelight.log()
    (turn,) = [entry["data"] for entry in log if entry["type"] == "turn.agent" and entry["data"]["interrupted"]]
    assert turn["text"] == ""
    assert log[-1]["type"] == "call.summary"


def test_a_third_ctrl_c_does_not_wait_for_what_is_running(terminal, cuelight, desk, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    chat = terminal("chat", desk, "--state", '{"stage": "look", "found": ["x"]}', DESK_PIPE=str(tmp_path / "pipe"))
    chat.wait_for("you    ")
    chat.type("please wait\n")
    chat.wait_for("· wait() …")
    chat.type(CTRL_C)
    chat.wait_for("cutting in …")
    chat.type(CTRL_C)
    chat.wait_for("ending the call after this; ctrl-C leaves at once …")
    chat.type(CTRL_C)
    rest, code = chat.end()
    assert code == 130
    assert "Left while something was running." in rest
    assert "--resume" in rest
    assert cuelight.state()["status"] == "active"


def test_the_prompt_is_shown_and_again_when_its_view_changes(terminal, desk):
    chat = terminal("chat", desk, "--show-prompt")
    shown = chat.wait_for("you    ")
    assert shown.index("── identity ──") < shown.index("── view ──\nFind out who it is.")
    chat.type("hm\n")
    assert "──" not in chat.wait_for("you    ")
    chat.type("This is Ada Byrne\n")
    shown = chat.wait_for("you    ")
    assert "── view ──\nThe caller is [private]." in shown
    assert "identity" not in shown
    chat.type(CTRL_C)
    chat.end()


def test_it_keeps_to_the_width_of_the_terminal_and_to_no_color(terminal, desk):
    chat = terminal("chat", desk, NO_COLOR="1", COLUMNS="50")
    chat.wait_for("you    ")
    chat.type("This is Ada Byrne\n")
    shown = chat.wait_for("you    ")
    assert "agent  So you are Ada Byrne.\n" in shown
    assert "       Thank you, Ada Byrne. What shall I look up?\n" in shown
    assert max(map(len, shown.splitlines())) <= 50
    chat.type(CTRL_C)
    chat.end()
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", chat.everything)


def test_erasing_asks_first(terminal, cuelight, desk):
    cuelight("chat", desk, stdin="This is Ada Byrne\n")
    erase = terminal("log", "erase", "last")
    erase.wait_for("for good? [y/N]")
    erase.type("n\n")
    assert erase.end()[1] == 130
    assert "cue.erased" not in {entry["type"] for entry in cuelight.log()}
    erase = terminal("log", "erase", "last")
    erase.wait_for("for good? [y/N]")
    erase.type("y\n")
    erase.wait_for("Erased 1 private value")
    assert erase.end()[1] == 0
    assert cuelight.log()[-1]["type"] == "cue.erased"
