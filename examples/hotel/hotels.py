"""The hotels of Merrowmouth, and what a caller may look for in one. Invented, all of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

__all__ = [
    "EVERY_NIGHT",
    "HOTELS",
    "RULES",
    "District",
    "Filter",
    "Filters",
    "Listing",
    "Topic",
    "advice",
    "fitting",
    "listing",
    "numbered",
    "table",
]

District = Literal["Harbour", "Old Town", "Beach", "Hillside"]
Night = Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
Filter = Literal["max_price", "min_stars", "district", "breakfast", "pets", "sea_view"]
Topic = Literal["check-in", "cancelling", "payment", "children", "smoking"]


@dataclass(frozen=True)
class Listing:
    """One hotel of the town. The price is in euros, for a night; `free_nights` are those of a week with rooms left."""

    name: str
    district: District
    stars: int
    price: int
    breakfast: bool
    pets: bool
    sea_view: bool
    free_nights: tuple[Night, ...]


EVERY_NIGHT: tuple[Night, ...] = get_args(Night)
SUN_TO_THU: tuple[Night, ...] = ("Sun", "Mon", "Tue", "Wed", "Thu")
FRI_AND_SAT: tuple[Night, ...] = ("Fri", "Sat")

HOTELS = (  # the cheapest first
    Listing("Compass", "Old Town", 2, 52, False, False, False, EVERY_NIGHT),
    Listing("Mermaid", "Beach", 2, 61, False, True, False, EVERY_NIGHT),
    Listing("Juniper", "Hillside", 3, 69, True, True, False, EVERY_NIGHT),
    Listing("Quince", "Old Town", 3, 74, False, True, False, SUN_TO_THU),
    Listing("Anchor", "Harbour", 3, 78, False, True, True, EVERY_NIGHT),
    Listing("Gull", "Harbour", 3, 84, True, False, True, SUN_TO_THU),
    Listing("Driftwood", "Beach", 3, 95, True, True, True, SUN_TO_THU),
    Listing("Lantern", "Old Town", 4, 118, True, False, False, FRI_AND_SAT),
    Listing("Lighthouse", "Harbour", 4, 132, True, False, True, SUN_TO_THU),
    Listing("Heron", "Beach", 4, 145, True, True, True, EVERY_NIGHT),
    Listing("Pearl", "Old Town", 5, 185, True, False, False, EVERY_NIGHT),
    Listing("Belvedere", "Hillside", 5, 210, True, False, True, FRI_AND_SAT),
)

RULES: dict[Topic, str] = {
    "check-in": "Check-in is from three in the afternoon, check-out until eleven.",
    "cancelling": "A booking can be cancelled free of charge until the day before arrival.",
    "payment": "You pay at the hotel, by card or in cash; nothing is charged before.",
    "children": "Children under six stay free of charge in their parents' room.",
    "smoking": "No hotel in town allows smoking indoors.",
}


@dataclass(frozen=True)
class Filters:
    """What a hotel must have. A filter that is None, or false, asks for nothing."""

    max_price: int | None = None
    min_stars: int | None = None
    district: District | None = None
    breakfast: bool = False
    pets: bool = False
    sea_view: bool = False

    def fit(self, hotel: Listing) -> bool:
        """Tell whether a hotel has all of it."""
        return (
            (self.max_price is None or hotel.price <= self.max_price)
            and (self.min_stars is None or hotel.stars >= self.min_stars)
            and (self.district is None or hotel.district == self.district)
            and (hotel.breakfast or not self.breakfast)
            and (hotel.pets or not self.pets)
            and (hotel.sea_view or not self.sea_view)
        )

    def changed(self, named: Mapping[str, Any]) -> "Filters":
        """Set some of the filters; None leaves one as it was."""
        return Filters(**asdict(self) | {name: value for name, value in named.items() if value is not None})

    def without(self, names: Iterable[Filter]) -> "Filters":
        """Drop some of the filters."""
        return Filters(**{name: value for name, value in asdict(self).items() if name not in set(names)})

    def words(self) -> dict[Filter, str]:
        """Name the filters that are set, each with what it asks for."""
        asked: dict[Filter, str | None] = {
            "max_price": None if self.max_price is None else f"at most {self.max_price} euros",
            "min_stars": None if self.min_stars is None else f"{self.min_stars} stars or more",
            "district": None if self.district is None else f"district {self.district}",
            "breakfast": "breakfast included" if self.breakfast else None,
            "pets": "pets welcome" if self.pets else None,
            "sea_view": "a view of the sea" if self.sea_view else None,
        }
        return {name: words for name, words in asked.items() if words is not None}


def fitting(filters: Filters) -> list[Listing]:
    """Find the hotels that have all of what is asked for, the cheapest first."""
    return [hotel for hotel in HOTELS if filters.fit(hotel)]


def advice(filters: Filters) -> str:
    """Say which filter to give up where nothing fits: the one without which the most hotels do."""
    words = filters.words()
    without = {name: len(fitting(filters.without([name]))) for name in words}
    best = max(without, key=lambda name: without[name])
    if not without[best]:
        return "Nothing fits, whichever filter is dropped; drop all of them."
    return f"Nothing fits. Without {best} ({words[best]}) there would be {without[best]}."


def listing(name: str, among: Iterable[str]) -> Listing | None:
    """Find a hotel by its name, as callers say it, among those that are spoken of."""
    said = {word.strip(".,!?").casefold() for word in name.split()}
    return next((hotel for hotel in HOTELS if hotel.name in among and hotel.name.casefold() in said), None)


def numbered(names: Sequence[str]) -> str:
    """List hotels, each with what a caller asks about first."""
    hotels = [hotel for hotel in HOTELS if hotel.name in names]
    return "; ".join(
        f"{number}. {hotel.name}, {hotel.price} euros, {hotel.stars} stars, {hotel.district}"
        for number, hotel in enumerate(hotels, 1)
    )


def table(hotels: Sequence[Listing]) -> str:
    """Write hotels side by side, as a table in Markdown."""
    cells: dict[str, Callable[[Listing], str]] = {
        "": lambda hotel: hotel.name,
        "a night": lambda hotel: f"{hotel.price} euros",
        "stars": lambda hotel: str(hotel.stars),
        "district": lambda hotel: hotel.district,
        "breakfast": lambda hotel: "included" if hotel.breakfast else "no",
        "pets": lambda hotel: "welcome" if hotel.pets else "no",
        "sea view": lambda hotel: "yes" if hotel.sea_view else "no",
        "free nights": lambda hotel: " ".join(hotel.free_nights),
    }
    head, *rest = [[name, *map(of, hotels)] for name, of in cells.items()]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rest))
