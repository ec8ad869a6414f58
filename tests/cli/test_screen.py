"""Words wrap as they stream in."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from cuelight.cli.screen import PlainScreen, Screen, Wrapper
from cuelight.cli.transcript import Item, brief, clean, seconds

TEXT = st.text(st.sampled_from("ab  \n\n你🙂,-é"), max_size=200)


def _wrapped(pieces, width=40, indent=7):
    wrapper = Wrapper(width, indent)
    return "".join(map(wrapper.feed, pieces)) + wrapper.finish()


@given(TEXT, st.lists(st.integers(0, 200), max_size=8))
def test_it_wraps_the_same_however_it_streams_in(text, cuts):
    places = sorted(min(cut, len(text)) for cut in cuts)
    pieces = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    assert _wrapped(pieces) == _wrapped([text])


@given(TEXT)
def test_no_line_is_wider_than_the_terminal_and_no_word_is_lost(text):
    lines = _wrapped([text]).split("\n")
    assert all(cell_len(line) + (7 if number == 0 else 0) <= 40 for number, line in enumerate(lines))
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_lines_begin_under_the_first():
    assert (
        _wrapped(["one two three four five six seven eight"], width=30)
        == "one two three four five\n       six seven eight"
    )
    assert _wrapped(["one\n\n\n\ntwo\n"]) == "one\n\n       two"
    assert _wrapped(["list:\n- one\n  - two"]) == "list:\n       - one\n         - two"


def _terminal(width=60, **options):
    file = io.StringIO()
    return file, Screen(Console(file=file, force_terminal=True, width=width, color_system=None, **options))


def test_pieces_of_a_turn_stand_on_lines_of_their_own_under_one_name():
    file, screen = _terminal()
    screen.begin_turn()
    for text, whole in (("Let me ", False), ("look.", False), ("", True)):
        screen.words(text, whole)
    screen.item(Item("tool", "look(what=tides) → [tides]", " · 2 ms"))
    screen.words("Found it.", True)
    screen.end_turn()
    screen.words("Anything else?", True)
    shown = file.getvalue().rpartition("\x1b[2K")[2]
    assert shown == (
        "agent  Let me look.\n       · look(what=tides) → [tides] · 2 ms\n       Found it.\nagent  Anything else?\n"
    )


def test_what_is_waited_for_is_shown_until_something_else_is():
    file, screen = _terminal(width=20)
    screen.begin_turn()
    screen.wait("· a_tool_with_a_long_name(…)")
    screen.words("Done.", True)
    assert file.getvalue().split("\r\x1b[2K") == ["       …", "       · a_tool_wi…", "agent  Done.\n"]


def test_a_tool_takes_one_line_and_its_duration_is_always_shown():
    file, screen = _terminal(width=40)
    screen.item(Item("tool", "look(what=" + "x" * 200 + ")\nmore", " · 2 ms"))
    (line,) = file.getvalue().splitlines()
    assert cell_len(line) <= 40
    assert line.endswith("… · 2 ms")


def test_the_standing_is_cut_to_the_width():
    file, screen = _terminal(width=30)
    screen.standing("choose", ["one_tool", "another_tool", "third_tool"])
    screen.standing(None, [])
    lines = file.getvalue().splitlines()
    assert lines[1] == "       stage choose · tools o…"
    assert lines[3] == "       tools none"


def test_what_would_command_a_terminal_is_taken_out():
    assert clean("a\x1b[31mb\x07c\x9bd\r\ne\tf") == "a[31mbcd\ne   f"
    out = io.StringIO()
    PlainScreen(out).item(Item("agent", "one\ntwo\x1b[0m"))
    assert out.getvalue() == "agent  one\n       two[0m\n"


@pytest.mark.parametrize(
    ("duration", "said"), [(0.0001, "<1 ms"), (0.0123, "12 ms"), (0.9996, "1.0 s"), (9.87, "9.9 s"), (75, "1 min 15 s")]
)
def test_durations_are_short(duration, said):
    assert seconds(duration) == said


def test_values_are_brief():
    assert brief({"day": "2026-12-01", "times": ["09:00", "two words"], "none": None}) == (
        '{day: 2026-12-01, times: [09:00, "two words"], none: null}'
    )
    assert brief("") == '""'
