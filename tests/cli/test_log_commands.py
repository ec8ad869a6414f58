"""`cuelight log` and `cuelight wire`."""

import contextlib
import json
import re
import sqlite3

import pytest

from cuelight.wire import json_schema


@pytest.fixture
def talked(cuelight, desk):
    """A stored call in which a private value was said."""
    done = cuelight("chat", desk, stdin="This is Ada Byrne\nlook up tides\n")
    assert done.exit_code == 0
    return cuelight.state()["call"]


# --- list -------------------------------------------------------------------------------------------------------------


def test_calls_are_listed_the_last_active_first(cuelight, desk, talked):
    cuelight("chat", desk, "--keep-open", stdin="hello\n")
    lines = cuelight("log", "list").stdout.splitlines()
    assert lines[0].split() == ["CALL", "AGENT", "LAST", "ACTIVE", "ENTRIES"]
    assert lines[1].endswith("open")
    assert lines[2].startswith(f"{talked}  desk")
    assert lines[2].endswith("ended")
    first, second = map(json.loads, cuelight("log", "list", "--json").stdout.splitlines())
    assert (first["ended"], second["call"], second["ended"]) == (False, talked, True)
    *_, more, again = cuelight("log", "list", "-n", "1").stdout.splitlines()
    assert more == "… and 1 more: --most 2 lists all."
    assert again.startswith("To take up an open one: ")
    assert again.endswith(f"cuelight chat desk --resume {first['call']}")
    cuelight("chat", desk, "--resume", "last", stdin="")
    assert "To take up" not in cuelight("log", "list").stdout


@pytest.mark.parametrize(
    "line", [["list"], ["show", "last"], ["verify", "call-1"], ["state", "last"], ["erase", "last"]]
)
def test_reading_makes_no_store(cuelight, tmp_path, line):
    file = tmp_path / "none" / "x.sqlite3"
    done = cuelight("log", *line, "--store", file)
    assert done.exit_code == 2
    assert f"There is no store at {file}." in done.stderr
    assert done.stderr.endswith("[store-unusable]\n")
    assert not file.parent.exists()


def test_taking_up_makes_no_store(cuelight, desk, tmp_path):
    file = tmp_path / "x.sqlite3"
    assert f"There is no store at {file}." in cuelight("chat", desk, "--resume", "last", "--store", file).stderr
    assert not file.exists()


def test_an_empty_store_says_how_to_have_a_call(cuelight, tmp_path):
    cuelight("doctor")
    assert cuelight("log", "list").stdout == (
        f"There are no calls in {tmp_path / 'calls.sqlite3'}. `cuelight demo` makes one.\n"
    )


# --- show -------------------------------------------------------------------------------------------------------------


def test_a_log_is_shown_one_line_an_entry_and_masked(cuelight, talked):
    shown = cuelight("log", "show", talked).stdout
    entries = cuelight.log()
    head, *lines = shown.splitlines()
    assert head.startswith(f"{talked} · desk · 20")
    assert len(lines) == len(entries)
    for line, entry in zip(lines, entries, strict=True):
        assert re.match(rf" *{entry['seq']}  \d\d:\d\d:\d\d\.\d\d\d  {re.escape(entry['type'])}", line)
    assert "Ada" not in shown
    assert "take_name(name=[private])" in shown
    assert "look → [tides] · " in shown
    assert "found=[tides]" in shown


def test_json_lines_fold_again(cuelight, talked):
    lines = cuelight("log", "show", talked, "--json").stdout
    assert "Ada" not in lines
    assert json.loads(cuelight("log", "state", "-", stdin=lines).stdout) == cuelight.state()


@pytest.mark.parametrize("named", ["last", "start"])
def test_a_call_is_named_by_the_start_of_its_id_or_as_the_last(cuelight, talked, named):
    assert cuelight("log", "show", talked[:-3] if named == "start" else named).stdout.startswith(talked)


def test_a_start_that_several_share_is_refused(cuelight, desk, talked):
    cuelight("chat", desk, stdin="")
    done = cuelight("log", "show", "call-")
    assert done.exit_code == 2
    assert "2 calls have ids that start with 'call-'" in done.stderr


@pytest.mark.parametrize("command", ["show", "state", "verify", "erase"])
def test_no_such_call(cuelight, command):
    cuelight("doctor")
    done = cuelight("log", command, "nowhere")
    assert done.exit_code == 2
    assert done.stderr.endswith("[call-not-found]\n")


def test_a_foreign_log_of_any_kind_is_shown(cuelight, tmp_path):
    file = tmp_path / "log.jsonl"
    entries = [
        {"type": "tool.call", "data": {"no": "call at all"}},
        {"type": "of.another.kind", "data": {"text": "two\nlines \x1b[31m"}},
        {"type": "error", "data": {"code": "odd", "message": "It is odd."}, "ts": 1e300},
    ]
    file.write_text(
        "".join(
            json.dumps({"seq": seq, "ts": 1.5, "call": None, "agent": "a", "ephemeral": False, **entry}) + "\n"
            for seq, entry in enumerate(entries, 1)
        )
    )
    lines = cuelight("log", "show", file).stdout.splitlines()
    assert lines[1].endswith('tool.call        no="call at all"')
    assert lines[2].endswith('of.another.kind  text="two\\nlines \\u001b[31m"')
    assert lines[4].endswith("1e+300  error            odd: It is odd.")


# --- state ------------------------------------------------------------------------------------------------------------


