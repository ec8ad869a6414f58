"""Where the boxes of a drawing stand: rank below rank, in rows that are as wide as they must be."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cuelight.chart.chart import ChartTool
from cuelight.chart.drawing import Arrow, Box, Drawing

__all__ = ["LABEL", "LABEL_LINE", "LINE", "PAD", "TITLE", "Frame", "Row", "arrange", "width_of"]

LINE = 18.0
"""The height of a row of text in a box."""
TITLE = 32.0
"""The height of a box's title."""
PAD = 14.0
"""The room at both sides of what a box says."""
LABEL = 11.0
"""The size of an arrow's label."""
LABEL_LINE = 13.0
"""The height of a line of it."""
_GAP = 64.0
_BESIDE = 44.0
_NARROWEST = 128.0


@dataclass(frozen=True)
class Row:
    """Hold one row of a box: a tool or a hook, and what is to be known of it."""

    name: str
    note: str = ""


@dataclass(frozen=True)
class Frame:
    """Hold a box with its place: the left upper corner, and its size, all in pixels."""

    box: Box
    rows: tuple[Row, ...]
    rank: int
    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height

    @property
    def middle(self) -> float:
        """The middle, from left to right."""
        return self.x + self.width / 2


def width_of(text: str, size: float) -> float:
    """Give about how wide a text is in a font whose letters are all equally wide.

    Args:
        text: one line.
        size: the font's, in pixels.
    """
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return (len(text) + wide) * size * 0.605


def _rows(box: Box, arrows: Sequence[Arrow]) -> tuple[Row, ...]:
    """Give the rows of a box; what may lead back to where it is says so, and no arrow is drawn for it."""
    looping = [label for arrow in arrows if arrow.loops and arrow.start == box.key for label in arrow.labels]
    tools = [Row(tool.name, _note(tool, tool.name in looping)) for tool in box.tools]
    hooks = [Row(label, "↻") for label in looping if label not in {tool.name for tool in box.tools}]
    return (*tools, *hooks)


def _note(tool: ChartTool, loops: bool) -> str:
    return " · ".join(tool.notes + ["↻"] * loops)


def arrange(drawing: Drawing, room: Mapping[int, float]) -> dict[str, Frame]:
    """Place the boxes of a drawing, each rank in the middle.

    Args:
        drawing: the boxes and arrows.
        room: how much room a rank needs above it, where that is more than usual; by its number from 0, without holes.
    """
    frames: dict[str, Frame] = {}
    y = 0.0
    for rank, boxes in enumerate(_ranks(drawing)):
        y += max(room.get(rank, 0.0), _GAP if rank else 0.0)
        ordered = sorted(boxes, key=lambda box: _pull(box, drawing.arrows, frames))
        rows = [_rows(box, drawing.arrows) for box in ordered]
        sizes = [_sized(*each) for each in zip(ordered, rows, strict=True)]
        x = -(sum(width for width, _ in sizes) + _BESIDE * (len(sizes) - 1)) / 2
        for box, its, (width, height) in zip(ordered, rows, sizes, strict=True):
            frames[box.key] = Frame(box, its, rank, x, y, width, height)
            x += width + _BESIDE
        y = max(frame.bottom for frame in frames.values())
    return frames


def _ranks(drawing: Drawing) -> list[list[Box]]:
    """Give the boxes of each rank, in the order of the drawing."""
    ranks = sorted({box.rank for box in drawing.boxes})
    return [[box for box in drawing.boxes if box.rank == rank] for rank in ranks]


def _pull(box: Box, arrows: Sequence[Arrow], frames: Mapping[str, Frame]) -> float:
    """Give where a box would like to stand: below what leads to it."""
    above = [frames[arrow.start].middle for arrow in arrows if arrow.end == box.key and arrow.start in frames]
    return sum(above) / len(above) if above else 0.0


def _sized(box: Box, rows: tuple[Row, ...]) -> tuple[float, float]:
    widths = [width_of(row.name, 12) + (width_of(row.note, LABEL) + 20) * bool(row.note) for row in rows]
    width = max(width_of(box.title, 14) + 2, *widths, _NARROWEST - 2 * PAD) + 2 * PAD
    return width, TITLE + (LINE * len(rows) + 5) * bool(rows)
