"""Law 11 with laws 3, 4, 6, 13 and 15: guarded calls among others, several at once, ends, cuts, limits, privacy."""

import asyncio
import itertools
from typing import Any, Literal

import pytest

from cuelight import Agent, Limits, direct, go, state, tool
from cuelight.log import MASK
from cuelight.stores import MemoryStore
from cuelight.testing import Script, answers, calls, raw_call, rehearse
from lawbook import datas, entries, errors, heard, refusals, rehearsing, results, said, told, types
from yeses import asked, check_yeses, declined, statuses

CARD = "4000 1234 5678 9010"


class Desk(Agent):
    """You are a desk."""

    limits = Limits(tool_s=5, model_requests=4, identical_calls=2)
    stage: Literal["open", "shut"] = "open"
    done: list[str] = []
    card: str = state("", pii=True)

    @tool(confirm="Shall I book {slot}?", stage="open", effect="irreversible")
    def book(self, slot: str) -> str:
        """Books."""
        self.call.log("ran", {"key": self.call.tool.key, "arguments": {"slot": slot}})
        self.done.append(f"book {slot}")
        return f"booked {slot}"

    @tool(confirm="May I look closely?", effect="read")
    def peek(self) -> str:
        """Looks closely."""
        self.call.log("ran", {"key": self.call.tool.key, "arguments": {}})
        return "peeked"

    @tool(confirm="Go?")
    def leave(self, how: str) -> Any:
        """Leaves, as it is told to."""
        self.done.append(how)
        if how == "fail":
            raise ValueError("no way")
        return {"go": go("shut"), "direct": direct("Shown."), "end": None}.get(how) or self.call.end()

    @tool(confirm="Hang?")
    async def hang(self) -> None:
        """Hangs."""
        self.done.append("hang")
        await asyncio.Event().wait()

    @tool(confirm="Charge {amount} to {card}, not to {self_card}?", pii=("card", "result.balance"))
    def charge(self, card: str, amount: int = 5) -> dict[str, Any]:
        """Charges."""
        self.done.append(card)
        return {"balance": 87654321, "ok": True}

    @property
    def self_card(self) -> str:
        return self.card

    @tool(effect="read")
    async def look(self) -> str:
        """Looks."""
        return "looked"

    @tool
    def note(self, what: str) -> Any:
        """Notes; and shuts, ends, shows or fails."""
        self.done.append(what)
        if what == "fail":
            raise ValueError("no way")
        if what == "end":
            self.call.end()
        return {"shut": go("shut"), "direct": direct("Shown.")}.get(what, f"noted {what}")


BOOK = calls("book", slot="10")
SIBLINGS = [calls("look"), calls("note", what="a"), BOOK, calls("peek"), calls("note", what="fail"), calls("look")]


@pytest.mark.parametrize("order", list(itertools.permutations(range(6)))[::29])
async def test_a_guarded_call_is_asked_in_its_place_and_the_others_run_in_theirs(order: tuple[int, ...]) -> None:
    batch = [SIBLINGS[number] for number in order]
    async with rehearsing(Desk, Script(batch, answers("no"), answers("no"), "Ok.")) as call:
        await call.say("all")
        assert [data["name"] for data in datas(call.log, "tool.call")] == [one.name for one in batch]
        assert [one["name"] for one in results(call.log)] == [
            one.name for one in batch if one.name not in ("book", "peek")
        ]
        guarded = [one for one in batch if one.name in ("book", "peek")]
        assert [data["tool"] for data in datas(call.log, "confirm.request")] == [one.name for one in guarded]
        assert call.agent.done == ["a"], "a failing one touches no sibling, and undoes itself"
        await call.say("no")
        assert len(told(call.requests[1])) == 6
        assert ["Not run yet" in one for one in told(call.requests[1])] == [one in guarded for one in batch]
        await call.hang_up()
        assert {one["call_id"] for one in results(call.log)} == {d["call_id"] for d in datas(call.log, "tool.call")}
        assert check_yeses(call.log, {"book", "peek"}) == 0


