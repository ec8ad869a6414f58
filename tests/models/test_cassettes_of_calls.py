"""A conversation recorded from a provider runs again without it, and misses where its prompt has changed."""

import asyncio
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import pytest
from msgspec import structs

from cuelight import Agent, Wording, tool
from cuelight.errors import CassetteMissed
from cuelight.models import Cassette, Script, calls
from cuelight.ports import Finished, Model, ModelRequest, TextDelta
from cuelight.testing import Rehearsal, rehearse
from stub_provider import StubProvider, failure, openai

AGAIN = "cuelight test goldens/books.yaml --record --model openai:stub"
SAID = ("I'm Ada Byrne", "the first one, please")


class Desk(Agent):
    """You are the front desk of Harbour Vets."""

    stage: Literal["identify", "choose", "done"] = "identify"
    free: list[str] = []
    booked: str | None = None

    def __init__(self) -> None:
        self._slots = [str(uuid4()), str(uuid4())]  # another two in every call

    @tool(stage="identify")
    def look_up_owner(self, name: str) -> dict[str, Any]:
        """Looks up who is calling."""
        self.stage, self.free = "choose", self._slots
        return {"name": name, "free": self._slots, "under": self.call.tool.key}

    @tool(stage="choose")
    def book(self, slot: str) -> str:
        """Books a slot."""
        self.stage, self.booked = "done", slot
        return f"Booked {slot}."

    def render(self) -> str:
        return {"identify": "Ask who is calling.", "choose": "Offer the slots.", "done": "Say goodbye."}[self.stage]


class Wordier(Desk):
    """You are the front desk of Harbour Vets."""

    def render(self) -> str:
        return super().render().replace("Offer the slots.", "Offer the slots.\nNever offer more than two.")


class Renamed(Desk):
    """You are the front desk of Quayside Vets."""


async def converse(agent: type[Desk], model: Model) -> tuple[list[str], Rehearsal[Desk]]:
    async with rehearse(agent, model) as call:
        return [(await call.say(text)).text for text in SAID], call


def requests(call: Rehearsal[Desk]) -> list[dict[str, Any]]:
    """What was measured of each request, but for its id, which is the provider's or else the call's own."""
    measured = [entry.data for entry in call.log if entry.type == "metrics.llm"]
    return [{key: value for key, value in data.items() if key != "request_id"} for data in measured]


