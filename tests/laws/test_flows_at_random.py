"""Flows at random: steps that wait, decide, forget, fail and lead on, whatever the caller and the model do.

All of it runs on the loop, so that a seed is one story. What `check` knows of every log must hold, and what flows
promise beside: a step's tools run in that step alone, where it waits not before the caller has spoken; a turn ends in
words or in the end of the call; a call ends once.
"""

import asyncio
import random
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight import DirectMessage, Flow, Limits, LogicStep, Step, TerminateSessionStep, direct, go, state, stay, tool
from cuelight.flow import tools_by_stage
from cuelight.log import Fold
from cuelight.testing import Script, calls, raw_call, rehearse
from cuelight.wire import Entry
from lawbook import WatchedStore, check, datas, entries, run, types
from lives import lives, settled, strange_replies


class Odd(Step["Maze"]):
    """Do in its hooks what hooks may do, and now and then what they may not."""

    entered: int = 0
    seen: list[str] = []

    def get_prompt(self) -> str:
        return super().get_prompt() or f"{type(self).__name__} {self.flow.n}"

    async def on_enter(self) -> None:
        self.entered += 1
        await self.flow.mischief()

    async def on_exit(self) -> Any:
        self.seen.append("left")
        return self.flow.likely(0.05) and go("A")

    async def on_crossing(self, message: str | None, prior: Step[Any]) -> Any:
        if self.flow.likely(0.1):
            raise LookupError(f"no message {self.flow.secret}")
        return self.flow.pick([message, None, "They crossed.", 5])

    @tool
    async def move(self, to: str) -> Any:
        """Moves."""
        await self.flow.mischief()
        return self.flow.route(to)

    @tool(effect="read")
    async def peek(self, to: str) -> Any:
        """Looks, and may want to move."""
        return self.flow.route(to) if self.flow.likely(0.3) else self.flow.n

    @tool
    async def hang(self) -> None:
        """Hangs."""
        await asyncio.Event().wait()


class A(Odd):
    @tool
    async def act(self, n: int) -> Any:
        """Adds."""
        self.flow.n += n
        self.save_state(seen=[*self.seen, str(n)])
        return self.flow.pick([stay("Stayed."), n, None, direct({"n": n})])


class B(Odd):
    waits = True
    memory = "b"
    card: str = state("", pii=True)

    @tool(pii="what", when=lambda step: step.flow.n % 3)
    async def act(self, what: str) -> Any:
        """Learns."""
        self.card = what
        return go(C).with_state(kept=[what]).with_prompt(f"With {what}.").with_message(f"Have {what}.")

    @tool
    async def clear(self) -> str:
        """Forgets."""
        self.forget()
        return "forgotten"


class C(Step["Maze"]):
    """Keep whatever comes, and decide about replies."""

    memory = "c"

    async def on_response(self, text: str) -> Any:
        await self.flow.mischief()
        self.save_state(last=text)
        self.forget() if self.flow.likely(0.1) else None
        return self.flow.pick(
            [text, None, "", text.upper(), A, B, stay("Once more."), direct("Shown."), L, go("zz"), 7]
        )

    @tool
    async def act(self) -> Any:
        """Goes on."""
        return self.flow.route(self.flow.pick([A, B, L, M]))


class L(LogicStep["Maze"]):
    runs: int = 0

    async def run_logic(self) -> Any:
        self.runs += 1
        if self.flow.likely(0.2):
            raise LookupError("no way")
        return self.flow.route(self.flow.pick([A, B, C, M, M, End if self.flow.likely(0.3) else A]))


class M(LogicStep["Maze"]):
    async def run_logic(self) -> Any:
        self.call.speak("In the middle.")
        return self.flow.pick([L, A, B, C, None, stay("Here."), direct("Shown."), 5])


class End(TerminateSessionStep["Maze"]):
    async def on_enter(self) -> None:
        self.call.speak("We are done.")


class Maze(Flow):
    """You are in a maze."""

    limits = Limits(
        exchanges=3,
        model_requests=5,
        tool_s=5,
        first_token_s=4,
        request_s=6,
        turn_s=60,
        transitions=4,
        identical_calls=2,
    )
    steps = (A, B, C, L, M, End)
    n: int = 1
    secret: str = state("", pii=True)

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def likely(self, part: float) -> bool:
        return self._chance.random() < part

    def pick(self, choices: Sequence[Any]) -> Any:
        return self._chance.choice(choices)

    def route(self, to: Any) -> Any:
        route = go(to)
        if self.likely(0.4):
            route = route.with_message("A message.")
        if self.likely(0.2):
            route = route.with_prompt("Attached.")
        if self.likely(0.2):
            route = route.with_state(kept=[1])
        return route.with_message(DirectMessage({"x": 1})) if self.likely(0.1) else route

    async def mischief(self) -> None:
        for _ in range(self._chance.randrange(4)):
            await asyncio.sleep(0)
        if self.likely(0.1):
            self.call.speak("A line.")
        if self.likely(0.05):
            self.call.reply("Say more.")
        if self.likely(0.02):
            self.call.end("by mischief")
        if self.likely(0.1):
            raise ValueError(f"mischief with {self.secret}")

    async def on_call(self) -> Any:
        self.secret = "4000123"
        if self.likely(0.3):
            self.call.reply()
        return self.pick([None, None, B, L, go(C).with_message("From the start."), End if self.likely(0.2) else None])

    async def on_event(self, name: str, data: dict[str, Any]) -> Any:
        await self.mischief()
        return self.pick([None, None, None, B, L, go("zz"), direct("By event."), End if self.likely(0.2) else None])

    async def on_end(self, reason: str) -> None:
        self.n = -1

    @tool
    async def person(self) -> str:
        """Gets a person."""
        return "coming"

    @tool(stage=(A, B))
    async def stop(self) -> Any:
        """Ends the call."""
        return End

    def render(self) -> str:
        return f"{self.stage} of {self.n}"


