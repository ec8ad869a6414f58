"""A private number is masked as it is written and as it is said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight.log import MASK, Secrets

PHONE = "600123456"
SECRETS = Secrets([PHONE, "4321"])
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@pytest.mark.parametrize(
    "said",
    [
        "600, 123, 456",
        "six zero zero one two three four five six",
        "Six oh oh, one two three, four five six",
        "six double oh, 123, four five six",
        "6 double 0 one two three 456",
    ],
)
def test_a_number_is_masked_in_words_and_in_groups(said):
    assert SECRETS.text(f"It is {said}, call me") == f"It is {MASK}, call me"


@pytest.mark.parametrize(
    "said", ["600 123 457", "six hundred", "one two three", "double trouble", "sixohoone", "54,321 euros", "I am 600"]
)
def test_other_numbers_are_left_alone(said):
    assert SECRETS.text(said) == said


@settings(max_examples=50)
@given(
    st.from_regex(r"\A[0-9]{7,15}\Z"),
    st.lists(st.booleans(), min_size=15, max_size=15),
    st.sampled_from([" ", ", ", " - "]),
)
def test_any_number_is_masked_however_its_digits_are_said(number, spelled, gap):
    said = gap.join(WORDS[int(digit)] if word else digit for digit, word in zip(number, spelled, strict=False))
    assert Secrets([number]).text(said) == MASK