@pytest.fixture
def cassette(talk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Recorded over HTTP; the second turn books the slot that the first one was told of."""
    monkeypatch.chdir(tmp_path)
    path = Path("books.cassette.jsonl")

    async def recorded(model: Model, stub: StubProvider) -> tuple[list[str], Rehearsal[Desk]]:
        answers = [
            openai({"index": 0, "id": "call_Xy12Zz", "name": "look_up_owner", "arguments": '{"name":"Ada Byrne"}'}),
            openai("Hello Ada. ", "The first", " or the second?"),
            failure(500, "overloaded"),
        ]
        stub.answer(*answers, openai("Never asked for."))
        with Cassette.record(path, model, again=AGAIN) as recording:
            async with rehearse(Desk, recording) as call:
                replies = [(await call.say(SAID[0])).text]
                slot = call.agent.free[0]
                stub.answer(
                    failure(500, "overloaded"),
                    openai({"index": 0, "id": "call_Qq34Ww", "name": "book", "arguments": f'{{"slot":"{slot}"}}'}),
                    openai("Booked. ", "Goodbye!"),
                )
                replies.append((await call.say(SAID[1])).text)
                assert call.agent.booked == slot
        return replies, call

    replies, call = talk(recorded)
    assert replies == ["Hello Ada. The first or the second?", "Booked. Goodbye!"]
    again_replies, again = asyncio.run(converse(Desk, Cassette.replay(path)))
    assert again_replies == replies
    assert requests(again) == requests(call)
    return path


def test_a_call_runs_again_with_the_ids_of_today(cassette: Path) -> None:
    model = Cassette.replay(cassette)
    replies, call = asyncio.run(converse(Desk, model))
    assert replies[-1] == "Booked. Goodbye!"
    assert call.agent.booked == call.agent.free[0]
    assert model.unused() == 0
    (first, *_) = requests(call)
    assert first["metadata"] == {"model_name": "stub", "model_provider": "openai"}
    assert (first["prompt_tokens"], first["prompt_cached_tokens"]) == (100, 80)
    assert next(entry.data["message"] for entry in call.log if entry.type == "error").startswith("openai:stub")


def test_nothing_of_the_surroundings_is_in_the_file(cassette: Path) -> None:
    text = cassette.read_text()
    assert "127.0.0.1" not in text
    assert "sk-secret" not in text
    assert "call_Xy12Zz" not in text
    assert str(Path.cwd()) not in text


def test_a_changed_view_misses_and_shows_the_line(cassette: Path) -> None:
    with pytest.raises(CassetteMissed) as miss:
        asyncio.run(converse(Wordier, Cassette.replay(cassette)))
    assert str(miss.value) == (
        "books.cassette.jsonl: request 2 of 5 is not the one that was recorded. The first difference is in the view:\n"
        "      <now>\n"
        "      Offer the slots.\n"
        "    - </now>\n"
        "    + Never offer more than two.\n"
        f"If this is meant, record it again: {AGAIN}"
    )


def test_a_changed_docstring_misses_at_once(cassette: Path) -> None:
    with pytest.raises(CassetteMissed) as miss:
        asyncio.run(converse(Renamed, Cassette.replay(cassette)))
    assert str(miss.value) == (
        "books.cassette.jsonl: request 1 of 5 is not the one that was recorded. The first difference is in the static "
        "part of the prompt:\n"
        "    - You are the front desk of Harbour Vets.\n"
        "    + You are the front desk of Quayside Vets.\n"
        f"If this is meant, record it again: {AGAIN}"
    )


def test_other_words_of_the_caller_miss(cassette: Path) -> None:
    async def other() -> None:
        async with rehearse(Desk, Cassette.replay(cassette)) as call:
            await call.say("I'm Tom Okafor")

    with pytest.raises(
        CassetteMissed, match=r"message 1 \(the caller\):\n    - I'm Ada Byrne\n    \+ I'm Tom Okafor\n"
    ):
        asyncio.run(other())


def test_a_call_that_goes_on_longer_misses(cassette: Path) -> None:
    async def longer() -> None:
        async with rehearse(Desk, Cassette.replay(cassette)) as call:
            for text in (*SAID, "one more thing"):
                await call.say(text)

    with pytest.raises(CassetteMissed, match="request 6 comes after the last one recorded, number 5"):
        asyncio.run(longer())


class Slow:
    """A model that lets others have their turn after each word."""

    name, provider = "slow", "stub"

    async def stream(self, request: ModelRequest):
        for word in ("Good ", "morning ", "to ", "you."):
            yield TextDelta(word)
            await asyncio.sleep(0)
        yield Finished()


def test_a_caller_who_cut_in_cuts_in_again(tmp_path: Path) -> None:
    async def talk(model: Model) -> list[str]:
        async with rehearse(Desk, model) as call:

            def listen(entry: Any) -> None:
                if entry.type == "agent.transcript" and "morning" in entry.data["text"] and len(call.requests) == 1:
                    call.interrupt("Good")

            call.live.listen(listen)
            await call.say("hello")
            await call.say("sorry?")
            return [entry.data["text"] for entry in call.log if entry.type == "turn.agent"]

    path = tmp_path / "cuts.cassette.jsonl"
    with Cassette.record(path, Slow()) as recording:
        said = asyncio.run(talk(recording))
    assert said == ["Good", "Good morning to you."]
    assert '{"type":"closed"}' in path.read_text()
    assert asyncio.run(talk(Cassette.replay(path))) == said


def test_a_call_prepared_ahead_replays(tmp_path: Path) -> None:
    async def talk(model: Model) -> list[str]:
        async with rehearse(Desk, model) as call:
            await call.prepare("I'm Ada")
            ahead = (await call.say("I'm Ada")).text
            await call.prepare("the first")
            return [ahead, (await call.say("the second")).text]

    path = tmp_path / "ahead.cassette.jsonl"
    with Cassette.record(path, Script("Hello.", "The first it is.", "The second it is.")) as recording:
        said = asyncio.run(talk(recording))
    assert said == ["Hello.", "The second it is."]
    assert asyncio.run(talk(Cassette.replay(path))) == said


def test_a_recording_of_a_script_is_one_too(tmp_path: Path) -> None:
    script = Script(calls("look_up_owner", name="Ada"), "Hello Ada.", "Goodbye.")
    path = tmp_path / "script.cassette.jsonl"
    with Cassette.record(path, script) as recording:
        said, _ = asyncio.run(converse(Desk, recording))
    replayed, call = asyncio.run(converse(Desk, Cassette.replay(path)))
    assert replayed == said
    assert call.requests[1].messages[-1]["tool_call_id"].startswith("tool-")


# --- guarded calls ----------------------------------------------------------------------------------------------------


class Box(Agent):
    """You sell c2 seats, and 7 others."""

    @tool(confirm="Shall I reserve {seats} seats, c2 or 7?")
    def reserve(self, seats: int) -> str:
        """Reserves seats."""
        return f"Reserved {seats}, c2 and 7."

    def render(self) -> str:
        return "Seats c2 and 7 are free.\nSay so."


class Foreign(Box):
    """You sell c2 seats, and 7 others."""

    wording = Wording(pending="Vorgang {call_id} wartet: {phrase}", due="Vorgang {call_id} kommt: {phrase}")


@pytest.mark.parametrize("agent", [Box, Foreign])
@pytest.mark.parametrize("ids", [("c2", "a", "b", "c", "d"), ("7", "8", "9", "2", "1"), ("call_abcdef", *"vwxy")])
def test_a_guarded_call_runs_again_however_short_its_id(agent: type[Box], ids: tuple[str, ...], tmp_path: Path) -> None:
    path, asked = tmp_path / "box.cassette.jsonl", []

    def named(id: str, tool: str, **arguments: Any) -> Any:  # noqa: A002 - the wire's own word
        return structs.replace(calls(tool, **arguments), id=id)

    def answered(id: str, answer: str) -> Any:  # noqa: A002
        def item(request: Any) -> Any:
            asked.append(request.pending[0][0])
            return named(id, "answer_confirmation", call_id=request.pending[0][0], answer=answer)

        return item

    script = Script(
        named(ids[0], "reserve", seats=2),
        [named(ids[1], "reserve", seats=2), named(ids[2], "look", seats=2)],  # the same again
        "What is it?",
        named(ids[3], "reserve", seats=7),  # other arguments
        answered(ids[4], "yes"),
        "Done.",
    )
    said = ("two seats", "two, please", "seven", "yes, please")

    async def talk(model: Model) -> list[dict[str, Any]]:
        async with rehearse(agent, model) as call:
            for words in said:
                await call.say(words)
            return [entry.data for entry in call.log if entry.type == "confirm.granted"]

    recording = Cassette.record(path, script)
    granted = asyncio.run(talk(recording))
    recording.save()
    assert [one["call_id"] for one in granted] == asked == [ids[3]]
    model = Cassette.replay(path)
    again = asyncio.run(talk(model))
    assert [one["tool"] for one in again] == ["reserve"]
    assert model.unused() == 0
