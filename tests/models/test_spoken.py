"""Call syntax that a server left in the text is never spoken; everything else comes out as it went in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuelight.models.spoken import SpokenText


def spoken(*pieces: str) -> str:
    speech = SpokenText()
    return "".join([speech.feed(piece) for piece in pieces]) + speech.finish()


CALL = '{"name": "book", "arguments": {"slot": "10:30"}}'
SILENT = {
    "tagged": f"<tool_call>\n{CALL}\n</tool_call>",
    "tagged, cut off": f"<tool_call>{CALL}",
    "several": f"<tool_call>{CALL}</tool_call>\n<tool_call>{CALL}</tool_call>",
    "bare": CALL,
    "bare, with text as arguments": '{"name":"book","arguments":"{}"}',
    "bare, cut off": '{"name": "book", "arguments": {"sl',
    "a list": f"[{CALL}, {CALL}]",
    "fenced": f"```json\n{CALL}\n```",
    "a list, fenced": f"```\n[{CALL}]\n```",
    "nested": '{"type": "function", "function": {"name": "book", "parameters": {}}}',
    "a message of its own": '{"tool_calls": [{"id": "x", "function": {"name": "book", "arguments": "{}"}}]}',
    "mistral": f"[TOOL_CALLS][{CALL}]",
    "llama": f"<|python_tag|>{CALL}",
    "function tag": '<function=book>{"slot": "10:30"}</function>',
    "deepseek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>book<｜tool▁calls▁end｜>",
    "reasoning": "<think>They want half past ten.</think>",
}
SAID = [
    "Half past ten it is.",
    "",
    "...",
    "👍",
    "We are at <the harbour>, pier 3.",
    "a < b and b > a",
    "{not a call}",
    '{"weather": "fine"}',
    "[laughs] Good one.",
    "```python\nprint(1)\n```",
    "Use `make` {or} [ninja]",
    "{",
    "<tool",
    '{"name": "Ada"}',
    "Wait... what?! {oh} ok!",
]


@pytest.mark.parametrize("kind", SILENT)
def test_R58_text_that_is_only_call_syntax_is_never_spoken(kind: str) -> None:  # noqa: N802
    assert spoken(SILENT[kind]) == ""
    assert spoken(*SILENT[kind]) == "", "not when it comes a character at a time either"


@pytest.mark.parametrize("kind", SILENT)
def test_T09_g_prose_is_spoken_and_call_text_is_not(kind: str) -> None:  # noqa: N802
    assert spoken(f"Let me book that. {SILENT[kind]}").rstrip() == "Let me book that."
    assert spoken("Let me ", "book that. ", *SILENT[kind]).rstrip() == "Let me book that."


def test_prose_after_a_call_is_spoken() -> None:
    assert spoken(f"One moment. <tool_call>{CALL}</tool_call> Done.") == "One moment.  Done."
    assert spoken(f"{CALL}\nDone.") == "\nDone."


@pytest.mark.parametrize("text", SAID)
def test_other_text_comes_out_as_it_went_in(text: str) -> None:
    assert spoken(text) == text
    assert spoken(*text) == text


def test_words_are_not_held_back() -> None:
    speech = SpokenText()
    assert [speech.feed(word) for word in ("Half ", "past ", "ten", "!")] == ["Half ", "past ", "ten", "!"]


@given(st.lists(st.text(alphabet="ab <{[`\"'|}]>/:\n", max_size=6) | st.sampled_from(["tool_call", "name", "```json"])))
def test_what_is_spoken_does_not_depend_on_how_it_was_cut(pieces: list[str]) -> None:
    assert spoken(*pieces) == spoken("".join(pieces)) == spoken(*"".join(pieces))
