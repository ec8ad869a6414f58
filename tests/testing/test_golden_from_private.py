"""Stand-ins for private values: of the same shape, the same ones everywhere, however the values are spelled."""

import asyncio
import re
from datetime import date
from typing import Any, Literal

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from cuelight import Agent, state, tool
from cuelight.log import Secrets
from cuelight.testing import Script, calls, rehearse
from cuelight.testing.goldens import golden_from


class Taker(Agent):
    """You take down what Will says in the Harbour office."""

    kept: Any = state(None, pii=True)

    @tool(pii=("text", "number", "when", "month", "more"))
    def take(
        self,
        text: str = "",
        number: float = 0,
        when: date | None = None,
        month: Literal["March", "May", "June", "July", "none"] = "none",
        more: dict[str, Any] | None = None,
    ) -> None:
        """Takes it down."""
        self.kept = [text, number, when, more]


def private(said, **arguments):
    """Give a golden's first words and the arguments of its tool, of a call in which these are private."""

    async def made():
        async with rehearse(Taker, Script(calls("take", **arguments), "Done.")) as call:
            await call.say(said)
        return (await golden_from(await call.store.read(call.id), Taker)).golden

    (turn,) = asyncio.run(made())["turns"]
    return turn["say"], turn["then"][0]["args"]


def test_digits_stay_as_many_and_grouped_as_they_are():
    said, given_ = private("I'm on 600 123 456, or +34 600-123-456", text="600123456")
    digits = given_["text"]
    assert re.fullmatch(r"6\d{8}", digits)
    assert digits != "600123456"
    assert said == f"I'm on {digits[:3]} {digits[3:6]} {digits[6:]}, or +34 {digits[:3]}-{digits[3:6]}-{digits[6:]}"


def test_a_number_with_its_country_ends_as_it_does_without():
    _, given_ = private("hi", text="+34 600 123 456", more={"local": "600123456"})
    local = given_["more"]["local"]
    assert given_["text"] == f"+34 {local[:3]} {local[3:6]} {local[6:]}"
    said, given_ = private("600 123 456 it is", text="+34 600 123 456")
    assert said == f"{given_['text'].removeprefix('+34 ')} it is"


def test_digits_that_were_said_in_words_are_said_in_words():
    said, given_ = private("six double oh one two three four five six", text="600123456")
    words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    assert "".join(str(words.index(word)) for word in said.split()) == given_["text"]


def test_names_become_names_of_the_same_length_by_themselves_too():
    said, given_ = private("ADA BYRNE here. Ada, as in ada-byrne. Not Adam.", text="Ada Byrne")
    first, last = given_["text"].split()
    assert (len(first), len(last)) == (3, 5)
    assert not {first, last} & {"Ada", "Byrne"}
    assert said == (f"{first.upper()} {last.upper()} here. {first}, as in {first.lower()}-{last.lower()}. Not Adam.")


def test_accents_make_no_difference():
    said, given_ = private("Emile ZOLA, or Émile Zola", text="Émile Zola")
    first, last = given_["text"].split()
    assert said == f"{first} {last.upper()}, or {first} {last}"


def test_mail_keeps_its_form_and_the_name_in_it():
    said, given_ = private(
        "it's ada.byrne@mail.test, Ada Byrne", text="ada.byrne@mail.test", more={"name": "Ada Byrne"}
    )
    first, last = given_["more"]["name"].split()
    assert given_["text"] == f"{first}.{last}@example.com".lower()
    assert said == f"it's {given_['text']}, {first} {last}"


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("1984-07-14", "{y}-{m:02}-14"), ("14/7/1984", "14/{m}/{y}"), ("07/14/1984", "{m:02}/14/{y}"),
        ("14.07.84", "14.{m:02}.{yy}"), ("14 July 1984", "14 {name} {y}"), ("the 14th of july", "the 14th of {low}"),
        ("July 14th, 1984", "{name} 14th, {y}"), ("14 Jul '84", "14 {brief} '{yy}"), ("JULY 14", "{up} 14"),
    ],
)  # fmt: skip
def test_dates_stay_dates_in_every_form(written, form):
    said, given_ = private(f"born {written}.", when=date(1984, 7, 14))
    day = date.fromisoformat(given_["when"])
    assert day.day == 14
    assert day.month != 7
    assert 1975 <= day.year < 1984
    name = day.strftime("%B")
    expected = form.format(
        y=day.year, yy=f"{day.year % 100:02}", m=day.month, name=name, low=name.lower(), up=name.upper(), brief=name[:3]
    )
    assert said == f"born {expected}."


