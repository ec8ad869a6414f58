"""The state that a stored call was opened in, where somebody gave it one."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from cuelight.agent import Agent
from cuelight.errors import AuthorError
from cuelight.flow import Course, Flow, course_of
from cuelight.log import MASK, unmasked
from cuelight.ports import Model
from cuelight.testing.goldens.standins import StandIns
from cuelight.testing.goldens.stretches import Stretch
from cuelight.testing.goldens.telling import GONE, lasting
from cuelight.testing.rehearsal import rehearse

__all__ = ["opened_in"]


async def opened_in(
    factory: Callable[[], Agent], model: Model, now: float, opening: Stretch, stand_ins: StandIns
) -> dict[str, Any]:
    """Give the state that a golden of a call has to open in: what of it does not come by itself.

    No entry says what a call was given to open in. It is what its first state differs in from that of a call that is
    opened now without anything given; so what `on_call` took from the caller, whom a golden has not got, is part of it.

    Args:
        factory: makes the agent.
        model: answers where the opening asks for that.
        now: the time of the call, in unix seconds.
        opening: what the call began with.
        stand_ins: what stands in for its private values.
    """
    try:
        async with rehearse(factory, model, now=now) as call:
            course, records = course_of(call.agent), await call.store.read(call.id)
    except AuthorError:  # it does not open by itself any more; the run of the golden tells that
        return {}
    fresh: dict[str, Any] = next(
        (unmasked(each).data["state"] for each in records if each.entry.type == "state.changed"), {}
    )
    first = next((entry for entry in opening.entries if entry.type == "state.changed"), None)
    if first is None:
        return {}
    full = first.data["state"]
    written = opening.member(first, "state", stand_ins)
    steps = _steps(course)
    state = {name: value for name, value in _changed(fresh, full, written, course.names).items() if name not in steps}
    for name, fields in steps.items():
        if name in full and (inner := _changed(fresh.get(name, {}), full[name], written[name], fields)):
            state[name] = inner
    return state


def _steps(course: Course) -> dict[str, Collection[str]]:
    """Name the steps of a flow, and what may be given of the state of each: anything, where it declares nothing."""
    agent = course.agent
    if not isinstance(agent, Flow):
        return {}
    fields = {name: agent.step(name).__declaration__.fields for name in agent.__declaration__.stages or ()}
    return {name: [*own, "_prompt"] if own else () for name, own in fields.items()}


def _changed(
    fresh: Mapping[str, Any], full: Mapping[str, Any], written: Mapping[str, Any], names: Collection[str]
) -> dict[str, Any]:
    """Give the members of a state that are not as they come by themselves; no names are all of them."""
    changed = {}
    for (name, value), other in zip(full.items(), written.values(), strict=True):
        if (name in names or not names) and (name not in fresh or fresh[name] != value):
            kept = lasting(value, other, name)
            if kept is not GONE and kept != MASK:  # what was erased cannot be given
                changed[name] = kept
    return changed
