"""Law 11 after a restart: questions survive it, the phrase comes again before a yes counts, nothing runs by itself."""

from typing import Any

import pytest
from msgspec.structs import replace

from cuelight import Agent, Flow, Step, tool
from cuelight.log import Record, fork, scrub
from cuelight.stores import MemoryStore
from cuelight.testing import Script, answers, calls, rehearse
from cuelight.wire import entry
from lawbook import WatchedStore, check_log, datas, entries, rehearsing, results, types
from yeses import check_yeses, declined, statuses


class Desk(Agent):
    """You are a desk."""

    done: list[str] = []

    @tool(confirm="Shall I book {slot} for {people}?", effect="irreversible")
    def book(self, slot: str, people: int = 2) -> str:
        """Books."""
        self.call.log("ran", {"key": self.call.tool.key, "arguments": {"slot": slot, "people": people}})
        self.done.append(f"{slot} for {people}")
        return f"booked {slot}"

    @tool
    def note(self) -> str:
        """Notes."""
        return "noted"


ASKED = "Shall I book 10 for 2?"
BOOK = calls("book", slot="10")
TALK = ("book 10", "weather?", "yes", "book 11 and 12", "no", "yes")


def script() -> Script:
    two = [calls("note"), calls("book", slot="11"), calls("book", slot="12"), calls("note")]
    return Script(
        BOOK, "Sunny.", answers("yes"), "Booked.", two, answers("no"), "Not 11.", answers("yes"), "But 12.", "Fine."
    )


async def test_a_crash_after_any_append_leaves_what_waits_waiting_and_what_ran_run() -> None:
    store = WatchedStore()
    async with rehearsing(Desk, script(), store=store) as call:
        for number, words in enumerate(TALK):
            await call.say(words, id=f"m{number}")
        assert call.agent.done == ["10 for 2", "12 for 2"]
        assert check_yeses(call.log, {"book"}) == 2
    for kept in range(1, len(store.appends) + 1):
        crashed = await store.crashed_after(kept)
        before = [record.entry for record in await crashed.read(call.id)]
        pending = {data["call_id"] for data in datas(before, "confirm.request")}
        pending -= {data["call_id"] for data in datas(before, "confirm.granted", "confirm.declined")}
        begun = {data["call_id"] for data in datas(before, "confirm.granted")} - {r["call_id"] for r in results(before)}
        yes = Script(*["Hello.", answers("yes"), "Well."] * 2, *["Well."] * 3) if pending else Script(*["Well."] * 9)
        async with rehearse(Desk, yes, store=crashed, resume=call.id) as again:
            taken = [one.call_id for one in again.state.confirms if one.status == "pending"]
            assert set(taken) == pending
            ran = again.agent.done
            unknown = {data["call_id"] for data in datas(again.log, "cue.unknown")}
            assert begun <= unknown
            assert not unknown & pending
            first = await again.say("hello")
            assert again.agent.done == ran, "nothing runs by itself"
            if pending:
                phrase = next(one.phrase for one in again.state.confirms if one.call_id == taken[0])
                assert first.text.endswith(phrase)
                await again.say("yes")
                assert len(again.agent.done) == len(ran) + 1
            await again.hang_up()
        check_log(again.log)
        assert {d["call_id"] for d in datas(again.log, "tool.call")} == {r["call_id"] for r in results(again.log)}
        check_yeses(again.log, {"book"}, restarts=[len(before)])


async def asking(store: Any) -> Any:
    async with rehearsing(Desk, Script(BOOK), store=store) as call:
        await call.say("book 10")
    return call


async def test_taking_a_question_up_writes_nothing_and_a_yes_counts_when_the_phrase_came_again() -> None:
    store = MemoryStore()
    call = await asking(store)
    for _ in range(2):
        async with rehearse(Desk, Script(), store=store, resume=call.id) as again:
            assert again.log == call.log
            assert again.state.tools_visible[-1] == "answer_confirmation"
    model = Script(answers("yes"), "One moment.", answers("yes"), "Done.")
    async with rehearse(Desk, model, store=store, resume=call.id) as again:
        assert (await again.say("yes")).text == f"One moment.\n{ASKED}"
        assert again.agent.done == []
        assert "waits: the caller is asked" in again.requests[0].view
        await again.say("yes")
        assert again.agent.done == ["10 for 2"]
        assert check_yeses(again.log, {"book"}, restarts=[len(call.log)]) == 1


async def test_a_yes_that_the_crash_swallowed_is_none_even_when_the_message_comes_again() -> None:
    store = WatchedStore()
    async with rehearsing(Desk, Script(BOOK, answers("yes"), "Done."), store=store) as call:
        await call.say("book 10", id="m0")
        await call.say("yes", id="m1")
    kept = next(n for n, kinds in enumerate(store.types) if "confirm.granted" in kinds)
    crashed = await store.crashed_after(kept)
    async with rehearse(Desk, Script(answers("yes"), "One moment."), store=crashed, resume=call.id) as again:
        assert types(again.log)[-1] == "turn.user"
        assert (await again.say("yes", id="m1")).text == f"One moment.\n{ASKED}"
        assert again.agent.done == []


