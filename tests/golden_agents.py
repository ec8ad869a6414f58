"""An agent with stages and a flow that goldens are written for."""

import asyncio
from datetime import date
from typing import Any, Literal

from pydantic import BaseModel

from cuelight import Agent, Flow, Limits, Step, TerminateSessionStep, ToolFailed, direct, go, state, stay, tool


class Receipt(BaseModel):
    loaves: int
    sorts: list[str]
    card: str


class Bakery(Agent):
    """You sell bread. Warm, brief."""

    limits = Limits(model_requests=4, identical_calls=2, tool_s=0.5)
    fallback_line = "Sorry, I lost the thread."

    stage: Literal["choose", "pay", "done"] = "choose"
    loaves: int = 0
    sorts: list[str] = []
    gift: bool = False
    pin: str = state("", pii=True)

    def __init__(self, today: date | None = None) -> None:
        super().__init__()
        self._today = today

    @property
    def price(self) -> float:
        return self.loaves * 3.0

    def on_call(self) -> None:
        self.call.speak("Good day!")

    @tool(stage="choose")
    def put(self, loaves: int, sort: str = "rye") -> dict[str, Any]:
        """Puts loaves of a sort into the basket."""
        self.loaves += loaves
        self.sorts = [*self.sorts, sort]
        return {"loaves": self.loaves, "sorts": self.sorts, "day": str(self._today)}

    @tool(stage="choose")
    def finish(self) -> None:
        """Closes the basket."""
        self.stage = "pay"

    @tool(stage="choose", effect="read")
    def look(self, sort: str) -> str:
        """Looks whether there is such bread."""
        if sort == "cake":
            raise ToolFailed("We have no cake.")
        if sort == "oven":
            raise RuntimeError("the oven is on fire")
        return f"There is {sort}."

    @tool(stage="pay", pii=("pin", "result.card"))
    def charge(self, pin: str, note: str = "") -> Receipt:
        """Charges the card."""
        self.pin, self.stage = pin, "done"
        return Receipt(loaves=self.loaves, sorts=self.sorts, card="4929 1234 5678")

    @tool(stage="pay", when=lambda agent: agent.loaves >= 10)
    def discount(self) -> str:
        """Gives a discount."""
        return "a euro off"

    @tool(stage="pay", effect="irreversible")
    async def deliver(self) -> None:
        """Sends the bread off, with a courier who never answers."""
        await asyncio.Event().wait()

    @tool
    def hang_up(self) -> None:
        """Ends the call."""
        self.call.end("agent_hung_up")

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        if name == "bread.ready":
            self.gift = bool(data.get("gift"))
            self.call.speak("The bread is ready.")

    def render(self) -> str:
        return f"In the basket: {self.loaves} loaves."


class PartySize(Step["Rental"]):
    """Find out how many people come along."""

    people: int | None = None

    @tool
    def record_party(self, people: int) -> Any:
        """Records how many people come along."""
        if not 1 <= people <= 12:
            return stay("Our boats take one to twelve people.")
        self.people = people
        return go(PickBoat).with_tool_feedback("Recorded.").with_state(hint=f"for {people}")

    @tool
    def show_prices(self) -> Any:
        """Shows the prices."""
        return direct("An hour is 10 euros.")


class PickBoat(Step["Rental"]):
    """Find out which boat they want."""

    hint: str = ""
    boat: str | None = None

    @property
    def is_chosen(self) -> bool:
        return self.boat is not None

    @tool
    def record_boat(self, boat: str) -> Any:
        """Records the boat."""
        if boat == "submarine":
            return go("Submarine")
        self.boat = boat
        return go(Payment)

    @tool(effect="read")
    def list_boats(self) -> list[str]:
        """Lists the boats."""
        return ["Petrel", "Heron"]


class Payment(Step["Rental"]):
    """Take the payment."""

    waits = True
    code: str = state("", pii=True)

    @tool(pii="code")
    def pay(self, code: str) -> Any:
        """Pays with a code."""
        self.code = code
        return go(TerminateSessionStep)


class Rental(Flow):
    """You rent out boats at the harbour."""

    steps = (PartySize, PickBoat, Payment, TerminateSessionStep)
    guest: str = ""

    @tool(stage=("PartySize", "PickBoat"))
    def note_guest(self, guest: str) -> str:
        """Notes who is calling."""
        self.guest = guest
        return "noted"
