"""A Step class that a handler names and the flow does not register is refused; a class that is no target is not.

What a function names is read from its code object, so it is found wherever it stands, and without the source.
"""

import functools
import types
from collections.abc import Callable
from typing import Any

import pytest

from cuelight import DeclarationRefused, Flow, LogicStep, Step, TerminateSessionStep, go, stay, tool
from cuelight.testing import Script, calls
from lawbook import datas, errors, rehearsing


class Home(Step):
    pass


class Stranger(Step):
    pass


class Question(Step):
    """A base that steps share."""

    asked: int = 0


class Age(Question):
    pass


elsewhere = types.ModuleType("elsewhere")
elsewhere.Stranger = Stranger  # type: ignore[attr-defined]
elsewhere.inner = types.ModuleType("inner")  # type: ignore[attr-defined]
elsewhere.inner.Stranger = Stranger

UNREGISTERED = "which is none of the flow's steps; add {0} to `steps`, or correct the handler"


def refusal(make: Callable[[], Any]) -> list[str]:
    with pytest.raises(DeclarationRefused) as refused:
        make()
    return list(refused.value.problems)


def with_tool(function: Any, *more: type[Step[Any]]) -> type[Flow]:
    """Make a flow whose only step has a tool with this body."""
    function.__name__ = "leave"
    return with_member("leave", tool(function), *more)


def with_member(name: str, member: Any, *more: type[Step[Any]]) -> type[Flow]:
    step = type("Start", (Step,), {name: member})
    return type("Trip", (Flow,), {"steps": (step, Home, *more)})


# --- refused ----------------------------------------------------------------------------------------------------------


def in_go(self: Any) -> Any:
    return go(Stranger)


def with_builders(self: Any) -> Any:
    return go(Stranger).with_tool_feedback("x").with_prompt("y")


def bare(self: Any) -> Any:
    return Stranger


def one_of_two(self: Any, there: bool) -> Any:
    return go(Home if there else Stranger)


def one_of_two_bare(self: Any, there: bool) -> Any:
    return Home if there else Stranger


def through_a_module(self: Any) -> Any:
    return go(elsewhere.Stranger)  # type: ignore[attr-defined]


def through_two_modules(self: Any) -> Any:
    return elsewhere.inner.Stranger  # type: ignore[attr-defined]


def kept_first(self: Any) -> Any:
    target = Stranger
    return go(target)


def in_a_nested_function(self: Any) -> Any:
    def decide() -> Any:
        return go(Stranger)

    return decide()


def in_a_lambda(self: Any) -> Any:
    return (lambda: Stranger)()


def in_a_comprehension(self: Any) -> Any:
    return next(go(Stranger) for _ in range(1))


def in_a_table(self: Any, word: str) -> Any:
    return {"a": Home, "b": Stranger}.get(word, stay("Which?"))


def saved(self: Any) -> None:
    self.flow.save_step_state(Stranger, {})


def looked_up(self: Any) -> Any:
    return self.flow.step(Stranger).saved


def on_one_branch(self: Any, n: int) -> Any:
    match n:
        case 1:
            return go(Home)
        case _ if n > 5:
            try:
                return stay()
            finally:
                go(Stranger)
    return None


async def waiting(self: Any) -> Any:
    return go(Stranger)


