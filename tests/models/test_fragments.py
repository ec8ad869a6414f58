"""Fragments of any provider's making come out as the calls that were meant."""

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuelight.models.fragments import Fragment, assemble
from cuelight.ports import ToolCallRequest

TOOLS = ("look_up_owner", "free_slots", "free", "book")


def one(name: str, arguments: str = "{}", call_id: str | None = None) -> ToolCallRequest:
    return ToolCallRequest(name, arguments, call_id)


# Each way a provider may tell of calls, with what was meant.
CASES = {
    "as the protocol says": (
        [
            Fragment(0, "a", "book", ""),
            Fragment(0, None, None, '{"slot"'),
            Fragment(0, None, None, ':"10"}'),
            Fragment(1, "b", "free_slots", "{}"),
        ],
        [one("book", '{"slot":"10"}', "a"), one("free_slots", "{}", "b")],
    ),
    "T09_a both at index 0": (
        [Fragment(0, "a", "book", '{"slot":"10"}'), Fragment(0, "b", "free_slots", '{"day":"fri"}')],
        [one("book", '{"slot":"10"}', "a"), one("free_slots", '{"day":"fri"}', "b")],
    ),
    "T09_a both at index 0, of one tool, in pieces": (
        [
            Fragment(0, "a", "book", ""),
            Fragment(0, None, None, '{"slot"'),
            Fragment(0, None, None, ':"10"}'),
            Fragment(0, "b", "book", ""),
            Fragment(0, None, None, '{"slot":"11"}'),
        ],
        [one("book", '{"slot":"10"}', "a"), one("book", '{"slot":"11"}', "b")],
    ),
    "T09_a both at index 0, without arguments": (
        [Fragment(0, "a", "book"), Fragment(0, "b", "free_slots")],
        [one("book", "{}", "a"), one("free_slots", "{}", "b")],
    ),
    "T09_b no ids": (
        [
            Fragment(0, None, "book", ""),
            Fragment(0, None, None, '{"slot":"10"}'),
            Fragment(0, None, "free_slots", '{"day":'),
            Fragment(0, None, None, '"fri"}'),
        ],
        [one("book", '{"slot":"10"}'), one("free_slots", '{"day":"fri"}')],
    ),
    "T09_b no ids, the same tool twice": (
        [Fragment(0, None, "book", '{"slot":"10"}'), Fragment(0, None, "book", '{"slot":"11"}')],
        [one("book", '{"slot":"10"}'), one("book", '{"slot":"11"}')],
    ),
    "T09_c beginning at index 1": (
        [Fragment(1, "a", "book", ""), Fragment(1, None, None, "{}"), Fragment(2, "b", "free_slots", "{}")],
        [one("book", "{}", "a"), one("free_slots", "{}", "b")],
    ),
    "T09_d id first, then the name": (
        [Fragment(0, "a"), Fragment(0, None, "book"), Fragment(0, None, None, '{"slot":"10"}')],
        [one("book", '{"slot":"10"}', "a")],
    ),
    "T09_d id first, then the name, both calls at index 0": (
        [
            Fragment(0, "a"),
            Fragment(0, None, "book"),
            Fragment(0, None, None, '{"slot":"10"}'),
            Fragment(0, "b"),
            Fragment(0, None, "book"),
            Fragment(0, None, None, '{"slot":"11"}'),
        ],
        [one("book", '{"slot":"10"}', "a"), one("book", '{"slot":"11"}', "b")],
    ),
    "name first, then the id": (
        [Fragment(0, None, "book"), Fragment(0, "a", None, '{"slot":'), Fragment(0, None, None, '"10"}')],
        [one("book", '{"slot":"10"}', "a")],
    ),
    "T09_e blank ids and names on what follows": (
        [Fragment(0, "a", "book", ""), Fragment(0, "", "", '{"slot":'), Fragment(0, "", "", '"10"}')],
        [one("book", '{"slot":"10"}', "a")],
    ),
    "T09_e a blank id from the beginning": ([Fragment(0, "", "book", "{}")], [one("book")]),
    "T09_h interleaved by index": (
        [
            Fragment(0, "a", "book", '{"sl'),
            Fragment(1, "b", "free_slots", '{"da'),
            Fragment(0, None, None, 'ot":"10"}'),
            Fragment(1, None, None, 'y":"fri"}'),
        ],
        [one("book", '{"slot":"10"}', "a"), one("free_slots", '{"day":"fri"}', "b")],
    ),
    "T09_h interleaved by id, all at index 0": (
        [
            Fragment(0, "a", "book", '{"sl'),
            Fragment(0, "b", "free_slots", '{"da'),
            Fragment(0, "a", None, 'ot":"10"}'),
            Fragment(0, "b", None, 'y":"fri"}'),
        ],
        [one("book", '{"slot":"10"}', "a"), one("free_slots", '{"day":"fri"}', "b")],
    ),
    "T09_h interleaved by name, all at index 0, no ids": (
        [
            Fragment(0, None, "book", '{"sl'),
            Fragment(0, None, "free_slots", '{"da'),
            Fragment(0, None, "book", 'ot":"10"}'),
            Fragment(0, None, "free_slots", 'y":"fri"}'),
        ],
        [one("book", '{"slot":"10"}'), one("free_slots", '{"day":"fri"}')],
    ),
    "no index at all": (
        [Fragment(None, "a", "book", '{"slot":'), Fragment(None, None, None, '"10"}'), Fragment(None, "b", "free")],
        [one("book", '{"slot":"10"}', "a"), one("free", "{}", "b")],
    ),
    "a new id made up for every chunk": (
        [Fragment(0, "x1", "book", '{"slot":'), Fragment(0, "x2", None, '"1'), Fragment(0, "x3", None, '0"}')],
        [one("book", '{"slot":"10"}', "x1")],
    ),
    "everything repeated on every chunk": (
        [Fragment(0, "a", "book", '{"slot":'), Fragment(0, "a", "book", '"10"}'), Fragment(0, "a", "book", "")],
        [one("book", '{"slot":"10"}', "a")],
    ),
    "a name in pieces": (
        [Fragment(0, "a", "free"), Fragment(0, None, "_slots"), Fragment(0, None, None, "{}")],
        # `free` is a tool too, so this is a call of it, and one of a tool that does not exist.
        [one("free", "{}", "a"), one("_slots")],
    ),
    "an unmistakable name in pieces": (
        [Fragment(0, "a", "look_"), Fragment(0, None, "up_owner"), Fragment(0, None, None, "{}")],
        [one("look_up_owner", "{}", "a")],
    ),
    "an empty object before the arguments": (
        [Fragment(0, "a", "book", "{}"), Fragment(0, None, None, '{"slot":"10"}')],
        [one("book", '{"slot":"10"}', "a")],
    ),
    "two calls run together": (
        [Fragment(0, "a", "book", '{"slot":"10"}'), Fragment(0, None, None, '{"slot":"11"}')],
        [one("book", '{"slot":"10"}', "a"), one("book", '{"slot":"11"}')],
    ),
    "one id for two calls": (
        [Fragment(0, "a", "book", '{"slot":"10"}'), Fragment(1, "a", "book", '{"slot":"11"}')],
        [one("book", '{"slot":"10"}', "a"), one("book", '{"slot":"11"}', "a_2")],
    ),
    "one id and one index for two calls": (
        [Fragment(0, "a", "book", '{"slot":"10"}'), Fragment(0, "a", "book", '{"slot":"11"}')],
        [one("book", '{"slot":"10"}', "a"), one("book", '{"slot":"11"}', "a_2")],
    ),
    "a phantom": ([Fragment(0, "a", None, ""), Fragment(1, "b", "book", "{}")], [one("book", "{}", "b")]),
    "broken arguments stay as they are": (
        [Fragment(0, "a", "book", '{"slot": 10')],
        [one("book", '{"slot": 10', "a")],
    ),
    "arguments of no depth a parser takes": (
        [Fragment(0, "a", "book", '{"a":' * 99_999)],
        [one("book", '{"a":' * 99_999, "a")],
    ),
    "nothing": ([], []),
}


