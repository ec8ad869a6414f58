"""Choosing from a list in plain English: by what is in a row, by its place, by ruling others out."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuelight.models.understudy.choosing import choose
from cuelight.models.understudy.hearing import clean

TODAY = date(2026, 3, 5)
TIMES = ["09:00:00", "10:30:00", "14:00:00", "16:30:00"]
BOATS = [
    {"id": "b1", "name": "the Heron", "day": "2026-03-06"},
    {"id": "b2", "name": "the Otter", "day": "2026-03-07"},
]


def chosen(text: str, rows: list[Any] = TIMES, **options: Any) -> list[Any]:
    return [rows[index] for index in choose(clean(text), rows, TODAY, **options)]


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("10:30", "10"),
        ("half past ten, please", "10"),
        ("half four", "16"),
        ("the one at two", "14"),
        ("the first one", "09"),
        ("the second slot", "10"),
        ("number two", "10"),
        ("not the first, the second", "10"),
        ("the last one", "16"),
        ("as late as possible", "16"),
        ("first thing in the morning", "09"),
        ("in the afternoon", "14 16"),
        ("tomorrow afternoon", "14 16"),
        ("the later one in the afternoon", "16"),
        ("late afternoon", "16"),
        ("not in the morning", "14 16"),
        ("after two", "14 16"),
        ("after 3pm please", "16"),
        ("at two or later", "14 16"),
        ("before noon", "09 10"),
        ("not before ten, not after twelve", "10"),
        ("any time", "09"),
        ("I don't mind", "09"),
        ("either works", "09"),
    ],
)
def test_words_mean_rows(text: str, hours: str) -> None:
    assert [row[:2] for row in chosen(text)] == hours.split()


@pytest.mark.parametrize(
    "text",
    [
        "just a second",
        "the first of May",
        "on the second of May",
        "no, the twenty-first",
        "Good morning",
        "at eleven",
        "quarter after ten",
        "any chance?",
        "I can't do any of these",
        "that doesn't work either",
        "I don't care what you think",
        "my first name is Ada",
        "yes",
        "",
    ],
)
def test_other_words_mean_none(text: str) -> None:
    assert chosen(text) == []


def test_an_hour_alone_is_a_time_where_one_was_asked_for() -> None:
    assert chosen("nine") == []
    assert chosen("let's say nine", asked=True) == ["09:00:00"]
    assert chosen("2", asked=True) == ["14:00:00"]
    assert chosen("the last one", asked=True) == ["16:30:00"]


def test_places_are_counted_in_what_was_offered() -> None:
    assert chosen("the first one", offered=[2, 3]) == ["14:00:00"]
    assert chosen("the last one", offered=[1, 2]) == ["14:00:00"]
    assert chosen("no, the last one", offered=[1]) == ["16:30:00"]  # where but one was, another is meant


def test_words_and_days_mean_the_rows_that_have_them() -> None:
    assert chosen("the Otter", BOATS) == BOATS[1:]
    assert chosen("the one on Friday", BOATS) == BOATS[:1]
    assert chosen("on Monday", BOATS) == []
    assert chosen("yes", BOATS[:1]) == BOATS[:1]


@given(st.text(), st.lists(st.sampled_from(TIMES), max_size=4), st.booleans())
def test_no_text_breaks_it_and_all_rows_are_never_the_answer(text: str, rows: list[str], asked: bool) -> None:
    found = choose(clean(text), rows, TODAY, asked=asked)
    assert set(found) <= set(range(len(rows)))
    assert len(found) < max(len(rows), 2)
