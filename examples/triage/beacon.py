"""The company's own systems, in memory: the desk's hours, bills, lines, crews. Invented, all of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import count

__all__ = ["Beacon", "Bill", "Entry", "LineCheck"]

_OPENS, _CLOSES = time(8), time(20)
_DAYS_AHEAD = 14


@dataclass(frozen=True)
class Entry:
    """One line of a bill."""

    what: str
    euros: int


@dataclass(frozen=True)
class Bill:
    """What is charged for a month."""

    month: str
    euros: int
    entries: list[Entry]


@dataclass(frozen=True)
class LineCheck:
    """What measuring a line from afar has shown."""

    signal: bool
    since: time
    finding: str


class Beacon:
    """Be the systems behind the line.

    Args:
        now: tells the time.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._numbers = count(1)

    @property
    def now(self) -> datetime:
        """The time at the desk."""
        return self._now()

    @property
    def staffed(self) -> bool:
        """Tell whether people are at the desk."""
        return _OPENS <= self.now.time() < _CLOSES

    @property
    def opens(self) -> datetime:
        """When people will be at the desk next, while nobody is."""
        now = self.now
        return datetime.combine(now.date() + timedelta(days=now.time() >= _CLOSES), _OPENS)

    def bill(self) -> Bill:
        """Look the latest bill up."""
        return Bill("February", 44, [Entry("fibre", 35), Entry("television", 4), Entry("late fee", 5)])

    def check_line(self) -> LineCheck:
        """Measure the line from afar."""
        return LineCheck(False, time(6, 40), "there is no signal behind the cabinet in the street")

    def file(self) -> str:
        """File something for the people who see to it, and give its reference."""
        return f"BB-{next(self._numbers):03}"

    def comes_on(self, day: date) -> bool:
        """Tell whether an engineer can come on a day: from tomorrow on, for two weeks, on no Sunday."""
        return 0 < (day - self.now.date()).days <= _DAYS_AHEAD and day.isoweekday() != 7
