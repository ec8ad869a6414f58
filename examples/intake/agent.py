"""The intake of a clinic as a flow: name, date of birth, address, goodbye.

Each step asks for one thing, and its tool decides by what it returns: `go(...)` moves on, `stay(...)` refuses and tells
the model what to ask for instead. A prompt can ask a model to be careful; only code can make sure.

No step sets `waits`. Callers often answer two questions in one breath ("Ada Byrne, born on 14 July 1984"), and what
they said goes along into the next step. A step that asks for a yes would set it: what was said before the question is
no answer to it.
"""

import re
from datetime import date
from typing import Literal, get_args

from cuelight import Flow, Route, Step, TerminateSessionStep, go, state, stay, tool

__all__ = ["Address", "DateOfBirth", "Intake", "Name"]

Month = Literal[
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
]  # fmt: skip
MONTHS: tuple[Month, ...] = get_args(Month)
SERVED = re.compile(r"h[ -]?1\d\d", re.IGNORECASE)  # the postcodes H100 to H199


class Name(Step["Intake"]):
    """Find out who is calling."""

    name: str | None = state(None, pii=True)

    def get_prompt(self) -> str:
        return "Ask for the caller's full name, and record it."

    @tool(pii="name")
    def record_name(self, name: str) -> Route:
        """Records the caller's full name.

        Args:
            name: first name and surname, as they said it.
        """
        if len(name.split()) < 2:
            return stay("That is only a part of a name. Ask for the first name and the surname together.")
        self.name = " ".join(name.split())
        if self.flow.step(DateOfBirth).born is not None:
            return go(Address)  # they came back to correct the name; the date is known
        return go(DateOfBirth)


class DateOfBirth(Step["Intake"]):
    """Find out when the caller was born: a day that exists, and on which somebody who calls today can be born."""

    born: date | None = state(None, pii=True)

    def get_prompt(self) -> str:
        return "Ask for the date of birth, and record it once you have its day, month and year."

    @tool(pii=("day", "month", "year"))
    def record_date_of_birth(self, day: int, month: Month, year: int) -> Route:
        """Records when the caller was born.

        Args:
            day: the day of the month.
            month: the month by its name, so that nobody can mistake 3/4.
            year: the year with as many digits as the caller gave it; never guess the century.
        """
        if year < 100:
            return stay("Two digits leave the century open. Ask for the year again, with all four digits.")
        try:
            born = date(year, MONTHS.index(month) + 1, day)
        except ValueError:
            return stay("There is no such day. Ask for the date of birth again.")
        age = self.flow.age(born)
        if age < 0:
            return stay("That day is still to come. Ask for the date of birth again.")
        if age > 120:
            return stay("That would be more than 120 years ago. Ask for the year again.")
        self.born = born
        return go(Address)


class Address(Step["Intake"]):
    """Find out where the caller lives, in as many pieces as they like."""

    street: str | None = state(None, pii=True)
    house_number: str | None = state(None, pii=True)
    postcode: str | None = state(None, pii=True)
    city: str | None = state(None, pii=True)
    refused: int = 0

    @property
    def missing(self) -> str:
        return ", ".join(name.replace("_", " ") for name, value in self.saved.items() if value is None)

    def get_prompt(self) -> str:
        return f"Ask for the address, and record each piece as soon as you hear it. Still missing: {self.missing}."

    @tool(pii=("street", "house_number", "postcode", "city"))
    def record_address(
        self,
        street: str | None = None,
        house_number: str | None = None,
        postcode: str | None = None,
        city: str | None = None,
    ) -> Route:
        """Records what the caller has just said of their address. What was recorded before stays.

        Args:
            street: the street, without the house number.
            house_number: as in "12" or "12a".
            postcode: a letter and three digits, as in "H104".
            city: the city or town.
        """
        if postcode and not SERVED.fullmatch(postcode.strip()):
            self.refused += 1  # nothing else of it is kept
            if self.refused < 3:
                return stay("That address is outside the area that the clinic serves. Ask for another one.")
            return go(TerminateSessionStep).with_prompt(
                "The clinic cannot register the caller, as it does not serve where they live. Say that you are sorry, "
                "that the clinic of their own town will gladly help, and goodbye."
            )
        pieces = {"street": street, "house_number": house_number, "postcode": postcode, "city": city}
        self.save_state({name: piece for name, piece in pieces.items() if piece})  # merged: the other pieces stay
        if self.missing:
            return stay(f"That is kept. Still missing: {self.missing}. Ask for it.")
        return go(TerminateSessionStep).with_prompt(
            "The caller is registered. Thank them by name, say that the clinic will write to them, and goodbye."
        )

    @tool
    def correct_date_of_birth(self) -> Route:
        """Goes back to the date of birth, when the caller says that it is not right. The address is kept so far."""
        return go(DateOfBirth)


class Intake(Flow):
    """You answer the phone of Harbour Clinic, and take down who wants to become a patient.

    Be warm and brief: one or two sentences, one question at a time.
    """

    rules = (
        "Record what the caller says as they say it. Whether it can be right is for the tools to judge.",
        "Give no medical advice. In an emergency tell the caller to ring 112.",
    )
    knowledge = (
        "The clinic serves the postcodes H100 to H199.",
        "Open Monday to Friday, 8:00 to 18:00.",
        "Names, dates of birth and addresses are for the patient's file, and for nothing else.",
    )
    steps = (Name, DateOfBirth, Address, TerminateSessionStep)  # which there are; what leads where, the tools decide

    def __init__(self, today: date | None = None) -> None:
        self._today = today or date.today()  # noqa: DTZ011 - the clinic's own calendar day

    def age(self, born: date) -> int:
        """Give the age of somebody born on a day, in years; below zero where that day is still to come."""
        had_birthday = (self._today.month, self._today.day) >= (born.month, born.day)
        return self._today.year - born.year - (not had_birthday)

    def on_call(self) -> None:
        self.call.speak("Harbour Clinic, good day! What is your full name?")

    # A flow's own tools are there in every step, unless they name theirs.

    @tool(stage=(DateOfBirth, Address))
    def correct_name(self) -> Route:
        """Goes back to the name, when the caller says that it is not right."""
        return go(Name)

    @tool
    def stop(self) -> Route:
        """Ends the call, when the caller does not want to go on."""
        return go(TerminateSessionStep).with_prompt(
            "The caller wants to stop, and is not registered. Say that they can call again at any time, and goodbye."
        )

    def render(self) -> str:
        """Say what is known already: it stands in every step's prompt, the goodbye's too."""
        name, born = self.step(Name).name, self.step(DateOfBirth).born
        known = [f"The caller is {name}."] if name else []
        known += [f"They were born on {born}."] if born else []
        return "\n".join(known)
