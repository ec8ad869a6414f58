"""T21: an old log is read by today's class; lists are not shared; a wrong write fails at once and changes nothing."""

import asyncio
import sys
import types as python
from typing import Any

import pytest

from cuelight import Agent, UndeclaredField, WrongType, state, tool
from cuelight.log import Record
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls, rehearse
from cuelight.wire import entry
from lawbook import datas, errors, rehearsing, results


class Yesterday(Agent):
    """You were."""

    tags: list[str] = []
    surname: str = "Byrne"
    fax: str = "none"


class Today(Agent):
    """You are."""

    tags: list[str] = []
    family_name: str = state("", was="surname")
    added: int = 7

    @tool
    def push(self, tag: str) -> list[str]:
        """Pushes."""
        self.tags.append(tag)
        return self.tags

    @tool
    def mistype(self) -> None:
        """Writes a field that is none."""
        self.tags.append("half")
        self.famly_name = "Lee"  # type: ignore[attr-defined]

    @tool
    def misfit(self) -> None:
        """Writes a wrong type."""
        self.tags.append("half")
        self.added = "seven"  # type: ignore[assignment]

    @tool
    def spoil(self) -> None:
        """Spoils a list in place."""
        self.tags.append(5)  # type: ignore[arg-type]


async def test_t21_an_old_log_is_read_by_todays_class() -> None:
    store = MemoryStore()
    async with rehearsing(Yesterday, Script(), store=store, state={"tags": ["old"]}) as call:
        pass
    seq = len(call.log)
    unknown = entry("horoscope.read", {"sign": "leo"}, seq=seq + 1, ts=0, call=call.id, agent="yesterday")
    await store.append(call.id, seq, [Record(unknown)])
    async with rehearse(Today, Script("Hello."), store=store, resume=call.id) as again:
        assert (again.agent.tags, again.agent.family_name, again.agent.added) == (["old"], "Byrne", 7)
        assert again.log[seq] == unknown, "kept"
        assert sorted(errors(again.log)) == ["entry-unknown", "field-removed"]
        messages = " ".join(data["message"] for data in datas(again.log, "error"))
        assert "fax" in messages
        assert "horoscope.read" in messages
        assert again.state.app_state == {"tags": ["old"], "family_name": "Byrne", "added": 7}
        assert (await again.say("hi")).text == "Hello."


async def test_t21_a_class_that_moved_to_another_module_reads_its_log() -> None:
    store = MemoryStore()
    async with rehearsing(Today, Script(calls("push", tag="x"), "Ok."), store=store) as call:
        await call.say("go")
    moved = python.ModuleType("moved")
    sys.modules["moved"] = moved
    try:
        fields = "tags: list[str] = []; family_name: str = ''; added: int = 0"
        exec(f"from cuelight import Agent\nclass Today(Agent): {fields}", moved.__dict__)
        async with rehearse(moved.Today, Script(), store=store, resume=call.id) as again:
            assert again.agent.tags == ["x"]
            assert again.agent.added == 7
            assert errors(again.log) == []
    finally:
        del sys.modules["moved"]


async def test_t21_two_sessions_share_no_list() -> None:
    script = [calls("push", tag="x"), "Ok."]
    async with rehearsing(Today, Script(*script)) as one, rehearsing(Today, Script(*script)) as two:
        await asyncio.gather(one.say("go"), two.say("go"))
        assert one.agent.tags == two.agent.tags == ["x"]
        assert one.agent.tags is not two.agent.tags
        assert Today().tags == []


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("mistype", UndeclaredField, ["mistype", "famly_name"]),
        ("misfit", WrongType, ["misfit", "added", "int", "str"]),
        ("spoil", WrongType, ["spoil", "tags"]),
    ],
)
async def test_t21_a_wrong_write_fails_at_once_and_leaves_nothing_half_written(
    name: str, error: Any, words: list[str]
) -> None:
    async with rehearsing(Today, Script(calls(name), "Sorry.")) as call:
        await call.say("go")
        assert call.agent.tags == []
        assert "error" in results(call.log)[0]
        (told,) = datas(call.log, "error")
        assert told["code"] == error.code
        for word in words:
            assert word in told["message"]
        if name != "spoil":
            assert "test_T21" in told["message"], "the line in the author's file"
        assert len(datas(call.log, "state.changed")) == 1
