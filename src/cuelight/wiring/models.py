"""Which model answers in a call."""

import os
from collections.abc import Mapping
from pathlib import Path

from cuelight.agent import Agent
from cuelight.errors import NotSetUp
from cuelight.models import CueSheet, Understudy, resolve_model
from cuelight.ports import Model
from cuelight.wiring.agents import FoundAgent, short_path

__all__ = ["UNDERSTUDY", "choose_model", "sheet_of"]

_MODEL = "CUELIGHT_MODEL"
UNDERSTUDY = "understudy"


def choose_model(found: FoundAgent, named: str | None = None, *, environ: Mapping[str, str] = os.environ) -> Model:
    """Choose what answers: `named`, else `CUELIGHT_MODEL`, else the class's `model`, else the Understudy.

    Args:
        found: the agent.
        named: `provider:name`, or `understudy` for the stand-in that reads the agent's cue sheet.
        environ: the environment's settings.

    Raises:
        NotSetUp: the model lacks a key or a package, or nothing is named and there is no cue sheet.
        CueSheetRefused: the cue sheet cannot be read, or does not fit the agent's tools and stages.
    """
    setting = named or environ.get(_MODEL, "").strip() or getattr(found.make, "model", None) or UNDERSTUDY
    if setting != UNDERSTUDY:
        return resolve_model(setting)
    sheet = sheet_of(found)
    if sheet is not None:
        return Understudy(sheet)
    raise NotSetUp(
        f"Nothing can answer for {found.name} yet. Name a model, as in {_MODEL}=openai:gpt-5-mini (or --model), or "
        f"write what the Understudy shall say in {short_path(found.sheet, Path.cwd())}."
    )


def sheet_of(found: FoundAgent) -> CueSheet | None:
    """Give the agent's cue sheet; None where it has none.

    Raises:
        CueSheetRefused: the cue sheet cannot be read, or does not fit the agent's tools and stages.
    """
    if not found.sheet.is_file():
        return None
    sheet = CueSheet.load(found.sheet)
    if isinstance(found.make, type) and issubclass(found.make, Agent):
        sheet.check(found.make)
    return sheet
