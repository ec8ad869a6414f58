"""What steps and flows promise, one test each: registry, state, the flow as an agent, and hooks."""

from typing import Any

import pytest

from cuelight import Flow, LogicStep, Step, TerminateSessionStep, UndeclaredField, WrongType, go, state, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls
from lawbook import datas, errors, rehearsing, told


class Guest(Step):
    """Finds out who is there."""

    name: str = state("", pii=True)
    wishes: dict[str, Any] = {}

    def get_prompt(self) -> str:
        return "Ask for the name."

    @tool
    def record(self, name: str) -> Any:
        """Records the name."""
        self.save_state(name=name)
        return go(Room)

    @tool
    def wish(self, wishes: dict[str, Any]) -> None:
        """Records wishes."""
        self.save_state(wishes=wishes)


class Room(Step):
    number: int | None = None

    def get_prompt(self) -> str:
        return f"Give {self.flow.step(Guest).name} a room."

    @tool(when=lambda step: step.number is None)
    def give(self, number: int) -> Any:
        """Gives a room."""
        self.save_state(number=number)


class Inn(Flow):
    """You keep an inn."""

    rules = ("Be brief.",)
    steps = (Guest, Room, TerminateSessionStep)
    bells: int = 0
    seen: list[str] = []

    @property
    def settled(self) -> bool:
        return self.step(Room).number is not None

    @tool
    def ring(self) -> Any:
        """Rings for a person."""
        self.bells += 1

    @tool(stage=Room)
    def view(self) -> str:
        """Says what is to be seen from the room."""
        return "The sea."

    @tool(stage=(Guest, "Room"), when=lambda flow: flow.bells > 0)
    def apologise(self) -> None:
        """Says sorry for the bell."""

    def render(self) -> str:
        return f"Bells: {self.bells}."

    def on_call(self) -> None:
        self.seen.append("call")

    def on_event(self, name: str, data: dict[str, Any]) -> Any:
        self.seen.append(name)
        return go(Room) if name == "moved" else None

    async def on_end(self, reason: str) -> None:
        self.seen.append(reason)


# --- the registry -----------------------------------------------------------------------------------------------------


class One(Step):
    pass


class Two(Step):
    pass


@pytest.mark.parametrize("kind", ["steps", "list", "method", "classmethod", "reversed"])
def test_steps_or_define_steps_name_the_registry(kind: str) -> None:
    def plain(self: Any) -> Any:
        return (One, Two)

    body: dict[str, Any] = {
        "steps": {"steps": (One, Two)},
        "list": {"steps": [One, Two]},
        "method": {"define_steps": plain},
        "classmethod": {"define_steps": classmethod(plain)},
        "reversed": {"steps": (Two, One), "define_steps": lambda self: tuple(reversed(self.steps))},
    }[kind]
    flow = type("Both", (Flow,), body)
    assert list(flow()._steps) == ["One", "Two"]


@pytest.mark.parametrize(("given", "stage"), [(None, "One"), (Two, "Two"), ("Two", "Two")])
async def test_the_first_step_opens_unless_another_one_is_named(given: Any, stage: str) -> None:
    class Both(Flow):
        steps = (One, Two)
        initial_step = given

    async with rehearsing(Both, Script()) as call:
        assert call.agent.stage == stage
        assert datas(call.log, "state.changed")[0]["state"]["stage"] == stage


async def test_a_flow_is_derived_and_its_steps_are_inherited_or_replaced() -> None:
    class Base(Flow):
        steps = (One, Two)
        level: int = 1

    class Same(Base):
        initial_step = Two

    class Fewer(Base):
        steps = (Two,)

    assert (Same().stage, list(Same()._steps)) == ("Two", ["One", "Two"])
    assert (Fewer().stage, list(Fewer()._steps), Fewer().level) == ("Two", ["Two"], 1)


# --- state ------------------------------------------------------------------------------------------------------------