@pytest.mark.parametrize("case", CASES)
def test_T09_fragments_come_out_as_the_calls_that_were_meant(case: str) -> None:  # noqa: N802
    fragments, meant = CASES[case]
    assert assemble(fragments, TOOLS) == meant


def test_an_id_of_an_earlier_call_is_not_given_again() -> None:
    assert assemble([Fragment(0, "call_0", "book", "{}")], TOOLS, taken=["call_0", "call_0_2"]) == [
        one("book", "{}", "call_0_3")
    ]


@dataclass
class Habits:
    """How one provider tells of calls."""

    index: str  # "proper", "from 1", "zero", "none"
    id: str  # "first", "every", "blank after", "own fragment", "none"
    name: str  # "first", "every"
    interleaved: bool

    @property
    def tells_apart(self) -> bool:
        """Whether interleaved fragments of it can be told apart at all."""
        return self.index in ("proper", "from 1") or self.id == "every"


HABITS = st.builds(
    Habits,
    index=st.sampled_from(["proper", "from 1", "zero", "none"]),
    id=st.sampled_from(["first", "every", "blank after", "own fragment", "none"]),
    name=st.sampled_from(["first", "every"]),
    interleaved=st.booleans(),
)
ARGUMENTS = st.dictionaries(st.text(max_size=5), st.one_of(st.integers(), st.text(max_size=8), st.none()), min_size=1)
CALLS = st.lists(st.tuples(st.sampled_from(TOOLS), ARGUMENTS.map(json.dumps)), min_size=1, max_size=4)


