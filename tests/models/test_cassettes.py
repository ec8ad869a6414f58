"""A cassette keeps what a model replied, replays it, and says what differs when it is asked something else."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from asking import TOOLS, ask, events, spec, text_of
from cuelight.errors import CassetteMissed, CassetteRefused, ModelFailed, NotSetUp, ScriptRanOut
from cuelight.log import Message, ToolUse
from cuelight.models import Cassette, Script, calls, raw_call
from cuelight.ports import Finished, Model, ModelEvent, ModelRequest, TextDelta, ToolCallRequest, Usage

AGAIN = "cuelight test goldens --record --model openai:stub"
ADA = Message("user", "I'm Ada Byrne")


def looked_up(result: str, call: str = "call_Xy12") -> tuple[Message, ...]:
    """A conversation up to the result of one call."""
    use = ToolUse(call, "look_up_owner", '{"name":"Ada Byrne"}')
    return (ADA, Message("assistant", "", (use,)), Message("tool", result, tool_call_id=call))


class Says:
    """A model that gives these events, one list a request."""

    name, provider = "gpt-5-mini", "openai"

    def __init__(self, *replies: Sequence[ModelEvent]) -> None:
        self._replies = iter(replies)

    async def stream(self, request: ModelRequest):
        for event in next(self._replies):
            yield event


async def put(model: Model, *requests: ModelRequest) -> list[list[ModelEvent]]:
    return [await events(model, request) for request in requests]


def record(path: Path, requests: Sequence[ModelRequest], model: Model | None = None) -> bytes:
    with Cassette.record(path, model or Script(*["Yes."] * len(requests)), again=AGAIN) as recording:
        asyncio.run(put(recording, *requests))
    return path.read_bytes()


def replay(path: Path, *requests: ModelRequest) -> list[list[ModelEvent]]:
    return asyncio.run(put(Cassette.replay(path), *requests))


def missed(path: Path, *requests: ModelRequest) -> str:
    with pytest.raises(CassetteMissed) as miss:
        replay(path, *requests)
    return str(miss.value)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("books.cassette.jsonl")


# --- what is kept -----------------------------------------------------------------------------------------------------


def test_the_replies_come_again_with_their_usage(path: Path) -> None:
    used = Finished("tool_calls", Usage(100, 20, 80, 0, 5), request_id="chatcmpl-7")
    said = [TextDelta("One mo"), TextDelta("ment. "), ToolCallRequest("book", '{"slot": 1', "call_1"), used]
    record(path, [ask()], Says(said))
    assert replay(path, ask()) == [
        [
            TextDelta("One "),
            TextDelta("moment. "),
            ToolCallRequest("book", '{"slot": 1'),
            Finished("tool_calls", Usage(100, 20, 80, 0, 5)),
        ]
    ]


def test_the_one_who_asks_gets_the_events_as_they_come(path: Path) -> None:
    said = [TextDelta("One mo"), TextDelta("ment."), ToolCallRequest("book", "{}", "call_1"), Finished(request_id="r")]
    with Cassette.record(path, Says(said)) as recording:
        assert asyncio.run(put(recording, ask())) == [said]


def test_a_recording_and_its_replay_are_called_as_the_model_is(path: Path) -> None:
    with Cassette.record(path, Says()) as recording:
        assert (recording.provider, recording.name) == ("openai", "gpt-5-mini")
    replaying = Cassette.replay(path)
    assert (replaying.provider, replaying.name) == ("openai", "gpt-5-mini")
    assert isinstance(recording, Model)
    assert isinstance(replaying, Model)


def test_failures_come_again_as_they_were(path: Path) -> None:
    model = Script(["Good m", ModelFailed("The key is refused.", retryable=False)], RuntimeError("lost"))

    async def fails(model: Model) -> list[tuple[str, str, bool]]:
        outcome = []
        for _ in range(2):
            heard: list[ModelEvent] = []
            try:
                async for event in model.stream(ask()):
                    heard.append(event)
            except Exception as failed:
                outcome.append((text_of(heard), str(failed), getattr(failed, "retryable", None)))
        return outcome

    with Cassette.record(path, model) as recording:
        asyncio.run(fails(recording))
    assert asyncio.run(fails(Cassette.replay(path))) == [
        ("Good m", "The key is refused.", False),
        ("", "The request to the model failed: RuntimeError: lost", True),
    ]
    assert Cassette.replay(path).unused() == 2


def test_the_file_can_be_read(path: Path) -> None:
    tools = (spec("look_up_owner", name="string"), spec("book", slot="string"))
    first = ask((ADA,), ["look_up_owner"], tools=tools, view="<now>\nAsk who it is.\n</now>", stage="identify")
    then = ask(
        looked_up('{"name":"Ada Byrne"}'),
        ["look_up_owner", "book"],
        tools=tools,
        view="<now>\nAsk which day.\n</now>",
        stage="choose",
    )
    used = Finished("tool_calls", Usage(100, 20))
    call = ToolCallRequest("look_up_owner", '{"name":"Ada Byrne"}', "call_Xy12")
    recorded = record(path, [first, then], Says([call, used], [TextDelta("Which "), TextDelta("day?"), Finished()]))
    schema = '{"type":"object","properties":{"%s":{"type":"string"}},"required":["%s"]}'
    assert recorded.decode() == "\n".join(
        [
            '{"cassette":1,"provider":"openai","name":"gpt-5-mini","again":"' + AGAIN + '"}',
            '{"type":"request","stage":"identify","offered":["look_up_owner"],"declares":2}',
            '{"type":"static","text":"You are the front desk."}',
            '{"type":"tool","name":"look_up_owner","description":"What look_up_owner does.","parameters":'
            + schema.replace("%s", "name")
            + "}",
            '{"type":"tool","name":"book","description":"What book does.","parameters":'
            + schema.replace("%s", "slot")
            + "}",
            '{"type":"message","role":"user","content":"I\'m Ada Byrne"}',
            '{"type":"view","text":"<now>"}',
            '{"type":"view","text":"Ask who it is."}',
            '{"type":"view","text":"</now>"}',
            '{"type":"call","name":"look_up_owner","arguments":"{\\"name\\":\\"Ada Byrne\\"}"}',
            '{"type":"finished","reason":"tool_calls","prompt_tokens":100,"completion_tokens":20}',
            '{"type":"request","stage":"choose","offered":["look_up_owner","book"]}',
            '{"type":"message","role":"assistant","content":"","tool_calls":[{"id":"⟨call 1⟩","name":"look_up_owner",'
            '"arguments":"{\\"name\\":\\"Ada Byrne\\"}"}]}',
            '{"type":"message","role":"tool","content":"{\\"name\\":\\"Ada Byrne\\"}","tool_call_id":"⟨call 1⟩"}',
            '{"type":"view","text":"<now>"}',
            '{"type":"view","text":"Ask which day."}',
            '{"type":"view","text":"</now>"}',
            '{"type":"words","text":"Which day?"}',
            '{"type":"finished"}',
            "",
        ]
    )


def test_recording_again_gives_the_same_bytes_whatever_the_pieces_and_the_ids(path: Path) -> None:
    def one(call: str, id_: str, pieces: Sequence[str]) -> bytes:
        requests = [ask((ADA,)), ask(looked_up(f'{{"id":"{id_}"}}', call)), ask(looked_up(f'{{"id":"{id_}"}}', call))]
        use = ToolCallRequest("look_up_owner", '{"name":"Ada Byrne"}', call)
        book = ToolCallRequest("book", f'{{"for":"{id_}"}}', f"{call}2")
        words = [TextDelta(piece) for piece in pieces]
        return record(path, requests, Says([use, Finished(request_id=call)], [book, Finished()], [*words, Finished()]))

    assert one("call_Xy12", "0f8fad5b-d9cb-469f-a165-70867728950e", ["Hello ", "Ada."]) == one(
        "call_9Kq3", "7c9e6679-7425-40de-944b-e07fc1f90ae7", ["Hel", "lo", " Ada."]
    )


def test_a_long_conversation_costs_what_it_says(path: Path) -> None:
    def size(turns: int) -> int:
        history = [Message("assistant" if at % 2 else "user", f"message {at:04}") for at in range(2 * turns)]
        return len(record(path, [ask(history[: 2 * at + 1]) for at in range(turns)]))

    hundred = size(100)
    assert size(200) - hundred < 1.05 * (hundred - size(1))


def test_memories_and_trimming_are_kept_and_cost_little(path: Path) -> None:
    history = tuple(Message("assistant" if at % 2 else "user", f"message {at}") for at in range(9))
    aside = (Message("user", "one more thing"),)
    shortened = (*history[:6], Message("assistant", "cut [the caller cut in here]"))
    requests = [
        ask(history[:7]),
        ask(history[4:]),  # the oldest were trimmed
        ask(aside),  # a step with a memory of its own
        ask(history[4:]),  # back from it
        ask(()),  # one that remembers nothing
        ask(history[2:5], view="Now.", view_at=0, view_alone=True),
        ask(shortened),
    ]
    recorded = record(path, requests).decode()
    assert recorded.count('"message 4"') == 1
    assert len(replay(path, *requests)) == 7


def test_tools_of_one_name_are_told_apart(path: Path) -> None:
    one, other = spec("note", name="string"), spec("note", day="string")
    record(path, [ask(tools=(one, other), offered=[other])])
    assert '"offered":["note#2"]' in path.read_text()
    replay(path, ask(tools=(one, other), offered=[other]))
    assert "\n    - note#2\n    + note\n" in missed(path, ask(tools=(one, other), offered=[one]))


# --- what is volatile -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recorded", "now"),
    [
        ('{"id":"0f8fad5b-d9cb-469f-a165-70867728950e"}', '{"id":"7C9E6679-7425-40DE-944B-E07FC1F90AE7"}'),
        ("order req_4f9a0c2b7d1e8f30", "order req_00a4c2b7d1e8f3ff"),
        ('{"at":"2026-03-06T10:31:07Z"}', '{"at":"2026-03-07T11:00:00Z"}'),
        ('{"at":"2026-03-06T10:30:00Z"}', '{"at":"2026-03-07T11:01:09Z"}'),
        ('{"created_at":"2026-03-06T10:31"}', '{"created_at":"2026-03-06T10:32"}'),
        ("seen 2026-03-06 10:31:07.120+02:00", "seen 2026-03-06 10:31:08+02:00"),
        ('{"ts":1772793067}', '{"ts":1772793068.25}'),
        ('{"updatedAt": 1772793067123}', '{"updatedAt": 1772793069000}'),
        ("took 1772793067.12345", "took 1772793068.54321"),
        ('{\\"expires\\":\\"1772793060\\"}', '{\\"expires\\":\\"1772793120\\"}'),
    ],
)
def test_ids_and_readings_of_clocks_may_differ(path: Path, recorded: str, now: str) -> None:
    record(path, [ask((ADA,)), ask(looked_up(recorded))])
    replay(path, ask((ADA,)), ask(looked_up(now)))


@pytest.mark.parametrize(
    ("recorded", "now"),
    [
        ('{"day":"2026-03-06"}', '{"day":"2026-03-07"}'),
        ('{"slot":"2026-03-06T10:30"}', '{"slot":"2026-03-06T11:00"}'),
        ('{"slot":"2026-03-06T10:30:00+01:00"}', '{"slot":"2026-03-06T11:00:00+01:00"}'),
        ('{"at":1772793000}', '{"at":1772793060}'),
        ('{"phone":1772793067}', '{"phone":1772793068}'),
        ("my number is 1632960001", "my number is 1632960002"),
        ('{"card":"4111111111111111"}', '{"card":"4111111111111112"}'),
        ('{"price":1772793067.50}', '{"price":1772793067.75}'),
        ("deadbeef", "deadbeee"),
        ('{"time":"10:30:01"}', '{"time":"10:30:02"}'),
    ],
)
def test_what_means_something_may_not(path: Path, recorded: str, now: str) -> None:
    record(path, [ask((ADA,)), ask(looked_up(recorded))])
    assert "message 3 (the result of look_up_owner)" in missed(path, ask((ADA,)), ask(looked_up(now)))


def test_an_id_that_is_another_thing_is_told(path: Path) -> None:
    one, other = "0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    record(path, [ask((ADA,)), ask(looked_up(f"{one} {one}"))])
    replay(path, ask((ADA,)), ask(looked_up(f"{other} {other}")))
    assert "- ⟨id 1⟩ ⟨id 1⟩\n    + ⟨id 1⟩ ⟨id 2⟩" in missed(path, ask((ADA,)), ask(looked_up(f"{one} {other}")))


def test_a_reply_speaks_of_todays_ids(path: Path) -> None:
    one, other = "0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    record(path, [ask(looked_up(one))], Script([f"It is {one}.", calls("book", slot=one)]))
    (reply,) = replay(path, ask(looked_up(other)))
    assert text_of(reply) == f"It is {other}."
    assert ToolCallRequest("book", f'{{"slot":"{other}"}}') in reply


def test_a_call_is_known_by_its_id_in_every_text(path: Path) -> None:
    record(path, [ask(looked_up("done under call-1/call_Xy12", "call_Xy12"))])
    replay(path, ask(looked_up("done under call-1/tool-4-1", "tool-4-1")))


# --- misses -----------------------------------------------------------------------------------------------------------

VIEW = "<now>\nOwner: Ada.\nDays: Friday.\nAsk which day.\n</now>"


def edited(tool: int, **changes: object) -> tuple:
    return tuple(msgspec.structs.replace(one, **changes) if at == tool else one for at, one in enumerate(TOOLS))


@pytest.mark.parametrize(
    ("change", "part", "shown"),
    [
        (
            lambda ask: ask(static="You are the front desk. Be brief."),
            "the static part of the prompt",
            "    - You are the front desk.\n    + You are the front desk. Be brief.",
        ),
        (
            lambda ask: ask(tools=TOOLS[:2]),
            "the list of declared tools",
            "      look_up_owner\n      free_slots\n    - book",
        ),
        (
            lambda ask: ask(tools=edited(1, description="What is free.")),
            "the description of the tool free_slots",
            "    - What free_slots does.\n    + What is free.",
        ),
        (
            lambda ask: ask(tools=edited(2, parameters=spec("book", slot="integer").parameters)),
            "the schema of the tool book",
            '        "properties": {\n          "slot": {\n    -       "type": "string"\n    +       "type": "integer"',
        ),
        (
            lambda ask: ask(history=(Message("user", "I'm Ada Byrn"), *looked_up("Ada")[1:])),
            "message 1 (the caller)",
            "    - I'm Ada Byrne\n    + I'm Ada Byrn",
        ),
        (
            lambda ask: ask(history=looked_up("Tom")),
            "message 3 (the result of look_up_owner)",
            "    - Ada\n    + Tom",
        ),
        (
            lambda ask: ask(history=looked_up("Ada")[:1]),
            "message 2 (the agent)",
            "    - assistant: \n    + (there is none)",
        ),
        (
            lambda ask: ask(history=(*looked_up("Ada"), Message("user", "hello?"))),
            "message 4 (the caller)",
            "    - (there is none)\n    + user: hello?",
        ),
        (
            lambda ask: ask(
                history=(ADA, Message("assistant", "", (ToolUse("c", "book", "{}"),)), looked_up("Ada", "c")[2])
            ),
            "the calls of message 2 (the agent)",
            '    - look_up_owner {"name":"Ada Byrne"} ⟨call 1⟩\n    + book {} ⟨call 1⟩',
        ),
        (lambda ask: ask(stage="book"), "the stage", "    - choose\n    + book"),
        (
            lambda ask: ask(offered=TOOLS[:1]),
            "the tools that are offered",
            "      look_up_owner\n    - free_slots",
        ),
        (
            lambda ask: ask(view=VIEW.replace("Ask which day.", "Ask which time.")),
            "the view",
            "      Owner: Ada.\n      Days: Friday.\n    - Ask which day.\n    + Ask which time.",
        ),
        (lambda ask: ask(view_alone=True), "where the view stands", "    - with message 1\n    + before message 1"),
        (
            lambda ask: ask(view=VIEW.replace("Owner: Ada.", "Owner:  Ada.")),
            "the view",
            "      <now>\n    - Owner:·Ada.\n    + Owner:··Ada.",
        ),
    ],
)
def test_a_miss_shows_the_first_difference(
    path: Path, change: Callable[[Callable[..., ModelRequest]], ModelRequest], part: str, shown: str
) -> None:
    def asked(**changes: object) -> ModelRequest:
        fields = {"history": looked_up("Ada"), "view": VIEW, "view_at": 0, "stage": "choose"} | changes
        static = str(fields.pop("static", "You are the front desk."))
        made = ask(**fields)  # type: ignore[arg-type]
        return msgspec.structs.replace(made, static=static)

    record(path, [ask((ADA,)), asked()])
    message = missed(path, ask((ADA,)), change(asked))
    assert message.startswith(
        "books.cassette.jsonl: request 2 of 2 is not the one that was recorded. The first difference is in "
        f"{part}:\n{shown}"
    )
    assert message.endswith(f"\nIf this is meant, record it again: {AGAIN}")


def test_of_a_long_line_only_what_differs_is_shown(path: Path) -> None:
    row = '{"name":"Ada Byrne","phone":"600123456","pets":["Pixel","Biscuit","Olive"],"notes":"%s"}'
    record(path, [ask(looked_up((row % "calm") * 9))])
    message = missed(path, ask(looked_up((row % "calm") * 8 + row % "wild")))
    assert "    - …" in message
    assert max(map(len, message.splitlines()[1:-1])) < 110
    assert "wild" in message


def test_a_request_after_the_last_is_a_miss(path: Path) -> None:
    record(path, [ask()])
    assert missed(path, ask(), ask((ADA,))) == (
        "books.cassette.jsonl: request 2 comes after the last one recorded, number 1; its last message is user: "
        f'"I\'m Ada Byrne". If this is meant, record it again: {AGAIN}'
    )


def test_replies_left_over_are_counted(path: Path) -> None:
    record(path, [ask(), ask()])
    replaying = Cassette.replay(path)
    assert replaying.unused() == 2
    asyncio.run(put(replaying, ask()))
    assert replaying.unused() == 1


def test_the_command_given_is_the_one_shown(path: Path) -> None:
    record(path, [ask()])
    replaying = Cassette.replay(path, again="make record")
    with pytest.raises(CassetteMissed, match=r"record it again: make record$") as miss:
        asyncio.run(put(replaying, ask((ADA,))))
    assert miss.value.code == "cassette-missed"


def test_a_reply_that_was_cut_short_is_no_whole_one(path: Path) -> None:
    async def cut(model: Model) -> str:
        stream = model.stream(ask())
        heard = [await anext(stream), await anext(stream)]
        await stream.aclose()  # type: ignore[attr-defined]
        return text_of(heard)

    with Cassette.record(path, Script("Good morning to you")) as recording:
        assert asyncio.run(cut(recording)) == "Good morning "
    assert asyncio.run(cut(Cassette.replay(path))) == "Good morning "
    assert "cut short when it was recorded" in missed(path, ask())


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_recording_that_is_broken_off_leaves_the_old_file(path: Path) -> None:
    before = record(path, [ask()])
    with pytest.raises(ScriptRanOut), Cassette.record(path, Script("Other.")) as recording:
        asyncio.run(put(recording, ask(), ask()))
    assert path.read_bytes() == before
    assert list(Path().iterdir()) == [path]


def test_a_request_that_the_author_must_mend_is_not_kept(path: Path) -> None:
    recording = Cassette.record(path, Script("One."))
    with pytest.raises(ScriptRanOut):
        asyncio.run(put(recording, ask(), ask()))
    recording.save()
    assert Cassette.replay(path).unused() == 1


def test_where_it_cannot_be_written_it_says_so(path: Path) -> None:
    path.mkdir()
    (path / "here").touch()
    with pytest.raises(NotSetUp, match=r"^The cassette books\.cassette\.jsonl cannot be written: "):
        record(path, [ask()])
    assert list(Path().iterdir()) == [path]


def test_without_a_file_it_says_how_to_make_one(path: Path) -> None:
    with pytest.raises(NotSetUp) as missing:
        Cassette.replay(path, again=AGAIN)
    assert str(missing.value) == f"There is no cassette books.cassette.jsonl. Record it: {AGAIN}"


def test_closing_a_recording_closes_the_model(path: Path) -> None:
    closed = []

    class Closes(Says):
        async def aclose(self) -> None:
            closed.append(self)

    asyncio.run(Cassette.record(path, Closes()).aclose())
    asyncio.run(Cassette.record(path, Says()).aclose())
    assert len(closed) == 1
    assert not path.exists()


HEADER = b'{"cassette":1,"provider":"openai","name":"stub","again":"make record"}\n'
REQUEST = b'{"type":"request"}\n'


@pytest.mark.parametrize(
    ("data", "line", "problem"),
    [
        (b"", 1, "is the end of the file, which is empty"),
        (b"\x89PNG\r\n", 1, "is no header of a cassette"),
        (b'{"seq":1,"type":"call.started"}\n', 1, "is no header of a cassette"),
        (b'{"cassette":2}\n', 1, "says that the file has form 2; this Cuelight reads form 1"),
        (HEADER + b'{"type":"words","text":"Hi"}\n', 2, "belongs to no request"),
        (HEADER + REQUEST + b'{"type":"words","text":"Hi"', 3, "is no line of a cassette"),
        (HEADER + REQUEST + b'{"type":"word","text":"Hi"}\n', 3, "is no line of a cassette (Invalid value 'word'"),
        (HEADER + REQUEST + b'{"type":"words","txt":"Hi"}\n', 3, "is no line of a cassette"),
        (HEADER + REQUEST + b'{"type":"words","text":"\xff"}\n', 3, "is no line of a cassette"),
        (HEADER + REQUEST + b'{"type":"words","text":"Hi"}\n', 4, "is the end of the file, in the middle of a reply"),
        (HEADER + REQUEST + REQUEST, 3, "begins a request before the reply above has ended"),
        (HEADER + b"<<<<<<< HEAD\n" + REQUEST, 2, "is the mark of a merge that is not resolved"),
        (
            HEADER + b'{"type":"request","declares":1}\n{"type":"finished"}\n',
            3,
            "ends a take with 0 tools, of which it",
        ),
        (HEADER + b'{"type":"request","offered":["x"]}\n{"type":"finished"}\n', 3, "ends a take that offers 'x'"),
        (HEADER + b'{"type":"request","back":2}\n{"type":"finished"}\n', 3, "goes on from 2 requests back"),
        (
            HEADER + REQUEST + b'{"type":"finished"}\n{"type":"request","kept":[1,2]}\n{"type":"finished"}\n',
            5,
            "ends a take that keeps messages [1, 2] of 0",
        ),
    ],
)
def test_what_is_no_cassette_is_refused_with_the_line(path: Path, data: bytes, line: int, problem: str) -> None:
    path.write_bytes(data)
    with pytest.raises(CassetteRefused) as refused:
        Cassette.replay(path, again="make record")
    assert str(refused.value).startswith(f"books.cassette.jsonl is refused: line {line} ")
    assert problem in str(refused.value)
    assert str(refused.value).endswith(". Restore the file, or record it again: make record")
    assert refused.value.code == "cassette-refused"


def test_line_ends_of_another_system_do_no_harm(path: Path) -> None:
    recorded = record(path, [ask(view="One\nTwo")])
    path.write_bytes(recorded.replace(b"\n", b"\r\n"))
    replay(path, ask(view="One\nTwo"))


def test_arguments_come_as_they_were_written(path: Path) -> None:
    record(path, [ask()], Script([raw_call("book", '{"slot": '), "Text behind."]))
    (reply,) = replay(path, ask())
    assert reply[0] == ToolCallRequest("book", '{"slot": ')
    assert text_of(reply) == "Text behind."
