"""Law 5 with steps: the hooks of a transition in their order, each on its own; what fails loses its writes alone."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from cuelight import DirectMessage, Flow, Limits, LogicStep, Step, TerminateSessionStep, direct, go, stay, tool
from cuelight.stores import MemoryStore
from cuelight.testing import Script, calls
from lawbook import FALLBACK, datas, entries, errors, heard, rehearsing, said, types

Act = Callable[[Any], Any]


class Hooked(Step):
    """Does in each hook what the flow was told to."""

    wrote: list[str] = []

    def on_enter(self) -> Any:
        return self._act("on_enter")

    async def on_exit(self) -> Any:
        result = self._act("on_exit")
        return await result if asyncio.iscoroutine(result) else result

    def on_crossing(self, message: str | None, prior: Step[Any]) -> Any:
        return self._act("on_crossing", message)

    def _act(self, hook: str, otherwise: Any = None) -> Any:
        self.wrote.append(hook)
        self.flow.order.append(f"{type(self).__name__}.{hook} in {self.flow.stage}")
        act = self.flow._acts.get(f"{type(self).__name__}.{hook}")
        return act(self) if act is not None else otherwise


class First(Hooked):
    @tool
    def leave(self) -> Any:
        """Leaves."""
        return go(Second).with_state(brought=1).with_prompt("Attached.").with_message("Hello.")

    @tool
    def leave_quietly(self) -> Any:
        """Leaves."""
        return go(Second)


class Second(Hooked):
    brought: int = 0


class Trip(Flow):
    """You guide."""

    steps = (First, Second, TerminateSessionStep)
    limits = Limits(tool_s=5)
    order: list[str] = []

    def __init__(self, acts: dict[str, Act]) -> None:
        self._acts = acts


def trip(**acts: Act) -> Callable[[], Trip]:
    """Make flows whose hooks act; names are written with one underscore in place of the point."""
    return lambda: Trip({name.replace("_", ".", 1): act for name, act in acts.items()})


def bursting(step: Any) -> None:
    step.flow.order.append("lost")
    raise RuntimeError("no")


TRANSITION = ["First.on_exit in First", "Second.on_enter in Second", "Second.on_crossing in Second"]
HOOKS = ["First_on_exit", "Second_on_enter", "Second_on_crossing"]


async def test_the_hooks_run_in_their_order_each_where_the_cursor_is() -> None:
    async with rehearsing(trip(), Script(calls("leave"), "So.")) as call:
        await call.say("go")
        assert call.agent.order == ["First.on_enter in First", *TRANSITION]
        (move,) = datas(call.log, "state.changed")[1:]
        assert move["changed"] == ["order", "First", "stage", "Second"]
        assert move["state"]["Second"]["_prompt"] == "Attached."


@pytest.mark.parametrize("broken", HOOKS)
async def test_a_hook_that_raises_loses_its_own_writes_and_nothing_else(broken: str) -> None:
    async with rehearsing(trip(**{broken: bursting}), Script(calls("leave"), "So.")) as call:
        reply = await call.say("go")
        assert reply.text == "So."
        assert call.agent.stage == "Second", "the move stands"
        step, hook = broken.split("_", 1)
        assert [line for line in TRANSITION if not line.startswith(f"{step}.{hook}")] == call.agent.order[1:]
        assert hook not in call.agent.step(step).saved["wrote"]
        assert (call.agent.step(Second).brought, call.agent.step(Second).get_prompt()) == (1, "Attached.")
        (error,) = datas(call.log, "error")
        assert error["code"] == "handler-raised"
        assert error["message"].startswith(f"{step}.{hook} raised RuntimeError")
        assert call.requests[1].messages[-1] == {"role": "user", "content": "Hello."}, "the message comes in any case"


@pytest.mark.parametrize("broken", HOOKS)
async def test_a_hook_that_runs_out_of_time_loses_its_own_writes_and_the_turn_goes_on(broken: str) -> None:
    begun, let_go = threading.Event(), threading.Event()

    def hang(step: Any) -> Any:
        begun.set()
        if broken == "First_on_exit":
            return asyncio.Event().wait()
        let_go.wait(10)
        return None

    async with rehearsing(trip(**{broken: hang}), Script(calls("leave"), "So.")) as call:
        saying = asyncio.create_task(call.say("go"))
        await asyncio.to_thread(begun.wait, 5)
        await call.advance(5)
        let_go.set()
        assert (await asyncio.wait_for(saying, 5)).text == "So."
        step, hook = broken.split("_", 1)
        assert call.agent.stage == "Second"
        assert not any(line.startswith(f"{step}.{hook}") for line in call.agent.order)
        assert errors(call.log) == ["handler-timeout"]
        assert f"{step}.{hook} ran out of time after 5 s" in datas(call.log, "error")[0]["message"]
        assert call.requests[1].messages[-1] == {"role": "user", "content": "Hello."}


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("route", [lambda: go(First), lambda: Second, lambda: stay("x"), lambda: direct("x")])
async def test_a_hook_of_a_transition_may_not_route(hook: str, route: Callable[[], Any]) -> None:
    async with rehearsing(trip(**{hook: lambda step: route()}), Script(calls("leave"), "So.")) as call:
        assert (await call.say("go")).text == "So."
        assert call.agent.stage == "Second"
        assert errors(call.log) == ["outside-handler"]
        assert datas(call.log, "error")[0]["message"].startswith(
            f"{hook.replace('_', '.', 1)} returned a route, but a move is being made already."
        )
        assert len(datas(call.log, "cue.route")) == 1


@pytest.mark.parametrize("value", [5, {"a": 1}, b"x", ["Hi"]])
async def test_what_crosses_is_text_or_nothing(value: Any) -> None:
    async with rehearsing(trip(Second_on_crossing=lambda step: value), Script(calls("leave"), "So.")) as call:
        await call.say("go")
        assert errors(call.log) == ["handler-raised"]
        assert "return text for the model, or None" in datas(call.log, "error")[0]["message"]
        assert datas(call.log, "cue.crossing") == [{"from": "First", "to": "Second", "message": "Hello."}]


@pytest.mark.parametrize("empty", ["", None])
async def test_a_crossing_hook_may_keep_a_message_from_the_model(empty: str | None) -> None:
    async with rehearsing(trip(Second_on_crossing=lambda step: empty), Script(calls("leave"), "So.")) as call:
        await call.say("go")
        assert datas(call.log, "cue.crossing") == [{"from": "First", "to": "Second"}]
        assert "Hello." not in str(call.requests[1].messages)


async def test_hooks_speak_note_and_ask_for_more_as_any_handler() -> None:
    acts: dict[str, Act] = {
        "First_on_exit": lambda step: step.call.speak("Leaving."),
        "Second_on_enter": lambda step: step.call.log("entered", {"a": 1}),
        "Second_on_crossing": lambda step: step.call.speak("Arrived.") or "Heard.",
    }
    async with rehearsing(trip(**acts), Script(calls("leave"), "So.")) as call:
        assert (await call.say("go")).text == "Leaving.\nArrived.\nSo."
        assert said(call.log) == [("code", "Leaving."), ("code", "Arrived."), ("model", "So.")]
        assert datas(call.log, "custom") == [{"name": "entered", "data": {"a": 1}}]


@pytest.mark.parametrize("hook", HOOKS)
async def test_a_hook_that_ends_the_call_ends_it_and_no_model_is_asked(hook: str) -> None:
    def end(step: Any) -> None:
        step.call.speak("Goodbye.")
        step.call.end("closed")

    async with rehearsing(trip(**{hook: end}), Script(calls("leave"))) as call:
        assert (await call.say("go")).text == "Goodbye."
        assert (call.state.status, datas(call.log, "call.ended")[0]["reason"]) == ("ended", "closed")
        assert len(call.requests) == 1


async def test_hooks_of_a_transition_are_no_tools() -> None:
    def name_tool(step: Any) -> None:
        step.flow.order.append(step.call.tool.name)

    async with rehearsing(trip(Second_on_enter=name_tool), Script(calls("leave"), "So.")) as call:
        await call.say("go")
        assert errors(call.log) == ["outside-handler"]


# --- at the opening ---------------------------------------------------------------------------------------------------


async def test_the_first_step_is_entered_before_the_state_is_complete_and_without_crossing() -> None:
    act = {"First_on_enter": lambda step: step.call.speak("Welcome.")}
    async with rehearsing(trip(**act), Script()) as call:
        assert call.agent.order == ["First.on_enter in First"]
        assert call.log[1].data["state"]["order"] == ["First.on_enter in First"]
        assert "cue.crossing" not in types(call.log)
        assert heard(call.log) == ["Welcome."]


async def test_a_call_that_is_given_a_step_opens_inside_it() -> None:
    async with rehearsing(trip(), Script(), state={"stage": "Second", "Second": {"brought": 4}}) as call:
        assert call.agent.order == []
        assert (call.agent.stage, call.agent.step(Second).brought) == ("Second", 4)


@pytest.mark.parametrize("broken", [True, False])
async def test_on_call_may_say_in_which_step_the_call_opens(broken: bool) -> None:
    class Opening(Trip):
        def on_call(self) -> Any:
            self.order.append("call")
            if broken:
                raise RuntimeError("no")
            return go(Second).with_state(brought=3).with_prompt("Attached.")

    async with rehearsing(lambda: Opening({}), Script()) as call:
        if broken:
            assert call.agent.order == ["First.on_enter in First"]
            assert errors(call.log) == ["handler-raised"]
        else:
            assert call.agent.order == ["call", "Second.on_enter in Second"]
            assert (call.agent.stage, call.agent.step(Second).brought) == ("Second", 3)
            assert len(entries(call.log, "state.changed")) == 1


# --- events -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asks", [True, False])
async def test_an_event_moves_with_hooks_and_speaks_where_it_asks_to(asks: bool) -> None:
    class Eventful(Trip):
        def on_event(self, name: str, data: dict[str, Any]) -> Any:
            if asks:
                self.call.reply("Say that they were moved.")
            return go(name).with_message("Moved from outside.")

    async with rehearsing(lambda: Eventful({}), Script("You were moved.")) as call:
        reply = await call.event("Second")
        assert call.agent.order[1:] == TRANSITION
        assert (reply.text, len(call.requests)) == (("You were moved.", 1) if asks else ("", 0))
        if asks:
            assert "Say that they were moved." in call.requests[0].view
            assert "Moved from outside." in str(call.requests[0].messages)


async def test_an_event_that_leads_to_the_end_is_said_goodbye_to() -> None:
    class Eventful(Trip):
        def on_event(self, name: str, data: dict[str, Any]) -> Any:
            return go(TerminateSessionStep).with_prompt("The office closes.")

    async with rehearsing(lambda: Eventful({}), Script("We are closing. Goodbye.")) as call:
        reply = await call.event("closing")
        assert reply.text == "We are closing. Goodbye."
        assert call.requests[0].view == "The office closes."
        assert call.state.status == "ended"


# --- steps of code ----------------------------------------------------------------------------------------------------


class Ask(Step):
    @tool
    def on(self) -> Any:
        """Goes on."""
        return go(Sort).with_message("Carried.").with_state(seen=1)


class Sort(LogicStep):
    seen: int = 0

    def on_enter(self) -> None:
        self.flow.order.append(f"enter {self.seen}")

    def on_crossing(self, message: str | None, prior: Step[Any]) -> str | None:
        self.flow.order.append(f"crossing {self.seen} {message}")
        return message and f"{message} Sorted."

    async def run_logic(self) -> Any:
        self.flow.order.append(f"logic {self.seen}")
        return self.flow._route()

    def on_exit(self) -> None:
        self.flow.order.append("exit")


class There(Step):
    pass


class Sorting(Flow):
    steps = (Ask, Sort, There, TerminateSessionStep)
    order: list[str] = []

    def __init__(self, route: Callable[[], Any] = lambda: go(There)) -> None:
        self._route = route


async def test_a_message_into_a_step_of_code_goes_on_with_the_route_out_of_it() -> None:
    async with rehearsing(Sorting, Script(calls("on"), "There.")) as call:
        await call.say("on")
        assert call.agent.order == ["enter 0", "crossing 1 Carried.", "logic 1", "exit"]
        assert call.requests[1].messages[-1] == {"role": "user", "content": "Carried. Sorted."}
        assert [data.get("message") for data in datas(call.log, "cue.crossing")] == [None, "Carried. Sorted."]


async def test_a_message_of_the_route_out_of_it_takes_the_others_place() -> None:
    async with rehearsing(lambda: Sorting(lambda: go(There).with_message("New.")), Script(calls("on"), "So.")) as call:
        await call.say("on")
        assert call.requests[1].messages[-1] == {"role": "user", "content": "New."}
        assert "Carried." not in str(call.requests[1].messages)


async def test_the_caller_hears_what_a_step_of_code_gives_directly() -> None:
    def route() -> Any:
        return go(There).with_message(DirectMessage({"rows": []}))

    async with rehearsing(lambda: Sorting(route), Script(calls("on"))) as call:
        reply = await call.say("on")
        assert (reply.content, call.agent.stage, len(call.requests)) == ({"rows": []}, "There", 1)


async def test_a_turn_that_is_answered_on_the_way_into_a_step_of_code_still_goes_through_it() -> None:
    """The answer ends the turn, not the way: the call rests where somebody can be."""

    class Answer(Step):
        @tool
        def on(self) -> Any:
            """Answers, and goes on."""
            return go(Sort).with_message(DirectMessage("Answered."))

        def on_response(self, text: str) -> Any:
            return go(Sort).with_message(DirectMessage("Decided."))

    class Answering(Sorting):
        steps = (Answer, Sort, There)

    for item, answer in ((calls("on"), "Answered."), ("words", "Decided.")):
        async with rehearsing(Answering, Script(item)) as call:
            assert (await call.say("on")).text == answer
            assert (call.agent.stage, len(call.requests)) == ("There", 1)


@pytest.mark.parametrize(
    ("route", "code"),
    [
        (lambda: None, "no-route"),
        (lambda: "There", "no-route"),
        (lambda: stay("x"), "no-route"),
        (lambda: go(Sort), "no-route"),
        (lambda: go("Nowhere"), "step-not-defined"),
        (lambda: go(There).with_state(nothing=object()), "wrong-type"),
        (lambda: 1 // 0, "handler-raised"),
    ],
)
async def test_a_step_of_code_that_leads_nowhere_is_told_and_tried_again_in_the_next_turn(
    route: Callable[[], Any], code: str
) -> None:
    tries: list[int] = []

    def first_time() -> Any:
        tries.append(1)
        return route() if len(tries) == 1 else go(There)

    async with rehearsing(lambda: Sorting(first_time), Script(calls("on"), "There.")) as call:
        assert (await call.say("on")).text == FALLBACK
        assert (call.agent.stage, len(call.requests)) == ("Sort", 1)
        assert errors(call.log) == [code]
        assert "Sort.run_logic" in datas(call.log, "error")[0]["message"] or code in ("step-not-defined", "wrong-type")
        assert (await call.say("again")).text == "There."
        assert call.agent.stage == "There"


async def test_a_call_that_opens_in_a_step_of_code_runs_it_before_the_first_word() -> None:
    class Opening(Sorting):
        initial_step = Sort

    async with rehearsing(Opening, Script("Hello.")) as call:
        assert call.agent.stage == "There"
        assert len(call.requests) == 0
        await call.say("hi")
        assert call.requests[0].stage == "There"


async def test_a_resumed_call_in_a_step_of_code_that_failed_tries_again_in_its_turn() -> None:
    store = MemoryStore()
    async with rehearsing(lambda: Sorting(lambda: None), Script(calls("on")), store=store) as call:
        await call.say("on")
    async with rehearsing(Sorting, Script("There."), store=store, resume=call.id) as again:
        assert (await again.say("again")).text == "There."
        assert again.agent.stage == "There"
