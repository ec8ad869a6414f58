"""`cuelight test`: which goldens are run, whose they are, what answers in them, and what is said of them."""

import json
import os
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest

from cuelight.cli.test.junit import junit
from cuelight.cli.test.results import Results
from cuelight.errors import GoldenRefused
from kiosk import BUYS, CUES, kiosk, write

FAILS = BUYS.replace("Buys two", "Buys for seven").replace("6 euros", "7 euros")
PASSED = re.compile(r"^ok      (.+?)  (\S+) · (\S+) · (?:<1|\d+) ms$", re.MULTILINE)
SCRIPTED = """
    name: Says hello
    model: [Hello!]
    turns:
      - say: hi
        then:
          - reply: {says: hello}
"""


@pytest.fixture
def goldens(tmp_path):
    """The folder of goldens of an agent in `kiosk/`."""
    return kiosk(tmp_path / "kiosk")


def test_goldens_are_run_and_told_of_in_a_line_each(cuelight, goldens):
    write(goldens / "buys.yaml", BUYS)
    write(goldens / "hello.YML", SCRIPTED)
    done = cuelight("test")
    assert done.exit_code == 0, done.output
    assert PASSED.findall(done.stdout) == [
        ("Buys two", "kiosk/goldens/buys.yaml", "understudy"),
        ("Says hello", "kiosk/goldens/hello.YML", "script"),
    ]
    assert re.fullmatch(r"2 passed in \d+ ms", done.stdout.splitlines()[-1])
    assert done.stderr == ""


def test_what_broke_is_shown_and_the_exit_code_is_1(cuelight, goldens):
    write(goldens / "buys.yaml", BUYS)
    write(goldens / "fails.yaml", FAILS)
    done = cuelight("test")
    assert done.exit_code == 1
    assert PASSED.findall(done.stdout) == [("Buys two", "kiosk/goldens/buys.yaml", "understudy")]
    assert "\nFAILED  Buys for seven  kiosk/goldens/fails.yaml · understudy · " in done.stdout
    assert "Buys for seven: turn 1 (say: two please), then 1\n  at        kiosk/goldens/fails.yaml:5\n" in done.stdout
    assert re.fullmatch(r"1 failed, 1 passed in \d+ ms", done.stdout.splitlines()[-1])


# --- where goldens are, and whose -------------------------------------------------------------------------------------


def test_goldens_are_found_beneath_a_folder_but_not_where_nobody_writes_them(cuelight, goldens, tmp_path):
    write(goldens / "buys.json", json.dumps({"name": "J", "turns": [{"say": "two", "then": [{"tool": "sell"}]}]}))
    write(goldens / "more" / "hello.yaml", SCRIPTED)
    write(goldens / "buys.cassette.txt", "no golden")
    write(tmp_path / "kiosk" / "other.yaml", "no golden")
    write(tmp_path / "env" / "pyvenv.cfg", "")
    for folder in (".hidden", "node_modules", "env", "env/lib"):
        write(tmp_path / folder / "goldens" / "none.yaml", "no golden")
    found = [("J", "kiosk/goldens/buys.json", "understudy"), ("Says hello", "kiosk/goldens/more/hello.yaml", "script")]
    assert PASSED.findall(cuelight("test").stdout) == found
    for paths in (["kiosk"], ["kiosk/goldens"], ["kiosk/goldens/buys.json", "kiosk/goldens/more"], ["kiosk", "kiosk"]):
        assert PASSED.findall(cuelight("test", *paths).stdout) == found


def test_a_golden_is_of_the_agent_beside_its_folder_or_of_the_one_that_the_folder_is_named_after(cuelight, tmp_path):
    kiosk(tmp_path / "stand", one=3)
    write(tmp_path / "stand" / "goldens" / "buys.yaml", BUYS)
    kiosk(tmp_path / "agents" / "corner_shop", one=5)
    write(tmp_path / "tests" / "corner-shop" / "goldens" / "ten.yaml", BUYS.replace("6 euros", "10 euros"))
    kiosk(tmp_path / "mall", one=7)
    write(tmp_path / "test" / "mall" / "goldens" / "many.yaml", BUYS.replace("6 euros", "14 euros"))
    done = cuelight("test")
    assert done.exit_code == 0, done.output
    # All three have modules of the same names.
    assert len(PASSED.findall(done.stdout)) == 3


