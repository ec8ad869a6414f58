"""A real model's replies in a file: recorded once, replayed without a network."""

from cuelight.models.cassette.cassette import Cassette
from cuelight.models.cassette.recording import Recording
from cuelight.models.cassette.replay import Replay

__all__ = ["Cassette", "Recording", "Replay"]
