"""A support line: a model says what a call is about, in JSON that nobody hears, and code says who takes it."""

from collections.abc import Callable
from datetime import date, datetime, time
from typing import Literal

from beacon import Beacon, Bill, LineCheck
from pydantic import BaseModel, ConfigDict, ValidationError

from cuelight import Flow, LogicStep, Route, Step, TerminateSessionStep, go, state, stay, tool

__all__ = ["SupportLine", "by_day", "by_night"]

Team = Literal["billing", "faults", "person"]


class Reception(Step["SupportLine"]):
    """Learns who calls and what it is about. What was told once stays, so that a caller may tell it in pieces."""

    name: str | None = state(None, pii=True)
    matter: str | None = None

    def get_prompt(self) -> str:
        needed = [what for what, told in (("their name", self.name), ("what it is about", self.matter)) if told is None]
        return f"Find out who is calling and what it is about, and note it. Still needed: {', '.join(needed)}."

    @tool(pii="name")
    def take_note(self, name: str | None = None, matter: str | None = None) -> Route:
        """Notes who is calling and what it is about. Call it as soon as they tell either.

        Args:
            name: who is calling.
            matter: what it is about, in their words.
        """
        self.name, self.matter = name or self.name, matter or self.matter
        if self.name is None:
            return stay("Noted. Ask for their name.")
        if self.matter is None:
            return stay("Noted. Ask what it is about.")
        return go(Classify).with_message(self.matter)


class Verdict(BaseModel):
    """What the model is to find out about a matter: exactly this, and nothing that merely looks like it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    team: Team
    urgent: bool


class Classify(Step["SupportLine"]):
    """Has the model sort the matter, and turns its answer into a route.

    The step has a memory of its own: its model reads the caller's newest words and the matter, and nothing of what
    was said at reception; no later step reads what it wrote. As `on_response` decides about every reply, and always
    returns a route, nothing that is written here is ever spoken.
    """

    memory = "classifier"

    misses: int = 0

    def on_enter(self) -> None:
        self.forget()  # each matter is judged by itself
        self.misses = 0

    def get_prompt(self) -> str:
        return (
            "You sort what callers want. Nobody hears what you write here. Write one line of JSON and nothing else, "
            'such as {"team": "billing", "urgent": false}. The team is "billing" for bills and payments, "faults" '
            'for whatever does not work, "person" for anything else. It is urgent only if somebody is in danger or '
            "cannot call for help."
        )

    def on_response(self, text: str) -> Route:
        try:
            verdict = Verdict.model_validate_json(text)
        except ValidationError:
            self.misses += 1
            if self.misses < 3:
                return stay('it is not what was asked for. Write one line like {"team": "faults", "urgent": false}.')
            verdict = Verdict(team="person", urgent=False)
        return go(Dispatch).with_state(team=verdict.team, urgent=verdict.urgent)


class Dispatch(LogicStep["SupportLine"]):
    """Decides who takes the call: code alone, at one place, whatever led here. No model is asked."""

    team: Team = "person"
    urgent: bool = False

    def run_logic(self) -> Route:
        staffed = self.flow.beacon().staffed
        if staffed and self.team == "person":
            return go(Handover)
        if self.urgent:  # a crew is on duty day and night
            return go(Urgent)
        if not staffed:
            return go(Callback)
        return go(Billing) if self.team == "billing" else go(Faults)


class Urgent(Step["SupportLine"]):
    """Sends a crew. It does not wait: a street that was told in the same breath is enough."""

    def get_prompt(self) -> str:
        return "This cannot wait. Tell them to stay where it is safe. Ask for the street, and send the crew there."

    # No `confirm=`: in danger nobody is asked twice, and a crew on its way can be called back.
    @tool
    def send_crew(self, street: str) -> Route:
        """Sends the crew on duty.

        Args:
            street: where to, with the number of the house.
        """
        reference = self.flow.beacon().file()
        return go(TerminateSessionStep).with_prompt(
            f"Say that the crew is on its way to {street}, reference {reference}, and say goodbye."
        )


class Billing(Step["SupportLine"]):
    """Answers for a bill. It waits: the bill can be read out at once, but nothing is disputed unheard."""

    waits = True

    disputed: list[str] = []

    def get_prompt(self) -> str:
        if self.disputed:
            return f"Disputed: {', '.join(self.disputed)}. Ask whether there is anything else."
        return "Read the latest bill out, and dispute the entry that they say is wrong, if there is one."

    @tool(effect="read")
    def latest_bill(self) -> Bill:
        """The caller's latest bill, with its entries."""
        return self.flow.beacon().bill()

    @tool
    def dispute(self, entry: str) -> Route | str:
        """Has an entry of the bill looked into.

        Args:
            entry: which one, as the bill names it.
        """
        entries = [each.what for each in self.flow.beacon().bill().entries]
        if entry not in entries:
            return stay(f"The bill has no such entry. It has {', '.join(entries)}. Ask which one is meant.")
        self.disputed.append(entry)
        return f"The {entry} will be looked into, reference {self.flow.beacon().file()}."


