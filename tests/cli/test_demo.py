"""`cuelight demo`: the example, without anything that has to be set up."""

import json

from cuelight.cli.demo import LINES
from cuelight.wire import decode_state


def test_without_a_terminal_a_session_is_played_that_ends_with_the_state(cuelight):
    done = cuelight.run("demo", stdin="")
    assert done.returncode == 0, done.stderr
    talk, _, state = done.stdout.partition("\nThe State of the call, folded from its log:\n")
    assert "The Understudy answers. It is no model" in talk
    assert "CUELIGHT_MODEL=openai:" in talk
    assert talk.count("\nyou    ") == len(LINES)
    for tool in ("look_up_owner", "free_times", "book", "hang_up"):
        assert f"· {tool}(" in talk
    assert "It is booked: " in talk
    assert "600 123" not in done.stdout
    assert "Byrne" not in state
    folded = decode_state(state)
    assert folded.status == "ended"
    assert folded.app_state["stage"] == "done"
    assert folded.app_state["booking"]["reference"] == "HV-001"
    assert json.loads(state) == cuelight.state()
    assert cuelight("log", "verify", "last").exit_code == 0


def test_a_model_can_be_named(cuelight):
    done = cuelight.run("demo", "--model", "nobody", stdin="")
    assert done.returncode == 2
    assert "'nobody' names no model" in done.stderr


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
    assert "An agent of your own: cuelight new front-desk" in rest