def test_a_golden_may_name_its_agent_seen_from_where_it_belongs(cuelight, tmp_path, desk):
    for file, agent in (
        ("desk/goldens/beside.yaml", "agent.py:Desk"),
        ("tests/all/goldens/file.yaml", "desk/agent.py:Hasty"),
        ("loose/one.yaml", "../desk/agent.py:Desk"),
    ):
        write(tmp_path / file, SCRIPTED + f"    agent: {agent}\n")
    done = cuelight("test", ".", "loose/one.yaml", "--json")
    assert done.exit_code == 0, done.output
    assert [result["agent"] for result in json.loads(done.stdout)["results"]] == ["Desk", "Hasty", "Desk"]


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("loose/one.yaml", SCRIPTED, "nothing says whose it is: it is in no folder `goldens`; write where the "),
        ("goldens/one.yaml", SCRIPTED, "nothing says whose it is: "),
        ("tests/kisok/goldens/one.yaml", SCRIPTED, "its agent was looked for in .: There is no agent 'kisok'"),
        ("tests/kisok/goldens/one.yaml", SCRIPTED, "Did you mean kiosk?"),
        ("goldens/one.yaml", SCRIPTED + "    agent: kisok\n", "line 7: its agent was looked for in .: There is no "),
        (
            "desk/goldens/one.yaml",
            SCRIPTED,
            "(`agent` in it names another): agent.py has several agents: Desk, Hasty. Say which, as in agent.py:Desk.",
        ),
    ],
)
def test_a_golden_that_is_nobodys_is_refused(cuelight, tmp_path, desk, goldens, file, text, said):
    write(tmp_path / file, text)
    done = cuelight("test", file)
    assert done.exit_code == 2
    assert said in done.stderr


def test_an_agent_leaves_the_process_as_it_was(cuelight, goldens):
    write(goldens / "buys.yaml", BUYS)
    path, modules = [*sys.path], set(sys.modules)
    assert cuelight("test").exit_code == 0
    assert sys.path == path
    assert not {"agent", "prices"} & (set(sys.modules) - modules)


# --- what cannot be run -----------------------------------------------------------------------------------------------


def test_nothing_runs_while_one_golden_is_wrong_and_all_that_is_wrong_is_told(cuelight, goldens, tmp_path):
    write(goldens / "buys.yaml", BUYS)
    write(goldens / "slip.yaml", BUYS.replace("tool: sell", "tool: sel").replace("Buys", "Slips on"))
    write(goldens / "torn.yaml", "name: [")
    broken = kiosk(tmp_path / "broken")
    write(tmp_path / "broken" / "agent.py", "raise RuntimeError('no')")
    for name in ("one", "two"):
        write(broken / f"{name}.yaml", BUYS)
    done = cuelight("test", "--junit", "results.xml")
    assert done.exit_code == 2
    assert done.stdout == ""
    told = done.stderr.splitlines()
    assert len(told) == 3, told
    assert "agent.py cannot be imported, at broken/agent.py:1: RuntimeError: no [agent-not-loaded]" in told[0]
    assert told[0].startswith("cuelight: The agent of broken/goldens/one.yaml (")
    assert "slip.yaml is refused: line 5: Kiosk has no tool `sel`" in told[1]
    assert "torn.yaml is refused" in told[2]
    (suite,) = ET.parse(tmp_path / "results.xml").getroot()
    assert (suite.get("tests"), suite.get("errors")) == ("3", "3")


def test_an_agent_that_cannot_be_made_is_told_of(cuelight, goldens, tmp_path):
    write(goldens / "buys.yaml", BUYS)
    file = tmp_path / "kiosk" / "agent.py"
    write(file, file.read_text().replace("super().__init__()", "raise ValueError('closed')"))
    done = cuelight("test")
    assert done.exit_code == 1
    assert "the agent cannot be made: ValueError (agent.py:19): closed" in done.stdout


