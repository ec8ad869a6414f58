"""Finding a hotel as a flow: explore the town, see what fits, compare, book, and back again as often as one likes.

What leads where stands in the handlers: each returns a route, `go(...)`, `stay(...)` or `direct(...)`, or else a plain
value, after which the conversation stays where it is. `cuelight graph examples/hotel` draws the map of it.
"""

from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from hotels import HOTELS, RULES, District, Filter, Filters, Listing, Topic, advice, fitting, listing, numbered, table
from reservations import Booking, Reservations, counted, spoken

from cuelight import Flow, HttpContentType, Route, Step, TerminateSessionStep, direct, go, stay, tool

__all__ = ["Book", "Compare", "Explore", "Hotel", "Present"]

SHORTLIST = 5
ROOM_FOR = 4


@dataclass(frozen=True)
class Matches:
    """How many hotels fit what is looked for by now."""

    count: int
    looked_for: list[str]


class Explore(Step["Hotel"]):
    """Find out what the caller looks for. A filter stays until it is changed or dropped, for the next search too."""

    filters: Filters = Filters()

    def get_prompt(self) -> str:
        wished = ", ".join(self.filters.words().values()) or "anything"
        count = len(fitting(self.filters))
        return (
            "Find out what matters to the caller, and set it as filters. Do not ask for all of them: once they have "
            "named one or two, show the results.\n"
            f"Looked for: {wished}. {f'Hotels that fit: {count}.' if count else advice(self.filters)}"
        )

    def on_crossing(self, message: str | None, prior: Step[Any]) -> str | None:
        """Tell the model what the words are that a route brings: this caller has been here before."""
        if message is None:
            return None
        return f'The caller has seen the hotels, and says: "{message}". Set the filters by that, then show the results.'

    # The calls of one reply run in the order written, so each finds what those before it have set.
    @tool
    def filter_hotels(
        self,
        max_price: int | None = None,
        min_stars: int | None = None,
        district: District | None = None,
        breakfast: bool | None = None,
        pets: bool | None = None,
        sea_view: bool | None = None,
    ) -> Matches:
        """Sets filters, as soon as the caller names any. What is left out stays as it was.

        Args:
            max_price: the most they would pay for a night, in euros.
            min_stars: the fewest stars.
            district: where in town.
            breakfast: whether it must be included.
            pets: whether pets must be welcome.
            sea_view: whether it must have a view of the sea.
        """
        self.filters = self.filters.changed({
            "max_price": max_price, "min_stars": min_stars, "district": district,
            "breakfast": breakfast, "pets": pets, "sea_view": sea_view,
        })  # fmt: skip
        return self._matches()

    @tool
    def drop_filters(self, filters: list[Filter] | None = None) -> Matches:
        """Drops filters that no longer matter.

        Args:
            filters: which; leave it out for all of them.
        """
        self.filters = Filters() if filters is None else self.filters.without(filters)
        return self._matches()

    @tool
    def show_results(self) -> Route:
        """Shows the hotels that fit what the caller looks for."""
        found = [hotel.name for hotel in fitting(self.filters)]
        if not found:
            return stay(f"{advice(self.filters)} Say so, and ask whether to drop it.")
        return go(Present).with_state(shortlist=found[:SHORTLIST], found=len(found))

    def _matches(self) -> Matches:
        return Matches(len(fitting(self.filters)), list(self.filters.words().values()))


class Choice(Step["Hotel"]):
    """Be a step in which a hotel of the shortlist can be chosen: the two steps below share what this one holds."""

    @tool
    def choose(self, hotel: str) -> Route:
        """Takes the hotel that the caller wants to book.

        Args:
            hotel: its name.
        """
        shortlist = self.flow.step(Present).shortlist
        chosen = listing(hotel, shortlist)
        if chosen is None:
            return stay(f"{hotel} is not on the shortlist: {', '.join(shortlist)}. Ask which of these it shall be.")
        return go(Book).with_state(hotel=chosen.name)


