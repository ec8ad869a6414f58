"""What a golden's file says is read as it stands, and everything that is wrong with it is told at once."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from cuelight.errors import GoldenRefused
from cuelight.testing.goldens import golden_schema, read_golden, scripted
from golden_making import Desk


def _turns(*checks: str) -> str:
    """A golden whose checks begin in line 5."""
    return "name: X\nturns:\n  - say: hello\n    then:\n" + "".join(f"      - {check}\n" for check in checks)


def _expecting(*parts: str) -> str:
    """A golden whose expectations begin in line 5."""
    return "name: X\nturns:\n  - say: hello\nexpect:\n" + "".join(f"  {part}\n" for part in parts)


SAID = "turns: [{say: a, then: [no_tool: true]}]"
GOLDEN = "name, turns, about, agent, state, today, expect, model"
REPLY = "says, says_any, not, matches"
ROUTE = "kind, from, to, applied, reason, feedback, prompt, state, content_type, message"
EXPECT = "tools, not_tools, state, says, not, never_visible, never_without_yes, max_model_requests, no_errors"
QUOTE = "or put the text in double quotes"
HALF = "a text has half of a surrogate pair, which is no character; write both halves"
KINDS = "tool, no_tool, confirm, refused, stage, step, state, visible, reply, route, error, end, nothing_else"
REPLIES = "a reply is text, {call, args}, {call, raw}, {answer, tool}, {fail} or a list of these, and this has "
CHECK = f"tool, args, result, {KINDS.removeprefix('tool, ')}"


# --- what it says -----------------------------------------------------------------------------------------------------


def test_json_and_yaml_read_the_same(desk: Desk) -> None:
    written = {
        "$schema": "golden.schema.json", "name": "Müsli 🥣", "about": "why", "agent": "bakery", "today": "2026-12-01",
        "state": {"stage": "pay", "loaves": 2},
        "model": ["Hello", {"call": "put", "args": {"loaves": 2}}, ["a", {"fail": "x"}]],
        "turns": [
            {"then": [{"stage": "pay"}]},
            {"say": "one", "then": [
                {"tool": "put", "args": {"a": [1, 1.5, None, True]}, "result": None}, {"no_tool": True},
            ]},
            {"event": {"name": "bread.ready", "data": {"oven": 2}}, "then": [{"reply": {"says": "x", "not": ["y"]}}]},
            {"wait": 5, "then": [{"end": True}, {"route": {"from": "a", "to": "b", "message": None}}]},
        ],
        "expect": {"tools": ["put"], "not": "no", "no_errors": False},
    }  # fmt: skip
    as_json = desk.read(json.dumps(written, indent=1), "it.json").golden
    # JSON is YAML: the same text, and the same in YAML's own style.
    assert desk.read(json.dumps(written), "it.yaml").golden == as_json
    as_yaml = desk.read(
        """
        $schema: golden.schema.json
        name: Müsli 🥣
        about: why
        agent: bakery
        today: 2026-12-01
        state: {stage: pay, loaves: 2}
        model:
          - Hello
          - call: put
            args: {loaves: 2}
          - [a, fail: x]
        turns:
          - then:
              - stage: pay
          - say: one
            then:
              - tool: put
                args:
                  a: [1, 1.5, ~, true]
                result:
              - no_tool: true
          - event: {name: bread.ready, data: {oven: 2}}
            then:
              - reply: {says: x, not: [y]}
          - wait: 5
            then:
              - end: true
              - route: {from: a, to: b, message: null}
        expect:
          tools: [put]
          not: no
          no_errors: false
        """
    ).golden
    assert as_yaml == as_json
    assert as_json.turns[1].then[0].result is None
    assert as_json.turns[1].then[1].result is UNSET


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2026-12-01", "2026-12-01"),
        ("2026-12-01 10:30:00", "2026-12-01 10:30:00"),
        ("10:30", "10:30"),
        ("10:30:00", "10:30:00"),
        ("yes", "yes"),
        ("No", "No"),
        ("on", "on"),
        ("off", "off"),
        ("007", "007"),
        ("+34600123456", "+34600123456"),
        ("1_000", "1_000"),
        ("0x1F", "0x1F"),
        ("1e3", 1000.0),
        ("-5", -5),
        ("0.50", 0.5),
        (".5", ".5"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("<<", "<<"),
        ("=", "="),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\u00e9"', "é"),
        ("|\n    a\n    b", "a\nb\n"),
        ("a # b", "a"),
    ],
)
def test_yaml_says_what_json_can(desk: Desk, written: str, value: Any) -> None:
    golden = desk.read(f"name: X\nstate:\n  it: {written}\nturns: [{{say: a}}]\nexpect: {{says: b}}\n").golden
    assert golden.state == {"it": value}
    assert type(golden.state["it"]) is type(value)


def test_keys_are_text(desk: Desk) -> None:
    golden = desk.read("name: X\nstate: {1: a, true: b, 2026-12-01: c}\nturns: [say: a]\nexpect: {says: b}").golden
    assert golden.state == {"1": "a", "true": "b", "2026-12-01": "c"}


def test_a_byte_order_mark_and_windows_line_ends_are_no_matter(desk: Desk) -> None:
    written = {
        "it.yaml": "name: X\r\nturns:\r\n  - say: a\r\n    then:\r\n      - tol: b\r\n",
        "it.json": '{"name": "X",\r\n"turns":\r\n[{"say": "a",\r\n"then": [\r\n{"tol": "b"}]}]}',
    }
    for name, text in written.items():
        (desk.folder / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
        with pytest.raises(GoldenRefused, match="line 5: turn 1, then 1 has no key `tol`; did you mean `tool`"):
            read_golden(desk.folder / name)


def test_the_capitals_of_a_suffix_are_no_matter(desk: Desk) -> None:
    desk.read('{"name":"X",\t"turns":[{"say":"a","then":[{"stage":"b"}]}]}', "it.JSON")


def test_a_scripted_reply_is_words_a_call_a_failure_or_several(desk: Desk) -> None:
    read = desk.read(
        """
        name: X
        model: [hello, {call: put}, {call: put, raw: "{oops"}, {fail: down}, [one moment, {call: put, args: {n: 1}}]]
        turns: [{say: a, then: [{no_tool: true}]}]
        """
    )
    script = scripted(read.golden)
    assert script is not None
    assert script.unused() == 5
    assert scripted(desk.read("name: X\n" + SAID).golden) is None
    assert scripted(desk.read("name: X\nmodel: cassette\n" + SAID).golden) is None


# --- no file of ours --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("it.yaml", "", "it is empty"),
        ("it.yaml", "# nothing yet\n", "it is empty"),
        ("it.json", " \n", "it is empty"),
        ("it.yaml", "- say: a\n", "line 1: a golden: it is a list; write an object with `name` and `turns`"),
        ("it.json", "[\n]", "line 1: a golden: it is a list; write an object with `name` and `turns`"),
        ("it.yaml", "hello", 'line 1: a golden: it is "hello"; write an object with `name` and `turns`'),
        ("it.json", '{"name": "X",\n "turns": [}', "line 2: it is no JSON: expecting value"),
        (
            "it.json",
            '{"name": "X",\n "turns": [],\n}',
            "line 3: it is no JSON: expecting property name enclosed in double quotes",
        ),
        ("it.json", '{"name":\n"a\tb"}', "line 2: it is no JSON: invalid control character at"),
        ("it.json", '{"name": "X"}\n{}', "line 2: it is no JSON: extra data"),
        ("it.json", '{"name": "X",\n "turns": [],\n "name": "Y"}', "line 3: `name` is written twice"),
        ("it.json", '{"state": {"a": {"b": 1,\n "\\u0062": 2}}}', "line 2: `b` is written twice"),
        ("it.json", '{"name": "X",\n"turns": [{"wait": NaN}]}', "line 2: NaN is no number of JSON's, or too large"),
        (
            "it.json",
            '{"name": "X",\n"turns": [{"wait":\n-Infinity}]}',
            "line 3: -Infinity is no number of JSON's, or too large",
        ),
        ("it.json", '{"turns": [{"wait": 1e999}]}', "line 1: 1e999 is no number of JSON's, or too large"),
        ("it.json", '{"turns": [{"wait": 1' + "0" * 5000 + "}]}", "it holds a number that is too large"),
        ("it.json", '{"name":\n"a \\ud83d b"}', f"line 2: {HALF}"),
        ("it.json", '{"turns": ' + "[" * 100_000, "it lies too deep"),
        ("it.json", '{"turns": ' + "[" * 5000 + "]" * 5000 + "}", "it lies too deep"),
        (
            "it.yaml",
            "name: X\nturns:\n\t- say: a\n",
            "line 3: it is no YAML: a line is indented by a tab; indent by spaces",
        ),
        (
            "it.yaml",
            "name: X\nturns: [say: a\n",
            "line 3: it is no YAML: the `[` of line 2 is never closed",
        ),
        ("it.yaml", "name: X\nname: Y\n", "line 2: `name` is written twice"),
        ("it.yaml", "name: X\nturns:\n  - say: a\n    say: b\n", "line 4: `say` is written twice"),
        (
            "it.yaml",
            "name: X\n---\nname: Y\n",
            "line 2: it is no YAML: expected a single document in the stream, but found another document",
        ),
        (
            "it.yaml",
            "name: &it X\nturns:\n  - say: *it\n",
            f"line 3: `*it` stands for something else; write that, {QUOTE}",
        ),
        (
            "it.yaml",
            "name: X\nstate: &it\n  self: *it\n",
            f"line 3: `*it` stands for something else; write that, {QUOTE}",
        ),
        (
            "it.yaml",
            "name: X\nstate: !!python/name:os.system\n",
            f"line 2: the tag !!python/name:os.system is for what JSON has not; leave it out, {QUOTE}",
        ),
        (
            "it.yaml",
            "name: X\nstate: !mine {a: 1}\n",
            f"line 2: the tag !mine is for what JSON has not; leave it out, {QUOTE}",
        ),
        (
            "it.yaml",
            "name: X\nstate: {a: !!timestamp 2026-12-01}\n",
            f"line 2: the tag !!timestamp is for what JSON has not; leave it out, {QUOTE}",
        ),
        ("it.yaml", "name: X\nstate: {a: !!int one}\n", "line 2: one is no int of JSON's, or too large"),
        ("it.yaml", "name: X\nstate: {a: !!bool maybe}\n", "line 2: maybe is no bool of JSON's, or too large"),
        ("it.yaml", "name: X\nturns: [wait: 1e999]\n", "line 2: 1e999 is no float of JSON's, or too large"),
        (
            "it.yaml",
            "name: X\nturns: [wait: 1" + "0" * 5000 + "]\n",
            "line 2: 10000000000000000000 is no int of JSON's, or too large",
        ),
        ("it.yaml", "name: X\nstate: {[a, b]: c}\n", "line 2: a key is no text"),
        ("it.yaml", 'name: X\nstate: {"\\ud83d": c}\n', f"line 2: {HALF}"),
        ("it.yaml", "name: X\nabout: a\x07b\n", "line 2: it holds the character #x07, which no YAML may"),
        ("it.yaml", "turns: " + "[" * 3000, "it lies too deep"),
    ],
)
def test_what_is_no_golden_is_refused_with_its_line(desk: Desk, name: str, text: str, problem: str) -> None:
    assert desk.problems(text, name) == [problem]


def test_a_file_that_cannot_be_read_is_refused(desk: Desk) -> None:
    (desk.folder / "latin.yaml").write_bytes("name: Müsli".encode("latin-1"))
    with pytest.raises(GoldenRefused, match="is refused: it is not UTF-8: invalid start byte at byte 8"):
        read_golden(desk.folder / "latin.yaml")
    with pytest.raises(GoldenRefused, match=r"there\.yaml is refused: it cannot be read: No such file or directory\.$"):
        read_golden(desk.folder / "there.yaml")
    with pytest.raises(GoldenRefused, match="it cannot be read: Is a directory"):
        read_golden(desk.folder)


def test_a_file_that_grows_when_it_is_read_is_refused(desk: Desk) -> None:
    """Aliases of aliases would be a billion of items."""
    lines = ["name: X", "a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True)]
    assert desk.problems("\n".join(lines)) == [f"line 3: `*a` stands for something else; write that, {QUOTE}"]


# --- shapes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "name: X\nturn: []\n" + SAID,
            f"line 2: a golden has no key `turn`; did you mean `turns`?; it may have {GOLDEN}",
        ),
        (
            _turns("no_tool: true") + "    thn: []",
            "line 6: turn 1 has no key `thn`; did you mean `then`?; it may have say, event, wait, then",
        ),
        (_turns("tol: put"), f"line 5: turn 1, then 1 has no key `tol`; did you mean `tool`?; it may have {CHECK}"),
        (
            _turns("reply: {say: a}"),
            f"line 5: turn 1, then 1, reply has no key `say`; did you mean `says`?; it may have {REPLY}",
        ),
        (
            _turns("route: {too: a}"),
            f"line 5: turn 1, then 1, route has no key `too`; did you mean `to`?; it may have {ROUTE}",
        ),
        (_expecting("tols: [put]"), f"line 5: expect has no key `tols`; did you mean `tools`?; it may have {EXPECT}"),
        (
            "name: X\nturns:\n  - event: {nme: a, name: b}\n    then: [no_tool: true]",
            "line 3: turn 1, event has no key `nme`; did you mean `name`?; it may have name, data",
        ),
        (
            "name: X\nmodel:\n  - call: put\n    arg: {}\n" + SAID,
            "line 4: model 1 has no key `arg`; did you mean `args`?; it may have call, args, raw, answer, tool, fail",
        ),
        (
            "name: X\nmodel:\n  - - hello\n    - cal: put\n" + SAID,
            "line 4: model 1.2 has no key `cal`; did you mean `call`?; it may have call, args, raw, answer, tool, fail",
        ),
        (
            "name: X\nturns: [{then: [{no_tool: true, not_: a}]}]",
            f"line 2: turn 1, then 1 has no key `not_`; it may have {CHECK}",
        ),
        (SAID, "line 1: a golden lacks `name`"),
        ("name: X\nexpect: {says: a}", "line 1: a golden lacks `turns`"),
        ("name: X\nturns:\n  - event: {data: {}}\n    then: [no_tool: true]", "line 3: turn 1, event lacks `name`"),
    ],
)
def test_a_key_that_no_shape_has_is_refused_with_the_nearest(desk: Desk, text: str, problem: str) -> None:
    assert desk.problems(text) == [problem]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: 5\n" + SAID, "line 1: name: it is 5; write text in double quotes"),
        (
            "name: X\nturns: {say: a}",
            'line 2: turns: it is an object; write a list: put "- " before each turn, or brackets around them',
        ),
        ("name: X\nturns:\n  - hello", 'line 3: turn 1: it is "hello"; write {say: "…"}'),
        (
            "name: X\nturns: [{say: 5, then: [no_tool: true]}]",
            "line 2: turn 1, say: it is 5; write text in double quotes",
        ),
        ("name: X\nturns: [{wait: soon, then: [no_tool: true]}]", 'line 2: turn 1, wait: it is "soon"; write a number'),
        ("name: X\nturns: [{wait: true, then: [no_tool: true]}]", "line 2: turn 1, wait: it is true; write a number"),
        ("name: X\nturns: [{say: null, then: [no_tool: true]}]", "line 2: turn 1, say: it is empty; write text"),
        (
            "name: X\nturns: [{event: ready, then: [no_tool: true]}]",
            'line 2: turn 1, event: it is "ready"; write {name: …}',
        ),
        (
            "name: X\nturns: [{event: {name: a, data: [1]}, then: [no_tool: true]}]",
            "line 2: turn 1, event, data: it is a list; write {name: value}",
        ),
        (
            "name: X\nturns: [{say: a, then: {tool: put}}]",
            'line 2: turn 1, then: it is an object; write a list: put "- " before each check, or brackets around them',
        ),
        (_turns("tool: [put]"), "line 5: turn 1, then 1, tool: it is a list; write text"),
        (_turns("{tool: put, args: 5}"), "line 5: turn 1, then 1, args: it is 5; write {name: value}"),
        (_turns("no_tool: false"), "line 5: turn 1, then 1, no_tool: it is false; write true"),
        (_turns("nothing_else: 1"), "line 5: turn 1, then 1, nothing_else: it is 1; write true"),
        (_turns("nothing_else: yes"), 'line 5: turn 1, then 1, nothing_else: it is "yes"; write true'),
        (_turns("visible: put"), 'line 5: turn 1, then 1, visible: it is "put"; write a list, as in [put]'),
        (_turns("visible: [put, 5]"), "line 5: turn 1, then 1, visible 2: it is 5; write text in double quotes"),
        (_turns("state: pay"), 'line 5: turn 1, then 1, state: it is "pay"; write {name: value}'),
        (_turns("reply: hello"), 'line 5: turn 1, then 1, reply: it is "hello"; write {says: "…"}'),
        (
            _turns("reply: {says: 5}"),
            "line 5: turn 1, then 1, reply, says: it is 5; write a list or text in double quotes",
        ),
        (_turns("reply: {says_any: a}"), 'line 5: turn 1, then 1, reply, says_any: it is "a"; write a list, as in [a]'),
        (
            _turns("route: {kind: goo}"),
            'line 5: turn 1, then 1, route, kind: it is "goo"; did you mean `go`?; write "go", "stay", "direct"',
        ),
        (_turns("route: {applied: 1}"), "line 5: turn 1, then 1, route, applied: it is 1; write true or false"),
        (_turns("end: 1"), "line 5: turn 1, then 1, end: it is 1; write true or false or text in double quotes"),
        (_expecting("max_model_requests: 1.5"), "line 5: expect, max_model_requests: it is 1.5; write a whole number"),
        (_expecting("no_errors: 0"), "line 5: expect, no_errors: it is 0; write true or false"),
        ("name: X\nstate: [a]\n" + SAID, "line 2: state: it is a list; write {name: value} or text"),
        ("name: X\nmodel: 5\n" + SAID, "line 2: model: it is 5; write a list or text in double quotes"),
        (
            "name: X\nmodel:\n - 5\n" + SAID,
            "line 3: model 1: it is 5; write {call: …} or a list or text in double quotes",
        ),
        ("name: X\nmodel: [[[a]]]\n" + SAID, "line 2: model 1.1: it is a list; write {call: …} or text"),
    ],
)
def test_a_value_of_another_kind_is_refused(desk: Desk, text: str, problem: str) -> None:
    assert desk.problems(text) == [problem]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: ' '\n" + SAID, "line 1: `name` is empty; say what the golden shows"),
        (
            "name: X\nturns: []\nexpect: {says: a}",
            "line 2: `turns` is empty; write what the caller says, as in `- say: Hello`",
        ),
        ("name: X\ntoday: tomorrow\n" + SAID, "line 2: `today` is 'tomorrow'; write a day, as in 2026-12-01"),
        ("name: X\ntoday: 20261201x\n" + SAID, "line 2: `today` is '20261201x'; write a day, as in 2026-12-01"),
        ("name: X\ntoday: 2026-02-30\n" + SAID, "line 2: `today` is '2026-02-30'; write a day, as in 2026-12-01"),
        (
            "name: X\nturns:\n  - say: a\n    wait: 2\n    then: [no_tool: true]",
            "line 3: a turn is one of `say`, `event` and `wait`, and this has say and wait",
        ),
        (
            "name: X\nturns:\n  - say: a\n  - then: [no_tool: true]",
            "line 4: a turn says what happens: `say`, `event` or `wait`",
        ),
        (
            "name: X\nturns:\n  - then: []\n  - say: a\n    then: [no_tool: true]",
            "line 3: a turn says what happens: `say`, `event` or `wait`",
        ),
        ("name: X\nturns:\n  - wait: -1\n    then: [no_tool: true]", "line 3: `wait` is -1; write seconds"),
        ("name: X\nturns:\n  - wait: 1e12\n    then: [no_tool: true]", "line 3: `wait` is 1e+12; write seconds"),
        (
            _turns("{tool: put, stage: pay}"),
            f"line 5: a check is of one thing ({KINDS}), and this has tool and stage; write one after the other",
        ),
        (_turns("{}"), f"line 5: a check is of one thing ({KINDS}), and this has none"),
        (_turns("args: {a: 1}"), f"line 5: a check is of one thing ({KINDS}), and this has none"),
        (_turns("{refused: put, args: {a: 1}}"), "line 5: `args` and `result` belong to a `tool`"),
        (_turns("{stage: pay, result: 1}"), "line 5: `args` and `result` belong to a `tool`"),
        (_turns("reply: {}"), "line 5: `reply` says nothing; write `says`, `says_any`, `not` or `matches`"),
        (_turns("reply: {says: ''}"), "line 5: `says` has no words"),
        (_turns("reply: {says: a, not: [' ']}"), "line 5: `not` has no words"),
        (_turns("reply: {says_any: [a, '']}"), "line 5: `says_any` has no words"),
        (_turns("reply: {matches: ''}"), "line 5: `matches` is empty, and fits everything"),
        (
            _turns("reply: {matches: '(a'}"),
            "line 5: `matches` is no regular expression: missing ), unterminated subpattern at position 0",
        ),
        (_turns("route: {}"), "line 5: `route` says nothing about the route; write what it is, as in {to: Payment}"),
        (_turns("state: {}"), "line 5: `state` names no field"),
        (_turns("end: false"), "line 5: `end` is true, or the reason for which the call ends"),
        (_turns("end: ''"), "line 5: `end` is true, or the reason for which the call ends"),
        (_expecting("says: ['', a]"), "line 5: `says` has no words"),
        (_expecting("not: ''"), "line 5: `not` has no words"),
        (_expecting("never_visible: []", "says: a"), "line 5: `never_visible` is empty, so it holds of every call"),
        (_expecting("state: {}", "says: a"), "line 5: `state` is empty, so it holds of every call"),
        (
            _expecting("tools: []", "says: a"),
            "line 5: `tools` is empty, so it holds of every call; "
            "that none runs is `no_tool` in a turn, or each of them in `not_tools`",
        ),
        (
            _expecting("max_model_requests: -1"),
            "line 5: `max_model_requests` is -1; write how often the model may be asked",
        ),
        (
            "name: X\nmodel: understudi\n" + SAID,
            "line 2: there is no model 'understudi'; did you mean `understudy`?; "
            "write understudy, cassette, provider:name or replies",
        ),
        (
            "name: X\nmodel:\n  - {}\n" + SAID,
            f"line 3: {REPLIES}nothing",
        ),
        (
            "name: X\nmodel:\n  - {raw: a}\n" + SAID,
            f"line 3: {REPLIES}raw",
        ),
        (
            "name: X\nmodel:\n  - {call: a, args: {}, raw: b}\n" + SAID,
            f"line 3: {REPLIES}call and args and raw",
        ),
        (
            "name: X\nmodel:\n  - a\n  - [{call: a, fail: b}]\n" + SAID,
            f"line 4: {REPLIES}call and fail",
        ),
        (
            "name: X\nmodel:\n  - [{fail: b}, a]\n" + SAID,
            "line 3: the reply goes on after `fail`, where it ends; write that last",
        ),
    ],
)
def test_what_means_nothing_is_refused(desk: Desk, text: str, problem: str) -> None:
    assert desk.problems(text) == [problem]


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "expect: {}",
        "expect: {no_errors: true}",
        "expect: {no_errors: false}",
    ],
)
def test_a_golden_that_judges_nothing_is_refused(desk: Desk, rest: str) -> None:
    problem = "line 1: it judges nothing, so it could never fail; write `then` in a turn, or `expect`"
    assert desk.problems(f"name: X\nturns:\n  - say: hello\n    then: []\n{rest}") == [problem]


@pytest.mark.parametrize(
    "part",
    [
        "tools: [a]",
        "not_tools: [a]",
        "state: {a: 1}",
        "says: a",
        "not: a",
        "never_visible: [a]",
        "max_model_requests: 0",
    ],
)
def test_any_part_of_expect_judges(desk: Desk, part: str) -> None:
    desk.read(f"name: X\nturns: [say: hello]\nexpect: {{{part}}}")


MANY = """
name:
today: soon
turn: 1
turns:
  - say: a
    wait: 1
  - say: 5
    then:
      - tool: put
        stage: pay
      - reply: {saying: x}
      - reply: {matches: "["}
      - nothing
  - event: {data: {}}
    thn: []
