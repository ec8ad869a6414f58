"""`cuelight chat` through a pipe: each line is a turn, and the exit code tells."""

import json
import signal
import subprocess


def test_each_line_is_a_turn_and_all_are_answered(cuelight, desk):
    done = cuelight("chat", desk, stdin="hello\n\n   \nThis is Ada Byrne\nlook up tides")
    assert done.exit_code == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith(("you", "agent", "     "))] == [
        "agent  Hello, who is it?",
        "you    hello",
        "agent  Your name, please.",
        "you    This is [private]",
        "agent  So you are Ada Byrne.",
        "       · take_name(name=[private])" + done.stdout.partition("take_name(name=[private])")[2].split("\n")[0],
        "agent  Thank you, Ada Byrne. What shall I look up?",
        "you    look up tides",
        "       · look(what=tides) → [tides]" + done.stdout.partition("→ [tides]")[2].split("\n")[0],
        "agent  Found it.",
    ]
    assert " ms\n" in done.stdout
    turns = [turn for turn in cuelight.state()["turns"] if turn["role"] == "user"]
    assert len(turns) == 3


def test_it_says_that_no_model_answers_and_how_to_have_one(cuelight, desk):
    done = cuelight("chat", desk, stdin="")
    assert "The Understudy answers. It is no model" in done.stdout
    assert "CUELIGHT_MODEL=openai:" in done.stdout


def test_the_end_of_the_input_ends_the_call(cuelight, desk):
    done = cuelight("chat", desk, stdin="hello\n")
    state = cuelight.state()
    assert (state["status"], state["end_reason"], state["outcome"]) == ("ended", "caller_hung_up", "caller_hung_up")
    assert cuelight.log()[-1]["type"] == "call.summary"
    assert f"cuelight log show {state['call']}" in done.stdout
    assert "--resume" not in done.stdout


def test_a_call_kept_open_can_be_taken_up(cuelight, desk):
    first = cuelight("chat", desk, "--keep-open", stdin="This is Ada Byrne\n")
    call = cuelight.state()["call"]
    assert f"cuelight chat {desk} --resume {call}" in first.stdout
    assert cuelight.state()["status"] == "active"
    second = cuelight("chat", desk, "--resume", call[:-4], stdin="look up tides\n")
    assert second.exit_code == 0, second.stderr
    assert "Found it." in second.stdout
    assert "agent  Thank you, Ada Byrne." in second.stdout  # what was said before is shown again
    state = cuelight.state()
    assert state["call"] == call
    assert state["app_state"]["found"] == ["tides"]
    assert state["status"] == "ended"


def test_an_ended_call_is_not_taken_up(cuelight, desk):
    cuelight("chat", desk, stdin="hello\n")
    done = cuelight("chat", desk, "--resume", "last", stdin="hello\n")
    assert done.exit_code == 2
    assert done.stderr.strip().endswith("[call-ended]")


def test_a_call_of_another_agent_is_not_taken_up(cuelight, desk):
    cuelight("chat", desk, "--keep-open", stdin="hello\n")
    done = cuelight("chat", str(desk).replace("Desk", "Hasty"), "--resume", "last", stdin="hello\n")
    assert done.exit_code == 2
    assert "is one of agent 'desk'; Hasty cannot take it up" in done.stderr


def test_a_killed_call_answers_its_last_message_when_it_is_taken_up(cuelight, desk):
    killed = cuelight.run("chat", desk, stdin="This is Ada Byrne\nplease die\n")
    assert killed.returncode == -signal.SIGKILL
    done = cuelight.run("chat", desk, "--resume", "last", stdin="look up tides\n")
    assert done.returncode == 0, done.stderr
    state = cuelight.state()
    said = [turn["text"] for turn in state["turns"] if turn["role"] == "user"]
    assert said == ["This is [private]", "please die", "look up tides"]
    assert [run["name"] for run in state["tools"] if run["name"] == "die"] == ["die"]
    assert state["app_state"]["found"] == ["tides"]
    assert state["status"] == "ended"


def test_lines_after_the_end_of_the_call_are_counted_as_unanswered(cuelight, desk):
    done = cuelight("chat", desk, stdin="bye\nhello?\nanybody?\n")
    assert done.exit_code == 1
    assert "Bye then." in done.stdout
    assert done.stderr == "cuelight: 2 of 3 lines got no answer. [not-answered]\n"
    assert cuelight.state()["end_reason"] == "agent_hung_up"


