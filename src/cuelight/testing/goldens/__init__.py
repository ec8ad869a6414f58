"""Goldens: conversations as files, run by the real engine and judged by their logs."""

from cuelight.testing.goldens.judging import Fault
from cuelight.testing.goldens.names import check_names, opening_state
from cuelight.testing.goldens.reading import GoldenFile, read_golden, read_replies
from cuelight.testing.goldens.running import GoldenRun, for_golden, run_golden, scripted
from cuelight.testing.goldens.shape import Golden, ScriptedReply, golden_schema
from cuelight.testing.goldens.writing import GoldenDraft, golden_from, record_draft

__all__ = [
    "Fault",
    "Golden",
    "GoldenDraft",
    "GoldenFile",
    "GoldenRun",
    "ScriptedReply",
    "check_names",
    "for_golden",
    "golden_from",
    "golden_schema",
    "opening_state",
    "read_golden",
    "read_replies",
    "record_draft",
    "run_golden",
    "scripted",
]
