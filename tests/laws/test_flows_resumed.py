"""A flow taken up again from its log: in every step, after a crash at any moment, by another version of its class."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from cuelight import Flow, LogicStep, Step, TerminateSessionStep, go, state, stay, tool
from cuelight.log import MASK, Record, fork, scrub
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls, rehearse
from cuelight.wire import entry
from lawbook import (
    WatchedStore,
    check_messages,
    datas,
    entries,
    errors,
    heard,
    rehearsing,
    results,
    talk,
    told,
    types,
)  # fmt: skip

HOOKS: Counter[str] = Counter()
"""How often each hook ran, which no crash undoes."""


@pytest.fixture(autouse=True)
def _no_hook_has_run() -> None:
    HOOKS.clear()


@dataclass
class Pet:
    kind: str
    age: int = 1


class Visited(Step["Visit"]):
    entered: int = 0

    def on_enter(self) -> None:
        HOOKS[f"{type(self).__name__}.on_enter"] += 1
        self.entered += 1
        self.call.log("entered", {"step": type(self).__name__})

    def on_exit(self) -> None:
        HOOKS[f"{type(self).__name__}.on_exit"] += 1
        self.flow.left.append(type(self).__name__)


class Who(Visited):
    waits = True
    phone: str | None = state(None, pii=True)
    pets: list[Pet] = []

    @tool(pii="phone")
    def record(self, phone: str, kinds: list[str]) -> Any:
        """Records who is calling."""
        self.phone, self.pets = phone, [Pet(kind) for kind in kinds]
        return go(Sort).with_tool_feedback("Recorded.").with_message("The pets are known.")


class Sort(LogicStep["Visit"]):
    sorted_: int = 0

    def run_logic(self) -> Any:
        self.sorted_ += 1
        ill = [pet for pet in self.flow.step(Who).pets if pet.kind == "cat"]
        return go(Examine).with_state(found=len(ill)).with_prompt(f"Examine {len(ill)} cats.") if ill else go(Book)


class Examine(Visited):
    memory = "examination"
    found: int = 0
    notes: dict[str, list[int]] = {}

    def get_prompt(self) -> str:
        return super().get_prompt() or "Examine."

    def on_crossing(self, message: str | None, prior: Step[Any]) -> str:
        return f"{message} Come from {type(prior).__name__}."

    @tool
    def note(self, name: str, values: list[int]) -> str:
        """Notes something."""
        self.notes[name] = values
        return "noted"

    def on_response(self, text: str) -> Any:
        if text.startswith("VERDICT"):
            self.notes["verdict"] = [len(text)]
            return go(Book).with_state({"urgent": True, "seen": {"by": ["Ada", 1]}}).with_message(text)
        return text


class Book(Step["Visit"]):
    waits = True

    @tool
    def note(self, day: str) -> Any:
        """Notes the day."""
        self.save_state(day=day, tries=self.saved.get("tries", 0) + 1)
        return stay("Not on Sundays.") if day == "Sunday" else go(TerminateSessionStep).with_prompt(f"Until {day}!")


class Visit(Flow):
    """You are a practice."""

    steps = (Who, Sort, Examine, Book, TerminateSessionStep)
    left: list[str] = []


TALK = ["hello", "600 123 456, two cats", "they cough", "what now?", "Sunday?", "Monday then", "bye"]
MODEL: list[Any] = [
    "Who is calling?",
    calls("record", phone="600 123 456", kinds=["cat", "cat"]), "What is wrong with them?",
    [calls("note", name="cough", values=[1, 2])], "Do they sneeze?",
    "VERDICT flu", "Which day?",
    calls("note", day="Sunday"), "Not on Sundays. Which day?",
    calls("note", day="Monday"), "Goodbye.",
]  # fmt: skip


def looks(request: Any) -> tuple[Any, ...]:
    return request.stage, request.tools, request.view, request.static, request.messages


async def whole() -> Any:
    async with rehearsing(Visit, Script(*MODEL)) as call:
        for words in TALK[:-1]:
            await call.say(words)
        assert call.state.status == "ended"
    return call


async def test_a_flow_let_go_of_after_every_turn_goes_as_one_that_never_was() -> None:
    straight = await whole()
    store, script, asked = MemoryStore(), Script(*MODEL), []
    again: dict[str, str] = {}
    stages = []
    for words in TALK[:-1]:
        async with rehearsing(Visit, script, store=store, **again) as call:
            stages.append(call.agent.stage)
            await call.say(words)
            again = {"resume": call.id}
            asked += call.requests
    assert stages == ["Who", "Who", "Examine", "Examine", "Book", "Book"]
    assert call.log == straight.log
    assert [looks(request) for request in asked] == [looks(request) for request in straight.requests]


async def test_what_is_taken_up_has_its_types_again() -> None:
    store = MemoryStore()
    async with rehearsing(Visit, Script(*MODEL), store=store) as call:
        for words in TALK[:4]:
            await call.say(words)
    async with rehearsing(Visit, Script(), store=store, resume=call.id) as again:
        flow = again.agent
        assert flow.stage == "Book"
        assert flow.step(Who).pets == [Pet("cat"), Pet("cat")]
        assert flow.step(Who).phone == "600 123 456"
        assert flow.step(Examine).notes == {"cough": [1, 2], "verdict": [11]}
        assert flow.step(Examine).get_prompt() == "Examine 2 cats."
        assert flow.step(Book).saved == {"urgent": True, "seen": {"by": ["Ada", 1]}}
        assert flow.step(Sort).sorted_ == 1
        assert again.log == call.log
        assert again.state == call.state
        assert again.live.history == call.live.history


# --- crashes ----------------------------------------------------------------------------------------------------------


def by_stage(request: Any) -> Any:
    """Answer as a model would that reads where it is, and what it was told."""
    words = next(m["content"] for m in reversed(request.messages) if m["role"] == "user")
    last = request.messages[-1]
    done = last["role"] == "tool" and "unknown" not in last["content"].lower() and "not run" not in last["content"]
    match request.stage:
        case "Who" if "record" in request.tools and not done and "600" in words:
            return calls("record", phone="600 123 456", kinds=["cat", "cat"])
        case "Examine" if "they cough" in words and not done:
            return calls("note", name="cough", values=[1, 2])
        case "Examine" if "what now" in words:
            return "VERDICT flu"
        case "Book" if "note" in request.tools and not done:
            for day in ("Sunday", "Monday"):
                if day in words:
                    return calls("note", day=day)
    return f"Words in {request.stage}."


async def talk_on(call: Any, start: int) -> None:
    """Say the rest of the talk; a caller who is asked again answers again."""
    for number, words in enumerate(TALK[start:], start):
        if call.state.status == "ended":
            return
        await call.say(words, id=f"m{number}")


async def uncrashed() -> tuple[Any, WatchedStore]:
    store = WatchedStore()
    async with rehearsing(Visit, Script(*[by_stage] * 40), store=store) as call:
        await talk_on(call, 0)
    return call, store


def counted(state: dict[str, Any]) -> dict[str, Any]:
    """Give what a call ended with, without how often what was unknown was done again."""
    book = {**state["Book"]}
    book.pop("tries", None)
    return {**state, "Book": book}


async def test_a_crash_after_any_append_loses_no_step_and_makes_no_move_twice() -> None:
    straight, store = await uncrashed()
    assert straight.state.status == "ended"
    for appends in range(1, len(store.appends)):
        crashed = await store.crashed_after(appends)
        before = [record.entry for record in await crashed.read(straight.id)]
        async with rehearsing(Visit, Script(*[by_stage] * 40), store=crashed, resume=straight.id) as again:
            assert types(again.log)[: len(before)] == types(before)
            users = datas(before, "turn.user")
            await talk_on(again, int(users[-1]["item_id"][1:]) if users else 0)
            assert again.state.status == "ended", appends
            assert datas(again.log, "cue.crossing") == datas(straight.log, "cue.crossing"), appends
            assert again.state.app_state["left"] == straight.state.app_state["left"], appends
            assert counted(again.state.app_state) == counted(straight.state.app_state), appends
        async with rehearsing(Visit, Script(), store=crashed, resume=straight.id) as third:
            assert third.log == again.log


async def crashed_in(agent: Any, script: list[Any], marks: str, act: Callable[[Any], Any] | None = None) -> Any:
    """Run one turn, or another act, and crash after the append that holds the last entry of a type.

    Gives the call as it went, and the store as it was then.
    """
    store = WatchedStore()
    async with rehearse(agent, Script(*script), store=store) as call:
        await (act(call) if act is not None else call.say("go", id="m1"))
    at = max(number for number, append in enumerate(store.types, 1) if marks in append)
    return call, await store.crashed_after(at)


class Here(Visited):
    def get_prompt(self) -> str:
        return "Here."

    @tool
    def leave(self) -> Any:
        """Leaves."""
        return go(There).with_state(a={"b": [1]}).with_prompt("Attached.").with_message("A message.")

    @tool
    def sign(self) -> str:
        """Signs."""
        HOOKS["sign"] += 1
        return "signed"

    def on_response(self, text: str) -> Any:
        return go(There).with_state(a={"b": [1]}).with_prompt("Attached.").with_message("A message.")


class There(Step):
    async def on_enter(self) -> None:
        HOOKS["There.on_enter"] += 1
        self.save_state(entered=self.saved.get("entered", 0) + 1)
        self.call.speak("Welcome.")

    def on_crossing(self, message: str | None, prior: Step[Any]) -> str:
        HOOKS["There.on_crossing"] += 1
        return f"{message} From {type(prior).__name__}."


class Hall(Flow):
    """You are in a hall."""

    steps = (Here, There)
    left: list[str] = []

    def on_event(self, name: str, data: dict[str, Any]) -> Any:
        return go(There).with_state(a={"b": [1]}).with_prompt("Attached.").with_message("A message.")


LEAVING: dict[str, tuple[list[Any], Any]] = {
    "tool": ([calls("leave"), "So."], None),
    "batch": ([[calls("leave"), calls("sign")], "So."], None),
    "response": (["Hm.", "So."], None),
    "event": (["So."], lambda call: call.event("ring")),
}


@pytest.mark.parametrize("kind", LEAVING)
async def test_a_route_that_was_written_is_followed_with_all_it_brings_and_its_hooks(kind: str) -> None:
    script, act = LEAVING[kind]
    call, store = await crashed_in(Hall, script, "cue.route", act)
    assert "cue.crossing" not in [record.entry.type for record in await store.read(call.id)], "the move was not made"
    HOOKS.clear()
    async with rehearsing(Hall, Script("So."), store=store, resume=call.id) as again:
        assert again.agent.stage == "There"
        assert HOOKS == {"Here.on_exit": 1, "There.on_enter": 1, "There.on_crossing": 1}
        assert again.agent.step(There).saved == {"entered": 1, "a": {"b": [1]}}
        assert again.agent.left == ["Here"]
        assert datas(again.log, "cue.crossing") == [{"from": "Here", "to": "There", "message": "A message. From Here."}]
        assert heard(again.log)[-1] == "Welcome."
        await again.say("go", id="m1")
        (request,) = again.requests
        assert (request.stage, request.view) == ("There", "Attached.")
        assert ("user", "A message. From Here.") in talk(request)
    async with rehearsing(Hall, Script(), store=store, resume=call.id) as third:
        assert third.log == again.log, "once"


async def test_a_batch_that_broke_off_after_its_route_moves_on_and_runs_nothing_again() -> None:
    call, store = await crashed_in(Hall, [[calls("leave"), calls("sign"), calls("sign")], "So."], "tool.call")
    HOOKS.clear()
    async with rehearsing(Hall, Script("So."), store=store, resume=call.id) as again:
        assert again.agent.stage == "There"
        assert HOOKS["sign"] == 0
        assert [data["reason"] for data in datas(again.log, "cue.unknown")] == ["crash"]
        await again.say("go", id="m1")
        assert len(told(again.requests[0])) == 3


async def test_a_move_that_was_made_is_not_made_again_however_often_it_is_taken_up() -> None:
    call, store = await crashed_in(Hall, [calls("leave"), "So."], "cue.crossing")
    HOOKS.clear()
    for _ in range(3):
        async with rehearsing(Hall, Script(), store=store, resume=call.id) as again:
            assert again.agent.stage == "There"
    assert not HOOKS
    assert len(datas(again.log, "cue.crossing")) == 1


async def test_a_hook_that_ends_the_call_ends_it_when_the_move_is_made_up_for() -> None:
    class Out(Step):
        def on_enter(self) -> None:
            self.call.end("done")

    class In(Step):
        def on_exit(self) -> None:
            """Be stored before the move."""

        @tool
        def leave(self) -> Any:
            """Leaves."""
            return Out

    class House(Flow):
        """You are a house."""

        steps = (In, Out)

    call, store = await crashed_in(House, [calls("leave")], "cue.route")
    async with rehearsing(House, Script(), store=store, resume=call.id) as again:
        assert again.state.status == "ended"
        assert types(again.log)[-1] == "call.summary"
        assert again.state.end_reason == "done"


# --- another version of the class -------------------------------------------------------------------------------------


def version(steps: dict[str, dict[str, Any]], **fields: Any) -> type[Flow]:
    """Make a version of a flow: its steps by name, each with its annotated fields and whatever else it has."""
    made = []
    for name, body in steps.items():
        annotations = {field: kind for field, (kind, _) in body.get("fields", {}).items()}
        defaults = {field: default for field, (_, default) in body.get("fields", {}).items()}
        rest = {part: value for part, value in body.items() if part not in ("fields", "base")}
        base = body.get("base", Step)
        made.append(type(name, (base,), {"__module__": __name__, "__annotations__": annotations, **defaults, **rest}))
    return type("Versions", (Flow,), {"__module__": __name__, "steps": tuple(made), "__doc__": "You change."})


async def opened(flow: type[Flow], state: dict[str, Any]) -> tuple[str, MemoryStore]:
    store = MemoryStore()
    async with rehearsing(flow, Script("Hello."), store=store, state=state) as call:
        await call.say("hello")
    return call.id, store


async def test_a_step_that_is_gone_is_told_and_the_flow_opens_anew() -> None:
    call, store = await opened(version({"A": {}, "B": {}}), {"stage": "B", "B": {"kept": 1}})
    today = version({"A": {}, "C": {}})
    async with rehearsing(today, Script("Where were we?"), store=store, resume=call) as again:
        assert again.agent.stage == "A"
        assert sorted(errors(again.log)) == ["field-removed", "field-unreadable"]
        stage, step = (data["message"] for data in datas(again.log, "error"))
        assert ("'stage'" in stage, "as new" in stage, "'B'" in step) == (True, True, True)
        assert again.state.app_state == {"stage": "A", "A": {}, "C": {}}
        assert (await again.say("so?")).text == "Where were we?"
        assert again.requests[0].stage == "A"
    async with rehearsing(today, Script(), store=store, resume=call) as third:
        assert third.log == again.log


async def test_the_state_of_a_step_in_another_shape_is_read_as_far_as_it_can_be() -> None:
    before = version({"A": {"fields": {"n": (int, 1), "old": (str, ""), "word": (str, "w")}}, "B": {}})
    call, store = await opened(before, {"A": {"n": 5, "old": "Ada", "word": "five"}, "B": {"kept": [1]}})
    after = version(
        {
            "A": {"fields": {"n": (int, 1), "name": (str, state("", was=("old",))), "word": (int, 7)}},
            "B": {"fields": {"kept": (list[int], [])}},
        }
    )
    async with rehearsing(after, Script("Hello."), store=store, resume=call) as again:
        assert again.state.app_state == {"stage": "A", "A": {"n": 5, "name": "Ada", "word": 7}, "B": {"kept": [1]}}
        assert errors(again.log) == ["field-unreadable"]
        assert "A.word" in datas(again.log, "error")[0]["message"]
        await again.say("hello?")
    async with rehearsing(after, Script(), store=store, resume=call) as third:
        assert third.log == again.log


async def test_fields_become_free_state_and_the_other_way_round() -> None:
    fields = version({"A": {"fields": {"n": (int, 1)}}})
    free = version({"A": {}})
    call, store = await opened(fields, {"A": {"n": 5}})
    async with rehearsing(free, Script(), store=store, resume=call) as again:
        assert again.agent.current.saved == {"n": 5}
    async with rehearsing(fields, Script(), store=store, resume=call) as third:
        assert third.agent.current.saved == {"n": 5}
        assert errors(third.log) == []


async def test_a_route_to_a_step_that_is_gone_is_told_once_and_the_call_stays() -> None:
    call, store = await crashed_in(Hall, [calls("leave"), "So."], "cue.route")
    for _ in range(2):
        async with rehearsing(version({"Here": {}}), Script(), store=store, resume=call.id) as again:
            assert again.agent.stage == "Here"
            assert errors(again.log).count("step-not-defined") == 1
            assert "Step 'There' is not defined in flow 'Versions'." in str(datas(again.log, "error"))
    async with rehearsing(version({"Here": {}}), Script("So."), store=store, resume=call.id) as again:
        await again.say("go on", id="m1")
    async with rehearsing(Hall, Script(), store=store, resume=call.id) as late:
        assert late.agent.stage == "Here", "what the call has gone on without is not made up for"


# --- what else a log may hold -----------------------------------------------------------------------------------------


async def test_the_private_values_of_steps_that_were_erased_are_as_new() -> None:
    store = MemoryStore()
    async with rehearsing(Visit, Script(*MODEL), store=store) as call:
        for words in TALK[:3]:
            await call.say(words)
        assert call.agent.step(Who).phone == "600 123 456"
    await store.erase(call.id, scrub(_closing))
    async with rehearse(Visit, Script("VERDICT none", "Which day?"), store=store, resume=call.id) as again:
        assert again.agent.stage == "Examine"
        assert again.agent.step(Who).phone is None
        assert again.agent.step(Who).pets == [Pet("cat"), Pet("cat")]
        assert errors(again.log) == ["field-erased"]
        assert "Who.phone" in datas(again.log, "error")[0]["message"]
        assert (await again.say("they cough")).text == "Which day?"
        assert "600" not in str([request.messages for request in again.requests])
    async with rehearse(Visit, Script(), store=store, resume=call.id) as third:
        assert third.log == again.log


def _closing(last: Any) -> Any:
    return entry("cue.erased", {"at": last.ts}, seq=last.seq + 1, ts=last.ts, call=last.call, agent=last.agent)


async def test_an_erased_route_that_was_not_followed_brings_no_mask_for_a_value() -> None:
    class Ask(Step):
        def on_exit(self) -> None:
            """Be stored before the move."""

        @tool(pii="card")
        def take(self, card: str) -> Any:
            """Takes a card."""
            return go(Pay).with_state(card=card, sum=3).with_prompt(card)

    class Pay(Step):
        card: str | None = state(None, pii=True)
        sum: int = 0

    class Shop(Flow):
        """You sell."""

        steps = (Ask, Pay)

    call, store = await crashed_in(Shop, [calls("take", card="4000 1234 5678"), "Paid."], "cue.route")
    await store.erase(call.id, scrub(_closing))
    async with rehearse(Shop, Script(), store=store, resume=call.id) as again:
        assert again.agent.stage == "Pay"
        assert again.agent.current.saved == {"card": None, "sum": 3}
        assert again.agent.current.get_prompt() is None
        assert MASK not in str(again.state.app_state)


async def test_a_fork_goes_on_from_the_step_its_log_ends_in() -> None:
    store = MemoryStore()
    async with rehearsing(Visit, Script(*MODEL), store=store) as call:
        for words in TALK[:-1]:
            await call.say(words)
    crossed = entries(call.log, "cue.crossing")
    delivered = [one.seq for one in entries(call.log, "cue.delivered")]
    stages = {}
    for number, seq in enumerate([*delivered[:-1], *(one.seq for one in crossed)]):
        forked = fork([record.entry for record in await store.read(call.id)], seq, call=f"fork-{number}")
        other = MemoryStore()
        await other.append(f"fork-{number}", 0, [Record(one) for one in forked])
        async with rehearse(Visit, Script(*["Words."] * 5), store=other, resume=f"fork-{number}") as again:
            stages[seq] = again.agent.stage
            await again.say("go on")
            check_messages(again.requests[-1].messages)
    assert [stages[seq] for seq in delivered[:-1]] == ["Who", "Examine", "Examine", "Book", "Book"]
    assert [stages[one.seq] for one in crossed] == [one.data["to"] for one in crossed]


@pytest.mark.parametrize("stage", ["Reading", "Writing", "Neither"])
async def test_tools_of_one_name_are_settled_by_what_the_steps_own_does(stage: str) -> None:
    class Reading(Step):
        @tool(effect="read")
        def act(self) -> str:
            """Looks."""
            return "seen"

    class Writing(Step):
        @tool
        def act(self) -> str:
            """Pays."""
            return "paid"

    class Neither(Step):
        """Show the flow's."""

    class Last(Step):
        @tool(effect="read")
        def act(self) -> str:
            """Looks again."""
            return "seen"

    class Mixed(Flow):
        """You mix."""

        steps = (Reading, Writing, Neither, Last)

        @tool(stage=Neither)
        def act(self) -> str:
            """Pays, too."""
            return "paid"

    store = WatchedStore()
    async with rehearse(Mixed, Script(calls("act"), "Done."), store=store, state={"stage": stage}) as call:
        await call.say("go", id="m1")
    crashed = await store.crashed_after(3)
    assert [record.entry.type for record in await crashed.read(call.id)][-1] == "tool.call"
    async with rehearsing(Mixed, Script("I must check."), store=crashed, resume=call.id) as again:
        assert ("may be called again" in results(again.log)[0]["error"]) is (stage == "Reading")
        assert again.agent.stage == stage


async def test_a_step_of_code_that_failed_is_run_again_and_brings_the_message_it_was_given() -> None:
    working = {"it": False}

    class Start(Step):
        @tool
        def begin(self) -> Any:
            """Begins."""
            return go(Sorting).with_message("What the caller wants.")

    class Sorting(LogicStep):
        def run_logic(self) -> Any:
            if not working["it"]:
                raise LookupError("not reachable")
            return End

    class End(Step):
        pass

    class Routed(Flow):
        """You sort."""

        steps = (Start, Sorting, End)

    store = WatchedStore()
    async with rehearsing(Routed, Script(calls("begin"), "At last."), store=store) as call:
        await call.say("go")
        assert call.agent.stage == "Sorting"
        crashed = await store.crashed_after(len(store.appends))
        working["it"] = True
        assert (await call.say("again")).text == "At last."
        assert ("user", "What the caller wants.") in talk(call.requests[1])
    async with rehearsing(Routed, Script("At last."), store=crashed, resume=call.id) as again:
        assert (await again.say("again")).text == "At last."
        assert ("user", "What the caller wants.") in talk(again.requests[0])
        assert len(datas(again.log, "cue.crossing")) == 2
