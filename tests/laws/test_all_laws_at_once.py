"""Everything at once, in any order: messages, events, interruptions, hang-ups, hung tools and models, lives of a call.

What `check` knows of every log must hold whatever happened, nothing may be stuck, and the call can always be resumed.
"""

import asyncio
import random
from typing import Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight import Agent, DirectMessage, Limits, direct, go, state, stay, tool
from cuelight.testing import calls, raw_call
from lawbook import run
from lives import lives, strange_replies


class Anything(Agent):
    """You do anything."""

    limits = Limits(
        exchanges=3,
        model_requests=4,
        tool_s=5,
        first_token_s=4,
        request_s=6,
        turn_s=40,
        transitions=2,
        identical_calls=2,
    )
    stage: Literal["a", "b", "c"] = "a"
    n: int = 0
    items: list[int] = []
    secret: str = state("", pii=True)

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    @property
    def share(self) -> float:
        return 10 / self.n

    @tool
    async def add(self, k: int) -> int:
        await self._idle()
        self.n += k
        self.items.append(k)
        if self._likely(0.3):
            self.call.speak(f"Adding {k}.")
        if self._likely(0.05):
            self.call.end("done")
        if self._likely(0.1):
            self.call.reply("Say more.")
        if self._likely(0.1):
            raise ValueError(f"no {self.secret}")
        return self.n

    @tool(effect="read")
    async def look(self) -> list[int]:
        await self._idle()
        return self.items

    @tool
    async def hang(self) -> None:
        await asyncio.Event().wait()

    @tool(effect="read")
    async def hang_reading(self) -> None:
        await asyncio.Event().wait()

    @tool(stage=("b", "c"), when=lambda a: 1 // (a.n % 3))
    async def gated(self) -> str:
        return "ran"

    @tool
    async def move(self, to: str) -> Any:
        route = go(to)
        if self._likely(0.5):
            route = route.with_message("They crossed.")
        if self._likely(0.3):
            route = route.with_state(n=self.n + 1)
        return route.with_message(DirectMessage({"x": 1})) if self._likely(0.3) else route

    @tool
    async def show(self) -> Any:
        return direct("Shown.")

    @tool
    async def linger(self) -> Any:
        return stay("Wait.").with_state(n=self._chance.randrange(5)).with_message("They stay.")

    @tool(pii="what")
    async def learn(self, what: str) -> str:
        self.secret = what
        return f"learned {what}"

    def on_call(self) -> None:
        if self._likely(0.5):
            self.call.speak("Hello.")
        if self._likely(0.3):
            self.call.reply("Greet.")

    async def on_event(self, name: str, data: dict[str, Any]) -> Any:
        if self._likely(0.5):
            self.call.speak("An event.")
        if self._likely(0.3):
            self.call.reply()
        if self._likely(0.1):
            self.call.end("by event")
        return self._chance.choice([None, None, go("b"), go("zz"), direct("By event.")])

    def render(self) -> str:
        return f"{self.stage} {self.n}"

    def _likely(self, part: float) -> bool:
        return self._chance.random() < part

    async def _idle(self) -> None:
        for _ in range(self._chance.randrange(4)):
            await asyncio.sleep(0)


def a_reply(chance: random.Random) -> Any:
    """Write one item of a script."""
    if chance.random() < 0.4:
        return chance.choice(["Words.", "One. Two. Three.", *strange_replies(chance, calls("add", k=1))])
    some = [*map(calls, ("look", "look", "gated", "show", "linger", "hang", "hang_reading"))]
    some += [calls("add", k=chance.randrange(3)), calls("add", k="x"), raw_call("add", "{")]
    some += [calls("move", to=chance.choice("abcz")), calls("no_such", what="4000123")]
    some += [calls("learn", what=chance.choice(["4000123", "Ada Byrne"]))]
    batch = chance.sample(some, chance.randrange(1, 5))
    return ["Said beside. ", *batch] if chance.random() < 0.5 else batch


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_whatever_happens_the_log_is_whole_and_the_call_goes_on(seed: int) -> None:
    chance = random.Random(seed)
    run(lives(chance, lambda: Anything(chance), a_reply))
