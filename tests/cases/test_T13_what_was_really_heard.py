"""T13, in text: the model remembers what was heard, the log keeps what was generated."""

from typing import Any

import pytest

from cuelight import Agent, direct, tool
from cuelight.log import CUT_BY_CALLER
from cuelight.testing import Script, calls
from lawbook import datas, heard, rehearsing, talk

SENTENCES = [f"{n} is the number." for n in ("One", "Two", "Three", "Four", "Five")]
WHOLE = " ".join(SENTENCES)
TWO = " ".join(SENTENCES[:2])


class Counter(Agent):
    """You count."""

    @tool
    def count(self) -> Any:
        """Counts by code."""
        return direct(WHOLE)

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        self.call.speak(WHOLE)


def heard_by_the_model(request: Any) -> list[str]:
    return [content for role, content in talk(request) if role == "assistant" and content]


@pytest.mark.parametrize("by", ["model", "direct", "code"])
@pytest.mark.parametrize(("ear", "left"), [(TWO, [f"{TWO} {CUT_BY_CALLER}"]), ("", [])])
async def test_t13_the_same_rules_for_the_models_words_and_for_codes(by: str, ear: str, left: list[str]) -> None:
    script = Script(*{"model": [WHOLE], "direct": [calls("count")], "code": []}[by], "Yes.")
    async with rehearsing(Counter, script) as call:
        if by == "code":
            await call.event("count")
        else:
            assert (await call.say("count")).text == WHOLE
        call.interrupt(heard=ear)
        await call.say("stop")
        assert heard_by_the_model(call.requests[-1]) == left
        assert heard(call.log)[0] == WHOLE, "the log has all five"
        assert datas(call.log, "cue.said")[0]["text"] == WHOLE


@pytest.mark.parametrize(("ear", "left"), [(TWO, [f"{TWO} {CUT_BY_CALLER}"]), ("", [])])
async def test_t13_cut_while_the_model_speaks(ear: str, left: list[str]) -> None:
    async def count(request: Any) -> str:
        call.interrupt(heard=ear)
        return WHOLE

    async with rehearsing(Counter, Script(count, "Yes.")) as call:
        reply = await call.say("count")
        assert reply.text == ear
        assert heard(call.log) == [ear]
        assert datas(call.log, "cue.reply")[0]["text"] == WHOLE, "what was generated"
        assert datas(call.log, "cue.said")[0]["text"] == WHOLE
        await call.say("stop")
        assert heard_by_the_model(call.requests[1]) == left


async def test_t13_what_comes_after_is_untouched() -> None:
    async with rehearsing(Counter, Script(WHOLE, "As I said, two.", "Fine.")) as call:
        await call.say("count")
        call.interrupt(heard=TWO)
        await call.say("what was the last one?")
        await call.say("thanks")
        assert heard_by_the_model(call.requests[2]) == [f"{TWO} {CUT_BY_CALLER}", "As I said, two."]
