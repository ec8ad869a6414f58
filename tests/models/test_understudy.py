"""Strangers talk plain English to a front desk that the Understudy plays."""

import asyncio
import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import ask, events, spec, text_of
from cuelight.log import Message, ToolUse
from cuelight.models import CueSheet, Understudy
from cuelight.ports import Finished, Model, ToolCallRequest

SHEET = r"""
about = "This is the front desk of Harbour Vets."
today = 'Today is (\S+)'
opening = { say = "Harbour Vets, good morning. Who is calling?", asks = "name" }

[view]
owner = 'Owner: (.+)'

[slot.name]
kind = "name"
ask = "May I have your full name?"

[slot.phone]
kind = "phone"
ask = ["And the phone number we have on file?", "Which phone number do we have on file?"]

[slot.day]
kind = "date"
ask = "Which day would suit you?"

[slot.time]
kind = "choice"
from = "free_slots"
value = "id"
each = "{at|time} with {vet}"

[slot.pet]
kind = "one of"
values = { dog = ["dog", "puppy"], cat = ["cat", "kitten"] }

[[cue]]
name = "who calls"
stage = "identify"
call = "look_up_owner"
with = { name = "{name}", phone = "{phone}" }

[[cue]]
name = "which day"
stage = ["choose", "book"]
hears = ["{day}", "appointments?", "another day", "(?:come|bring) (?:him|her|it|them)? ?in"]
unless = "instead of booking"
call = "free_slots"
with = { day = "{day}", pet = "{pet?}" }

[[cue]]
name = "which time"
stage = "book"
hears = "{time}"
say = "{time}: shall I book that?"

[[cue]]
name = "yes"
stage = "book"
answers = "shall I book that"
hears = "{yes}"
say = "One moment."
call = "book"
with = { slot = "{time}", note = "for {owner}" }
recall = ["time"]

[[cue]]
name = "no"
stage = "book"
answers = "shall I book that"
hears = "{no}"
say = "No problem. Another time then: {last.free_slots|count} are free."

[[cue]]
name = "weather"
hears = ["weather", "raining"]
say = "I cannot see outside from here. {ask}"

[[cue]]
name = "bye"
hears = ["bye", "goodbye", "thanks?(?: you)?(?: very much)?"]
say = "Goodbye!"

[[after]]
tool = "look_up_owner"
when = "null"
say = "I find nobody called {args.name} with the number {args.phone|digits}. Could you say the number again?"

[[after]]
tool = "look_up_owner"
when = "data"
say = "Hello {result.name}. Which day would suit you?"
asks = "day"
go_on = true

[[after]]
tool = "free_slots"
when = "empty"
say = "{args.day} is full. Would another day do?"

[[after]]
tool = "free_slots"
when = "data"
most = 2
say = "On {args.day} there is {each}. Which one?"
go_on = true

[[after]]
tool = "book"
when = { says = "taken" }
say = "That one is gone, sorry."

[[after]]
tool = "book"
when = { status = "booked" }
say = "Booked: {result.at}. See you then."

[fallback]
identify = ["Sorry, I did not get that. {ask}", "I still need to know who is calling. {ask}"]
else = "Sorry, I can only help with appointments."
"""

TOOLS = (
    spec("look_up_owner", name="string", phone="string"),
    spec("free_slots", day="string"),
    spec("book", slot="string", note="string"),
)
THURSDAY = "2026-03-05"
FRIDAY, MONDAY = "2026-03-06", "2026-03-09"


