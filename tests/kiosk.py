"""An agent with goldens, for the tests of `cuelight test`."""

from pathlib import Path
from textwrap import dedent

AGENT = '''
    """A kiosk that sells tickets."""

    import asyncio
    from datetime import date
    from typing import Literal

    import prices
    from cuelight import Agent, tool


    class Kiosk(Agent):
        """You sell tickets."""

        stage: Literal["ask", "done"] = "ask"
        tickets: int = 0
        day: str = ""

        def __init__(self, today: date = date(2026, 1, 1)) -> None:
            super().__init__()
            self.day = today.isoformat()

        @tool(stage="ask")
        def sell(self, tickets: int) -> str:
            """Sells tickets."""
            self.tickets, self.stage = tickets, "done"
            return f"{tickets * prices.ONE} euros"

        @tool(stage="done")
        async def wait(self) -> None:
            """Waits for ever."""
            await asyncio.Event().wait()

        def render(self) -> str:
            return f"Today is {self.day}."
'''

CUES = """
    [slot.tickets]
    kind = "number"
    ask = "How many tickets?"

    [[cue]]
    stage = "ask"
    call = "sell"
    with = { tickets = "{tickets}" }

    [[after]]
    tool = "sell"
    say = "That is {result}."

    [[cue]]
    stage = "done"
    hears = "wait"
    call = "wait"

    [fallback]
    done = "Goodbye."
"""

BUYS = """
    name: Buys two
    turns:
      - say: two please
        then:
          - tool: sell
            args: {tickets: 2}
            result: 6 euros
          - stage: done
"""


def kiosk(folder: Path, one: int = 3) -> Path:
    """Write the agent into a folder; gives where its goldens go."""
    write(folder / "agent.py", AGENT)
    write(folder / "cues.toml", CUES)
    write(folder / "prices.py", f"ONE = {one}\n")
    return folder / "goldens"


def write(file: Path, text: str) -> Path:
    """Write a file, and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    return file