def test_without_goldens_the_exit_code_is_2(cuelight, tmp_path):
    assert "There are no goldens in this folder. Write one as goldens/first.yaml" in cuelight("test").stderr
    (tmp_path / "there").mkdir()
    assert "There are no goldens in there." in cuelight("test", "there").stderr
    assert "There is no nowhere." in cuelight("test", "nowhere").stderr
    write(tmp_path / "agent.py", "")
    assert "agent.py is no golden; the file of one ends in .json, .yaml, .yml." in cuelight("test", "agent.py").stderr
    assert cuelight("test").exit_code == cuelight("test", "nowhere").exit_code == 2


def test_goldens_that_nobody_could_tell_apart_are_refused(cuelight, goldens):
    write(goldens / "one.yaml", BUYS)
    write(goldens / "two.yaml", BUYS)
    write(goldens / "two.json", json.dumps({"name": "J", "turns": [{"say": "two", "then": [{"tool": "sell"}]}]}))
    told = cuelight("test").stderr
    assert "two.yaml is refused: it is called 'Buys two', as is kiosk/goldens/one.yaml;" in told
    assert "it would have the cassette two.cassette.jsonl, as would kiosk/goldens/two.json;" in told


def test_what_goes_together_is_said(cuelight, goldens):
    write(goldens / "buys.yaml", BUYS)
    for line, said in (
        (["--record", "--model", "a:b", "--model", "c:d"], "--record makes one cassette of each golden"),
        (["--record", "--runs", "2"], "--record makes one cassette of each golden"),
        (["--record", "--watch"], "leave out --watch"),
        (["--script", "x.yaml", "--model", "a:b"], "--script is what answers"),
        (["--model", "understady"], "'understady' names no model"),
        (["--model", "cassette"], "There is no cassette kiosk/goldens/buys.cassette.jsonl. Record it: cuelight test"),
        (["--record", "--model", "understudy"], "from a real model, not from the understudy"),
        (["--record"], "Nothing says which model is to be recorded."),
        (["--junit", "no/where.xml"], "no/where.xml cannot be written"),
    ):
        done = cuelight("test", *line)
        assert (done.exit_code, said in done.stderr) == (2, True), done.output


# --- what answers -----------------------------------------------------------------------------------------------------


def test_a_setting_changes_nothing_and_that_is_said(cuelight, goldens):
    write(goldens / "buys.yaml", BUYS)
    done = cuelight("test", CUELIGHT_MODEL="openai:gpt-5-mini")
    assert done.exit_code == 0, done.output
    assert PASSED.findall(done.stdout)[0][2] == "understudy"
    assert "CUELIGHT_MODEL is not read by goldens; --model openai:gpt-5-mini asks that model.\n" in done.stdout


def test_a_golden_says_what_answers_and_the_command_line_says_otherwise(cuelight, goldens, tmp_path):
    write(goldens / "buys.yaml", BUYS + "    model: [{call: sell, args: {tickets: 2}}, Done.]\n")
    assert PASSED.findall(cuelight("test").stdout)[0][2] == "script"
    assert PASSED.findall(cuelight("test", "--model", "understudy").stdout)[0][2] == "understudy"
    write(tmp_path / "replies.yaml", "- {call: sell, args: {tickets: 3}}\n- Three.\n")
    done = cuelight("test", "--script", "replies.yaml")
    assert done.exit_code == 1
    assert 'came      sell {"tickets":3}' in done.stdout
    write(tmp_path / "replies.yaml", "- {cal: sell}\n- {fail: no}\n")
    assert "replies.yaml is refused" in cuelight("test", "--script", "replies.yaml").stderr
    write(tmp_path / "replies.yaml", "Hello\n")
    assert "a script is a list of replies" in cuelight("test", "--script", "replies.yaml").stderr


