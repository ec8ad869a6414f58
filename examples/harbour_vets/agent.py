"""The front desk of a vet: who is calling, which day, which time, done. Code decides when each of these may happen."""

from datetime import date, time
from typing import Any, Literal

from agenda import Agenda, Booking, Owner, Registry

from cuelight import Agent, ToolFailed, state, tool


class HarbourVets(Agent):
    """You are the front desk of Harbour Vets, a small practice for small animals, on the phone.

    Be warm and brief: one or two sentences, one question at a time.
    """

    rules = (
        "Only say that something is booked, changed or cancelled when a tool's result says so.",
        "Give no medical advice. In an emergency tell the caller to come at once: the door is always open.",
    )
    knowledge = (
        "Harbour Vets, 3 Quay Street. Open Monday to Saturday, 9:00 to 17:30.",
        "A check-up costs 45 euros. Payment is at the desk.",
    )

    stage: Literal["identify", "choose", "book", "done"] = "identify"
    owner: Owner | None = state(None, pii=True)
    not_found: int = 0
    day: date | None = None
    times: list[time] = []
    booking: Booking | None = None

    def __init__(self, today: date | None = None) -> None:
        self._registry = Registry()
        self._agenda = Agenda(today or date.today())  # noqa: DTZ011 - the practice's own calendar day

    @property
    def identified(self) -> bool:
        return self.owner is not None

    def on_call(self) -> None:
        self.call.speak("Harbour Vets, good day! May I have your full name and your phone number?")

    # --- who is calling -----------------------------------------------------------------------------------------------

    @tool(stage="identify", pii=("name", "phone", "result.name", "result.phone"))
    def look_up_owner(self, name: str, phone: str) -> Owner | None:
        """Looks up who is calling. Ask for both before you call it.

        Args:
            name: their full name.
            phone: the phone number they are registered with.
        """
        owner = self._registry.look_up(name, phone)
        if owner is None:
            self.not_found += 1
            return None
        self.owner, self.stage = owner, "choose"
        return owner

    @tool(stage="identify", when=lambda desk: desk.not_found > 0, pii=("name", "phone", "result.name", "result.phone"))
    def register_owner(self, name: str, phone: str, pet: str) -> Owner:
        """Registers a new client, when the caller says that they have not been here before.

        Args:
            name: their full name.
            phone: their phone number.
            pet: the animal's name and what it is, as in "Rex, a dog".
        """
        if len([c for c in phone if c.isdigit()]) < 9:
            raise ToolFailed("A phone number has nine digits. Ask for the number again.")
        self.owner, self.stage = self._registry.register(name, phone, pet), "choose"
        return self.owner

    # --- which day, which time ----------------------------------------------------------------------------------------

    @tool(stage=("choose", "book"))
    def free_times(self, day: date) -> dict[str, Any]:
        """The times still free on a day. Use it again for another day whenever the caller changes their mind."""
        reason = self._agenda.closed(day)
        if reason is not None:
            raise ToolFailed(f"Nothing can be booked on {day:%A %-d %B}: {reason}. Ask for another day.")
        self.day, self.times = day, self._agenda.free(day)
        if not self.times:
            self.stage = "choose"
            return {"day": day, "times": [], "next_free_day": self._agenda.next_free_day(day)}
        self.stage = "book"
        return {"day": day, "times": self.times}

    @tool(stage="book", when=lambda desk: desk.times, effect="irreversible")
    def book(self, at: time) -> Booking:
        """Books the appointment at one of the times that are free on the chosen day.

        Args:
            at: the time the caller chose.
        """
        if self.day is None or self.owner is None or at not in self.times:
            raise ToolFailed(f"{at:%H:%M} is not free. Free are {', '.join(f'{t:%H:%M}' for t in self.times)}.")
        self.booking = self._agenda.book(self.day, at, self.owner.pet, self.call.tool.key)
        self.stage = "done"
        return self.booking

    # --- and afterwards -----------------------------------------------------------------------------------------------

    @tool(stage="done")
    def cancel_booking(self) -> str:
        """Takes the appointment back, when the caller wants another time or none."""
        if self.booking is not None:
            self._agenda.cancel(self.booking)
        self.booking, self.day, self.times, self.stage = None, None, [], "choose"
        return "Cancelled. Ask whether they would like another day."

    @tool
    def hang_up(self) -> None:
        """Says goodbye and ends the call, once the caller needs nothing more."""
        self.call.speak("Thank you for calling Harbour Vets. Goodbye!")
        self.call.end()

    # --- what the model knows now -------------------------------------------------------------------------------------

    def render(self) -> str:
        lines = [f"Today is {self._agenda.today:%A %-d %B %Y}."]
        if self.owner is not None:
            lines.append(f"You know who is calling: {self.owner.name}, with {self.owner.pet}. Do not ask again.")
        match self.stage:
            case "identify":
                lines.append("Find out who is calling: full name and phone number, then look them up.")
                if self.not_found:
                    lines.append("They were not found: check the number with them, or register them if they are new.")
            case "choose":
                lines.append("Find out which day suits them, then look for free times.")
            case "book":
                free = ", ".join(f"{at:%H:%M}" for at in self.times)
                lines.append(f"Free on {self.day:%A %-d %B}: {free}. Ask which one, then book it.")
            case "done" if self.booking is not None:
                lines.append(
                    f"Booked: {self.booking.day:%A %-d %B} at {self.booking.time:%H:%M}, reference "
                    f"{self.booking.reference}. Ask whether there is anything else."
                )
        return "\n".join(lines)
