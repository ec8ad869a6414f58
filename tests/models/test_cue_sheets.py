"""A cue sheet is checked whole when it is read; what is wrong is named, with what to write instead."""

from pathlib import Path
from typing import Literal

import pytest

from cuelight import Agent, Flow, Route, Step, TerminateSessionStep, go, tool
from cuelight.errors import CueSheetRefused
from cuelight.models import CueSheet

DAY = """
[slot.day]
kind = "date"
ask = "Which day?"
"""
GOOD = f"""
[[cue]]
call = "free_slots"
with = {{ day = "{{day}}" }}
{DAY}"""

WRONG = {
    "no TOML": ("[[cue]", ["cues.toml is no TOML"]),
    "no TOML for a pattern": ('[[cue]]\nhears = "\\d"', ["cues.toml is no TOML", "single quotes"]),
    "unknown key": ('openning = "Hi"', ["the sheet", "'openning'", "did you mean opening?"]),
    "no such language": ('language = "xx"', ["the sheet", "language = 'xx'", "en, de"]),
    "declines of another type": ('[[cue]]\nhears = "x"\nsay = "x"\ndeclines = "yes"', ["declines", "true or false"]),
    "unknown key of a cue": ('[[cue]]\nheard = "hi"\nsay = "x"', ["cue 1 (x)", "'heard'", "hears"]),
    "named cue": ('[[cue]]\nname = "greet"\nhears = "hi"', ["cue 'greet'", "`say`", "`call`"]),
    "never heard": ('[[cue]]\nsay = "Hello."', ["cue 1 (Hello.)", "never be heard", "`hears`"]),
    "with without call": ('[[cue]]\nhears = "hi"\nsay = "x"\nwith = { a = 1 }', ["`with`", "name the tool"]),
    "no expression": ('[[cue]]\nhears = "(hi"\nsay = "x"', ["hears '(hi'", "no regular expression"]),
    "no such slot heard": ('[[cue]]\nhears = "on {dat} at"\nsay = "x"', ["{dat}", "did you mean day?"]),
    "no such blank": ('[[cue]]\nhears = "hi"\nsay = "Hello {nam}"', ["{nam}", "which nothing fills"]),
    "no such blank in an argument": (
        '[[cue]]\nhears = "hi"\ncall = "x"\nwith = { a = ["{dya}"] }',
        ["with", "{dya}", "did you mean day?"],
    ),
    "no blank at all": ('[[cue]]\nhears = "hi"\nsay = "Hello {a b}"', ["{a b} is no blank", "{{ for a brace"]),
    "no such form": ('[[cue]]\nhears = "hi"\nsay = "{day|long}"', ["'long'", "count, date, digits, time"]),
    "no such kind": ('[slot.x]\nkind = "nombre"', ["slot 'x'", "'nombre'", "one of", "choice"]),
    "values without one of": ('[slot.x]\nkind = "name"\nvalues = ["a"]', ["slot 'x'", "`values`", "'one of'"]),
    "choice without from": ('[slot.x]\nkind = "choice"', ["slot 'x'", "`from`", "'choice'"]),
    "reserved name": ('[slot.result]\nkind = "name"', ["slot 'result'", "another"]),
    "pattern without a group": ('[slot.x]\nkind = "name"\nhears = ["for .+"]', ["slot 'x'", "0 groups", "( )"]),
    "view without a group": ('[view]\nowner = "Owner"', ["[view] owner", "0 groups", "( )"]),
    "after no tool": ('[[after]]\nsay = "x"', ["after 1", "names no tool", "`tool`"]),
    "after nothing": ('[[after]]\ntool = "book"', ["after 1 (book)", "says nothing", "`go_on = true`"]),
    "no such outcome": (
        '[[after]]\ntool = "book"\nwhen = "nil"\nsay = "x"',
        ["'nil'", "null, empty, error, data, declined"],
    ),
    "an outcome of another type": ('[[after]]\ntool = "book"\nwhen = 3\nsay = "x"', ["3", "table of fields"]),
    "too few rows": ('[[after]]\ntool = "book"\nmost = 0\nsay = "x"', ["most = 0", "1 or more"]),
    "asks for nothing": ('[[after]]\ntool = "book"\nasks = "nam"\nsay = "x"', ["'nam'", "no slot"]),
    "ask of nothing": ('[[cue]]\nhears = "x"\nsay = "x"\nask = { nam = "?" }', ["'nam'", "no slot"]),
    "recalls nothing": ('[[cue]]\nhears = "x"\nsay = "x"\nrecall = ["dayy"]', ["'dayy'", "did you mean day?"]),
    "a question in a question": ('[slot.x]\nkind = "name"\nask = "Who? {ask}"', ["slot 'x', ask", "{ask}", "words"]),
    "a question in an argument": (
        '[[cue]]\nhears = "x"\ncall = "x"\nwith = { a = "{ask}" }',
        ["with", "{ask}", "words"],
    ),
    "words that stand for nothing": (
        '[words]\nsoon = ["asap"]\n[[cue]]\nhears = "x"\nunless = "{son}"\nsay = "x"',
        ["cue 1 (x)", "{son}", "did you mean soon?"],
    ),
    "words that are a slot": ('[words]\nday = "sunny"', ["[words] day", "what [slot.day] finds", "another name"]),
    "words that are a yes": ('[words]\nyes = "aye"', ["[words] yes", "that the caller agreed, in a pattern"]),
    "a slot that is in the view": (
        "[view]\nfault = 'Fault: (.+)'\n[slot.fault]\nkind = \"words\"",
        ["slot 'fault'", "{fault} is what [view] fault finds in the prompt", "another name"],
    ),
    "a slot that is a blank": ('[slot.said]\nkind = "words"', ["{said} is what the agent said before"]),
    "a slot that is a blank of an after": ('[slot.args]\nkind = "words"', ["{args} is the arguments of a call, in an"]),
    "words that are no expression": ('[words]\nsoon = "(asap"', ["[words] soon", "no regular expression"]),
    "a choice besides": ('[slot.x]\nkind = "choice"\nfrom = "a"\nbesides = "b"', ["slot 'x'", "`besides`"]),
    "two of one name": (
        '[[cue]]\nname = "a"\nhears = "x"\nsay = "x"\n[[cue]]\nname = "a"\nhears = "y"\nsay = "y"',
        ["cue 'a'", "twice"],
    ),
    "say of another type": ('[[cue]]\nhears = "x"\nsay = 3', ["say", "3", "a list of lines"]),
    "stage of another type": ('[[cue]]\nhears = "x"\nsay = "x"\nstage = 3', ["stage = 3", "a list of texts"]),
    "opening says nothing": ('opening = { asks = "day" }', ["opening", "says nothing"]),
    "a cue that is none": ("cue = [1]", ["cue 1", "[[cue]]"]),
    "an after that is none": ("after = [1]", ["after 1", "[[after]]"]),
    "a slot that is none": ("[slot]\nx = 1", ["slot 'x'", "[slot.x]"]),
    "with that is none": ('[[cue]]\nhears = "x"\ncall = "x"\nwith = 3', ["with", "{ argument = value }"]),
    "values that are none": ('[slot.x]\nkind = "one of"\nvalues = 3', ["slot 'x'", "spellings"]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_named_with_what_to_write(wrong: str) -> None:
    text, says = WRONG[wrong]
    with pytest.raises(CueSheetRefused) as caught:
        CueSheet.loads(f"{text}\n{DAY}")
    message = str(caught.value)
    assert message.startswith("cues.toml")
    for word in says:
        assert word in message


def test_everything_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(CueSheetRefused) as caught:
        CueSheet.loads('[[cue]]\nhears = "a("\nsay = "{b}"\n[slot.c]\nkind = "d"', source="desk/cues.toml")
    message = str(caught.value)
    assert message.startswith("desk/cues.toml is refused, 3 problems:")
    assert message.count("\n  - ") == 3


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CueSheetRefused, match="cannot be read"):
        CueSheet.load(tmp_path / "cues.toml")
    (tmp_path / "cues.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(CueSheetRefused, match="cannot be read"):
        CueSheet.load(tmp_path / "cues.toml")


class Desk(Agent):
    stage: Literal["choose", "book", "done"] = "choose"

    @tool(stage=("choose", "book"))
    def free_slots(self, day: str) -> list[str]:
        return [day]

    @tool(stage="book")
    def book(self, slot: str) -> str:
        return slot


class PartySize(Step["Rental"]):
    @tool
    def record(self, people: int) -> Route:
        return go(PickBoat)


class PickBoat(Step["Rental"]):
    @tool
    def record(self, boat: str, hours: int = 1) -> Route:
        return go(TerminateSessionStep)


class Rental(Flow):
    steps = (PartySize, PickBoat, TerminateSessionStep)

    @tool(stage=PickBoat)
    def back(self) -> Route:
        return go(PartySize)


class Stageless(Agent):
    @tool
    def free_slots(self, day: str) -> list[str]:
        return [day]


def refused(text: str, agent: type[Agent]) -> str:
    with pytest.raises(CueSheetRefused) as caught:
        CueSheet.loads(text).check(agent)
    return str(caught.value)


def test_a_good_sheet_names_its_file_and_tools(tmp_path: Path) -> None:
    (tmp_path / "cues.toml").write_text(GOOD)
    sheet = CueSheet.load(tmp_path / "cues.toml")
    assert sheet.source == str(tmp_path / "cues.toml")
    assert sheet.tools == {"free_slots"}
    sheet.check(Desk)
    sheet.check(Stageless)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[[cue]]\nhears = "x"\ncall = "free_slot"', ["'free_slot'", "does not have", "did you mean free_slots?"]),
        ('[[after]]\ntool = "nothing"\nsay = "x"', ["'nothing'", "does not have; it has free_slots, book"]),
        ('[slot.x]\nkind = "choice"\nfrom = "nothing"', ["'nothing'", "does not have"]),
        ('[[cue]]\nhears = "x"\ncall = "book"', ["cue 2 (book)", "needs 'slot'", "`with`"]),
        ('[[cue]]\nhears = "x"\ncall = "book"\nwith = { slot = "1", at = "2" }', ["takes no 'at'", "it takes slot"]),
        (
            '[[cue]]\nhears = "x"\nstage = "choose"\ncall = "book"\nwith = { slot = "1" }',
            ["cue 2 (book): book is never visible there, only in book"],
        ),
    ],
)
def test_a_sheet_is_compared_with_an_agents_tools(text: str, says: list[str]) -> None:
    message = refused(GOOD + text, Desk)
    for word in ["cues.toml", *says]:
        assert word in message


