"""Mermaid and SVG: valid whatever names are in them, the same each time, and nothing stands on something else."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight.chart import Chart, ChartRoute, ChartTool, Place, mermaid, svg
from cuelight.chart.drawing import draw
from cuelight.chart.layout import arrange
from cuelight.chart.paths import arrow_paths, room_between

NOWHERE = {"file": None, "line": None}
ODD = st.one_of(
    st.text(min_size=1, max_size=12),
    st.sampled_from(
        ['"]', "</text><script>", "end", "#34;", "--> b", "1. x", "`*_x_*`", "a\nb", "\x00", "\ud800", "電話"]
    ),
)


@st.composite
def charts(draw, names=ODD):
    places = draw(st.lists(names, min_size=1, max_size=7, unique=True))
    agent = draw(names)
    kinds = st.sampled_from(["step", "step", "logic", "end"])
    made = []
    for number, name in enumerate(places):
        kind = "step" if number == 0 else draw(kinds)
        tools = [
            ChartTool(
                name=each, owner=name, effect=draw(st.sampled_from(["read", "write", "irreversible"])),
                conditional=draw(st.booleans()), confirm=draw(st.booleans()), **NOWHERE,
            )
            for each in draw(st.lists(names, max_size=4, unique=True))
        ]  # fmt: skip
        made.append(Place(name=name, kind=kind, initial=number == 0, tools=tuple(tools), **NOWHERE))
    routes = []
    for _ in range(draw(st.integers(0, 14))):
        kind = draw(st.sampled_from(["go", "class", "end"]))
        target = None if kind == "end" else draw(st.sampled_from([*places, None, "nowhere at all"]))
        everywhere = [place.name for place in made if place.talks]
        origins = draw(st.one_of(st.just(everywhere), st.lists(st.sampled_from(places), max_size=1)))
        routes.append(
            ChartRoute(
                origins=tuple(origins), target=target, via=draw(names), owner=agent, kind=kind,
                computed=target is None and kind != "end", **NOWHERE,
            )
        )  # fmt: skip
    tools = tuple(tool for place in made for tool in place.tools)
    return Chart(agent=agent, places=tuple(made), tools=tools, routes=tuple(routes), **NOWHERE)


NAMES = {
    "node": r'(?P<key>\w+)(\["|\{\{"|\(\["|\[/"|\("|\(\(")(?P<text>[^"]*)("\]|"\}\}|"\]\)|"/\]|"\)|"\)\))',
    "arrow": r'\w+ (-->|-\.->)\|"(?P<text>[^"]*)"\| \w+',
    "start": r"start\(\( \)\) --> p0",
}


def unescaped(text):
    return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), text)


@given(charts())
def test_mermaid_is_well_formed_and_says_every_name(chart):
    head, *lines = mermaid(chart).splitlines()
    assert head == "flowchart TD"
    titles, labels = [], []
    for line in lines:
        found = next(found for form in NAMES.values() if (found := re.fullmatch(form, line.strip())))
        text = found.groupdict().get("text")
        if text is not None:
            assert re.fullmatch(r"(\w|[ ,()]|#\d+;|<br/>)*", text)
            titles += [unescaped(text.split("<br/>")[0])] if "key" in found.groupdict() else []
            labels += [unescaped(text)] if "key" not in found.groupdict() else []
    assert {place.name for place in chart.places} <= set(titles)
    known = {place.name for place in chart.places}
    for route in chart.routes:
        if route.origins and (route.target in known or route.target is None):
            assert any(route.via in label for label in labels)
    assert mermaid(chart) == mermaid(chart)


@given(charts())
def test_svg_is_well_formed_and_says_every_name(chart):
    text = svg(chart)
    root = ET.fromstring(text.encode())
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert kinds <= {"svg", "title", "style", "marker", "path", "rect", "circle", "text"}
    shown = [element.text for element in root.iter() if element.tag.endswith("}text")]
    for place in chart.places:
        plain = re.sub(
            r"[\t\n\r]", " ", re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", place.name)
        )
        assert plain in shown
    assert text == svg(chart)


@settings(max_examples=150)
@given(charts(st.text("abcdefgh_", min_size=1, max_size=14)))
def test_no_box_stands_on_another_and_no_lane_runs_through_one(chart):
    drawing = draw(chart)
    frames = arrange(drawing, room_between(drawing, arrange(drawing, {})))
    for one, other in combinations(frames.values(), 2):
        assert one.right <= other.x or other.right <= one.x or one.bottom <= other.y or other.bottom <= one.y
    drawn = [arrow for arrow in drawing.arrows if arrow.start != arrow.end]
    paths = arrow_paths(drawing, frames)
    assert sorted(map(str, drawn)) == sorted(str(path.arrow) for path in paths)
    for path in paths:
        if len(path.points) > 2:  # along straight lines
            for (x, y), (to_x, to_y) in zip(path.points, path.points[1:], strict=False):
                for frame in frames.values():
                    beside = max(x, to_x) <= frame.x or min(x, to_x) >= frame.right
                    assert beside or max(y, to_y) <= frame.y or min(y, to_y) >= frame.bottom


def test_a_picture_is_read_on_light_and_dark_pages_and_needs_nothing_else():
    place = Place(name="a", kind="stage", initial=True, tools=(), **NOWHERE)
    text = svg(Chart(agent="Desk", places=(place,), tools=(), routes=(), **NOWHERE))
    assert "@media(prefers-color-scheme:dark)" in text
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert "url(" not in text.replace("url(#head)", "")
    assert ET.fromstring(text).attrib["aria-label"] == "The map of Desk"
