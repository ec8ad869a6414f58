"""What is drawn of a chart: boxes and arrows, routes between the same two places drawn as one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cuelight.chart.chart import Chart, ChartRoute, ChartTool, PlaceKind
from cuelight.chart.ways import distances

__all__ = ["Arrow", "Box", "BoxKind", "Drawing", "draw"]

BoxKind = PlaceKind | Literal["everywhere", "computed", "over"]

_FEW = 3
"""From how many places on what all of them have in common is drawn once."""


@dataclass(frozen=True)
class Box:
    """Hold a place as it is drawn, or what stands for several: everywhere, at run time, the end of the call."""

    key: str
    title: str
    kind: BoxKind
    tools: tuple[ChartTool, ...]
    initial: bool
    rank: int
    """How far from the top it stands."""


@dataclass(frozen=True)
class Arrow:
    """Hold all routes from one box to another; `labels` are the tools and hooks that take them."""

    start: str
    end: str
    labels: tuple[str, ...]

    @property
    def loops(self) -> bool:
        """Whether it leads back to where it starts."""
        return self.start == self.end


@dataclass(frozen=True)
class Drawing:
    """Hold what is drawn, in a fixed order."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def draw(chart: Chart) -> Drawing:
    """Choose what to draw of a chart.

    The first place stands on top, what it leads to below. What all of several places show, and every route that starts
    from all of them, is drawn at one box that stands for all. Routes that the code alone does not tell lead to a box of
    their own, as do those that end the call.
    """
    talking = [place.name for place in chart.places if place.talks]
    common = _common(chart, talking)
    keys = {place.name: f"p{number}" for number, place in enumerate(chart.places)}
    labels: dict[tuple[str, str], list[str]] = {}
    for route in chart.routes:
        end = _end(route, keys)
        starts = ["everywhere"] if common is not None and set(talking) == set(route.origins) else [
            keys[origin] for origin in route.origins
        ]  # fmt: skip
        for start in starts if end is not None else ():
            labels.setdefault((start, str(end)), []).append(route.via)
    arrows = tuple(Arrow(start, end, tuple(dict.fromkeys(names))) for (start, end), names in labels.items())
    return Drawing(chart.agent, tuple(_boxes(chart, keys, common, arrows)), arrows)


def _common(chart: Chart, talking: list[str]) -> tuple[ChartTool, ...] | None:
    """Give the tools that all places show where a model is asked; None where nothing is to be drawn for all."""
    if len(talking) < _FEW:
        return None
    shared = tuple(tool for tool in chart.tools if all(tool in place.tools for place in chart.places if place.talks))
    routed = any(set(route.origins) == set(talking) for route in chart.routes)
    return shared if shared or routed else None


def _end(route: ChartRoute, keys: dict[str, str]) -> str | None:
    """Give the box that a route leads to; None for a target that does not exist."""
    if route.kind == "end":
        return "over"
    return "computed" if route.computed else keys.get(route.target or "")


def _boxes(
    chart: Chart, keys: dict[str, str], common: tuple[ChartTool, ...] | None, arrows: tuple[Arrow, ...]
) -> Iterator[Box]:
    ranks = _ranks(chart, keys, arrows)
    if common is not None:
        title = "any stage" if chart.places[0].kind == "stage" else "any step"
        yield Box("everywhere", title, "everywhere", common, False, 0)
    for place in chart.places:
        tools = tuple(tool for tool in place.tools if tool not in (common or ()))
        yield Box(keys[place.name], place.name, place.kind, tools, place.initial, ranks[keys[place.name]])
    led = {arrow.end for arrow in arrows}
    if "computed" in led:
        yield Box("computed", "decided at run time", "computed", (), False, ranks["computed"])
    if "over" in led:
        yield Box("over", "the call ends", "over", (), False, ranks["over"])


def _ranks(chart: Chart, keys: dict[str, str], arrows: tuple[Arrow, ...]) -> dict[str, int]:
    """Give how far down each box stands: below all that lead on to it.

    A route leads on where it goes to a place that is further away, or as far and declared later, or that leads nowhere
    itself. What no route leads to comes after all the rest.
    """
    away = distances(chart)
    declared = [place.name for place in chart.places]
    onward = {arrow.start for arrow in arrows if not arrow.loops}
    reached = (name for name in declared if name in away and name != chart.initial)
    others = sorted(reached, key=lambda name: (keys[name] not in onward, away[name]))
    ranks: dict[str, int] = {}

    def stand(key: str, otherwise: int = 0) -> None:
        above = [ranks[arrow.start] for arrow in arrows if arrow.end == key and arrow.start in ranks]
        ranks[key] = max(above) + 1 if above else otherwise

    for key in (keys[chart.initial], "everywhere", *(keys[name] for name in others)):
        stand(key)
    for name in declared:
        if name not in away:
            stand(keys[name], max(ranks.values()) + 1)
    for key in ("computed", "over"):
        stand(key)
    return ranks
