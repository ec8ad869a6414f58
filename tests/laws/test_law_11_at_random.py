"""Law 11 at random: whatever the model, the caller and the clock do, nothing guarded runs without a yes to exactly it.

The model proposes, answers for the caller, and claims what it likes; callers answer, ask back, say nothing, cut in and
write twice; the call is let go of, or crashes, and is taken up again. All of it runs on the loop: a seed is one story.
"""

import asyncio
import random
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from pydantic import BeforeValidator

from cuelight import Agent, CallEnded, Flow, Limits, LogicStep, Step, TerminateSessionStep, direct, go, state, tool
from cuelight.testing import Script, calls, raw_call, rehearse
from lawbook import WatchedStore, check_log, check_messages, datas, results, run
from lives import settled, strange_replies
from yeses import check_yeses

SEEDS = 150
GUARDED = {"book", "pay", "peek", "hang"}
LIMITS = Limits(model_requests=5, tool_s=5, first_token_s=4, request_s=6, turn_s=60, identical_calls=3, confirm_s=20)

Few = Annotated[int, BeforeValidator(lambda value: min(int(value), 6))]


def _ran(owner: Any, phrase: str, **arguments: Any) -> None:
    owner.call.log("ran", {"key": owner.call.tool.key, "arguments": arguments, "phrase": phrase})


def _question(owner: Any, amount: int, note: str) -> str:
    if amount == 13:
        raise ValueError("no such amount")
    return "" if amount == 0 else f"Pay {amount} ({note})?"


class Calm:
    """Keep what happens on the loop."""

    async def on_call(self) -> None:
        """Do nothing."""

    async def on_end(self, reason: str) -> None:
        """Do nothing."""


class Desk(Calm, Agent):
    """You are a desk."""

    limits = LIMITS
    stage: Literal["open", "shut"] = "open"
    paid: int = 0
    blocked: bool = False
    seen: list[str] = state([])

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    @tool(confirm="Shall I book {slot} for {people}, after {paid}?", effect="irreversible", stage="open")
    async def book(self, slot: str, people: Few = 2) -> Any:
        """Books."""
        _ran(self, f"Shall I book {slot} for {people}, after {self.paid}?", slot=slot, people=people)
        if self._chance.random() < 0.2:
            raise ValueError("full")
        return self._chance.choice(["booked", None, go("shut"), direct(f"Booked {slot}.")])

    @tool(confirm=_question, when=lambda desk: not desk.blocked)
    async def pay(self, amount: int, note: str = "-") -> str:
        """Pays."""
        _ran(self, _question(self, amount, note), amount=amount, note=note)
        self.paid += amount
        if self._chance.random() < 0.3:
            self.call.speak("Paying.")
        return "paid"

    @tool(confirm="May I look?", effect="read")
    async def peek(self) -> int:
        """Looks closely."""
        _ran(self, "May I look?")
        return self.paid

    @tool(confirm="Shall I hang?")
    async def hang(self) -> None:
        """Hangs."""
        _ran(self, "Shall I hang?")
        await asyncio.Event().wait()

    @tool(effect="read")
    async def look(self) -> int:
        """Looks."""
        await asyncio.sleep(0)
        return self.paid

    @tool
    async def change(self) -> Any:
        """Changes something."""
        what = self._chance.randrange(6)
        if what == 0:
            self.blocked = not self.blocked
        elif what == 1:
            self.paid += 1
        elif what == 2:
            self.call.speak("Something changed.")
        elif what == 3 and self._chance.random() < 0.3:
            self.call.end()
        return self._chance.choice(["changed", go("shut"), go("open"), direct("Look.")])

    async def on_event(self, name: str, data: dict[str, Any]) -> Any:
        what = self._chance.randrange(4)
        if what == 0:
            self.call.speak("By the way.")
        elif what == 1:
            self.call.reply("Say something.")
        elif what == 2:
            self.paid += 1
        return self._chance.choice([None, None, go("open"), go("shut")])


class Front(Step["House"]):
    people: int = 1

    @tool(confirm="Shall I book {slot} for {people} at the front?", effect="irreversible")
    async def book(self, slot: str, people: Few = 2) -> Any:
        """Books at the front."""
        _ran(self, f"Shall I book {slot} for {people} at the front?", slot=slot, people=people)
        return self.flow.pick(["booked", Back, Code, End])

    @tool
    async def change(self) -> Any:
        """Goes on."""
        self.people += 1
        return self.flow.pick([Back, Code, "changed", End if self.flow.pick([True, False]) else Back])