async def test_a_steps_state_is_durable_under_the_steps_name() -> None:
    store = MemoryStore()
    async with rehearsing(
        Inn, Script(calls("record", name="Ada"), calls("give", number=5), "So."), store=store
    ) as call:
        await call.say("Ada")
        assert list(call.state.app_state) == [
            "stage", "bells", "seen", "settled", "Guest", "Room", "TerminateSessionStep",
        ]  # fmt: skip
        assert call.state.app_state["Room"] == {"number": 5}
    async with rehearsing(Inn, Script(), store=store, resume=call.id) as again:
        assert (again.agent.step(Guest).name, again.agent.step(Room).number) == ("Ada", 5)


async def test_saving_merges_and_replaces_whole_values_of_the_names_that_are_given() -> None:
    script = Script(calls("wish", wishes={"a": {"b": 1}}), "So.", calls("wish", wishes={"a": {"c": 2}}), "So.")
    async with rehearsing(Inn, script, state={"Guest": {"name": "Ada"}}) as call:
        await call.say("one")
        await call.say("two")
        assert call.agent.step(Guest).saved == {"name": "Ada", "wishes": {"a": {"c": 2}}}


async def test_another_steps_state_is_read_and_written_by_its_name() -> None:
    class Busy(Step):
        @tool
        def work(self) -> str:
            """Works."""
            self.flow.save_step_state(Other, {"count": 2})
            self.flow.save_step_state("Other", count=self.flow.step("Other").saved["count"] + 1)
            with pytest.raises(WrongType):
                self.flow.save_step_state(Other, count="many")
            with pytest.raises(UndeclaredField):
                self.flow.save_step_state(Other, size=5)
            return str(self.flow.step(Other).count)

    class Other(Step):
        count: int = 0

    class Working(Flow):
        steps = (Busy, Other)

    async with rehearsing(Working, Script(calls("work"), "So.")) as call:
        await call.say("work")
        assert told(call.requests[1]) == ["3"]
        assert call.state.app_state["Other"] == {"count": 3}


async def test_a_step_without_fields_keeps_any_json_and_one_with_fields_refuses_others() -> None:
    class Free(Step):
        @tool
        def keep(self) -> Any:
            """Keeps."""
            self.save_state({"any": [1, {"a": None}]}, more=True)
            return go(Fixed).with_state(size=5)

        @tool
        def keep_well(self) -> Any:
            """Keeps."""
            return go(Fixed).with_state(count=5)

    class Fixed(Step):
        count: int = 0

        @tool
        def back(self) -> Any:
            """Goes back, bringing what nobody declared."""
            return go(Free).with_state(brought="yes")

    class Keeping(Flow):
        steps = (Free, Fixed)

    script = Script(calls("keep"), calls("keep_well"), calls("back"), "So.")
    async with rehearsing(Keeping, script) as call:
        await call.say("keep")
        assert errors(call.log) == ["undeclared-field"]
        assert call.state.app_state["Free"] == {"brought": "yes"}, "what the failed handler saved is gone with it"
        assert call.state.app_state["Fixed"] == {"count": 5}


# --- the flow as an agent ---------------------------------------------------------------------------------------------


async def test_a_flows_own_tools_are_visible_in_every_step_unless_they_say_otherwise() -> None:
    script = Script(calls("ring"), calls("record", name="Ada"), calls("give", number=5), "So.")
    async with rehearsing(Inn, script) as call:
        await call.say("hello")
        assert [request.tools for request in call.requests] == [
            ["record", "wish", "ring"],
            ["record", "wish", "ring", "apologise"],
            ["give", "ring", "view", "apologise"],
            ["ring", "view", "apologise"],
        ]


async def test_a_flows_fields_properties_and_hooks_work_as_an_agents() -> None:
    async with rehearsing(Inn, Script(calls("ring"), "So.")) as call:
        await call.say("hello")
        await call.event("moved")
        assert call.agent.stage == "Room"
        await call.hang_up()
        assert call.agent.seen == ["call", "moved", "caller_hung_up"]
        assert call.state.app_state["bells"] == 1
        assert call.state.app_state["settled"] is False


