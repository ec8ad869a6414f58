"""Law 11: a guarded tool runs only after a yes to exactly this; absent, unclear or changed means no. One question."""

import hashlib
import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BeforeValidator

from cuelight import Agent, Limits, tool
from cuelight.agent import Wording
from cuelight.testing import Script, answers, calls
from lawbook import FALLBACK, datas, entries, errors, rehearsing, results, said, told, types
from yeses import asked, check_yeses, declined, granted, statuses

GUARDED = {"book", "wipe"}
Few = Annotated[int, BeforeValidator(lambda value: min(value, 4))]


def _wiping(desk: Any, what: str) -> Any:
    if what == "later":
        return _later()
    return {"empty": "  ", "number": 5}.get(what, f"  Wipe {what} of {desk.owner}?\n")


class Desk(Agent):
    """You are a desk."""

    owner: str = "Ada"
    done: list[str] = []
    open: bool = True

    @tool(confirm="Shall I book {slot} for {people}, {owner}?", effect="irreversible", when=lambda desk: desk.open)
    def book(self, slot: str, people: Few = 2) -> str:
        """Books."""
        self.call.log("ran", {"key": self.call.tool.key, "arguments": {"slot": slot, "people": people}})
        self.done.append(f"{slot} for {people}")
        return f"booked {slot}"

    @tool(confirm=_wiping, effect="read")
    def wipe(self, what: str) -> str:
        """Reads, and is guarded all the same."""
        self.call.log("ran", {"key": self.call.tool.key, "arguments": {"what": what}})
        return f"wiped {what}"

    @tool
    def shut(self) -> None:
        """Shuts."""
        self.open = False

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        if name == "shut":
            self.open = False
        elif name == "speak":
            self.call.speak("By the way.")
        elif name == "reply":
            self.call.reply("Say something.")


BOOK = calls("book", slot="10")
ASKED = "Shall I book 10 for 2, Ada?"


# --- asking -----------------------------------------------------------------------------------------------------------


async def test_the_call_is_stored_then_the_question_then_the_phrase_and_nothing_has_run() -> None:
    async with rehearsing(Desk, Script(BOOK)) as call:
        reply = await call.say("book 10")
        assert reply.text == ASKED
        assert types(call.log)[-7:] == [
            "cue.reply", "tool.call", "confirm.request", "cue.said", "tools.changed", "turn.agent", "cue.delivered",
        ]  # fmt: skip
        (request,) = datas(call.log, "confirm.request")
        arguments = {"slot": "10", "people": 2}
        text = json.dumps(["book", dict(sorted(arguments.items()))], separators=(",", ":"))
        assert request == {
            "tool": "book",
            "call_id": datas(call.log, "tool.call")[0]["call_id"],
            "arguments": arguments,
            "audience": hashlib.sha256(text.encode()).hexdigest(),
            "phrase": ASKED,
            "ttl_s": 120,
        }
        assert said(call.log) == [("code", ASKED)]
        assert (call.agent.done, call.state.tools[0].status) == ([], "running")
        assert statuses(call) == [("book", "pending", None)]
        assert len(call.requests) == 1, "the turn ended"


async def test_the_history_reads_waiting_and_the_one_result_comes_later() -> None:
    async with rehearsing(Desk, Script(BOOK, "Sunny.", answers("yes"), "Done.")) as call:
        await call.say("book 10")
        await call.say("weather?")
        await call.say("yes")
        assert told(call.requests[1]) == told(call.requests[2])
        assert "Not run yet" in told(call.requests[1])[0]
        assert ASKED in told(call.requests[1])[0]
        assert told(call.requests[3])[1:] == ["booked 10"]
        assert [one["name"] for one in results(call.log)] == ["book", "answer_confirmation"]
        assert [one["output"] for one in results(call.log)] == ["booked 10"] * 2


