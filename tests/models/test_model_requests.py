"""What is sent to providers: valid conversations, and of the tools as much as each provider lets us restrict."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from asking import HELLO, TOOLS, ask, events, spec, text_of
from cuelight.log import Message, ToolUse
from cuelight.models.conversation import Conversations
from cuelight.models.pydantic_ai import Habits, PydanticAIModel
from cuelight.ports import ModelEvent
from stub_provider import Answer, anthropic, failure, openai

Talk = Callable[..., Any]


def tools_bytes(body: bytes) -> bytes:
    """The `tools` array of a request, exactly as it went over the wire."""
    start = body.rindex(b'"tools":[{') + len(b'"tools":')  # `tool_choice`, before it, has one too
    depth = 0
    for position in range(start, len(body)):
        depth += {0x5B: 1, 0x5D: -1}.get(body[position], 0)
        if depth == 0:
            return body[start : position + 1]
    raise AssertionError("the array does not end")


def sent(talk: Talk, *requests: Any, model: str, answer: Answer) -> list[bytes]:
    async def exchange(asked: Any, stub: Any) -> list[bytes]:
        for request in requests:
            await events(asked, request)
        return [received.body for received in stub.requests]

    return talk(exchange, answer, model=model)


def test_openai_is_sent_the_same_tools_in_every_stage_and_told_which_are_allowed(talk: Talk) -> None:
    stages: list[Sequence[str]] = [
        ("look_up_owner",),
        ("free_slots", "book"),
        ("book",),
        (),
        tuple(t.name for t in TOOLS),
    ]
    bodies = sent(talk, *(ask(visible=visible) for visible in stages), model="openai:stub", answer=openai("ok"))

    assert len({tools_bytes(body) for body in bodies}) == 1
    assert [tool["function"]["name"] for tool in json.loads(tools_bytes(bodies[0]))] == [tool.name for tool in TOOLS]
    choices = [json.loads(body)["tool_choice"] for body in bodies]
    for visible, choice in zip(stages[:3], choices, strict=False):
        assert choice["type"] == "allowed_tools"
        assert choice["allowed_tools"]["mode"] == "auto"
        assert [tool["function"]["name"] for tool in choice["allowed_tools"]["tools"]] == list(visible)
    assert choices[3:] == ["none", "auto"]


def test_openai_responses_are_restricted_the_same_way(talk: Talk) -> None:
    requests = [ask(visible=("book",)), ask(visible=("look_up_owner", "free_slots"))]

    async def exchange(model: Any, stub: Any) -> list[bytes]:
        for request in requests:
            with pytest.raises(Exception, match="500"):
                await events(model, request)
        return [received.body for received in stub.requests]

    bodies = talk(exchange, failure(500), model="openai-responses:stub")
    assert len({tools_bytes(body) for body in bodies}) == 1
    assert [tool["name"] for tool in json.loads(bodies[0])["tool_choice"]["tools"]] == ["book"]


@pytest.mark.parametrize(
    "refusal", [failure(400, "Invalid value: tool_choice"), failure(422, "unknown: allowed_tools")]
)
def test_a_server_that_does_not_know_the_restriction_gets_the_visible_list_from_then_on(
    talk: Talk, refusal: Answer
) -> None:
    async def exchange(model: Any, stub: Any) -> list[dict[str, Any]]:
        assert text_of(await events(model, ask(visible=("book",)))) == "ok"
        assert text_of(await events(model, ask(visible=("free_slots",)))) == "ok"
        assert text_of(await events(model, ask(visible=()))) == "ok"
        return [received.json for received in stub.requests]

    refused, *after = talk(exchange, refusal, openai("ok"))
    assert refused["tool_choice"]["type"] == "allowed_tools"
    assert len(after) == 3, "the turn did not fail, and only one request was lost"
    assert [[tool["function"]["name"] for tool in body.get("tools", ())] for body in after] == [
        ["book"],
        ["free_slots"],
        [],
    ]


PARTY, BOAT = spec("record", people="integer"), spec("record", boat="string")
CANCEL, HELP = spec("cancel", id="string"), spec("help")
CLASHING = (PARTY, CANCEL, BOAT, HELP)


def parameters(body: bytes) -> list[tuple[str, list[str]]]:
    """The tools of a request, each with the names of its parameters."""
    tools = [tool.get("function", tool) for tool in json.loads(body).get("tools", ())]
    return [(tool["name"], [*tool.get("parameters", tool.get("input_schema"))["properties"]]) for tool in tools]


def test_of_tools_with_one_name_the_one_that_is_offered_is_in_the_list_in_its_place(talk: Talk) -> None:
    offers = [(PARTY,), (BOAT, CANCEL), (CANCEL,), (PARTY, HELP)]  # forth and back
    requests = [ask(tools=CLASHING, offered=offer) for offer in offers]
    bodies = sent(talk, *requests, model="openai:stub", answer=openai("ok"))
    assert [parameters(body) for body in bodies] == [
        [("record", ["people"]), ("cancel", ["id"]), ("help", [])],
        [("record", ["boat"]), ("cancel", ["id"]), ("help", [])],
        [("record", ["people"]), ("cancel", ["id"]), ("help", [])],
        [("record", ["people"]), ("cancel", ["id"]), ("help", [])],
    ]
    assert tools_bytes(bodies[0]) == tools_bytes(bodies[2]) == tools_bytes(bodies[3])
    allowed = [json.loads(body)["tool_choice"]["allowed_tools"]["tools"] for body in bodies]
    assert [[tool["function"]["name"] for tool in tools] for tools in allowed] == [
        ["record"],
        ["record", "cancel"],
        ["cancel"],
        ["record", "help"],
    ]


def test_a_provider_that_cannot_be_restricted_gets_of_tools_with_one_name_the_offered_one(talk: Talk) -> None:
    offers = [(PARTY,), (CANCEL, BOAT), (PARTY,), ()]
    requests = [ask(tools=CLASHING, offered=offer) for offer in offers]
    bodies = sent(talk, *requests, model="anthropic:stub", answer=anthropic("ok"))
    assert [parameters(body) for body in bodies] == [
        [("record", ["people"])],
        [("cancel", ["id"]), ("record", ["boat"])],
        [("record", ["people"])],
        [("record", ["people"]), ("cancel", ["id"]), ("help", [])],
    ]
    assert json.loads(bodies[3])["tool_choice"] == {"type": "none"}


@given(st.data())
def test_the_list_changes_only_where_names_clash(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=8))
    tools = tuple(spec(name, **{f"p{number}": "string"}) for number, name in enumerate(names))
    offered = {tool.name: tool for tool in data.draw(st.lists(st.sampled_from(tools)))}
    told: list[Any] = []

    async def answer(messages: Any, info: AgentInfo) -> AsyncIterator[str]:
        told.extend((tool.name, tool.parameters_json_schema) for tool in info.function_tools)
        yield "ok"

    model = PydanticAIModel(FunctionModel(stream_function=answer), Habits(restricts_tools=True))
    asyncio.run(events(model, ask(tools=tools, offered=[*offered.values()])))
    first = {tool.name: tool for tool in reversed(tools)}
    assert told == [(name, (offered.get(name) or first[name]).parameters) for name in dict.fromkeys(names)]


def test_anthropic_is_sent_the_visible_tools_and_a_static_part_to_cache(talk: Talk) -> None:
    bodies = sent(
        talk,
        ask(visible=("book",)),
        ask(visible=("free_slots", "book")),
        model="anthropic:stub",
        answer=anthropic("ok"),
    )
    first, second = map(json.loads, bodies)
    assert [tool["name"] for tool in first["tools"]] == ["book"]
    assert [tool["name"] for tool in second["tools"]] == ["free_slots", "book"]
    assert first["system"] == second["system"]
    (block,) = first["system"]
    assert block["text"] == "You are the front desk."
    assert block["cache_control"]["type"] == "ephemeral"


def test_anthropic_is_told_of_tools_that_a_history_speaks_of_even_when_none_is_callable(talk: Talk) -> None:
    (body,) = sent(talk, ask(visible=()), model="anthropic:stub", answer=anthropic("ok"))
    assert json.loads(body)["tool_choice"] == {"type": "none"}
    assert len(json.loads(body)["tools"]) == len(TOOLS)


@pytest.mark.parametrize(("model", "answer"), [("openai:stub", openai("ok")), ("anthropic:stub", anthropic("ok"))])
def test_an_agent_without_tools_sends_none(talk: Talk, model: str, answer: Answer) -> None:
    (body,) = sent(talk, ask(visible=(), tools=()), model=model, answer=answer)
    assert "tools" not in json.loads(body)
    assert "tool_choice" not in json.loads(body)


def test_settings_reach_the_provider(talk: Talk) -> None:
    (body,) = sent(talk, ask(temperature=0.25, max_tokens=99), model="openai:stub", answer=openai("ok"))
    assert json.loads(body)["temperature"] == 0.25
    assert json.loads(body)["max_completion_tokens"] == 99


# --- conversations ----------------------------------------------------------------------------------------------------

CALL = Message(
    "assistant", "Let me look.", (ToolUse("c1", "look_up_owner", '{"name":"Ada"}'), ToolUse("c2", "book", "{}"))
)
RESULTS = (Message("tool", "null", tool_call_id="c1"), Message("tool", "", tool_call_id="c2"))


def test_the_view_is_in_its_place_and_in_no_other_request(talk: Talk) -> None:
    history = [*HELLO]

    async def exchange(model: Any, stub: Any) -> list[Any]:
        await events(model, ask(history, view="It is noon."))
        history.extend([Message("assistant", "Hi."), Message("user", "bye")])
        await events(model, ask(history, view="It is one.", view_at=2))
        return [[(m["role"], m["content"]) for m in received.json["messages"]] for received in stub.requests]

    first, second = talk(exchange, openai("ok"))
    static = ("system", "You are the front desk.")
    assert first == [static, ("user", "hello\n\nIt is noon.")]
    assert second == [static, ("user", "hello"), ("assistant", "Hi."), ("user", "bye\n\nIt is one.")]


def test_a_call_that_opens_with_the_agents_words_has_a_user_message_first(talk: Talk) -> None:
    history = [Message("assistant", "Good morning."), Message("user", "hello")]
    for model, answer in (("openai:stub", openai("ok")), ("anthropic:stub", anthropic("ok"))):
        (body,) = sent(talk, ask(history), model=model, answer=answer)
        messages = [m for m in json.loads(body)["messages"] if m["role"] != "system"]
        assert [message["role"] for message in messages] == ["user", "assistant", "user"]


def test_an_empty_conversation_and_one_that_ends_with_the_agent_can_be_sent(talk: Talk) -> None:
    for history in ([], [Message("user", "hello"), Message("assistant", "Let me [cut off here by a fault]")]):
        (body,) = sent(talk, ask(history), model="anthropic:stub", answer=anthropic("ok"))
        messages = json.loads(body)["messages"]
        assert messages[0]["role"] == messages[-1]["role"] == "user"


def test_the_view_alone_opens_a_call(talk: Talk) -> None:
    (body,) = sent(talk, ask([], view="Greet them.", view_alone=True), model="anthropic:stub", answer=anthropic("ok"))
    (message,) = json.loads(body)["messages"]
    assert message["content"][0]["text"] == "Greet them."


def test_anthropic_gets_all_results_of_a_batch_in_the_message_after_its_calls(talk: Talk) -> None:
    history = [*HELLO, CALL, *RESULTS, Message("user", "and?"), Message("user", "hello?")]
    (body,) = sent(talk, ask(history), model="anthropic:stub", answer=anthropic("ok"))
    _, asked, answered = json.loads(body)["messages"]
    assert [block["type"] for block in asked["content"]] == ["text", "tool_use", "tool_use"]
    assert asked["content"][1]["input"] == {"name": "Ada"}
    assert [block["type"] for block in answered["content"]] == ["tool_result", "tool_result", "text"]
    assert answered["content"][2]["text"] == "and?\n\nhello?"


@pytest.mark.parametrize("arguments", ["", "not json", "[1]", '"x"', "null"])
def test_arguments_in_a_history_are_objects_whatever_was_written(talk: Talk, arguments: str) -> None:
    history = [*HELLO, Message("assistant", "", (ToolUse("c1", "book", arguments),)), RESULTS[0]]
    (body,) = sent(talk, ask(history), model="openai:stub", answer=openai("ok"))
    assert json.loads(body)["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{}"


SAID = st.sampled_from(["hello", "two words", "", " ", "ok"])
MESSAGES = st.lists(
    st.one_of(
        st.builds(lambda text: [Message("user", text)], SAID),
        st.builds(lambda text: [Message("assistant", text)], SAID),
        st.just([CALL, *RESULTS]),
    ),
    max_size=12,
).map(lambda groups: [message for group in groups for message in group])


@given(MESSAGES, st.data())
def test_any_history_becomes_a_conversation_that_providers_take(history: list[Message], data: st.DataObject) -> None:
    views = [index for index, message in enumerate(history) if message.role == "user"]
    request = ask(history)
    if views:
        request = ask(history, view="Now.", view_at=data.draw(st.sampled_from(views)))
    conversations = Conversations()
    messages = conversations.messages(request)

    kinds = [type(message) for message in messages]
    assert kinds == [ModelRequest, ModelResponse] * (len(kinds) // 2) + [ModelRequest]
    open_calls: list[str] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            assert not open_calls
            open_calls = [part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)]
        else:
            results = [part.tool_call_id for part in message.parts if isinstance(part, ToolReturnPart)]
            assert results == open_calls
            assert all(isinstance(part, ToolReturnPart) for part in message.parts[: len(results)])
            open_calls = []
    again = Conversations().messages(request)
    assert [type(a) for a in again] == kinds
    assert _content(conversations.messages(request)) == _content(again)


def test_what_was_converted_once_is_not_converted_again() -> None:
    history: list[Message] = []
    conversations = Conversations(calls=2)
    for number in range(20):
        history.append(Message("user", f"question {number}"))
        before = conversations.messages(ask(history, view="Now.", view_at=len(history) - 1))
        history.append(Message("assistant", f"answer {number}"))
        after = conversations.messages(ask(history))
        assert all(one is other for one, other in zip(before[:-1], after, strict=False))
    assert len(after) == 41, "the last words are the agent's, so a note closes it"


def test_only_the_newest_histories_are_remembered() -> None:
    conversations = Conversations(calls=2)
    histories = [[Message("user", "hello")] for _ in range(3)]
    converted = [conversations.messages(ask(history))[0] for history in histories]
    assert conversations.messages(ask(histories[2]))[0] is converted[2]
    assert conversations.messages(ask(histories[0]))[0] is not converted[0]


def _content(messages: Sequence[Any]) -> list[Any]:
    return [
        [getattr(part, "content", None) or getattr(part, "args", None) for part in message.parts]
        for message in messages
    ]


def test_anthropic_streams_words_calls_and_usage(talk: Talk) -> None:
    answer = anthropic(
        {"thinking": "They want Friday."},
        "Let me look.",
        ("tu_1", "free_slots", ['{"day"', ':"fri"}']),
        ("tu_2", "book", []),
        "Done.",
    )
    got: list[ModelEvent] = talk(lambda model, stub: events(model), answer, model="anthropic:stub")
    assert text_of(got) == "Let me look.\nDone."
    assert [(call.name, call.arguments, call.id) for call in got if hasattr(call, "arguments")] == [
        ("free_slots", '{"day":"fri"}', "tu_1"),
        ("book", "{}", "tu_2"),
    ]
    finished = got[-1]
    assert finished.reason == "end_turn"  # type: ignore[union-attr]
    assert finished.request_id == "msg_7"  # type: ignore[union-attr]
    assert (finished.usage.prompt_tokens, finished.usage.cached_tokens) == (100, 70)  # type: ignore[union-attr]
    assert finished.usage.cache_creation_tokens == 10  # type: ignore[union-attr]