@pytest.mark.parametrize("first", [True, False])
async def test_a_question_holds_no_route_of_its_siblings_and_a_tool_hidden_by_then_does_not_run(first: bool) -> None:
    move = calls("note", what="shut")
    async with rehearsing(Desk, Script([BOOK, move] if first else [move, BOOK], answers("yes"), "Well.")) as call:
        assert (await call.say("10")).text == "Shall I book 10?"
        assert call.agent.stage == "shut"
        assert (await call.say("yes")).text == f"{call.agent.wording.gone_line}\nWell."
        assert (call.agent.done, statuses(call)) == (["shut"], [("book", "declined", "cancelled")])
        assert "cannot be done any more" in told(call.requests[2])[-1]


@pytest.mark.parametrize("first", [True, False])
async def test_content_that_a_sibling_shows_comes_before_the_question(first: bool) -> None:
    show = calls("note", what="direct")
    async with rehearsing(Desk, Script([BOOK, show] if first else [show, BOOK], answers("yes"), "Done.")) as call:
        reply = await call.say("10")
        assert (reply.content, reply.text) == ("Shown.", "Shown.\nShall I book 10?")
        await call.say("yes")
        assert call.agent.done == ["direct", "book 10"]


@pytest.mark.parametrize("how", ["go", "direct", "end", "fail"])
async def test_what_a_guarded_tool_returns_counts_when_it_runs(how: str) -> None:
    async with rehearsing(Desk, Script(calls("leave", how=how), answers("yes"), "Well.")) as call:
        await call.say("leave")
        assert (call.agent.stage, call.agent.done, call.state.status) == ("open", [], "active")
        reply = await call.say("yes")
        assert reply.text == {"direct": "Shown.", "end": ""}.get(how, "Well.")
        assert call.agent.stage == ("shut" if how == "go" else "open")
        assert call.state.status == ("ended" if how == "end" else "active")
        assert call.agent.done == ([] if how == "fail" else [how])
        assert [one["name"] for one in results(call.log)] == ["leave", "answer_confirmation"]
        assert statuses(call) == [("leave", "granted", None)]
        assert {one.get("call_id") for one in datas(call.log, "cue.route")} <= {call.state.confirms[0].call_id}


async def test_one_that_runs_out_of_time_is_unknown_and_is_not_run_by_the_same_yes_again() -> None:
    script = Script(calls("hang"), [answers("yes"), answers("yes")], "It must be checked.", answers("yes"), "Hm.")
    async with rehearsing(Desk, script) as call:
        await call.say("hang")
        saying = asyncio.ensure_future(call.say("yes"))
        await call.advance(6)
        assert (await saying).text == "It must be checked."
        assert len(entries(call.log, "cue.unknown")) == 1
        assert [("Outcome unknown" in one["error"]) for one in results(call.log)] == [True, True, False]
        assert refusals(call.log)[-1:] == [("answer_confirmation", "hidden")]


# --- several ----------------------------------------------------------------------------------------------------------


async def test_several_are_asked_about_in_turn_and_the_model_knows_which() -> None:
    script = Script([BOOK, calls("peek")], [answers("yes"), calls("look")], "Booked.", answers("yes"), "Peeked.")
    async with rehearsing(Desk, script) as call:
        assert (await call.say("both")).text == "Shall I book 10?"
        assert (await call.say("yes")).text == "Booked.\nMay I look closely?"
        assert (await call.say("yes")).text == "Peeked."
        assert check_yeses(call.log, {"book", "peek"}) == 2
        first, second = (data["call_id"] for data in datas(call.log, "confirm.request"))
        assert call.requests[1].pending == [(first, "book"), (second, "peek")]
        assert f"was asked about call {first}" in call.requests[1].view
        assert f"Call {second} of peek waits" in call.requests[2].view
        assert "was asked about" not in call.requests[2].view, "nobody was, yet"


async def test_only_what_a_later_reply_leaves_out_is_changed() -> None:
    two, other = [BOOK, calls("book", slot="11")], calls("book", slot="12")
    async with rehearsing(Desk, Script(two, [BOOK, other], "Hm.")) as call:
        await call.say("10 and 11")
        await call.say("rather 12 than 11")
        assert [(one.phrase, one.status) for one in call.state.confirms] == [
            ("Shall I book 10?", "pending"),
            ("Shall I book 11?", "declined"),
            ("Shall I book 12?", "pending"),
        ]
        assert heard(call.log)[-1] == "Shall I book 10?"


