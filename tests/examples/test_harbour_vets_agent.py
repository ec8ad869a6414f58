"""What the example's front desk allows, whatever a model wants."""

import asyncio
from collections.abc import Callable
from datetime import date, time

import pytest

from cuelight.agent import Agent
from cuelight.models import CueSheet, Understudy
from cuelight.stores import SqliteStore
from cuelight.testing import Script, answers, calls, rehearse

Desk = Callable[[], Agent]

KNOWN = calls("look_up_owner", name="Ada Byrne", phone="600123456")
TUESDAY, FRIDAY, SUNDAY = date(2026, 3, 10), date(2026, 3, 6), date(2026, 3, 8)
OWNER = {"name": "Ada Byrne", "phone": "600123456", "pet": "Pixel", "animal": "cat"}
CHOSEN = {"stage": "book", "owner": OWNER, "day": "2026-03-10", "times": ["09:00", "10:30"]}


def result(call, name: str):
    """Give what a tool answered last, as the log has it."""
    found = [entry.data for entry in call.log if entry.type == "tool.result" and entry.data["name"] == name]
    return found[-1].get("output") or found[-1].get("error")


@pytest.mark.parametrize(
    ("state", "tools"),
    [
        ({}, {"look_up_owner", "hang_up"}),
        ({"not_found": 1}, {"look_up_owner", "register_owner", "hang_up"}),
        ({"stage": "choose"}, {"free_times", "hang_up"}),
        (CHOSEN, {"free_times", "book", "hang_up"}),
        ({"stage": "book"}, {"free_times", "hang_up"}),
        (
            {"stage": "done", "booking": {"day": "2026-03-10", "time": "10:30", "reference": "HV-001"}},
            {"free_times", "cancel_booking", "hang_up"},
        ),
    ],
)
def test_each_stage_shows_its_own_tools(agent: Desk, state, tools) -> None:
    async def conversation() -> None:
        async with rehearse(agent, Script("Hm."), state=state) as call:
            await call.say("Hello?")
            assert set(call.requests[0].tools) == tools

    asyncio.run(conversation())


def test_nobody_books_before_they_are_known(agent: Desk) -> None:
    async def conversation() -> None:
        script = Script(calls("book", day=TUESDAY, at=time(9)), "First, who is calling?")
        async with rehearse(agent, script) as call:
            await call.say("Book me in at nine.")
            assert call.agent.booking is None
            assert "free_times" not in result(call, "book")  # a refusal names no tool that is hidden

    asyncio.run(conversation())


def test_half_of_an_introduction_is_remembered(agent: Desk) -> None:
    async def conversation() -> None:
        script = Script(
            calls("look_up_owner", name="Ada Byrne"),
            "And your number?",
            calls("look_up_owner", phone="+34 600 123 456"),
            "Hello!",
        )
        async with rehearse(agent, script) as call:
            await call.say("Ada Byrne")
            assert "Still needed: phone number" in call.requests[1].view
            await call.say("It is 600 123 456")
            assert call.agent.owner.pet == "Pixel"
            assert call.agent.stage == "choose"
            assert "with Pixel, a cat" in call.requests[3].view

    asyncio.run(conversation())


def test_a_time_that_is_not_free_is_not_booked(agent: Desk) -> None:
    async def conversation() -> None:
        script = Script(calls("book", day=TUESDAY, at=time(11)), calls("book", day=FRIDAY, at=time(9)), "Which one?")
        async with rehearse(agent, script, state=CHOSEN) as call:
            assert (await call.say("At eleven")).text == "Which one?"  # nobody is asked about what is not free
            first, second = (entry.data["error"] for entry in call.log if entry.type == "tool.result")
            assert first == "11:00 is not free on Tuesday 10 March. Free are 09:00, 10:30, 14:00, 16:30."
            assert second == "Nothing is free on Friday 6 March: it is fully booked. Ask for another day."
            assert (call.agent.stage, call.agent.booking, call.state.confirms) == ("book", None, [])

    asyncio.run(conversation())