def a_reply(chance: random.Random) -> Any:
    """Write one item of a script."""
    if chance.random() < 0.4:
        return chance.choice(["Words.", "One. Two. Three.", "Said.", *strange_replies(chance, calls("act", n=1))])
    to = ["A", "B", "C", "L", "M", "zz"]
    some = [calls("act", n=chance.randrange(3)), calls("act", what="4000123"), calls("act"), raw_call("act", "{")]
    some += [
        calls("move", to=chance.choice(to)),
        calls("move", to=chance.choice(to)),
        calls("peek", to=chance.choice(to)),
    ]
    some += [calls("clear"), calls("person"), calls("no_such", what="4000123")]
    some += [calls("hang")] if chance.random() < 0.3 else []
    some += [calls("stop")] if chance.random() < 0.2 else []
    batch = chance.sample(some, chance.randrange(1, 4))
    return ["Said beside. ", *batch] if chance.random() < 0.5 else batch


def check_gate(log: Sequence[Entry]) -> None:
    """Check that what ran was a tool of its step, that it was visible, and that a step that waits had been answered."""
    refused = {data["call_id"] for data in datas(log, "cue.refused")}
    shown = tools_by_stage(Maze)
    fold, spoken = Fold(), False
    for one in log:
        if one.type == "state.changed" and "stage" in one.data["changed"]:
            spoken = False
        elif one.type == "turn.user" and one.data["text"].strip():
            spoken = True
        elif one.type == "tool.call" and one.data["call_id"] not in refused:
            stage = fold.state.app_state["stage"]
            (ran,) = (tool for tool in shown[stage] if tool.name == one.data["name"])
            assert ran.name in fold.state.tools_visible
            own = ran not in Maze.__declaration__.tools
            assert spoken or stage != "B" or ran.effect == "read" or not own
        fold.feed(one)


def check_ends(log: Sequence[Entry]) -> None:
    """Check that a call ends once, with nothing said or done after it, and that a turn ends in words or with it."""
    kinds = types(log)
    assert kinds.count("call.ended") <= 1
    if "call.ended" in kinds:
        assert set(kinds[kinds.index("call.ended") + 1 :]) <= {"state.changed", "tools.changed", "call.summary"}
    answered = {data["speech_id"] for data in datas(log, "turn.agent")}
    for one in entries(log, "cue.delivered"):
        assert one.data["speech_id"] in answered or kinds[one.seq : one.seq + 1] == ["call.ended"], one


def check_moves(log: Sequence[Entry]) -> None:
    """Check that each move is one change of the stage and one crossing, and begins where the last one led."""
    stage = None
    for one in log:
        if one.type == "state.changed":
            stage = one.data["state"]["stage"]
        elif one.type == "cue.crossing" and one.data["from"] != one.data["to"]:
            assert one.data["to"] == stage
    changes = [one for one in entries(log, "state.changed") if "stage" in one.data["changed"]]
    crossed = [data for data in datas(log, "cue.crossing") if data["from"] != data["to"]]
    assert len(changes) - 1 <= len(crossed) <= len(changes)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_whatever_happens_a_flow_keeps_its_promises(seed: int) -> None:
    chance = random.Random(seed)
    call = run(lives(chance, lambda: Maze(chance), a_reply))
    check_gate(call.log)
    check_ends(call.log)
    check_moves(call.log)
    assert "4000123" not in str([one.data for one in call.log])
    assert "4000123" not in str(call.state.app_state)


async def crashes(chance: random.Random) -> Any:
    """Talk, crash after some append, and take the call up again; gives it as it was then."""
    store = WatchedStore()
    call = rehearse(lambda: Maze(chance), Script(*(a_reply(chance) for _ in range(100))), store=store)
    await settled(call, asyncio.ensure_future(call.__aenter__()))
    for number in range(4):
        if call.state.status != "ended":
            say = call.say(f"message {number}", id=f"m{number}") if chance.random() < 0.8 else call.event("ring")
            await settled(call, asyncio.ensure_future(say))
    await call.__aexit__(None, None, None)
    crashed = await store.crashed_after(chance.randrange(1, len(store.appends) + 1))
    before = [one.entry for one in await crashed.read(call.id)]
    again = rehearse(lambda: Maze(chance), Script(*["Fine."] * 20), store=crashed, resume=call.id)
    await settled(again, asyncio.ensure_future(again.__aenter__()))
    assert types(again.log)[: len(before)] == types(before)
    users = datas(before, "turn.user")
    if again.state.status != "ended":
        said = asyncio.ensure_future(again.say("again", id=users[-1]["item_id"] if users else None))
        await settled(again, said)
        await said
    await again.__aexit__(None, None, None)
    check(again)
    third = rehearse(lambda: Maze(chance), Script(), store=crashed, resume=call.id)
    await settled(third, asyncio.ensure_future(third.__aenter__()))
    await third.__aexit__(None, None, None)
    assert third.log == again.log, "resuming a whole log writes nothing"
    assert third.agent.current.saved == again.agent.current.saved
    return again


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_a_crash_at_any_moment_breaks_no_promise_either(seed: int) -> None:
    call = run(crashes(random.Random(seed)))
    check_gate(call.log)
    check_ends(call.log)
    check_moves(call.log)
