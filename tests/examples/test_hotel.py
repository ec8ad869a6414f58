"""Callers find, compare and book a hotel of `examples/hotel`; where they are after every turn is read from the log."""

import asyncio
import importlib
import random
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from cuelight import HttpContentType, wire
from cuelight.errors import CallEnded
from cuelight.log import reduce
from cuelight.models import CueSheet, Understudy
from cuelight.stores import SqliteStore
from cuelight.testing import Rehearsal, Script, answers, calls
from cuelight.wiring import find_agent
from lawbook import datas, errors, heard, rehearsing, results, told

FOUND = find_agent(str(Path(__file__).parents[2] / "examples" / "hotel"))
FLOW: Any = FOUND.make
SHEET = CueSheet.load(FOUND.sheet)
HOTELS: Any = importlib.import_module("hotels")
RESERVATIONS: Any = importlib.import_module("reservations")
NAMES = [hotel.name for hotel in HOTELS.HOTELS]
END = "TerminateSessionStep"

SHORTLIST = ["Anchor", "Gull", "Lighthouse"]
PRESENTED = {"stage": "Present", "Present": {"shortlist": SHORTLIST, "found": 3}}
COMPARED = {**PRESENTED, "stage": "Compare", "Compare": {"hotels": ["Anchor", "Gull"]}}
CHOSEN = {**PRESENTED, "stage": "Book", "Book": {"hotel": "Gull"}}
PLANNED = {**PRESENTED, "stage": "Book", "Book": {"hotel": "Gull", "arrival": "2026-03-09", "nights": 2, "guests": 2}}


def new_reservations() -> Any:
    return RESERVATIONS.Reservations(lambda: date(2026, 3, 5))  # a Thursday


def talk(model: Any, *said: str, state: dict[str, Any] | None = None, reservations: Any = None) -> Rehearsal[Any]:
    """Have a call, and give it as it was."""
    system = reservations or new_reservations()

    async def conversation() -> Rehearsal[Any]:
        async with rehearsing(lambda: FLOW(system), model, state=state) as call:
            for text in said:
                await call.say(text)
        return call

    return asyncio.run(conversation())


def steps(log: Sequence[wire.Entry]) -> list[str]:
    """Read from a log which step the call was in after each of the caller's turns."""
    step = ""
    after: list[str] = []
    for entry in log:
        if entry.type == "turn.user":
            after.append(step)
        elif entry.type == "state.changed":
            step = entry.data["state"]["stage"]
            after[-1:] = [step] if after else []
    return after


def states(log: Sequence[wire.Entry], step: str) -> list[dict[str, Any]]:
    """Read from a log what a step's state was after each of the caller's turns."""
    starts = [number for number, entry in enumerate(log) if entry.type == "turn.user"]
    return [reduce(log[:end]).app_state[step] for end in (*starts[1:], len(log))]


def turns(log: Sequence[wire.Entry]) -> list[list[wire.Entry]]:
    """Part a log into the caller's turns."""
    parts: list[list[wire.Entry]] = []
    for entry in log:
        if entry.type == "turn.user":
            parts.append([])
        if parts:
            parts[-1].append(entry)
    return parts


def called(turn: Sequence[wire.Entry]) -> list[str]:
    return [data["name"] for data in datas(turn, "tool.call")]


# --- whole calls ------------------------------------------------------------------------------------------------------

WALK = """
Good morning, I'm looking for something at the harbour, at most 140 euros
    Explore: 3 hotels fit; at most 140 euros, district Harbour
yes, show me
    Present: 1. Anchor; 2. Gull; 3. Lighthouse
compare the Anchor and the Gull
    Compare: | a night | 78 euros | 84 euros |
and as JSON, please
    Compare: "currency":"EUR"; "name":"Anchor"; "name":"Gull"
back to the results
    Present: 1. Anchor; 3. Lighthouse
compare the Gull with the Lighthouse
    Compare: | breakfast | included | included |
now compare the Anchor and the Lighthouse
    Compare: | district | Harbour | Harbour |
could we also see something on the beach?
    Present: 2. Driftwood; Beach
only with breakfast and where our dog is welcome
    Present: 1. Driftwood
can I smoke there?
    Present: No hotel in town allows smoking
I'll take the Driftwood
    Book: Driftwood: on which day would you arrive?
last Tuesday
    Book: That day is past
Thursday, for three nights
    Book: it is free on Sun, Mon, Tue, Wed, Thu
Sunday then
    Book: How many guests
two of us
    Book: Shall I book Driftwood from Sunday 15 March, 3 nights, 2 guests, 285 euros in all?
yes please
    TerminateSessionStep: It is booked; MM-001; goodbye
"""