@given(st.dates(date(1910, 1, 1), date(2080, 12, 31)))
@example(date(1984, 2, 29))
@example(date(2000, 12, 31))
def test_every_day_has_a_stand_in_that_exists(day):
    said, given_ = private(f"on {day}", when=day)
    other = date.fromisoformat(given_["when"])
    assert other.month != day.month or day.month in (4, 6, 9, 11)  # of these the author lists one
    assert (other.year < day.year) is (day.year < 2026)
    assert said == f"on {other}"


def test_a_month_that_is_a_choice_becomes_another_one_and_a_word_like_it_stays():
    said, given_ = private("in July, or july 84. May I? It may be.", month="July")
    assert given_["month"] in ("March", "May")
    assert said == f"in {given_['month']}, or {given_['month'].lower()} 84. May I? It may be."
    said, given_ = private("May I? In May, it may be.", month="May")
    assert said == f"{given_['month']} I? In {given_['month']}, it may be."


def test_codes_change_behind_what_tells_what_they_are():
    said, given_ = private("h104, flat 12a, and Al", text="H104", more={"flat": "12a", "name": "Al"})
    assert re.fullmatch(r"H1\d\d", given_["text"])
    assert given_["text"] != "H104"
    assert re.fullmatch(r"1\d[a-z]", given_["more"]["flat"])
    assert said == f"{given_['text'].lower()}, flat {given_['more']['flat']}, and {given_['more']['name']}"
    assert len(given_["more"]["name"]) == 2


def test_three_digits_are_a_code():
    said, given_ = private("the code is 123, for 45 pounds and 1,123 pence", text="123", number=45)
    assert re.fullmatch(r"1\d\d", given_["text"])
    assert given_["text"] != "123"
    assert said == f"the code is {given_['text']}, for 45 pounds and 1,123 pence"
    assert given_["number"] == 45


def test_amounts_stay_numbers():
    said, given_ = private("that's 12,345.50", number=12345.5)
    assert isinstance(given_["number"], float)
    assert given_["number"] != 12345.5
    assert said == f"that's {given_['number']:,.2f}"


def test_what_the_author_wrote_stays():
    said, given_ = private("Will Harbour will call the Harbour office", text="Will Harbour")
    assert said == f"{given_['text']} will call the Harbour office"
    said, given_ = private("I will. Will, that is.", text="Will")
    assert said == f"I will. {given_['text']}, that is."


def test_what_is_too_short_to_tell_of_anybody_stays():
    said, given_ = private("no, 7 of 12", text="no", number=12, more={"some": 7, "yes": True, "none": None})
    assert said == "no, 7 of 12"
    assert given_ == {"text": "no", "number": 12, "more": {"some": 7, "yes": True, "none": None}}


def test_names_of_things_are_replaced_where_they_are_data():
    _, given_ = private("hi", more={"Ada Byrne": {"phone_of": "Ada Byrne"}})
    ((key, value),) = given_["more"].items()
    assert key == value["phone_of"] != "Ada Byrne"


VALUES = st.one_of(
    st.text(st.characters(codec="utf-8", categories=("L", "Nd", "Zs", "P")), min_size=1, max_size=12),
    st.from_regex(r"[A-Z][a-z]{2,9} [A-Z][a-z]{2,9}", fullmatch=True),
    st.from_regex(r"\+?[0-9]{2,4}([ -]?[0-9]{2,4}){1,4}", fullmatch=True),
    st.from_regex(r"[a-z]{2,6}(\.[a-z]{2,6})?@[a-z]{2,6}\.(test|example)", fullmatch=True),
)


@example("CLOSE", str)
@example("12 Quay Street", str.upper)
@given(VALUES, st.sampled_from([str, str.upper, str.lower, lambda text: text.replace(" ", "-")]))
def test_nothing_private_is_left_however_it_is_spelled(value, spelled):
    secrets = Secrets([value])
    known = secrets.text(value)
    assume(known != value and value.strip().lower() not in ("will", "harbour", "office"))
    said, given_ = private(f"It is {spelled(value)}, as I said", text=value)
    assert Secrets([value]).text(given_["text"]) == given_["text"]
    assert Secrets([value]).text(said) == said
    assert sum(map(str.isdigit, given_["text"])) == sum(map(str.isdigit, value)) or "@" in value
