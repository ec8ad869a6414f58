"""Everything at once, in any order: messages, events, interruptions, hang-ups, hung tools and models, lives of a call.

What `check` knows of every log must hold whatever happened, nothing may be stuck, and the call can always be resumed.
"""

import asyncio
import random
from typing import Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight import Agent, CallEnded, DirectMessage, Limits, direct, go, state, stay, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls, raw_call, rehearse
from lawbook import check, check_messages, datas, results, run


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

    async def mute(request: Any) -> str:
        await asyncio.Event().wait()
        return "never"

    async def slow(request: Any) -> Any:
        for _ in range(chance.randrange(10)):
            await asyncio.sleep(0)
        return ["Slow words. ", calls("add", k=1)] if chance.random() < 0.5 else "Slow words."

    kinds: list[Any] = ["Words.", "One. Two. Three.", "", "  ", RuntimeError("lost"), ["Half ", RuntimeError("lost")]]
    kinds += [mute, slow, slow]
    if chance.random() < 0.4:
        return chance.choice(kinds)
    some = [*map(calls, ("look", "look", "gated", "show", "linger", "hang", "hang_reading"))]
    some += [calls("add", k=chance.randrange(3)), calls("add", k="x"), raw_call("add", "{")]
    some += [calls("move", to=chance.choice("abcz")), calls("no_such", what="4000123")]
    some += [calls("learn", what=chance.choice(["4000123", "Ada Byrne"]))]
    batch = chance.sample(some, chance.randrange(1, 5))
    return ["Said beside. ", *batch] if chance.random() < 0.5 else batch


async def settled(call: Any, *work: "asyncio.Future[Any]") -> None:
    """Move the clock until work is done."""
    for _ in range(300):
        if all(one.done() for one in work):
            return
        await call.clock.advance(4)
    raise AssertionError("something is stuck")


async def one_life(chance: random.Random, call: Any) -> None:  # noqa: C901 - one of many things, each in a line
    """Do things to a call, at any moment, some of them in the middle of others."""
    work: list[asyncio.Task[Any]] = []
    acts = {
        "say": 40, "event": 10, "interrupt": 15, "prepare": 7, "advance": 18, "hang_up": 2, "cancel": 8,
    }  # fmt: skip
    for step in range(chance.randrange(3, 14)):
        words = f"message {step} 4000123"
        match chance.choices([*acts], [*acts.values()])[0]:
            case "say":
                id_ = chance.choice([None, f"m{chance.randrange(6)}"])
                work.append(asyncio.create_task(call.say(words, id=id_)))
            case "event":
                work.append(asyncio.create_task(call.event("ring", {"step": step})))
            case "interrupt":
                call.interrupt(chance.choice([None, "", "One.", "Said beside. Adding"]))
            case "prepare":
                call.prepare(words)
            case "advance":
                await call.advance(chance.choice([1, 4, 6, 30]))
            case "hang_up":
                work.append(asyncio.create_task(call.hang_up()))
            case "cancel" if work:
                chance.choice(work).cancel()
        for _ in range(chance.randrange(8)):
            await asyncio.sleep(0)
    if chance.random() < 0.6:
        await settled(call, *work)
    await call.__aexit__(None, None, None)
    for ended in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(ended, BaseException) and not isinstance(ended, CallEnded | asyncio.CancelledError):
            raise ended
    for request in call.requests:
        check_messages(request.messages)


async def lives(seed: int) -> None:
    """Live through a call, let go of now and then, and look at what is left."""
    chance = random.Random(seed)
    store, script = MemoryStore(), Script(*(a_reply(chance) for _ in range(200)))
    resumed: dict[str, str] = {}
    for _ in range(chance.randrange(1, 4)):
        call: Any = rehearse(lambda: Anything(chance), script, store=store, **resumed)
        opening = asyncio.ensure_future(call.__aenter__())
        await settled(call, opening)
        resumed = {"resume": call.id}
        await one_life(chance, call)
    async with rehearse(lambda: Anything(chance), Script(*["Fine."] * 20), store=store, **resumed) as last:
        if last.state.status != "ended":
            await last.say("goodbye")
    check(last)
    assert {data["call_id"] for data in datas(last.log, "tool.call")} == {d["call_id"] for d in results(last.log)}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_whatever_happens_the_log_is_whole_and_the_call_goes_on(seed: int) -> None:
    run(lives(seed))