async def test_what_is_clamped_or_defaulted_is_what_is_asked_about() -> None:
    async with rehearsing(Desk, Script(calls("book", slot="10", people=9), answers("yes"), "Done.")) as call:
        assert (await call.say("nine")).text == "Shall I book 10 for 4, Ada?"
        assert datas(call.log, "tool.call")[0]["arguments"] == {"slot": "10", "people": 9}
        await call.say("yes")
        assert call.agent.done == ["10 for 4"]
        assert check_yeses(call.log, GUARDED) == 1


async def test_the_phrase_may_come_from_a_function_and_a_tool_that_reads_is_guarded_too() -> None:
    async with rehearsing(Desk, Script(calls("wipe", what="all"), answers("yes"), "Done.")) as call:
        assert (await call.say("wipe")).text == "Wipe all of Ada?"
        assert check_yeses(call.log, GUARDED) == 0
        await call.say("yes")
        assert check_yeses(call.log, GUARDED) == 1


@pytest.mark.parametrize("what", ["empty", "number", "later"])
async def test_a_function_that_gives_no_phrase_asks_nothing_and_runs_nothing(what: str) -> None:
    async with rehearsing(Desk, Script(calls("wipe", what=what), "Sorry.")) as call:
        assert (await call.say("wipe")).text == "Sorry."
        assert (asked(call.log), errors(call.log)) == ([], ["confirm-raised"])
        assert "failed" in results(call.log)[0]["error"]


async def test_the_models_words_beside_the_call_come_first_and_the_phrase_last() -> None:
    async with rehearsing(Desk, Script(["It is booked! ", BOOK])) as call:
        assert (await call.say("book 10")).text == f"It is booked!\n{ASKED}"


async def test_the_answering_tool_is_visible_while_something_is_open() -> None:
    async with rehearsing(Desk, Script("Hi.", BOOK, "Hm.", answers("yes"), "Done.")) as call:
        for words in ("hello", "book 10", "hm", "yes"):
            await call.say(words)
        offered = ["answer_confirmation" in request.tools for request in call.requests]
        assert offered == [False, False, True, True, False]
        assert len({json.dumps(request.static) for request in call.requests}) == 1
        assert "answer_confirmation" not in call.state.tools_visible


# --- judging ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["yes", "Yes, please!", "sure", "go ahead"])
async def test_a_yes_by_model_and_code_runs_it_in_that_turn_once(words: str) -> None:
    async with rehearsing(Desk, Script(BOOK, answers("yes"), "Done.", "What?")) as call:
        await call.say("book 10")
        assert (await call.say(words)).text == "Done."
        await call.say("yes")
        assert (call.agent.done, granted(call.log)) == (["10 for 2"], [("book", words)])
        assert statuses(call) == [("book", "granted", None)]
        (ran,) = datas(call.log, "custom")
        assert ran["data"]["key"] == f"{call.id}/{call.state.confirms[0].call_id}", "the key is the first call's"
        kinds = types(call.log)
        assert kinds.index("confirm.granted") < kinds.index("custom") < kinds.index("tool.result")


@pytest.mark.parametrize(
    ("words", "answer", "status"),
    [
        ("yes", "no", "pending"),
        ("yes", "other", "pending"),
        ("what did you say?", "yes", "pending"),
        ("yes, but at 11", "yes", "pending"),
        ("I'd say so", "yes", "pending"),
        ("hm", "other", "pending"),
        ("I'd say not", "no", "declined"),
        ("no", "yes", "declined"),
        ("no", "other", "declined"),
        ("no", "no", "declined"),
        ("", "yes", "pending"),
        ("  ", "no", "pending"),
    ],
)
async def test_both_must_say_yes_and_either_may_say_no(words: str, answer: Any, status: str) -> None:
    async with rehearsing(Desk, Script(BOOK, answers(answer), "Well.")) as call:
        await call.say("book 10")
        reply = await call.say(words)
        assert reply.text == ("Well." if status == "declined" else f"Well.\n{ASKED}")
        assert statuses(call) == [("book", status, "no" if status == "declined" else None)]
        assert call.agent.done == []
        assert "Nothing was done" in told(call.requests[2])[-1]
        if status == "declined":
            assert datas(call.log, "confirm.declined")[0]["said"] == words


