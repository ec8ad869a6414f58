"""`cuelight graph` and `cuelight check`: the map of an agent, drawn and checked."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest

from cuelight.chart import Chart

TRIP = """\
from cuelight import Flow, Step, TerminateSessionStep, go, tool


class Ask(Step):
    @tool
    def tell(self, word: str):
        '''Tells a word.'''
        return go(word) if word else {target}


class Bye(TerminateSessionStep):
    pass


class Lost(Step):
    pass


class Trip(Flow):
    steps = (Ask, Bye{more})
"""


@pytest.fixture
def trip(tmp_path):
    (tmp_path / "trip.py").write_text(TRIP.format(target="Bye", more=""))
    return "trip"


def test_a_graph_is_mermaid_unless_something_else_is_asked_for(cuelight, desk, trip):
    assert cuelight("graph", trip).stdout == (
        "flowchart TD\n"
        '    p0["Ask<br/>tell"]\n'
        '    p1(["Bye"])\n'
        '    computed("decided at run time")\n'
        "    start(( )) --> p0\n"
        '    p0 -.->|"tell"| computed\n'
        '    p0 -->|"tell"| p1\n'
    )
    shown = cuelight("graph", desk)
    assert shown.stdout == cuelight("graph", desk, "--format", "mermaid").stdout
    assert '    p0 -->|"take_name"| p1\n' in shown.stdout


def test_json_is_the_whole_chart_with_paths_from_here(cuelight, trip):
    shown = cuelight("graph", trip, "--format", "json").stdout
    chart = json.loads(shown)
    assert list(chart) == ["agent", "places", "tools", "routes", "judge", "file", "line"]
    assert (chart["agent"], chart["file"], chart["line"]) == ("Trip", "trip.py", 19)
    assert chart["places"][0] == {
        "name": "Ask", "kind": "step", "initial": True, "tools": chart["tools"], "file": "trip.py", "line": 4,
    }  # fmt: skip
    assert chart["tools"] == [
        {
            "name": "tell", "owner": "Ask", "effect": "write", "conditional": False, "confirm": False,
            "file": "trip.py", "line": 6,
        }
    ]  # fmt: skip
    assert chart["judge"] is None
    route = {"via": "tell", "owner": "Ask", "file": "trip.py", "line": 8, "from": ["Ask"]}
    assert chart["routes"] == [
        route | {"to": None, "kind": "go", "computed": True},
        route | {"to": "Bye", "kind": "class", "computed": False},
    ]
    assert msgspec.json.decode(shown, type=Chart).initial == "Ask"


def test_every_key_of_the_chart_is_documented():
    page = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    section = page.partition("## Seeing the map")[2].partition("\n## ")[0]
    schema = msgspec.json.schema(Chart)
    for kind in schema["$defs"].values():
        assert all(f"`{key}`" in section for key in kind["properties"])


def test_a_picture_is_written_to_a_file(cuelight, trip, tmp_path):
    done = cuelight("graph", trip, "--format", "svg", "--out", tmp_path / "trip.svg")
    assert (done.exit_code, done.stdout) == (0, "")
    assert ET.parse(tmp_path / "trip.svg").getroot().tag.endswith("svg")


def test_a_graph_that_cannot_be_made(cuelight, trip, tmp_path):
    for asked, why in (
        (("graph", trip, "--format", "png"), "usage"),
        (("graph", trip, "--out", tmp_path / "none" / "trip.svg"), "bad-input"),
        (("graph", "nobody"), "agent-not-found"),
        (("check", "nobody"), "agent-not-found"),
    ):
        done = cuelight.run(*asked)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.endswith(f"[{why}]\n")


def test_a_clean_agent_says_so_in_one_line(cuelight, desk, trip):
    done = cuelight("check", desk)
    assert (done.exit_code, done.stdout) == (0, "Desk: nothing to mend in 2 stages, 5 tools, 2 routes.\n")
    done = cuelight("check", trip)
    assert (done.exit_code, done.stdout) == (0, "Trip: nothing to mend in 2 steps, 1 tool, 2 routes.\n")


def test_a_finding_is_a_line_with_its_place_and_the_mend(cuelight, trip, tmp_path):
    (tmp_path / "trip.py").write_text(TRIP.format(target="go('Byr')", more=", Lost"))
    done = cuelight("check", trip)
    assert done.exit_code == 1
    first, *others, last = done.stdout.splitlines()
    assert first == (
        "trip.py:8: error: `tell` of Ask leads to 'Byr', which Trip does not have. "
        "Its steps are Ask, Bye, Lost; did you mean `Bye`? [no-such-target]"
    )
    assert [line.partition(": ")[0] for line in others] == ["trip.py:11", "trip.py:15", "trip.py:15"]
    assert all(": warning: " in line for line in others)
    assert last == "Trip: 1 error, 3 warnings in 3 steps, 1 tool, 2 routes."


def test_warnings_alone_are_no_failure(cuelight, trip, tmp_path):
    (tmp_path / "trip.py").write_text(TRIP.format(target="Bye", more=", Lost"))
    done = cuelight("check", trip)
    assert done.exit_code == 0
    assert done.stdout.endswith("Trip: 2 warnings in 3 steps, 1 tool, 2 routes.\n")


def test_findings_as_json(cuelight, trip, tmp_path):
    assert json.loads(cuelight("check", trip, "--json").stdout) == []
    (tmp_path / "other.py").write_text(TRIP.format(target="go('Byr')", more=""))
    done = cuelight("check", "other", "--json")
    assert done.exit_code == 1
    first, *_ = json.loads(done.stdout)
    assert first == {
        "severity": "error", "code": "no-such-target", "file": "other.py", "line": 8,
        "problem": "`tell` of Ask leads to 'Byr', which Trip does not have.",
        "mend": "Its steps are Ask, Bye; did you mean `Bye`?",
    }  # fmt: skip


def test_every_finding_is_documented():
    root = Path(__file__).resolve().parents[2]
    page = (root / "docs" / "cli.md").read_text(encoding="utf-8")
    source = "".join(
        (root / "src" / "cuelight" / "chart" / f"{name}.py").read_text()
        for name in ("findings", "hooks", "prompts", "slips")
    )
    codes = {line.partition('code="')[2].partition('"')[0] for line in source.splitlines() if 'code="' in line}
    assert len(codes) == 19
    assert all(f"| `{code}` |" in page for code in codes)
