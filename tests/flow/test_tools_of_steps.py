"""Two steps may have tools of one name: the active step's is the one that is shown, checked and run, each time anew."""

from typing import Any

from cuelight import Flow, Step, go, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls
from lawbook import datas, refusals, rehearsing, results, told


class Person(Step):
    name: str = ""

    @tool(pii="name")
    def record(self, name: str) -> Any:
        """Records a person's name."""
        self.name = name
        return go(Party)

    @tool
    def look(self) -> str:
        """Looks at the person."""
        return f"person {self.name}"


class Party(Step):
    people: int = 0

    @tool(effect="read")
    def look(self) -> str:
        """Looks at the party."""
        return f"party of {self.people}"

    @tool
    async def record(self, people: int, children: bool = False) -> str:
        """Records how many there are."""
        self.people = people
        return f"{people} recorded"

    @tool
    def back(self) -> Any:
        """Goes back."""
        return go(Person)


class Guests(Flow):
    steps = (Person, Party)


def offered(request: Any, name: str) -> dict[str, Any]:
    """Give the parameters of a tool as a request offers it, and its description."""
    (spec,) = [spec for spec in request.specs if spec["name"] == name]
    return {"description": spec["description"], "parameters": list(spec["parameters"]["properties"])}


async def test_the_active_steps_tool_is_shown_with_its_own_parameters_also_after_going_back() -> None:
    script = Script(
        calls("record", name="Ada"), calls("record", people=3), calls("back"), calls("record", name="Bo"), "So."
    )  # fmt: skip
    async with rehearsing(Guests, script) as call:
        await call.say("go")
        assert [offered(request, "record")["parameters"] for request in call.requests] == [
            ["name"], ["people", "children"], ["people", "children"], ["name"], ["people", "children"],
        ]  # fmt: skip
        assert offered(call.requests[0], "record")["description"] == "Records a person's name."
        assert offered(call.requests[1], "record")["description"] == "Records how many there are."
        assert (call.agent.step(Person).name, call.agent.step(Party).people) == ("Bo", 3)
        assert [data.get("output") for data in results(call.log)] == [
            "input validated", "3 recorded", "input validated", "input validated",
        ]  # fmt: skip


async def test_arguments_are_those_of_the_active_steps_tool() -> None:
    script = Script(calls("record", name="Ada"), calls("record", name="Bo"), "So.")
    async with rehearsing(Guests, script) as call:
        await call.say("go")
        assert refusals(call.log) == [("record", "bad arguments")]
        assert "people" in results(call.log)[1]["error"]
        assert call.agent.step(Party).people == 0


async def test_effect_and_privacy_are_those_of_the_active_steps_tool() -> None:
    script = Script(calls("record", name="Ada Byrne"), calls("record", people=3), "So.")
    async with rehearsing(Guests, script) as call:
        await call.say("go")
        first, second = datas(call.log, "tool.call")
        assert "Byrne" not in str(first)
        assert second["arguments"] == {"people": 3}


async def test_a_batch_that_moves_runs_the_tools_of_the_step_it_was_asked_in() -> None:
    script = Script([calls("record", name="Ada"), calls("look")], calls("look"), "So.")
    async with rehearsing(Guests, script) as call:
        await call.say("go")
        assert told(call.requests[1]) == ["input validated", "person Ada"]
        assert told(call.requests[2])[-1] == "party of 0"


async def test_both_are_in_the_constant_part_of_the_prompt_each_under_its_step() -> None:
    async with rehearsing(Guests, Script("Hello.")) as call:
        await call.say("hello")
        static = call.requests[0].static
        person, party = static.index("In Person:"), static.index("In Party:")
        assert person < static.index("Records a person's name.") < party < static.index("Records how many there are.")


async def test_a_resumed_call_offers_the_tools_of_the_step_it_is_in() -> None:
    store = MemoryStore()
    async with rehearsing(Guests, Script(calls("record", name="Ada"), "So."), store=store) as call:
        await call.say("go")
    async with rehearsing(Guests, Script(calls("record", people=2), "So."), store=store, resume=call.id) as again:
        await again.say("two")
        assert offered(again.requests[0], "record")["parameters"] == ["people", "children"]
        assert again.agent.step(Party).people == 2
