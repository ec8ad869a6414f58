"""Half a character is no text that can be stored: halves are joined, a lone one is U+FFFD, and the turn goes on."""

from collections.abc import AsyncIterator
from typing import Any, Literal

import pytest

from cuelight import Agent, ToolFailed, direct, go, stay, tool
from cuelight.ports import Finished, ModelRequest, TextDelta, ToolCallRequest
from cuelight.testing import Script, calls, raw_call
from lawbook import check, datas, heard, rehearsing, results

HALF, LONE, WHOLE = "a\ud83d", "a\ufffd", "\U0001f600"


class Desk(Agent):
    """You sit at a desk."""

    stage: Literal["a", "b"] = "a"
    noted: str = ""
    rules = ["Be kind \ud83d."]
    fallback_line = "Sorry. \ud83d"

    @tool
    def note(self, text: str) -> str:
        """Notes a text. \ud83d"""
        self.noted = text
        return HALF

    @tool
    def do(self, what: str) -> Any:
        """Does one of many things."""
        if what == "fail":
            raise ToolFailed(HALF)
        if what == "raise":
            raise ValueError(HALF)
        if what == "speak":
            self.call.speak(HALF)
        if what == "reply":
            self.call.reply(HALF)
        if what == "end":
            self.call.end(HALF)
        routes = {"stay": stay(HALF), "go": go("b").with_message(HALF), "direct": direct(HALF)}
        return routes.get(what)

    def render(self) -> str:
        return f"{self.stage} \udc00"


class Streaming:
    name = provider = "streaming"

    def __init__(self, *events: Any) -> None:
        self._events = events

    async def stream(self, request: ModelRequest) -> AsyncIterator[Any]:
        for event in self._events:
            yield event
        yield Finished()


@pytest.mark.parametrize(
    ("deltas", "whole"),
    [
        (["Hi \ud83d", "\ude00!"], f"Hi {WHOLE}!"),
        (["Hi \ud83d\ude00!"], f"Hi {WHOLE}!"),
        (["Hi \ud83d", " there"], "Hi \ufffd there"),
        (["Hi \ud83d"], "Hi \ufffd"),
        (["\ude00 hi"], "\ufffd hi"),
    ],
)
async def test_the_models_words_are_whole(deltas: list[str], whole: str) -> None:
    async with rehearsing(Desk, Streaming(*map(TextDelta, deltas))) as call:
        assert (await call.say("hello")).text == whole
        assert heard(call.log) == [whole]
        check(call)


async def test_a_calls_arguments_name_and_id_are_whole() -> None:
    split = '{"text": "\ud83d' + '\ude00"}'
    first = [
        raw_call("note", split),
        raw_call("note", '{"text": "b\ud83d"}'),
        ToolCallRequest("x\ud83d", "{}", "i\ud83d"),
    ]
    async with rehearsing(Desk, Script(first, "Noted.")) as call:
        assert (await call.say("note")).text == "Noted."
        noted = [data["arguments"] for data in datas(call.log, "tool.call")]
        assert noted == [{"text": WHOLE}, {"text": "b\ufffd"}, {}]
        assert [result["name"] for result in results(call.log)] == ["note", "note", "x\ufffd"]
        assert results(call.log)[0]["output"] == LONE
        assert call.agent.noted == "b\ufffd"
        check(call)


@pytest.mark.parametrize("what", ["fail", "raise", "speak", "reply", "end", "stay", "go", "direct"])
async def test_an_authors_words_are_whole(what: str) -> None:
    async with rehearsing(Desk, Script(calls("do", what=what), "Done.")) as call:
        reply = await call.say("go on")
        assert reply.text.split("\n")[0] == {"speak": LONE, "direct": LONE}.get(what, "Done." if what != "end" else "")
        assert LONE in str([entry.data for entry in call.log]) + str(call.requests[-1].messages)
        for request in call.requests:
            f"{request.static}{request.view}{request.messages}".encode()
        check(call)


async def test_the_line_for_a_failed_model_is_whole() -> None:
    async with rehearsing(Desk, Script(RuntimeError(HALF), "", "")) as call:
        assert (await call.say("hello")).text == "Sorry. \ufffd"
        assert LONE in datas(call.log, "error")[0]["message"]