def test_nothing_is_booked_without_a_yes(agent: Desk) -> None:
    async def conversation() -> None:
        script = Script(
            calls("book", day=TUESDAY, at=time(9)), answers("yes"), "Well?", answers("yes"), "Booked.",
        )  # fmt: skip
        async with rehearse(agent, script, state=CHOSEN) as call:
            question = "Shall I book Tuesday 10 March at 09:00 for you?"
            assert (await call.say("At nine")).text == question
            assert (await call.say("I should ask my wife first")).text == f"Well?\n{question}"
            assert call.agent.booking is None  # the model said yes, the caller did not
            assert (await call.say("Yes, please")).text == "Booked."
            assert call.agent.booking.time == time(9)

    asyncio.run(conversation())


def test_what_is_booked_is_what_was_asked_whichever_day_was_looked_at_since(agent: Desk) -> None:
    async def conversation() -> None:
        script = Script(
            calls("book", day=TUESDAY, at=time(9)), calls("free_times", day=date(2026, 3, 11)), "Look.",
            answers("yes"), "Booked.",
        )  # fmt: skip
        async with rehearse(agent, script, state=CHOSEN) as call:
            await call.say("At nine")
            await call.say("What would there be on Wednesday?")
            await call.say("Yes")
            assert (call.agent.booking.day, call.agent.booking.time) == (TUESDAY, time(9))

    asyncio.run(conversation())


def test_a_time_that_somebody_else_took_meanwhile_is_not_booked(agent: Desk) -> None:
    async def conversation() -> None:
        script = Script(calls("book", day=TUESDAY, at=time(9)), answers("yes"), "Another time?")
        async with rehearse(agent, script, state=CHOSEN) as call:
            await call.say("At nine")
            call.agent._agenda.book(TUESDAY, time(9), "somebody else")
            told = "I'm sorry, that can no longer be done, so nothing was done."
            assert (await call.say("Yes")).text == f"{told}\nAnother time?"
            assert call.agent.booking is None

    asyncio.run(conversation())


def test_full_closed_and_past_days_say_why(agent: Desk) -> None:
    async def conversation() -> None:
        days = [calls("free_times", day=day) for day in (FRIDAY, SUNDAY, date(2026, 3, 5), date(2026, 6, 1))]
        async with rehearse(agent, Script(days, "Hm."), state={"stage": "choose", "owner": OWNER}) as call:
            await call.say("Any of these?")
            full, closed, past, far = (
                entry.data.get("output") or entry.data["error"] for entry in call.log if entry.type == "tool.result"
            )
            assert full == {"day": "2026-03-06", "because": "it is fully booked", "next_free_day": "2026-03-07"}
            assert closed["because"] == "the practice is closed on Sundays"
            assert past == "Appointments can be made from tomorrow on. Ask for another day."
            assert far == "Appointments can be made until Monday 4 May, no later yet. Ask for another day."
            assert call.agent.stage == "choose"

    asyncio.run(conversation())


def test_a_new_time_gives_the_old_one_back_and_not_before(agent: Desk) -> None:
    async def conversation() -> None:
        look = calls("free_times", day=TUESDAY)
        script = Script(
            KNOWN, look, calls("book", day=TUESDAY, at=time(9)), answers("yes"), "Booked.", look, "Nine is yours.",
            calls("book", day=TUESDAY, at=time(14)), answers("yes"), "Moved.", look, "Nine is free again.",
        )  # fmt: skip
        async with rehearse(agent, script) as call:
            await call.say("Ada Byrne, 600123456, Tuesday at nine")
            await call.say("Yes")
            await call.say("What else is there on Tuesday?")
            assert result(call, "free_times")["times"] == ["10:30:00", "14:00:00", "16:30:00"]
            assert call.agent.booking.time == time(9)
            asked = await call.say("Then two o'clock")
            assert asked.text == "Shall I move your appointment to Tuesday 10 March at 14:00?"
            assert call.agent.booking.time == time(9)
            await call.say("Yes")
            await call.say("And is nine free again?")
            assert result(call, "free_times")["times"] == ["09:00:00", "10:30:00", "16:30:00"]
            assert call.agent.booking.time == time(14)

    asyncio.run(conversation())


