"""What a type checker must refuse; each line says with which error."""

from typing import Literal

from cuelight import Agent, Limits, state, tool


class Desk(Agent):
    limits = 5  # expect: assignment
    stage: Literal["identify", "choose"] = "identify"
    count: int = 0
    name: str = state(5)  # expect: assignment
    slots: list[str] = state([], visibility="everyone")  # expect: call-overload

    @tool(stages="identify")  # expect: call-overload, untyped-decorator
    def one(self) -> None: ...

    @tool(effect="delete")  # expect: call-overload, untyped-decorator
    def two(self) -> None: ...

    @tool(timeout="5")  # expect: call-overload, untyped-decorator
    def three(self, phone: str) -> None: ...

    @tool
    def four(self, phone: str) -> int:
        return len(phone)

    def render(self) -> int:  # expect: override
        return 5


def check(desk: Desk) -> None:
    desk.count = "5"  # expect: assignment
    desk.stage = "done"  # expect: assignment
    desk.cuont = 5  # expect: attr-defined
    desk.slots.append(5)  # expect: arg-type
    desk.four(5)  # expect: arg-type
    desk.four()  # expect: call-arg
    desk.four("5").upper()  # expect: attr-defined
    Desk(count=5)  # expect: call-arg
    Limits(tools=5)  # expect: call-arg
