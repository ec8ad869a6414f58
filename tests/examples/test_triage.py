"""The support line of `examples/triage`: every branch of it, read from the log alone."""

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from cuelight import LogicStep, TerminateSessionStep, wire
from cuelight.agent import Agent
from cuelight.errors import CallEnded
from cuelight.models import CueSheet, Understudy
from cuelight.testing import Rehearsal, Script, calls
from cuelight.wiring import find_agent
from lawbook import datas, errors, heard, rehearsing, results, run, told

FOLDER = Path(__file__).parents[2] / "examples" / "triage"
FOUND = find_agent(str(FOLDER))
FLOW: Any = FOUND.make
SHEET = CueSheet.load(FOUND.sheet)
SPEAKING = [step.__name__ for step in FLOW.steps if not issubclass(step, LogicStep | TerminateSessionStep)]
GOODBYE = "TerminateSessionStep"
OWN = {"latest_bill", "dispute", "check_line", "book_visit", "call_back"}
NOTE = calls("take_note", name="Ada Byrne", matter="it is broken")


def line(hour: int = 14) -> Callable[[], Agent]:
    """Make support lines where it is always the same hour of Thursday 5 March 2026."""
    return lambda: FLOW(lambda: datetime(2026, 3, 5, hour, 30))  # noqa: DTZ001 - the desk's own clock


def verdict(team: str, *, urgent: bool = False) -> str:
    return json.dumps({"team": team, "urgent": urgent})


def steps(log: Sequence[wire.Entry]) -> list[str]:
    """Give the step that each of the caller's turns ended in."""
    found: list[str] = []
    stage = ""
    for entry in log:
        if entry.type == "state.changed":
            stage = entry.data["state"]["stage"]
        elif entry.type == "turn.user":
            found.append(stage)
        if found:
            found[-1] = stage
    return found


def path(log: Sequence[wire.Entry]) -> list[str]:
    """Give every step that the call went to, in order."""
    return [data["to"] for data in datas(log, "cue.crossing")]


def answers(log: Sequence[wire.Entry]) -> list[str]:
    """Give what answered each of the caller's turns."""
    spoken = {data["speech_id"]: data["text"] for data in datas(log, "turn.agent")}
    return [spoken[data["speech_id"]] for data in datas(log, "turn.user")]


def hears_no_json(call: Rehearsal[Any]) -> None:
    assert any("{" in data["text"] for data in datas(call.log, "cue.reply") if data.get("held"))
    assert not any("{" in text or "team" in text for text in heard(call.log))


def in_classify(call: Rehearsal[Any]) -> list[Any]:
    return [request for request in call.requests if request.stage == "Classify"]


# --- whole calls, with the Understudy ---------------------------------------------------------------------------------

FAULT = [
    ("Hi, I'm Ada Byrne, my internet is down", "Faults", "no signal behind the cabinet"),
    ("next Tuesday please", "Faults", "comes on Tuesday 10 March"),
    ("no thanks", GOODBYE, "Goodbye!"),
]
WALKS: dict[str, tuple[int, list[tuple[str, str, str]]]] = {
    "a fault": (14, FAULT),
    "a bill, told in pieces": (14, [
        ("hello", "Reception", "your name"),
        ("it's about my bill, it is too high", "Reception", "your name"),
        ("Tom Okafor", "Billing", "44 euros"),
        ("what is the late fee for?", "Billing", "ten days"),
        ("yes please", "Billing", "late fee will be looked into, reference BB-001"),
        ("that's all, bye", GOODBYE, "Goodbye!"),
    ]),
    "two matters": (14, [
        ("Jo March. I have a question", "Reception", "what is it about"),
        ("I've been charged twice", "Billing", "Is one of them wrong?"),
        ("what is fibre?", "Billing", "Shall I?"),
        ("no, I never ordered television", "Billing", "The television will be looked into"),
        ("and my wifi keeps dropping", "Faults", "Which day would suit you?"),
        ("sunday", "Faults", "on no Sunday"),
        ("saturday", "Faults", "comes on Saturday 7 March"),
        ("no", GOODBYE, "Goodbye!"),
    ]),
    "danger, with the street": (14, [
        ("Ada Byrne here, there are sparks coming out of the cabinet in Rose Lane", GOODBYE, "on its way to Rose Lane"),
    ]),
    "danger, at night": (23, [
        ("My alarm button doesn't work, this is Rose Kent", "Urgent", "Which street"),
        ("what?", "Urgent", "Which street"),
        ("4 Harbour Road", GOODBYE, "on its way to 4 Harbour Road, reference BB-001"),
    ]),
    "danger, as another matter": (14, [
        ("Netflix keeps buffering. I'm Mei Lindqvist", "Faults", "no signal"),
        ("wait, and there is a cable hanging across the road", "Urgent", "cannot wait"),
        ("in front of 7 Quay Street", GOODBYE, "7 Quay Street"),
    ]),
    "at night": (23, [
        ("I'm Ada Byrne and my internet is down", "Callback", "call you back Friday 6 March at 08:00"),
        ("yes please", "Callback", "On which number"),
        ("600 123", "Callback", "nine digits"),
        ("600 123 456", GOODBYE, "called back"),
    ]),
    "before the desk opens": (6, [
        ("I'm Ada Byrne, about my invoice", "Callback", "Thursday 5 March at 08:00"),
        ("no", GOODBYE, "Goodbye!"),
    ]),
    "neither": (14, [("It's Mei Lindqvist, I want to move house", "Handover", "They know what you have told me")]),
    "a person, at once": (14, [("can I talk to a human?", "Handover", "a person now")]),
    "a person, at night": (23, [
        ("can I talk to a human?", "Callback", "Nobody is at the desk"),
        ("no, a real person!", "Callback", "Nobody is at the desk"),
        ("no thank you", GOODBYE, "Goodbye!"),
    ]),
    "a wrong number": (14, [("sorry, wrong number", GOODBYE, "Goodbye!")]),
}  # fmt: skip