@pytest.mark.parametrize(
    "body",
    [
        in_go, with_builders, bare, one_of_two, one_of_two_bare, through_a_module, through_two_modules, kept_first,
        in_a_nested_function, in_a_lambda, in_a_comprehension, in_a_table, saved, looked_up, on_one_branch, waiting,
    ],
    ids=lambda body: body.__name__,
)  # fmt: skip
def test_a_step_class_that_the_flow_does_not_register_is_refused(body: Any) -> None:
    def fresh() -> Any:
        return types.FunctionType(body.__code__, body.__globals__, "leave", body.__defaults__, body.__closure__)

    def annotated() -> Any:
        function = fresh()
        function.__annotations__ = dict(body.__annotations__)
        return function

    assert refusal(lambda: with_tool(annotated())) == [
        f"`leave` of step Start names Stranger, {UNREGISTERED.format('Stranger')}"
    ]
    assert with_tool(annotated(), Stranger)().stage == "Start"


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("on_enter", lambda self: go(Stranger)),
        ("on_exit", lambda self: Stranger),
        ("on_crossing", lambda self, message, prior: go(Stranger)),
        ("on_response", lambda self, text: Stranger),
        ("_decide", lambda self: go(Stranger)),
        ("decide", staticmethod(lambda: go(Stranger))),
        ("decide", classmethod(lambda cls: go(Stranger))),
        ("target", property(lambda self: Stranger)),
    ],
)
def test_hooks_helper_methods_and_properties_are_read_too(name: str, member: Any) -> None:
    (problem,) = [p for p in refusal(lambda: with_member(name, member)) if "property" not in p]
    assert problem == f"`{name}` of step Start names Stranger, {UNREGISTERED.format('Stranger')}"


def test_a_wrapped_function_is_read_through_its_wrapper() -> None:
    def noted(function: Any) -> Any:
        @functools.wraps(function)
        def run(*args: Any, **options: Any) -> Any:
            return function(*args, **options)

        return run

    def leave(self: Any) -> Any:
        return go(Stranger)

    (problem,) = refusal(lambda: with_tool(noted(leave)))
    assert problem.startswith("`leave` of step Start names Stranger")


def test_the_hooks_and_tools_of_the_flow_itself_are_read() -> None:
    for name, member in (
        ("on_event", lambda self, name, data: go(Stranger)),
        ("on_call", lambda self: Stranger),
        ("render", lambda self: str(self.step(Stranger))),
    ):
        assert refusal(lambda name=name, member=member: type("Trip", (Flow,), {"steps": (Home,), name: member})) == [
            f"`{name}` of the flow names Stranger, {UNREGISTERED.format('Stranger')}"
        ]


def test_what_a_step_and_a_flow_inherit_is_read() -> None:
    base = type("Base", (Step,), {"_decide": lambda self: go(Stranger)})
    step = type("Start", (base,), {})
    assert refusal(lambda: type("Trip", (Flow,), {"steps": (step,)})) == [
        f"`_decide` of step Start names Stranger, {UNREGISTERED.format('Stranger')}"
    ]
    flow = type("Flows", (Flow,), {"on_call": lambda self: Stranger})
    (problem,) = refusal(lambda: type("Trip", (flow,), {"steps": (Home,)}))
    assert problem.startswith("`on_call` of the flow names Stranger")


def test_classes_that_are_made_inside_a_function_are_found_in_its_cells() -> None:
    class Near(Step):
        pass

    class Start(Step):
        @tool
        def leave(self) -> Any:
            return go(Near)

        @tool
        def leave_inside(self) -> Any:
            return next(go(Near) for _ in "x")

    assert refusal(lambda: type("Trip", (Flow,), {"steps": (Start,)})) == [
        f"`{name}` of step Start names Near, {UNREGISTERED.format('Near')}" for name in ("leave", "leave_inside")
    ]
    assert type("Trip", (Flow,), {"steps": (Start, Near)})().stage == "Start"


def test_a_handler_is_told_of_once_for_each_class_it_names() -> None:
    def leave(self: Any, n: int) -> Any:
        return go(Stranger) if n > 1 else go(Stranger) if n else go(Age)

    assert [problem.partition(",")[0] for problem in refusal(lambda: with_tool(leave))] == [
        "`leave` of step Start names Stranger", "`leave` of step Start names Age",
    ]  # fmt: skip


def test_the_framework_s_own_steps_are_targets_only_where_they_can_be() -> None:
    assert refusal(lambda: with_tool(lambda self: go(TerminateSessionStep))) == [
        f"`leave` of step Start names TerminateSessionStep, {UNREGISTERED.format('TerminateSessionStep')}"
    ]
    (problem,) = refusal(lambda: with_tool(lambda self: go(LogicStep)))
    assert "names LogicStep" in problem


