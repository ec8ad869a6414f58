"""Goldens from stored calls: what they expect, what the model replies in them, and what they refuse."""

import asyncio
import re
from datetime import UTC, date, datetime
from typing import Literal
from uuid import uuid4

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuelight import Agent, Flow, Limits, Step, TerminateSessionStep, ToolFailed, direct, go, state, stay, tool
from cuelight.errors import BadInput, ModelFailed, NoSuchEntry
from cuelight.log import scrub
from cuelight.models import Cassette
from cuelight.testing import Script, answers, calls, raw_call, rehearse
from cuelight.testing.goldens import golden_from, read_golden, record_draft, run_golden, scripted
from cuelight.wire import entry

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC).timestamp()


class Bakery(Agent):
    """You sell bread, as Will told us."""

    limits = Limits(model_requests=4)
    stage: Literal["choose", "pay", "done"] = "choose"
    loaves: int = 0
    who: str | None = state(None, pii=True)

    def on_call(self):
        self.call.speak("The bakery, good day!")

    @tool(stage="choose")
    def put(self, loaves: int) -> str:
        """Puts loaves into the basket."""
        if loaves > 9:
            raise ToolFailed("We have nine at most.")
        self.loaves, self.stage = loaves, "pay"
        return f"{loaves} loaves"

    @tool(pii="name")
    def note(self, name: str) -> None:
        """Notes who is calling."""
        self.who = name
        self.call.speak(f"Thank you, {name.split()[0]}.")

    @tool(stage="pay")
    def charge(self) -> dict:
        """Charges the card."""
        self.stage = "done"
        return {"paid": self.loaves * 3, "receipt": str(uuid4()), "created_at": datetime.now(UTC).isoformat()}

    @tool(stage="done")
    def look_at(self, receipt: str) -> list[str]:
        """Looks at a receipt."""
        return ["bread", receipt]

    @tool
    def show(self):
        """Shows what there is."""
        return direct({"bread": 3})

    @tool
    def burn(self) -> None:
        """Raises."""
        raise RuntimeError("too hot")

    @tool
    def leave(self) -> None:
        """Ends the call."""
        self.call.end("sold")

    def on_event(self, name, data):
        if name == "oven":
            self.loaves = data["loaves"]
            self.call.speak("Fresh bread!")


async def _rehearsed(agent, script, says, opened=None):
    async with rehearse(agent, script, state=opened, now=NOW) as call:
        for said in says:
            if isinstance(said, str):
                await call.say(said)
            else:
                await said(call)
        return await call.store.read(call.id)


def talk(agent, script, *says, opened=None):
    """Hold a conversation; gives its records."""
    return asyncio.run(_rehearsed(agent, script, says, opened))


class Made:
    """A golden that was made from a call, written, recorded and run."""

    def __init__(self, folder, records, agent, **options):
        self.draft = asyncio.run(golden_from(records, agent, **options))
        self.golden = self.draft.golden
        self.file = folder / "it.yaml"
        self.file.write_text(self.draft.text, encoding="utf-8")
        self.cassette = folder / "it.cassette.jsonl"
        read = read_golden(self.file)
        assert read.source.value == self.golden
        model = scripted(read.golden)
        if model is None:
            asyncio.run(record_draft(self.draft, read, agent, self.cassette, "again"))
            model = Cassette.replay(self.cassette)
        self.run = asyncio.run(run_golden(read, agent, model))

    @property
    def written(self):
        return self.draft.text + (self.cassette.read_text(encoding="utf-8") if self.cassette.exists() else "")

    def then(self, turn):
        return self.golden["turns"][turn]["then"]


@pytest.fixture
def make(tmp_path):
    """Hold a conversation, make a golden of it and run that; it must pass."""

    def made(agent, script, *says, opened=None, **options):
        it = Made(tmp_path, talk(agent, script, *says, opened=opened), agent, **options)
        assert it.run.passed, it.run.failure
        return it

    return made


# --- what a golden expects --------------------------------------------------------------------------------------------