class Reminding(Desk):
    """You are a desk that reminds."""

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        self.call.reply("Remind them.")


async def test_words_of_before_that_come_again_answer_nothing_that_was_asked_since() -> None:
    store = WatchedStore()
    async with rehearsing(Reminding, Script(BOOK, "One moment."), store=store) as call:
        await call.say("book 10", id="m0")
        await call.say("yes", id="m1")
    kept = max(number for number, kinds in enumerate(store.types, 1) if "turn.user" in kinds)
    model = Script("Are you there?", answers("yes"), "One moment.")
    async with rehearse(Reminding, model, store=await store.crashed_after(kept), resume=call.id) as again:
        assert datas(again.log, "turn.user")[-1]["text"] == "yes"
        assert (await again.event("remind")).text == f"Are you there?\n{ASKED}"
        assert (await again.say("yes", id="m1")).text == f"One moment.\n{ASKED}"
        assert again.agent.done == []


# --- a log that was tampered with -------------------------------------------------------------------------------------


async def changed(store: MemoryStore, call: str, type_: str, **changes: Any) -> MemoryStore:
    """Give a store with the log of a call, in which the entries of a type say something else."""
    other = MemoryStore()
    records = []
    for record in await store.read(call):
        one = record.entry
        if one.type == type_:
            one = entry(one.type, {**one.data, **changes}, seq=one.seq, ts=one.ts, call=one.call, agent=one.agent)
        records.append(replace(record, entry=one, private=None))
    await other.append(call, 0, records)
    return other


@pytest.mark.parametrize(
    ("type_", "changes"),
    [
        ("confirm.request", {"audience": "0" * 64}),
        ("confirm.request", {"arguments": {"slot": "10", "people": 9}}),
        ("confirm.request", {"phrase": "Shall I read the news?"}),
        ("tool.call", {"arguments": {"slot": "10", "people": 9}}),
        ("tool.call", {"arguments": {"slot": 10}}),
        ("tool.call", {"arguments": {"slot": "10", "more": 1}}),
    ],
)
async def test_a_yes_is_to_none_but_what_was_asked_about_whatever_the_log_says_later(
    type_: str, changes: dict[str, Any]
) -> None:
    store = MemoryStore()
    call = await asking(store)
    tampered = await changed(store, call.id, type_, **changes)
    async with rehearse(Desk, Script("So?", answers("yes"), "Well."), store=tampered, resume=call.id) as again:
        await again.say("hello")
        assert (await again.say("yes")).text == f"{again.agent.wording.gone_line}\nWell."
        assert (again.agent.done, declined(again.log)) == ([], [("book", "cancelled")])


@pytest.mark.parametrize("type_", ["confirm.request", "tool.call"])
async def test_a_question_about_another_tool_is_not_taken_up(type_: str) -> None:
    store = MemoryStore()
    call = await asking(store)
    tampered = await changed(store, call.id, type_, **({"tool": "note"} if type_ == "confirm.request" else {}))
    if type_ == "tool.call":  # its result is there already, so there is nothing left to ask
        await tampered.append(call.id, len(call.log), [Record(await _result(call))])
    async with rehearse(Desk, Script(answers("no"), "So?"), store=tampered, resume=call.id) as again:
        if type_ == "tool.call":
            assert again.agent.done == []
            assert len(results(again.log)) == 1
            return
        assert statuses(again) == [("note", "declined", "cancelled")]
        assert "cannot be asked any more" in results(again.log)[0]["error"]


async def _result(call: Any) -> Any:
    call_id = call.state.confirms[0].call_id
    data = {"call_id": call_id, "name": "book", "output": "booked"}
    return entry("tool.result", data, seq=len(call.log) + 1, ts=0, call=call.id, agent="desk")


# --- another class ----------------------------------------------------------------------------------------------------


class Unguarded(Agent):
    """You are a desk."""

    done: list[str] = []

    @tool
    def book(self, slot: str, people: int = 2) -> None:
        """Books, unguarded."""
        self.done.append(slot)


class Renamed(Agent):
    """You are a desk."""

    done: list[str] = []

    @tool(confirm="Reserve {slot}?")
    def reserve(self, slot: str) -> None:
        """Reserves."""
        self.done.append(slot)


class Widened(Agent):
    """You are a desk."""

    done: list[str] = []

    @tool(confirm="Shall I book {slot} for {people}?")
    def book(self, slot: str, people: int = 2, smoking: bool = True) -> None:
        """Books more than was asked about."""
        self.done.append(slot)


class Stricter(Agent):
    """You are a desk."""

    done: list[str] = []

    @tool(confirm="Shall I book {slot} for {people}?")
    def book(self, slot: str, people: int) -> None:
        """Books, with a number that must be given."""
        self.done.append(slot)


