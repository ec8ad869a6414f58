"""T09, as far as a script can write it: calls whose arguments are as a model wrote them."""

from typing import Any

import pytest

from cuelight import Agent, tool
from cuelight.ports import ToolCallRequest
from cuelight.testing import Script, calls, raw_call
from lawbook import datas, heard, rehearsing, results


class Two(Agent):
    """You have two tools."""

    ran: list[str] = []

    @tool
    def first(self, a: int, b: str = "x") -> str:
        """Is the first."""
        self.ran.append(f"first {a} {b}")
        return "1"

    @tool
    def second(self) -> str:
        """Is the second."""
        self.ran.append("second")
        return "2"


@pytest.mark.parametrize(
    "batch",
    [
        [ToolCallRequest("first", '{"a": 1}', "same"), ToolCallRequest("second", "{}", "same")],
        [ToolCallRequest("first", '{"a": 1}', None), ToolCallRequest("second", "", None)],
        [ToolCallRequest("first", '{"a": 1}', ""), ToolCallRequest("second", "  ", "")],
        [raw_call("first", '  {"a":1}\n'), raw_call("second", "{}")],
        [raw_call("first", '{"a": 1, "b": "x"}'), calls("second")],
    ],
)
async def test_t09_both_calls_run_with_ids_of_their_own(batch: list[Any]) -> None:
    async with rehearsing(Two, Script(["Both at once. ", *batch], "Done.")) as call:
        reply = await call.say("both")
        assert call.agent.ran == ["first 1 x", "second"]
        ids = [data["call_id"] for data in datas(call.log, "tool.call")]
        assert len(set(ids)) == 2
        assert all(ids)
        assert reply.text == "Both at once.\nDone."
        assert heard(call.log) == [reply.text]
        assert len(datas(call.log, "tool.call")) == 2, "no phantom call"


@pytest.mark.parametrize(
    "text",
    ['{"a": 1', '{"a": }', "{'a': 1}", "```json\n{}\n```", '{"a": 1}{"a": 1}', "a=1", "1", "[1]", "true", "\x00"],
)
async def test_t09_what_is_no_object_does_not_run(text: str) -> None:
    async with rehearsing(Two, Script(raw_call("first", text), "Sorry.")) as call:
        assert (await call.say("go")).text == "Sorry."
        assert call.agent.ran == []
        assert "JSON" in results(call.log)[0]["error"]
        assert datas(call.log, "tool.call")[0]["arguments"] == {}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"a": "1"}', "a"), ('{"a": 1.5}', "a"), ('{"a": true}', "a"), ('{"a": null}', "a"), ('{"b": "y"}', "a"),
        ('{"a": 1, "c": 2}', "c"), ('{"A": 1}', "A"), ('{"a": 1, "b": 2}', "b"), ("{}", "a"), ("", "a"),
    ],
)  # fmt: skip
async def test_t09_arguments_that_do_not_fit_are_named(text: str, named: str) -> None:
    async with rehearsing(Two, Script(raw_call("first", text), "Sorry.")) as call:
        await call.say("go")
        assert call.agent.ran == []
        assert any(f"{mark}{named}{mark}" in results(call.log)[0]["error"] for mark in "`\"'")
        assert "Traceback" not in results(call.log)[0]["error"]
