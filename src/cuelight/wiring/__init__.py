"""Which agent, which model, which store: the only place that chooses adapters."""

from cuelight.wiring.agents import FoundAgent, find_agent
from cuelight.wiring.models import choose_model
from cuelight.wiring.stores import choose_store, find_store, store_setting

__all__ = ["FoundAgent", "choose_model", "choose_store", "find_agent", "find_store", "store_setting"]
