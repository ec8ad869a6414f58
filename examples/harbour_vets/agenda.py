"""The practice's own systems, in memory: who its clients are, and which times are free. Invented, all of it."""

from dataclasses import dataclass
from datetime import date, time, timedelta

__all__ = ["Agenda", "Booking", "Owner", "Registry"]


@dataclass(frozen=True)
class Owner:
    """Somebody the practice knows, with the animal they come with."""

    name: str
    phone: str
    pet: str


@dataclass(frozen=True)
class Booking:
    """An appointment that stands in the agenda."""

    day: date
    time: time
    pet: str
    reference: str


class Registry:
    """Know the practice's clients."""

    def __init__(self) -> None:
        self._owners = [
            Owner("Ada Byrne", "600123456", "Pixel, a tabby cat"),
            Owner("Tom Okafor", "600987654", "Biscuit, a beagle"),
            Owner("Mei Lindqvist", "600555010", "Olive, a rabbit"),
        ]

    def look_up(self, name: str, phone: str) -> Owner | None:
        """Find a client by full name and phone number; both must be right."""
        for owner in self._owners:
            if owner.name.casefold() == " ".join(name.split()).casefold() and owner.phone == _digits(phone):
                return owner
        return None

    def register(self, name: str, phone: str, pet: str) -> Owner:
        """Add a new client."""
        owner = Owner(" ".join(name.split()), _digits(phone), pet)
        self._owners.append(owner)
        return owner


class Agenda:
    """Know which times are free: four a day, none on Sundays, and Fridays are always full.

    Args:
        today: the first day there is; nothing can be booked before tomorrow.
    """

    TIMES = (time(9, 0), time(10, 30), time(14, 0), time(16, 30))
    DAYS_AHEAD = 60

    def __init__(self, today: date) -> None:
        self.today = today
        self._taken: dict[tuple[date, time], str] = {}
        self._count = 0

    def closed(self, day: date) -> str | None:
        """Say why nothing can be booked on a day, or None where something could."""
        if day <= self.today:
            return "that day is over; the first that can be booked is tomorrow"
        if day > self.today + timedelta(days=self.DAYS_AHEAD):
            return f"the agenda is open for the next {self.DAYS_AHEAD} days only"
        if day.isoweekday() == 7:
            return "the practice is closed on Sundays"
        return None

    def free(self, day: date) -> list[time]:
        """Give the times that are free on a day."""
        if self.closed(day) or day.isoweekday() == 5:
            return []
        return [at for at in self.TIMES if (day, at) not in self._taken]

    def next_free_day(self, after: date) -> date | None:
        """Give the first later day with a free time."""
        days = (after + timedelta(days=n) for n in range(1, self.DAYS_AHEAD))
        return next((day for day in days if self.free(day)), None)

    def book(self, day: date, at: time, pet: str, key: str) -> Booking:
        """Put an appointment into the agenda; the same key books once, however often it comes."""
        self._count += 1
        self._taken.setdefault((day, at), key)
        return Booking(day, at, pet, f"HV-{self._count:03d}")

    def cancel(self, booking: Booking) -> None:
        """Take an appointment out again."""
        self._taken.pop((booking.day, booking.time), None)


def _digits(phone: str) -> str:
    digits = "".join(character for character in phone if character.isdigit())
    return digits[-9:]
