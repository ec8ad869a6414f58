"""T15: five lines, each once, in order, in the log, the replies and the model's view."""

from typing import Any

from cuelight import Agent, direct, tool
from cuelight.testing import Script, calls
from cuelight.wire import encode
from lawbook import heard, rehearsing, said, talk, types


class Desk(Agent):
    """You answer."""

    def on_call(self) -> None:
        self.call.speak("Welcome to the desk.")

    @tool
    def lookup(self) -> str:
        """Looks up."""
        self.call.speak("Still checking.")
        return "found"

    @tool
    def ask_more(self) -> Any:
        """Asks whether there is more."""
        return direct("Anything else?")


LINES = ["Welcome to the desk.", "Let me look.", "Still checking.", "I found it.", "Anything else?"]


async def _play() -> tuple[Any, list[str]]:
    order: list[str] = []
    script = Script(["Let me look.", calls("lookup")], ["I found it.", calls("ask_more")], "Bye.")
    async with rehearsing(Desk, script) as call:
        call.live.hear(lambda words, whole: order.append(words))
        call.live.listen(lambda entry: order.append(f"<{entry.type}>") if entry.type.startswith("tool.") else None)
        reply = await call.say("look it up")
        assert reply.text.split("\n") == LINES[1:]
        await call.say("no")
    return call, order


async def test_t15_five_lines_in_order_each_once() -> None:
    call, order = await _play()
    assert [text for _, text in said(call.log)][:5] == LINES
    assert "\n".join(heard(call.log)[:2]).split("\n") == LINES
    assert [content for role, content in talk(call.requests[2]) if role == "assistant"] == LINES
    assert [turn.text for turn in call.state.turns if turn.role == "agent"][:2] == [LINES[0], "\n".join(LINES[1:])]
    spoken = "".join(order)
    assert [spoken.count(line) for line in LINES[1:]] == [1, 1, 1, 1]
    assert spoken.index("Let me look.") < spoken.index("<tool.call>") < spoken.index("Still checking.")
    assert spoken.index("Still checking.") < spoken.index("<tool.result>") < spoken.index("I found it.")


async def test_t15_the_log_is_the_same_bytes_every_time() -> None:
    one, _ = await _play()
    two, _ = await _play()
    assert [encode(entry) for entry in one.log] == [encode(entry) for entry in two.log]
    assert types(one.log).count("turn.agent") == 3