async def test_the_same_question_does_not_ask_twice_in_one_reply_and_other_tools_stand_beside() -> None:
    async with rehearsing(Desk, Script([BOOK, BOOK, calls("peek")], calls("peek"), "Hm.")) as call:
        await call.say("10")
        await call.say("hm")
        assert asked(call.log) == ["Shall I book 10?", "May I look closely?"]
        assert declined(call.log) == []
        assert refusals(call.log) == [("book", "not run"), ("peek", "not run")]


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (calls("answer_confirmation", call_id="tool-1-1", answer="yes"), None),
        (calls("answer_confirmation", call_id=5, answer="yes"), "bad arguments"),
        (calls("answer_confirmation", call_id="x", answer="sure"), "bad arguments"),
        (raw_call("answer_confirmation", "{}"), "bad arguments"),
        (raw_call("answer_confirmation", "yes"), "bad arguments"),
    ],
)
async def test_an_answer_that_answers_nothing_runs_nothing(claim: Any, reason: str | None) -> None:
    async with rehearsing(Desk, Script(BOOK, claim, "Hm.")) as call:
        await call.say("10")
        await call.say("yes")
        assert (call.agent.done, statuses(call)) == ([], [("book", "pending", None)])
        assert refusals(call.log) == ([] if reason is None else [("answer_confirmation", reason)])


async def test_an_answer_before_anything_is_asked_is_a_tool_that_is_hidden() -> None:
    def both(request: Any) -> Any:
        return [BOOK, calls("answer_confirmation", call_id="tool-8-1", answer="yes")]

    claim = calls("answer_confirmation", call_id="tool-8-1", answer="yes")
    async with rehearsing(Desk, Script(claim, "Hm.", both, "Hm.")) as call:
        await call.say("yes")
        await call.say("yes")
        assert call.agent.done == []
        assert refusals(call.log) == [("answer_confirmation", "hidden")] * 2


async def test_an_answer_in_the_same_turn_as_its_question_is_none() -> None:
    class Eager(Desk):
        @tool
        def go_on(self) -> None:
            """Has the model asked again."""
            self.call.reply("Go on.")

    async with rehearsing(Eager, Script([BOOK, calls("go_on")], answers("yes"), "Hm.", "Hm.")) as call:
        assert (await call.say("yes")).text == "Hm.\nShall I book 10?"
        assert call.agent.done == []
        assert "waits: the caller is asked" in call.requests[1].view


# --- ends, limits, cuts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["caller", "agent", "sibling"])
async def test_when_the_call_ends_each_has_one_result(by: str) -> None:
    end = calls("note", what="end")
    batch = [BOOK, end, calls("peek")] if by == "sibling" else [BOOK, calls("peek")]
    async with rehearsing(Desk, Script(batch, end, "Bye.")) as call:
        await call.say("10")
        if by == "caller":
            await call.hang_up()
        elif by == "agent":
            await call.say("yes, bye")
        assert call.state.status == "ended"
        open_ = 1 if by == "sibling" else 2
        assert [one.status for one in call.state.confirms] == ["declined"] * open_
        assert declined(call.log) == [("book", "cancelled"), ("peek", "cancelled")][:open_]
        ids = [data["call_id"] for data in datas(call.log, "tool.call")]
        assert sorted(one["call_id"] for one in results(call.log)) == sorted(ids)
        assert "confirm.declined" not in types(call.log)[types(call.log).index("call.ended") :]
        assert ("code", "Shall I book 10?") not in said(call.log) or by != "sibling"


async def test_at_a_limit_nothing_is_asked_and_nothing_runs() -> None:
    again = [BOOK, BOOK, BOOK]
    async with rehearsing(Desk, Script(again, "Hm.", answers("yes"), "Done.")) as call:
        await call.say("10")
        assert errors(call.log) == ["limit-identical-calls"]
        assert (statuses(call), "Shall I" in heard(call.log)[0]) == ([("book", "pending", None)], False)
        assert (await call.say("yes")).text == "Hm.\nShall I book 10?"
        await call.say("yes")
        assert check_yeses(call.log, {"book", "peek"}) == 1