def test_a_newcomer_walks_all_of_it_by_typing_sentences() -> None:
    lines = [line.strip() for line in WALK.strip().splitlines()]
    expected = [line.split(": ", 1) for line in lines[1::2]]
    call = talk(Understudy(SHEET), *lines[::2])
    assert steps(call.log) == [step for step, _ in expected]
    for (_, words), answer in zip(expected, heard(call.log)[1:], strict=True):
        assert all(word in answer for word in words.split("; ")), answer
    assert errors(call.log) == []
    assert reduce(call.log).end_reason == "agent_hung_up"


def test_what_the_readme_proposes_to_type_leads_to_a_booking() -> None:
    proposed = (FOUND.file.parent / "README.md").read_text(encoding="utf-8").split("```text\n")[1].split("\n```")[0]
    call = talk(Understudy(SHEET), *proposed.splitlines())
    assert steps(call.log) == ["Explore", "Present", "Compare", "Compare", "Present", "Book", "Book", END]
    assert reduce(call.log).app_state["booking"]["hotel"] == "Driftwood"


def test_a_scripted_model_walks_the_same_steps() -> None:
    script = Script(
        calls("filter_hotels", district="Harbour"), "Two or three. Anything else?",
        calls("show_results"), "There are Anchor, Gull and Lighthouse.",
        calls("compare", hotels=["Anchor", "Gull"]), calls("show_table"),
        calls("back_to_results"), "Here they are again.",
        calls("search_again", wish="on the beach"), calls("filter_hotels", district="Beach"), calls("show_results"),
        "Mermaid, Driftwood and Heron.",
        calls("choose", hotel="the Heron"), "When?",
        calls("plan_stay", arrival=date(2026, 3, 9), nights=2, guests=1), calls("book"),
        answers("yes"), "Booked. Goodbye!",
    )  # fmt: skip
    call = talk(script, "Harbour", "Show me", "Compare the first two", "Back", "Beach?", "Heron", "Monday", "Yes")
    assert steps(call.log) == ["Explore", "Present", "Compare", "Present", "Present", "Book", "Book", END]
    assert errors(call.log) == []


# --- explore ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [False, True])
def test_two_calls_in_one_reply_both_count_in_their_order(turned: bool) -> None:
    price, district = calls("filter_hotels", max_price=90), calls("filter_hotels", district="Harbour")
    reply = [district, price] if turned else [price, district]
    call = talk(Script(reply, "Two fit."), "At the harbour, under 90")
    assert [data["output"]["count"] for data in results(call.log)] == ([3, 2] if turned else [6, 2])
    assert len(datas(call.log, "cue.reply")) == 2
    filters = states(call.log, "Explore")[-1]["filters"]
    assert (filters["max_price"], filters["district"]) == (90, "Harbour")
    assert "Looked for: at most 90 euros, district Harbour. Hotels that fit: 2." in call.requests[1].view


def test_a_filter_and_the_results_in_one_reply() -> None:
    call = talk(
        Script([calls("filter_hotels", district="Beach"), calls("show_results")], "Three."), "Show me the beach"
    )
    assert steps(call.log) == ["Present"]
    assert states(call.log, "Present")[-1] == {"shortlist": ["Mermaid", "Driftwood", "Heron"], "found": 3}


