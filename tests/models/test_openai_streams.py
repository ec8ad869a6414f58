"""Every habit of servers that speak Chat Completions, over real HTTP."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from asking import ask, calls_of, events, text_of
from cuelight import Agent, tool
from cuelight.log import Message, ToolUse
from cuelight.ports import Finished, Model, TextDelta, ToolCallRequest, Usage
from cuelight.testing import rehearse
from stub_provider import DONE, Answer, StubProvider, call_chunk, chunk, openai

Talk = Callable[..., Any]
LOOK_UP = ("look_up_owner", '{"name": "Ada Byrne", "phone": "600123456"}')
SLOTS = ("free_slots", '{"day": "2026-03-06"}')


def test_words_come_as_they_are_streamed(talk: Talk) -> None:
    got = talk(lambda model, stub: events(model), openai("Hello", " Ada", ". Which day?"))
    assert got == [
        TextDelta("Hello"),
        TextDelta(" Ada"),
        TextDelta(". Which day?"),
        Finished(
            reason="stop",
            usage=Usage(prompt_tokens=100, completion_tokens=20, cached_tokens=80, reasoning_tokens=5),
            request_id="chatcmpl-7",
        ),
    ]


def test_a_call_comes_whole_and_last(talk: Talk) -> None:
    answer = openai(
        {"index": 0, "id": "call_1", "name": "free_slots", "arguments": ""},
        {"index": 0, "arguments": '{"day": '},
        "One moment.",
        {"index": 0, "arguments": '"2026-03-06"}'},
        finish="tool_calls",
    )
    got = talk(lambda model, stub: events(model), answer)
    assert got[:-1] == [TextDelta("One moment."), ToolCallRequest(*SLOTS, "call_1")]
    assert got[-1].reason == "tool_calls"


def halves(index: int | None, call_id: str | None, name: str, arguments: str) -> list[dict[str, Any]]:
    """One call in two fragments."""
    first = {"index": index, "id": call_id, "name": name, "arguments": arguments[:9]}
    return [
        {key: value for key, value in first.items() if value is not None},
        {"index": index, "arguments": arguments[9:]},
    ]


T09 = {
    "a": ([*halves(0, "call_1", *LOOK_UP), *halves(0, "call_2", *SLOTS)], ["call_1", "call_2"]),
    "b": ([*halves(0, None, *LOOK_UP), *halves(0, None, *SLOTS)], [None, None]),
    "c": ([*halves(1, "call_1", *LOOK_UP), *halves(2, "call_2", *SLOTS)], ["call_1", "call_2"]),
    "d": (
        [
            {"index": 0, "id": "call_1"},
            {"index": 0, "name": LOOK_UP[0]},
            {"index": 0, "arguments": LOOK_UP[1]},
            {"index": 1, "id": "call_2"},
            {"index": 1, "name": SLOTS[0], "arguments": SLOTS[1]},
        ],
        ["call_1", "call_2"],
    ),
    "e": (
        [
            {"index": 0, "id": "call_1", "name": LOOK_UP[0], "arguments": ""},
            {"index": 0, "id": "", "name": "", "arguments": LOOK_UP[1]},
            {"index": 1, "id": "call_2", "name": SLOTS[0], "arguments": ""},
            {"index": 1, "id": "", "arguments": SLOTS[1]},
        ],
        ["call_1", "call_2"],
    ),
    "h": (
        [
            halves(0, "call_1", *LOOK_UP)[0],
            halves(1, "call_2", *SLOTS)[0],
            halves(0, "call_1", *LOOK_UP)[1],
            halves(1, "call_2", *SLOTS)[1],
        ],
        ["call_1", "call_2"],
    ),
}


@pytest.mark.parametrize("finish", ["tool_calls", "stop"])  # "stop" is T09 f: the reason never decides
@pytest.mark.parametrize("case", T09)
def test_T09_awkward_streams_give_exactly_the_intended_calls(talk: Talk, case: str, finish: str) -> None:  # noqa: N802
    fragments, ids = T09[case]
    got = talk(lambda model, stub: events(model), openai(*fragments, finish=finish))
    assert calls_of(got) == [ToolCallRequest(*LOOK_UP, ids[0]), ToolCallRequest(*SLOTS, ids[1])]
    assert text_of(got) == ""
    assert isinstance(got[-1], Finished)


@pytest.mark.parametrize("case", T09)
def test_T09_awkward_streams_of_other_providers_that_speak_the_protocol(talk: Talk, case: str) -> None:  # noqa: N802
    fragments, ids = T09[case]
    got = talk(lambda model, stub: events(model), openai(*fragments), model="ollama:stub")
    assert calls_of(got) == [ToolCallRequest(*LOOK_UP, ids[0]), ToolCallRequest(*SLOTS, ids[1])]


def test_T09_g_text_and_call_in_one_chunk(talk: Talk) -> None:  # noqa: N802
    both = call_chunk(
        {"index": 0, "id": "call_1", "name": LOOK_UP[0], "arguments": LOOK_UP[1]},
        {"index": 1, "id": "call_2", "name": SLOTS[0], "arguments": SLOTS[1]},
        content="Let me look.",
    )
    got = talk(lambda model, stub: events(model), openai(both))
    assert text_of(got) == "Let me look."
    assert calls_of(got) == [ToolCallRequest(*LOOK_UP, "call_1"), ToolCallRequest(*SLOTS, "call_2")]


def test_T09_calls_written_into_the_text_are_not_spoken(talk: Talk) -> None:  # noqa: N802
    written = json.dumps({"name": SLOTS[0], "arguments": json.loads(SLOTS[1])})
    got = talk(lambda model, stub: events(model), openai("Let me look. ", "<tool_", "call>", written, "</tool_call>"))
    assert text_of(got) == "Let me look. "
    assert calls_of(got) == []
    got = talk(lambda model, stub: events(model), openai(*written))
    assert len(got) == 1, "a reply that is only call syntax is an empty one"


def test_reasoning_is_never_spoken(talk: Talk) -> None:
    answer = openai(
        chunk({"reasoning_content": "They want Friday."}),
        "<think>",
        "Friday",
        "</think>",
        "Friday it is.",
        finish="stop",
    )
    assert text_of(talk(lambda model, stub: events(model), answer)).strip() == "Friday it is."


def test_ids_of_earlier_calls_are_not_given_again(talk: Talk) -> None:
    history = [
        Message("user", "hello"),
        Message("assistant", "", (ToolUse("call_0", "free_slots", "{}"),)),
        Message("tool", "[]", tool_call_id="call_0"),
    ]
    answer = openai({"index": 0, "id": "call_0", "name": SLOTS[0], "arguments": SLOTS[1]})
    got = talk(lambda model, stub: events(model, ask(history)), answer)
    assert calls_of(got) == [ToolCallRequest(*SLOTS, "call_0_2")]


def test_broken_arguments_are_handed_on_as_the_model_wrote_them(talk: Talk) -> None:
    answer = openai({"index": 0, "id": "call_1", "name": "book", "arguments": '{"slot": 10:30}'})
    assert calls_of(talk(lambda model, stub: events(model), answer)) == [
        ToolCallRequest("book", '{"slot": 10:30}', "call_1")
    ]


def test_an_empty_reply_is_only_finished(talk: Talk) -> None:
    assert [type(event) for event in talk(lambda model, stub: events(model), openai())] == [Finished]


def test_a_server_without_finish_reasons_has_ended_its_reply_at_the_end_mark(talk: Talk) -> None:
    got = talk(lambda model, stub: events(model), Answer([chunk({"content": "Hello."}), DONE]))
    assert text_of(got) == "Hello."


def test_odd_chunks_change_nothing(talk: Talk) -> None:
    answer = openai(
        b": keep-alive\n\n",
        chunk(),
        chunk(None, choices=None),
        chunk({"content": None}),
        "Hello.",
        chunk({"tool_calls": None}),
    )
    assert text_of(talk(lambda model, stub: events(model), answer)) == "Hello."


def test_a_character_split_over_two_chunks_is_whole_in_the_turn(talk: Talk) -> None:
    class Desk(Agent):
        """You sit at a desk."""

        noted: str = ""

        @tool
        def note(self, text: str) -> None:
            """Notes a text."""
            self.noted = text

    async def turn(model: Model, stub: StubProvider) -> tuple[str, str]:
        async with rehearse(Desk, model) as call:
            reply = await call.say("note a smile")
            return reply.text, call.agent.noted

    noting = openai(
        {"index": 0, "id": "call_1", "name": "note", "arguments": '{"text": "\ud83d'},
        {"index": 0, "arguments": '\ude00"}'},
        finish="tool_calls",
    )
    assert talk(turn, noting, openai("Noted \ud83d", "\ude00.")) == ("Noted \U0001f600.", "\U0001f600")
