"""The town's booking system, in memory: which nights are free, and who has booked."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from hotels import EVERY_NIGHT, Listing

__all__ = ["Booking", "Reservations", "counted", "spoken"]


@dataclass(frozen=True)
class Booking:
    """A stay that is booked."""

    reference: str
    hotel: str
    arrival: date
    nights: int
    guests: int
    total: int


class Reservations:
    """Know what is free, and take bookings.

    Args:
        today: tells the day it is; nobody can arrive before it.
    """

    LONGEST = 14

    def __init__(self, today: Callable[[], date] = date.today) -> None:
        self.today = today
        self.bookings: dict[str, Booking] = {}

    def free_nights(self, hotel: Listing, arrival: date) -> int:
        """Count the nights in a row, from a day on, on which a hotel has rooms left; from a day that is past, none."""
        if arrival < self.today():
            return 0
        nights = (EVERY_NIGHT[(arrival + timedelta(days=number)).weekday()] for number in range(self.LONGEST))
        return next((count for count, night in enumerate(nights) if night not in hotel.free_nights), self.LONGEST)

    def book(self, hotel: Listing, arrival: date, nights: int, guests: int, *, key: str) -> Booking:
        """Book a stay; the same key books once, however often it comes."""
        if key not in self.bookings:
            reference = f"MM-{len(self.bookings) + 1:03d}"
            self.bookings[key] = Booking(reference, hotel.name, arrival, nights, guests, hotel.price * nights)
        return self.bookings[key]


def spoken(day: date) -> str:
    """Write a day as one says it."""
    return f"{day:%A} {day.day} {day:%B}"


def counted(number: int, what: str) -> str:
    """Write a number of things as one says it: "1 night", "2 nights"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