def test_a_golden_expects_what_code_decided_and_leaves_the_models_words_to_the_cassette(make):
    it = make(Bakery, Script(calls("put", loaves=2), "Two it is.", calls("leave")), "two loaves", "bye")
    assert it.draft.text == (
        "# Made by `cuelight golden from` from call call-1 of "
        f"{datetime.fromtimestamp(NOW).astimezone():%Y-%m-%d %H:%M}, entries 1 to {it.run.log[-1].seq}.\n"
        "# Private values are stand-ins. What the model replied is in the cassette beside this file.\n"
        + """\
name: call-1
today: '2026-12-01'
turns:
  - then:
      - stage: choose
      - reply: {says: 'The bakery, good day!'}
  - say: two loaves
    then:
      - tool: put
        args: {loaves: 2}
        result: 2 loaves
      - stage: pay
  - say: bye
    then:
      - tool: leave
      - end: sold
expect:
  tools: [put, leave]
"""
    )
    assert "Two it is." in it.cassette.read_text()


def test_a_turn_in_which_code_did_nothing_expects_no_tool(make):
    it = make(Bakery, Script("Hello!"), "hi")
    assert it.golden["turns"][1] == {"say": "hi", "then": [{"no_tool": True}]}
    assert "expect" not in it.golden


def test_refused_and_failed_calls_are_expected(make):
    reply = [calls("charge"), calls("put", loaves=40), calls("put", loaves="few"), calls("burn")]
    it = make(Bakery, Script(reply, "Sorry."), "x")
    assert it.then(1) == [
        {"refused": "charge"},
        {"tool": "put", "args": {"loaves": 40}, "result": "We have nine at most."},
        {"refused": "put"},
        {"tool": "burn", "result": it.then(1)[3]["result"]},
        {"error": "handler-raised"},
    ]
    assert it.golden["expect"] == {"tools": ["put", "burn"]}


def test_arguments_that_are_no_json_are_refused_again(make):
    it = make(Bakery, Script(raw_call("put", "{loaves: two"), calls("put", loaves=2), "Two."), "two")
    assert it.then(1)[:2] == [{"refused": "put"}, {"tool": "put", "args": {"loaves": 2}, "result": "2 loaves"}]


def test_a_tool_that_the_model_made_up_is_beside_the_reply_that_did(make):
    it = make(
        Bakery, Script([calls("bake", kind="rye"), "Let me see."], ["Two.", calls("put", loaves=2)], "Done."), "rye"
    )
    assert it.then(1)[0] == {"refused": "bake"}
    assert it.golden["model"] == [
        [{"call": "bake", "args": {"kind": "rye"}}, "Let me see."][::-1],
        ["Two.", {"call": "put", "args": {"loaves": 2}}],
        "Done.",
    ]
    assert not it.cassette.exists()
    assert "What the model replied is at the end." in it.draft.text


def test_failed_requests_fail_again(make):
    refused = ModelFailed("The key is refused.", retryable=False)
    gone = ["Two loav", ModelFailed("Gone.")]
    it = make(Bakery, Script(ModelFailed("Busy."), gone, "Two loaves, then.", "", "Yes?", refused), "a", "b", "c")
    assert it.then(1) == [{"error": "model-failed"}, {"error": "model-failed"}]
    assert it.then(2) == [{"error": "model-empty"}]
    assert it.then(3)[0] == {"error": "model-failed"}
    assert list(it.then(3)[1]) == ["reply"]
    ends = [line for line in it.cassette.read_text().splitlines() if '"failed"' in line]
    assert [msgspec.json.decode(line) for line in ends] == [
        {"type": "failed", "message": "Busy.", "retryable": True},
        {"type": "failed", "message": "Gone.", "retryable": True},
        {"type": "failed", "message": "The key is refused.", "retryable": False},
    ]


def test_a_reply_that_only_repeats_what_was_said_before_a_failure_does_so_again(make):
    it = make(Bakery, Script(["All of it.", ModelFailed("Gone.")], "All of it."), "x")
    assert it.then(1) == [{"error": "model-failed"}]


def test_limits_are_expected_by_their_errors(make):
    it = make(Bakery, Script(*[calls("put", loaves=40 + n) for n in range(5)]), "x")
    assert [list(check) for check in it.then(1)][-2:] == [["error"], ["reply"]]
    assert it.then(1)[-2] == {"error": "limit-model-requests"}
    it = make(Bakery, Script([calls("note", name="Bo")] * 4), "x")
    assert it.then(1)[-3:-1] == [{"refused": "note"}, {"error": "limit-identical-calls"}]


def test_content_given_by_code_is_expected_and_events_are_turns(make):
    it = make(
        Bakery, Script(calls("show")), "what is there?", lambda call: call.event("oven", {"loaves": 7}),
        lambda call: call.event("bell"),
    )  # fmt: skip
    assert it.then(1) == [{"tool": "show"}, {"route": {"kind": "direct"}}, {"reply": {"says": '{"bread":3}'}}]
    assert it.golden["turns"][2] == {
        "event": {"name": "oven", "data": {"loaves": 7}}, "then": [{"reply": {"says": "Fresh bread!"}}],
    }  # fmt: skip
    assert it.golden["turns"][3] == {"event": {"name": "bell"}, "then": [{"no_tool": True}]}


