"""The names that are bound inside a function, each with every expression it may be bound to; and what those come to."""

import ast
import importlib.util
import sys
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from cuelight.chart.sources import FunctionNode
from cuelight.chart.values import UNKNOWN

__all__ = ["Binding", "assignments", "bindings", "first_call", "outcomes"]

Binding = ast.expr | object
"""An expression; else the imported thing itself, `UNKNOWN` where nothing is certain."""


def bindings(function: FunctionType, node: FunctionNode) -> dict[str, list[Binding]]:
    """Give what each local name of a function may be, in any part of it; its own parameters are left out."""
    found: dict[str, list[Binding]] = {}
    paired: set[ast.AST] = set()
    own = {id(argument) for argument in _arguments(node.args)}
    for part in _inside(node):
        for name, bound in _imports(function, part):
            found.setdefault(name, []).append(bound)
        for target, value in assignments(part):
            if isinstance(target, ast.Name):
                paired.add(target)
                found.setdefault(target.id, []).append(UNKNOWN if value is None else value)
    for part in _inside(node):
        if part not in paired and id(part) not in own:
            for name in _bound_otherwise(part):
                found.setdefault(name, []).append(UNKNOWN)
    return found


def assignments(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Give the targets of an assignment, each with what is assigned to it; None where that is not written out."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pairs(target, node.value)
    elif isinstance(node, ast.NamedExpr) or (isinstance(node, ast.AnnAssign) and node.value is not None):
        yield node.target, node.value
    elif isinstance(node, ast.AugAssign):
        yield node.target, None
    elif isinstance(node, ast.For | ast.AsyncFor):
        yield from _pairs(node.target, None)


def outcomes(node: ast.expr) -> Iterator[ast.expr]:
    """Give the expressions that another one may come to, under the conditions in it."""
    match node:
        case ast.Await(value=inner) | ast.NamedExpr(value=inner):
            yield from outcomes(inner)
        case ast.IfExp(body=first, orelse=second):
            yield from (*outcomes(first), *outcomes(second))
        case ast.BoolOp(values=parts):
            yield from (each for part in parts for each in outcomes(part))
        case _:
            yield node


def first_call(node: ast.expr) -> ast.expr:
    """Give the call that a chain of calls begins with, as `go(...)` in `go(...).with_state(...)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
        node = node.func.value
    return node


def _pairs(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    if not isinstance(target, ast.Tuple | ast.List):
        yield target, value
        return
    values: list[ast.expr | None] = [None] * len(target.elts)
    if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
        starred = any(isinstance(each, ast.Starred) for each in (*target.elts, *value.elts))
        values = values if starred else list(value.elts)
    for one, its in zip(target.elts, values, strict=True):
        yield from _pairs(one.value if isinstance(one, ast.Starred) else one, its)


def _inside(node: FunctionNode) -> Iterator[ast.AST]:
    for statement in node.body:
        yield from ast.walk(statement)


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    given = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    return [argument for argument in given if argument is not None]


def _bound_otherwise(node: ast.AST) -> Iterator[str]:
    """Give the names that a node binds to something that is not written out."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    else:
        for name in ("name", "rest"):  # of `except ... as name`, and of patterns
            bound = getattr(node, name, None)
            if isinstance(node, ast.ExceptHandler | ast.pattern) and isinstance(bound, str):
                yield bound


def _imports(function: FunctionType, node: ast.AST) -> Iterator[tuple[str, Any]]:
    """Give what an import in a function brings, out of the modules that are loaded; nothing is imported for it."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or name, sys.modules.get(name, UNKNOWN)
    elif isinstance(node, ast.ImportFrom):
        package = function.__globals__.get("__package__") or ""
        try:
            module = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
        except ImportError:
            module = ""
        for alias in node.names:
            inner = sys.modules.get(f"{module}.{alias.name}", UNKNOWN)
            yield alias.asname or alias.name, getattr(sys.modules.get(module), alias.name, inner)
