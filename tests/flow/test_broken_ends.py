"""A step may end the call in a hook of a move, and may leave the goodbye again: the map knows of both."""

from typing import Any

from cuelight import Flow, Step, TerminateSessionStep, go, tool
from cuelight.chart import chart_of, findings_of


class Ask(Step):
    @tool
    def to_a_person(self) -> Any:
        """Puts the caller through."""
        return Handover

    @tool
    def enough(self) -> Any:
        """Says goodbye."""
        return Closing


class Handover(Step):
    def on_enter(self) -> None:
        self.call.end("transferred")


class Closing(TerminateSessionStep):
    def on_response(self, text: str) -> Any:
        return go(Ask) if "?" in text else text

    def on_crossing(self, message: str | None, prior: Step[Any]) -> Any:
        go(Handover)  # made and not returned, and refused if it were
        return message


class Desk(Flow):
    """You answer."""

    steps = (Ask, Handover, Closing)


def test_a_hook_of_a_move_that_ends_the_call_is_an_end() -> None:
    (ending,) = (route for route in chart_of(Desk).routes if route.kind == "end")
    assert (ending.origins, ending.via, ending.owner) == (("Handover",), "on_enter", "Handover")
    assert findings_of(chart_of(Desk)) == ()


def test_a_goodbye_that_decides_about_its_reply_has_routes_and_its_other_hooks_have_none() -> None:
    (back,) = (route for route in chart_of(Desk).routes if route.owner == "Closing")
    assert (back.origins, back.target, back.via) == (("Closing",), "Ask", "on_response")