@pytest.mark.parametrize("text", [None, "", "Shall I book 10?"])
async def test_a_turn_that_is_cut_before_the_phrase_asks_nothing(text: str | None) -> None:
    async def cut(request: Any) -> Any:
        call.interrupt(text)
        await asyncio.sleep(0)
        return [BOOK, calls("note", what="a")]

    async with rehearsing(
        Desk, Script([calls("look"), BOOK], cut, answers("yes"), "Hm.", answers("yes"), "Ok.")
    ) as call:
        await call.say("10")
        await call.say("wait")
        assert statuses(call) == [("book", "pending", None)]
        assert (await call.say("yes")).text == "Hm.\nShall I book 10?"
        assert call.agent.done == []
        await call.say("yes")
        assert call.agent.done == ["book 10"]


async def test_a_caller_who_cuts_in_while_calls_run_is_asked_nothing_that_comes_after() -> None:
    class Cut(Desk):
        @tool(effect="read")
        async def look(self) -> str:
            """Looks, and is cut into."""
            call.interrupt()
            return "looked"

    async with rehearsing(Cut, Script([calls("look"), calls("peek"), BOOK], "Hm.")) as call:
        await call.say("all")
        assert asked(call.log) == []
        assert refusals(call.log) == [("peek", "not run"), ("book", "not run")]


async def test_a_caller_who_cuts_in_on_a_yes_that_is_being_stored_has_not_said_yes() -> None:
    class Cutting(MemoryStore):
        async def append(self, call_id: str, expected: int, records: Any, **options: Any) -> None:
            await super().append(call_id, expected, records, **options)
            if any(record.entry.type == "confirm.granted" for record in records):
                call.interrupt()

    async with rehearsing(Desk, Script(BOOK, answers("yes"), "Hm."), store=Cutting()) as call:
        await call.say("10")
        await call.say("yes")
        assert (call.agent.done, statuses(call)) == ([], [("book", "declined", "cancelled")])
        assert "cut in" in results(call.log)[0]["error"]
        assert check_yeses(call.log, {"book"}) == 0


async def test_an_answer_prepared_ahead_runs_nothing_until_the_words_are_said() -> None:
    script = Script(BOOK, answers("yes"), "Done.", answers("yes"), "Done.")
    async with rehearsing(Desk, script) as call:
        await call.say("10")
        await call.prepare("yes")
        await call.advance(1)
        assert (call.agent.done, len(call.requests)) == ([], 2)
        assert (await call.say("yes")).text == "Done."
        assert (call.agent.done, len(call.requests)) == (["book 10"], 3)


async def test_an_answer_prepared_ahead_is_dropped_where_the_question_has_lapsed() -> None:
    async with rehearsing(Desk, Script(BOOK, answers("yes"), "Well.")) as call:
        await call.say("10")
        await call.prepare("yes")
        await call.advance(121)
        assert (await call.say("yes")).text == "Well."
        assert (call.agent.done, declined(call.log)) == ([], [("book", "timeout")])


# --- private ----------------------------------------------------------------------------------------------------------


async def test_private_values_are_heard_by_the_caller_and_masked_everywhere_else() -> None:
    store = MemoryStore()
    script = Script(calls("charge", card=CARD), "So?", answers("yes"), "Done.")
    async with rehearsing(Desk, script, store=store, state={"card": "9999 0000 1111 2222"}) as call:
        reply = await call.say(f"my card is {CARD}")
        assert reply.text == f"Charge 5 to {CARD}, not to 9999 0000 1111 2222?"
        (request,) = datas(call.log, "confirm.request")
        assert (request["phrase"], request["arguments"]) == (
            f"Charge 5 to {MASK}, not to {MASK}?",
            {"card": MASK, "amount": 5},
        )
    async with rehearse(Desk, script, store=store, resume=call.id) as again:
        assert (await again.say("hello")).text == f"So?\n{reply.text}"
        await again.say("yes")
        assert again.agent.done == [CARD]
        shown = repr([one.data for one in again.log]) + repr(again.state)
        for secret in (CARD, CARD.replace(" ", ""), "9999 0000", "87654321"):
            assert secret not in shown
        assert [one["output"] for one in results(again.log)] == [{"balance": MASK, "ok": True}] * 2
        assert "87654321" in told(again.requests[-1])[-1]