class Back(Step["House"]):
    waits = True
    memory = "back"

    @tool(confirm="Shall I book {slot}?", effect="irreversible")
    async def book(self, slot: str, people: Few = 2) -> Any:
        """Books at the back."""
        _ran(self, f"Shall I book {slot}?", slot=slot, people=people)
        self.forget()
        return self.flow.pick(["booked", Front, direct("Booked.")])

    @tool
    async def change(self) -> Any:
        """Goes back."""
        return self.flow.pick([Front, go(Front).with_message("Back again."), "changed"])


class Code(LogicStep["House"]):
    async def run_logic(self) -> Any:
        return self.flow.pick([Front, Back, go(Front).with_message("By code.")])


class End(TerminateSessionStep["House"]):
    pass


class House(Calm, Flow):
    """You are a house."""

    limits = LIMITS
    steps = (Front, Back, Code, End)
    paid: int = 0

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def pick(self, choices: list[Any]) -> Any:
        return self._chance.choice(choices)

    @tool(confirm=_question)
    async def pay(self, amount: int, note: str = "-") -> str:
        """Pays."""
        _ran(self, _question(self, amount, note), amount=amount, note=note)
        return "paid"

    @tool(effect="read")
    async def look(self) -> int:
        """Looks."""
        return 1

    async def on_event(self, name: str, data: dict[str, Any]) -> Any:
        if self.pick([True, False]):
            self.call.speak("By the way.")
        else:
            self.call.reply("Say something.")
        return self.pick([None, None, Back, Front])


# --- who does what ----------------------------------------------------------------------------------------------------


def a_reply(chance: random.Random, ids: list[str]) -> Callable[[Any], Any]:
    """Write one item of a script: an answer for the caller, also for what nobody asked, calls, words, or worse."""

    def reply(request: Any) -> Any:
        ids.extend(call_id for call_id, _ in request.pending)
        kind = chance.random()
        if kind < (0.7 if request.pending else 0.05):
            return an_answer(chance, [call_id for call_id, _ in request.pending], ids)
        if kind < 0.85:
            beside = ["Said beside. "] if chance.random() < 0.3 else []
            return [*beside, *some_calls(chance)]
        return chance.choice(["Words.", "Shall I book 10 for 2, after 0?", "Booked, all done."])

    if chance.random() < 0.06:
        return chance.choice(strange_replies(chance, calls("book", slot="10")))
    return reply


def an_answer(chance: random.Random, pending: list[str], ids: list[str]) -> Any:
    """Claim to know what the caller said, mostly to what they were asked, alone or beside other calls."""
    known = pending or ids[-3:] or ["tool-1-1"]
    call_id = known[0] if chance.random() < 0.85 else chance.choice([*ids, *known])
    answer = chance.choice(["yes", "yes", "yes", "yes", "yes", "no", "other"])
    claim = calls("answer_confirmation", call_id=call_id, answer=answer)
    if chance.random() < 0.75:
        return claim
    more = [claim, claim, *some_calls(chance)]
    chance.shuffle(more)
    return more


def some_calls(chance: random.Random) -> list[Any]:
    """Write some calls, guarded ones among them."""
    slots = ["10", "11"]
    some = [calls("book", slot=chance.choice(slots)), calls("book", slot=chance.choice(slots), people=9)]
    some += [calls("book", slot="10"), calls("pay", amount=5), calls("pay", amount=chance.choice([0, 7, 13]))]
    some += [calls("pay", amount=5, note="n"), calls("change"), calls("peek"), calls("look"), calls("look")]
    some += [raw_call("book", "{"), calls("answer_confirmation", call_id="x", answer="yes")]
    some += [calls("hang")] if chance.random() < 0.2 else []
    some += [raw_call("answer_confirmation", "{}")] if chance.random() < 0.2 else []
    return chance.sample(some, chance.choice([1, 1, 1, 2, 3]))


YES = ["yes", "Yes, please.", "sure, go ahead", "ok"]
OTHER = ["no", "No, thanks.", "what did you say?", "yes, but at 11", "yes?", "book it", "", "  ", "yes no", "maybe"]


def words(chance: random.Random) -> str:
    return chance.choice(YES if chance.random() < 0.7 else OTHER)


def say(chance: random.Random, call: Any, came_in: dict[str, int], *, rests: bool) -> "asyncio.Task[Any]":
    """Say something that no other words of the call are quite like."""
    text = words(chance)
    text += "." * len(came_in) if text.strip() else ""
    came_in[text] = call.live.state.seq if rests else 9999
    return asyncio.create_task(call.say(text, chance.choice([None, f"m{chance.randrange(9)}"])))