@pytest.mark.parametrize(
    ("agent", "wrong", "hint"),
    [
        (Desk, "chose", "; did you mean choose?"),
        (Desk, "nowhere", "; it has choose, book, done."),
        (Rental, "PickBaot", "; did you mean PickBoat?"),
        (Rental, "pay", "; it has PartySize, PickBoat, TerminateSessionStep."),
        (Stageless, "choose", "; it has none."),
    ],
)
@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('[[cue]]\nhears = "x"\nsay = "y"\nstage = "%s"', "cue 1 (y)"),
        (
            '[[cue]]\nname = "never"\nhears = "x"\ncall = "free_slots"\nwith = { day = "x" }\nstage = "%s"',
            "cue 'never'",
        ),
        ('[[after]]\ntool = "free_slots"\nsay = "y"\nstage = ["%s"]', "after 1 (free_slots)"),
        ('[ask]\n%s = "Which?"', "[ask]"),
        ('[fallback]\nelse = "What?"\n%s = "Which?"', "[fallback]"),
    ],
)
def test_a_misspelt_stage_or_step_is_refused_with_the_nearest_right_one(
    agent: type[Agent], wrong: str, hint: str, text: str, where: str
) -> None:
    if agent is Rental:
        text = text.replace('call = "free_slots"\nwith = { day = "x" }', 'call = "back"').replace(
            "free_slots", "record"
        )
        where = where.replace("free_slots", "record")
    message = refused(text % wrong, agent)
    assert message == f"cues.toml is refused: {where}: the agent has no stage {wrong!r}{hint}"


