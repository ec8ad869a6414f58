"""A private value is found however it is spelled, at a cost that does not grow with how it may be spelled."""

import time
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuelight.log import MASK, Secrets, leaves


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("ES9121000418450200051332", "ES91 2100 0418 4502 0005 1332"),
        ("ES91 2100 0418 4502 0005 1332", "es9121000418450200051332"),
        ("AB-12.34/C", "ab1234c"),
        ("600123456", "600\u2011123\u2011456"),
        ("600123456", "600\u2013123\u2013456"),
        ("600123456", "600/123:456"),
        ("600123456", "600_123_456"),
        ("600123456", "600** 123 **456"),
        ("600123456", "\u0666\u0660\u0660\u0661\u0662\u0663\u0664\u0665\u0666"),
        ("600123456", "600\u200b123\u200b456"),
        ("+34 600 123 456", "600123456"),
        ("+34 600 123 456", "+34600123456"),
        ("Conor O'Brien", "conor o\u2019brien"),
        ("Mary-Ann Fox", "Mary Ann  Fox"),
        ("Mary Ann", "mary-ann"),
        ("Jos\u00e9 N\u00fa\u00f1ez", unicodedata.normalize("NFD", "Jos\u00e9 N\u00fa\u00f1ez")),
        ("1980-05-17", "1980/05/17"),
        ("p@$$", "P@$$"),
        ("600 123 45", "600 123 456"),  # an unfinished number, and the one it became
        ("60012345", "0034600123456"),
    ],
)
def test_a_value_is_masked_however_it_is_spelled(value: str, said: str) -> None:
    assert Secrets([value]).text(f"it is {said}, yes") == f"it is {MASK}, yes"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("Rosa", "in euro, sales rose"),
        ("Mary Ann", "ma ryann"),
        ("1234", "91234"),
        ("1234.5", "12345 or 1.2345"),
        ("...", "..."),
    ],
)
def test_what_only_reads_the_same_is_left_alone(value: str, said: str) -> None:
    assert Secrets([value]).text(said) == said


@pytest.mark.parametrize("number", [10.0, 10, -5.0, 12.5, 999.0])
def test_a_number_of_few_digits_is_not_masked_in_text(number: float) -> None:
    assert not Secrets(leaves(number))


@pytest.mark.parametrize("number", [600123456, 600123456.0, -600123456])
def test_a_number_is_known_by_the_digits_of_a_private_text(number: float) -> None:
    assert Secrets(["600 123 456"]).value({"phone": number, "n": 6001}) == {"phone": MASK, "n": 6001}


_VALUES = st.lists(
    st.text("ab1 .-\u00e9[privte]", min_size=4, max_size=10) | st.from_regex(r"\A[0-9]{4,9}\Z"), max_size=4
)


@given(_VALUES, st.text("ab1 .-\u00e9[privte]0", max_size=60))
def test_masking_what_is_masked_changes_nothing(values: list[str], text: str) -> None:
    masked = Secrets(values).text(text)
    assert Secrets(values).text(masked) == masked


@given(st.text(max_size=20), st.text(max_size=20), st.text(min_size=4, max_size=20).filter(lambda text: text.strip()))
def test_any_text_can_be_private_and_any_text_can_hold_it(before: str, after: str, value: str) -> None:
    secrets = Secrets([value])
    if secrets and any(map(str.isalpha, value)):
        assert MASK in secrets.text(f"{before}, {value} , {after}")


def test_many_values_cost_little() -> None:
    phones = [str(600_000_000 + 7919 * n) for n in range(1000)]
    texts: Any = [f"I have {phone[:3]} {phone[3:]} and room {n}" for n, phone in enumerate(phones[:20])]
    began = time.process_time()
    secrets = Secrets(phones)
    assert [secrets.text(text) for text in texts] == [f"I have {MASK} and room {n}" for n in range(20)]
    secrets.add(["one more of them"])
    assert secrets.text("it was one more of them") == f"it was {MASK}"
    assert time.process_time() - began < 0.5


_JSON = st.recursive(
    st.integers(0, 99999) | st.sampled_from(["ab1 private", "abab", "1980-05-17"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab1 ", min_size=1, max_size=6), inner),
    max_leaves=12,
)
_FIELDS = st.dictionaries(st.from_regex(r"\A[ab][ab1]{0,5}\Z"), _JSON, max_size=5)


@given(_VALUES, _FIELDS, st.sampled_from([("state.changed", "state"), ("tool.call", "arguments")]))
def test_names_are_never_masked_and_keys_stay_apart(values: list[str], held: Any, place: tuple[str, str]) -> None:
    secrets = Secrets(values)
    entry_type, part = place
    masked = secrets.data(entry_type, {part: held})
    assert list(masked[part]) == list(held)
    assert secrets.data(entry_type, masked) == masked
    assert [size(item) for item in masked[part].values()] == [size(item) for item in held.values()]


def size(value: Any) -> int:
    """Count the places in a JSON value."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(size, items))


def test_masked_keys_of_data_are_numbered() -> None:
    masked = Secrets(["Ada Byrne", "Eve Moss"]).value({"Ada Byrne": 1, "[private]": 2, "Eve Moss": 3, "open": 4})
    assert masked == {"[private] 2": 1, "[private]": 2, "[private] 3": 3, "open": 4}