@pytest.mark.parametrize("title", WALKS)
def test_a_newcomer_walks_it_in_plain_english(title: str) -> None:
    hour, turns = WALKS[title]

    async def conversation() -> None:
        async with rehearsing(line(hour), Understudy(SHEET)) as call:
            for said, _, _ in turns:
                await call.say(said)
        assert steps(call.log) == [step for _, step, _ in turns]
        for answer, (said, _, words) in zip(answers(call.log), turns, strict=True):
            assert words in answer, (said, answer)
        assert not errors(call.log)
        assert not any("{" in text for text in heard(call.log))
        ended = turns[-1][1]
        assert [data["reason"] for data in datas(call.log, "call.ended")] == [
            "transferred" if ended == "Handover" else "agent_hung_up"
        ]

    run(conversation())


@pytest.mark.parametrize(
    ("said", "step"),
    [
        ("my router is broken", "Faults"),
        ("I can't get online", "Faults"),
        ("the lights on the modem are blinking red", "Faults"),
        ("my telephone line is dead", "Faults"),
        ("it's all so slow since yesterday", "Faults"),
        ("I want a refund", "Billing"),
        ("there's a fee that I don't understand", "Billing"),
        ("why do I pay five euros more?", "Billing"),
        ("my direct debit failed", "Billing"),
        ("I smell smoke from the box", "Urgent"),
        ("a pole fell down and there are loose wires", "Urgent"),
        ("my mother cannot call for help", "Urgent"),
        ("I'd like to cancel my contract", "Handover"),
        ("I forgot my password", "Handover"),
        ("I want to complain about something", "Handover"),
        ("put me through to your manager", "Handover"),
    ],
)
def test_a_matter_can_be_told_in_many_ways(said: str, step: str) -> None:
    async def conversation() -> None:
        async with rehearsing(line(), Understudy(SHEET)) as call:
            await call.say("Jo March")
            await call.say(said)
        assert steps(call.log) == ["Reception", step]

    run(conversation())


def test_the_sheet_fits_the_flow_and_says_where_it_stands() -> None:
    SHEET.check(FLOW)
    for maker in ("by_day", "by_night"):
        made: Any = find_agent(f"{FOLDER}:{maker}").make()
        assert made.stage == "Reception"
        assert made.beacon().staffed is (maker == "by_day")


# --- the same, with a Script: what the code holds, whatever a model writes --------------------------------------------


def test_a_scripted_call_goes_the_same_way() -> None:
    script = Script(
        calls("take_note", name="Ada Byrne", matter="my internet is down"),
        verdict("faults"),
        ["One moment.", calls("check_line")], "There is no signal. Which day?",
        calls("book_visit", day="2026-03-10"), "Tuesday it is. Anything else?",
        calls("hang_up"), "Goodbye, Ada.",
    )  # fmt: skip

    async def conversation() -> None:
        async with rehearsing(line(), script) as call:
            for said, _, _ in FAULT:
                await call.say(said)
            with pytest.raises(CallEnded):
                await call.say("hello?")
        assert steps(call.log) == [step for _, step, _ in FAULT]
        assert path(call.log) == ["Classify", "Dispatch", "Faults", GOODBYE]
        assert answers(call.log)[0] == "One moment.\nThere is no signal. Which day?"
        assert len(datas(call.log, "call.ended")) == 1
        hears_no_json(call)

    run(conversation())


