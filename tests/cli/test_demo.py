"""`cuelight demo`: the example, without anything that has to be set up."""

import json
import re

from cuelight.cli.demo import LINES


def test_without_a_terminal_a_session_is_played_that_ends_with_the_state(cuelight):
    done = cuelight.run("demo", stdin="")
    assert done.returncode == 0, done.stderr
    talk, _, rest = done.stdout.partition("\nThe State of the call, folded from its log, in short:\n")
    state, _, whole = rest.partition("\nThe whole of it: ")
    assert "The Understudy answers. It is no model" in talk
    assert "CUELIGHT_MODEL=openai:" in talk
    assert talk.count("\nyou    ") == len(LINES)
    for tool in ("look_up_owner", "free_times", "book", "hang_up"):
        assert f"· {tool}(" in talk
    assert "It is booked: " in talk
    assert "600 123" not in done.stdout
    assert "Byrne" not in state
    assert len(state.splitlines()) < 12
    shown, folded = json.loads(state), cuelight.state()
    assert {name: shown[name] for name in ("call", "status", "end_reason", "app_state", "errors")} == {
        name: folded[name] for name in ("call", "status", "end_reason", "app_state", "errors")
    }
    assert shown["turns"] == len(folded["turns"])
    assert shown["tools"] == [{"name": run["name"], "status": run["status"]} for run in folded["tools"]]
    assert (shown["status"], shown["app_state"]["stage"]) == ("ended", "done")
    assert shown["app_state"]["booking"]["reference"] == "HV-001"
    assert whole.endswith(f"cuelight log state {folded['call']}\n")
    assert cuelight("log", "verify", "last").exit_code == 0


def test_a_model_can_be_named(cuelight):
    done = cuelight.run("demo", "--model", "nobody", stdin="")
    assert done.returncode == 2
    assert "'nobody' names no model" in done.stderr


def test_without_a_terminal_no_call_is_taken_up(cuelight):
    done = cuelight.run("demo", "--resume", "last", stdin="")
    assert done.returncode == 2
    assert "harbour_vets --resume last" in done.stderr


def test_a_demo_that_broke_off_is_taken_up(terminal, cuelight):
    demo = terminal("demo")
    demo.wait_for("Ctrl-C cuts a reply short; ctrl-D ends the call.")
    demo.wait_for("you    ")
    demo.process.kill()
    demo.process.wait()
    again = cuelight("log", "list").stdout.splitlines()[-1].partition("cuelight demo ")[2].split()
    assert again[0] == "--resume"
    demo = terminal("demo", *again)
    demo.wait_for("taken up after entry")
    demo.wait_for("you    ")
    demo.type("\x04")
    assert demo.end()[1] == 0
    assert cuelight.state()["status"] == "ended"


def test_in_a_terminal_one_can_talk_with_it(terminal):
    demo = terminal("demo")
    demo.wait_for("agent  Harbour Vets, good day!")
    demo.wait_for("you    ")
    demo.type("I'm Ada Byrne, 600 123 456\n")
    assert "· look_up_owner(name=[private], phone=[private])" in demo.wait_for("stage choose")
    demo.wait_for("you    ")
    demo.type("\x03")
    rest, code = demo.end()
    assert code == 0
    assert "The call has ended (caller_hung_up): 1 turn, " in rest
    assert re.search(r"An agent of your own: (\S+ -m )?cuelight new front-desk", rest)