def test_what_differs_from_run_to_run_is_not_expected_and_an_id_that_a_tool_gives_is_passed_on(make):
    def look(request):
        return calls("look_at", receipt=re.search(r'"receipt":"([^"]+)"', request.messages[-1]["content"])[1])

    it = make(Bakery, Script(calls("put", loaves=1), calls("charge"), look, "Here."), "one, and the receipt")
    assert it.then(1)[2:] == [
        {"tool": "charge", "result": {"paid": 3}},
        {"stage": "done"},
        {"tool": "look_at"},
    ]


class Trip(Step["Rental"]):
    people: int | None = None

    @tool
    def record(self, people: int):
        """Records how many come along."""
        if people > 12:
            return stay("Twelve at most.")
        self.save_state(people=people)
        return go(TerminateSessionStep).with_message("Say goodbye.")


class Rental(Flow):
    """You rent out boats."""

    steps = (Trip, TerminateSessionStep)


def test_a_flow_is_expected_by_its_routes_and_steps(make):
    it = make(Rental, Script(calls("record", people=20), "How many?", calls("record", people=4), "Bye!"), "20", "4")
    assert it.then(0) == [{"step": "Trip"}]
    assert it.then(1) == [
        {"tool": "record", "args": {"people": 20}, "result": "Twelve at most."},
        {"route": {"kind": "stay"}},
    ]
    assert it.then(2) == [
        {"tool": "record", "args": {"people": 4}},
        {"route": {"kind": "go", "to": "TerminateSessionStep"}},
        {"step": "TerminateSessionStep"},
        {"end": "agent_hung_up"},
    ]


class Shop(Agent):
    """You sell things."""

    @tool(confirm="Shall I charge {euros} euros?")
    def charge(self, euros: int) -> str:
        """Charges the card."""
        return f"paid {euros}"


def test_a_question_to_the_caller_is_expected_and_what_they_answered(make):
    script = [calls("charge", euros=7), answers("yes", tool="charge"), "Done."]
    script += [calls("charge", euros=9), answers("no", tool="charge"), "As you like."]
    it = make(Shop, Script(*script), "charge me", "yes please", "again", "no thanks")

    def asked(says):
        return [{"confirm": {"tool": "charge", "status": "asked", "phrase": says}}, {"reply": {"says": says}}]

    assert [turn["then"] for turn in it.golden["turns"]] == [
        asked("Shall I charge 7 euros?"),
        [
            {"confirm": {"tool": "charge", "status": "granted"}},
            {"tool": "charge", "args": {"euros": 7}, "result": "paid 7"},
        ],
        asked("Shall I charge 9 euros?"),
        [{"confirm": {"tool": "charge", "status": "declined", "reason": "no"}}],
    ]
    assert it.golden["expect"] == {"tools": ["charge"], "never_without_yes": ["charge"]}


def test_an_unclear_answer_runs_no_tool_and_what_was_only_asked_must_never_run_without_a_yes(make):
    script = [calls("charge", euros=7), answers("other"), "Well.", "That is today.", calls("charge", euros=8)]
    it = make(Shop, Script(*script), "charge me", "hmm, what a day", "what day?", "eight, then")
    again = {"reply": {"says": "Shall I charge 7 euros?"}}
    assert it.then(1) == it.then(2) == [{"no_tool": True}, again]
    assert [check["confirm"]["status"] for check in it.then(3) if "confirm" in check] == ["declined", "asked"]
    assert {"no_tool": True} not in it.then(3)
    assert it.golden["expect"] == {"never_without_yes": ["charge"]}
    assert "  never_without_yes: [charge]\n" in it.draft.text


class Office(Agent):
    """You sell tickets."""

    @tool(pii="name", confirm="Shall I reserve {seats} seats under {name}?")
    def reserve(self, seats: int, name: str) -> str:
        """Reserves seats."""
        return f"reserved-{seats}"


def test_the_words_of_a_question_have_stand_ins(make):
    it = make(Office, Script(calls("reserve", seats=2, name="Ada Byrne")), "two for Ada Byrne")
    (asked,) = (check["confirm"] for check in it.then(0) if "confirm" in check)
    assert asked["phrase"] == it.then(0)[1]["reply"]["says"]
    assert asked["phrase"].startswith("Shall I reserve 2 seats under ")
    assert "Byrne" not in it.written


