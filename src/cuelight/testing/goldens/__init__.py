"""Goldens: conversations as files, run by the real engine and judged by their logs."""

from cuelight.testing.goldens.judging import Fault
from cuelight.testing.goldens.names import check_names, opening_state
from cuelight.testing.goldens.reading import GoldenFile, read_golden
from cuelight.testing.goldens.running import GoldenRun, for_golden, run_golden, scripted
from cuelight.testing.goldens.shape import Golden, golden_schema

__all__ = [
    "Fault",
    "Golden",
    "GoldenFile",
    "GoldenRun",
    "check_names",
    "for_golden",
    "golden_schema",
    "opening_state",
    "read_golden",
    "run_golden",
    "scripted",
]