def test_a_filter_stays_until_it_is_dropped() -> None:
    script = Script(
        calls("filter_hotels", max_price=80, pets=True), "Four.",
        calls("filter_hotels", sea_view=True), "One.",
        calls("drop_filters", filters=["pets", "max_price"]), "Six.",
        calls("drop_filters"), "All.",
    )  # fmt: skip
    call = talk(script, "Under 80 with a dog", "And the sea", "No dog, any price", "Forget it all")
    assert [data["output"]["looked_for"] for data in results(call.log)] == [
        ["at most 80 euros", "pets welcome"],
        ["at most 80 euros", "pets welcome", "a view of the sea"],
        ["a view of the sea"],
        [],
    ]


@pytest.mark.parametrize(
    ("filters", "advice"),
    [
        ({"max_price": 60, "district": "Beach"}, "Without max_price (at most 60 euros) there would be 3."),
        (
            {"min_stars": 4, "pets": True, "breakfast": True, "district": "Hillside"},
            "Without min_stars (4 stars or more)",
        ),
        ({"max_price": 10, "min_stars": 5, "pets": True}, "whichever filter is dropped"),
        ({"max_price": 0}, "Without max_price (at most 0 euros) there would be 12."),
    ],
)
def test_where_nothing_fits_it_stays_and_says_what_to_relax(filters: dict[str, Any], advice: str) -> None:
    script = Script([calls("filter_hotels", **filters), calls("show_results")], "Nothing fits.")
    call = talk(script, "Show me")
    assert steps(call.log) == ["Explore"]
    assert advice in told(call.requests[1])[-1]
    assert datas(call.log, "cue.crossing") == []


# --- present and compare ----------------------------------------------------------------------------------------------


def test_search_again_puts_the_callers_words_before_the_model_of_explore() -> None:
    wish = "something cheaper, by the beach"
    script = Script(calls("search_again", wish=wish), calls("filter_hotels", district="Beach"), "Three fit.")
    call = talk(script, f"I'd like {wish}", state={**PRESENTED, "Explore": {"filters": {"breakfast": True}}})
    assert steps(call.log) == ["Explore"]
    explore = call.requests[1]
    assert (explore.stage, explore.tools[:3]) == ("Explore", ["filter_hotels", "drop_filters", "show_results"])
    assert explore.messages[-1]["role"] == "user"
    assert explore.messages[-1]["content"].startswith(f'The caller has seen the hotels, and says: "{wish}".')
    (crossing,) = datas(call.log, "cue.crossing")
    assert (crossing["from"], crossing["to"]) == ("Present", "Explore")
    assert wish in crossing["message"]
    assert results(call.log)[-1]["output"]["looked_for"] == ["district Beach", "breakfast included"]  # it still stands


def test_the_table_goes_to_the_caller_as_it_is_and_no_model_is_asked() -> None:
    async def conversation() -> None:
        script = Script(calls("show_table"), "This would retell it.")
        async with rehearsing(lambda: FLOW(new_reservations()), script, state=COMPARED) as call:
            reply = await call.say("Show me")
        table, _, question = reply.text.partition("\n\n")
        assert table.splitlines()[:3] == [
            "|  | Anchor | Gull |",
            "| --- | --- | --- |",
            "| a night | 78 euros | 84 euros |",
        ]
        assert question == "Which one shall it be, or shall we go back to the results?"
        assert reply.content == reply.text
        assert reply.content_type == HttpContentType.MARKDOWN
        assert len(datas(call.log, "cue.reply")) == len(datas(call.log, "metrics.llm")) == len(call.requests) == 1
        (delivered,) = datas(call.log, "cue.delivered")
        assert (delivered["content"], delivered["content_type"]) == (reply.text, "text/markdown")
        assert (steps(call.log), heard(call.log)[-1]) == (["Compare"], reply.text)

    asyncio.run(conversation())


def test_the_comparison_as_json_has_its_content_type() -> None:
    async def conversation() -> None:
        script = Script(calls("comparison_as_json"))
        async with rehearsing(lambda: FLOW(new_reservations()), script, state=COMPARED) as call:
            reply = await call.say("As JSON please")
        assert reply.content_type == HttpContentType.JSON
        assert [hotel["name"] for hotel in reply.content["hotels"]] == ["Anchor", "Gull"]
        assert reply.content["hotels"][1] == {
            "name": "Gull", "district": "Harbour", "stars": 3, "price": 84, "breakfast": True, "pets": False,
            "sea_view": True, "free_nights": ["Sun", "Mon", "Tue", "Wed", "Thu"],
        }  # fmt: skip
        (delivered,) = datas(call.log, "cue.delivered")
        assert (delivered["content"], delivered["content_type"]) == (reply.content, "application/json")
        assert (steps(call.log), len(datas(call.log, "cue.reply"))) == (["Compare"], 1)

    asyncio.run(conversation())


