"""A chart as a picture: one SVG file that needs nothing else and can be read on light and dark pages."""

import re
from collections.abc import Iterable, Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from cuelight.chart.chart import Chart
from cuelight.chart.drawing import draw
from cuelight.chart.layout import LABEL_LINE, LINE, PAD, TITLE, Frame, arrange
from cuelight.chart.paths import Path, Rect, arrow_paths, room_between

__all__ = ["svg"]

_MARGIN = 22.0
_START = 30.0

_LIGHT = {
    "page": "#ffffff", "box": "#f6f8fa", "edge": "#c3cad3", "text": "#1f2328", "tool": "#3b434c", "dim": "#6a737d",
    "arrow": "#7d8894", "step": "#3864c9", "logic": "#a9690a", "end": "#2b8256", "shared": "#7a56b8",
}  # fmt: skip
_DARK = {
    "page": "#0f1318", "box": "#181e26", "edge": "#38424f", "text": "#e8edf2", "tool": "#c3ccd6", "dim": "#8d98a5",
    "arrow": "#77838f", "step": "#7ea3f5", "logic": "#dba44c", "end": "#63c08e", "shared": "#b79af0",
}  # fmt: skip
_RULES = (
    ".page{{fill:{page}}}.box{{fill:{box};stroke:{edge}}}.title{{fill:{text}}}.tool{{fill:{tool}}}.note{{fill:{dim}}}"
    ".arrow{{stroke:{arrow}}}.head,.dot{{fill:{arrow}}}.label{{fill:{tool}}}"
    ".of-step{{fill:{step}}}.of-logic{{fill:{logic}}}.of-end{{fill:{end}}}.of-shared{{fill:{shared}}}"
)
_FONTS = (
    ".title{font:600 14px system-ui,-apple-system,'Segoe UI',sans-serif}"
    ".tool,.note,.label{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    ".note,.label{font-size:11px}"
    ".box{stroke-width:1.2}.arrow{fill:none;stroke-width:1.5}.dashed{stroke-dasharray:5 4}"
)
_COLOURS: Mapping[str, str] = {
    "logic": "logic", "end": "end", "over": "end", "everywhere": "shared", "computed": "shared",
}  # fmt: skip
_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def svg(chart: Chart) -> str:
    """Draw a chart: a box a place with the tools it shows, an arrow a route with who takes it.

    The place that opens stands on top, each other one below all that lead on to it; arrows back run on the right. A
    tool marked ↻ may lead to where it is. Routes computed at run time are dashed. The same chart gives the same text.
    """
    drawing = draw(chart)
    frames = arrange(drawing, room_between(drawing, arrange(drawing, {})))
    paths = arrow_paths(drawing, frames)
    left, top, right, bottom = _extent(frames.values(), paths)
    size = _size(right - left, bottom - top)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top:.1f} {right - left:.1f} {bottom - top:.1f}" '
        f'{size} role="img" aria-label={quoteattr(_printable(f"The map of {chart.agent}"))}>',
        f"<title>{_text(chart.agent)}</title>",
        f"<style>{_FONTS}{_RULES.format(**_LIGHT)}@media(prefers-color-scheme:dark){{{_RULES.format(**_DARK)}}}</style>",
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        '<path class="head" d="M0 0.6L8 4L0 7.4z"/></marker>',
        f'<rect class="page" x="{left:.1f}" y="{top:.1f}" {size} rx="10"/>',
        *(line for frame in frames.values() for line in _box(frame)),
        *map(_arrow, paths),
        *(line for path in paths for line in _label(path)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _size(width: float, height: float) -> str:
    return f'width="{width:.1f}" height="{height:.1f}"'


def _extent(frames: Iterable[Frame], paths: Iterable[Path]) -> Rect:
    rects = [(frame.x, frame.y - _START * frame.box.initial, frame.right, frame.bottom) for frame in frames]
    for path in paths:
        rects.append(path.label_rect)
        rects.extend((x, y, x, y) for x, y in path.points)
    lefts, tops, rights, bottoms = zip(*rects, strict=True)
    return min(lefts) - _MARGIN, min(tops) - _MARGIN, max(rights) + _MARGIN, max(bottoms) + _MARGIN


def _box(frame: Frame) -> Iterator[str]:
    box, colour = frame.box, _COLOURS.get(frame.box.kind, "step")
    dashed = " dashed" if box.kind in ("computed", "everywhere") else ""
    x, y = frame.x, frame.y
    yield (
        f'<rect class="box{dashed}" x="{x:.1f}" y="{y:.1f}" {_size(frame.width, frame.height)} rx="7"/>'
        f'<rect class="of-{colour}" x="{x + 6:.1f}" y="{y + 9:.1f}" width="3" height="14" rx="1.5"/>'
    )
    yield f'<text class="title" x="{x + PAD + 2:.1f}" y="{y + 21:.1f}">{_text(box.title)}</text>'
    for number, row in enumerate(frame.rows):
        base = y + TITLE + LINE * number + 12
        yield f'<text class="tool" x="{x + PAD + 2:.1f}" y="{base:.1f}">{_text(row.name)}</text>'
        if row.note:
            right = frame.right - PAD
            yield f'<text class="note" x="{right:.1f}" y="{base:.1f}" text-anchor="end">{_text(row.note)}</text>'
    if box.initial:
        dot = x + PAD + 8
        yield (
            f'<circle class="dot" cx="{dot:.1f}" cy="{y - _START + 5:.1f}" r="5"/>'
            f'<path class="arrow" marker-end="url(#head)" d="M{dot:.1f} {y - _START + 10:.1f}V{y:.1f}"/>'
        )


def _arrow(path: Path) -> str:
    dashed = " dashed" if path.arrow.end == "computed" else ""
    return f'<path class="arrow{dashed}" marker-end="url(#head)" d="{path.d}"/>'


def _label(path: Path) -> Iterator[str]:
    x, (left, top, right, bottom) = path.label[0], path.label_rect
    yield f'<rect class="page" x="{left - 3:.1f}" y="{top:.1f}" {_size(right - left + 6, bottom - top)} rx="3"/>'
    for number, label in enumerate(path.arrow.labels):
        y = top + LABEL_LINE * number + 10
        yield f'<text class="label" x="{x:.1f}" y="{y:.1f}" text-anchor="{path.anchor}">{_text(label)}</text>'


def _text(text: str) -> str:
    return escape(_printable(text))


def _printable(text: str) -> str:
    """Replace what no XML may hold, and what would begin a new line."""
    return re.sub(r"[\t\n\r]", " ", _UNPRINTABLE.sub("\ufffd", text))
