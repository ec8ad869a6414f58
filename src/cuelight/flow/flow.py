"""Flows: agents whose stage is the step they are in."""

import inspect
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from cuelight.agent import Agent, Field, Reading, Setting, Tool
from cuelight.errors import DeclarationRefused, StageIsRouted, StepNotDefined
from cuelight.flow.misplaced import refuse_methods, refuse_settings
from cuelight.flow.registry import Registry, check_flow, read_registry
from cuelight.flow.step import Step, write_step

__all__ = ["Flow"]

S = TypeVar("S", bound=Step[Any])


class Cursor(Field):
    """Read the name of the step that a flow is in; only routes move it."""

    __slots__ = ()

    def __set__(self, instance: Any, value: Any) -> None:
        raise StageIsRouted(type(instance).__name__)


class Flow(Agent):
    """Govern a conversation of several steps: subclass this, and name its steps.

    A flow is an agent: its fields are state of the whole call, its tools are visible in every step unless they say
    otherwise, and what `render()` says stands before the step's prompt. `stage` is the name of the current step; a
    route that a handler returns moves it, and nothing else does.
    """

    __framework__ = True
    __own__ = Agent.__own__ | {"_steps"}
    __of_class__ = frozenset({"define_steps"})
    __stage_home__ = "`steps`"
    __no_stages__ = (
        "a flow has no stages before it has steps. Write `steps = (...)` in the same class, or leave out stage=..."
    )
    __settings__ = MappingProxyType(
        {
            **Agent.__settings__,
            "steps": Setting(lambda value: True, "a tuple of Step classes"),  # looked at where they are read
            "initial_step": Setting(lambda value: True, "one of the steps"),
        }
    )
    __registry__: ClassVar[Registry | None] = None

    steps: ClassVar[Sequence[type[Step[Any]]]] = ()
    """The steps of the flow: a registry, no graph. The first one opens the conversation."""
    initial_step: ClassVar[type[Step[Any]] | str | None] = None
    """The step that opens the conversation, where that is not the first."""

    _steps: dict[str, Step[Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        written = vars(cls).get("define_steps")
        if inspect.isfunction(written):  # it is asked of the class, also by a subclass that asks `super()`
            cls.define_steps = classmethod(written)  # type: ignore[method-assign, assignment]
        super().__init_subclass__(**options)

    @classmethod
    def __given__(cls, reading: Reading) -> dict[str, Field]:
        cls.__registry__ = registry = read_registry(cls, Flow, reading)
        return {} if registry is None else {"stage": registry.cursor(Cursor)}

    @classmethod
    def __vet__(cls, reading: Reading, fields: Mapping[str, Field], tools: tuple[Tool, ...]) -> None:
        hooks = ("get_prompt", "on_enter", "on_exit", "on_crossing", "on_response", "run_logic")
        refuse_methods(reading, hooks, "a hook of a Step; write it there")
        refuse_settings(reading, ("memory", "waits", "was"), "a setting of a Step; write it there")
        if cls.__registry__ is not None:
            check_flow(cls.__registry__, reading, fields, tools)

    if not TYPE_CHECKING:  # as in Stateful

        def __new__(cls, *args, **options):
            instance = super().__new__(cls, *args, **options)
            if cls.__registry__ is None:
                raise DeclarationRefused(
                    cls.__name__,
                    ["it has no steps; write `steps = (First, Second)`, or subclass it and write them there"],
                )
            object.__setattr__(instance, "_steps", {})
            for name, step in cls.__registry__.steps.items():
                made = step.__new__(step)
                object.__setattr__(made, "_flow", instance)
                made._cell.ledger = instance._cell.ledger
                instance._steps[name] = made
                made.__init__()
            return instance

    def __getstate__(self) -> Any:
        return (*super().__getstate__(), {name: step.__getstate__() for name, step in self._steps.items()})

    def __setstate__(self, state: Any) -> None:
        *own, steps = state
        super().__setstate__(tuple(own))
        for name, step in self._steps.items():
            step.__setstate__(steps[name])

    def define_steps(self) -> Sequence[type[Step[Any]]]:
        """Name the steps, where `steps` cannot; asked once, of the class, when it is created."""
        return self.steps

    if not TYPE_CHECKING:  # a checker that saw this would let nobody write it with `self`
        define_steps = classmethod(define_steps)

    @property
    def stage(self) -> str:
        """The name of the current step."""
        raise NotImplementedError

    @property
    def current(self) -> Step[Any]:
        """The current step."""
        return self._steps[self.stage]

    @overload
    def step(self, step: type[S]) -> S: ...
    @overload
    def step(self, step: str) -> Step[Any]: ...
    def step(self, step: type[Step[Any]] | str) -> Step[Any]:
        """Give a step of this flow, current or not, to read its state.

        Args:
            step: its class, or its name.

        Raises:
            StepNotDefined: when the flow does not register it.
        """
        name = step if isinstance(step, str) else getattr(step, "__name__", str(step))
        found = self._steps.get(name)
        if found is None or not (isinstance(step, str) or type(found) is step):
            raise StepNotDefined(name, type(self).__name__)
        return found

    def save_step_state(
        self, step: type[Step[Any]] | str, values: Mapping[str, Any] | None = None, /, **named: Any
    ) -> None:
        """Write state of any step, while the rest of it stays: what its `on_enter` is to see, before the move.

        Args:
            step: its class, or its name.
            values: by name, where names are data.
            named: the same, written as arguments.

        Raises:
            StepNotDefined: when the flow does not register the step.
            UndeclaredField, WrongType, OutsideHandler: as `Step.save_state`.
        """
        write_step(self.step(step), {**(values or {}), **named}, self._cell.running() or "save_step_state")