def test_back_and_forth_keeps_what_each_step_knows() -> None:
    script = Script(
        calls("compare", hotels=["Anchor", "Gull"]), calls("show_table"),
        calls("back_to_results"), "Here they are.",
        calls("compare", hotels=["Gull", "Lighthouse"]), calls("show_table"),
        calls("back_to_results"), "Here they are.",
    )  # fmt: skip
    call = talk(script, "Anchor and Gull?", "Back", "Gull and Lighthouse?", "Back", state=PRESENTED)
    assert steps(call.log) == ["Compare", "Present", "Compare", "Present"]
    assert states(call.log, "Present") == [{"shortlist": SHORTLIST, "found": 3}] * 4
    assert [state["hotels"] for state in states(call.log, "Compare")] == [["Anchor", "Gull"]] * 2 + [
        ["Gull", "Lighthouse"]
    ] * 2


@pytest.mark.parametrize(
    ("call_", "said"),
    [
        (
            calls("compare", hotels=["Anchor", "the Pearl"]),
            "the Pearl is not on the shortlist: Anchor, Gull, Lighthouse.",
        ),
        (calls("compare", hotels=["Anchor", "Anchor hotel"]), "It takes two hotels to compare."),
        (calls("choose", hotel="Pearl"), "Pearl is not on the shortlist: Anchor, Gull, Lighthouse."),
    ],
)
def test_only_what_is_on_the_shortlist_can_be_compared_or_chosen(call_: Any, said: str) -> None:
    call = talk(Script(call_, "Which?"), "That one", state=PRESENTED)
    assert told(call.requests[1])[0].startswith(said)
    assert steps(call.log) == ["Present"]


# --- book -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [None, PRESENTED, COMPARED, CHOSEN])
def test_nothing_is_booked_before_everything_is_known(state: dict[str, Any] | None) -> None:
    reservations = new_reservations()
    call = talk(Script(calls("book"), "Not yet."), "Book it", state=state, reservations=reservations)
    assert [data["reason"] for data in datas(call.log, "cue.refused")] == ["hidden"]
    assert (reservations.bookings, reduce(call.log).app_state["booking"]) == ({}, None)
    assert steps(call.log) == [state["stage"] if state else "Explore"]


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"arrival": date(2026, 3, 4)}, "That day is past."),
        ({"nights": 0}, "A stay has one to 14 nights."),
        ({"nights": 15}, "A stay has one to 14 nights."),
        ({"guests": 5}, "A room is for one to 4 guests."),
    ],
)
def test_what_cannot_be_is_refused_and_not_recorded(given: dict[str, Any], refusal: str) -> None:
    call = talk(Script(calls("plan_stay", **given), "Again?"), "So", state=CHOSEN)
    assert told(call.requests[1])[0].startswith(refusal)
    assert all(states(call.log, "Book")[-1][name] is None for name in ("arrival", "nights", "guests"))


def test_too_few_free_nights_keep_the_booking_away() -> None:
    script = Script(
        calls("plan_stay", nights=3, guests=2), "When?",
        calls("plan_stay", arrival=date(2026, 3, 12)), "Another day?",
        calls("plan_stay", arrival=date(2026, 3, 10)), "Shall I?",
    )  # fmt: skip
    call = talk(script, "Three nights, two guests", "Thursday", "Tuesday then", state=CHOSEN)
    assert told(call.requests[3])[-1].startswith("From Thursday 12 March on, Gull has 1 free night in a row, not 3.")
    assert "book" not in call.requests[3].tools
    assert "book" in call.requests[5].tools
    assert "Ready to book: Gull from Tuesday 10 March, 3 nights, 2 guests, 252 euros in all." in call.requests[5].view
    assert [state["ready"] for state in states(call.log, "Book")] == [False, False, True]


