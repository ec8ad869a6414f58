"""How a slot is picked out of words."""

from datetime import date
from typing import Any

from cuelight.models.understudy.days import dates
from cuelight.models.understudy.hearing import clean
from cuelight.models.understudy.pieces import KINDS, one_of
from cuelight.models.understudy.shapes import Slot

__all__ = ["pick"]


def pick(slot: Slot, said: str, today: date, *, asked: bool, last: date | None = None) -> Any | None:
    """Pick a slot out of words: where its own patterns find it, else where its kind does.

    Args:
        slot: what is picked.
        said: the words.
        today: the day that days are counted from.
        asked: whether it was asked for.
        last: the day that was last spoken of.
    """
    for expression in slot.hears:
        if match := expression.search(clean(said)):
            value = _read(slot, said[match.start(1) : match.end(1)], today, asked=True, last=last)
            if value is not None:
                return value
    return _read(slot, said, today, asked=asked, last=last) if asked or not slot.asked else None


def _read(slot: Slot, said: str, today: date, *, asked: bool, last: date | None) -> Any | None:
    text = said if slot.kind == "words" else clean(said)
    if slot.kind == "date":
        return next((day.isoformat() for day, _ in dates(text, today, asked=asked, last=last)), None)
    found = one_of(text, slot.values) if slot.kind == "one of" else KINDS[slot.kind](text, today, asked)
    return found[0][0] if found else None