async def test_a_clear_no_that_the_model_says_nothing_of_is_one_and_the_model_hears_of_it() -> None:
    async with rehearsing(Desk, Script(BOOK, "As you like.", "Yes?")) as call:
        await call.say("book 10")
        assert (await call.say("no")).text == "As you like."
        assert declined(call.log) == [("book", "no")]
        await call.say("hello")
        assert "the caller said no" in call.requests[2].view
        assert "the caller said no" not in call.requests[1].view


async def _later() -> bool:
    return True


@pytest.mark.parametrize("judged", [None, 1, "yes", KeyError("oops"), [True], _later])
async def test_a_judge_that_does_not_say_true_has_not_said_yes(judged: Any) -> None:
    class Judged(Desk):
        def consents(self, said: str) -> Any:
            if isinstance(judged, Exception):
                raise judged
            return judged() if judged is _later else judged

    async with rehearsing(Judged, Script(BOOK, answers("yes"), answers("yes"), "Well.")) as call:
        await call.say("book 10")
        assert (await call.say("yes")).text == f"Well.\n{ASKED}"
        assert call.agent.done == []
        assert errors(call.log) == ([] if judged is None else ["consents-raised"]), "it is asked once a turn"


async def test_a_judge_of_ones_own_is_asked_about_words_after_the_phrase_alone_and_changes_nothing() -> None:
    heard: list[str] = []

    class Judged(Desk):
        def consents(self, said: str) -> bool | None:
            heard.append(said)
            if said == "write":
                self.open = False
            return said == "abracadabra"

    script = Script(BOOK, answers("yes"), "Hm.", "Hm.", BOOK, answers("yes"), "Done.")
    async with rehearsing(Judged, script) as call:
        for words in ("yes", "write", "hm", "book 10", "abracadabra"):
            await call.say(words)
        assert heard == ["write", "hm", "abracadabra"]
        assert (call.agent.open, call.agent.done) == (True, ["10 for 2"])
        assert errors(call.log) == ["consents-raised"]
        assert check_yeses(call.log, GUARDED, judge=lambda said: said == "abracadabra") == 1


# --- what the phrase was followed by ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ttl_s", [1, 30, 120])
@pytest.mark.parametrize("late", [False, True])
async def test_a_yes_counts_for_as_long_as_the_limit_says(ttl_s: int, late: bool) -> None:
    class Short(Desk):
        limits = Limits(confirm_s=ttl_s)

    async with rehearsing(Short, Script(BOOK, "Hm." if late else answers("yes"), "Done.")) as call:
        await call.say("book 10")
        await call.advance(ttl_s + late)
        assert datas(call.log, "confirm.request")[0]["ttl_s"] == ttl_s
        await call.say("yes")
        assert call.agent.done == ([] if late else ["10 for 2"])
        assert statuses(call) == [("book", *(("declined", "timeout") if late else ("granted", None)))]
        assert ("has lapsed" in call.requests[1].view) == late
        if late:
            assert "answer_confirmation" not in call.requests[1].tools
            assert "lapsed" in results(call.log)[0]["error"]


async def test_the_time_runs_from_when_the_caller_was_last_asked_and_an_events_turn_settles_what_lapsed() -> None:
    script = Script(BOOK, "Sunny.", answers("yes"), "Done.", BOOK, "Well.")
    async with rehearsing(Desk, script) as call:
        await call.say("book 10")
        await call.advance(100)
        await call.say("weather?")
        await call.advance(100)
        await call.say("yes")
        assert call.agent.done == ["10 for 2"]
        await call.say("again")
        await call.advance(121)
        assert (await call.event("reply")).text == "Well."
        assert declined(call.log) == [("book", "timeout")]


async def test_words_that_came_in_before_the_question_are_no_answer_to_it() -> None:
    import asyncio

    async def slow(request: Any) -> Any:
        await asyncio.sleep(0)
        return BOOK

    async with rehearsing(Desk, Script(slow, answers("yes"), "One moment.", answers("yes"), "Done.")) as call:
        first, second = await asyncio.gather(call.say("book 10"), call.say("yes"))
        assert (first.text, second.text) == (ASKED, f"One moment.\n{ASKED}")
        assert call.agent.done == []
        await call.say("yes")
        assert call.agent.done == ["10 for 2"]