@pytest.mark.parametrize("today", [Unguarded, Renamed])
async def test_a_class_without_such_a_guarded_tool_withdraws_the_question_and_the_model_says_so(today: Any) -> None:
    store = MemoryStore()
    call = await asking(store)
    async with rehearse(today, Script("It cannot be booked any more."), store=store, resume=call.id) as again:
        assert statuses(again) == [("book", "declined", "cancelled")]
        await again.say("yes")
        assert "cannot be asked any more" in again.requests[0].view
        assert again.agent.done == []
    async with rehearse(today, Script(), store=store, resume=call.id) as third:
        assert third.log == again.log


@pytest.mark.parametrize("today", [Widened, Stricter])
async def test_a_class_whose_tool_would_do_something_else_does_not_do_it(today: Any) -> None:
    store = MemoryStore()
    call = await asking(store)
    async with rehearse(today, Script("So?", answers("yes"), "Well."), store=store, resume=call.id) as again:
        await again.say("hello")
        assert (await again.say("yes")).text.startswith("I'm sorry, that can no longer be done")
        assert (again.agent.done, declined(again.log)) == ([], [("book", "cancelled")])


class A(Step["Two"]):
    @tool(confirm="Shall I book {slot} for {people}?")
    def book(self, slot: str, people: int = 2) -> None:
        """Books in a flow."""
        self.flow.done.append(slot)


class Two(Flow):
    """You are a desk."""

    steps = (A,)
    done: list[str] = []


async def test_an_agent_that_became_a_flow_withdraws_what_no_step_had_asked() -> None:
    store = MemoryStore()
    call = await asking(store)
    async with rehearse(Two, Script("Well."), store=store, resume=call.id) as again:
        assert statuses(again) == [("book", "declined", "cancelled")]
        await again.say("yes")
        assert again.agent.done == []


class Before(Step["Two"]):
    was = ("A",)

    @tool(confirm="Shall I book {slot} for {people}?")
    def book(self, slot: str, people: int = 2) -> None:
        """Books, in a step that had another name."""
        self.flow.done.append(slot)


class Renaming(Flow):
    """You are a desk."""

    steps = (Before,)
    done: list[str] = []


async def test_a_step_that_was_renamed_still_asks_its_question() -> None:
    store = MemoryStore()
    async with rehearsing(Two, Script(BOOK), store=store) as call:
        await call.say("book 10")
    async with rehearse(Renaming, Script("So?", answers("yes"), "Done."), store=store, resume=call.id) as again:
        assert (await again.say("hello")).text == f"So?\n{ASKED}"
        await again.say("yes")
        assert again.agent.done == ["10"]


# --- erased, forked ---------------------------------------------------------------------------------------------------


class Discreet(Agent):
    """You are discreet."""

    done: list[str] = []

    @tool(confirm="Shall I call them?", pii="name")
    def phone(self, name: str, note: str = "") -> None:
        """Phones."""
        self.done.append(name)


@pytest.mark.parametrize("arguments", [{"name": "Ada Byrne"}, {"name": "Ada Byrne", "note": "for Ada Byrne"}])
async def test_a_question_whose_private_part_was_erased_is_withdrawn(arguments: dict[str, str]) -> None:
    store = MemoryStore()
    async with rehearsing(Discreet, Script(calls("phone", **arguments)), store=store) as call:
        await call.say("phone her")

    def closing(last: Any) -> Any:
        return entry("cue.erased", {"at": 1}, seq=last.seq + 1, ts=1, call=last.call, agent=last.agent)

    await store.erase(call.id, scrub(closing))
    async with rehearse(Discreet, Script("Well."), store=store, resume=call.id) as again:
        assert statuses(again) == [("phone", "declined", "cancelled")]
        await again.say("yes")
        assert again.agent.done == []


async def test_a_fork_carries_no_yes_and_says_what_was_not_run() -> None:
    store = WatchedStore()
    async with rehearsing(Desk, Script(BOOK, answers("yes"), "Done."), store=store) as call:
        await call.say("book 10")
        await call.say("yes")
    (request,), (grant,) = entries(call.log, "confirm.request"), entries(call.log, "confirm.granted")
    (effect,) = entries(call.log, "custom")
    for seq in range(request.seq, len(call.log) + 1):
        forked = MemoryStore()
        await forked.append("fork", 0, [Record(one) for one in fork(call.log, seq, call="fork")])
        async with rehearse(Desk, Script("Well.", "Well."), store=forked, resume="fork") as again:
            (one,) = (result for result in results(again.log) if result["name"] == "book")
            if seq < grant.seq:
                assert "Not run" in one["error"]
                assert "book" not in [data["name"] for data in datas(again.log, "cue.unknown")]
            elif seq <= effect.seq:
                assert "Outcome unknown" in one["error"]
            await again.say("yes")
            assert ("broke off first" in again.requests[0].view) == (seq < grant.seq)
            assert len(datas(again.log, "custom")) == (seq >= effect.seq)
            assert not [one for one in again.state.confirms if one.status == "pending"]