def test_a_program_that_keeps_the_pipe_open_is_not_waited_for_after_the_end(cuelight, desk):
    process = subprocess.Popen(
        cuelight.line("chat", desk), env=cuelight.environ(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    process.stdin.write("bye\n")
    process.stdin.flush()
    assert process.wait(timeout=20) == 0
    process.stdin.close()
    assert "Bye then." in process.stdout.read()
    process.stdout.close()


def test_a_turn_that_ends_in_an_error_is_no_answer(cuelight, desk):
    done = cuelight("chat", str(desk).replace("Desk", "Hasty"), stdin="This is Ada Byrne\n")
    assert done.exit_code == 1
    assert "! The turn was stopped at its limit model_requests=1." in done.stdout
    assert "1 of 1 lines got no answer" in done.stderr


def test_a_tool_that_fails_is_shown_and_the_turn_goes_on(cuelight, desk):
    done = cuelight("chat", desk, stdin="This is Ada Byrne\nlook up nothing\n")
    assert done.exit_code == 0
    assert "· look(what=nothing) failed: There is no nothing. · " in done.stdout
    assert "That I cannot find." in done.stdout


def test_with_json_the_output_is_the_log(cuelight, desk):
    done = cuelight("chat", desk, "--json", stdin="This is Ada Byrne\nlook up tides\n")
    assert done.exit_code == 0
    assert [json.loads(line) for line in done.stdout.splitlines()] == cuelight.log()
    assert "Ada" not in done.stdout
    folded = cuelight("log", "state", "-", stdin=done.stdout)
    assert json.loads(folded.stdout) == cuelight.state()


def test_it_opens_in_a_given_state(cuelight, desk, tmp_path):
    cuelight("chat", desk, "--state", '{"stage": "look", "who": "Ada Byrne"}', stdin="look up tides\n")
    assert cuelight.state()["app_state"]["found"] == ["tides"]
    golden = tmp_path / "golden.json"
    golden.write_text('{"name": "a golden", "state": {"stage": "look", "found": ["maps"]}}')
    cuelight("chat", desk, "--state", golden, stdin="")
    assert cuelight.state()["app_state"]["found"] == ["maps"]


def test_a_state_that_does_not_fit_is_refused_in_one_line(cuelight, desk):
    for given, code in (
        ('{"stage": "nowhere"}', "not-a-stage"),
        ('{"nothing": 1}', "undeclared-field"),
        ('{"found": 3}', "wrong-type"),
        ('{"found"', "bad-input"),
        ("missing.json", "bad-input"),
    ):
        done = cuelight("chat", desk, "--state", given, stdin="")
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1
        assert done.stderr.strip().endswith(f"[{code}]"), done.stderr


def test_options_that_contradict_each_other_are_refused(cuelight, desk):
    assert cuelight("chat", desk, "--state", "{}", "--resume", "last", stdin="").exit_code == 2
    assert cuelight("chat", desk, "--show-prompt", "--json", stdin="").exit_code == 2


def test_the_prompt_is_shown_first_when_it_is_asked_for(cuelight, desk):
    done = cuelight("chat", desk, "--show-prompt", stdin="hello\n")
    assert done.stdout.index("── identity ──") < done.stdout.index("agent  Hello, who is it?")
    assert "visible  take_name, die, leave" in done.stdout


def test_input_in_any_script_any_length_and_no_utf8_at_all(cuelight, desk):
    lines = ["Ünïcödé 你好 🙂", "x" * 200_000, "\x1b[31mred", "zero\x00byte"]
    raw = "\n".join(lines).encode() + b"\nbroken \xff byte\r\n"
    done = cuelight.run("chat", desk, stdin=b"\xef\xbb\xbf" + raw)
    assert done.returncode == 0, done.stderr
    said = [turn["text"] for turn in cuelight.state()["turns"] if turn["role"] == "user"]
    assert said == [*lines, "broken \ufffd byte"]
    assert b"\x1b" not in done.stdout  # what a caller or a model writes commands no terminal


def test_output_in_a_poor_encoding_is_shown_as_far_as_it_can_be(cuelight, desk):
    done = cuelight.run("chat", desk, stdin="hällo\n", PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert done.returncode == 0, done.stderr
    assert "agent  Your name, please." in done.stdout


def test_a_store_in_memory_leaves_nothing(cuelight, desk, tmp_path):
    done = cuelight("chat", desk, "--store", "memory", stdin="hello\n")
    assert done.exit_code == 0
    assert "is gone now" in done.stdout
    assert not (tmp_path / "calls.sqlite3").exists()


def test_a_reader_that_goes_away_is_no_error_and_the_call_still_ends(cuelight, desk):
    process = subprocess.Popen(
        cuelight.line("chat", desk, "--json"), env=cuelight.environ(), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.readline()
    process.stdout.close()
    with process.stdin as pipe:
        pipe.write("hello\n" * 50)
    assert process.wait(timeout=20) == 141
    assert process.stderr.read() == ""
    process.stderr.close()
    assert cuelight.state()["status"] == "ended"


def test_ctrl_c_while_it_waits_for_the_pipe_ends_the_call(cuelight, desk):
    process = subprocess.Popen(
        cuelight.line("chat", desk), env=cuelight.environ(), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stdin.write("hello\n")
    process.stdin.flush()
    while "Your name, please." not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    process.stdin.close()
    assert process.stderr.read() == ""
    process.stdout.close()
    process.stderr.close()
    assert cuelight.state()["status"] == "ended"
    assert cuelight.log()[-1]["type"] == "call.summary"


# --- flows ------------------------------------------------------------------------------------------------------------


def test_a_flow_is_talked_with_step_by_step_and_back(cuelight, rental):
    lines = ("hello", "It is Ada Byrne, there are three of us", "go back please", "four", "the Otter")
    done = cuelight("chat", rental, stdin="\n".join(lines))
    assert done.exit_code == 0, done.stderr
    said = [line.partition(" · ")[0] for line in done.stdout.splitlines() if line.startswith(("agent", "you", "     "))]
    assert [line for line in said if line.startswith("agent")] == [
        "agent  Sorry, I did not get that. How many are you?",
        "agent  For 3: the Otter or the Swan?",
        "agent  How many are you, then?",
        "agent  For 4: the Otter or the Swan?",
        "agent  The Otter is yours. Goodbye.",
    ]
    state = cuelight.state()
    assert state["status"] == "ended"
    assert state["app_state"] == {
        "stage": "TerminateSessionStep",
        "PartySize": {"people": 4, "who": "[private]"},
        "PickBoat": {"boat": "Otter", "_prompt": "Offer [private] a boat for 4."},
        "TerminateSessionStep": {},
    }
    assert "Ada" not in done.stdout + json.dumps(cuelight.log())


def test_a_flow_opens_in_the_step_that_a_state_names(cuelight, rental):
    state = '{"stage": "PickBoat", "PartySize": {"people": 3, "who": "Ada Byrne"}}'
    done = cuelight("chat", rental, "--show-prompt", "--state", state, stdin="the swan")
    assert done.exit_code == 0, done.stderr
    assert "── view ──\nThe harbour is open.\n\n[private] has to pick a boat for 3.\n" in done.stdout
    assert "stage    PickBoat  (others: PartySize, TerminateSessionStep)\n" in done.stdout
    assert "agent  The Swan is yours. Goodbye." in done.stdout
    assert "Ada" not in done.stdout


def test_a_flow_that_was_kept_open_is_taken_up_in_the_step_it_was_in(cuelight, rental):
    cuelight("chat", rental, "--keep-open", stdin="It is Ada Byrne, there are three of us")
    done = cuelight("chat", rental, "--resume", "last", "--show-prompt", stdin="the swan")
    assert done.exit_code == 0, done.stderr
    assert "── view ──\nThe harbour is open.\n\nOffer [private] a boat for 3.\n" in done.stdout
    assert "agent  The Swan is yours. Goodbye." in done.stdout


def test_a_cue_sheet_that_misspells_a_step_is_refused_before_the_call(cuelight, rental):
    sheet = rental.parent / "cues.toml"
    sheet.write_text(sheet.read_text().replace('stage = "PartySize"', 'stage = "PartySise"'))
    done = cuelight("chat", rental, stdin="hello")
    assert done.exit_code == 2
    assert "cue 2 (record): the agent has no stage 'PartySise'; did you mean PartySize?" in done.stderr
