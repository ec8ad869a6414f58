"""Strangers call the example in plain English: whole calls, many ways to say one thing, and calls at random."""

import random
import re
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# What callers tell of themselves: none of it may be in a log that leaves its store.
PEOPLE = ("Ada Byrne", "Ada Burns", "Tom Okafor", "Mei Lindqvist", "Jo March")
PETS = ("Pixel", "Biscuit", "Olive", "Biscotti")
PHONES = ("600123456", "600123457", "600987654", "600555010", "600222333", "60022233")
SAID = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

Expected = tuple[str, str, tuple[str, ...]]


def _conversations() -> Iterator[tuple[str, list[Expected]]]:
    for block in (HERE / "conversations.txt").read_text(encoding="utf-8").split("\n== ")[1:]:
        title, *lines = [line for line in block.splitlines() if line.strip()]
        turns = []
        for said, expected in zip(lines[::2], lines[1::2], strict=True):
            stage, _, words = expected.strip().partition(": ")
            turns.append((said, stage, tuple(words.split("; "))))
        yield title, turns


def _phrasings() -> Iterator[tuple[str, list[tuple[str, str, str, str]]]]:
    text = (HERE / "phrasings.txt").read_text(encoding="utf-8")
    for block in re.split(r"^\[", text, flags=re.MULTILINE)[1:]:
        where, *lines = [line for line in block.splitlines() if line.strip()]
        phrasings = []
        for line in lines:
            said, _, expected = line.partition("  =>  ")
            outcome, _, words = expected.partition(": ")
            stage, _, tools = outcome.partition(", ")
            phrasings.append((said.replace("\\n", "\n"), stage, tools.replace("-", ""), words))
        yield where.rstrip("]"), phrasings


CONVERSATIONS = dict(_conversations())
PHRASINGS = dict(_phrasings())
KNOWN = "I'm Ada Byrne, 600 123 456"
BEFORE = {
    "identify": (),
    "half": ("I'm Ada Byrne",),
    "notfound": ("I'm Ada Byrne, 600 123 457",),
    "choose": (KNOWN,),
    "full": (KNOWN, "Friday"),
    "book": (KNOWN, "next Tuesday"),
    "asked": (KNOWN, "next Tuesday", "10:30"),
    "done": (KNOWN, "next Tuesday", "10:30", "yes"),
}
STAYING = [said for phrasings in PHRASINGS.values() for said, stage, *_ in phrasings if stage != "ended"]


def in_order(talk) -> None:
    """Check what holds in every call."""
    for entry in talk.log:
        assert entry.type != "error", entry.data
        if entry.type == "tool.result":
            refused = str(entry.data.get("error"))
            assert "not available" not in refused, refused
    for turn in talk.turns:
        assert turn.answer.strip(), turn
        assert turn.requests <= 5, turn


def keeps_private(talk) -> None:
    """Check that nothing private is in the log, of what the call came to know: whose pet it is, it learns last."""
    private = PEOPLE if talk.turns[-1].stage == "identify" else PEOPLE + PETS
    for entry in talk.log:
        for text in _texts(entry.data):
            assert not any(value.casefold() in text.casefold() for value in private), entry
            digits = "".join(_digits(text))
            assert not any(phone in digits for phone in PHONES), entry


def _texts(value) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)


def _digits(text: str) -> Iterator[str]:
    """Give the digits of a text, in figures or in words, as one row."""
    for word in re.findall(r"[a-z]+|\d", text.casefold()):
        yield str(SAID.index(word)) if word in SAID else word if word.isdigit() else ""


@pytest.mark.parametrize("title", CONVERSATIONS)
def test_a_conversation_goes_as_a_stranger_would_have_it(title: str, talk: Callable) -> None:
    expected = CONVERSATIONS[title]
    heard = talk(*(said for said, _, _ in expected))
    for (said, stage, words), turn in zip(expected, heard.turns, strict=True):
        assert turn.stage == stage, (said, turn)
        for word in words:
            assert word in turn.answer, (said, turn)
    in_order(heard)
    keeps_private(heard)


@pytest.mark.parametrize("where", PHRASINGS)
def test_one_thing_can_be_said_in_many_ways(where: str, talk: Callable) -> None:
    missed = []
    for said, stage, tools, words in PHRASINGS[where]:
        heard = talk(*BEFORE[where], said)
        turn = heard.turns[-1]
        told = " ".join(turn.answer.split()).casefold()
        if (turn.stage, " ".join(turn.tools)) != (stage, tools) or words.casefold() not in told:
            missed.append(turn)
        in_order(heard)
        keeps_private(heard)
    assert not missed


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_said_in_whatever_order_nothing_is_claimed_that_is_not_so(seed: int, talk: Callable) -> None:
    chance = random.Random(seed)
    common = [KNOWN, "Friday", "Tuesday", "10:30", "the first", "yes", "ok", "cancel it", "Wednesday instead"]
    heard = talk(*(chance.choice(chance.choice((STAYING, common))) for _ in range(10)))
    in_order(heard)
    agreed = [entry.data["call_id"] for entry in heard.log if entry.type == "confirm.granted"]
    results = [entry.data for entry in heard.log if entry.type == "tool.result" and entry.data["name"] == "book"]
    assert [result["call_id"] for result in results if "output" in result] == agreed
    for turn in heard.turns:
        if "It is booked" in turn.answer:
            assert turn.tools == ["answer_confirmation"], turn
        if "It is cancelled" in turn.answer:
            assert turn.tools[-1:] == ["cancel_booking"], turn
        if "You are registered" in turn.answer:
            assert "register_owner" in turn.tools, turn


def test_the_session_in_the_readme_is_what_is_said(talk: Callable) -> None:
    block = (HERE.parents[1] / "README.md").read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    asked = re.findall(r"^you    (.+)$", block, re.MULTILINE)
    turns = re.split(r"^you    .+\n", block, flags=re.MULTILINE)[1:]
    heard = talk(*asked, today=date(2026, 12, 1))
    for shown, turn in zip(turns, heard.turns, strict=True):
        spoken = " ".join(re.findall(r"^(?:agent  | {7}(?=\w)(?!stage))(.+)$", shown, re.MULTILINE))
        assert spoken == " ".join(turn.answer.replace("[private]", "Ada Byrne").split())
        assert f"stage {turn.stage} " in shown
    assert [turn.stage for turn in heard.turns][-1] == "done"
