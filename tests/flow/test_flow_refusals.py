"""A flow or a step that could not work is refused when its class is created, in words that say what to do."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest

from cuelight import Agent, DeclarationRefused, Flow, LogicStep, Step, TerminateSessionStep, go, tool
from cuelight.errors import AuthorError


def problems(make: Callable[[], Any]) -> list[str]:
    """Give what is wrong with the class that a function makes."""
    with pytest.raises(DeclarationRefused) as refused:
        make()
    return list(refused.value.problems)


def flow(**body: Any) -> type[Flow]:
    return type("Shop", (Flow,), body)


def step(**body: Any) -> type[Step[Any]]:
    return type("Seat", (Step,), body)


def logic(**body: Any) -> type[LogicStep[Any]]:
    return type("Sort", (LogicStep,), body)


def goodbye(**body: Any) -> type[TerminateSessionStep[Any]]:
    return type("Bye", (TerminateSessionStep,), body)


def annotated(name: str, annotation: Any, *value: Any) -> dict[str, Any]:
    return {"__annotations__": {name: annotation}, **({name: value[0]} if value else {})}


class First(Step):
    @tool
    def on(self) -> Any:
        """Goes on."""
        return go(Second)


class Second(Step):
    @tool(name="renamed")
    def back(self) -> Any:
        """Goes back."""
        return First


BOTH = (First, Second)
OTHER_FIRST = type("First", (Step,), {})


async def waiting(self: Any) -> Any:
    return BOTH


def made() -> Iterator[type[Step[Any]]]:
    yield from BOTH


# --- the registry -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ((), "`steps` is empty; name the Step classes that the conversation has"),
        ([], "`steps` is empty; name the Step classes that the conversation has"),
        (None, "`steps` is None; write a tuple of Step classes, as in `steps = (First, Second)`"),
        ("First", "`steps` is 'First'; write a tuple of Step classes, as in `steps = (First, Second)`"),
        ({First}, f"`steps` is {{{First!r}}}; write a tuple of Step classes, as in `steps = (First, Second)`"),
        (("First",), "`steps` holds 'First', which is no Step class"),
        ((5, First, Second), "`steps` holds 5, which is no Step class"),
        ((Agent, First, Second), "`steps` holds <class 'cuelight.agent.agent.Agent'>, which is no Step class"),
        ((Step, First, Second), "`steps` holds Step itself; subclass it, and name the subclass"),
        ((First, Second, LogicStep), "`steps` holds LogicStep itself; subclass it, and name the subclass"),
        ((First, Second, First), "`steps` holds First twice; name each step once"),
        (
            (First, Second, OTHER_FIRST),
            "`steps` holds two classes called First; a step is known by its name, so rename one of them",
        ),
    ],
)
def test_what_is_no_registry_is_refused(steps: Any, problem: str) -> None:
    assert problems(lambda: flow(steps=steps)) == [problem]


def test_a_generator_is_no_registry_since_it_can_be_read_once_only() -> None:
    (problem,) = problems(lambda: flow(steps=made()))
    assert problem.startswith("`steps` is <generator object made")
    assert problem.endswith("write a tuple of Step classes, as in `steps = (First, Second)`")


def test_a_step_that_is_an_instance_is_refused() -> None:
    (problem,) = problems(lambda: flow(steps=(First(), *BOTH)))
    assert problem.endswith("which is no Step class")


def test_what_the_framework_makes_whole_may_be_registered_as_it_is() -> None:
    assert flow(steps=(*BOTH, TerminateSessionStep))().stage == "First"


@pytest.mark.parametrize(
    ("define", "problem"),
    [
        (
            lambda self: None,
            "what define_steps() gives is None; write a tuple of Step classes, as in `steps = (First, ",
        ),
        (lambda self: (), "what define_steps() gives is empty; name the Step classes that the conversation has"),
        (lambda self: (First, 5, Second), "what define_steps() gives holds 5, which is no Step class"),
        (lambda self: 1 // 0, "define_steps() raised ZeroDivisionError (integer division or modulo by zero); it is "),
        (lambda self: self.nowhere, "define_steps() raised AttributeError (type object 'Shop' has no attribute "),
        (lambda: BOTH, "define_steps() raised TypeError ("),
        (classmethod(lambda cls: 1 // 0), "define_steps() raised ZeroDivisionError ("),
        (waiting, "`define_steps` is async, but asked when the class is created, so it may wait for nothing; write "),
        (property(lambda self: BOTH), "`define_steps` is a property, but a method of every Flow; write "),
        (staticmethod(lambda: BOTH), "`define_steps` is <staticmethod("),
        (BOTH, "`define_steps` is (<class "),
    ],
)
def test_a_define_steps_that_cannot_be_asked_is_refused(define: Any, problem: str) -> None:
    assert problems(lambda: flow(define_steps=define))[0].startswith(problem)


def test_why_define_steps_is_asked_of_the_class_is_said_where_it_raises() -> None:
    (problem,) = problems(lambda: flow(define_steps=lambda self: 1 // 0))
    assert problem.endswith(
        "it is asked once, of the class, when that is created: name steps that are defined before the flow, and "
        "nothing of an instance"
    )


def test_a_flow_without_steps_is_a_base_that_cannot_be_opened() -> None:
    base = flow(count=5)
    with pytest.raises(DeclarationRefused) as refused:
        base()
    assert refused.value.problems == (
        "it has no steps; write `steps = (First, Second)`, or subclass it and write them there",
    )
    assert type("Sub", (base,), {"steps": BOTH})().stage == "First"
    for cls in (Flow, Step, LogicStep):
        with pytest.raises(AuthorError, match="is a base: subclass it"):
            cls()


@pytest.mark.parametrize(
    ("initial", "problem"),
    [
        ("Third", "`initial_step` is 'Third', which is none of its steps; they are First, Second"),
        (
            "Secnd",
            "`initial_step` is 'Secnd', which is none of its steps; did you mean `Second`?; they are First, Seco",
        ),
        (TerminateSessionStep, "`initial_step` is TerminateSessionStep, which is none of its steps; they are First, "),
        (OTHER_FIRST, "`initial_step` is another class called First than the one in its steps; name that one"),
        (5, "`initial_step` is 5, which is none of its steps; they are First, Second"),
    ],
)
def test_an_initial_step_that_is_none_of_the_steps_is_refused(initial: Any, problem: str) -> None:
    (found,) = problems(lambda: flow(steps=BOTH, initial_step=initial))
    assert found.startswith(problem)


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        annotated("First", int, 1),
        {"First": 5},
        {"First": property(lambda self: 5)},
        {"First": lambda self: 5},
        {"First": OTHER_FIRST},
    ],
)
def test_a_step_may_not_have_the_name_of_something_else_of_the_flow(body: dict[str, Any]) -> None:
    problem = "step First has the name of an attribute of the flow; rename one of the two"
    assert problems(lambda: flow(steps=BOTH, **body)) == [problem]
    base = type("Base", (Flow,), body)
    assert problems(lambda: type("Shop", (base,), {"steps": BOTH})) == [problem]


def test_a_step_may_not_have_the_name_of_a_member_of_every_flow() -> None:
    current = type("current", (Step,), {})
    (problem,) = problems(lambda: flow(steps=(current,)))
    assert problem == "step current has the name of an attribute of the flow; rename one of the two"


def test_a_step_may_be_written_in_the_body_of_its_flow() -> None:
    class Shop(Flow):
        class Inner(Step):
            pass

        steps = (Inner,)

    assert Shop().current.saved == {}
    assert type("Same", (Shop,), {})().stage == "Inner"


@pytest.mark.parametrize("annotation", [str, Literal["First", "Second"]])
def test_a_flow_declares_no_stage_of_its_own(annotation: Any) -> None:
    (problem,) = problems(lambda: flow(steps=BOTH, **annotated("stage", annotation, "First")))
    assert problem == "field `stage` has the name of a member of every Flow; give it another name"


@pytest.mark.parametrize("name", ["stage", "current"])
def test_names_that_every_flow_has_are_kept(name: str) -> None:
    (problem,) = problems(lambda: flow(steps=BOTH, **{name: 5}))
    assert problem == f"`{name}` is the name of a member of every Flow; give it another name"


@pytest.mark.parametrize("name", ["_steps", "_cell", "_call"])
def test_underscore_names_of_a_flow_that_are_cuelights_own(name: str) -> None:
    (problem,) = problems(lambda: flow(steps=BOTH, **{name: 5}))
    assert problem == f"`{name}` is a name of Cuelight's own; give it another one"


@pytest.mark.parametrize("name", ["_flow", "_prompt", "_kept", "_cell", "_call"])
def test_underscore_names_of_a_step_that_are_cuelights_own(name: str) -> None:
    for body in ({name: 5}, annotated(name, int, 5)):
        assert problems(lambda body=body: step(**body)) == [
            f"`{name}` is a name of Cuelight's own; give it another one"
        ]


@pytest.mark.parametrize("name", ["flow", "call", "saved"])
def test_names_that_every_step_has_are_kept(name: str) -> None:
    assert problems(lambda: step(**{name: 5})) == [
        f"`{name}` is the name of a member of every Step; give it another name"
    ]
    (problem,) = problems(lambda: step(**annotated(name, int, 5)))
    assert problem == f"field `{name}` has the name of a member of every Step; give it another name"


@pytest.mark.parametrize("name", ["on_enter", "on_exit", "get_prompt", "forget"])
def test_hooks_are_methods(name: str) -> None:
    (problem,) = problems(lambda: step(**{name: 5}))
    assert problem == f"`{name}` is 5, but a method of every Step; write `def {name}(self)`"
    (problem,) = problems(lambda: step(**{name: tool(lambda self: None)}))
    assert problem == f"tool `{name}` has the name of a member of every Step; give the method another name"


@pytest.mark.parametrize(
    ("name", "hook", "definition"),
    [
        ("on_enter", lambda self, more: None, "on_enter(self)"),
        ("on_exit", lambda: None, "on_exit(self)"),
        ("on_crossing", lambda self, message: None, "on_crossing(self, message, prior)"),
        ("on_response", lambda self: None, "on_response(self, text)"),
        ("get_prompt", lambda self, more: "", "get_prompt(self)"),
    ],
)
def test_hooks_take_what_they_are_called_with(name: str, hook: Any, definition: str) -> None:
    (problem,) = problems(lambda: step(**{name: hook}))
    assert problem == f"`{name}` is called with other arguments than it takes; write `def {definition}`"


def test_the_prompt_of_a_step_may_wait_for_nothing() -> None:
    assert problems(lambda: step(get_prompt=waiting)) == [
        "`get_prompt` is async, but asked before every request, so it may wait for nothing; write "
        "`def get_prompt(self)`"
    ]


# --- settings and state of steps --------------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", [5, "", "  ", ("a",)])
def test_a_memory_is_a_name(memory: Any) -> None:
    (problem,) = problems(lambda: step(memory=memory))
    assert problem == (
        f"`memory` is {memory!r}; write the name of a history, as in `memory = 'diagnosis'`, or None for the call's own"
    )


@pytest.mark.parametrize("waits", [1, "yes", None])
def test_waiting_is_yes_or_no(waits: Any) -> None:
    assert problems(lambda: step(waits=waits)) == [f"`waits` is {waits!r}; write True or False"]


@pytest.mark.parametrize("name", ["memory", "waits"])
def test_a_setting_of_a_step_has_no_annotation(name: str) -> None:
    (problem,) = problems(lambda: step(**annotated(name, Any, None)))
    assert problem == f"field `{name}` has the name of a setting; to set that, leave out the annotation: `{name} = ...`"


def test_a_step_is_a_stage_and_has_none() -> None:
    (problem,) = problems(lambda: step(**annotated("stage", Literal["a"], "a")))
    assert problem == "field `stage` has the name of a member of every Step; give it another name"


@pytest.mark.parametrize("stage", ["First", First, ("First", Second)])
def test_a_tool_of_a_step_is_visible_in_its_step_and_names_no_stage(stage: Any) -> None:
    named = ", ".join(repr(getattr(s, "__name__", s)) for s in (stage if isinstance(stage, tuple) else (stage,)))
    (problem,) = problems(lambda: step(look=tool(stage=stage)(lambda self: None)))
    assert problem == (
        f"tool `look` is for stage {named}, but a Step has no stages: its tools are visible while it is the current "
        "one. Leave out stage=..., or write when=... in its place"
    )


@pytest.mark.parametrize("init", [lambda self, service: None, lambda self, *, service: None])
def test_a_step_is_made_without_arguments(init: Any) -> None:
    assert problems(lambda: step(__init__=init)) == [
        "`__init__` takes arguments, but the flow makes its steps without any; give services to the flow, and read "
        "them as `self.flow`"
    ]


def test_a_step_may_prepare_itself_where_that_takes_nothing() -> None:
    class Prepared(Step):
        def __init__(self, *args: Any, service: str = "none", **more: Any) -> None:
            self._service = service

    assert flow(steps=(Prepared,))().current._service == "none"


def test_all_problems_of_a_step_are_raised_together() -> None:
    found = problems(
        lambda: step(
            memory=5,
            waits=2,
            on_enter=3,
            get_prompt=waiting,
            __init__=lambda self, x: None,
            look=tool(stage="a")(lambda self: None),
        )
    )
    assert len(found) >= 6


# --- steps of code, and the last one ----------------------------------------------------------------------------------


def test_a_step_of_code_says_where_it_leads_and_asks_nobody() -> None:
    assert problems(logic) == [
        "it has no `run_logic`, so it leads nowhere; write `def run_logic(self)`, which returns go(...)"
    ]
    found = problems(
        lambda: logic(
            run_logic=lambda self: go(First), get_prompt=lambda self: "x", on_response=lambda self, text: text,
            memory="own", waits=True, look=tool(lambda self: None),
        )
    )  # fmt: skip
    assert found == [
        "`on_response` is never asked, since a LogicStep asks no model; leave it out, or make it a Step",
        "`get_prompt` is never asked, since a LogicStep asks no model; leave it out, or make it a Step",
        "tool `look` could never be called, since a LogicStep asks no model; move it to a Step",
        "`memory` means nothing in a LogicStep, which neither asks nor listens; leave it out",
        "`waits` means nothing in a LogicStep, which neither asks nor listens; leave it out",
    ]


@pytest.mark.parametrize(
    ("run_logic", "problem"),
    [
        (lambda self, more: None, "`run_logic` is called with other arguments than it takes; write `def run_logic("),
        (property(lambda self: None), "`run_logic` is a property, but a method of every LogicStep; write "),
        (5, "`run_logic` is 5, but a method of every LogicStep; write `def run_logic(self)`"),
    ],
)
def test_run_logic_is_a_method_without_arguments(run_logic: Any, problem: str) -> None:
    (found,) = problems(lambda: logic(run_logic=run_logic))
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"fallback_line": " "}, "`fallback_line` is ' '; write a line that can be spoken"),
        ({"reason": 5}, "`reason` is 5; write a word, as in 'done'"),
        (
            annotated("reason", str, "done"),
            "field `reason` has the name of a setting; leave out the annotation: `reason = ...`",
        ),
        (
            {"look": tool(lambda self: None)},
            "tool `look` could never be called, since the goodbye is asked for without tools; move it to another Step",
        ),
    ],
)
def test_the_last_step_can_say_goodbye(body: dict[str, Any], problem: str) -> None:
    assert problems(lambda: goodbye(**body)) == [problem]


# --- tools of the flow ------------------------------------------------------------------------------------------------


def named_tool(method: str, /, **options: Any) -> Any:
    def run(self: Any) -> None: ...

    run.__name__ = method
    return tool(**options)(run)


def test_tools_of_one_name_in_the_flow_and_a_step_may_not_be_visible_together() -> None:
    end = (
        "have one name and would be visible together; give one another name with @tool(name=...), or the flow's tool a "
        "stage=... without this step"
    )
    assert problems(lambda: flow(steps=BOTH, on=named_tool("on"), look=named_tool("look", name="renamed"))) == [
        f"tool `on` of step First and tool `on` of the flow {end}",
        f"tool `renamed` of step Second and tool `look` of the flow {end}",
    ]
    assert len(flow(steps=BOTH, on=named_tool("on", stage=Second)).__declaration__.tools) == 1


@pytest.mark.parametrize("stage", ["Third", TerminateSessionStep, ("First", "Third")])
def test_a_tool_of_the_flow_names_steps_that_it_has(stage: Any) -> None:
    name = "TerminateSessionStep" if stage is TerminateSessionStep else "Third"
    assert problems(lambda: flow(steps=BOTH, look=named_tool("look", stage=stage))) == [
        f"tool `look` is for stage {name!r}, which Shop does not have; its stages are 'First', 'Second'. Add {name!r} "
        "to `steps`, or correct the tool"
    ]


def test_a_tool_of_a_base_of_flows_cannot_name_steps_that_are_not_there_yet() -> None:
    assert problems(lambda: flow(look=named_tool("look", stage=First))) == [
        "tool `look` is for stage 'First', but a flow has no stages before it has steps. Write `steps = (...)` in the "
        "same class, or leave out stage=..."
    ]


def test_all_problems_of_a_flow_are_raised_together() -> None:
    found = problems(
        lambda: flow(
            steps=(First,), initial_step="Third", First=5, on=named_tool("on"), look=named_tool("l", stage="x")
        )
    )
    assert len(found) == 5
    assert "names Second, which is none of the flow's steps" in found[-1]
