"""The steps of a flow class: read, checked, and held together with what follows from them."""

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from cuelight.agent import Field, JsonCoder, Reading, StateOptions, Tool, nearest, shown
from cuelight.flow.named import functions_of, named_classes
from cuelight.flow.step import LogicStep, Step

if TYPE_CHECKING:
    from cuelight.flow.flow import Flow

__all__ = ["Registry", "check_flow", "read_registry"]

_Steps = dict[str, type[Step[Any]]]


@dataclass(frozen=True, slots=True)
class Registry:
    """Hold the steps of a flow by name, in the order they are registered, and which of them opens it."""

    steps: Mapping[str, type[Step[Any]]]
    initial: str

    def cursor(self, kind: type[Field]) -> Field:
        """Make the field that says which step is current."""
        annotation = Literal[tuple(self.steps)]  # type: ignore[valid-type]
        field = kind("stage", annotation, JsonCoder((str,), "a step's name"), StateOptions(self.initial))
        field.default = msgspec.json.encode(self.initial)
        return field


def read_registry(flow: "type[Flow]", base: "type[Flow]", reading: Reading) -> Registry | None:
    """Read the steps of a flow class; None where it has none of its own yet, as a base of other flows.

    Args:
        flow: the class.
        base: the framework's own.
        reading: gets what is wrong.
    """
    source, given = _given(flow, base, reading)
    if source is None:
        return None
    steps = _registered(source, given, reading)
    if not steps:
        return None
    return Registry(steps, _initial(flow.initial_step, steps, reading))


def _given(flow: "type[Flow]", base: "type[Flow]", reading: Reading) -> tuple[str | None, Any]:
    """Give what a class says its steps are, and where it says so: nowhere, where it is a base or cannot be asked."""
    define = inspect.getattr_static(flow, "define_steps")
    if define is vars(base)["define_steps"]:
        written = any("steps" in vars(cls) for cls in flow.__mro__ if cls is not base)
        return ("`steps`" if written else None), flow.steps
    function = define.__func__ if isinstance(define, classmethod) else define
    if inspect.iscoroutinefunction(function):
        reading.refuse(
            "`define_steps` is async, but asked when the class is created, so it may wait for nothing; write "
            "`def define_steps(self)`"
        )
    elif inspect.isfunction(function):  # what else it is, is refused with the other names
        try:
            return "what define_steps() gives", function(flow)
        except Exception as error:  # the author's code
            reading.refuse(
                f"define_steps() raised {type(error).__name__} ({error}); it is asked once, of the class, when that is "
                "created: name steps that are defined before the flow, and nothing of an instance"
            )
    return None, None


def _registered(source: str, given: Any, reading: Reading) -> _Steps:
    if not isinstance(given, tuple | list):
        reading.refuse(f"{source} is {shown(given)}; write a tuple of Step classes, as in `steps = (First, Second)`")
        return {}
    if not given:
        reading.refuse(f"{source} is empty; name the Step classes that the conversation has")
    steps: _Steps = {}
    for step in given:
        if not (isinstance(step, type) and issubclass(step, Step)):
            reading.refuse(f"{source} holds {shown(step)}, which is no Step class")
        elif "__framework__" in vars(step):
            reading.refuse(f"{source} holds {step.__name__} itself; subclass it, and name the subclass")
        elif step is steps.get(step.__name__):
            reading.refuse(f"{source} holds {step.__name__} twice; name each step once")
        elif step.__name__ in steps:
            reading.refuse(
                f"{source} holds two classes called {step.__name__}; a step is known by its name, so rename one of them"
            )
        else:
            steps[step.__name__] = step
    return steps


def _initial(initial: Any, steps: _Steps, reading: Reading) -> str:
    if initial is None:
        return next(iter(steps))
    name = initial if isinstance(initial, str) else getattr(initial, "__name__", "")
    if name in steps and (isinstance(initial, str) or steps[name] is initial):
        return name
    if name in steps:
        reading.refuse(f"`initial_step` is another class called {name} than the one in its steps; name that one")
    else:
        said = repr(initial) if isinstance(initial, str) else name or shown(initial)
        reading.refuse(
            f"`initial_step` is {said}, which is none of its steps{nearest(name, steps)}; they are {', '.join(steps)}"
        )
    return next(iter(steps))


def check_flow(registry: Registry, reading: Reading, fields: Mapping[str, Field], tools: tuple[Tool, ...]) -> None:
    """Note where the steps do not fit the flow, or each other."""
    for name, step in registry.steps.items():
        # A step that is written in the body of the flow is an attribute of it, and no other one.
        if name in fields or inspect.getattr_static(reading.cls, name, step) is not step:
            reading.refuse(f"step {name} has the name of an attribute of the flow; rename one of the two")
        for old in step.was:
            if old in registry.steps or any(old in one.was for one in registry.steps.values() if one is not step):
                reading.refuse(f"step {name}: `was` names {old}, which is another step's name; a renamed one is gone")
        for tool in step.__declaration__.tools:
            for other in tools:
                if tool.name == other.name and other.shown_in(name):
                    reading.refuse(
                        f"tool `{tool.name}` of step {name} and tool `{other.method}` of the flow have one name and "
                        "would be visible together; give one another name with @tool(name=...), or the flow's tool a "
                        "stage=... without this step"
                    )
    for place, named in _strangers(registry, reading):
        reading.refuse(
            f"{place} names {named.__name__}, which is none of the flow's steps; add {named.__name__} to `steps`, or "
            "correct the handler"
        )


def _strangers(registry: Registry, reading: Reading) -> Iterator[tuple[str, type]]:
    """Give the Step classes that handlers name and the flow does not register, each with where it is named."""
    known = tuple(registry.steps.values())
    seen: set[tuple[str, type]] = set()
    for place, function in _handlers(registry, reading):
        for named, routes in named_classes(function):
            if not issubclass(named, Step) or named in known or (place, named) in seen:
                continue
            # A base that steps share may be named, to ask of what kind a step is or to call what it defines.
            if routes or not (named in (Step, LogicStep) or any(issubclass(step, named) for step in known)):
                seen.add((place, named))
                yield place, named


def _handlers(registry: Registry, reading: Reading) -> Iterator[tuple[str, FunctionType]]:
    for base in reading.line:
        for name, function in functions_of(base):
            if name != "define_steps":
                yield f"`{name}` of the flow", function
    for step_name, step in registry.steps.items():
        for base in step.__mro__:
            if issubclass(base, Step) and "__framework__" not in vars(base):
                for name, function in functions_of(base):
                    yield f"`{name}` of step {step_name}", function
