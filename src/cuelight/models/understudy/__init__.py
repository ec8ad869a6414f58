"""A stand-in for a language model that plays the cues of a sheet."""

from cuelight.models.understudy.sheet import CueSheet
from cuelight.models.understudy.understudy import Understudy

__all__ = ["CueSheet", "Understudy"]
