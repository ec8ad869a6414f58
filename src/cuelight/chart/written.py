"""What an author wrote: the methods of an agent and of its steps, each read as its class has it."""

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from cuelight.agent import Agent
from cuelight.chart.charting import steps_of
from cuelight.chart.reading import Reader, Reading
from cuelight.chart.values import Own, Routed, Value, step_name, written_function
from cuelight.flow import Step

__all__ = ["Method", "Written", "called", "leads"]


@dataclass(frozen=True)
class Method:
    """Hold a method as a class has it, and what was read of it."""

    cls: type[Agent] | type[Step[Any]]
    name: str
    function: FunctionType
    reading: Reading

    @property
    def is_tool(self) -> bool:
        """Tell whether the model may call it."""
        return any(tool.method == self.name for tool in self.cls.__declaration__.tools)


class Written:
    """Read every method, and what these call; nothing is run.

    Args:
        agent: a class of an agent, or of a flow with steps.
    """

    def __init__(self, agent: type[Agent]) -> None:
        self.agent = agent
        self.steps: Mapping[str, type[Step[Any]]] = steps_of(agent)
        self.classes: tuple[type[Agent] | type[Step[Any]], ...] = (agent, *self.steps.values())
        self.own = Own(self.classes)
        reader = Reader(agent, self.own)
        self.methods = tuple(self._methods(reader))
        """Without the getters of properties."""
        self.functions = tuple(reader.seen)
        """The methods, the getters, and the author's functions that these call."""

    @property
    def places(self) -> tuple[str, ...]:
        """The steps, or the stages, by name."""
        return tuple(self.steps) or self.agent.__declaration__.stages or ()

    def _methods(self, reader: Reader) -> Iterator[Method]:
        for cls in self.classes:
            for name in dict.fromkeys(name for base in cls.__mro__ for name in vars(base)):
                value = inspect.getattr_static(cls, name)
                function = written_function(value.fget if isinstance(value, property) else value)
                if function is not None and function in self.own:
                    read = reader.whole(function, None if isinstance(value, staticmethod) else cls)
                    if not isinstance(value, property):
                        yield Method(cls, name, function, read)


def called(function: FunctionType) -> str:
    """Name a function for messages, with the class that it is written in."""
    owner, _, name = function.__qualname__.rpartition("<locals>.")[2].rpartition(".")
    return f"`{name}` of {owner}" if owner else f"`{name}`"


def leads(value: Value) -> bool:
    """Tell whether what a handler returns is a route."""
    return isinstance(value.thing, Routed) or step_name(value.thing) is not None
