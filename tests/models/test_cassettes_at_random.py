"""Whatever a conversation is, its recording replays; whatever changes in it, but what is volatile, is missed."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies as made
from asking import ask, calls_of, events, spec, text_of
from cuelight.errors import CassetteMissed
from cuelight.log import Message, ToolUse
from cuelight.models import Cassette
from cuelight.models.cassette.volatile import Volatile, agree
from cuelight.ports import Finished, Model, ModelEvent, ModelRequest, TextDelta, ToolCallRequest, Usage
from cuelight.wire import ToolSpec, whole_text

# Texts that hold everything volatile, and what looks like it, between anything at all.
UUIDS = st.uuids().map(str)
HEXES = st.binary(min_size=8, max_size=16).map(bytes.hex)
READINGS = st.datetimes().map(lambda at: at.replace(second=at.second or 7).isoformat())
STAMPS = st.integers(1_000_000_000, 3_999_999_999).map(lambda at: f'"created_at": {at}')
WORDS = st.sampled_from(["two people", "2026-03-06", "2026-03-06T10:30", "call_Xy12", "600123456", '"ts":', "", "\n"])
TEXTS = st.lists(WORDS | UUIDS | HEXES | READINGS | STAMPS | st.text(max_size=6), max_size=5).map(" ".join)

NAMES = st.sampled_from(["book", "look_up", "note"])
SCHEMAS = st.dictionaries(NAMES, st.sampled_from(["string", "integer"]), max_size=2)
SPECS = st.builds(lambda name, schema: spec(name, **schema), NAMES, SCHEMAS)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    """The caller's words, perhaps a call with its result, and what the agent says."""
    messages = [Message("user", draw(TEXTS))]
    if draw(st.booleans()):
        id_ = draw(st.uuids()).hex[:12]
        use = ToolUse(f"call_{id_}", draw(NAMES), msgspec.json.encode(draw(made.json_objects)).decode())
        messages += [Message("assistant", draw(TEXTS), (use,)), Message("tool", draw(TEXTS), (), use.id)]
    return [*messages, Message("assistant", draw(TEXTS))][: draw(st.integers(1, 4))]


@st.composite
def conversations(draw: st.DrawFn) -> list[ModelRequest]:
    """Requests that mostly go on from each other, trimmed, with other memories and other tools in between."""
    tools: tuple[ToolSpec, ...] = ()
    memories: list[list[Message]] = [[], []]
    requests = []
    for number in range(draw(st.integers(1, 6))):
        memory = memories[draw(st.sampled_from([0, 0, 0, 1]))]
        memory += draw(exchanges())
        del memory[: draw(st.sampled_from([0, 0, 0, 0, 2]))]
        if not number or draw(st.integers(0, 4)) == 0:
            tools = tuple(draw(st.lists(SPECS, max_size=3)))
        request = ask(
            tuple(memory),
            tools=tools,
            offered=draw(st.lists(st.sampled_from(tools), max_size=2)) if tools else (),
            view=draw(st.just("") | TEXTS) if memory else "",
            view_at=draw(st.integers(0, max(0, len(memory) - 1))),
            view_alone=draw(st.booleans()),
            stage=draw(st.none() | NAMES),
        )
        requests.append(msgspec.structs.replace(request, static=draw(st.just("You rent boats.") | TEXTS)))
    return requests


REPLIES = st.builds(
    lambda pieces, reason, usage: [*pieces, Finished(reason, usage, "chatcmpl-7")],
    st.lists(
        st.builds(TextDelta, TEXTS) | st.builds(ToolCallRequest, NAMES, TEXTS, st.none() | st.text(max_size=5)),
        max_size=4,
    ),
    st.sampled_from(["stop", "tool_calls"]),
    st.builds(Usage, *[st.integers(0, 9000)] * 5),
)


class Says:
    name, provider = "gpt-5-mini", "openai"

    def __init__(self, replies: Sequence[Sequence[ModelEvent]]) -> None:
        self._replies = iter(replies)

    async def stream(self, request: ModelRequest):
        for event in next(self._replies):
            yield event


def essence(reply: Sequence[ModelEvent]) -> tuple[Any, ...]:
    """What of a reply is the same in each run: the words between calls, the calls, the end."""
    between: list[Any] = [""]
    for event in reply:
        if isinstance(event, TextDelta):
            between[-1] += event.text
        elif isinstance(event, ToolCallRequest):
            between += [(whole_text(event.name), whole_text(event.arguments)), ""]
        else:
            between.append((event.reason, event.usage))
    return tuple(whole_text(one) if isinstance(one, str) else one for one in between)


async def put(model: Model, requests: Sequence[ModelRequest]) -> list[list[ModelEvent]]:
    return [await events(model, request) for request in requests]


def recorded(folder: str, requests: Sequence[ModelRequest], replies: Sequence[Sequence[ModelEvent]] = ()) -> Path:
    path = Path(folder) / "x.cassette.jsonl"
    with Cassette.record(path, Says(replies or [[Finished()]] * len(requests))) as recording:
        asyncio.run(put(recording, requests))
    return path


@settings(max_examples=40)
@given(st.data(), conversations())
def test_a_replay_gives_what_was_recorded(data: st.DataObject, requests: list[ModelRequest]) -> None:
    replies = data.draw(st.lists(REPLIES, min_size=len(requests), max_size=len(requests)))
    with TemporaryDirectory() as folder:
        replaying = Cassette.replay(recorded(folder, requests, replies))
        given_again = asyncio.run(put(replaying, requests))
    assert [essence(reply) for reply in given_again] == [essence(reply) for reply in replies]
    assert replaying.unused() == 0
    assert all(call.id is None for reply in given_again for call in calls_of(reply))
    assert all(len(event.text.split()) <= 1 for reply in given_again for event in reply if isinstance(event, TextDelta))
    assert "".join(map(text_of, given_again)) == "".join(whole_text(text_of(reply)) for reply in replies)


