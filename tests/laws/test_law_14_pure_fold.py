"""Law 14: the fold of an engine's log is pure: in parts as at once, at any time, with duplicates and holes."""

import random
import socket
import time
from typing import Any, Literal

import pytest

from cuelight import Agent, go, state, tool
from cuelight.errors import ModelFailed
from cuelight.log import Fold, apply, reduce
from cuelight.testing import Script, calls
from cuelight.wire import Entry, State, decode_entry, decode_log, encode
from lawbook import rehearsing, run


class Full(Agent):
    """You do everything once."""

    stage: Literal["a", "b"] = "a"
    name: str = state("", pii=True)
    rows: list[int] = []

    def on_call(self) -> None:
        self.call.speak("Welcome.")

    @tool(pii="name")
    def record(self, name: str) -> str:
        self.name = name
        self.call.log("recorded", {"rows": self.rows})
        return name

    @tool
    def move(self) -> Any:
        return go("b").with_message("Moved.")

    @tool(stage="b")
    def leave(self) -> None:
        self.call.end("done")

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        self.rows.append(1)


async def _full() -> list[Entry]:
    record = ["One moment.", calls("record", name="Ada Byrne"), calls("leave")]
    script = Script(record, ModelFailed("lost"), calls("move"), "Moved.", "Go on.", calls("leave"))
    async with rehearsing(Full, script) as call:
        await call.say("Ada Byrne", id="m1")
        await call.event("ring", {"a": 1})
        await call.say("so?")
        call.interrupt(heard="Go")
        await call.say("bye")
        return call.log


LOG: list[Entry] = run(_full())


def test_the_log_holds_much() -> None:
    assert len(LOG) > 35
    assert len({entry.type for entry in LOG}) > 15
    assert reduce(LOG).status == "ended"


@pytest.mark.parametrize("cut", range(len(LOG) + 1))
def test_a_prefix_then_the_rest_is_the_whole(cut: int) -> None:
    whole = reduce(LOG)
    fold = Fold(reduce(LOG[:cut]))
    fold.extend(LOG[cut:])
    assert fold.state == whole
    one_by_one = reduce(LOG[:cut])
    for entry in LOG[cut:]:
        one_by_one = apply(one_by_one, entry)
    assert one_by_one == whole


def test_a_duplicate_of_a_stored_entry_changes_nothing() -> None:
    chance = random.Random(7)
    fold = Fold()
    for number, entry in enumerate(LOG):
        fold.feed(entry)
        before = encode(fold.state)
        fold.feed(LOG[chance.randrange(number + 1)])
        assert encode(fold.state) == before
    assert fold.state == reduce(LOG)


def test_a_hole_is_recorded_and_the_rest_folds() -> None:
    state_ = reduce(LOG[:10] + LOG[13:])
    assert [(gap.from_seq, gap.to_seq) for gap in state_.gaps] == [(11, 13)]
    assert state_.status == "ended"


def test_the_fold_reads_no_clock_no_chance_and_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any, **__: Any) -> Any:
        raise AssertionError("the fold looked outside")

    whole = reduce(LOG)
    for module, name in ((time, "time"), (time, "monotonic"), (random, "random"), (socket, "socket")):
        monkeypatch.setattr(module, name, forbidden)
    monkeypatch.setattr("builtins.open", forbidden)
    assert reduce(LOG) == whole


def test_the_log_as_bytes_folds_to_the_same_state() -> None:
    lines = b"\n".join(encode(entry) for entry in LOG)
    assert reduce(decode_log(lines)) == reduce(LOG)
    assert [decode_entry(encode(entry)) for entry in LOG] == LOG


def test_folding_changes_no_state_that_was_given_out() -> None:
    fold = Fold()
    given: list[tuple[State, bytes]] = []
    for entry in LOG:
        fold.feed(entry)
        given.append((fold.state, encode(fold.state)))
    assert all(encode(state_) == written for state_, written in given)


async def test_a_reader_of_the_live_call_holds_the_same_state_and_misses_nothing() -> None:
    record = ["One moment. ", calls("record", name="Ada Byrne")]
    async with rehearsing(Full, Script(record, ["Thanks, ", ModelFailed("lost")], "all done.")) as call:
        fold = Fold(call.state)
        live: list[str | None] = []

        def read(entry: Entry) -> None:
            assert entry.seq == fold.state.seq + (not entry.ephemeral)
            fold.feed(entry)
            live.append(fold.state.live.agent)

        call.live.listen(read)
        reply = await call.say("hello")
        assert fold.state == call.state
        assert fold.state.gaps == []
        assert reply.text == "One moment.\nThanks,\nall done."
        assert max((text for text in live if text), key=len) == "One moment. \nThanks, \nall done."
        assert fold.state.live.agent is None


def test_what_the_state_says_is_what_happened() -> None:
    state_ = reduce(LOG)
    assert [(turn.role, turn.text) for turn in state_.turns] == [
        ("agent", "Welcome."), ("user", "[private]"), ("agent", "One moment.\nMoved."), ("user", "so?"),
        ("agent", "Go on."), ("user", "bye"),
    ]  # fmt: skip
    assert [(run_.name, run_.status) for run_ in state_.tools] == [
        ("record", "done"), ("leave", "failed"), ("move", "done"), ("leave", "done"),
    ]  # fmt: skip
    assert state_.app_state == {"stage": "b", "name": "[private]", "rows": [1]}
    assert state_.tools_visible == ["record", "move", "leave"]
    assert [event.name for event in state_.events] == ["ring"]
    assert [note.name for note in state_.custom] == ["recorded"]
    assert [error.code for error in state_.errors] == ["model-failed"]
    assert set(state_.prompt) == {"identity", "tools"}
    assert len(state_.metrics.llm) == 6
