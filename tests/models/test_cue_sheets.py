"""A cue sheet is checked whole when it is read; what is wrong is named, with what to write instead."""

from pathlib import Path

import pytest

from asking import TOOLS
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
    "no such outcome": ('[[after]]\ntool = "book"\nwhen = "nil"\nsay = "x"', ["'nil'", "null, empty, error, data"]),
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
    "words that are a slot": ('[words]\nday = "sunny"', ["[words] day", "another name"]),
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


def test_a_good_sheet_names_its_file_and_tools(tmp_path: Path) -> None:
    (tmp_path / "cues.toml").write_text(GOOD)
    sheet = CueSheet.load(tmp_path / "cues.toml")
    assert sheet.source == str(tmp_path / "cues.toml")
    assert sheet.tools == {"free_slots"}
    sheet.check(TOOLS)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[[cue]]\nhears = "x"\ncall = "free_slot"', ["'free_slot'", "does not have", "free_slots"]),
        ('[[after]]\ntool = "nothing"\nsay = "x"', ["'nothing'", "does not have"]),
        ('[slot.x]\nkind = "choice"\nfrom = "nothing"', ["'nothing'", "does not have"]),
        ('[[cue]]\nhears = "x"\ncall = "book"', ["cue 2 (book)", "needs 'slot'", "`with`"]),
        ('[[cue]]\nhears = "x"\ncall = "book"\nwith = { slot = "1", at = "2" }', ["takes no 'at'", "it takes slot"]),
    ],
)
def test_a_sheet_is_compared_with_an_agents_tools(text: str, says: list[str]) -> None:
    with pytest.raises(CueSheetRefused) as caught:
        CueSheet.loads(GOOD + text).check(TOOLS)
    for word in ["cues.toml", *says]:
        assert word in str(caught.value)
