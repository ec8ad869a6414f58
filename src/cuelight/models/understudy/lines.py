"""Lines with blanks in braces, to be filled with what is known when they are said."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from cuelight.models.understudy.days import DAYS, MONTHS

__all__ = ["FORMS", "Blank", "Line", "Unknown", "field_of", "spoken", "today_of"]

FORMS = ("count", "date", "digits", "time")
_BLANK = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_NAME = re.compile(r"([^\W\d]\w*(?:\.\w+)*)(\?)?(?:\|(\w+))?")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ISO_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?")
_ISO_TIME = re.compile(r"(\d{2}:\d{2}):\d{2}(?:\.\d+)?")


class Unknown(Exception):
    """Say that a blank has nothing to fill it."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


class Blank(NamedTuple):
    """A place to fill: what by, whether it may stay empty, and how it is written."""

    path: str
    optional: bool
    form: str | None

    @property
    def root(self) -> str:
        return self.path.partition(".")[0]


class Line:
    """Hold text with blanks: `{name}`, `{name?}` where it may be missing, `{name|date}` for a form.

    Raises:
        ValueError: when something in braces is no blank; the message says what to write.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.parts: list[str | Blank] = []
        position = 0
        for match in _BLANK.finditer(source):
            self.parts.append(source[position : match.start()])
            self.parts.append(match[0][0] if match[1] is None else _blank(match[1]))
            position = match.end()
        self.parts.append(source[position:])

    @property
    def blanks(self) -> list[Blank]:
        return [part for part in self.parts if isinstance(part, Blank)]

    @property
    def only_blank(self) -> Blank | None:
        """The blank, where the line is nothing else: then its value is taken as it is, not as text."""
        rest = [part for part in self.parts if part]
        return rest[0] if len(rest) == 1 and isinstance(rest[0], Blank) else None

    def fill(self, find: Callable[[str], Any]) -> str:
        """Fill the blanks with what `find` gives for their paths.

        Raises:
            Unknown: when a blank that may not stay empty gets None.
        """
        filled: list[str] = []
        for part in self.parts:
            if isinstance(part, str):
                filled.append(part)
                continue
            value = find(part.path)
            if value is None and not part.optional:
                raise Unknown(part.root)
            filled.append("" if value is None else _formed(value, part.form))
        return " ".join("".join(filled).split())

    def shape(self) -> re.Pattern[str]:
        """A pattern that finds the line in a text, whatever its blanks were filled with."""
        parts = [".*?" if isinstance(part, Blank) else r"\s+".join(map(re.escape, _split(part))) for part in self.parts]
        return re.compile("".join(parts), re.IGNORECASE | re.DOTALL)


def _split(text: str) -> list[str]:
    return re.split(r"\s+", text)


def _blank(inside: str) -> Blank:
    match = _NAME.fullmatch(inside.strip())
    if match is None:
        raise ValueError(f"{{{inside}}} is no blank; write {{name}}, {{name?}} or {{name|date}}, and {{{{ for a brace")
    if match[3] and match[3] not in FORMS:
        raise ValueError(f"{{{inside}}} asks for the form {match[3]!r}; there are {', '.join(FORMS)}")
    return Blank(match[1], bool(match[2]), match[3])


def field_of(value: Any, path: str) -> Any:
    """Follow a dotted path into what came as JSON; None where it leads nowhere."""
    for step in path.split(".") if path else ():
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def spoken(value: Any) -> str:
    """Write a value as one says it: days by name, lists with "and", yes and no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        if _ISO_DATE.fullmatch(value):
            return _day(value)
        if _ISO_MOMENT.fullmatch(value):
            return f"{_day(value[:10])} at {value[11:16]}"
        seconds = _ISO_TIME.fullmatch(value)
        return seconds[1] if seconds else value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list | tuple):
        return _listed([spoken(item) for item in value])
    if isinstance(value, Mapping):
        return _listed([spoken(item) for item in value.values() if item is not None])
    return str(value)


def _formed(value: Any, form: str | None) -> str:
    if form == "count":
        return str(len(value)) if isinstance(value, list | Mapping) else "1"
    if form == "digits":
        return " ".join(str(value))
    if form == "date" and isinstance(value, str) and _ISO_MOMENT.fullmatch(value):
        return _day(value[:10])
    if form == "time" and isinstance(value, str) and _ISO_MOMENT.fullmatch(value):
        return value[11:16]
    return spoken(value)


def _day(iso: str) -> str:
    try:
        day = date.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{DAYS[day.weekday()].capitalize()} {day.day} {MONTHS[day.month - 1].capitalize()}"


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def today_of(text: str) -> date | None:
    """Read a date, or the date of a moment, in ISO form."""
    try:
        return datetime.fromisoformat(text.strip()).date()
    except ValueError:
        return None
