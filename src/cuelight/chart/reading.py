"""Read a function for the routes in it, its own and those of the author's functions that it calls. Nothing is run."""

import ast
import builtins
import dis
import inspect
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar

from cuelight.chart.chart import RouteKind
from cuelight.chart.compiled import compiled_routes
from cuelight.chart.scope import assignments, bindings, first_call, outcomes
from cuelight.chart.sources import FunctionNode, Spot, function_spot, node_of
from cuelight.chart.values import (
    UNKNOWN,
    Bound,
    Instance,
    Own,
    Routed,
    Several,
    Super,
    Value,
    plain,
    step_name,
    written_function,
)
from cuelight.flow import Flow, Step, direct, go, stay

__all__ = ["Found", "FunctionReader", "Reader", "Reading", "is_rewritten"]

_Values = tuple[Value, ...]
_Known = Mapping[str, _Values]
N = TypeVar("N", bound=ast.AST)

_DEEPEST = 4
"""How often a function may be under way, in calls of itself with something else each time."""


class Found(NamedTuple):
    """Hold one route as it was found: None leads to where only running the code tells, or ends the call."""

    target: str | None
    kind: RouteKind
    spot: Spot


class Reading(NamedTuple):
    """Hold what was read of a function: the routes in it, and what it can return."""

    routes: tuple[Found, ...]
    returns: _Values


class Reader:
    """Read the handlers of one agent.

    Args:
        agent: its class.
        own: which functions are followed where they are called.
    """

    def __init__(self, agent: type, own: Own) -> None:
        self.agent = agent
        self.own = own
        self.seen: list[FunctionReader] = []
        """The functions that were read, each in every way it is called; those without a source are left out."""
        self._read: dict[Any, Reading] = {}
        self._open: list[FunctionType] = []

    def handler(self, function: FunctionType, cls: type, *, must_route: bool = False) -> tuple[Found, ...]:
        """Give the routes of a tool or a hook.

        Args:
            function: what it runs.
            cls: the class of the step or agent that it is run on.
            must_route: whether all that it returns is a route.
        """
        read = self.whole(function, cls)
        routes = list(read.routes)
        for value in read.returns:
            name = step_name(value.thing)
            if name is not None or (must_route and value.thing is UNKNOWN):
                routes.append(Found(name, "class", value.spot))
        return tuple(dict.fromkeys(routes))

    def whole(self, function: FunctionType, cls: type | None) -> Reading:
        """Read a method of a class, with all that it calls; a static one is of None."""
        self._read.clear()  # functions that call each other are read to the end only from where it begins
        return self.read(function, None if cls is None else Instance(cls))

    def read(self, function: FunctionType, receiver: Instance | None = None, given: _Known | None = None) -> Reading:
        """Read a function once for each way it is called; one that is being read gives nothing new.

        Args:
            function: what to read.
            receiver: what its first parameter is, where it is a method.
            given: what is known of its other parameters.
        """
        known = dict(given or {})
        if receiver is not None and function.__code__.co_argcount:
            known[function.__code__.co_varnames[0]] = (Value(receiver, Spot()),)
        key = (function, tuple(sorted(known.items(), key=lambda item: item[0])))
        if key not in self._read:
            self._read[key] = Reading((), ())
            if self._open.count(function) < _DEEPEST:
                self._open.append(function)
                self._read[key] = self._newly(function, known)
                self._open.pop()
        return self._read[key]

    def _newly(self, function: FunctionType, known: _Known) -> Reading:
        node = node_of(function)
        if node is not None:
            self.seen.append(FunctionReader(self, function, node, known))
            return self.seen[-1].read()
        routes = (Found(*each, Spot()) for each in compiled_routes(function, stages=_is_staged(self.agent)))
        return Reading(tuple(routes), (Value(UNKNOWN, Spot()),))