def test_an_agent_without_a_cue_sheet_says_what_can_answer(cuelight, goldens, tmp_path):
    write(goldens / "buys.yaml", BUYS)
    (tmp_path / "kiosk" / "cues.toml").unlink()
    done = cuelight("test")
    assert done.exit_code == 2
    assert "Nothing answers in kiosk/goldens/buys.yaml." in done.stderr
    assert "cuelight test kiosk/goldens/buys.yaml --record --model provider:name" in done.stderr
    write(tmp_path / "kiosk" / "cues.toml", CUES.replace('call = "sell"', 'call = "sel"'))
    assert cuelight("test").stderr.endswith("[cue-sheet-refused]\n")


def test_a_cassette_that_is_of_no_golden_is_told_where_the_understudy_answers(cuelight, goldens):
    write(goldens / "renamed.yaml", BUYS)
    write(goldens / "scripted.yaml", SCRIPTED)
    for name in ("real", "scripted"):
        write(goldens / f"{name}.cassette.jsonl", "")
    done = cuelight("test")
    assert done.exit_code == 0, done.output
    told = [line for line in done.stdout.splitlines() if "cassette" in line]
    assert told == [
        "kiosk/goldens/real.cassette.jsonl is of no golden there, so it is not played; call it as its golden is called."
    ]
    assert "real.cassette" not in cuelight("test", "-k", "hello").stdout
    (goldens / "renamed.yaml").rename(goldens / "real.yaml")
    assert "is of no golden" not in cuelight("test").output


def test_an_agent_that_takes_today_gets_the_day_of_the_golden(cuelight, goldens):
    write(goldens / "day.yaml", SCRIPTED + "          - state: {day: 2026-12-01}\n    today: 2026-12-01\n")
    assert cuelight("test").exit_code == 0


def test_an_agent_that_ends_the_program_does_not_end_it_as_if_all_were_well(cuelight, goldens, tmp_path):
    agent = goldens.parent / "agent.py"
    agent.write_text(agent.read_text().replace("await asyncio.Event().wait()", "raise SystemExit(0)"))
    write(goldens / "waits.yaml", SCRIPTED.replace("[Hello!]", "[{call: wait}]\n    state: done"))
    done = cuelight("test", "--junit", "report.xml")
    assert done.exit_code == 2
    assert "The agent's code ended the program (SystemExit (agent.py:31): 0), so nothing is known" in done.stderr
    (case,) = ET.parse(tmp_path / "report.xml").iter("testcase")
    assert case.find("error") is not None


def test_a_golden_that_does_not_end_fails_when_its_time_is_up(cuelight, goldens):
    write(goldens / "waits.yaml", BUYS + "      - say: wait\n        then: [{stage: done}]\n")
    done = cuelight("test", "--timeout", "0.2")
    assert done.exit_code == 1
    assert "Buys two: not over after 0.2 s\n  at        kiosk/goldens/waits.yaml\n" in done.stdout


# --- selecting --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "selected"),
    [
        ("buys", ["Buys two", "Buys for seven"]),
        ("BUYS   two", ["Buys two"]),
        ("hello", ["Says hello"]),
        ("goldens/fails", ["Buys for seven"]),
        ("not buys", ["Says hello"]),
        ("buys and not two", ["Buys for seven"]),
        ("two or hello", ["Buys two", "Says hello"]),
        ("buys and (two or hello) or nothing", ["Buys two"]),
        ("not (two or hello)", ["Buys for seven"]),
        ('"two"', ["Buys two"]),
        ('not "and"', ["Buys two", "Buys for seven", "Says hello"]),
    ],
)
def test_words_select_by_name_and_file(cuelight, goldens, words, selected):
    write(goldens / "buys.yaml", BUYS)
    write(goldens / "fails.yaml", FAILS)
    write(goldens / "hello.yaml", SCRIPTED)
    results = json.loads(cuelight("test", "-k", words, "--json").stdout)["results"]
    assert [result["name"] for result in results] == selected


@pytest.mark.parametrize("words", ["", "and", "buys and", "(buys", "buys)", "not", 'a "b', "buys or or two"])
def test_words_that_cannot_be_read_are_refused(cuelight, goldens, words):
    write(goldens / "buys.yaml", BUYS)
    done = cuelight("test", "-k", words)
    assert done.exit_code == 2
    assert f"-k {words!r} " in done.stderr


