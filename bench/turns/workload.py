"""The conversation every library runs: the same words, tools, stages and checks, and one clock.

A parcel desk. In each turn the caller asks for a parcel, the model calls `find_parcel` and then answers with one line.
Every tenth parcel changes the stage, and with it the second tool that the model may call. The model answers at once
and in one piece, so that what is timed is the library.

Only the standard library is imported here: the peers run this in environments of their own.
"""

import json
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

__all__ = ["STAGE_EVERY", "TOOLS", "TURNS", "VISIBLE", "Desk", "Run", "read_run"]

TURNS = 200
STAGE_EVERY = 10
VISIBLE = {"arriving": ("find_parcel", "redirect"), "arrived": ("find_parcel", "hand_over")}
TOOLS = {
    "find_parcel": "Look up where a parcel is, by its number.",
    "redirect": "Send a parcel to another address.",
    "hand_over": "Give a parcel to the person who asks for it.",
}
_OFFERS = {stage: frozenset(names) for stage, names in VISIBLE.items()}


@dataclass
class Run:
    """One conversation, measured and checked.

    `stale` counts requests for which the model was still offered the tools of the stage before; `faults` says what was
    not done as it should be, and a run with faults measures nothing.
    """

    seconds: list[float] = field(default_factory=list)
    stale: int = 0
    faults: list[str] = field(default_factory=list)

    def write(self) -> None:
        """Print the run as the last line of the output."""
        print("\n" + json.dumps(self.__dict__))


def read_run(output: str) -> Run:
    """Read what `Run.write` printed, whatever else was printed before."""
    return Run(**json.loads(output.strip().splitlines()[-1]))


class Desk:
    """Play the world around the library: the caller, the tools' inside, and what the model says; and watch it all."""

    def __init__(self, turns: int = TURNS) -> None:
        self.turns = turns
        self.number = 0
        self.stage = "arriving"
        self.run = Run()
        self._found: list[int] = []
        self._requests = 0

    # --- the inside of the tools --------------------------------------------------------------------------------------

    def find(self, number: int) -> str:
        """Do what `find_parcel` does; every tenth time the desk's stage is another one afterwards."""
        self._found.append(number)
        if len(self._found) % STAGE_EVERY == 0:
            self.stage = "arrived" if self.stage == "arriving" else "arriving"
        return f"Parcel {number} lies on shelf {number % 7}."

    # --- the model ----------------------------------------------------------------------------------------------------

    def offer(self, names: Iterable[str]) -> None:
        """Note which tools a request offers to the model."""
        self._requests += 1
        offered = frozenset(names)
        if offered == _OFFERS[self.stage]:
            return
        if offered in _OFFERS.values():
            self.run.stale += 1
        else:
            self.run.faults.append(f"turn {self.number}: the model was offered {sorted(offered)}")

    @property
    def call_id(self) -> str:
        """The id of the tool call that the model makes in this turn."""
        return f"c{self.number}"

    @property
    def arguments(self) -> dict[str, int]:
        """The arguments of that call."""
        return {"number": self.number}

    @property
    def answer(self) -> str:
        """What the model says once it has read the tool's result."""
        return f"Your parcel {self.number} lies on shelf {self.number % 7}, come by any time."

    # --- the caller ---------------------------------------------------------------------------------------------------

    async def drive(self, say: Callable[[str], Awaitable[object]]) -> Run:
        """Hold the conversation, timing each turn, and check after each that all of it happened.

        Args:
            say: runs one turn of the library: the caller's words in, the reply's words out.
        """
        run = self.run
        for number in range(1, self.turns + 1):
            self.number = number
            words = f"Good morning, I am waiting for parcel {number}, where is it?"
            began = time.perf_counter()
            reply = await say(words)
            run.seconds.append(time.perf_counter() - began)
            if reply != self.answer:
                run.faults.append(f"turn {number}: the answer was {reply!r}")
            if self._found != list(range(1, number + 1)):
                run.faults.append(f"turn {number}: the tool had run for {self._found[-3:]}")
            if self._requests != 2 * number:
                run.faults.append(f"turn {number}: the model had been asked {self._requests} times")
            if run.faults:
                break
        return run
