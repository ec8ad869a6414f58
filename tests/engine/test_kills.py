"""A process killed at any instant loses nothing that was acknowledged, repeats no effect, and its call goes on."""

import asyncio
import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import pytest

from cuelight.log import reduce, verify
from cuelight.stores import SqliteStore
from cuelight.wire import Entry, encode
from engine import killed

KILLS = 100


def _kill_one(
    context: multiprocessing.context.ForkServerContext, folder: Path, delay: float, *, after_effect: bool
) -> None:
    """Kill a process a moment after it took up the call, or a moment after its next effect on the world."""
    effects = folder / "effects"
    before = effects.stat().st_size if effects.exists() else 0
    process = context.Process(target=killed.converse, args=(folder, None))
    process.start()
    started = folder / "started"
    deadline = time.monotonic() + 20

    def is_time() -> bool:
        if after_effect:
            return effects.exists() and effects.stat().st_size > before
        return started.exists() and str(process.pid) in started.read_text().split()

    while not is_time():
        assert process.is_alive(), "the process ended by itself: it could not take the call up"
        assert time.monotonic() < deadline
        os.sched_yield()
    end = time.monotonic() + delay
    while time.monotonic() < end:  # a sleep would be too coarse to hit every place
        pass
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()


async def _log(folder: Path) -> list[Entry]:
    store = SqliteStore(folder / "calls.sqlite3")
    try:
        return [record.entry for record in await store.read(killed.CALL)]
    finally:
        await store.close()


@pytest.mark.timeout(120)
def test_law_10_a_hundred_kills_lose_no_acknowledged_entry_and_repeat_no_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))  # so that the fork server can import what it forks
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["engine.killed"])
    chance = random.Random(20)
    for number in range(KILLS):
        after_effect = number % 2 == 0
        _kill_one(context, tmp_path, chance.uniform(0, 0.002 if after_effect else 0.02), after_effect=after_effect)

    acknowledged = (tmp_path / "acknowledged").read_text().splitlines()
    process = context.Process(target=killed.converse, args=(tmp_path, len(acknowledged) + 3))
    process.start()
    process.join()
    assert process.exitcode == 0
    acknowledged = (tmp_path / "acknowledged").read_text().splitlines()
    log = asyncio.run(_log(tmp_path))

    assert verify(b"\n".join(encode(entry) for entry in log)) == []
    spoken = {entry.data["speech_id"]: entry.data["text"] for entry in log if entry.type == "turn.agent"}
    for line in acknowledged:
        _, speech_id, text = line.split(" ", 2)
        assert spoken[speech_id].endswith(text), f"the reply {line!r} was handed over but is not in the log"

    effects = [line.split()[0] for line in (tmp_path / "effects").read_text().splitlines()]
    assert len(effects) == len(set(effects)), "a tool ran twice"
    assert len(effects) >= KILLS / 2, "too little happened for the kills to hit anything"
    assert any(entry.type == "cue.unknown" for entry in log), "no kill hit a call between its start and its result"

    asked = [entry.data["call_id"] for entry in log if entry.type == "tool.call"]
    answered = [entry.data["call_id"] for entry in log if entry.type == "tool.result"]
    assert sorted(asked) == sorted(answered), "every call has exactly one result"
    assert len(asked) == len(set(asked))
    assert reduce(log).status == "active"
    words = [entry.data["text"] for entry in log if entry.type == "turn.user"]
    assert words == list(dict.fromkeys(words)), "a message that was sent again stands in the log once"
