"""`cuelight golden from`: a call from the terminal becomes a test of the agent that it was with."""

import asyncio
import re
import shutil
from pathlib import Path

import pytest

from cuelight.engine import Engine
from cuelight.stores import SqliteStore
from cuelight.testing import Script
from cuelight.wiring import find_agent

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
INTAKE = "hi\nit's ada byrne\nborn on 14 July 1984\nI, Ada, live at 12 Quay Street, H167 Saltmere\n"
VETS = "it's Ada Byrne, 600 123 456\nnext tuesday\n"

KNOWING = '''
from cuelight import Agent, tool


class Desk(Agent):
    """You know who it is."""

    @tool(pii="result")
    def who(self) -> str:
        """Tells who it is."""
        return "Ada Byrne"
'''


@pytest.fixture
def example(tmp_path):
    """Copy an example into the test's folder."""

    def copied(name):
        shutil.copytree(EXAMPLES / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "goldens"))
        return tmp_path / name

    return copied


@pytest.fixture
def talked(cuelight, example):
    """The example that takes down who calls, and a call with it."""
    folder = example("intake")
    done = cuelight("chat", folder, stdin=INTAKE)
    assert done.exit_code == 0, done.stderr
    return folder


def _written(done, folder):
    file = folder.parent / re.search(r"Wrote (\S+\.yaml)", done.stdout)[1]
    return file, file.with_suffix(".cassette.jsonl")


def test_a_call_becomes_a_golden_that_passes_until_the_code_is_changed(cuelight, talked):
    done = cuelight("golden", "from", "last")
    call = cuelight.state()["call"]
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        f"Wrote intake/goldens/{call}.yaml and {call}.cassette.jsonl beside it.\n"
        "7 private values have stand-ins.\n"
        "It passes.\n"
    )
    file, cassette = _written(done, talked)
    for text in (file.read_text(), cassette.read_text()):
        assert not re.search(r"\bada\b|byrne|1984|july 1|14 july|quay street|h167|saltmere", text, re.IGNORECASE)

    assert cuelight("test", talked).exit_code == 0

    agent, lines = talked / "agent.py", file.read_text().splitlines()
    code = agent.read_text()

    agent.write_text(code.replace("good day! What", "hello! What"))
    failed = cuelight.run("test", "intake")
    line = lines.index("      - reply: {says: 'Harbour Clinic, good day! What is your full name?'}") + 1
    assert failed.returncode == 1
    assert f"at        intake/goldens/{call}.yaml:{line}\n" in failed.stdout
    assert "came      “Harbour Clinic, hello! What is your full name?”" in failed.stdout

    agent.write_text(code.replace("return go(Address)\n", 'return stay("Ask again.")\n'))
    failed = cuelight.run("test", "intake")
    line = lines.index("      - route: {kind: go, to: Address}") + 1
    assert failed.returncode == 1
    assert f"at        intake/goldens/{call}.yaml:{line}\n" in failed.stdout
    assert "(the result of record_date_of_birth)" in failed.stdout
    assert "    - input validated\n    + Ask again.\n" in failed.stdout
    assert 'cue.route       {"kind":"stay","from":"DateOfBirth"' in failed.stdout


def test_a_stand_in_that_a_tool_looks_up_fails_with_what_to_do(cuelight, example):
    folder = example("harbour_vets")
    assert cuelight("chat", folder, stdin=VETS).exit_code == 0
    done = cuelight("golden", "from", "last")
    file, cassette = _written(done, folder)
    assert done.exit_code == 1
    assert "It does not pass.\n\n" in done.stdout
    looked_up = [n for n, line in enumerate(file.read_text().splitlines(), 1) if "tool: look_up_owner" in line]
    assert f"harbour_vets/goldens/{file.name}:{looked_up[0]}\n" in done.stdout
    name = f"harbour_vets/goldens/{file.name}"
    assert done.stdout.endswith(
        f"Where a tool looked up a stand-in and found nothing, write values that it knows into {name} and delete its "
        "cassette, so that the Understudy answers, or make the golden with --keep-private --force.\n"
    )
    assert "Ada Byrne" not in file.read_text() + cassette.read_text()

    done = cuelight("golden", "from", "last", "--keep-private")
    assert done.exit_code == 2
    assert f"harbour_vets/goldens/{file.name} is there already." in done.stderr
    done = cuelight("golden", "from", "last", "--keep-private", "--force")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "It passes.")
    assert done.stderr == "4 private values are written as in the call: mind who can read the files.\n"
    assert "say: it's Ada Byrne, 600 123 456\n" in file.read_text()
    assert cuelight("test", folder).exit_code == 0


