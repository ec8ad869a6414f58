"""Which agent, which model, which store: the only place that chooses adapters."""

from cuelight.wiring.agents import FoundAgent, find_agent
from cuelight.wiring.goldens import TIME_LIMIT, Goldens, ReadyGolden, record_line
from cuelight.wiring.models import choose_model
from cuelight.wiring.stores import choose_store, find_store, store_setting
from cuelight.wiring.whereabouts import (
    agent_named,
    cassette_file,
    files_below,
    find_goldens,
    golden_folders,
    is_golden,
    stray_cassettes,
)

__all__ = [
    "TIME_LIMIT",
    "FoundAgent",
    "Goldens",
    "ReadyGolden",
    "agent_named",
    "cassette_file",
    "choose_model",
    "choose_store",
    "files_below",
    "find_agent",
    "find_goldens",
    "find_store",
    "golden_folders",
    "is_golden",
    "record_line",
    "store_setting",
    "stray_cassettes",
]