expect:
  tols: [put]
  says: ""
  max_model_requests: many
model: [{fail: 1}, {calls: put}]
"""
WRONG = [
    "line 1: name: it is empty; write text",
    "line 2: `today` is 'soon'; write a day, as in 2026-12-01",
    f"line 3: a golden has no key `turn`; did you mean `turns`?; it may have {GOLDEN}",
    "line 5: a turn is one of `say`, `event` and `wait`, and this has say and wait",
    "line 7: turn 2, say: it is 5; write text in double quotes",
    f"line 9: a check is of one thing ({KINDS}), and this has tool and stage; write one after the other",
    f"line 11: turn 2, then 2, reply has no key `saying`; did you mean `says`?; it may have {REPLY}",
    "line 12: `matches` is no regular expression: unterminated character set at position 0",
    'line 13: turn 2, then 4: it is "nothing"; write {tool: …}',
    "line 14: turn 3, event lacks `name`",
    "line 15: turn 3 has no key `thn`; did you mean `then`?; it may have say, event, wait, then",
    f"line 17: expect has no key `tols`; did you mean `tools`?; it may have {EXPECT}",
    "line 18: `says` has no words",
    'line 19: expect, max_model_requests: it is "many"; write a whole number',
    "line 20: model 1, fail: it is 1; write text in double quotes",
    "line 20: model 2 has no key `calls`; did you mean `call`?; it may have call, args, raw, answer, tool, fail",
]  # fmt: skip


def test_all_that_is_wrong_is_told_at_once_in_the_order_of_the_file(desk: Desk) -> None:
    assert desk.problems(MANY) == WRONG


def test_the_message_lists_the_problems(desk: Desk) -> None:
    file = desk.write(MANY)
    with pytest.raises(GoldenRefused) as refused:
        read_golden(file)
    listed = "".join(f"\n  - {problem}." for problem in WRONG)
    assert str(refused.value) == f"The golden {file} is refused, 16 problems:{listed}"


def test_the_lines_of_json_are_those_of_its_parts(desk: Desk) -> None:
    text = (
        '{\n\t"name":\n\t\t"X \\" { [ \\\\",\n\t"state": {"a:b": [1,\n\n2]},\n'
        '"turns": [\n{"say"\n:\n"a", "then":\n[{"tool": "a"},\n{"tool":\n5}]}]}'
    )
    assert desk.problems(text, "it.json") == ["line 12: turn 1, then 2, tool: it is 5; write text in double quotes"]
    read = desk.read(text.replace("5}", '"b"}'), "it.json")
    lines = {where: read.source.line(where) for where in [
        (), ("name",), ("state",), ("state", "a:b", 0), ("state", "a:b", 1), ("turns",),
        ("turns", 0), ("turns", 0, "then"),
        ("turns", 0, "then", 0), ("turns", 0, "then", 1, "tool"), ("turns", 0, "then", 1, "nowhere", 7), ("expect",),
    ]}  # fmt: skip
    assert list(lines.values()) == [1, 2, 4, 4, 6, 7, 8, 10, 11, 12, 12, 1]


def test_the_schema_names_what_may_be_written() -> None:
    schema = golden_schema()
    assert json.loads(json.dumps(schema)) == schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    shapes = schema["$defs"]
    assert set(shapes["Check"]["properties"]) == {*KINDS.split(", "), "args", "result"}
    assert shapes["Check"]["additionalProperties"] is False
    assert set(shapes["Golden"]["required"]) == {"name", "turns"}
    assert {"not", "says", "matches", "says_any"} == set(shapes["ReplyCheck"]["properties"])


def test_a_place_is_a_file_and_a_line(desk: Desk) -> None:
    read = desk.read(_turns("stage: pay"))
    assert read.place(("turns", 0, "then", 0)) == f"{desk.folder}/it.yaml:5"
    assert Path(read.file) == desk.folder / "it.yaml"
