"""Law 15 in flows: what is asked ahead is asked in the step that the words find, and leaves no trace until then."""

import asyncio
from typing import Any

import pytest

from cuelight import Flow, LogicStep, Step, go, tool
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, errors, heard, refusals, rehearsing, talk

RAN: list[str] = []
WAY: dict[str, bool] = {}


@pytest.fixture(autouse=True)
def _as_new() -> None:
    RAN.clear()
    WAY["open"] = False


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


class Name(Step["Desk"]):
    waits = True
    name: str = ""

    def get_prompt(self) -> str:
        return "Ask for the name."

    @tool
    def record(self, name: str) -> Any:
        """Records the name."""
        self.name = name
        return go(Judge).with_message(f"{name} is here.")


class Judge(Step["Desk"]):
    memory = "judging"

    def on_response(self, text: str) -> Any:
        RAN.append(text)
        return Dark if text.startswith("GO") else text.upper()


class Dark(LogicStep["Desk"]):
    def run_logic(self) -> Any:
        if not WAY["open"]:
            raise LookupError("no way")
        return Light


class Light(Step["Desk"]):
    """Show no tool and say nothing, as a step of code does."""

    memory = "light"


class Desk(Flow):
    """You are the desk."""

    steps = (Name, Judge, Dark, Light)

    def on_event(self, name: str, data: dict[str, Any]) -> Any:
        return go(name) if name in ("Judge", "Light") else None


async def spoken(*script: Any, ahead: bool, state: dict[str, Any], words: list[str]) -> Any:
    async with rehearsing(Desk, Script(*script), state=state) as call:
        for one in words:
            if ahead:
                before = call.log
                call.prepare(one)
                await settle()
                assert call.log == before, "nothing is written"
                assert RAN == [], "and no hook runs"
            await call.say(one)
            RAN.clear()
    return call


@pytest.mark.parametrize(
    ("stage", "script", "words"),
    [
        ("Name", [calls("record", name="Ada"), "Well?", "Words."], ["I am Ada", "and?"]),
        ("Judge", ["words", "more words"], ["hello", "and?"]),
        ("Judge", ["GO on", "Here."], ["hello"]),
        ("Light", ["Words.", "More."], ["hello", "and?"]),
    ],
)
async def test_the_log_is_that_of_a_call_where_nothing_was_asked_ahead(
    stage: str, script: list[Any], words: list[str]
) -> None:
    WAY["open"] = True
    ahead = await spoken(*script, ahead=True, state={"stage": stage}, words=words)
    plain = await spoken(*script, ahead=False, state={"stage": stage}, words=words)
    assert ahead.log == plain.log
    seen = [[(r.stage, r.tools, r.view, r.messages) for r in call.requests] for call in (ahead, plain)]
    assert seen[0] == seen[1]


async def test_a_step_that_waits_is_asked_ahead_as_one_whose_caller_has_spoken() -> None:
    async with rehearsing(Desk, Script(calls("record", name="Ada"), "Well?")) as call:
        call.prepare("I am Ada")
        await settle()
        assert call.requests[0].tools == ["record"]
        assert "not spoken" not in call.requests[0].view
        assert call.state.tools_visible == [], "the step waits as before"
        assert call.agent.current.name == ""
        await call.say("I am Ada")
        assert call.agent.step(Name).name == "Ada"
        assert len(call.requests) == 2
        assert not refusals(call.log)


@pytest.mark.parametrize("said", ["I am Bea", "", "  "])
async def test_it_is_dropped_with_other_words_and_the_step_waits_on_where_they_are_blank(said: str) -> None:
    async with rehearsing(Desk, Script(calls("record", name="Ada"), "Your name?")) as call:
        call.prepare("I am Ada")
        await settle()
        assert (await call.say(said)).text == "Your name?"
        assert call.agent.current.name == ""
        assert call.state.tools_visible == (["record"] if said.strip() else [])
        assert not datas(call.log, "tool.call")


async def test_blank_words_that_were_expected_are_no_answer_either() -> None:
    async with rehearsing(Desk, Script(calls("record", name="Ada"), "Your name?")) as call:
        call.prepare("  ")
        await settle()
        assert (await call.say("  ")).text == "Your name?"
        assert call.agent.current.name == ""


async def test_a_reply_that_is_dropped_never_comes_to_on_response() -> None:
    async with rehearsing(Desk, Script("GO on", "words"), state={"stage": "Judge"}) as call:
        call.prepare("hello")
        await settle()
        assert (await call.say("hello there")).text == "WORDS"
        assert RAN == ["words"]
        assert call.agent.stage == "Judge"
        assert heard(call.log) == ["WORDS"]


async def test_a_reply_that_is_held_is_passed_on_to_nobody_before_the_step_has_decided() -> None:
    async with rehearsing(Desk, Script("words and more"), state={"stage": "Judge"}) as call:
        passed: list[str] = []
        call.live.hear(lambda words, whole: passed.append(words))
        call.prepare("hello")
        await settle()
        assert passed == []
        await call.say("hello")
        assert "".join(passed) == "WORDS AND MORE"


async def test_it_reads_the_memory_of_the_step() -> None:
    async with rehearsing(Desk, Script(calls("record", name="Ada"), "well?", "so.")) as call:
        await call.say("I am Ada")
        call.prepare("and?")
        await settle()
        assert talk(call.requests[2]) == [
            ("user", "I am Ada"), ("user", "Ada is here."), ("assistant", "WELL?"), ("user", "and?"),
        ]  # fmt: skip
        assert (await call.say("and?")).text == "SO."
        assert len(call.requests) == 3


async def test_it_is_dropped_where_the_flow_moved_meanwhile() -> None:
    async with rehearsing(Desk, Script("old", "new"), state={"stage": "Light"}) as call:
        call.prepare("hello")
        await settle()
        await call.event("Judge")
        assert (await call.say("hello")).text == "NEW"


async def test_it_is_dropped_where_a_step_of_code_leads_elsewhere_first() -> None:
    async with rehearsing(Desk, Script("GO on", "Asked in the dark.", "Asked in the light.")) as call:
        await call.event("Judge")
        assert (await call.say("hello")).text == FALLBACK
        assert call.agent.stage == "Dark"
        WAY["open"] = True
        call.prepare("hello?")
        await settle()
        assert (await call.say("hello?")).text == "Asked in the light."
        assert call.requests[-1].stage == "Light"
        assert talk(call.requests[-1]) == [("user", "hello?")]
        assert errors(call.log) == ["handler-raised"]
