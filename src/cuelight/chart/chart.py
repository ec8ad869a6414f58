"""The chart of an agent: its places, what each shows, and every route between them. Plain data, one JSON object."""

from typing import Literal

import msgspec

from cuelight.agent import Effect

__all__ = ["Chart", "ChartJudge", "ChartRoute", "ChartTool", "Place", "PlaceKind", "RouteKind"]

PlaceKind = Literal["agent", "stage", "step", "logic", "end"]
RouteKind = Literal["go", "class", "assignment", "end"]


class ChartTool(msgspec.Struct, frozen=True, kw_only=True):
    """Hold one tool of an agent, of a flow or of one of its steps."""

    name: str
    """What the model calls it."""
    owner: str
    """The step whose tool it is; else the agent."""
    effect: Effect
    conditional: bool
    """Whether its `when` may hide it in the places that show it."""
    confirm: bool
    """Whether the caller is asked before it runs."""
    file: str | None
    line: int | None

    @property
    def notes(self) -> list[str]:
        """What pictures say of it."""
        return [self.effect] * (self.effect != "write") + ["when"] * self.conditional + ["confirm"] * self.confirm


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Hold one place that a conversation can be in."""

    name: str
    kind: PlaceKind
    """A stage of an agent; a step, a step of code alone, or one that ends the call; or an agent that has no stages."""
    initial: bool
    """Whether a conversation opens there."""
    tools: tuple[ChartTool, ...]
    """In the order they are declared, a step's own before the flow's."""
    file: str | None
    line: int | None

    @property
    def talks(self) -> bool:
        """Whether a model is asked there that may call tools."""
        return self.kind in ("agent", "stage", "step")


class ChartRoute(msgspec.Struct, frozen=True, kw_only=True, rename={"origins": "from", "target": "to"}):
    """Hold one route as it stands in the code: one line of it, and everything that it may join."""

    origins: tuple[str, ...]
    """The places it starts from: all that show the tool, or have the hook."""
    target: str | None
    """The place it leads to, which need not exist; None where that is computed at run time, or where the call ends."""
    via: str
    """The tool, by the name the model calls it, or the hook that takes it."""
    owner: str
    """The step whose tool or hook that is; else the agent."""
    kind: RouteKind
    """`go(...)`, a Step class returned bare, an assignment to `stage`, or `call.end()`."""
    computed: bool
    """Whether only running the code tells where it leads."""
    file: str | None
    line: int | None
    """None where the code has no source."""


class ChartJudge(msgspec.Struct, frozen=True, kw_only=True):
    """Hold the author's own `consents`, which judges yes and no in the place of the lists."""

    owner: str
    """The class that has it."""
    file: str | None
    line: int | None


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """Hold the map of one agent's class."""

    agent: str
    places: tuple[Place, ...]
    """In the order they are declared."""
    tools: tuple[ChartTool, ...]
    """All that are declared, also those that no place shows."""
    routes: tuple[ChartRoute, ...]
    """The agent's own first, then by place, in the order they are written."""
    judge: ChartJudge | None = None
    """None where the lists judge."""
    file: str | None
    line: int | None

    @property
    def initial(self) -> str:
        """The name of the place that a conversation opens in."""
        return next(place.name for place in self.places if place.initial)
