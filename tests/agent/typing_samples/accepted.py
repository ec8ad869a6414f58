"""What an author writes, and what a type checker must know of it."""

from dataclasses import dataclass
from typing import Literal, assert_type

from cuelight import Agent, Limits, state, tool
from cuelight.testing import Rehearsal, Script, rehearse


@dataclass
class Owner:
    name: str


class Desk(Agent):
    """You are the desk."""

    limits = Limits(tool_s=5)
    rules = ("Be kind.",)
    knowledge = "Open from nine."
    model = "openai:gpt-5"
    fallback_line = "Sorry?"

    stage: Literal["identify", "choose"] = "identify"
    owner: Owner | None = state(None, pii=True)
    slots: list[str] = state([], visibility="public", was="places")
    count: int = 0

    @property
    def identified(self) -> bool:
        return self.owner is not None

    @tool
    def ring(self) -> None: ...

    @tool(stage="identify", pii=("name", "phone"), effect="read", timeout=5)
    def look_up(self, name: str, phone: str | None = None) -> Owner | None:
        return self.owner

    @tool(stage=["choose"], when=lambda a: bool(a.slots), preview=3)
    async def free(self, day: str) -> list[str]:
        return self.slots

    def render(self) -> str:
        return ""

    async def on_call(self) -> None:
        self.call.speak("Hello.")
        assert_type(self.call.id, str)


class Night(Desk):
    bell: bool = False

    @tool(stage="choose")
    def look_up(self, name: str, phone: str | None = None) -> Owner | None:
        found = super().look_up(name)
        assert_type(found, Owner | None)
        return found


async def check() -> None:
    desk = Desk()
    assert_type(desk, Desk)
    assert_type(desk.owner, Owner | None)
    assert_type(desk.slots, list[str])
    assert_type(desk.stage, Literal["identify", "choose"])
    assert_type(desk.identified, bool)
    assert_type(desk.look_up("Ada", phone="5"), Owner | None)
    assert_type(await desk.free(day="today"), list[str])
    assert_type(state(5), int)
    assert_type(state([""], pii=True), list[str])
    desk.owner = Owner("Ada")
    desk.stage = "choose"
    desk.slots.append("nine")
    async with rehearse(Night, Script("ok")) as call:
        assert_type(call, Rehearsal[Night])
        assert_type(call.agent.bell, bool)
        reply = await call.say("hi")
        assert_type(reply.text, str)
