"""The turn loop: one call, run by the laws."""

from .call import Call
from .clock import SystemClock
from .opening import Engine, make_agent, slug
from .replies import Reply

__all__ = ["Call", "Engine", "Reply", "SystemClock", "make_agent", "slug"]