def test_the_stages_of_a_sheet_for_a_flow_are_its_steps_and_its_tools_those_of_all_of_them() -> None:
    CueSheet.loads("""
[slot.people]
kind = "number"
ask = "How many?"

[[cue]]
stage = "PartySize"
call = "record"
with = { people = "{people}" }

[[cue]]
stage = "PickBoat"
hears = "otter"
call = "record"
with = { boat = "Otter" }

[[cue]]
hears = "back"
call = "back"

[[after]]
tool = "record"
stage = "TerminateSessionStep"
say = "Fair winds."

[fallback]
PickBoat = "Which boat?"
else = "Sorry?"
""").check(Rental)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '[[cue]]\nstage = "PickBoat"\nhears = "x"\ncall = "record"\nwith = { people = "3" }',
            "cue 1 (record): record takes no 'people'; it takes boat, hours.",
        ),
        (
            '[[cue]]\nhears = "x"\ncall = "record"\nwith = { persons = "3" }',
            "cue 1 (record): record takes no 'persons'; it takes people.",
        ),
        (
            '[[cue]]\nstage = "TerminateSessionStep"\nhears = "x"\ncall = "record"\nwith = { people = "3" }',
            "cue 1 (record): record is never visible there, only in PartySize and PickBoat.",
        ),
        (
            '[[cue]]\nstage = "PartySize"\nhears = "x"\ncall = "back"',
            "cue 1 (back): back is never visible there, only in PickBoat.",
        ),
    ],
)
def test_a_call_in_a_step_is_compared_with_that_steps_tool(text: str, says: str) -> None:
    assert refused(text, Rental) == f"cues.toml is refused: {says}"
