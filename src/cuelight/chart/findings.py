"""What is wrong with a map: places that cannot be reached or left, tools nobody sees or nobody is asked about."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from cuelight.agent import nearest
from cuelight.chart.chart import Chart, ChartJudge, ChartRoute, ChartTool, Place, PlaceKind
from cuelight.chart.ways import distances, ring, ways

__all__ = ["MANY", "Finding", "Severity", "findings_of"]

Severity = Literal["error", "warning"]

MANY = 4
"""How many targets of its own a place may have before it is hard to follow; a logic step is there to choose."""

_STAGE_END = "Let a tool move on or call `self.call.end()`; a stage that is meant as the end stands last in `stage`."
_STEP_END = "Return a route from a tool or from `on_response`, or let a TerminateSessionStep be the end."
_CALLED: Mapping[PlaceKind, str] = {
    "agent": "agent", "stage": "stage", "step": "step", "logic": "logic step", "end": "step",
}  # fmt: skip


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Hold one thing that a check found: an error does not do what it says, a warning may be meant."""

    severity: Severity
    code: str
    """What kind of finding it is; it stays the same in later versions."""
    file: str | None
    line: int | None
    problem: str
    """What is wrong, in one sentence."""
    mend: str
    """What to write instead, in one sentence."""

    @property
    def place(self) -> str:
        """Where it is, as compilers write it; empty where the code has no source."""
        return ":".join(str(part) for part in (self.file, self.line) if part is not None)


def findings_of(chart: Chart) -> tuple[Finding, ...]:
    """Check the map of an agent.

    A place is an end if a step ends the call there, a tool of it does, or it is the last of an agent's stages. While a
    route that is reached is computed at run time, any place might be reached by it: what else would be an error of
    unreachable places is a warning then.
    """
    found = (
        *_targets(chart), *_unreached(chart), *_unseen(chart), *_stuck(chart), *_rings(chart), *_many(chart),
        *_unasked(chart), *_judged(chart),
    )  # fmt: skip
    return tuple(sorted(found, key=lambda finding: finding.severity))


def _at(where: Place | ChartRoute | ChartTool | ChartJudge) -> dict[str, Any]:
    return {"file": where.file, "line": where.line}


def _named(place: Place) -> str:
    return f"{_CALLED[place.kind]} {place.name}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- targets ----------------------------------------------------------------------------------------------------------


def _targets(chart: Chart) -> Iterator[Finding]:
    names = [place.name for place in chart.places if place.kind != "agent"]
    kinds = "stages" if any(place.kind == "stage" for place in chart.places) else "steps"
    for route in chart.routes:
        if route.target is not None and route.target not in names:
            mend = f"Its {kinds} are {', '.join(names)}{nearest(route.target, names)}" if names else (
                "Declare them, as in `stage: Literal['first', 'second'] = 'first'`, or leave the route out"
            )  # fmt: skip
            yield Finding(
                severity="error",
                code="no-such-target",
                problem=f"{_via(chart, route)} leads to {route.target!r}, which {chart.agent} does not have.",
                mend=mend if mend.endswith("?") else f"{mend}.",
                **_at(route),
            )


def _via(chart: Chart, route: ChartRoute) -> str:
    return f"`{route.via}`" if route.owner == chart.agent else f"`{route.via}` of {route.owner}"


# --- what cannot be reached -------------------------------------------------------------------------------------------


def _doubt(chart: Chart) -> tuple[Severity, str]:
    """Give how sure it is that what no route leads to is never reached, and what else might lead there."""
    there = distances(chart)
    for route in chart.routes:
        if route.computed and any(origin in there for origin in route.origins):
            place = f" at {route.file}:{route.line}" if route.file else ""
            return "warning", f", unless {_via(chart, route)} does, whose target{place} is computed at run time"
    return "error", ""


def _unreached(chart: Chart) -> Iterator[Finding]:
    severity, unless = _doubt(chart)
    there = distances(chart)
    for place in chart.places:
        if place.name not in there:
            how = "assign it to `self.stage` in" if place.kind == "stage" else f"return go({place.name}) from"
            rest = "the stages" if place.kind == "stage" else "`steps`"
            yield Finding(
                severity=severity,
                code="unreachable",
                problem=f"No route leads from {chart.initial} to {_named(place)}{unless}.",
                mend=f"{_capital(how)} a tool or hook that is reached, or take {place.name} out of {rest}.",
                **_at(place),
            )


