"""`cuelight chat` in a terminal: a real one, as far as the command can tell."""

import os
import re

CTRL_C, CTRL_D = "\x03", "\x04"


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
    chat.type("hm\n")
    chat.wait_for("you    ")
    chat.type(CTRL_D)
    rest, code = chat.end()
    assert code == 0
    assert f"--resume {cuelight.state()['call']}" in rest
    again = terminal("chat", desk, "--resume", "last")
    again.wait_for("taken up after entry")
    again.wait_for("agent  Hello, who is it?\nyou    hm\nagent  Your name, please.\n")
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


def test_a_flow_shows_its_step_and_the_prompt_that_a_route_brought(terminal, rental):
    rental.write_text(rental.read_text().replace("boat: str =", "waits = True\n    boat: str ="))
    chat = terminal("chat", rental, "--show-prompt")
    shown = chat.wait_for("       stage PartySize · tools record, weather\nyou    ")
    assert "Find out how many people come along" in shown
    chat.type("It is Ada Byrne, there are three of us\n")
    # The step waits for the caller's next words: what they can lead to is shown.
    shown = chat.wait_for("       stage PickBoat · tools record, back, weather\nyou    ")
    assert "── view ──\nThe harbour is open.\n\nOffer [private] a boat for 3.\n" in shown
    assert "stage    PickBoat  (others: PartySize, TerminateSessionStep)\n" in shown
    chat.type("the Otter\n")
    chat.wait_for("The Otter is yours. Goodbye.")
    rest, code = chat.end()
    assert code == 0
    assert "The call has ended (agent_hung_up): 2 turns" in rest


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