class Desk:
    """The vet's desk: state, tools and view as an agent would have them, and a log's history."""

    def __init__(self, model: Understudy, messages: list[Message] | None = None) -> None:
        self.model = model
        self.messages = messages or []
        self.stage = "identify"
        self.owner: str | None = None
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.free = {
            FRIDAY: [
                {"id": "f1", "at": f"{FRIDAY}T10:30", "vet": "Dr Okafor"},
                {"id": "f2", "at": f"{FRIDAY}T15:00", "vet": "Dr Reed"},
                {"id": "f3", "at": f"{FRIDAY}T16:00", "vet": "Dr Reed"},
            ],
            MONDAY: [],
        }

    def visible(self) -> tuple[str, ...]:
        return {"identify": ("look_up_owner",), "choose": ("free_slots",), "book": ("free_slots", "book")}.get(
            self.stage, ()
        )

    def request(self) -> Any:
        view = f"Today is {THURSDAY}" + (f"\nOwner: {self.owner}" if self.owner else "")
        return ask(self.messages, self.visible(), tools=TOOLS, view=view, view_alone=True, stage=self.stage)

    def look_up_owner(self, name: str, phone: str) -> Any:
        if (name, phone) != ("Ada Byrne", "600123456"):
            return None
        self.stage, self.owner = "choose", name
        return {"name": name}

    def free_slots(self, day: str, pet: str | None = None) -> Any:
        self.stage = "book"
        return self.free.get(day, [])

    def book(self, slot: str, note: str) -> Any:
        if slot == "f3":
            return "This slot is taken."
        self.stage = "done"
        return {"status": "booked", "at": next(row["at"] for row in self.free[FRIDAY] if row["id"] == slot)}

    def say(self, text: str | None = None) -> str:
        """One turn: what the caller says, and all that is answered."""
        if text is not None:
            self.messages.append(Message("user", text))
        spoken: list[str] = []
        for _ in range(8):
            answer = self.model.answer(self.request())
            said = " ".join(piece for piece in answer if isinstance(piece, str))
            spoken += [said] if said else []
            calls = [piece for piece in answer if isinstance(piece, ToolCallRequest)]
            if not calls:
                self.messages.append(Message("assistant", said))
                return " ".join(spoken)
            self._run(said, *calls)
        raise AssertionError("the turn does not end")

    def _run(self, said: str, call: ToolCallRequest) -> None:
        assert call.name in self.visible(), "a hidden tool was called"
        arguments = json.loads(call.arguments)
        self.calls.append((call.name, arguments))
        call_id = f"c{len(self.calls)}"
        output = getattr(self, call.name)(**arguments)
        content = output if isinstance(output, str) else json.dumps(output)
        self.messages.append(Message("assistant", said, (ToolUse(call_id, call.name, call.arguments),)))
        self.messages.append(Message("tool", content, tool_call_id=call_id))


@pytest.fixture(scope="module")
def sheet() -> CueSheet:
    return CueSheet.loads(SHEET)


@pytest.fixture
def desk(sheet: CueSheet) -> Desk:
    return Desk(Understudy(sheet, today=lambda: date(1999, 1, 1)))


LOOK_UP = ("look_up_owner", {"name": "Ada Byrne", "phone": "600123456"})


def test_a_booking_from_the_first_word_to_the_last(desk: Desk) -> None:
    assert desk.say() == "Harbour Vets, good morning. Who is calling?"
    assert desk.say("hi, it's Ada Byrne here") == "Which phone number do we have on file?"
    assert desk.say("my number is 600 123 456") == "Hello Ada Byrne. Which day would suit you?"
    assert (
        desk.say("Friday please, it's for my puppy")
        == "On Friday 6 March there is 10:30 with Dr Okafor and 15:00 with Dr Reed. Which one?"
    )
    assert desk.say("half past ten would be lovely") == "10:30 with Dr Okafor: shall I book that?"
    assert desk.say("yes please") == "One moment. Booked: Friday 6 March at 10:30. See you then."
    assert desk.say("Thank you, bye!") == "Goodbye!"
    assert desk.calls == [
        LOOK_UP,
        ("free_slots", {"day": FRIDAY, "pet": "dog"}),
        ("book", {"slot": "f1", "note": "for Ada Byrne"}),
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["Hi, Ada Byrne speaking. My number is 600123456."],
        ["600 123 456", "Ada Byrne"],
        ["It's ada byrne", "600-123-456"],
        ["Ada Byrne", "six oh oh, one two three, four five six"],
        ["hello", "ada byrne", "600.123.456"],
        ["my name's Ada Byrne", "what's the weather like?", "oh, it's 600 123 456"],
        ["I'm calling about my dog", "Sure, it's Ada Byrne, 600 123 456"],
    ],
)
def test_who_is_calling_in_any_order_and_wording(desk: Desk, words: list[str]) -> None:
    desk.say()
    for text in words:
        answer = desk.say(text)
    assert desk.calls == [LOOK_UP]
    assert answer.startswith("Hello Ada Byrne.")


