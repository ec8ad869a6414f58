"""`cuelight test` with real models, played by a stub on loopback: tables, cassettes, what it costs."""

import asyncio
import json
import threading
from collections.abc import Iterator

import pytest

from kiosk import BUYS, kiosk, write
from stub_provider import Answer, StubProvider, failure, openai

SELLS = openai({"index": 0, "id": "c1", "name": "sell", "arguments": '{"tickets": 2}'}, finish="tool_calls")
SAYS = openai("That is six euros.")
MODEL = "openai:gpt-5-mini"


class Stub:
    """A provider that answers while a command runs in this process: on a thread of its own."""

    def __init__(self) -> None:
        self.provider = StubProvider()
        self._up = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._done = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._serve()])

    async def _serve(self) -> None:
        async with self.provider:
            self._up.set()
            await self._done.wait()

    def __enter__(self) -> "Stub":
        self._thread.start()
        self._up.wait()
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join()
        self._loop.close()

    def answer(self, *answers: Answer) -> None:
        self.provider.answer(*answers)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    with Stub() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{stub.provider.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-ours")
        yield stub


@pytest.fixture
def golden(tmp_path):
    return write(kiosk(tmp_path / "kiosk") / "buys.yaml", BUYS)


def test_models_are_compared_by_what_passes_and_what_it_takes(cuelight, stub, golden):
    stub.answer(SELLS, SAYS, SELLS, SAYS, openai("How many?"), openai("How many?"))
    done = cuelight("test", "--model", MODEL, "--model", "openai:homemade", "--runs", "2")
    assert done.exit_code == 1, done.output
    rows = [line.split()[:-2] for line in done.stdout.splitlines() if line.startswith(("Buys two  ", "all "))]
    # Of 100 tokens in, 80 were cached.
    assert rows == [
        ["Buys", "two", MODEL, "2/2", "400", "80", "$0.0002"],
        ["Buys", "two", "openai:homemade", "0/2", "200", "40", "—"],
        ["all", MODEL, "2/2", "400", "80", "$0.0002"],
        ["all", "openai:homemade", "0/2", "200", "40", "—"],
    ]
    assert done.stdout.count("expected  tool sell") == 1
    assert done.stdout.endswith("\n")
    assert stub.provider.connections == 2


def test_a_model_that_cannot_be_had_stops_everything_before_it_costs_anything(cuelight, stub, golden, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    done = cuelight("test", "--model", MODEL, "--model", "anthropic:claude-haiku-4-5")
    assert done.exit_code == 2
    assert "anthropic:claude-haiku-4-5 needs a key" in done.stderr
    assert stub.provider.requests == []


def test_a_recorded_cassette_answers_from_then_on(cuelight, stub, golden):
    stub.answer(SELLS, SAYS)
    done = cuelight("test", "--record", "--model", MODEL, "--json")
    assert done.exit_code == 0, done.output
    (result,) = json.loads(done.stdout)["results"]
    assert (result["model"], result["cassette"]) == (MODEL, "kiosk/goldens/buys.cassette.jsonl")
    assert result["cost"] == pytest.approx(2 * 0.000047)
    cassette = golden.with_name("buys.cassette.jsonl")
    assert f'"again":"cuelight test kiosk/goldens/buys.yaml --record --model {MODEL}"' in cassette.read_text()
    assert [file.name for file in sorted(golden.parent.iterdir())] == ["buys.cassette.jsonl", "buys.yaml"]
    asked = len(stub.provider.requests)
    done = cuelight("test")
    assert done.exit_code == 0
    assert " · cassette · " in done.stdout
    assert len(stub.provider.requests) == asked
    assert " · understudy · " in cuelight("test", "--model", "understudy").stdout


def test_a_request_that_is_no_longer_the_recorded_one_fails_and_says_how_to_record_again(
    cuelight, stub, golden, tmp_path
):
    stub.answer(SELLS, SAYS)
    assert cuelight("test", "--record", "--model", MODEL).exit_code == 0
    file = tmp_path / "kiosk" / "agent.py"
    write(file, file.read_text().replace("You sell tickets.", "You sell cheap tickets."))
    done = cuelight("test")
    assert done.exit_code == 1
    assert "    - You sell tickets.\n    + You sell cheap tickets.\n" in done.stdout
    assert f"cuelight test kiosk/goldens/buys.yaml --record --model {MODEL}" in done.stdout


def test_only_what_passes_is_recorded(cuelight, stub, golden):
    stub.answer(openai("How many?"))
    done = cuelight("test", "--record", "--model", MODEL)
    assert done.exit_code == 1
    cassette = golden.with_name("buys.cassette.jsonl")
    assert "Only what passes is recorded: kiosk/goldens/buys.cassette.jsonl was not made." in done.stdout
    assert list(golden.parent.iterdir()) == [golden]
    stub.answer(SELLS, SAYS)
    assert cuelight("test", "--record", "--model", MODEL).exit_code == 0
    before = cassette.read_bytes()
    stub.answer(failure(400))
    done = cuelight("test", "--record", "--model", MODEL)
    assert done.exit_code == 1
    assert "kiosk/goldens/buys.cassette.jsonl is as it was." in done.stdout
    assert cassette.read_bytes() == before


def test_a_cassette_that_cannot_be_written_is_said_to_be(cuelight, stub, golden):
    stub.answer(SELLS, SAYS)
    cassette = golden.with_name("buys.cassette.jsonl")
    cassette.mkdir()
    done = cuelight("test", "--record", "--model", MODEL)
    assert done.exit_code == 2
    assert "The cassette kiosk/goldens/buys.cassette.jsonl cannot be written: Is a directory." in done.stderr
    assert sorted(each.name for each in golden.parent.iterdir()) == ["buys.cassette.jsonl", "buys.yaml"]


def test_a_recording_that_does_not_pass_again_is_not_kept(cuelight, stub, golden, tmp_path):
    file = tmp_path / "kiosk" / "agent.py"
    counts = "prices.ONE += 1\n        return str(prices.ONE)"
    write(file, file.read_text().replace('return f"Today is {self.day}."', counts).replace("tickets * prices.ONE", "6"))
    stub.answer(SELLS, SAYS)
    done = cuelight("test", "--record", "--model", MODEL)
    assert done.exit_code == 1
    assert f"Buys two: passed with {MODEL}, and not when that was played\n" in done.stdout
    assert not golden.with_name("buys.cassette.jsonl").exists()


def test_the_model_that_the_class_names_is_recorded_where_no_other_is(cuelight, stub, golden, tmp_path):
    file = tmp_path / "kiosk" / "agent.py"
    write(file, file.read_text().replace("    tickets: int = 0", f'    model = "{MODEL}"\n    tickets: int = 0'))
    stub.answer(SELLS, SAYS)
    assert f" · {MODEL} · " in cuelight("test", "--record").stdout
    write(golden, BUYS + "    model: understudy\n")
    done = cuelight("test", "--record")
    assert done.exit_code == 2
    assert "line 9: it says itself what answers, so a cassette would never be played; take `model` out" in done.stderr


def test_a_model_that_never_answers_is_given_up(cuelight, stub, golden):
    stub.answer(Answer(end="never"))
    done = cuelight("test", "--model", MODEL, "--timeout", "0.5")
    assert done.exit_code == 1
    assert "Buys two: not over after 0.5 s\n" in done.stdout
