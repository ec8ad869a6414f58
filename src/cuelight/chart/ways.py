"""Where the routes of a chart lead, taken together."""

from collections.abc import Collection, Mapping

from cuelight.chart.chart import Chart

__all__ = ["distances", "ring", "ways"]


def ways(chart: Chart) -> Mapping[str, tuple[str, ...]]:
    """Give the places that each place leads to, in the order of the chart; itself too where a route says so."""
    names = [place.name for place in chart.places]
    led = {name: {route.target for route in chart.routes if name in route.origins} for name in names}
    return {name: tuple(target for target in names if target in led[name]) for name in names}


def distances(chart: Chart) -> Mapping[str, int]:
    """Give the places that a conversation can reach, each with the fewest routes that lead there from the first."""
    leading, found, rim = ways(chart), {chart.initial: 0}, [chart.initial]
    for name in rim:  # grows as it is walked
        for target in leading[name]:
            if target not in found:
                found[target] = found[name] + 1
                rim.append(target)
    return found


def ring(chart: Chart, start: str, *, within: Collection[str]) -> tuple[str, ...]:
    """Give the shortest way from a place back to itself that stays within some places; nothing where there is none."""
    leading = ways(chart)
    rim: list[tuple[str, ...]] = [(start,)]
    seen: set[str] = set()
    for way in rim:  # grows as it is walked
        for target in leading[way[-1]]:
            if target == start:
                return way
            if target in within and target not in seen:
                seen.add(target)
                rim.append((*way, target))
    return ()
