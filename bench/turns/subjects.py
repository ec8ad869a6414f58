"""What is measured: Cuelight's four ways and the other libraries, each at a pinned version."""

import sys
from dataclasses import dataclass

from bench.environments import python_with

__all__ = ["OURS", "PEERS", "Subject"]


@dataclass(frozen=True)
class Subject:
    """One row of the table: a program that holds the conversation and prints its run.

    Args:
        label: how the row is called.
        program: the module and its arguments.
        environment: the folder of its environment, and its name on the command line; None is this one.
        requirement: what is installed there.
    """

    label: str
    program: tuple[str, ...]
    environment: str | None = None
    requirement: str = ""

    def command(self) -> list[str]:
        """Give the command to run, with its environment set up.

        Raises:
            subprocess.CalledProcessError: when the environment cannot be set up.
        """
        python = sys.executable
        if self.environment is not None:
            python = str(python_with(self.environment, self.requirement))
        return [python, "-m", *self.program]


OURS = (
    Subject("Cuelight, memory, `async` tool", ("bench.turns.ours", "memory", "async")),
    Subject("Cuelight, memory, `def` tool", ("bench.turns.ours", "memory", "def")),
    Subject("Cuelight, SQLite, `async` tool", ("bench.turns.ours", "sqlite", "async")),
    Subject("Cuelight, SQLite, `def` tool", ("bench.turns.ours", "sqlite", "def")),
)


def _peer(environment: str, requirement: str, module: str, variant: str = "", *arguments: str) -> Subject:
    label = f"{requirement.replace('==', ' ')}{variant}"
    return Subject(label, (f"bench.turns.peers.{module}", *arguments), environment, requirement)


PEERS = (
    _peer("burr", "apache-burr==0.43", "burr"),
    _peer("pipecat", "pipecat-ai==1.14", "pipecat", ", Flows"),
    _peer("langgraph", "langgraph==1.2.24", "langgraph"),
    _peer("langgraph", "langgraph==1.2.24", "langgraph", ", in-memory saver", "saver"),
    _peer("livekit", "livekit-agents==1.8.9", "livekit_agents"),
    _peer("openai-agents", "openai-agents==0.24.0", "openai_agents"),
    _peer("pydantic-ai", "pydantic-ai-slim==2.68.0", "pydantic_ai"),
)