class FunctionReader:
    """Read one function, called in one way."""

    def __init__(self, reader: Reader, function: FunctionType, node: FunctionNode, known: _Known) -> None:
        self._reader = reader
        self.function = function
        self.node = node
        self._known = known
        self._parameters = inspect.signature(function, follow_wrapped=False).parameters
        self._locals = bindings(function, node)
        self._dropped = {first_call(part) for line in self.nodes(ast.Expr) for part in outcomes(line.value)}
        self._routes: list[Found] = []
        self._values: dict[ast.AST, _Values] = {}

    def read(self) -> Reading:
        returns: list[Value] = []
        nested = {inner for outer in self.nodes(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
                  for inner in ast.walk(outer)}  # fmt: skip
        for node in self.nodes(ast.AST):
            if isinstance(node, ast.Call):
                self.values(node)
            elif isinstance(node, ast.Return) and node.value is not None and node not in nested:
                returns.extend(self.values(node.value))
            for target, value in assignments(node):
                self._assigned(target, value)
        return Reading(tuple(dict.fromkeys(self._routes)), tuple(dict.fromkeys(returns)))

    def nodes(self, *kinds: type[N]) -> Iterator[N]:
        """Give the nodes of its body that are of a kind, those of the functions in it too."""
        for statement in self.node.body:
            for node in ast.walk(statement):
                if isinstance(node, kinds):
                    yield node

    def binds(self, name: str) -> bool:
        """Tell whether a name stands for anything there."""
        inside = name in self._parameters or name in self._locals or name in self.function.__code__.co_freevars
        return inside or name in self.function.__globals__ or hasattr(builtins, name)

    def spot(self, node: ast.AST) -> Spot:
        """Give the place of a node."""
        return function_spot(self.function, node)

    def _assigned(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Attribute) and target.attr == "stage" and self._is_agent(target.value):
            self._lead(None if value is None else self.values(value), "assignment", target)

    def _is_agent(self, node: ast.expr) -> bool:
        """Tell whether an expression is the agent, whose stage is a field that can be assigned to."""
        agent = self._reader.agent
        return _is_staged(agent) and any(value.thing == Instance(agent) for value in self.values(node))

    def _lead(self, values: _Values | None, kind: RouteKind, node: ast.AST) -> None:
        """Note that a route leads to each of some values."""
        targets = _targets(values)
        self._routes.extend(Found(target, kind, self.spot(node)) for target in targets)

    # --- what an expression can be ------------------------------------------------------------------------------------

    def values(self, node: ast.expr) -> _Values:
        """Give what an expression can be; one that is being looked at already adds nothing to itself."""
        if node not in self._values:
            self._values[node] = ()
            self._values[node] = tuple(dict.fromkeys(self._look(node)))
        return self._values[node]

    def _look(self, node: ast.expr) -> Iterable[Value]:
        spot = self.spot(node)
        match node:
            case ast.Constant(value=constant):
                return [Value(plain(constant), spot)]
            case ast.Name(id=name):
                return self._name(name, spot)
            case ast.Attribute(value=base, attr=name):
                return [each for value in self.values(base) for each in self._attribute(value.thing, name, spot)]
            case ast.Call():
                return self._call(node, spot)
            case ast.Await(value=inner) | ast.NamedExpr(value=inner) | ast.Starred(value=inner):
                return self.values(inner)
            case ast.IfExp(body=first, orelse=second):
                return (*self.values(first), *self.values(second))
            case ast.BoolOp(values=parts):
                return [value for part in parts for value in self.values(part)]
            case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
                return [Value(Several(tuple(value for part in parts for value in self.values(part))), spot)]
            case ast.Subscript(value=base):
                return [each for value in self.values(base) for each in _taken(value.thing, spot)]
        return [Value(UNKNOWN, spot)]

    def _name(self, name: str, spot: Spot) -> Iterable[Value]:
        if name in self._parameters or name in self._locals:
            found = list(self._known.get(name, [Value(UNKNOWN, spot)] if name in self._parameters else []))
            for bound in self._locals.get(name, ()):
                found.extend(self.values(bound) if isinstance(bound, ast.expr) else [Value(plain(bound), spot)])
            return found
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        if name in cells:
            try:
                return [Value(plain(cells[name].cell_contents, spot), spot)]
            except ValueError:  # bound to nothing yet
                return [Value(UNKNOWN, spot)]
        names = self.function.__globals__
        return [Value(plain(names.get(name, getattr(builtins, name, UNKNOWN)), spot), spot)]

    def _attribute(self, thing: Any, name: str, spot: Spot) -> Iterable[Value]:
        if isinstance(thing, Routed):
            return [Value(thing, spot)]
        if isinstance(thing, Several) and name == "get":
            return [Value(thing, spot)]
        if isinstance(thing, ModuleType | type | Enum):
            return [Value(plain(_static(thing, name), spot), spot)]
        if not isinstance(thing, Instance | Super):
            return [Value(UNKNOWN, spot)]
        receiver = thing if isinstance(thing, Instance) else thing.receiver
        if name == "flow" and issubclass(receiver.cls, Step):
            return [Value(Instance(self._reader.agent), spot)]
        found = _member(thing, name)
        if isinstance(found, property):
            return self._follow(written_function(found.fget), receiver, spot, {})
        function = written_function(found)
        if function is None:
            return [Value(UNKNOWN if is_rewritten(receiver.cls, name) else plain(found, spot), spot)]
        return [Value(function if isinstance(found, staticmethod) else Bound(function, receiver), spot)]

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, spot: Spot) -> Iterable[Value]:
        if ast.unparse(node.func).endswith(".call.end"):
            self._routes.append(Found(None, "end", spot))
        return [value for called in self.values(node.func) for value in self._result(called.thing, node, spot)]

    def _result(self, called: Any, node: ast.Call, spot: Spot) -> Iterable[Value]:
        arguments = [self.values(argument) for argument in node.args]
        named = {keyword.arg: self.values(keyword.value) for keyword in node.keywords}
        if called is go:
            led = arguments[0] if arguments else named.get("target")
            if node not in self._dropped:
                self._lead(led, "go", node)
            return [Value(Routed(target), spot) for target in _targets(led) or [None]]
        if called is stay or called is direct:
            return [Value(Routed(self._here()), spot)]
        if isinstance(called, Routed):
            return [Value(called, spot)]
        if isinstance(called, Several):  # `table.get`
            return (*called.values, *(value for values in arguments[1:] for value in values))
        if called is super:
            return [Value(self._parent(), spot)]
        if called is setattr and len(node.args) == 3:
            if (
                isinstance(node.args[1], ast.Constant)
                and node.args[1].value == "stage"
                and self._is_agent(node.args[0])
            ):
                self._lead(arguments[2], "assignment", node)
            return [Value(None, spot)]
        if isinstance(called, Bound) and called.function is Flow.step:
            steps = [value.thing for values in arguments[:1] for value in values if step_name(value.thing)]
            return [Value(Instance(step), spot) for step in steps] or [Value(UNKNOWN, spot)]
        function = called.function if isinstance(called, Bound) else written_function(called)
        if function in self._reader.own and function is not None:
            receiver = called.receiver if isinstance(called, Bound) else None
            return self._follow(function, receiver, spot, _given(function, receiver, node, arguments, named))
        for value in (each for values in (*arguments, *named.values()) for each in values):
            self._passed_on(value.thing, spot)
        return [Value(UNKNOWN, spot)]

    def _passed_on(self, thing: Any, spot: Spot) -> None:
        """Read a function that is handed to something that may call it."""
        if isinstance(thing, Bound):
            self._follow(thing.function, thing.receiver, spot, {})
        elif isinstance(thing, FunctionType):
            self._follow(thing, None, spot, {})

    def _follow(self, function: FunctionType | None, receiver: Instance | None, spot: Spot, given: _Known) -> _Values:
        if function is None or function not in self._reader.own:
            return (Value(UNKNOWN, spot),)
        read = self._reader.read(function, receiver, given)
        self._routes.extend(read.routes)
        return read.returns

    def _here(self) -> str | None:
        """Give the step whose method this is: a route that stays remains there."""
        first = self._known.get(next(iter(self._parameters), ""), ())
        return next((step_name(value.thing.cls) for value in first if isinstance(value.thing, Instance)), None)

    def _parent(self) -> Any:
        names = self.function.__code__.co_freevars
        receiver = self._known.get(self.function.__code__.co_varnames[0], ()) if "__class__" in names else ()
        for value in receiver:
            if isinstance(value.thing, Instance):
                assert self.function.__closure__ is not None
                return Super(self.function.__closure__[names.index("__class__")].cell_contents, value.thing)
        return UNKNOWN