def test_a_wrong_number_is_asked_for_again_and_the_name_is_not(desk: Desk) -> None:
    desk.say()
    assert "6 0 0 1 2 3 4 5 7" in desk.say("Ada Byrne, 600 123 457")
    assert desk.say("sorry, 600 123 456").startswith("Hello Ada")
    assert [call["phone"] for _, call in desk.calls] == ["600123457", "600123456"]


def test_what_was_said_early_is_used_when_it_can_be(desk: Desk) -> None:
    desk.say()
    desk.say("Hello, can I bring my cat in on Friday?")
    desk.say("Ada Byrne")
    answer = desk.say("600 123 456")
    assert answer.startswith("On Friday 6 March there is")
    assert desk.calls == [LOOK_UP, ("free_slots", {"day": FRIDAY, "pet": "cat"})]


def test_a_full_day_then_another(desk: Desk) -> None:
    desk.stage, desk.owner = "choose", "Ada Byrne"
    assert desk.say("could I come on Monday?") == "Monday 9 March is full. Would another day do?"
    assert "10:30" in desk.say("actually friday instead")


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("the first one", "f1"),
        ("10:30", "f1"),
        ("at three", "f2"),
        ("3pm please", "f2"),
        ("the one with Okafor", "f1"),
        ("the last one", "f3"),
        ("fifteen hundred", None),
        ("at eleven", None),
        ("the one with Reed", None),
        ("three o'clock with doctor reed", "f2"),
    ],
)
def test_one_of_what_was_offered(desk: Desk, words: str, slot: str | None) -> None:
    desk.stage, desk.owner = "choose", "Ada Byrne"
    desk.say("Friday")
    answer = desk.say(words)
    assert ("shall I book that" in answer) is (slot is not None)
    if slot is not None and slot != "f3":
        desk.say("sure, go ahead")
        assert desk.calls[-1][1]["slot"] == slot


def test_no_is_no(desk: Desk) -> None:
    desk.stage, desk.owner = "choose", "Ada Byrne"
    desk.say("Friday")
    desk.say("10:30")
    assert desk.say("no, don't book it") == "No problem. Another time then: 3 are free."
    assert [name for name, _ in desk.calls] == ["free_slots"]


def test_a_yes_to_nothing_is_not_understood(desk: Desk) -> None:
    desk.stage, desk.owner = "choose", "Ada Byrne"
    desk.say("Friday")
    assert desk.say("yes") == "Sorry, I can only help with appointments."


def test_words_of_a_tool_are_told_from_its_data(desk: Desk) -> None:
    desk.stage, desk.owner = "choose", "Ada Byrne"
    desk.say("Friday")
    desk.say("at four")
    assert desk.say("yes") == "One moment. That one is gone, sorry."


def test_anything_else_gets_the_fallback_of_the_stage_in_turns(desk: Desk) -> None:
    desk.say()
    first, second = desk.say("do you sell fnords?"), desk.say("and why not?")
    assert first == "I still need to know who is calling. May I have your full name?"
    assert second == "Sorry, I did not get that. May I have your full name?"
    desk.stage, desk.owner = "choose", "Ada Byrne"
    assert desk.say("do you sell fnords?") == "Sorry, I can only help with appointments."


def test_small_talk_comes_back_to_the_open_question(desk: Desk) -> None:
    desk.say()
    assert desk.say("what's the weather like").endswith("May I have your full name?")
    desk.say("ada byrne")
    assert "phone number" in desk.say("is it raining?")


@pytest.mark.parametrize(
    "words",
    ["are you a robot?", "Am I talking to a real person?", "what are you", "who are you?", "which model are you"],
)
def test_it_says_what_it_is(desk: Desk, words: str) -> None:
    answer = desk.say(words)
    assert answer.startswith("This is the front desk of Harbour Vets. I am the Understudy")
    assert "no language model" in answer
    assert "no language model" in desk.model.description
    assert "cues.toml" in desk.model.description


