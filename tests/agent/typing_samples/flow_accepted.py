"""What an author writes of steps and flows, and what a type checker must know of it."""

from typing import Any, assert_type

from cuelight import (
    DirectMessage,
    Flow,
    HttpContentType,
    LogicStep,
    Route,
    Step,
    TerminateSessionStep,
    direct,
    go,
    stay,
    tool,
)
from cuelight.testing import Rehearsal, Script, rehearse


class Party(Step["Rental"]):
    people: int | None = None
    memory = "party"
    waits = True

    def get_prompt(self) -> str:
        return super().get_prompt() or "Ask."

    @tool
    def record(self, people: int) -> Route:
        assert_type(self.flow, Rental)
        assert_type(self.flow.level, int)
        assert_type(self.flow.step(Pay).euros, int)
        assert_type(self.flow.step("Pay"), Step[Any])
        if people > 12:
            return stay("Too many.").with_tool_feedback("Ask again.")
        self.save_state(people=people)
        self.save_state({"people": people})
        self.flow.save_step_state(Pay, {"euros": 5})
        self.flow.save_step_state("Pay", euros=5)
        return go(Pay).with_state(euros=5).with_prompt("Ask.").with_message("Hi.").with_message(DirectMessage({"a": 1}))

    @tool
    def leave(self) -> type[Step[Any]]:
        return Pay

    @tool(when=lambda step: step.people is None)
    async def show(self) -> Route:
        return direct({"a": 1}).with_content_type(HttpContentType.JSON)

    async def on_enter(self) -> None:
        self.call.speak("Hello.")

    def on_exit(self) -> None:
        self.forget()

    def on_crossing(self, message: str | None, prior: Step[Any]) -> str | None:
        return message

    async def on_response(self, text: str) -> Route | str | type[Step[Any]]:
        return Pay if text else go("Pay")


class Pay(Step):
    euros: int = 0

    def get_prompt(self) -> str | None:
        assert_type(self.flow, Flow)
        return None


class Sort(LogicStep["Rental"]):
    async def run_logic(self) -> Route:
        return go(Pay if self.flow.level else Party)


class Bye(TerminateSessionStep):
    reason = "done"
    fallback_line = "Bye."


class Rental(Flow):
    """You rent boats."""

    steps = (Party, Pay, Sort, Bye)
    initial_step = Party
    level: int = 1

    @tool(stage=(Party, "Pay"))
    def person(self) -> None: ...


class Defined(Flow):
    def define_steps(self) -> list[type[Step[Any]]]:
        return [Party, Pay]


async def check() -> None:
    rental = Rental()
    assert_type(rental, Rental)
    assert_type(rental.stage, str)
    assert_type(rental.current, Step[Any])
    assert_type(rental.step(Party), Party)
    assert_type(rental.step(Party).people, int | None)
    assert_type(go("x"), Route)
    async with rehearse(Rental, Script("ok"), state={"stage": Pay, "Party": {"people": 3}}) as call:
        assert_type(call, Rehearsal[Rental])
        assert_type(call.agent.step(Pay).euros, int)