# --- how it opens -----------------------------------------------------------------------------------------------------


def test_the_state_that_a_call_was_opened_in_is_written_and_no_other(make):
    assert "state" not in make(Bakery, Script("Hello!"), "hi").golden
    assert make(Bakery, Script("Hello!"), "hi", opened={"stage": "pay"}).golden["state"] == "pay"
    it = make(Bakery, Script("Hello!"), "hi", opened={"stage": "pay", "loaves": 3, "who": "Ada Byrne"})
    assert it.golden["state"] == {"stage": "pay", "loaves": 3, "who": it.golden["state"]["who"]}
    assert "Byrne" not in it.written


def test_a_flow_may_be_opened_in_a_step_and_with_its_state(make):
    it = make(Rental, Script("Hello!"), "hi", opened={"Trip": {"people": 3}})
    assert it.golden["state"] == {"Trip": {"people": 3}}
    it = make(Rental, Script("Bye!"), opened={"stage": "TerminateSessionStep"})
    assert it.golden["state"] == "TerminateSessionStep"


class Dated(Agent):
    """You know the day."""

    day: date | None = None

    def __init__(self, today: date | None = None):
        self._today = today

    def on_call(self):
        self.day = self._today

    @tool
    def leave(self) -> None:
        """Ends the call."""


def test_an_agent_that_takes_the_day_gets_the_one_of_the_call(make):
    it = make(lambda today=date(2026, 12, 1): Dated(today), Script("Hello!"), "hi")
    assert "state" not in it.golden
    assert it.golden["today"] == "2026-12-01"


# --- where it ends ----------------------------------------------------------------------------------------------------


def test_the_turn_that_holds_the_last_wanted_entry_is_the_last_one(make):
    script = [calls("put", loaves=2), "Two it is.", "Cards only."]
    records = talk(Bakery, Script(*script), "two", "cash?")
    first, second = (each.entry.seq for each in records if each.entry.type == "turn.user")
    for upto in (first, second - 1):
        it = make(Bakery, Script(*script), "two", "cash?", upto=upto)
        assert [turn.get("say") for turn in it.golden["turns"]] == [None, "two"]
    assert len(make(Bakery, Script(*script), "two", "cash?", upto=second).golden["turns"]) == 3
    assert len(make(Bakery, Script(*script), "two", "cash?", upto=first - 1).golden["turns"]) == 1
    with pytest.raises(NoSuchEntry, match="no entry 900"):
        make(Bakery, Script(*script), "two", "cash?", upto=900)


def test_a_caller_who_hangs_up_ends_the_golden(make):
    it = make(Bakery, Script("Hello!"), "hi", lambda call: call.hang_up())
    assert len(it.golden["turns"]) == 2
    assert "end" not in str(it.golden)


def test_a_question_that_was_open_when_the_caller_hung_up_is_only_asked(make):
    script = [[calls("charge", euros=7), calls("charge", euros=9)]]
    it = make(Shop, Script(*script), "charge me, twice", lambda call: call.hang_up())
    assert [check["confirm"]["status"] for check in it.then(0) if "confirm" in check] == ["asked", "asked"]
    assert "declined" not in it.draft.text


def test_an_interruption_is_refused_with_what_to_do(make):
    async def cut(call):
        call.interrupt("Fine w")
        await call.say("stop")

    script = ["Hello!", "Fine weather.", "Yes?"]
    records = talk(Bakery, Script(*script), "hi", "weather?", cut)
    heard = next(each.entry.seq for each in records if each.entry.type == "cue.heard")
    asked = [each.entry.seq for each in records if each.entry.type == "turn.user"][1]
    with pytest.raises(BadInput) as refused:
        asyncio.run(golden_from(records, Bakery))
    assert str(refused.value) == (
        f"At entry {heard} the caller cut into a reply, which a golden cannot bring about. `--upto {asked - 1}` writes "
        "what came before that turn."
    )
    assert len(make(Bakery, Script(*script), "hi", "weather?", cut, upto=asked - 1).golden["turns"]) == 2


def test_a_turn_that_broke_off_is_refused(make):
    async def run_out(call):
        with pytest.raises(AssertionError):
            await call.say("and now?")

    records = talk(Bakery, Script("Hello!"), "hi", run_out)
    with pytest.raises(BadInput, match=r"a turn began that broke off, .* `--upto \d+` writes"):
        asyncio.run(golden_from(records, Bakery))


