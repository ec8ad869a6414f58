"""The turn loop: one call, run by the laws."""

from cuelight.engine.call import Call
from cuelight.engine.clock import SystemClock
from cuelight.engine.handlers import describe
from cuelight.engine.opening import Engine, make_agent, slug
from cuelight.engine.replies import Reply

__all__ = ["Call", "Engine", "Reply", "SystemClock", "describe", "make_agent", "slug"]