def _unseen(chart: Chart) -> Iterator[Finding]:
    severity, unless = _doubt(chart)
    there = distances(chart)
    for tool in chart.tools:
        shown = [place.name for place in chart.places if tool in place.tools]
        if any(name in there for name in shown) or tool.owner not in (chart.agent, *there):
            continue  # what a step shows that is not reached is told with the step
        sure = not shown
        why = f"as no route leads to {' or '.join(shown)}{unless}" if shown else "as no model is asked there"
        yield Finding(
            severity="error" if sure else severity,
            code="tool-never-visible",
            problem=f"Tool `{tool.name}` of {tool.owner} is never visible, {why}.",
            mend=f"Show it where the conversation comes{' and a model is asked' * sure}, or leave it out.",
            **_at(tool),
        )


# --- where there is no way on -----------------------------------------------------------------------------------------


def _stuck(chart: Chart) -> Iterator[Finding]:
    last = chart.places[-1]
    for place in chart.places:
        ends = any(route.kind == "end" and place.name in route.origins for route in chart.routes)
        meant = place.kind in ("agent", "end") or (place.kind == "stage" and place is last)
        computed = any(route.computed and place.name in route.origins for route in chart.routes)
        if not (ends or meant or computed or [name for name in ways(chart)[place.name] if name != place.name]):
            stage = place.kind == "stage"
            yield Finding(
                severity="warning",
                code="no-way-on",
                problem=f"No route leads on from {_named(place)}, and nothing there ends the call.",
                mend=_STAGE_END if stage else _STEP_END,
                **_at(place),
            )


def _rings(chart: Chart) -> Iterator[Finding]:
    logic = {place.name for place in chart.places if place.kind == "logic"}
    told: set[str] = set()
    for place in chart.places:
        names = ring(chart, place.name, within=logic) if place.name in logic - told else ()
        if names:
            told.update(names)
            way = " to ".join((*names, names[0]))
            yield Finding(
                severity="error",
                code="logic-cycle",
                problem=f"Logic steps lead round in a ring, {way}, where nobody is asked and nothing is heard.",
                mend="Let one of them lead to a step that talks instead, or do the work of all in one `run_logic`.",
                **_at(place),
            )


def _many(chart: Chart) -> Iterator[Finding]:
    for place in chart.places:
        own = [
            route.target
            for route in chart.routes
            if place.name in route.origins and route.target not in (None, place.name)
            and (place.kind == "stage" or route.owner == place.name)
        ]  # fmt: skip
        targets = [target for target in dict.fromkeys(own) if target is not None]
        if len(targets) > MANY and place.kind != "logic":
            yield Finding(
                severity="warning",
                code="many-targets",
                problem=f"{_capital(_named(place))} leads to {len(targets)} places: {', '.join(targets)}.",
                mend=f"Part it, so that each half decides between {MANY} at most, or let a LogicStep decide.",
                **_at(place),
            )


# --- what the caller is asked first -----------------------------------------------------------------------------------


def _unasked(chart: Chart) -> Iterator[Finding]:
    for tool in chart.tools:
        if tool.effect == "irreversible" and not tool.confirm:
            yield Finding(
                severity="warning",
                code="irreversible-unasked",
                problem=f"Tool `{tool.name}` of {tool.owner} cannot be taken back, and runs without the caller's yes.",
                mend="Give it `confirm=` with what the caller is asked, or `effect='write'` if it can be taken back.",
                **_at(tool),
            )


def _judged(chart: Chart) -> Iterator[Finding]:
    guarded = [f"`{tool.name}`" for tool in chart.tools if tool.confirm]
    if guarded and chart.judge is not None:
        yield Finding(
            severity="warning",
            code="own-judge",
            problem=f"{chart.judge.owner} replaces the judge of yes and no that {' and '.join(guarded)} must pass.",
            mend="See that nothing unclear is a yes to it, or leave `consents` out, so that the lists judge.",
            **_at(chart.judge),
        )
