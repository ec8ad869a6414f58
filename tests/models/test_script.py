"""The scripted model: one item a request, exactly as written."""

import asyncio
import enum
import json
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import TOOLS, ask, calls_of, events, spec, text_of
from cuelight.errors import ModelFailed, ScriptRanOut, ScriptRefused
from cuelight.log import Message
from cuelight.models import Request, Script, calls, raw_call
from cuelight.ports import Finished, Model, ModelEvent, TextDelta, ToolCallRequest


def played(script: Script, times: int = 1) -> list[ModelEvent]:
    async def play() -> list[ModelEvent]:
        return [event for _ in range(times) for event in await events(script)]

    return asyncio.run(play())


def test_a_string_is_streamed_a_word_at_a_time() -> None:
    assert played(Script("Hello  Ada.\nWhich day?")) == [
        TextDelta("Hello  "),
        TextDelta("Ada.\n"),
        TextDelta("Which "),
        TextDelta("day?"),
        Finished("stop"),
    ]


@given(st.text())
def test_any_text_arrives_exactly(text: str) -> None:
    assert text_of(played(Script(text))) == text


def test_a_call_has_no_id_and_its_arguments_as_json() -> None:
    assert played(Script(calls("book", slot="10:30"))) == [
        ToolCallRequest("book", '{"slot":"10:30"}', None),
        Finished("tool_calls"),
    ]
    assert calls("look_up", tool="a", self=1).arguments == '{"tool":"a","self":1}'


def test_arguments_are_written_as_a_model_would_write_them() -> None:
    class Size(enum.Enum):
        SMALL = "small"

    @dataclass
    class Pet:
        name: str
        born: date

    class Owner(pydantic.BaseModel):
        since: date

    call = calls(
        "x",
        day=date(2026, 3, 6),
        at=time(10, 30),
        size=Size.SMALL,
        pet=Pet("Rex", date(2020, 1, 1)),
        owner=Owner(since=date(2019, 1, 1)),
        price=Decimal("1.50"),
        tags={"a"},
        nothing=None,
    )
    assert json.loads(call.arguments) == {
        "day": "2026-03-06",
        "at": "10:30:00",
        "size": "small",
        "pet": {"name": "Rex", "born": "2020-01-01"},
        "owner": {"since": "2019-01-01"},
        "price": "1.50",
        "tags": ["a"],
        "nothing": None,
    }


def test_an_argument_without_a_json_form_is_refused() -> None:
    with pytest.raises(ScriptRefused, match=r"calls\('book', ...\).*object"):
        calls("book", slot=object())


def test_a_raw_call_is_what_was_written() -> None:
    assert calls_of(played(Script(raw_call("book", '{"slot": 10:30')))) == [ToolCallRequest("book", '{"slot": 10:30')]


def test_a_list_is_one_reply() -> None:
    got = played(Script(["Let me look.", calls("a"), calls("b"), "Done."]))
    assert text_of(got) == "Let me look.Done."
    assert [call.name for call in calls_of(got)] == ["a", "b"]
    assert [type(event) for event in got].count(Finished) == 1


def test_an_exception_is_raised_alone_or_after_what_comes_before_it() -> None:
    for item in (ModelFailed("no"), [ModelFailed("no")], ["Let me ", ModelFailed("no")]):
        got: list[ModelEvent] = []

        async def listen(script: Script, got: list[ModelEvent] = got) -> None:
            async for event in script.stream(ask()):
                got.append(event)

        with pytest.raises(ModelFailed, match="no"):
            asyncio.run(listen(Script(item)))
        assert text_of(got) in ("", "Let me ")
        assert not any(isinstance(event, Finished) for event in got)
    with pytest.raises(KeyError):
        played(Script(KeyError))


def test_a_callable_is_given_the_request() -> None:
    def sync(request: Request) -> Any:
        return calls(request.tools[0])

    async def later(request: Request) -> Any:
        await asyncio.sleep(0)
        return [f"{request.stage}: {request.messages[-1]['content']}"]

    got = played(Script(sync, later), times=2)
    assert calls_of(got) == [ToolCallRequest("look_up_owner", "{}")]
    assert text_of(got) == "None: hello"


def test_a_request_shows_the_tools_that_were_offered_as_the_model_was_told_of_them() -> None:
    script = Script("a", "b", "c")
    people, boat = spec("record", people="integer"), spec("record", boat="string")

    async def talk() -> None:
        for offered in ((people,), (boat, TOOLS[2]), ()):
            await events(script, ask(tools=(people, boat, *TOOLS), offered=offered))

    asyncio.run(talk())
    assert [request.tools for request in script.requests] == [["record"], ["record", "book"], []]
    assert [[[*tool["parameters"]["properties"]] for tool in request.specs] for request in script.requests] == [
        [["people"]],
        [["boat"], ["slot"]],
        [],
    ]
    (told,) = script.requests[0].specs
    assert told == {
        "name": "record",
        "description": "What record does.",
        "parameters": {"type": "object", "properties": {"people": {"type": "integer"}}, "required": ["people"]},
    }
    told["parameters"].clear()
    assert people.parameters["required"] == ["people"], "what a test does with it changes no tool"


def test_requests_are_snapshots() -> None:
    script = Script("a", "b")
    history = [Message("user", "hello")]

    async def twice() -> None:
        await events(script, ask(history, view="It is noon.", stage="choose"))
        history[:] = [Message("user", "bye")]
        await events(script, ask(history, visible=()))

    asyncio.run(twice())
    first, second = script.requests
    assert (first.tools, first.static, first.view, first.stage) == (
        ["look_up_owner", "free_slots"],
        "You are the front desk.",
        "It is noon.",
        "choose",
    )
    assert first.messages == [{"role": "user", "content": "hello\n\nIt is noon."}]
    assert second.messages == [{"role": "user", "content": "bye"}]
    assert second.tools == []
    assert "choose" in repr(first)


def test_a_script_that_runs_out_says_what_to_add() -> None:
    with pytest.raises(ScriptRanOut) as caught:
        played(Script("one"), times=2)
    for word in ("1 item,", "request 2", "user: 'hello'", "Add an item"):
        assert word in str(caught.value)
    with pytest.raises(ScriptRanOut, match="0 items"):
        played(Script())


def test_items_left_over_are_fine() -> None:
    assert text_of(played(Script("one", "two"))) == "one"


@pytest.mark.parametrize("item", [3, None, [3], ["a", ModelFailed("x"), "b"], [["a"]], int])
def test_an_item_that_no_model_could_reply_is_refused_at_once(item: Any) -> None:
    with pytest.raises(ScriptRefused, match="item 1 of the script"):
        Script(item)


def test_a_callable_that_returns_no_reply_is_refused_when_asked() -> None:
    with pytest.raises(ScriptRefused, match="item 1 of the script holds 3"):
        played(Script(lambda request: 3))  # type: ignore[arg-type,return-value]


def test_it_is_a_model() -> None:
    assert isinstance(Script(), Model)
    assert (Script().name, Script().provider) == ("script", "cuelight")