def test_a_call_in_which_nothing_happened_is_refused():
    class Silent(Agent):
        """You say nothing."""

        @tool
        def leave(self) -> None:
            """Ends the call."""

    with pytest.raises(BadInput, match="Nothing was said"):
        asyncio.run(golden_from(talk(Silent, Script()), Silent))
    with pytest.raises(BadInput, match="no entries"):
        asyncio.run(golden_from([], Silent))


# --- private values ---------------------------------------------------------------------------------------------------


def test_private_values_are_replaced_wherever_they_are_and_kept_where_that_is_wanted(make):
    script = ["Who is it?", [calls("note", name="Ada Byrne"), "One moment."], "Welcome, ADA BYRNE (Ms Byrne, Ada)!"]
    it = make(Bakery, Script(*script), "hi", "this is ada byrne")
    name = it.then(2)[0]["args"]["name"]
    first, last = name.split()
    assert (len(first), len(last)) == (3, 5)
    assert it.golden["turns"][2]["say"] == f"this is {name.lower()}"
    assert it.then(2)[1] == {"reply": {"says": f"Thank you, {first}."}}
    assert f"Welcome, {name.upper()} (Ms {last}, {first})!" in it.cassette.read_text()
    assert not re.search("ada|byrne", it.written, re.IGNORECASE)
    assert (it.draft.replaced, it.draft.kept) == (1, 0)
    again = make(Bakery, Script(*script), "hi", "this is ada byrne")
    assert again.written == it.written
    kept = make(Bakery, Script(*script), "hi", "this is ada byrne", keep_private=True)
    assert kept.then(2)[0]["args"] == {"name": "Ada Byrne"}
    assert (kept.draft.replaced, kept.draft.kept) == (0, 1)
    assert "Private values are written as they were." in kept.draft.text


def test_masks_of_erased_values_stay(tmp_path):
    async def erased():
        async with rehearse(Bakery, Script(calls("note", name="Ada Byrne"), "Hello!"), now=NOW) as call:
            await call.say("I am Ada Byrne")
        store = call.store

        def closing(last):
            return entry("cue.erased", {"at": NOW}, seq=last.seq + 1, ts=NOW, call=last.call, agent=last.agent)

        await store.erase(call.id, scrub(closing))
        return await store.read(call.id)

    it = Made(tmp_path, asyncio.run(erased()), Bakery)
    assert it.golden["turns"][1]["say"] == "I am [private]"
    assert it.draft.erased


# --- any call ---------------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["Ada Byrne", "Bo", "Will", "Émile Zola", "José María", "anna-lena", "O'Neill 4b", "12345678"])
REPLIES = st.one_of(
    st.sampled_from(["Hello!", "", "Two: it is.\nReally.", "yes", "null", "1e5", "# no", " x "]),
    st.builds(lambda n: calls("put", loaves=n), st.sampled_from([1, 2, 40])),
    st.builds(lambda name: [f"So {name}?", calls("note", name=name), calls("charge")], NAMES),
    st.sampled_from([calls("charge"), calls("show"), calls("burn"), raw_call("put", "{")]),
    st.sampled_from([calls("leave"), ModelFailed("Busy."), [calls("put", loaves=3), "Tw", ModelFailed("Gone.")]]),
)
SAYS = st.one_of(
    st.builds("{} {}".format, st.sampled_from(["hi", "I am", "true", "- x", "a: b\n\nc"]), NAMES),
    st.builds(lambda n: lambda call: call.event("oven", {"loaves": n}), st.integers(0, 9)),
)


@given(st.lists(REPLIES, max_size=8), st.lists(SAYS, max_size=5))
def test_the_golden_of_any_call_passes_and_holds_nothing_private(tmp_path_factory, replies, says):
    records = _until_over(replies, says)
    folder = tmp_path_factory.mktemp("golden")
    it = Made(folder, records, Bakery)
    assert it.run.passed, it.run.failure
    names = {value for each in records if each.private for value in each.private.values}
    for name in names - {"Will"}:  # which is a word of the author's too
        assert name not in it.written


def _until_over(replies, says):
    async def hold():
        async with rehearse(Bakery, Script(*replies, *["Well."] * 40), now=NOW) as call:
            for said in says:
                if call.live.ended is None:
                    await (call.say(said) if isinstance(said, str) else said(call))
            return await call.store.read(call.id)

    return asyncio.run(hold())