def test_another_hotel_keeps_the_stay_and_is_asked_for_its_own_free_nights() -> None:
    script = Script(
        calls("back_to_results"), "Which?", calls("choose", hotel="Lantern"), "It is full then.",
        calls("back_to_results"), calls("choose", hotel="Pearl"), "Shall I?",
    )  # fmt: skip
    state = {**PLANNED, "Present": {"shortlist": ["Lantern", "Pearl"], "found": 2}}
    call = talk(script, "Another one", "Lantern", "The Pearl then", state=state)
    assert steps(call.log) == ["Present", "Book", "Book"]
    kept = [(each["hotel"], each["nights"], each["ready"]) for each in states(call.log, "Book")]
    assert kept == [("Gull", 2, True), ("Lantern", 2, False), ("Pearl", 2, True)]
    assert "From Monday 9 March on, Lantern has 0 free nights in a row, not 2." in call.requests[3].view


def test_a_stay_is_booked_once_under_the_key_of_its_call() -> None:
    reservations = new_reservations()
    script = Script(calls("book"), answers("yes"), "Booked. Goodbye!")
    call = talk(script, "Book it", "Yes", state=PLANNED, reservations=reservations)
    assert heard(call.log)[1:] == [
        "Shall I book Gull from Monday 9 March, 2 nights, 2 guests, 168 euros in all?", "Booked. Goodbye!",
    ]  # fmt: skip
    (booked,) = [data for data in datas(call.log, "tool.call") if data["name"] == "book"]
    ((key, booking),) = reservations.bookings.items()
    assert key == f"{call.id}/{booked['call_id']}"
    again = reservations.book(HOTELS.HOTELS[0], date(2026, 3, 9), 1, 1, key=key)
    assert (again, len(reservations.bookings)) == (booking, 1)
    state = reduce(call.log)
    assert state.app_state["booking"] == {
        "reference": "MM-001", "hotel": "Gull", "arrival": "2026-03-09", "nights": 2, "guests": 2, "total": 168,
    }  # fmt: skip
    assert (steps(call.log), state.status) == (["Book", END], "ended")
    assert "reference MM-001" in call.requests[2].view
    assert call.requests[2].tools == []


def test_a_stay_that_has_changed_is_asked_about_anew_and_a_yes_to_the_older_one_books_nothing() -> None:
    reservations = new_reservations()
    script = Script(
        calls("book"), calls("plan_stay", nights=3), "Three, then.", answers("yes"), "Sorry.",
        calls("book"), calls("plan_stay", nights=1), calls("book"), answers("yes"), "Booked. Goodbye!",
    )  # fmt: skip
    said = ("Book it", "Three nights", "Yes", "Again", "One night", "Yes")
    call = talk(script, *said, state=PLANNED, reservations=reservations)
    assert [data["reason"] for data in datas(call.log, "confirm.declined")] == ["cancelled", "changed"]
    assert "3 nights" in heard(call.log)[4]
    assert heard(call.log)[5] == "Shall I book Gull from Monday 9 March, 1 night, 2 guests, 84 euros in all?"
    assert [booking.nights for booking in reservations.bookings.values()] == [1]


def test_a_stay_that_was_possible_is_none_when_its_day_has_passed() -> None:
    later = RESERVATIONS.Reservations(lambda: date(2026, 3, 10))
    call = talk(Script(calls("book"), "Too late."), "Yes", state=PLANNED, reservations=later)
    assert [data["reason"] for data in datas(call.log, "cue.refused")] == ["hidden"]
    assert later.bookings == {}


