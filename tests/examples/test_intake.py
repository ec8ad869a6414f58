"""Callers walk the intake from its first step to its goodbye; where they are after every turn is read from the log."""

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from cuelight.log import reduce
from cuelight.models import CueSheet, Understudy
from cuelight.testing import Rehearsal, Script, calls
from cuelight.wire import Entry
from cuelight.wiring import find_agent
from lawbook import datas, rehearsing

FOUND = find_agent(str(Path(__file__).parents[2] / "examples" / "intake"))
SHEET = CueSheet.load(FOUND.sheet)

NAME = calls("record_name", name="Ada Byrne")
BORN = calls("record_date_of_birth", day=14, month="July", year=1984)
STREET = calls("record_address", street="Pier Street", house_number="12")
REST = calls("record_address", postcode="H104", city="Saltmere")
ABROAD = calls("record_address", street="Hill Road", house_number="3", postcode="H204", city="Saltmere")

ASKED_WHEN = {"stage": "DateOfBirth", "Name": {"name": "Ada Byrne"}}
ASKED_WHERE = {**ASKED_WHEN, "stage": "Address", "DateOfBirth": {"born": "1984-07-14"}}
PIECES = ("street", "house_number", "postcode", "city")


def new_intake() -> Any:
    make: Any = FOUND.make
    return make(today=date(2026, 3, 5))


def talk(model: Any, said: Sequence[str], state: dict[str, Any] | None = None) -> Rehearsal[Any]:
    """Have a call, and give it as it was."""

    async def conversation() -> Rehearsal[Any]:
        async with rehearsing(new_intake, model, state=state) as call:
            for text in said:
                await call.say(text)
        return call

    return asyncio.run(conversation())


def steps(log: Iterable[Entry]) -> list[str]:
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


def reasons(log: Iterable[Entry]) -> list[str]:
    return [data["reason"] for data in datas(log, "call.ended")]


# --- whole calls, as a newcomer types them ----------------------------------------------------------------------------

WALKS = {
    "one thing after another": """
        Hello -> Name
        Ada Byrne -> DateOfBirth
        14 July 1984 -> Address
        12 Pier Street -> Address
        H104 -> Address
        Saltmere -> TerminateSessionStep
    """,
    "everything in one breath": """
        My name is Ada Byrne, born on 14 July 1984, 12 Pier Street, H104 Saltmere -> TerminateSessionStep
    """,
    "two answers in one breath": """
        Hi, it's Ada Byrne, and I was born on May 5th, 1990 -> Address
        I live at 3a Lighthouse Lane in Saltmere -> Address
        the postcode is h-150 -> TerminateSessionStep
    """,
    "half a name, and dates that cannot be": """
        I'm Ada -> Name
        Ada Byrne -> DateOfBirth
        31/2/1984 -> DateOfBirth
        14 July 2030 -> DateOfBirth
        14 July 1884 -> DateOfBirth
        14/7/84 -> DateOfBirth
        1984 -> Address
    """,
    "a date in pieces": """
        Ada Byrne -> DateOfBirth
        I'm 42 -> DateOfBirth
        why do you need that? -> DateOfBirth
        14 July -> DateOfBirth
        1984 -> Address
    """,
    "the birthday is corrected, then the name": """
        Ada Byrne -> DateOfBirth
        14.7.1984 -> Address
        12 Pier Street -> Address
        actually my birthday is 15 July 1984 -> Address
        oh, and my name is wrong -> Name
        Ada Burns -> Address
        H104 -> Address
        Saltmere -> TerminateSessionStep
    """,
    "a correction that is wrong itself": """
        Ada Byrne -> DateOfBirth
        14/07/1984 -> Address
        my birthday was wrong -> DateOfBirth
        30 February 1984 -> DateOfBirth
        the 28th -> Address
    """,
    "three addresses that are not served": """
        Ada Byrne -> DateOfBirth
        1984-07-14 -> Address
        12 Pier Street -> Address
        what postcodes do you serve? -> Address
        H204 -> Address
        12 Chandler Street, Port Ebon ZZ99 3VZ -> Address
        00000 -> TerminateSessionStep
    """,
    "an address that is not served, and one that is": """
        Ada Byrne -> DateOfBirth
        14 July 1984 -> Address
        5 Quay Lane, Saltmere, H205 -> Address
        sorry, H105 -> Address
        1 Long Acre -> Address
        in Saltmere -> TerminateSessionStep
    """,
    "no, thank you": """
        Ada Byrne -> DateOfBirth
        I don't want to tell you that -> TerminateSessionStep
    """,
}