async def finish(call: Any, work: list[Any]) -> None:
    """Let work be done; the clock moves for what hangs alone."""
    for _ in range(99):
        if all(one.done() for one in work):
            return
        await asyncio.sleep(0)
    await settled(call, *work)


async def act(chance: random.Random, call: Any, work: list[Any], came_in: dict[str, int]) -> None:
    """Do one thing to a call, perhaps in the middle of another."""
    rests = all(one.done() for one in work)
    acts = {"say": 70, "twice": 8, "event": 9, "interrupt": 7, "prepare": 4, "advance": 7, "late": 3, "hang_up": 1}
    match chance.choices([*acts], [*acts.values()])[0]:
        case "say":
            work.append(say(chance, call, came_in, rests=rests))
        case "twice":
            work += [say(chance, call, came_in, rests=rests) for _ in range(2)]
        case "event":
            work.append(asyncio.create_task(call.event("ring")))
        case "interrupt":
            phrase = next((one.phrase for one in call.live.state.confirms if one.status == "pending"), "")
            call.interrupt(chance.choice([None, "", "Shall", phrase, phrase[:-3], f"Words.\n{phrase}"]))
        case "prepare":
            call.prepare(words(chance))
        case "advance":
            await call.advance(chance.choice([1, 5, 19]))
        case "late":
            await call.advance(21)
        case "hang_up":
            work.append(asyncio.create_task(call.hang_up()))
    if chance.random() < 0.8:
        await finish(call, work)
    for _ in range(chance.randrange(6)):
        await asyncio.sleep(0)


async def story(seed: int, agent: Callable[[random.Random], Any]) -> int:
    """Live through a call, and look at its log; gives how many effects there were."""
    chance = random.Random(seed)
    ids: list[str] = []
    script = Script(*(a_reply(chance, ids) for _ in range(150)))
    store: Any = WatchedStore()
    resume: str | None = None
    restarts: list[int] = []
    came_in: dict[str, int] = {}
    for _ in range(chance.choice([1, 1, 2, 3])):
        call = rehearse(lambda: agent(chance), script, store=store, resume=resume)
        await call.__aenter__()
        if resume is not None:
            restarts.append(len(call.log))
        resume = call.id
        work: list[Any] = []
        for _ in range(chance.randrange(3, 10)):
            if call.live.ended is None:
                await act(chance, call, work, came_in)
        if chance.random() < 0.7:
            await finish(call, work)
        await call.__aexit__(None, None, None)
        for ended in await asyncio.gather(*work, return_exceptions=True):
            if isinstance(ended, BaseException) and not isinstance(ended, CallEnded | asyncio.CancelledError):
                raise ended
        for request in call.requests[-3:]:
            check_messages(request.messages)
        if chance.random() < 0.3 and len(store.appends) > 1:  # it crashed before all of that was stored
            kept = chance.randrange(1, len(store.appends) + 1)
            crashed, store = store.appends[:kept], WatchedStore()
            for records in crashed:
                await store.append(call.id, records[0].entry.seq - 1, records)
            restarts = [length for length in restarts if length <= crashed[-1][-1].entry.seq]
    call = rehearse(lambda: agent(chance), Script(*["Fine."] * 9), store=store, resume=resume)
    await call.__aenter__()
    restarts.append(len(call.log))
    await call.hang_up()
    await call.__aexit__(None, None, None)
    log = call.log
    if seed % 10 == 0:  # it takes longer than the story
        check_log(log)
    assert sorted(d["call_id"] for d in datas(log, "tool.call")) == sorted(d["call_id"] for d in results(log))
    return check_yeses(log, GUARDED, restarts=restarts, came_in=came_in)


@pytest.mark.parametrize("block", range(9))
def test_nothing_guarded_runs_without_its_yes(block: int) -> None:
    effects = sum(run(story(seed, Desk)) for seed in range(block * SEEDS, (block + 1) * SEEDS))
    assert effects > SEEDS // 5, "the stories test nothing"


@pytest.mark.parametrize("block", range(5))
def test_nothing_guarded_runs_without_its_yes_in_flows(block: int) -> None:
    effects = sum(run(story(seed, House)) for seed in range(block * SEEDS, (block + 1) * SEEDS))
    assert effects > SEEDS // 5, "the stories test nothing"
