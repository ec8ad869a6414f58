"""A chart as a Mermaid flowchart, which many places that show Markdown draw."""

import re
from collections.abc import Mapping

from cuelight.chart.chart import Chart, ChartTool
from cuelight.chart.drawing import Arrow, Box, BoxKind, draw

__all__ = ["mermaid"]

_SHAPES: Mapping[BoxKind, tuple[str, str]] = {
    "agent": ("[", "]"), "stage": ("[", "]"), "step": ("[", "]"), "logic": ("{{", "}}"), "end": ("([", "])"),
    "everywhere": ("[/", "/]"), "computed": ("(", ")"), "over": ("((", "))"),
}  # fmt: skip
_PLAIN = re.compile(r"[^\W_]|(?<=[^\W_])_+(?=[^\W_])|[ ,()]")


def mermaid(chart: Chart) -> str:
    """Write a chart as a flowchart: a node a place with the tools it shows, an arrow a route with who takes it.

    The same chart gives the same text. Names may hold any character. A route computed at run time is a dashed arrow.
    """
    drawing = draw(chart)
    first = next(box.key for box in drawing.boxes if box.initial)
    lines = ["flowchart TD", *map(_node, drawing.boxes), "start(( )) --> " + first, *map(_arrow, drawing.arrows)]
    return "\n    ".join(lines) + "\n"


def _node(box: Box) -> str:
    opening, closing = _SHAPES[box.kind]
    text = "<br/>".join((_escaped(box.title), *(_tool(tool) for tool in box.tools)))
    return f'{box.key}{opening}"{text}"{closing}'


def _tool(tool: ChartTool) -> str:
    return _escaped(f"{tool.name} ({', '.join(tool.notes)})" if tool.notes else tool.name)


def _arrow(arrow: Arrow) -> str:
    line = "-.->" if arrow.end == "computed" else "-->"
    return f'{arrow.start} {line}|"{_escaped(", ".join(arrow.labels))}"| {arrow.end}'


def _escaped(text: str) -> str:
    """Write each character that might mean something to Mermaid or to Markdown as its number."""
    pieces, at = [], 0
    while at < len(text):
        plain = _PLAIN.match(text, at)
        pieces.append(plain[0] if plain else f"#{ord(text[at])};")
        at = plain.end() if plain else at + 1
    return "".join(pieces) or " "
