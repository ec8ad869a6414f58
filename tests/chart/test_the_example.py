"""The map of examples/harbour_vets, as a person would draw it."""

import sys
from pathlib import Path

import pytest

from cuelight.chart import chart_of, findings_of, mermaid, prompt_findings, svg
from cuelight.wiring import find_agent

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def vets(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return find_agent("examples/harbour_vets").make


def line_of(text, which=0):
    file = ROOT / "examples" / "harbour_vets" / "agent.py"
    lines = [number for number, line in enumerate(file.read_text().splitlines(), 1) if text in line]
    return lines[which]


def test_places_and_routes(vets):
    chart = chart_of(vets)
    assert [(place.name, place.initial, [tool.name for tool in place.tools]) for place in chart.places] == [
        ("identify", True, ["look_up_owner", "register_owner", "cancel_booking", "hang_up"]),
        ("choose", False, ["free_times", "cancel_booking", "hang_up"]),
        ("book", False, ["free_times", "book", "cancel_booking", "hang_up"]),
        ("done", False, ["free_times", "cancel_booking", "hang_up"]),
    ]
    later = ("choose", "book", "done")
    weighing = line_of('self.stage = "book" if self.times')
    ending = line_of('self.day, self.times, self.stage = None, [], "done"')
    giving_back = line_of("self.booking, self.day, self.times, self.stage = None")
    wanted = {
        ("look_up_owner", ("identify",), "choose"): line_of('self.stage = "choose"', 0),
        ("register_owner", ("identify",), "choose"): line_of('self.stage = "choose"', 1),
        ("free_times", later, "book"): weighing,
        ("free_times", later, "done"): weighing,
        ("free_times", later, "choose"): weighing,
        ("book", ("book",), "done"): ending,
        ("cancel_booking", ("identify", *later), "choose"): giving_back,
        ("hang_up", ("identify", *later), None): line_of("self.call.end()"),
    }
    assert {(route.via, route.origins, route.target): route.line for route in chart.routes} == wanted
    assert {route.file for route in chart.routes} == {"examples/harbour_vets/agent.py"}
    assert not any(route.computed for route in chart.routes)


def test_there_is_nothing_to_mend(vets):
    chart = chart_of(vets)
    assert findings_of(chart) == ()
    assert prompt_findings(chart, vets()) == ()


def test_what_all_stages_have_is_drawn_once(vets):
    chart = chart_of(vets)
    text = mermaid(chart)
    assert '\n    everywhere[/"any stage<br/>cancel_booking (when)<br/>hang_up"/]\n' in text
    assert '\n    p2["book<br/>free_times<br/>book (irreversible, when, confirm)"]\n' in text
    assert '\n    p0 -->|"look_up_owner, register_owner"| p1\n' in text
    assert '\n    everywhere -->|"hang_up"| over\n' in text
    assert svg(chart).count(">hang_up<") == 2  # in that box, and at its arrow