def _given(
    function: FunctionType,
    receiver: Instance | None,
    node: ast.Call,
    arguments: list[_Values],
    named: Mapping[str | None, _Values],
) -> _Known:
    """Give what the parameters of a function are in a call; those that are not certain are left out."""
    parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    given: dict[str, _Values] = {
        each.name: (Value(plain(each.default), Spot()),) for each in parameters if each.default is not each.empty
    }
    positional = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    for name, argument, values in zip(positional[receiver is not None :], node.args, arguments, strict=False):
        if isinstance(argument, ast.Starred):
            return {}
        given[name] = values
    if None in named:  # `**more`
        return {}
    return given | {each.name: named[each.name] for each in parameters if each.name in named}


def _targets(values: _Values | None) -> list[str | None]:
    """Give the places that a route to some values leads to; None for what only running the code tells."""
    things = [value.thing for value in values] if values else [UNKNOWN]
    return [str.__str__(thing) if isinstance(thing, str) else step_name(thing) for thing in things if thing is not None]


def _taken(thing: Any, spot: Spot) -> Iterable[Value]:
    """Give what an item of a table or a list can be."""
    return thing.values if isinstance(thing, Several) else [Value(UNKNOWN, spot)]


def _member(thing: Instance | Super, name: str) -> Any:
    """Give the attribute of a class that an instance, or `super()`, would find."""
    if isinstance(thing, Instance):
        return inspect.getattr_static(thing.cls, name, UNKNOWN)
    line = thing.receiver.cls.__mro__
    after = line[line.index(thing.after) + 1 :] if thing.after in line else ()
    return next((vars(base)[name] for base in after if name in vars(base)), UNKNOWN)


def _static(thing: ModuleType | type | Enum, name: str) -> Any:
    """Give the attribute of a module, a class or an enum's member, as it is; nothing that would compute it is run."""
    if isinstance(thing, ModuleType):
        return vars(thing).get(name, UNKNOWN)
    if isinstance(thing, Enum):
        return thing.value if name == "value" else thing.name if name == "name" else UNKNOWN
    found = inspect.getattr_static(thing, name, UNKNOWN)
    if issubclass(thing, Enum):
        return thing.__members__.get(name, found)
    return written_function(found) or found


def is_rewritten(cls: type, name: str) -> bool:
    """Tell whether methods of a class assign to an attribute, so that its value in the class says little."""
    functions = (written_function(value) for base in cls.__mro__ for value in vars(base).values())
    return name.startswith("_") and any(
        step.opname == "STORE_ATTR" and step.argval == name
        for function in functions
        if function is not None
        for step in dis.get_instructions(function)
    )


def _is_staged(agent: type) -> bool:
    """Tell whether an agent's stage is a field of its own, which no flow's is."""
    return not issubclass(agent, Flow)