@pytest.mark.parametrize(
    ("reply", "hour", "step"),
    [
        (verdict("billing"), 14, "Billing"),
        (verdict("faults"), 14, "Faults"),
        (verdict("person"), 14, "Handover"),
        (verdict("billing", urgent=True), 14, "Urgent"),
        (verdict("faults", urgent=True), 23, "Urgent"),
        (verdict("billing"), 23, "Callback"),
        (verdict("faults"), 7, "Callback"),
        (verdict("person"), 20, "Callback"),
        (verdict("billing"), 8, "Billing"),
    ],
)
def test_code_alone_decides_who_takes_the_call(reply: str, hour: int, step: str) -> None:
    async def conversation() -> None:
        async with rehearsing(line(hour), Script(NOTE, reply, "Hm.")) as call:
            await call.say("Ada Byrne, it is broken")
        assert path(call.log) == ["Classify", "Dispatch", step]
        assert [request.stage for request in call.requests] == ["Reception", "Classify", step]  # none for Dispatch
        hears_no_json(call)

    run(conversation())


# --- the classifier ---------------------------------------------------------------------------------------------------


def words(request: Any) -> list[str]:
    """Give a request's messages without the view, which stands behind the caller's newest words."""
    return [message["content"].partition("\n\n<now>")[0] for message in request.messages]


def test_the_classifier_has_a_memory_of_its_own() -> None:
    script = Script(
        calls("take_note", matter="my bill is wrong"), "Who is calling?",
        calls("take_note", name="Ada Byrne"), verdict("billing"), calls("latest_bill"), "44 euros.",
        calls("another_matter", matter="the wifi drops"), verdict("faults"), "I will have a look.",
    )  # fmt: skip

    async def conversation() -> None:
        async with rehearsing(line(), script) as call:
            await call.say("There is something wrong with my bill")
            await call.say("It's Ada Byrne")
            await call.say("And the wifi drops all the time")
        first, second = in_classify(call)
        # The caller's newest words crossed, and the matter; nothing of reception, nothing of the matter before.
        assert words(first) == ["It's Ada Byrne", "my bill is wrong"]
        assert words(second) == ["And the wifi drops all the time", "the wifi drops"]
        for request in (first, second):
            assert {message["role"] for message in request.messages} == {"user"}
        for request in call.requests:
            if request.stage != "Classify":
                assert not any("{" in message["content"] for message in request.messages if message["role"] != "tool")
                assert not {"my bill is wrong", "the wifi drops"} & set(words(request))
        last = call.requests[-1]
        assert "And the wifi drops all the time" in words(last)
        assert [text for text in told(last) if "February" in text]  # the later steps share the call's own memory
        assert steps(call.log) == ["Reception", "Billing", "Faults"]
        hears_no_json(call)

    run(conversation())


MALFORMED = [
    "It is about a bill.",
    "```json\n" + verdict("billing") + "\n```",
    verdict("sales"),
    '{"team": "billing"}',
    '{"team": "billing", "urgent": "no"}',
    '{"team": "billing", "urgent": false, "why": "it says so"}',
    "{",
]


@pytest.mark.parametrize("reply", MALFORMED)
def test_what_is_not_the_json_that_was_asked_for_is_asked_for_again(reply: str) -> None:
    async def conversation() -> None:
        async with rehearsing(line(), Script(NOTE, reply, verdict("billing"), "Your bill.")) as call:
            await call.say("Ada Byrne, it is broken")
        asked, again = in_classify(call)
        assert "not passed on" not in asked.view
        assert 'not passed on to the caller: it is not what was asked for. Write one line like {"team"' in again.view
        assert words(again) == words(asked)  # the reply itself is not kept
        assert path(call.log) == ["Classify", "Dispatch", "Billing"]
        assert answers(call.log) == ["Your bill."]
        assert not errors(call.log)

    run(conversation())


def test_asking_again_is_bounded_and_then_it_is_for_a_person() -> None:
    async def conversation() -> None:
        script = Script(NOTE, "hm", "hm", "hm", "I put you through.")
        async with rehearsing(line(), script) as call:
            await call.say("Ada Byrne, it is broken")
        assert len(in_classify(call)) == 3
        assert steps(call.log) == ["Handover"]
        assert answers(call.log) == ["I put you through."]

    run(conversation())


def test_a_new_matter_is_asked_about_as_often_as_the_first() -> None:
    async def conversation() -> None:
        another = calls("another_matter", matter="something else")
        script = Script(
            NOTE, "hm", "hm", verdict("billing"), "Your bill.", another, "hm", "hm", verdict("faults"), "Hm."
        )
        async with rehearsing(line(), script) as call:
            await call.say("Ada Byrne, it is broken")
            await call.say("Something else")
        assert steps(call.log) == ["Billing", "Faults"]

    run(conversation())