class Present(Choice):
    """Tell the caller what was found."""

    shortlist: list[str] = []
    found: int = 0

    def get_prompt(self) -> str:
        return (
            "Tell the caller about the hotels of the shortlist, in a sentence or two. Then help them to compare some, "
            "choose one, or search again.\n"
            f"Hotels that fit: {self.found}. On the shortlist, the cheapest first: {numbered(self.shortlist)}."
        )

    @tool
    def search_again(self, wish: str) -> Route:
        """Searches again, when the caller wants other hotels than these.

        Args:
            wish: what they want instead, in their own words.
        """
        return go(Explore).with_message(wish)

    @tool
    def compare(self, hotels: list[str]) -> Route:
        """Puts hotels of the shortlist side by side.

        Args:
            hotels: the names of two or more.
        """
        found = {name: listing(name, self.shortlist) for name in hotels}
        if unknown := [name for name, hotel in found.items() if hotel is None]:
            shortlist = ", ".join(self.shortlist)
            return stay(f"{', '.join(unknown)} is not on the shortlist: {shortlist}. Ask which of these to compare.")
        names = list(dict.fromkeys(hotel.name for hotel in found.values() if hotel is not None))
        if len(names) < 2:
            return stay("It takes two hotels to compare. Ask which other one.")
        return go(Compare).with_state(hotels=names)


class Compare(Choice):
    """Show hotels side by side. Every cell counts, so code writes the table, and no model retells it."""

    hotels: list[str] = []

    def get_prompt(self) -> str:
        return (
            "Show the table; it goes to the caller as it is. After that help them to choose. To compare others, or to "
            "search again, go back to the results.\n"
            f"Side by side: {numbered(self.hotels)}."
        )

    @tool(effect="read")
    def show_table(self) -> Route:
        """Shows the caller the hotels side by side, as a table."""
        shown = f"{table(self._listings())}\n\nWhich one shall it be, or shall we go back to the results?"
        return direct(shown).with_content_type(HttpContentType.MARKDOWN)

    @tool(effect="read")
    def comparison_as_json(self) -> Route:
        """Gives the comparison as JSON, to a program or to whoever asks for data."""
        hotels = [asdict(hotel) for hotel in self._listings()]
        return direct({"currency": "EUR", "hotels": hotels}).with_content_type(HttpContentType.JSON)

    @tool
    def back_to_results(self) -> Route:
        """Goes back to the shortlist, which is as it was."""
        return go(Present)

    def _listings(self) -> list[Listing]:
        return [hotel for hotel in HOTELS if hotel.name in self.hotels]