def test_what_the_agent_itself_gives_of_private_values_is_told_of(cuelight, tmp_path):
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "agent.py").write_text(KNOWING)
    (tmp_path / "desk" / "cues.toml").write_text(
        '[[cue]]\nhears = "who"\ncall = "who"\n\n[[after]]\ntool = "who"\nsay = "So."\n'
    )
    assert cuelight("chat", "desk", stdin="who is it?\n").exit_code == 0
    done = cuelight("golden", "from", "last")
    assert done.exit_code == 1
    _, cassette = _written(done, tmp_path / "desk")
    number = next(at for at, line in enumerate(cassette.read_text().splitlines(), 1) if "Ada Byrne" in line)
    assert done.stderr == (
        f"desk/goldens/{cassette.name}:{number} holds a private value of the call, which the agent's own code has "
        "given: mind who can read it.\n"
    )


def test_it_ends_where_that_is_asked_for_and_stands_where_that_is(cuelight, talked, tmp_path):
    asked = [entry["seq"] for entry in cuelight.log() if entry["type"] == "turn.user"]
    done = cuelight("golden", "from", "last", "--upto", asked[1], "--out", "elsewhere/short.yaml")
    assert done.exit_code == 0, done.stdout
    text = Path("elsewhere/short.yaml").read_text()
    assert "agent: ../intake/agent.py\n" in text
    assert text.count("  - say: ") == 2
    assert cuelight("test", "elsewhere/short.yaml").exit_code == 0
    in_tests = tmp_path / "test" / "intake" / "goldens" / "short.yml"
    assert cuelight("golden", "from", "last", "--out", in_tests).exit_code == 0
    assert "agent:" not in in_tests.read_text()


@pytest.mark.parametrize("call", ["../../front desk", ".hidden", "n" * 300])
def test_the_golden_of_a_call_with_any_id_runs_where_it_is_written(cuelight, example, tmp_path, call):
    folder, kept = example("intake"), tmp_path / "calls.sqlite3"

    async def talk():
        store = SqliteStore(kept)
        opened = await Engine(store).open(find_agent("intake").make, Script("Your name?"), call=call)
        await opened.say("hi")
        await opened.hang_up()
        await store.close()

    asyncio.run(talk())
    done = cuelight("golden", "from", call, "--store", kept)
    assert done.exit_code == 0, done.stderr
    file, _ = _written(done, folder)
    assert file.parent == folder / "goldens"
    assert "1 passed" in cuelight("test", folder).stdout


def test_an_agent_that_is_elsewhere_is_named(cuelight, desk):
    assert cuelight("chat", desk, stdin="This is Ada Byrne\nlook up nothing\nlook up tides\nbye\n").exit_code == 0
    shutil.move("desk", "moved")
    done = cuelight("golden", "from", "last")
    assert done.exit_code == 2
    assert "There is no agent 'desk'" in done.stderr
    assert f"Say where the agent of call {cuelight.state()['call']} is: --agent AGENT." in done.stderr
    assert cuelight("golden", "from", "last", "--agent", "away/agent.py:Desk").exit_code == 2
    done = cuelight("golden", "from", "last", "--agent", "moved/agent.py:Desk")
    assert done.exit_code == 0, done.stdout + done.stderr
    file, _ = _written(done, Path.cwd() / "moved")
    assert "agent: agent.py:Desk\n" in file.read_text()


def test_what_is_there_is_not_written_over(cuelight, talked):
    Path("mine.yaml").write_text("name: mine\n")
    Path("other.cassette.jsonl").write_text("{}\n")
    for out, there in (("mine.yaml", "mine.yaml"), ("other.yaml", "other.cassette.jsonl")):
        done = cuelight("golden", "from", "last", "--out", out)
        assert (done.exit_code, done.stdout) == (2, "")
        assert f"{there} is there already. Name another file with --out, or add --force" in done.stderr
    assert Path("mine.yaml").read_text() == "name: mine\n"
    assert cuelight("golden", "from", "last", "--out", "mine.yaml", "--force").exit_code == 0
    done = cuelight("golden", "from", "last", "--out", "mine.json")
    assert "--out mine.json does not end in .yaml" in done.stderr