async def test_private_fields_of_a_step_are_masked_in_the_log_and_known_to_the_model() -> None:
    async with rehearsing(Inn, Script(calls("record", name="Ada Lovelace"), "Welcome.")) as call:
        await call.say("I am Ada Lovelace")
        assert "Lovelace" not in str(call.log)
        assert call.agent.step(Guest).name == "Ada Lovelace"
        assert "Give Ada Lovelace a room." in call.requests[1].view


async def test_the_docstring_and_the_rules_are_constant_and_the_steps_prompt_follows_render() -> None:
    async with rehearsing(Inn, Script(calls("record", name="Ada"), "So.")) as call:
        await call.say("hello")
        first, second = call.requests
        assert first.static == second.static
        assert "You keep an inn." in first.static
        assert "Be brief." in first.static
        assert first.view == "Bells: 0.\n\nAsk for the name."
        assert second.view == "Bells: 0.\n\nGive Ada a room."
        for name in ("In Guest:", "In Room:", "record", "give"):
            assert name in first.static


# --- hooks ------------------------------------------------------------------------------------------------------------


def recorded(ran: list[str], name: str, is_async: bool, decide: Any = lambda step: None) -> Any:
    """Make a hook, `def` or `async def`, that says that it ran."""

    def plain(self: Any, *args: Any) -> Any:
        ran.append(f"{type(self).__name__}.{name}")
        return decide(self, *args)

    async def waiting(self: Any, *args: Any) -> Any:
        return plain(self, *args)

    return waiting if is_async else plain


@pytest.mark.parametrize("is_async", [False, True])
async def test_each_hook_may_be_plain_or_async(is_async: bool) -> None:
    ran: list[str] = []
    decisions = {
        "on_enter": lambda step: None,
        "on_exit": lambda step: None,
        "on_crossing": lambda step, message, prior: f"{message} from {type(prior).__name__}",
        "on_response": lambda step, text: go("Logic") if step.flow.stage == "First" else None,
    }
    hooks = {name: recorded(ran, name, is_async, decide) for name, decide in decisions.items()}
    first, last = type("First", (Step,), dict(hooks)), type("Last", (Step,), dict(hooks))
    logic = type("Logic", (LogicStep,), {"run_logic": recorded(ran, "run_logic", is_async, lambda step: go("Last"))})
    flow = type("Hooked", (Flow,), {"steps": (first, logic, last)})
    async with rehearsing(flow, Script("go on", "there")) as call:
        reply = await call.say("hello")
        assert ran == [
            "First.on_enter", "First.on_response", "First.on_exit", "Logic.run_logic",
            "Last.on_enter", "Last.on_crossing", "Last.on_response",
        ]  # fmt: skip
        assert reply.text == "there"
        assert call.requests[1].messages[-1]["content"] == "None from Logic"
        assert errors(call.log) == []


async def test_crossing_is_told_what_the_route_brought_and_the_step_that_was_left() -> None:
    class From(Step):
        secret: int = 7

        @tool
        def leave(self, message: str | None = None) -> Any:
            """Leaves."""
            return go(To).with_message(message) if message else go(To)

    class To(Step):
        def on_crossing(self, message: str | None, prior: Step[Any]) -> str | None:
            return f"{message} / {type(prior).__name__} {prior.saved['secret']}"

    class Crossing(Flow):
        steps = (From, To)

    for arguments, expected in (({}, "None / From 7"), ({"message": "Hi"}, "Hi / From 7")):
        async with rehearsing(Crossing, Script(calls("leave", **arguments), "So.")) as call:
            await call.say("go")
            assert call.requests[1].messages[-1] == {"role": "user", "content": expected}
            assert datas(call.log, "cue.crossing") == [{"from": "From", "to": "To", "message": expected}]


async def test_without_a_crossing_hook_the_routes_message_is_what_the_new_model_hears() -> None:
    class From(Step):
        @tool
        def leave(self) -> Any:
            """Leaves."""
            return go(To).with_message("They wait.")

    class To(Step):
        pass

    class Crossing(Flow):
        steps = (From, To)

    async with rehearsing(Crossing, Script(calls("leave"), "So.")) as call:
        await call.say("go")
        assert call.requests[1].messages[-1] == {"role": "user", "content": "They wait."}