def told(habits: Habits, number: int, name: str, pieces: list[str]) -> list[Fragment]:
    index = {"proper": number, "from 1": number + 1, "zero": 0, "none": None}[habits.index]
    first_id = None if habits.id == "none" else f"call-{number}"
    later_id = {"every": first_id, "blank after": ""}.get(habits.id)
    later_name = name if habits.name == "every" else None
    fragments = []
    if habits.id == "own fragment":
        fragments.append(Fragment(index, first_id, None, None))
        first_id = None
    for position, piece in enumerate(pieces):
        first = position == 0
        fragments.append(Fragment(index, first_id if first else later_id, name if first else later_name, piece))
    return fragments


@given(st.data(), HABITS, CALLS)
def test_any_fragmentation_of_any_calls_comes_together(
    data: st.DataObject, habits: Habits, calls: list[tuple[str, str]]
) -> None:
    streams = []
    for number, (name, arguments) in enumerate(calls):
        cuts = sorted(data.draw(st.lists(st.integers(0, len(arguments)), max_size=5)))
        pieces = [arguments[a:b] for a, b in zip([0, *cuts], [*cuts, len(arguments)], strict=True)]
        streams.append(told(habits, number, name, pieces))
    fragments: list[Fragment] = []
    if habits.interleaved and habits.tells_apart:
        begun = 0
        while any(streams):
            # A call begins when the ones before it have begun; after that any of them may go on.
            ready = [n for n in range(min(begun + 1, len(streams))) if streams[n]]
            number = data.draw(st.sampled_from(ready))
            begun = max(begun, number + 1)
            fragments.append(streams[number].pop(0))
    else:
        fragments = [fragment for stream in streams for fragment in stream]

    whole = assemble(fragments, TOOLS)

    assert [(call.name, call.arguments) for call in whole] == calls
    ids = [call.id for call in whole if call.id is not None]
    assert len(ids) == len(set(ids))
    assert len(ids) == (0 if habits.id == "none" else len(calls))


@given(
    st.lists(
        st.builds(
            Fragment,
            st.none() | st.integers(0, 2),
            st.none() | st.sampled_from(["", "a", "b"]),
            st.none() | st.sampled_from(["", "book", "free"]),
            st.none() | st.text(max_size=6),
        ),
        max_size=8,
    )
)
def test_no_fragments_whatsoever_make_it_fail(fragments: list[Fragment]) -> None:
    ids = [call.id for call in assemble(fragments, TOOLS) if call.id is not None]
    assert len(ids) == len(set(ids))