# --- a person, from anywhere ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", SPEAKING)
@pytest.mark.parametrize("hour", [14, 23])
def test_a_person_can_be_asked_for_in_every_step(step: str, hour: int) -> None:
    async def conversation() -> None:
        script = Script(calls("talk_to_person"), "As you wish.")
        async with rehearsing(line(hour), script, state={"stage": step}) as call:
            await call.say("A person, please")
            assert "talk_to_person" in call.requests[0].tools
            assert answers(call.log) == ["As you wish."]
            if hour == 14:
                with pytest.raises(CallEnded):
                    await call.say("hello?")
        taken_by = "Handover" if hour == 14 else "Callback"
        assert steps(call.log) == [taken_by]
        assert "Dispatch" not in {request.stage for request in call.requests}
        assert [data["reason"] for data in datas(call.log, "call.ended")] == ["transferred"] * (hour == 14)

    run(conversation())


def test_who_is_in_danger_gets_a_person_by_day_and_the_crew_by_night() -> None:
    async def conversation(hour: int) -> list[str]:
        script = Script(NOTE, verdict("faults", urgent=True), "Where?", calls("talk_to_person"), "Hm.")
        async with rehearsing(line(hour), script) as call:
            await call.say("Ada Byrne, it is on fire")
            await call.say("A person, please")
        return steps(call.log)

    assert asyncio.run(conversation(14)) == ["Urgent", "Handover"]
    assert asyncio.run(conversation(23)) == ["Urgent", "Urgent"]


def test_the_last_line_is_said_even_if_the_model_fails() -> None:
    async def conversation() -> None:
        failure = RuntimeError("down")
        async with rehearsing(line(), Script(calls("talk_to_person"), failure, failure, failure)) as call:
            await call.say("A person, please")
        assert answers(call.log) == ["I am putting you through to a person now."]
        assert datas(call.log, "call.ended")[0]["reason"] == "transferred"

    run(conversation())


# --- what the steps hold ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("team", "hour", "eager", "reads"),
    [
        ("billing", 14, calls("dispute", entry="late fee"), {"latest_bill"}),
        ("faults", 14, calls("book_visit", day="2026-03-10"), {"check_line"}),
        ("faults", 23, calls("call_back", phone="600123456"), set()),
    ],
)
def test_nothing_is_recorded_before_the_caller_has_answered(team: str, hour: int, eager: Any, reads: set[str]) -> None:
    async def conversation() -> None:
        async with rehearsing(line(hour), Script(NOTE, verdict(team), eager, "May I?", eager, "Done.")) as call:
            await call.say("Ada Byrne, it is broken")
            assert set(call.requests[2].tools) & OWN == reads
            assert [data["name"] for data in datas(call.log, "cue.refused")] == [results(call.log)[-1]["name"]]
            await call.say("Yes")
            assert len(datas(call.log, "cue.refused")) == 1
            assert "error" not in results(call.log)[-1]

    run(conversation())


def test_a_crew_is_sent_in_the_same_breath() -> None:
    async def conversation() -> None:
        crew = calls("send_crew", street="Rose Lane 4")
        async with rehearsing(line(), Script(NOTE, verdict("faults", urgent=True), crew, "They are coming.")) as call:
            await call.say("Ada Byrne, Rose Lane 4 is on fire")
        assert steps(call.log) == [GOODBYE]
        assert "on its way to Rose Lane 4, reference BB-001" in call.requests[-1].view
        assert call.requests[-1].tools == []

    run(conversation())


@pytest.mark.parametrize(
    ("step", "call_made", "feedback"),
    [
        ("Billing", calls("dispute", entry="telephone"), "no such entry. It has fibre, television, late fee."),
        ("Faults", calls("book_visit", day="2026-03-05"), "from tomorrow on"),
        ("Faults", calls("book_visit", day="2026-03-08"), "on no Sunday"),
        ("Faults", calls("book_visit", day="2026-03-20"), "for two weeks"),
        ("Callback", calls("call_back", phone="600 123"), "nine digits"),
        ("Reception", calls("take_note", matter="it is broken"), "Ask for their name."),
        ("Reception", calls("take_note", name="Ada Byrne"), "Ask what it is about."),
    ],
)
def test_what_does_not_do_is_asked_for_again(step: str, call_made: Any, feedback: str) -> None:
    async def conversation() -> None:
        async with rehearsing(line(), Script(call_made, "Once more?"), state={"stage": step}) as call:
            await call.say("There you are")
        assert feedback in told(call.requests[-1])[-1]
        assert steps(call.log) == [step]

    run(conversation())


def test_names_and_numbers_are_in_no_entry() -> None:
    async def conversation() -> None:
        async with rehearsing(line(23), Understudy(SHEET)) as call:
            for said in ("I'm Ada Byrne, my internet is down", "yes", "600 123 456"):
                await call.say(said)
        told_of_them = "".join(str(entry.data) for entry in call.log)
        assert not any(private in told_of_them for private in ("Byrne", "600 123", "600123"))

    run(conversation())