def test_a_golden_that_cannot_be_read_is_never_left_out_by_words(cuelight, goldens):
    write(goldens / "buys.yaml", BUYS)
    write(goldens / "torn.yaml", "name: [")
    assert cuelight("test", "-k", "buys").exit_code == 2
    write(goldens / "torn.yaml", SCRIPTED.replace("reply", "repli"))
    assert cuelight("test", "-k", "buys").exit_code == 2
    write(goldens / "torn.yaml", FAILS.replace("sell", "sel"))
    assert cuelight("test", "-k", "two").exit_code == 0
    assert cuelight("test", "-k", "nothing").stderr.startswith("cuelight: -k selects none of 2 goldens.")


# --- results for programs ---------------------------------------------------------------------------------------------


def test_json_has_every_run(cuelight, goldens):
    write(goldens / "buys.yaml", BUYS)
    write(goldens / "fails.yaml", FAILS)
    done = cuelight("test", "--json", "--runs", "2")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert (told["passed"], told["failed"]) == (2, 2)
    assert [(each["file"], each["run"], each["passed"]) for each in told["results"]] == [
        ("kiosk/goldens/buys.yaml", 1, True),
        ("kiosk/goldens/buys.yaml", 2, True),
        ("kiosk/goldens/fails.yaml", 1, False),
        ("kiosk/goldens/fails.yaml", 2, False),
    ]
    first = msgspec.json.decode(done.stdout, type=Results).results[0]
    assert (first.agent, first.model, first.failure, first.requests) == ("Kiosk", "understudy", "", 2)
    assert (first.cost, first.cassette, len(first.latencies)) == (None, None, 1)
    assert told["results"][2]["failure"].startswith("Buys for seven: turn 1")


def test_every_key_of_the_json_is_documented():
    page = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    section = page.partition("## Testing")[2].partition("\n## ")[0]
    for shape in msgspec.json.schema(Results)["$defs"].values():
        assert all(f"`{key}`" in section for key in shape["properties"])


def test_junit_has_a_case_for_each_run(cuelight, goldens, tmp_path):
    write(goldens / "buys.yaml", BUYS)
    write(goldens / "fails.yaml", FAILS)
    assert cuelight("test", "--junit", "results.xml").exit_code == 1
    (suite,) = ET.parse(tmp_path / "results.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    passed, failed = suite
    assert (passed.get("classname"), passed.get("name")) == ("kiosk/goldens/buys.yaml", "Buys two [understudy]")
    assert list(passed) == []
    assert failed[0].get("message") == "Buys for seven: turn 1 (say: two please), then 1"
    assert "\n  at        kiosk/goldens/fails.yaml:5\n" in failed[0].text


def test_junit_is_xml_whatever_is_said():
    nothing = Results(passed=0, failed=0, seconds=0.0, results=[])
    said = "<&\x00\x1b[31m\ud800\ufffe]]>\n\tä🐈"
    (suite,) = ET.fromstring(junit(nothing, [GoldenRefused("a.yaml", [said])]))
    (case,) = suite
    assert case.get("classname") == "a.yaml"
    assert "<&\ufffd\ufffd[31m\ufffd\ufffd]]>\n\tä🐈" in case[0].get("message")


# --- comparing --------------------------------------------------------------------------------------------------------


def test_several_runs_are_compared_in_a_table_and_a_failure_is_shown_once(cuelight, goldens):
    write(goldens / "buys.yaml", BUYS)
    write(goldens / "fails.yaml", FAILS)
    done = cuelight("test", "--runs", "3")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    table = lines[lines.index("") + 1 :][:4]
    assert table[0].split() == ["GOLDEN", "MODEL", "PASSED", "TOKENS", "IN", "OUT", "COST", "A", "TURN"]
    assert re.fullmatch(r"Buys two        understudy     3/3          0    0     —  +<?\d+ ms", table[1])
    assert re.fullmatch(r"Buys for seven  understudy     0/3          0    0     —  +<?\d+ ms", table[2])
    assert table[3].startswith("all             understudy     3/6")
    assert done.stdout.count("expected  tool sell") == 1
    assert os.linesep.join(lines).count(" · run 3 · ") == 2