@pytest.mark.parametrize(("event", "counts"), [("speak", False), ("silent", True), ("reply", True), ("shut", False)])
async def test_what_happens_between_phrase_and_answer(event: str, counts: bool) -> None:
    words = ["Something."] if event == "reply" else []
    async with rehearsing(Desk, Script(BOOK, *words, answers("yes"), "Well.")) as call:
        await call.say("book 10")
        reply = await call.event(event)
        assert reply.text == {"speak": "By the way.", "reply": f"Something.\n{ASKED}"}.get(event, "")
        await call.say("yes")
        assert call.agent.done == (["10 for 2"] if counts else [])
        assert ("code", call.agent.wording.gone_line) in said(call.log) or event != "shut"
        assert statuses(call)[0][1:] == {"speak": ("pending", None), "shut": ("declined", "cancelled")}.get(
            event, ("granted", None)
        )


@pytest.mark.parametrize(
    ("heard", "counts"),
    [(None, True), ("", False), (ASKED[:-1], False), (f"Shall I book 10 for 2, Ada?  {ASKED}", True), (ASKED, False)],
)
async def test_a_phrase_that_was_not_heard_to_its_end_is_put_again(heard: str | None, counts: bool) -> None:
    script = Script([f"{ASKED} ", BOOK], answers("yes"), "Well.")  # the model speaks the phrase as well
    async with rehearsing(Desk, script) as call:
        await call.say("book 10")
        call.interrupt(heard)
        reply = await call.say("yes")
        assert call.agent.done == (["10 for 2"] if counts else [])
        assert reply.text == ("Well." if counts else f"Well.\n{ASKED}")


async def test_a_turn_that_is_stopped_or_broken_asks_nothing_until_the_next_one_has() -> None:
    class Bounded(Desk):
        limits = Limits(model_requests=2)

    stopped = [calls("shut"), calls("shut")]
    script = Script(BOOK, *stopped, "Hm.")
    async with rehearsing(Bounded, script) as call:
        await call.say("book 10")
        assert (await call.say("yes")).text == FALLBACK
        assert statuses(call) == [("book", "pending", None)]
        assert (await call.say("yes")).text == f"Hm.\n{ASKED}"
        with pytest.raises(Exception, match="script"):
            await call.say("yes", id="m1")
        assert call.agent.done == []


# --- wording ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "de"])
async def test_what_is_said_is_in_one_place_and_the_authors_to_change(language: Literal["en", "de"]) -> None:
    lines = Wording(
        waiting="Wartet auf {call_id} {tool} {phrase}", pending="Offen {call_id} {tool} {phrase}",
        said_no="Nein zu {tool}.", gone="Weg {call_id}.", gone_line="Das geht nicht mehr.",
    )  # fmt: skip

    class Own(Desk):
        wording = {"de": lines}

    Own.language = language
    yes, no = {"en": ("yes", "no"), "de": ("ja", "nein")}[language]
    script = Script(BOOK, answers("no"), "Ok.", BOOK, answers("yes"), "Ok.")
    async with rehearsing(Own, script) as call:
        await call.say("book 10")
        await call.say(no)
        await call.say("book 10")
        await call.event("shut")
        await call.say(yes)
        (first, second) = (data["call_id"] for data in datas(call.log, "confirm.request"))
        own = [
            f"Wartet auf {first} book {ASKED}" in told(call.requests[1]),
            f"Offen {first} book {ASKED}" in call.requests[1].view,
            "Nein zu book." in told(call.requests[2]),
            f"Weg {second}." in told(call.requests[5]),
            ("code", "Das geht nicht mehr.") in said(call.log),
        ]
        assert own == [language == "de"] * 5
        assert len(entries(call.log, "confirm.declined")) == 2