def test_a_base_that_stands_where_a_route_leads_is_refused_although_steps_share_it() -> None:
    for body in (lambda self: go(Question), lambda self: Question):
        (problem,) = refusal(lambda body=body: with_tool(body, Age))
        assert problem.startswith("`leave` of step Start names Question")


# --- not refused ------------------------------------------------------------------------------------------------------


def asks_of_what_kind(self: Any, prior: Any) -> Any:
    return go(Home) if isinstance(prior, Question | LogicStep) or issubclass(type(prior), Step) else stay()


def calls_what_a_base_defines(self: Any) -> Any:
    return Question.get_prompt(self)


def calls_the_next_in_line(self: Any) -> Any:
    return super(Question, self).get_prompt()


def names_the_type_of_a_local(self: Any) -> Any:
    found: Stranger | None = None
    return found


def names_what_is_not_there_yet(self: Any) -> Any:
    return go(LaterOn)  # type: ignore[name-defined] # noqa: F821


def names_an_attribute(self: Any) -> Any:
    return go(self.flow.target.Stranger)


def names_a_word(self: Any) -> Any:
    return go("Stranger")


def names_a_class_that_is_no_step(self: Any) -> Any:
    return dict, Callable


@pytest.mark.parametrize(
    "body",
    [
        asks_of_what_kind, calls_what_a_base_defines, calls_the_next_in_line, names_the_type_of_a_local,
        names_what_is_not_there_yet, names_an_attribute, names_a_word, names_a_class_that_is_no_step,
    ],
    ids=lambda body: body.__name__,
)  # fmt: skip
def test_a_class_that_is_no_target_is_left_alone(body: Any) -> None:
    assert with_member("_helper", body, Age)().stage == "Start"


def test_super_names_no_target() -> None:
    class Base(Step):
        def get_prompt(self) -> str | None:
            return super().get_prompt() or "Hello."

    class Start(Base):
        def get_prompt(self) -> str | None:
            return super().get_prompt()

        def on_enter(self) -> None:
            assert __class__ is Start  # type: ignore[name-defined]
            return super().on_enter()

    assert type("Trip", (Flow,), {"steps": (Start,)})().current.get_prompt() == "Hello."


def test_what_define_steps_names_is_the_registry_and_no_handler() -> None:
    class Trip(Flow):
        def define_steps(self) -> Any:
            return [step for step in (Home, Stranger) if step is not Stranger]

    assert list(Trip()._steps) == ["Home"]


async def test_a_name_that_is_bound_later_is_left_to_the_transition_which_refuses_it() -> None:
    class Start(Step):
        @tool
        def leave(self) -> Any:
            """Leaves."""
            return go(Bound)

    class Trip(Flow):
        steps = (Start, Home)

    class Bound(Step):
        pass

    async with rehearsing(Trip, Script(calls("leave"), "Sorry.")) as call:
        await call.say("go")
        assert call.agent.stage == "Start"
        assert errors(call.log) == ["step-not-defined"]
        assert datas(call.log, "error")[0]["message"] == "Step 'Bound' is not defined in flow 'Trip'."


async def test_another_class_of_a_registered_name_is_not_that_step() -> None:
    other = type("Home", (Step,), {})

    class Start(Step):
        @tool
        def leave(self) -> Any:
            """Leaves."""
            return go([other][0])

    assert refusal(lambda: type("Trip", (Flow,), {"steps": (Start, Home)}))
    found = [other]

    class Late(Step):
        @tool
        def leave(self) -> Any:
            """Leaves."""
            return go(found[0])

    class Trip(Flow):
        steps = (Late, Home)

    async with rehearsing(Trip, Script(calls("leave"), "Sorry.")) as call:
        await call.say("go")
        assert call.agent.stage == "Late"
        assert datas(call.log, "error")[0]["message"] == "Step 'Home' is not defined in flow 'Trip'."
