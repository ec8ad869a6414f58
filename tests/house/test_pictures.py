"""The pictures in the docs are what the code draws today."""

import os
from pathlib import Path

from cuelight.chart import chart_of, svg
from cuelight.wiring import find_agent

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs/pictures/hotel.svg"


def test_the_map_of_the_hotel_is_todays(monkeypatch):
    monkeypatch.chdir(ROOT)
    drawn = svg(chart_of(find_agent("examples/hotel").make))
    if os.environ.get("WRITE_DOCS"):
        PICTURE.write_text(drawn, encoding="utf-8")
    assert PICTURE.read_text(encoding="utf-8") == drawn, "run it with WRITE_DOCS=1 in the environment"
