"""Lives of a call at random: messages, events, interruptions, hang-ups, hung tools and models, in any order."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

from cuelight import CallEnded
from cuelight.stores import MemoryStore
from cuelight.testing import Script, rehearse
from lawbook import check, check_messages, datas, results

__all__ = ["lives", "settled", "strange_replies"]


def strange_replies(chance: random.Random, call_: Any) -> list[Any]:
    """Give replies that are no tool calls, as they should not come: empty, cut off, late, or never.

    Args:
        chance: what decides.
        call_: a call that a late one may hold.
    """

    async def mute(request: Any) -> str:
        await asyncio.Event().wait()
        return "never"

    async def slow(request: Any) -> Any:
        for _ in range(chance.randrange(10)):
            await asyncio.sleep(0)
        return ["Slow words. ", call_] if chance.random() < 0.5 else "Slow words."

    return ["", "  ", RuntimeError("lost"), ["Half ", RuntimeError("lost")], mute, slow, slow]


async def settled(call: Any, *work: "asyncio.Future[Any]") -> None:
    """Move the clock until work is done."""
    for _ in range(300):
        if all(one.done() for one in work):
            return
        await call.clock.advance(4)
    raise AssertionError("something is stuck")


async def _one_life(chance: random.Random, call: Any) -> None:  # noqa: C901 - one of many things, each in a line
    """Do things to a call, at any moment, some of them in the middle of others."""
    work: list[asyncio.Task[Any]] = []
    acts = {
        "say": 40, "event": 10, "interrupt": 15, "prepare": 7, "advance": 18, "hang_up": 2, "cancel": 8,
    }  # fmt: skip
    for step in range(chance.randrange(3, 14)):
        words = f"message {step} 4000123" if chance.random() < 0.9 else "  "
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


async def lives(chance: random.Random, agent: Callable[[], Any], reply: Callable[[random.Random], Any]) -> Any:
    """Live through a call, let go of now and then, and look at what is left.

    Args:
        chance: what decides.
        agent: makes the agent.
        reply: makes one item of a script.

    Returns:
        The call as it was taken up last.
    """
    store, script = MemoryStore(), Script(*(reply(chance) for _ in range(200)))
    resumed: dict[str, str] = {}

    async def taken_up(model: Script) -> Any:
        call = rehearse(agent, model, store=store, **resumed)
        await settled(call, asyncio.ensure_future(call.__aenter__()))
        resumed["resume"] = call.id
        return call

    for _ in range(chance.randrange(1, 4)):
        await _one_life(chance, await taken_up(script))
    last = await taken_up(Script(*["Fine."] * 20))
    if last.state.status != "ended":
        saying = asyncio.ensure_future(last.say("goodbye"))
        await settled(last, saying)
        await saying
    await last.__aexit__(None, None, None)
    check(last)
    assert {data["call_id"] for data in datas(last.log, "tool.call")} == {d["call_id"] for d in results(last.log)}
    return last