def test_a_hidden_tool_is_never_called(sheet: CueSheet) -> None:
    class Hiding(Desk):
        def visible(self) -> tuple[str, ...]:
            return ()

    desk = Hiding(Understudy(sheet))
    desk.say()
    for words in ("Ada Byrne", "600 123 456", "Friday", "yes"):
        desk.say(words)
    assert desk.calls == []


def test_a_new_instance_goes_on_where_the_other_was(desk: Desk) -> None:
    desk.say()
    desk.say("Ada Byrne")
    resumed = Desk(Understudy(CueSheet.loads(SHEET)), [*desk.messages])
    assert resumed.say("600 123 456").startswith("Hello Ada")


def test_a_question_is_remembered_when_code_speaks_after_it(desk: Desk) -> None:
    desk.say()
    desk.messages.append(Message("assistant", "Please hold."))
    assert "phone number" in desk.say("Ada Byrne")


OUTCOMES = """
[[cue]]
hears = "go"
call = "tool"
[[after]]
tool = "tool"
when = "null"
say = "null"
[[after]]
tool = "tool"
when = "empty"
say = "empty"
[[after]]
tool = "tool"
when = { says = "sold out" }
say = "says"
[[after]]
tool = "tool"
when = "error"
say = "error: {result}"
[[after]]
tool = "tool"
when = { ok = false, "deep.0.name" = "ada" }
say = "fields"
[[after]]
tool = "tool"
when = "data"
say = "data {result.missing?}{result|count}"
"""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("null", "null"),
        ("[]", "empty"),
        ("{}", "empty"),
        ("", "empty"),
        ("It is SOLD out.", "says"),
        ("Tool tool failed.", "error: Tool tool failed."),
        ('{"ok": false, "deep": [{"name": "Ada"}]}', "fields"),
        ('{"ok": 0, "deep": [{"name": "Ada"}]}', "data 2"),
        ("[1, 2, 3] (the first 3 of 20)", "data 3"),
        ("7", "data 1"),
    ],
)
def test_what_is_said_depends_on_what_a_tool_answered(content: str, said: str) -> None:
    history = [
        Message("user", "go"),
        Message("assistant", "", (ToolUse("c1", "tool", "{}"),)),
        Message("tool", content, tool_call_id="c1"),
    ]
    assert Understudy(CueSheet.loads(OUTCOMES)).answer(ask(history, ("tool",))) == [said]


CAUGHT = """
[slot.day]
kind = "date"
[slot.pet]
kind = "one of"
values = ["dog", "cat"]
[slot.notes]
kind = "words"
ask = "What is it about?"
[slot.row]
kind = "choice"
from = "rows"

[[cue]]
hears = ['(?:bring|see) (?P<who>\\w+) on {day}', "my {pet} {notes}"]
call = "tool"
with = { who = "{who?}", day = "{day?}", pet = "{pet?}", notes = "{notes?}", on = { list = ["{day?}", 1, true] } }

[[cue]]
hears = ["take {row}"]
say = "You take {row}."
"""


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("Can I bring Rex on Friday?", {"who": "Rex", "day": "2026-03-06"}),
        ("My cat is not well, sorry.", {"pet": "cat", "notes": "is not well, sorry."}),
        ("my bird sings", None),
    ],
)
def test_patterns_catch_pieces(words: str, arguments: dict[str, Any] | None) -> None:
    model = Understudy(CueSheet.loads(CAUGHT), today=lambda: date(2026, 3, 5))
    (answer,) = model.answer(ask([Message("user", words)], ("tool",)))
    if arguments is None:
        assert answer == "Sorry, I did not get that."
    else:
        assert isinstance(answer, ToolCallRequest)
        sent = json.loads(answer.arguments)
        assert sent.pop("on") == {"list": [arguments.get("day"), 1, True]}
        assert sent == arguments


def test_a_choice_in_a_pattern_is_made_among_the_rows() -> None:
    history = [
        Message("user", "what is there?"),
        Message("assistant", "", (ToolUse("c1", "rows", "{}"),)),
        Message("tool", '["apples", "pears"]', tool_call_id="c1"),
        Message("assistant", "Apples and pears."),
        Message("user", "I'll take the pears"),
    ]
    assert Understudy(CueSheet.loads(CAUGHT)).answer(ask(history)) == ["You take pears."]