@given(conversations())
def test_a_recording_of_the_same_is_the_same(requests: list[ModelRequest]) -> None:
    with TemporaryDirectory() as folder:
        assert recorded(folder, requests).read_bytes() == recorded(folder, requests).read_bytes()


def at_today(value: Any, day: str) -> Any:
    """A value with every volatile part of it another, of the same kind."""
    if isinstance(value, str):
        return value.replace(
            "⟪id⟫", {"then": "0f8fad5b-d9cb-469f-a165-70867728950e", "now": "4f9a0c2b7d1e8f30"}[day]
        ).replace("⟪time⟫", {"then": "2026-03-06T10:31:07Z", "now": "2026-03-07T11:00:00.5Z"}[day])
    return value


@st.composite
def varied(draw: st.DrawFn) -> tuple[list[ModelRequest], list[ModelRequest]]:
    """A conversation twice: then and now, the same but for ids and readings of clocks."""
    holes = st.lists(st.sampled_from(["a", "⟪id⟫", "⟪time⟫", "Ada", "10:30"]), max_size=5).map(" ".join)
    texts = draw(st.lists(holes, min_size=3, max_size=12))
    view = draw(holes)

    def requests(day: str) -> list[ModelRequest]:
        history: list[Message] = []
        asked = []
        for number, text in enumerate(texts):
            use = ToolUse(f"call_{day}{number:02}", "book", msgspec.json.encode({"x": at_today(text, day)}).decode())
            history += [
                Message("user", at_today(text, day)),
                Message("assistant", "", (use,)),
                Message("tool", f"{at_today(text, day)} {use.id}", (), use.id),
            ]
            asked.append(ask(tuple(history), view=at_today(view, day), view_at=len(history) - 3))
        return asked

    return requests("then"), requests("now")


@given(varied())
def test_what_is_volatile_makes_no_difference(both: tuple[list[ModelRequest], list[ModelRequest]]) -> None:
    then, now = both
    with TemporaryDirectory() as folder:
        path = recorded(folder, then)
        before = path.read_bytes()
        asyncio.run(put(Cassette.replay(path), now))
        assert recorded(folder, now).read_bytes() == before


@st.composite
def changes(draw: st.DrawFn) -> tuple[list[ModelRequest], int, ModelRequest]:
    """A conversation, and one of its requests with one thing changed that means something."""
    requests = draw(conversations())
    at = draw(st.integers(0, len(requests) - 1))
    request = requests[at]
    possible = ["static", "stage", "new message", "tools"]
    possible += ["message"] if request.history else []
    possible += ["view"] if request.view else []
    possible += ["lost message"] if len(request.history) > 1 else []
    possible += ["offered"] if request.offered else []
    possible += ["schema", "description"] if request.tools else []
    kind = draw(st.sampled_from(possible))
    history, tools = list(request.history), list(request.tools)
    which = draw(st.integers(0, max(0, len(history) - 1)))
    tool = draw(st.integers(0, len(tools) - 1)) if tools else 0
    replace = msgspec.structs.replace
    if kind == "message":
        history[which] = replace(
            history[which], content=draw(st.sampled_from(["x{}", "{} x", "{}."])).format(history[which].content)
        )
    elif kind == "new message":
        history.insert(which, Message("user", "again"))
    elif kind == "lost message":
        del history[which]
    elif kind == "schema":
        tools[tool] = replace(tools[tool], parameters={**tools[tool].parameters, "additionalProperties": False})
    elif kind == "description":
        tools[tool] = replace(tools[tool], description=tools[tool].description + " Ask first.")
    elif kind == "tools":
        tools.append(spec("cancel"))
    fields: dict[str, Any] = {"history": tuple(history), "tools": tuple(tools)}
    if kind == "offered":
        fields["offered"] = request.offered[1:]
    elif kind in ("static", "view"):
        fields[kind] = getattr(request, kind) + " more"
    elif kind == "stage":
        fields["stage"] = f"{request.stage} again"
    return requests, at, replace(request, **fields)


@given(changes())
def test_any_other_change_is_missed(changed: tuple[list[ModelRequest], int, ModelRequest]) -> None:
    requests, at, other = changed
    with TemporaryDirectory() as folder:
        replaying = Cassette.replay(recorded(folder, requests), again="make record")
        asyncio.run(put(replaying, requests[:at]))
        with pytest.raises(CassetteMissed) as miss:
            asyncio.run(put(replaying, [other]))
    said = str(miss.value)
    assert f"x.cassette.jsonl: request {at + 1} of {len(requests)} is not the one that was recorded." in said
    assert "\n    - " in said or "\n    + " in said
    assert said.endswith("record it again: make record")


@given(TEXTS)
def test_what_was_normalised_stays_as_it_is(text: str) -> None:
    once = Volatile().text(text)
    assert Volatile().text(once) == once
    assert agree(once, once)


@given(TEXTS)
def test_a_reply_with_the_ids_it_has_read_comes_back(text: str) -> None:
    volatile = Volatile()
    volatile.text(text)
    assert volatile.filled(volatile.reply(text)) == whole_text(text)