def test_a_call_goes_on_in_another_process_as_it_was(tmp_path: Path) -> None:
    reservations = new_reservations()

    async def conversation() -> list[wire.Entry]:
        model = Understudy(SHEET)
        store = {"store": SqliteStore(tmp_path / "calls.sqlite3")}
        async with rehearsing(lambda: FLOW(reservations), model, **store) as call:
            for text in ("by the beach, breakfast included", "show me", "the Heron, for Friday"):
                await call.say(text)
            name = call.id
        store = {"store": SqliteStore(tmp_path / "calls.sqlite3")}
        async with rehearsing(lambda: FLOW(reservations), model, resume=name, **store) as call:
            assert call.agent.step("Explore").filters == HOTELS.Filters(district="Beach", breakfast=True)
            assert call.agent.step("Book").arrival == date(2026, 3, 6)
            for text in ("two nights for three people", "yes"):
                await call.say(text)
        return call.log

    assert steps(asyncio.run(conversation())) == ["Explore", "Present", "Book", "Book", END]
    assert [booking.guests for booking in reservations.bookings.values()] == [3]


def test_each_call_has_services_of_its_own_unless_it_is_given_them() -> None:
    assert FLOW().reservations() is not FLOW().reservations()
    shared = new_reservations()
    assert FLOW(shared).reservations() is shared


# --- in every step ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [None, PRESENTED, COMPARED, PLANNED])
def test_the_flows_own_tools_are_there_in_every_step(state: dict[str, Any] | None) -> None:
    script = Script(calls("house_rules", topic="payment"), "At the hotel.", calls("goodbye"), "Goodbye!")
    call = talk(script, "How do I pay?", "Bye", state=state)
    assert call.requests[0].tools[-2:] == ["house_rules", "goodbye"]
    assert told(call.requests[1])[0].startswith("You pay at the hotel")
    assert steps(call.log) == [state["stage"] if state else "Explore", END]
    assert call.requests[3].tools == []


# --- in the callers' own words ----------------------------------------------------------------------------------------


def test_the_cue_sheet_fits_the_flow_and_knows_its_hotels() -> None:
    SHEET.check(FLOW)
    for slot in ("hotel", "other", "another"):
        assert [value for value, _ in SHEET.slots[slot].values] == NAMES