def test_lines_that_cannot_be_said_do_not_break_it() -> None:
    sheet = CueSheet.loads("""
        opening = "Hello {row}."
        [fallback]
        else = "You chose {row}. {ask}"
        [slot.day]
        kind = "date"
        ask = "Which day?"
        [slot.row]
        kind = "choice"
        from = "rows"
        each = "{nothing}"
        [[cue]]
        hears = "{row}"
        say = "You take {row}."
        [[cue]]
        hears = "on {day}"
        say = "{ask}"
        call = "tool"
        with = { day = "{day}" }
    """)
    history = [
        Message("user", "what is there?"),
        Message("assistant", "", (ToolUse("c1", "rows", "{}"),)),
        Message("tool", '[{"name": "apples"}, {"name": "pears"}]', tool_call_id="c1"),
        Message("assistant", "Apples and pears."),
        Message("user", "I'll take the pears"),
    ]
    model = Understudy(sheet)
    assert model.answer(ask([])) == ["Hello."]
    assert model.answer(ask([Message("user", "hm")], ("tool",))) == ["Sorry, I did not get that."]
    assert model.answer(ask([Message("user", "on it")], ("tool",))) == ["Which day?"]
    assert model.answer(ask(history)) == ["You take pears."]


def test_it_is_a_model_and_streams_words(sheet: CueSheet) -> None:
    model = Understudy(sheet)
    assert isinstance(model, Model)
    assert (model.name, model.provider) == ("understudy", "cuelight")
    got = asyncio.run(events(model, ask([])))
    assert text_of(got) == "Harbour Vets, good morning. Who is calling?"
    assert len(got) > 3
    assert got[-1] == Finished("stop")


SAID = st.text(max_size=30) | st.sampled_from(["yes", "Friday", "Ada Byrne", "600 123 456", "10:30"])


@given(st.lists(SAID, max_size=6))
def test_nothing_a_caller_says_breaks_it(words: list[str]) -> None:
    sheet = CueSheet.loads(SHEET)
    one, other = Desk(Understudy(sheet)), Desk(Understudy(sheet))
    for text in words:
        assert one.say(text) == other.say(text) != ""
    assert one.calls == other.calls


# --- tools of one name ------------------------------------------------------------------------------------------------

RENTAL = CueSheet.loads("""
[slot.people]
kind = "number"
ask = "How many are you?"

[slot.boat]
kind = "one of"
values = ["Otter", "Swan"]
ask = "Which boat?"

[[cue]]
call = "record"
with = { people = "{people}" }

[[cue]]
call = "record"
with = { boat = "{boat}" }
""")
PARTY, BOAT = spec("record", people="integer"), spec("record", boat="string")


@pytest.mark.parametrize("text", ["three of us, on the Otter", "the Otter, for three"])
def test_of_the_tools_of_one_name_the_offered_one_is_called_with_its_own_arguments(text: str) -> None:
    def answer(*offered: Any) -> list[Any]:
        return Understudy(RENTAL).answer(ask([Message("user", text)], tools=(PARTY, BOAT), offered=offered))

    assert answer(PARTY) == [ToolCallRequest("record", '{"people":3}')]
    assert answer(BOAT) == [ToolCallRequest("record", '{"boat":"Otter"}')]
    assert answer(PARTY) == [ToolCallRequest("record", '{"people":3}')], "also after going back"
    assert answer() == ["Sorry, I did not get that."]


def test_the_open_question_is_what_the_offered_tool_is_missing() -> None:
    def answer(offered: Any) -> list[Any]:
        return Understudy(RENTAL).answer(ask(tools=(PARTY, BOAT), offered=(offered,)))

    assert answer(PARTY) == ["Sorry, I did not get that. How many are you?"]
    assert answer(BOAT) == ["Sorry, I did not get that. Which boat?"]


def test_arguments_that_no_tool_takes_are_told_by_the_tool() -> None:
    sheet = CueSheet.loads('[[cue]]\nhears = "hello"\ncall = "record"\nwith = { persons = 3 }')
    request = ask(tools=(PARTY, BOAT), offered=(BOAT,))
    assert Understudy(sheet).answer(request) == [ToolCallRequest("record", '{"persons":3}')]
