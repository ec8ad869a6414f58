"""What was taken for a repetition, a goodbye that was said twice, and a memory that nobody has."""

from typing import Any

from cuelight import Flow, Step, TerminateSessionStep, go, tool
from cuelight.testing import Script, calls
from lawbook import datas, errors, heard, rehearsing


def proceeding(name: str, target: str) -> type[Step]:
    async def proceed(self: Any) -> Any:
        return go(target)

    return type(name, (Step,), {"__module__": __name__, "proceed": tool(proceed)})


class Long(Flow):
    """You lead through five steps."""

    steps = (*(proceeding(f"S{i}", f"S{i + 1}") for i in range(5)), proceeding("S5", "S0"))


async def test_tools_of_one_name_of_several_steps_are_no_repetition() -> None:
    script = Script(*[calls("proceed")] * 5, "There we are.")
    async with rehearsing(Long, script) as call:
        reply = await call.say("Take me to the end")
        assert (call.agent.stage, reply.text, errors(call.log)) == ("S5", "There we are.", [])


class Leave(Step):
    @tool
    async def leave(self) -> Any:
        return TerminateSessionStep

    @tool
    async def forget_it(self) -> None:
        self.call.forget("diagnose")


class Short(Flow):
    """You say goodbye."""

    steps = (Leave, TerminateSessionStep)


async def test_a_goodbye_beside_a_call_is_said_once() -> None:
    script = Script(calls("leave"), ["Goodbye!", calls("leave")], "Goodbye again!")
    async with rehearsing(Short, script) as call:
        await call.say("Bye")
        assert heard(call.log) == ["Goodbye!"]
        assert call.state.status == "ended"


async def test_a_memory_that_no_step_has_is_told() -> None:
    async with rehearsing(Short, Script(calls("forget_it"), "Done.")) as call:
        await call.say("Forget it")
        assert errors(call.log) == ["unknown-memory"]
        assert "'diagnose', which is no step's memory" in datas(call.log, "error")[0]["message"]
