"""The front desk of a vet: who is calling, which day, which time, done. Code decides when each of these may happen."""

from datetime import date, time
from typing import Literal

from agenda import Agenda, Booking, FreeTimes, NoTimes, Owner, Registry, spoken

from cuelight import Agent, ToolFailed, state, tool

__all__ = ["HarbourVets"]


class HarbourVets(Agent):
    """You are the front desk of Harbour Vets, a small practice for small animals, on the phone.

    Be warm and brief: one or two sentences, one question at a time.
    """

    rules = (
        "Only say that something is booked, changed or cancelled when a tool's result says so.",
        "Give no medical advice. In an emergency tell the caller to come at once: the door is always open.",
    )
    knowledge = (
        "Address: 3 Quay Street, at the old harbour. There is parking behind the house.",
        "Open Monday to Saturday, 9:00 to 17:30.",
        "A check-up costs 45 euros, a vaccination 30. Payment is at the desk, in cash or by card.",
        "An appointment takes twenty minutes.",
        "Patients: cats, dogs, rabbits and other small animals.",
        "Cats and small animals come in a carrier, dogs on a lead.",
    )

    stage: Literal["identify", "choose", "book", "done"] = "identify"
    name: str | None = state(None, pii=True)
    phone: str | None = state(None, pii=True)
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

    @tool(stage="identify", pii=("name", "phone", "result"))
    def look_up_owner(self, name: str | None = None, phone: str | None = None) -> Owner | None:
        """Looks up who is calling. Call it as soon as they give either; what they gave before is remembered.

        Args:
            name: their full name.
            phone: the phone number they are registered with.
        """
        self.name, self.phone = name or self.name, phone or self.phone
        if self.name is None or self.phone is None:
            return None
        self.owner = self._registry.look_up(self.name, self.phone)
        if self.owner is None:
            self.not_found += 1
        else:
            self.stage = "choose"
        return self.owner

    @tool(stage="identify", when=lambda desk: desk.not_found > 0, pii=("pet", "result"))
    def register_owner(self, pet: str, animal: str) -> Owner:
        """Registers a new client under the name and the number they gave, when they say that they are new.

        Args:
            pet: their animal's name.
            animal: what it is, as in "dog".
        """
        if self.name is None or self.phone is None:
            raise ToolFailed("Ask for their full name and their phone number first.")
        try:
            self.owner = self._registry.register(self.name, self.phone, pet, animal)
        except ValueError as refused:
            raise ToolFailed(f"{refused} Ask for theirs again.") from refused
        self.stage = "choose"
        return self.owner

    # --- which day, which time ----------------------------------------------------------------------------------------

    @tool(stage=("choose", "book", "done"))
    def free_times(self, day: date | None = None) -> FreeTimes | NoTimes:
        """The times still free on a day. Use it again whenever the caller wants another; nothing booked is lost by it.

        Args:
            day: the day; leave it out for the first that has a free time.
        """
        found = self._look(day)
        self.day, self.times = found.day, found.times if isinstance(found, FreeTimes) else []
        self.stage = "book" if self.times else "done" if self.booking else "choose"
        return found

    def _look(self, day: date | None) -> FreeTimes | NoTimes:
        try:
            return self._agenda.free(day)
        except ValueError as refused:
            raise ToolFailed(f"{refused} Ask for another day.") from refused

    def _ask_to_book(self, day: date, at: time) -> str:
        """Ask for the yes that `book` needs; what is not free is not asked about."""
        found = self._look(day)
        if isinstance(found, NoTimes):
            raise ToolFailed(f"Nothing is free on {spoken(day)}: {found.because}. Ask for another day.")
        if at not in found.times:
            free = ", ".join(f"{each:%H:%M}" for each in found.times)
            raise ToolFailed(f"{at:%H:%M} is not free on {spoken(day)}. Free are {free}.")
        when = f"{spoken(day)} at {at:%H:%M}"
        return f"Shall I move your appointment to {when}?" if self.booking else f"Shall I book {when} for you?"

    # A yes is to these arguments and to no others, so the day is one of them, although the state knows it.
    @tool(stage="book", when=lambda desk: desk.times, confirm=_ask_to_book, effect="irreversible")
    def book(self, day: date, at: time) -> Booking:
        """Books a free time. The caller is asked for their yes by itself. An appointment made before is given back.

        Args:
            day: the day the caller chose.
            at: the time they chose.
        """
        before = self.booking
        self.booking = self._agenda.book(day, at, self.call.tool.key)
        if before is not None:
            self._agenda.cancel(before)
        self.day, self.times, self.stage = None, [], "done"
        return self.booking

    # --- and afterwards -----------------------------------------------------------------------------------------------

    @tool(when=lambda desk: desk.booking)
    def cancel_booking(self) -> str:
        """Takes the appointment back, when the caller wants none any more."""
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
        today = self._agenda.today
        lines = [f"Today is {spoken(today)} {today.year} ({today})."]
        if self.owner is not None:
            lines.append(
                f"The caller is {self.owner.name}, with {self.owner.pet}, a {self.owner.animal}. Do not ask again."
            )
        if self.booking is not None:
            booked = f"{spoken(self.booking.day)} at {self.booking.time:%H:%M}"
            lines.append(f"Booked: {booked}, reference {self.booking.reference}.")
        lines.append(self._to_do())
        return "\n".join(lines)

    def _to_do(self) -> str:
        match self.stage:
            case "identify" if self.not_found:
                return (
                    "Nobody is registered under that name and number. Check both with them and look them up again, or, "
                    "if they are new here, ask for their animal's name and what it is, and register them."
                )
            case "identify":
                wanted = [what for what, given in (("name", self.name), ("phone number", self.phone)) if given is None]
                return f"Find out who is calling, then look them up. Still needed: {' and '.join(wanted)}."
            case "choose":
                return "Find out which day suits them, then look for free times."
            case "book":
                free = ", ".join(f"{at:%H:%M}" for at in self.times)
                return f"Free on {self.day and spoken(self.day)}: {free}. Ask which one, then book it."
            case "done":
                return "Ask whether there is anything else: another time, or none after all? If not, hang up."