class Faults(Step["SupportLine"]):
    """Finds a fault. It waits: the line is measured at once, but the day of a visit is the caller's to name."""

    waits = True

    visit: date | None = None

    def get_prompt(self) -> str:
        if self.visit:
            return f"An engineer comes on {self.visit}. Ask whether there is anything else."
        return "Check the line, say what is found, and find out which day suits them if an engineer has to come."

    @tool(effect="read")
    def check_line(self) -> LineCheck:
        """Measures the caller's line from afar."""
        return self.flow.beacon().check_line()

    @tool
    def book_visit(self, day: date) -> Route | str:
        """Books an engineer, who comes between nine and noon.

        Args:
            day: when.
        """
        if not self.flow.beacon().comes_on(day):
            return stay("Engineers come from tomorrow on, for two weeks, on no Sunday. Ask for another day.")
        self.visit = day
        return f"An engineer comes on {day}, reference {self.flow.beacon().file()}."


class Callback(Step["SupportLine"]):
    """Takes a number while nobody is at the desk. It waits: the caller first hears that nobody is there."""

    waits = True

    def get_prompt(self) -> str:
        opens = f"{self.flow.beacon().opens:%Y-%m-%d %H:%M}"
        return f"Nobody is at the desk until {opens}. Say so, offer a call back then, and ask for their number."

    @tool(pii="phone")
    def call_back(self, phone: str) -> Route:
        """Has the caller called back when the desk opens.

        Args:
            phone: their number.
        """
        if sum(character.isdigit() for character in phone) < 9:
            return stay("A phone number has nine digits. Ask for theirs again.")
        return go(TerminateSessionStep).with_prompt(
            f"Say that they will be called back, reference {self.flow.beacon().file()}, and say goodbye."
        )


class Handover(TerminateSessionStep["SupportLine"]):
    """Puts the caller through: one last line, and the call with the agent is over."""

    reason = "transferred"
    fallback_line = "I am putting you through to a person now."

    def get_prompt(self) -> str:
        return "Say in one sentence that you are putting them through to a person, who knows what they have told you."


class SupportLine(Flow):
    """You are the support line of Beacon Broadband. Calm and brief: one or two sentences, one question at a time."""

    rules = ("Only say that something is booked, sent or passed on when a tool's result or these instructions say so.",)
    knowledge = ("A late fee is charged when a bill is paid more than ten days after its date.",)

    steps = (Reception, Classify, Dispatch, Urgent, Billing, Faults, Callback, Handover, TerminateSessionStep)

    def __init__(self, now: Callable[[], datetime] = datetime.now) -> None:
        self._beacon = Beacon(now)

    def beacon(self) -> Beacon:
        """Give the company's systems to the steps: they are a service, no state."""
        return self._beacon

    def on_call(self) -> None:
        self.call.speak("Beacon Broadband, good day! Who is calling, and what can we do for you?")

    @tool
    def talk_to_person(self) -> Route:
        """Puts the caller through to a person, as soon as they ask for one, whatever else is going on."""
        return go(Dispatch).with_state(team="person")

    @tool(stage=(Billing, Faults))
    def another_matter(self, matter: str) -> Route:
        """Takes up something else that the caller also called about.

        Args:
            matter: what it is about, in their words.
        """
        return go(Classify).with_message(matter)

    @tool
    def hang_up(self) -> Route:
        """Ends the call, once the caller needs nothing more."""
        return go(TerminateSessionStep)

    def render(self) -> str:
        now = self._beacon.now
        name = self.step(Reception).name
        return f"It is {now:%A, %H:%M} ({now.date()})." + (f"\nThe caller is {name}." if name else "")


def by_day(today: date | None = None) -> SupportLine:
    """Make a line that is called while people are at the desk, whatever the clock says: today, or on another day."""
    return SupportLine(lambda: datetime.combine(today or date.today(), time(14, 30)))  # noqa: DTZ011 - the desk's own


def by_night(today: date | None = None) -> SupportLine:
    """Make a line that is called while nobody is at the desk."""
    return SupportLine(lambda: datetime.combine(today or date.today(), time(23, 10)))  # noqa: DTZ011
