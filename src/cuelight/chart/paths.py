"""The ways of the arrows, as SVG paths, and the places of their labels."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from cuelight.chart.drawing import Arrow, Drawing
from cuelight.chart.lanes import Lane, Lanes, Side
from cuelight.chart.layout import LABEL, LABEL_LINE, Frame, width_of

__all__ = ["Path", "Rect", "arrow_paths", "room_between"]

_TRACK = 10.0
_FIRST_TRACK = 14.0
_TURN = 9.0
_Point = tuple[float, float]
Rect = tuple[float, float, float, float]
"""The left, upper, right and lower edge."""


@dataclass(frozen=True)
class Path:
    """Hold an arrow with its way, the points that this passes, and where the label stands."""

    arrow: Arrow
    d: str
    points: tuple[_Point, ...]
    label: _Point
    """The middle of the side that it is anchored at."""
    anchor: Literal["start", "middle", "end"]

    @property
    def label_rect(self) -> Rect:
        """The room that the label takes."""
        (x, y), (width, height) = self.label, _label_size(self.arrow)
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        return left, y - height / 2, left + width, y + height / 2


def room_between(drawing: Drawing, frames: Mapping[str, Frame]) -> dict[int, float]:
    """Give the room that is needed above each rank for labels, and for arrows on their way to a lane."""
    lanes = Lanes(drawing, frames).all
    room: dict[int, float] = {}
    for arrow in drawing.arrows:
        start, end = frames[arrow.start], frames[arrow.end]
        if end.rank == start.rank + 1:
            room[end.rank] = max(room.get(end.rank, 0.0), _label_size(arrow)[1] + 52)
    for rank in {frame.rank for frame in frames.values()} - {0}:
        tracks = sum(lane.start.rank == rank - 1 and lane.leaves_below(frames.values()) for lane in lanes)
        tracks += sum(lane.end.rank == rank and lane.enters_above(frames.values()) for lane in lanes)
        room[rank] = room.get(rank, 0.0) + tracks * _TRACK + _FIRST_TRACK * bool(tracks)
    return room


def arrow_paths(drawing: Drawing, frames: Mapping[str, Frame]) -> list[Path]:
    """Give the way of each arrow that leads to another box."""
    return list(_Ways(drawing, frames).paths())


class _Ways:
    def __init__(self, drawing: Drawing, frames: Mapping[str, Frame]) -> None:
        self._frames = frames
        self._lanes = Lanes(drawing, frames)
        self._straight = [
            arrow for arrow in drawing.arrows if frames[arrow.end].rank == frames[arrow.start].rank + 1
        ]  # fmt: skip
        boxes = frames.values()
        self._below = [lane for lane in self._lanes.all if lane.leaves_below(boxes)]
        self._above = [lane for lane in self._lanes.all if lane.enters_above(boxes)]
        self._taken: list[Rect] = []

    def paths(self) -> Iterator[Path]:
        for lane in self._lanes.all:
            yield self._noted(self._in_lane(lane))
        for arrow in self._straight:
            yield self._noted(self._down(arrow))

    def _noted(self, path: Path) -> Path:
        self._taken.append(path.label_rect)
        return path

    # --- to the next rank ---------------------------------------------------------------------------------------------

    def _down(self, arrow: Arrow) -> Path:
        start, end = self._frames[arrow.start], self._frames[arrow.end]
        x, y, low = self._port(start, "bottom", arrow), start.bottom, self._floor(start.rank)
        to_x, to_y = self._port(end, "top", arrow), end.y
        half = (low + to_y) / 2
        d = f"M{x:.1f} {y:.1f}V{low:.1f}C{x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {to_y:.1f}"
        points = ((x, y), (to_x, to_y))
        tries = [
            Path(arrow, d, points, _on_curve((x, low), (to_x, to_y), part), "middle")
            for part in (0.5, 0.4, 0.6, 0.3, 0.7)
        ]
        return next(
            (path for path in tries if not any(_touch(path.label_rect, rect) for rect in self._taken)), tries[0]
        )

    # --- in a lane ----------------------------------------------------------------------------------------------------

    def _in_lane(self, lane: Lane) -> Path:
        x = self._lanes.x(lane)
        out, back = self._way_out(lane), self._way_in(lane)
        points = (*out, (x, out[-1][1]), (x, back[0][1]), *back)
        low, high = sorted((lane.start.rank, lane.end.rank))
        rank = low + (high - low + 1) // 2
        y = (out[-1][1] + back[0][1]) / 2 if low == high else (self._floor(rank - 1) + self._ceiling(rank)) / 2
        right = lane.side == "right"
        return Path(lane.arrow, _rounded(points), points, (x + 7 if right else x - 7, y), "start" if right else "end")

    def _way_out(self, lane: Lane) -> tuple[_Point, ...]:
        frame = lane.start
        if lane not in self._below:
            return (self._side_port(frame, lane.side, lane.arrow),)
        track = [other for other in self._below if other.start.rank == frame.rank].index(lane)
        x, y = self._port(frame, "bottom", lane.arrow), self._floor(frame.rank) + _FIRST_TRACK + _TRACK * track
        return (x, frame.bottom), (x, y)

    def _way_in(self, lane: Lane) -> tuple[_Point, ...]:
        frame = lane.end
        if lane not in self._above:
            return (self._side_port(frame, lane.side, lane.arrow),)
        track = [other for other in self._above if other.end.rank == frame.rank].index(lane)
        x, y = self._port(frame, "top", lane.arrow), self._ceiling(frame.rank) - _FIRST_TRACK - _TRACK * track
        return (x, y), (x, frame.y)

    # --- where arrows meet boxes --------------------------------------------------------------------------------------

    def _side_port(self, frame: Frame, side: Side, arrow: Arrow) -> _Point:
        met = self._lanes.at(frame, side)
        y = frame.y + frame.height * (met.index(arrow) + 1) / (len(met) + 1)
        return (frame.x if side == "left" else frame.right), y

    def _port(self, frame: Frame, face: Literal["top", "bottom"], arrow: Arrow) -> float:
        """Give where on its upper or lower edge an arrow meets a box: arrows keep the order of where they come from."""
        met: list[tuple[float, int, Arrow]] = []
        for order, other in enumerate(self._straight):
            here, there = (other.end, other.start) if face == "top" else (other.start, other.end)
            if here == frame.box.key:
                met.append((self._frames[there].middle, order, other))
        for order, lane in enumerate(self._above if face == "top" else self._below):
            if (lane.end if face == "top" else lane.start) is frame:
                met.append((float("-inf" if lane.side == "left" else "inf"), order, lane.arrow))
        ordered = [each for *_, each in sorted(met, key=lambda each: each[:2])]
        return frame.x + frame.width * (ordered.index(arrow) + 1) / (len(ordered) + 1)

    def _floor(self, rank: int) -> float:
        return max(frame.bottom for frame in self._frames.values() if frame.rank == rank)

    def _ceiling(self, rank: int) -> float:
        return min(frame.y for frame in self._frames.values() if frame.rank == rank)


def _label_size(arrow: Arrow) -> tuple[float, float]:
    return max(width_of(label, LABEL) for label in arrow.labels), LABEL_LINE * len(arrow.labels)


def _touch(one: Rect, other: Rect) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _on_curve(start: _Point, end: _Point, part: float) -> _Point:
    """Give a point of the curve that leaves and arrives upright."""
    half = (start[1] + end[1]) / 2
    weights = ((1 - part) ** 3, 3 * (1 - part) ** 2 * part, 3 * (1 - part) * part**2, part**3)
    xs, ys = (start[0], start[0], end[0], end[0]), (start[1], half, half, end[1])
    return sum(w * x for w, x in zip(weights, xs, strict=True)), sum(w * y for w, y in zip(weights, ys, strict=True))


def _rounded(points: Iterable[_Point]) -> str:
    """Write a way along straight lines with its corners rounded."""
    first, *rest = (point for point, _ in groupby(points))
    d, before = f"M{first[0]:.1f} {first[1]:.1f}", first
    for corner, after in zip(rest, [*rest[1:], None], strict=True):
        if after is None:
            return f"{d}L{corner[0]:.1f} {corner[1]:.1f}"
        turn = min(_TURN, _length(before, corner) / 2, _length(corner, after) / 2)
        into, out = _toward(corner, before, turn), _toward(corner, after, turn)
        d += f"L{into[0]:.1f} {into[1]:.1f}Q{corner[0]:.1f} {corner[1]:.1f} {out[0]:.1f} {out[1]:.1f}"
        before = corner
    return d


def _length(one: _Point, other: _Point) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _toward(point: _Point, other: _Point, far: float) -> _Point:
    length = _length(point, other) or 1.0
    return point[0] + (other[0] - point[0]) / length * far, point[1] + (other[1] - point[1]) / length * far