@pytest.mark.parametrize("title", WALKS)
def test_a_caller_walks_through_the_steps(title: str) -> None:
    turns = [line.strip().rsplit(" -> ", 1) for line in WALKS[title].strip().splitlines()]
    call = talk(Understudy(SHEET), [said for said, _ in turns])
    assert steps(call.log) == [step for _, step in turns]
    assert not datas(call.log, "error", "cue.refused")
    assert all(data["text"] for data in datas(call.log, "turn.agent"))
    ended = turns[-1][1] == "TerminateSessionStep"
    assert reasons(call.log) == ["agent_hung_up"] * ended


def test_the_understudy_says_each_goodbye() -> None:
    told = "Ada Byrne, 14 July 1984"
    goodbyes = {
        "registered": (told, "12 Pier Street, H104 Saltmere"),
        "cannot take you on": (told, "H204", "H304", "H404"),
        "call again": ("bye",),
    }
    for words, said in goodbyes.items():
        assert words in datas(talk(Understudy(SHEET), said).log, "turn.agent")[-1]["text"]


def test_the_sheet_is_for_this_flow() -> None:
    SHEET.check(type(new_intake()))


# --- what the steps hold, whatever a model wants ----------------------------------------------------------------------


def test_a_scripted_call_walks_through_the_steps() -> None:
    script = Script(NAME, "When were you born?", BORN, "And where do you live?", STREET, "And?", REST, "Goodbye, Ada!")
    call = talk(script, ["Ada Byrne", "14 July 1984", "12 Pier Street", "H104 Saltmere"])
    assert steps(call.log) == ["DateOfBirth", "Address", "Address", "TerminateSessionStep"]
    assert reasons(call.log) == ["agent_hung_up"]
    assert datas(call.log, "turn.agent")[-1]["text"] == "Goodbye, Ada!"
    tools = [request.tools for request in call.requests]
    assert tools[0] == ["record_name", "stop"]
    assert tools[1] == tools[2] == ["record_date_of_birth", "correct_name", "stop"]
    assert tools[3] == ["record_address", "correct_date_of_birth", "correct_name", "stop"]
    assert tools[-1] == []


def test_half_a_name_is_refused() -> None:
    call = talk(Script(calls("record_name", name="Ada"), "And your surname?"), ["Ada"])
    assert steps(call.log) == ["Name"]
    assert call.requests[1].messages[-1]["content"].startswith("That is only a part of a name.")


@pytest.mark.parametrize(
    ("day", "month", "year", "feedback"),
    [
        (31, "February", 1984, "There is no such day."),
        (29, "February", 1985, "There is no such day."),
        (0, "July", 1984, "There is no such day."),
        (14, "July", 84, "Two digits leave the century open."),
        (6, "March", 2026, "That day is still to come."),
        (4, "March", 1905, "That would be more than 120 years ago."),
    ],
)
def test_a_date_that_cannot_be_changes_nothing_and_the_model_reads_why(day, month, year, feedback) -> None:
    script = Script(calls("record_date_of_birth", day=day, month=month, year=year), "Once more, please?")
    call = talk(script, ["I was born then"], ASKED_WHEN)
    assert steps(call.log) == ["DateOfBirth"]
    assert len(datas(call.log, "state.changed")) == 1  # the one that the call opened with
    read = call.requests[1].messages[-1]
    assert read["role"] == "tool"
    assert read["content"].startswith(feedback)


@pytest.mark.parametrize(("day", "month", "year"), [(5, "March", 2026), (6, "March", 1905), (29, "February", 1984)])
def test_a_date_that_can_be_just_so_is_taken(day: int, month: str, year: int) -> None:
    script = Script(calls("record_date_of_birth", day=day, month=month, year=year), "And where do you live?")
    assert steps(talk(script, ["I was born then"], ASKED_WHEN).log) == ["Address"]


