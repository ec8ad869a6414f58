"""The lanes beside the boxes, for arrows that lead further than to the next rank: back on the right, on at the left."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from cuelight.chart.drawing import Arrow, Drawing
from cuelight.chart.layout import LABEL, Frame, width_of

__all__ = ["Lane", "Lanes", "Side", "is_outermost"]

Side = Literal["left", "right"]

_BESIDE = 26.0


@dataclass(frozen=True)
class Lane:
    """Hold an arrow with the lane it takes: on which side of the boxes, and the how-manieth from them."""

    arrow: Arrow
    start: Frame
    end: Frame
    side: Side
    index: int

    def span(self, frames: Iterable[Frame]) -> tuple[float, float]:
        """Give how far down it begins and ends, in ranks; the room between two of them counts as half."""
        ends = (
            self.start.rank + 0.4 * self.leaves_below(frames),
            self.end.rank - 0.4 * self.enters_above(frames),
        )
        return min(ends), max(ends)

    def leaves_below(self, frames: Iterable[Frame]) -> bool:
        """Tell whether it must leave through the room below its box, as another box stands at its side."""
        return not is_outermost(self.start, self.side, frames)

    def enters_above(self, frames: Iterable[Frame]) -> bool:
        """Tell whether it must come in through the room above its box, as another box stands at its side."""
        return not is_outermost(self.end, self.side, frames)


def is_outermost(frame: Frame, side: Side, frames: Iterable[Frame]) -> bool:
    """Tell whether no other box of its rank stands further out on a side."""
    beside = (other.x for other in frames if other.rank == frame.rank)
    return frame.x <= min(beside) if side == "left" else frame.x >= max(beside)


class Lanes:
    """Give each arrow that does not lead to the next rank a lane; short ones are nearest to the boxes.

    Args:
        drawing: the arrows.
        frames: where the boxes stand.
    """

    def __init__(self, drawing: Drawing, frames: Mapping[str, Frame]) -> None:
        self._frames = tuple(frames.values())
        self.all: list[Lane] = []
        for lane in sorted(_wanted(drawing, frames), key=lambda lane: abs(lane.end.rank - lane.start.rank)):
            taken = {other.index for other in self.all if other.side == lane.side and self._overlap(other, lane)}
            index = next(number for number in range(len(taken) + 1) if number not in taken)
            self.all.append(Lane(lane.arrow, lane.start, lane.end, lane.side, index))

    def x(self, lane: Lane) -> float:
        """Give where a lane runs; each leaves room for the labels of those further in."""
        inner = sum(self._room(lane.side, index) for index in range(lane.index))
        if lane.side == "left":
            return min(frame.x for frame in self._frames) - _BESIDE - inner
        return max(frame.right for frame in self._frames) + _BESIDE + inner

    def at(self, frame: Frame, side: Side) -> Sequence[Arrow]:
        """Give the arrows that leave or enter a box at its side, from top to bottom, so that few of them cross."""
        mine = []
        for lane in self.all:
            leaves = lane.start is frame and not lane.leaves_below(self._frames)
            enters = lane.end is frame and not lane.enters_above(self._frames)
            if lane.side == side and (leaves or enters):
                mine.append((lane, leaves is (side == "right")))
        return [lane.arrow for lane, upward in sorted(mine, key=lambda each: _order(each[0].index, each[1]))]

    def _overlap(self, one: Lane, other: Lane) -> bool:
        (top, bottom), (its_top, its_bottom) = one.span(self._frames), other.span(self._frames)
        return max(top, its_top) < min(bottom, its_bottom)

    def _room(self, side: Side, index: int) -> float:
        lanes = [lane for lane in self.all if lane.side == side and lane.index == index]
        return max(width_of(label, LABEL) for lane in lanes for label in lane.arrow.labels) + 24


def _order(index: int, up: bool) -> tuple[int, int]:
    """Order what meets a side: what goes on upward first, the inner before the outer; then what goes downward."""
    return (0, index) if up else (1, -index)


def _wanted(drawing: Drawing, frames: Mapping[str, Frame]) -> Iterator[Lane]:
    for arrow in drawing.arrows:
        start, end = frames[arrow.start], frames[arrow.end]
        if not arrow.loops and end.rank != start.rank + 1:
            yield Lane(arrow, start, end, "left" if end.rank > start.rank else "right", 0)