def test_the_state_has_the_names_of_the_wire(cuelight, talked):
    state = cuelight.state(talked)
    assert state["from"] == ""
    assert state["app_state"] == {"stage": "look", "who": "[private]", "found": ["tides"], "known": True}
    assert [run["name"] for run in state["tools"]] == ["take_name", "look"]


def test_of_a_torn_log_the_rest_is_folded_and_the_damage_told(cuelight, talked, tmp_path):
    raw = cuelight("log", "show", talked, "--json").stdout.encode()
    file = tmp_path / "torn.jsonl"
    file.write_bytes(raw[:-10])
    done = cuelight("log", "state", file)
    assert done.exit_code == 1
    assert json.loads(done.stdout)["seq"] == cuelight.state(talked)["seq"] - 1
    assert done.stderr.endswith("[torn]\n")
    assert "Line " in done.stderr


# --- verify -----------------------------------------------------------------------------------------------------------


def test_a_whole_log_holds(cuelight, talked):
    count = len(cuelight.log(talked))
    assert cuelight("log", "verify", talked).stdout == f"Whole: {count} entries.\n"
    piped = cuelight("log", "verify", "-", stdin=cuelight("log", "show", talked, "--json").stdout)
    assert (piped.exit_code, piped.stdout) == (0, f"Whole: {count} entries.\n")


def test_what_is_wrong_with_a_log_is_told_with_its_place(cuelight, talked):
    lines = cuelight("log", "show", talked, "--json").stdout.splitlines(keepends=True)
    count = len(lines)
    lines[5] = "\0\0\0\n"
    lines[-1] = lines[-1][:-20]
    done = cuelight("log", "verify", "-", stdin="".join(lines))
    assert done.exit_code == 1
    told = done.stdout.splitlines()
    assert told[0].startswith("Line 6, byte ")
    assert told[0].endswith("[zero-bytes]")
    assert any(line.endswith("[hole]") for line in told)
    assert told[-2].startswith(f"Line {count}, byte ")
    assert told[-2].endswith("[torn]")
    assert told[-1] == f"Not whole: 3 things are wrong in {count - 2} entries."
    as_json = cuelight("log", "verify", "-", "--json", stdin="".join(lines))
    assert as_json.exit_code == 1
    assert [json.loads(line)["kind"] for line in as_json.stdout.splitlines()] == ["zero-bytes", "hole", "torn"]


def test_a_file_that_is_not_there(cuelight):
    for named in ("log.jsonl", "folder/log"):
        done = cuelight("log", "verify", named)
        assert done.exit_code == 2
        assert done.stderr == f"cuelight: There is no file {named}. Name a file, a call, or - for stdin. [bad-input]\n"


def test_a_stored_log_with_a_damaged_entry_does_not_hold(cuelight, talked, tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "calls.sqlite3")) as db:
        db.execute("UPDATE entries SET data = '{}' WHERE seq = 3")
        db.commit()
    done = cuelight("log", "verify", talked)
    assert done.exit_code == 1
    assert f"call '{talked}': entry 3 is not what was written" in done.stderr
    assert done.stderr.endswith("[store-damaged]\n")
    assert cuelight("log", "show", talked).exit_code == 2


def test_a_folder_and_a_name_that_is_neither_file_nor_call(cuelight, tmp_path):
    cuelight("doctor")
    done = cuelight("log", "verify", tmp_path)
    assert done.stderr == f"cuelight: {tmp_path} is a folder. Name a file, a call, or - for stdin. [bad-input]\n"
    assert "There is no call 'README.md' in this store, nor a file of that name." in (
        cuelight("log", "verify", "README.md").stderr
    )


# --- erase ------------------------------------------------------------------------------------------------------------


def test_erasing_asks_first_and_without_a_terminal_wants_to_be_told(cuelight, talked):
    done = cuelight("log", "erase", talked)
    assert done.exit_code == 2
    assert "Add --yes to do it." in done.stderr
    assert "cue.erased" not in {entry["type"] for entry in cuelight.log()}


def test_erased_values_are_gone_and_the_log_still_folds(cuelight, talked, tmp_path):
    before = cuelight.state()
    done = cuelight("log", "erase", talked, "--yes")
    assert done.exit_code == 0, done.stderr
    assert re.fullmatch(rf"Erased 1 private value in \d+ entries of call {talked}\.\n", done.stdout)
    assert cuelight.log()[-1]["type"] == "cue.erased"
    after = cuelight.state()
    assert after | {"seq": 0} == before | {"seq": 0}
    assert cuelight("log", "verify", talked).exit_code == 0
    assert b"Byrne" not in b"".join(file.read_bytes() for file in tmp_path.glob("calls.sqlite3*"))
    again = cuelight("log", "erase", talked, "--yes")
    assert again.stdout == f"Call {talked} has no private values.\n"


def test_an_erased_field_is_as_new_when_the_call_is_taken_up(cuelight, desk):
    cuelight("chat", desk, "--keep-open", stdin="This is Ada Byrne\n")
    cuelight("log", "erase", "last", "--yes")
    done = cuelight("chat", desk, "--resume", "last", stdin="look up tides\n")
    assert "! Field 'who' was erased" in done.stdout
    assert cuelight.state()["app_state"]["who"] is None


# --- wire -------------------------------------------------------------------------------------------------------------


def test_the_schema_is_printed(cuelight):
    assert json.loads(cuelight("wire", "schema").stdout) == json.loads(json.dumps(json_schema()))
