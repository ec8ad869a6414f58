"""Pieces of plain English: names, numbers, days and times. The day is Thursday, 5 March 2026."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuelight.models.understudy.days import dates
from cuelight.models.understudy.hearing import clean, heard
from cuelight.models.understudy.pieces import KINDS

TODAY = date(2026, 3, 5)

HEARD: dict[str, dict[str, Any]] = {
    "name": {
        "hi, it's Ada Byrne here": "Ada Byrne",
        "i'm ada byrne": "Ada Byrne",
        "my name is ada": "Ada",
        "name’s Jean-Luc Picard.": "Jean-Luc Picard",
        "This is ada byrne, my number is 600 123 456": "Ada Byrne",
        "I am Dr. Maria de la Cruz and my number is 600": "Maria de la Cruz",
        "good morning, Ada Byrne calling": "Ada Byrne",
        "it's under O'Neil": "O'Neil",
        "I'm Ada": "Ada",
        "I'm looking for an appointment": None,
        "It's Friday": None,
        "it's raining": None,
        "this is urgent": None,
        "I'm fine, thanks": None,
        "It's about my dog": None,
        "weather": None,
        "my cat's name is Pixel": None,
        "I'm Ada Byrne and his name is Rex": "Ada Byrne",
        "Name: ada byrne. Phone: 600": "Ada Byrne",
        "600 12 34 56 is my phone, Ada Byrne my name": "Ada Byrne",
        "it's Ada. Ada Byrne.": "Ada Byrne",
        "I'm Ada Byrne, six hundred and one": "Ada Byrne",
    },
    "phone": {
        "600 123 456": "600123456",
        "my number is 600-123-456.": "600123456",
        "(600) 123 456": "600123456",
        "+34 600.123.456, please": "+34600123456",
        "six oh oh, one two three, four five six": "600123456",
        "double six seven 123 456": "667123456",
        "on 2026-03-06 at 10:30": None,
        "I have 2 dogs": None,
        "at 10:30 or 11:45": None,
    },
    "email": {"write to ada.byrne@harbour.example.": "ada.byrne@harbour.example", "ada at harbour": None},
    "date": {
        "today": "2026-03-05",
        "Tomorrow, please": "2026-03-06",
        "the day after tomorrow": "2026-03-07",
        "actually friday instead": "2026-03-06",
        "next friday": "2026-03-13",
        "thursday": "2026-03-12",
        "not Thursday, Friday": "2026-03-06",
        "Friday instead of Thursday": "2026-03-06",
        "I can't do Friday but Monday works": "2026-03-09",
        "move it from monday to tuesday": "2026-03-10",
        "on sat": "2026-03-07",
        "the 14th": "2026-03-14",
        "the 4th": "2026-04-04",
        "14 March": "2026-03-14",
        "March the 14th": "2026-03-14",
        "3rd of April 2027": "2027-04-03",
        "1 March": "2027-03-01",
        "2026-04-01": "2026-04-01",
        "14/3": "2026-03-14",
        "3/14/27": "2027-03-14",
        "3/4": None,
        "in three days": "2026-03-08",
        "in 2 weeks": "2026-03-19",
        "may I come?": None,
        "31 February": None,
        "the sun is out": None,
        "the fifth of April": "2026-04-05",
        "March the twenty-first": "2026-03-21",
        "the tenth": "2026-03-10",
        "on the second": "2026-04-02",
        "the second": None,
        "yesterday": "2026-03-04",
        "last Thursday": "2026-02-26",
        "tommorow": "2026-03-06",
        "at the weekend": "2026-03-07",
        "next weekend": "2026-03-14",
        "in a fortnight": "2026-03-19",
        "a week from today": "2026-03-12",
        "Tuesday week": "2026-03-17",
        "a week on Friday": "2026-03-13",
        "Wednesday in two weeks": "2026-03-18",
        "the day after next Thursday": "2026-03-13",
        "Friday doesn't work, Monday?": "2026-03-09",
        "Friday's no good but Tuesday is": "2026-03-10",
        "any day but Monday": None,
    },
    "time": {
        "10:30": "10:30",
        "10.30 please": "10:30",
        "half past ten": "10:30",
        "quarter to three": "14:45",
        "twenty five to four": "15:35",
        "ten thirty": "10:30",
        "ten oh five": "10:05",
        "3pm": "15:00",
        "3 p.m.": "15:00",
        "9 in the morning": "09:00",
        "seven in the evening": "19:00",
        "ten o'clock": "10:00",
        "at five": "17:00",
        "03:15": "03:15",
        "16:45": "16:45",
        "noon": "12:00",
        "midnight": "00:00",
        "not at ten, at eleven": "11:00",
        "table for two at eight": "08:00",
        "for two people": None,
        "25:10": None,
        "half four": "16:30",
        "14h": "14:00",
        "sixteen thirty": "16:30",
    },
    "number": {
        "four people": 4,
        "there are 12 of us": 12,
        "twenty-five": 25,
        "a couple of dogs": 2,
        "that one": None,
        "at 10:30": None,
    },
    "yes or no": {
        "Yes, please!": True,
        "That works for me": True,
        "sounds good": True,
        "no, thanks": False,
        "actually no": False,
        "don't book it": False,
        "never mind": False,
        "hm": None,
        "yes... no": None,
        "nevermind": False,
        "I'm good": False,
        "go on then": True,
        "are you sure?": None,
        "I don't know": None,
    },
}
ASKED: dict[str, dict[str, Any]] = {
    "name": {
        "Ada Byrne": "Ada Byrne",
        "ada": "Ada",
        "yes, it's ada byrne": "Ada Byrne",
        "ada byrne and my number is 600123456": "Ada Byrne",
        "what's the weather like": None,
        "I don't know": None,
        "no": None,
        "byrne, ada byrne": "Ada Byrne",
        "600 123 456, ada byrne": "Ada Byrne",
        "My details are Ada Byrne and 600 123 456": "Ada Byrne",
        "hello everybody": None,
        "Try 600123456": None,
        "lorem ipsum dolor sit amet": None,
    },
    "date": {"the second": "2026-04-02"},
    "time": {"ten": "10:00", "3": "15:00", "10 30": "10:30", "99": None, "the later one": None},
    "number": {"one": 1},
    "words": {" Her ear hurts. ": "Her ear hurts"},
}


def first(kind: str, text: str, asked: bool) -> Any:
    found = KINDS[kind](clean(text), TODAY, asked)
    return found[0][0] if found else None


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in HEARD.items() for text in texts])
def test_a_piece_is_picked_out_of_what_was_said(kind: str, text: str) -> None:
    assert first(kind, text, False) == HEARD[kind][text]


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in ASKED.items() for text in texts])
def test_an_answer_may_be_the_piece_alone(kind: str, text: str) -> None:
    assert first(kind, text, True) == ASKED[kind][text]


@given(st.text(), st.booleans())
def test_no_text_breaks_a_kind_and_cleaning_keeps_places(text: str, asked: bool) -> None:
    assert len(clean(text)) == len(text)
    assert heard(clean(text)) in (True, False, None)
    for kind in KINDS:
        for _, (start, end) in KINDS[kind](clean(text), TODAY, asked):
            assert 0 <= start <= end <= len(text)


@given(
    st.dates(date(1990, 1, 1), date(2090, 12, 31)),
    st.sampled_from(["friday", "the 31st", "29 February", "next sunday"]),
)
def test_a_day_that_is_named_is_never_past(today: date, text: str) -> None:
    ((day, _),) = KINDS["date"](text, today, False)
    assert day >= today.isoformat()


@pytest.mark.parametrize(
    ("last", "text", "day"),
    [
        ("2026-03-17", "Wednesday instead", "2026-03-18"),
        ("2026-03-17", "this Wednesday", "2026-03-11"),
        ("2026-03-17", "the day after", "2026-03-18"),
        ("2026-03-17", "a day earlier", "2026-03-16"),
        ("2026-03-17", "the same day", "2026-03-17"),
        ("2026-03-17", "the day after tomorrow", "2026-03-07"),
        ("2026-03-09", "Friday", "2026-03-06"),
    ],
)
def test_days_are_counted_from_the_one_that_was_spoken_of(last: str, text: str, day: str) -> None:
    ((found, _),) = dates(text, TODAY, last=date.fromisoformat(last))
    assert found.isoformat() == day
