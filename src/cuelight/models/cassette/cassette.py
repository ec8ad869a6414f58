"""The two sides of a cassette."""

from pathlib import Path

from cuelight.models.cassette.recording import Recording
from cuelight.models.cassette.replay import Replay
from cuelight.ports import Model

__all__ = ["Cassette"]


class Cassette:
    """Keep the replies of a real model in a file, so that a conversation runs again without it.

    The file is JSON lines and meant to be read and reviewed. It holds every request and reply in full, private values
    included.
    """

    @staticmethod
    def record(path: str | Path, model: Model, *, again: str | None = None) -> Recording:
        """Give a model that passes requests on to another and keeps what came of them.

        Nothing is written before `save()`, or before the end of a `with` block that no exception leaves.

        Args:
            path: the file; what is there stays as it is until the new recording is whole.
            model: the model that is asked.
            again: how to record anew, a command first. It is written into the file, so no path in it should be
                absolute.
        """
        return Recording(Path(path), model, again)

    @staticmethod
    def replay(path: str | Path, *, again: str | None = None) -> Replay:
        """Give a model that answers as the recorded one did, as long as it is asked the same, in the same order.

        Args:
            path: the file.
            again: the command that records anew, for messages; None is the one in the file.

        Raises:
            NotSetUp: when there is no such file, or it cannot be read.
            CassetteRefused: when it is no cassette, a damaged one, or one of another version.
        """
        return Replay(Path(path), again)
