"""What the command line shows where a caller is asked before a tool runs."""

import re
from textwrap import dedent

import pytest

OFFICE = '''
    from cuelight import Agent, tool


    class Office(Agent):
        """You sell tickets."""

        @tool(pii="name", confirm="Shall I reserve {seats} seats under {name}?", effect="irreversible")
        def reserve(self, seats: int, name: str) -> str:
            """Reserves seats."""
            return f"reserved-{seats}"
'''
CUES = """
[slot.seats]
kind = "number"
ask = "How many?"

[slot.name]
kind = "name"
ask = "Your name?"

[[cue]]
hears = ["{seats}", "{name}"]
call = "reserve"
with = { seats = "{seats}", name = "{name}" }

[[after]]
tool = "reserve"
say = "Done."
"""


@pytest.fixture
def office(tmp_path):
    folder = tmp_path / "office"
    folder.mkdir()
    (folder / "agent.py").write_text(dedent(OFFICE))
    (folder / "cues.toml").write_text(CUES)
    return folder / "agent.py"


def talked(cuelight, office, *said):
    """Say these lines; give what is shown of the call, without the durations."""
    done = cuelight("chat", office, stdin="\n".join(said))
    assert done.exit_code == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if re.match("you|agent| {7}", line)]
    return [re.sub(r" · (<1|\d+) ms$", "", line) for line in lines]


ASKED = "agent  Shall I reserve 2 seats under Ada Byrne?"


def test_a_request_and_a_yes_are_shown_with_the_words_and_masked(cuelight, office):
    assert talked(cuelight, office, "my name is Ada Byrne", "two", "yes, please") == [
        "you    my name is Ada Byrne",
        "agent  How many?",
        "you    two",
        "       ? reserve(seats=2, name=[private]) waits for a yes",
        ASKED,
        "you    yes, please",
        '       ? reserve(seats=2, name=[private]) granted: "yes, please"',
        "       · reserve(seats=2, name=[private]) → reserved-2",
        "agent  Done.",
    ]


def test_what_is_declined_says_why_and_by_which_words_once(cuelight, office):
    shown = talked(cuelight, office, "my name is Ada Byrne", "two", "no, three", "no thanks")
    assert [line for line in shown if line.startswith("       ")] == [
        "       ? reserve(seats=2, name=[private]) waits for a yes",
        "       ? reserve(seats=2, name=[private]) declined (changed)",
        "       ? reserve(seats=3, name=[private]) waits for a yes",
        '       ? reserve(seats=3, name=[private]) declined (no): "no thanks"',
    ]
    shown = talked(cuelight, office, "my name is Ada Byrne", "two")
    assert shown[-1] == "       ? reserve(seats=2, name=[private]) declined (cancelled)"


def test_a_log_shows_them_on_a_line_each(cuelight, office):
    talked(cuelight, office, "my name is Ada Byrne", "two", "no, three", "yes")
    rows = [line.split(maxsplit=2)[2] for line in cuelight("log", "show", "last").stdout.splitlines()[1:]]
    assert [row for row in rows if row.startswith("confirm.")] == [
        "confirm.request   reserve(seats=2, name=[private]) · “Shall I reserve 2 seats under [private]?” · 120 s",
        "confirm.declined  reserve · changed",
        "confirm.request   reserve(seats=3, name=[private]) · “Shall I reserve 3 seats under [private]?” · 120 s",
        "confirm.granted   reserve · “yes”",
    ]
    assert [row["status"] for row in cuelight.state()["confirms"]] == ["declined", "granted"]


def test_a_terminal_shows_that_it_can_be_answered_and_a_call_that_is_taken_up_is_asked_again(
    terminal, cuelight, office
):
    chat = terminal("chat", office, "--keep-open")
    chat.wait_for("you    ")
    chat.type("two, my name is Ada Byrne\n")
    chat.wait_for("? reserve(seats=2, name=[private]) waits for a yes\n")
    chat.wait_for(f"{ASKED}\n\n       tools reserve, answer_confirmation\nyou    ")
    chat.type("\x04")
    assert chat.end()[1] == 0
    again = terminal("chat", office, "--resume", "last")
    again.wait_for("tools reserve, answer_confirmation\nyou    ")
    again.type("yes\n")
    again.wait_for("Shall I reserve 2 seats under Ada Byrne?\n")
    again.wait_for("you    ")
    again.type("yes\n")
    again.wait_for('? reserve(seats=2, name=[private]) granted: "yes"\n')
    again.wait_for("       tools reserve\nyou    ")
    again.type("\x04")
    assert again.end()[1] == 0