SHOWN = ("Show me all hotels",)
SIDE_BY_SIDE = (*SHOWN, "compare the Compass and the Anchor")
TAKEN = (*SHOWN, "I'd like the Compass")
READY = (*TAKEN, "Monday, two nights, two guests")
PHRASINGS = {
    (): """
        Something by the harbour, please => Explore: filter_hotels
        We need a four star hotel in the old town under 150 euros => Explore: filter_hotels
        a quiet place with breakfast for us and the dog => Explore: filter_hotels filter_hotels filter_hotels
        nothing too expensive => Explore:
        I've got about 90 euros a night => Explore: filter_hotels
        show me what you have with a view of the sea => Present: filter_hotels show_results
        which hotels do you have? => Present: show_results
        I don't mind => Present: show_results
        compare the Compass and the Anchor => Compare: show_results compare show_table
        how much is a room? => Explore:
        can I cancel? => Explore: house_rules
        I want to book a room => Explore:
        what can you do? => Explore:
        bye bye => TerminateSessionStep: goodbye
        less than a hundred, by the sea => Explore: filter_hotels filter_hotels
        somewhere in the hills for my cat and me => Explore: filter_hotels filter_hotels
        not at the harbour => Explore:
        I don't need a sea view => Explore: drop_filters
        do you have a pool? => Explore:
        which hotels allow pets? => Explore: filter_hotels
        what's your cheapest hotel? => Present: show_results
        the price doesn't matter => Present: drop_filters show_results
        The Gull please => Present: show_results choose
    """,
    SHOWN: """
        the first two, side by side => Compare: compare show_table
        what's the difference between the Compass and the Juniper? => Compare: compare show_table
        Mermaid or Quince? => Compare: compare show_table
        compare the top three => Compare: compare show_table
        compare the first and the third one => Compare: compare show_table
        which one is better? => Present:
        tell me about the Juniper => Present:
        book the Quince => Book: choose
        the second one, please => Book: choose
        I'd go for the cheapest one => Book: choose
        is there anything with five stars? => Present: search_again filter_hotels show_results
        how about the beach, with breakfast => Present: search_again filter_hotels filter_hotels show_results
        any other hotels? => Explore: search_again
        none of them => Explore: search_again
        start over => Present: search_again drop_filters show_results
        what were they again? => Present:
        is breakfast before ten at the Anchor? => Present:
        no thanks, that's all => TerminateSessionStep: goodbye
        cheaper ones => Explore: search_again
        these are too far from the beach => Present: search_again filter_hotels show_results
        Juniper, from Friday, two nights, two people => Book: choose plan_stay book
        the first one, for tomorrow, one night, just me => Book: choose plan_stay plan_stay book
        I need to think about it => Present:
        can we pay by card? => Present: house_rules
    """,
    SIDE_BY_SIDE: """
        show me that once more => Compare: show_table
        the same as JSON => Compare: comparison_as_json
        go back => Present: back_to_results
        and the Mermaid and the Quince? => Compare: back_to_results compare show_table
        something cheaper by the beach => Present: back_to_results search_again filter_hotels show_results
        I'll have the Anchor => Book: choose
        the first one => Book: choose
        neither => Present: back_to_results
        may children sleep in our room? => Compare: house_rules
        which is cheaper? => Compare: show_table
        what about the Juniper? => Present: back_to_results
        the more expensive one => Book: choose
        I'd book the second one for Friday, two nights, two of us => Book: choose plan_stay book
    """,
    TAKEN: """
        next Friday for three nights, there are two of us => Book: plan_stay book
        from Monday to Wednesday => Book: plan_stay
        tomorrow => Book: plan_stay
        a week => Book: plan_stay
        just me => Book: plan_stay
        when is it free? => Book:
        I'd rather see the other hotels => Present: back_to_results
        the Anchor instead => Book: back_to_results choose
        compare it with the Mermaid => Present: back_to_results
        we'd arrive on Saturday and stay for a week => Book: plan_stay plan_stay
        in two weeks => Book: plan_stay
        me and my girlfriend => Book: plan_stay
        forty nights => Book: plan_stay
        can I see the others first? => Present: back_to_results
        what does it cost? => Book:
        something nicer, with pets => Present: back_to_results search_again filter_hotels filter_hotels show_results
    """,
    READY: """
        yes => TerminateSessionStep: answer_confirmation
        sounds good, go ahead => TerminateSessionStep: answer_confirmation
        book it => Book:
        no => Book: answer_confirmation
        how much is it? => Book:
        make it three nights => Book: answer_confirmation plan_stay book
        Tuesday instead => Book: answer_confirmation plan_stay book
        one more night => Book: answer_confirmation
        no, I'd like the Anchor => Book: answer_confirmation back_to_results choose book
        too expensive => Explore: answer_confirmation back_to_results search_again
        are you sure? => Book:
        wait => Book: answer_confirmation
        forget it => Book: answer_confirmation
    """,
}


@pytest.mark.parametrize("before", PHRASINGS, ids=lambda before: before[-1] if before else "the first words")
def test_one_thing_can_be_said_in_many_ways(before: tuple[str, ...]) -> None:
    missed = []
    for line in PHRASINGS[before].strip().splitlines():
        said, _, expected = line.strip().partition(" => ")
        call = talk(Understudy(SHEET), *before, said)
        outcome = f"{steps(call.log)[-1]}: {' '.join(called(turns(call.log)[-1]))}".strip()
        if outcome != expected:
            missed.append(f"{said} => {outcome}")
        assert errors(call.log) == []
    assert not missed


SENTENCES = [line.strip().partition(" => ")[0] for lines in PHRASINGS.values() for line in lines.strip().splitlines()]


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_said_in_whatever_order_nothing_is_claimed_that_is_not_so(seed: int) -> None:
    chance = random.Random(seed)
    reservations = new_reservations()

    async def conversation() -> list[wire.Entry]:
        async with rehearsing(lambda: FLOW(reservations), Understudy(SHEET)) as call:
            try:
                for _ in range(12):
                    await call.say(chance.choice((*SENTENCES, *READY, "yes")))
            except CallEnded:
                pass
        return call.log

    log = asyncio.run(conversation())
    assert errors(log) == []
    for turn in turns(log):
        (answer,) = heard(turn)
        assert answer.strip()
        assert ("It is booked" in answer) == bool(datas(turn, "confirm.granted"))
    assert len(reservations.bookings) == len(datas(log, "confirm.granted")) <= 1