def test_erased_values_stay_masked(cuelight, talked):
    assert cuelight("log", "erase", "last", "--yes").exit_code == 0
    done = cuelight("golden", "from", "last")
    assert "Private values of the call were erased: what stands in their places, [private], is written as it is." in (
        done.stdout
    )
    assert "say: it's [private]\n" in _written(done, talked)[0].read_text()


def test_an_agent_that_has_changed_since_refuses_the_golden(cuelight, talked):
    agent = talked / "agent.py"
    agent.write_text(agent.read_text().replace("def record_address", "def note_address"))
    done = cuelight.run("golden", "from", "last")
    assert done.returncode == 1
    assert "Intake has no tool `record_address`" in done.stdout
    assert _written(done, talked)[0].is_file()
    assert "The call was with the agent intake. What that has no longer, change in the golden.\n" in done.stdout


def test_goldens_of_one_call_are_called_as_their_files(cuelight, talked):
    asked = [entry["seq"] for entry in cuelight.log() if entry["type"] == "turn.user"]
    assert cuelight("golden", "from", "last").exit_code == 0
    for name, seq in (("first", asked[0]), ("second", asked[1])):
        out = f"intake/goldens/{name}.yaml"
        assert cuelight("golden", "from", "last", "--upto", seq, "--out", out).exit_code == 0
        assert f"name: {name}\n" in Path(out).read_text()
    done = cuelight("test", "intake")
    assert (done.exit_code, "3 passed" in done.stdout) == (0, True), done.stderr


def test_what_no_longer_fits_the_call_of_an_understudy_says_how_to_go_on(cuelight, talked):
    call, out = cuelight.state()["call"], "intake/goldens/it.yaml"
    assert cuelight("golden", "from", "last", "--out", Path(out).absolute()).exit_code == 0
    agent = talked / "agent.py"
    agent.write_text(agent.read_text().replace("return go(Address)\n", 'return stay("Ask again.")\n'))
    failed = cuelight.run("test", "intake")
    again = f"cuelight golden from {call} --out {out} --force"
    assert (
        f"If this is meant, record it again: {again}\n"
        "Or delete the cassette, and the Understudy answers. Or record a real model, by its NAME: "
        f"cuelight test {out} --record --model NAME\n"
    ) in failed.stdout
    assert cuelight.run(*again.split()[1:]).returncode == 1  # other routes than in the call, and the same replies
    agent.write_text(agent.read_text().replace('return stay("Ask again.")\n', "return go(Address)\n"))
    assert cuelight.run(*again.split()[1:]).returncode == 0
    Path(out).with_suffix(".cassette.jsonl").unlink()
    assert "1 passed" in cuelight.run("test", "intake").stdout


GUARDED = '''
from cuelight import Agent, tool


class Office(Agent):
    """You sell tickets."""

    @tool(pii="name", confirm="Shall I reserve a seat under {name}?")
    def reserve(self, name: str) -> str:
        """Reserves a seat."""
        return "reserved"
'''
GUARDED_CUES = """
[slot.name]
kind = "name"
ask = "Your name?"

[[cue]]
hears = "{name}"
call = "reserve"
with = { name = "{name}" }

[[after]]
tool = "reserve"
say = "Done."
"""


def test_a_question_that_was_left_open_passes_and_where_nothing_was_looked_up_no_look_up_is_blamed(cuelight, tmp_path):
    agent = tmp_path / "office" / "agent.py"
    agent.parent.mkdir()
    agent.write_text(GUARDED)
    (agent.parent / "cues.toml").write_text(GUARDED_CUES)
    assert cuelight("chat", "office", stdin="my name is Ada Byrne\n").exit_code == 0
    done = cuelight("golden", "from", "last")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "It passes.")
    agent.write_text(GUARDED.replace("Shall I reserve", "May I reserve"))
    done = cuelight.run("golden", "from", "last", "--force")
    assert done.returncode == 1
    assert "1 private value has a stand-in." in done.stdout
    assert "looked up" not in done.stdout
    assert "Where the agent does today what it should, change what office/goldens/" in done.stdout