def test_an_address_accumulates_and_the_model_reads_what_is_missing() -> None:
    city = calls("record_address", city="Saltmere")
    script = Script(STREET, "And?", city, "And?", calls("record_address", street="Quay Lane"), "And?", REST, "Goodbye!")
    call = talk(script, ["12 Pier Street", "Saltmere", "no, Quay Lane", "H104"], ASKED_WHERE)
    assert steps(call.log) == ["Address", "Address", "Address", "TerminateSessionStep"]
    known = [[name for name in PIECES if data["state"]["Address"][name]] for data in datas(call.log, "state.changed")]
    assert known[:3] == [[], ["street", "house_number"], ["street", "house_number", "city"]]
    assert call.requests[1].messages[-1]["content"] == ("That is kept. Still missing: postcode, city. Ask for it.")
    assert "Still missing: postcode." in call.requests[4].view
    assert call.agent.step("Address").saved == {
        "street": "Quay Lane", "house_number": "12", "postcode": "H104", "city": "Saltmere", "refused": 0,
    }  # fmt: skip


def test_the_goodbye_is_said_by_the_prompt_that_the_route_brought() -> None:
    script = Script([STREET, REST], "Thank you, Ada. Goodbye!")
    call = talk(script, ["12 Pier Street, H104 Saltmere"], ASKED_WHERE)
    (route,) = (data for data in datas(call.log, "cue.route") if data["kind"] == "go")
    assert (route["from"], route["to"]) == ("Address", "TerminateSessionStep")
    goodbye = call.requests[-1]
    assert route["prompt"].startswith("The caller is registered.")
    assert goodbye.view.endswith(route["prompt"])
    assert "The caller is Ada Byrne." in goodbye.view
    views = [data["hash"] for data in datas(call.log, "prompt.changed") if data["name"] == "view"]
    assert views[-1] == hashlib.sha256(goodbye.view.encode()).hexdigest()


def test_three_addresses_that_are_not_served_end_the_call_with_another_goodbye() -> None:
    script = Script(STREET, "And?", ABROAD, "Another one?", ABROAD, "Another one?", ABROAD, "I am sorry. Goodbye.")
    call = talk(script, ["12 Pier Street", "H204", "H204", "H204"], ASKED_WHERE)
    assert steps(call.log) == ["Address", "Address", "Address", "TerminateSessionStep"]
    assert call.requests[3].messages[-1]["content"].startswith("That address is outside the area")
    assert call.requests[-1].view.splitlines()[-1].startswith("The clinic cannot register the caller")
    saved = call.agent.step("Address").saved
    assert saved == {"street": "Pier Street", "house_number": "12", "postcode": None, "city": None, "refused": 3}
    assert reasons(call.log) == ["agent_hung_up"]


def test_a_correction_goes_back_and_on_again_in_one_turn() -> None:
    corrected = calls("record_date_of_birth", day=15, month="July", year=1984)
    script = Script(STREET, "And?", calls("correct_date_of_birth"), corrected, "Thank you. And the postcode?")
    call = talk(script, ["12 Pier Street", "actually my birthday is 15 July 1984"], ASKED_WHERE)
    assert steps(call.log) == ["Address", "Address"]
    assert [request.stage for request in call.requests] == ["Address"] * 3 + ["DateOfBirth", "Address"]
    assert call.agent.step("DateOfBirth").born == date(1984, 7, 15)
    assert "Still missing: postcode, city." in call.requests[-1].view


def test_a_name_that_was_corrected_leads_back_to_where_the_caller_was() -> None:
    again = calls("record_name", name="Ada Burns")
    call = talk(Script(calls("correct_name"), again, "And where do you live?"), ["It is Ada Burns"], ASKED_WHERE)
    assert steps(call.log) == ["Address"]
    call = talk(Script(calls("correct_name"), again, "And when were you born?"), ["It is Ada Burns"], ASKED_WHEN)
    assert steps(call.log) == ["DateOfBirth"]


@pytest.mark.parametrize("said", [
    ["My name is Ada Byrne, born on 14 July 1984, 12 Pier Street, H104 Saltmere"],
    ["ada byrne", "14/7/1984", "I live in 12 pier street", "h 104", "saltmere"],
])  # fmt: skip
def test_private_values_are_nowhere_in_the_log(said: list[str]) -> None:
    call = talk(Understudy(SHEET), said)
    assert reasons(call.log) == ["agent_hung_up"]
    assert "The caller is Ada Byrne." in call.requests[-1].view  # the model is told
    told = "".join(str(entry.data) for entry in call.log).casefold()
    assert "[private]" in told
    assert not [value for value in ("byrne", "1984", "july", "pier", "h104", "h 104", "saltmere") if value in told]
    state = reduce(call.log).app_state
    assert {state["Address"][piece] for piece in PIECES} == {"[private]"}
    assert state["Name"]["name"] == state["DateOfBirth"]["born"] == "[private]"