def test_a_number_too_short_is_asked_for_again(agent: Desk) -> None:
    async def conversation() -> None:
        script = Script(calls("register_owner", pet="Rex", animal="dog"), "Your number once more?")
        async with rehearse(agent, script, state={"name": "Jo March", "phone": "60022", "not_found": 1}) as call:
            await call.say("His name is Rex")
            assert result(call, "register_owner") == "A phone number has nine digits. Ask for theirs again."
            assert call.agent.owner is None

    asyncio.run(conversation())


def test_the_prompt_says_what_to_do_in_each_stage_and_its_start_never_changes(agent: Desk) -> None:
    async def conversation() -> None:
        script = Script(KNOWN, calls("free_times", day=TUESDAY), "Which one?")
        async with rehearse(agent, script) as call:
            await call.say("Ada Byrne, 600123456, Tuesday")
            to_do = (
                "Find out who is calling, then look them up. Still needed: name and phone number.",
                "Find out which day suits them, then look for free times.",
                "Free on Tuesday 10 March: 09:00, 10:30, 14:00, 16:30. Ask which one, then book it.",
            )
            for request, line in zip(call.requests, to_do, strict=True):
                assert line in request.view
            assert len({request.static for request in call.requests}) == 1

    asyncio.run(conversation())


def test_the_prompt_says_what_is_left_to_do_once_it_is_booked(agent: Desk) -> None:
    async def conversation() -> None:
        script = Script(calls("book", day=TUESDAY, at=time(9)), answers("yes"), "Booked.")
        async with rehearse(agent, script, state=CHOSEN) as call:
            await call.say("Nine")
            await call.say("Yes")
            view = call.requests[-1].view
            assert "Booked: Tuesday 10 March at 09:00, reference HV-001." in view
            assert view.endswith(
                "Ask whether there is anything else: another time, or none after all? If not, hang up."
            )

    asyncio.run(conversation())


def test_goodbye_is_said_by_code_and_ends_the_call(agent: Desk) -> None:
    async def conversation() -> None:
        async with rehearse(agent, Script(calls("hang_up"))) as call:
            reply = await call.say("Bye")
            assert reply.text == "Thank you for calling Harbour Vets. Goodbye!"
            assert (call.state.status, call.state.end_reason) == ("ended", "agent_hung_up")

    asyncio.run(conversation())


def test_a_call_goes_on_in_another_process_as_it_was(agent: Desk, sheet: CueSheet, tmp_path) -> None:
    async def conversation() -> None:
        model = Understudy(sheet)
        async with rehearse(agent, model, store=SqliteStore(tmp_path / "calls.sqlite3")) as call:
            await call.say("I'm Ada Byrne, 600 123 456")
            await call.say("Tuesday")
            name = call.id
        async with rehearse(agent, model, store=SqliteStore(tmp_path / "calls.sqlite3"), resume=name) as call:
            assert call.agent.owner.pet == "Pixel"
            assert call.agent.times[1] == time(10, 30)
            reply = await call.say("half past ten")
            assert reply.text == "Shall I book Tuesday 10 March at 10:30 for you?"
        async with rehearse(agent, model, store=SqliteStore(tmp_path / "calls.sqlite3"), resume=name) as call:
            reply = await call.say("hello again")
            assert reply.text.endswith("Shall I book Tuesday 10 March at 10:30 for you?")
            reply = await call.say("yes")
            assert reply.text.startswith("It is booked: Tuesday 10 March at 10:30")

    asyncio.run(conversation())


def test_nothing_private_leaves_the_store(agent: Desk) -> None:
    async def conversation() -> None:
        script = Script(KNOWN, "Hello Ada Byrne. How is Pixel?")
        async with rehearse(agent, script) as call:
            reply = await call.say("I'm Ada Byrne, 600 123 456, and this is about Pixel")
            assert reply.text == "Hello Ada Byrne. How is Pixel?"
            told = "".join(str(entry.data) for entry in call.log)
            assert not any(private in told for private in ("Byrne", "600 123", "600123", "Pixel"))
            assert "I'm [private], [private], and this is about [private]" in told

    asyncio.run(conversation())