class Book(Step["Hotel"]):
    """Learn when they come, for how long, and how many they are; then book it, with their yes.

    The three come in any order, in one sentence or in several, and stay when another hotel is chosen. So whether the
    hotel has room is found out anew each time it matters, and not remembered.
    """

    hotel: str = ""
    arrival: date | None = None
    nights: int | None = None
    guests: int | None = None

    @property
    def ready(self) -> bool:
        return not (self._missing() or self._conflict())

    def get_prompt(self) -> str:
        hotel = f"The caller wants to book {self.hotel}, {self._listing().price} euros a night. {self._free()}"
        if conflict := self._conflict():
            return f"{hotel}\n{conflict}"
        if missing := self._missing():
            return f"{hotel}\nFind out the {', the '.join(missing)}, and record each as soon as you hear it."
        return f"{hotel}\nReady to book: {self._stay()}. Book it: the caller is asked for a yes to it by itself."

    @tool
    def plan_stay(self, arrival: date | None = None, nights: int | None = None, guests: int | None = None) -> Route:
        """Records the stay. What was recorded before stays.

        Args:
            arrival: the day they arrive.
            nights: how many nights they stay.
            guests: how many they are.
        """
        reservations = self.flow.reservations()
        if arrival is not None and arrival < reservations.today():
            return stay("That day is past. Ask for a day that is still to come.")
        if nights is not None and not 1 <= nights <= reservations.LONGEST:
            return stay(f"A stay has one to {reservations.LONGEST} nights. Say so, and ask again how many.")
        if guests is not None and not 1 <= guests <= ROOM_FOR:
            return stay(f"A room is for one to {ROOM_FOR} guests. Say so, and ask again how many.")
        said = {"arrival": arrival, "nights": nights, "guests": guests}
        self.save_state({name: value for name, value in said.items() if value is not None})
        return stay(self._conflict())  # without a conflict, the standard message

    def _asked(self) -> str:
        return f"Shall I book {self._stay()}?"

    # It books the step's state, which the phrase tells whole: once that has changed, an older yes books nothing.
    @tool(when=lambda step: step.ready, confirm=_asked, effect="irreversible")
    def book(self) -> Route:
        """Books the stay. The caller hears it first, and is asked for their yes, by itself."""
        if not (self.arrival and self.nights and self.guests):  # never so, says `when`; a type checker cannot know
            return stay("Find out what is missing first.")
        # However often this very call is tried, its key is the same, and the stay is booked once.
        key = self.call.tool.key
        booking = self.flow.reservations().book(self._listing(), self.arrival, self.nights, self.guests, key=key)
        self.flow.booking = booking
        return go(TerminateSessionStep).with_prompt(
            f"It is booked: {self._stay()}, reference {booking.reference}. Say so, wish them a good stay, and goodbye."
        )

    @tool
    def back_to_results(self) -> Route:
        """Goes back to the shortlist, for another hotel. What is known of the stay is kept."""
        return go(Present)

    def _listing(self) -> Listing:
        return next(hotel for hotel in HOTELS if hotel.name == self.hotel)

    def _missing(self) -> list[str]:
        known = {"day of arrival": self.arrival, "number of nights": self.nights, "number of guests": self.guests}
        return [name for name, value in known.items() if value is None]

    def _conflict(self) -> str | None:
        """Say why the hotel has no room for that stay, if it has none."""
        if self.arrival is None or self.nights is None:
            return None
        free = self.flow.reservations().free_nights(self._listing(), self.arrival)
        if free >= self.nights:
            return None
        too_few = f"{counted(free, 'free night')} in a row, not {self.nights}"
        return (
            f"From {spoken(self.arrival)} on, {self.hotel} has {too_few}. Ask for another day, for fewer nights, or "
            "whether they would rather see the other hotels."
        )

    def _free(self) -> str:
        return f"Free nights there: {', '.join(self._listing().free_nights)}."

    def _stay(self) -> str:
        arrival, nights, guests = self.arrival or date.max, self.nights or 0, self.guests or 0
        total = f"{self._listing().price * nights} euros in all"
        return f"{self.hotel} from {spoken(arrival)}, {counted(nights, 'night')}, {counted(guests, 'guest')}, {total}"


class Hotel(Flow):
    """You help callers to find and to book a hotel in Merrowmouth, a small town by the sea. Be warm and brief."""

    rules = (
        "Name hotels and prices only as they are given to you here, or in a tool's result.",
        "Only say that something is booked when these instructions say so.",
    )
    knowledge = (
        "Merrowmouth has four districts: Harbour, Old Town, Beach and Hillside.",
        f"There are {len(HOTELS)} hotels, from {HOTELS[0].price} to {HOTELS[-1].price} euros a night.",
    )

    steps = (Explore, Present, Compare, Book, TerminateSessionStep)  # which there are; what leads where, handlers say

    booking: Booking | None = None

    def __init__(self, reservations: Reservations | None = None, today: date | None = None) -> None:
        # A service is no state: it is in no log, and a call that is taken up again is given it anew.
        clock = date.today if today is None else lambda: today
        self._reservations = Reservations(clock) if reservations is None else reservations

    def reservations(self) -> Reservations:
        """Give the booking system: what a flow was given, its steps use."""
        return self._reservations

    def on_call(self) -> None:
        self.call.speak("Merrowmouth Hotels, good day! What matters to you: price, district, breakfast, a sea view?")

    # A flow's own tools are there in every step, unless they name theirs.

    @tool(effect="read")
    def house_rules(self, topic: Topic) -> str:
        """What goes for all hotels of the town.

        Args:
            topic: what the caller asks about.
        """
        return RULES[topic]

    @tool
    def goodbye(self) -> Route:
        """Ends the call, once the caller needs nothing more."""
        return go(TerminateSessionStep).with_prompt("Nothing is booked. Thank them for their call, and say goodbye.")

    def render(self) -> str:
        today = self._reservations.today()
        return f"Today is {spoken(today)} {today.year} ({today})."
