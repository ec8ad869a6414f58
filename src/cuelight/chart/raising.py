"""What the author's code raised when it was asked outside a call: whether that says something, and where it was."""

import traceback
from types import FunctionType

from cuelight.agent import Agent, Stateful
from cuelight.chart.charting import steps_of
from cuelight.chart.reading import is_rewritten
from cuelight.chart.sources import Spot, function_spot, shown_path
from cuelight.errors import OutsideHandler
from cuelight.flow import Flow

__all__ = ["explained", "raising_spot"]


def explained(error: Exception, agent: Agent) -> bool:
    """Tell whether an exception may be gone in a call: because that is missing, or because of state that is.

    Only what can hardly be a matter of the state is told: a wrong name, a wrong type, a helper out of its place.

    Args:
        error: what was raised.
        agent: the instance that was asked, as it opens.
    """
    read = {name for frame, _ in traceback.walk_tb(error.__traceback__) for name in frame.f_code.co_names}
    if isinstance(error, OutsideHandler):
        return "call" in read
    if isinstance(error, UnboundLocalError) or not isinstance(error, AttributeError | NameError | TypeError):
        return True  # a loop over nothing, a key that is not there yet
    if "NoneType" in str(error):
        return True
    if isinstance(error, AttributeError) and isinstance(error.obj, Stateful):
        return is_rewritten(type(error.obj), error.name or "")
    return isinstance(error, TypeError) and not read.isdisjoint(_unset(agent))


def _unset(agent: Agent) -> set[str]:
    """Name what holds nothing yet: fields that are None, and what steps without fields keep."""
    steps = [agent.step(name) for name in steps_of(type(agent))] if isinstance(agent, Flow) else []
    fields = ((owner, name) for owner in (agent, *steps) for name in owner.__declaration__.fields)
    return {"saved", *(name for owner, name in fields if getattr(owner, name) is None)}


def raising_spot(error: Exception, function: FunctionType) -> Spot:
    """Give the line of a function's file where an exception came from, as deep as that can be told."""
    file = function.__code__.co_filename
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return Spot(shown_path(file), lines[-1]) if lines else function_spot(function)
