"""The practice's own systems, in memory: who its clients are, and which times are free. Invented, all of it."""

from dataclasses import dataclass
from datetime import date, time, timedelta

__all__ = ["Agenda", "Booking", "FreeTimes", "NoTimes", "Owner", "Registry", "spoken"]


@dataclass(frozen=True)
class Owner:
    """Somebody the practice knows, with the animal they come with."""

    name: str
    phone: str
    pet: str
    animal: str


@dataclass(frozen=True)
class FreeTimes:
    """What is free on a day."""

    day: date
    times: list[time]


@dataclass(frozen=True)
class NoTimes:
    """Why nothing is free on a day, and the next one on which something is."""

    day: date
    because: str
    next_free_day: date | None


@dataclass(frozen=True)
class Booking:
    """An appointment that stands in the agenda."""

    day: date
    time: time
    reference: str


class Registry:
    """Know the practice's clients."""

    def __init__(self) -> None:
        self._owners = [
            Owner("Ada Byrne", "600123456", "Pixel", "cat"),
            Owner("Tom Okafor", "600987654", "Biscuit", "dog"),
            Owner("Mei Lindqvist", "600555010", "Olive", "rabbit"),
        ]

    def look_up(self, name: str, phone: str) -> Owner | None:
        """Find a client by full name and phone number; both must be right."""
        known = (owner for owner in self._owners if owner.phone == _digits(phone))
        return next((owner for owner in known if _plain(owner.name) == _plain(name)), None)

    def register(self, name: str, phone: str, pet: str, animal: str) -> Owner:
        """Add a new client.

        Raises:
            ValueError: the phone number is none.
        """
        if len(_digits(phone)) < 9:
            raise ValueError("A phone number has nine digits.")
        owner = Owner(" ".join(name.split()), _digits(phone), pet, animal)
        self._owners.append(owner)
        return owner


class Agenda:
    """Know which times are free: four a day, none on Sundays, and Fridays are always full.

    Args:
        today: the day it is; nothing can be booked before tomorrow.
    """

    TIMES = (time(9, 0), time(10, 30), time(14, 0), time(16, 30))
    DAYS_AHEAD = 60

    def __init__(self, today: date) -> None:
        self.today = today
        self._taken: dict[tuple[date, time], Booking] = {}
        self._booked: dict[str, Booking] = {}

    def free(self, day: date | None = None) -> FreeTimes | NoTimes:
        """Give what is free on a day, or on the first day that has something.

        Raises:
            ValueError: the agenda has no such day.
        """
        last = self.today + timedelta(days=self.DAYS_AHEAD)
        if day is None:
            day = self._next_free_day(self.today) or last
        if day <= self.today:
            raise ValueError("Appointments can be made from tomorrow on.")
        if day > last:
            raise ValueError(f"Appointments can be made until {spoken(last)}, no later yet.")
        times = self._times(day)
        if times:
            return FreeTimes(day, times)
        because = "the practice is closed on Sundays" if day.isoweekday() == 7 else "it is fully booked"
        return NoTimes(day, because, self._next_free_day(day))

    def book(self, day: date, at: time, key: str) -> Booking:
        """Put an appointment into the agenda; the same key books once, however often it comes."""
        if key not in self._booked:
            self._booked[key] = self._taken[day, at] = Booking(day, at, f"HV-{len(self._booked) + 1:03d}")
        return self._booked[key]

    def cancel(self, booking: Booking) -> None:
        """Take an appointment out again."""
        self._taken.pop((booking.day, booking.time), None)

    def _times(self, day: date) -> list[time]:
        if day.isoweekday() in (5, 7):
            return []
        return [at for at in self.TIMES if (day, at) not in self._taken]

    def _next_free_day(self, after: date) -> date | None:
        ahead = (self.DAYS_AHEAD - (after - self.today).days) + 1
        days = (after + timedelta(days=n) for n in range(1, ahead))
        return next((day for day in days if self._times(day)), None)


def spoken(day: date) -> str:
    """Write a day as one says it."""
    return f"{day:%A} {day.day} {day:%B}"


def _digits(phone: str) -> str:
    """Give the nine digits of a number, whatever stands before them or in between."""
    return "".join(character for character in phone if character.isdigit())[-9:]


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()
