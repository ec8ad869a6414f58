"""Where code is written: the syntax trees of functions, and the lines of classes and of their stages."""

import ast
import inspect
import linecache
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

__all__ = [
    "FunctionNode",
    "Spot",
    "class_spot",
    "function_spot",
    "names_around",
    "names_in",
    "node_of",
    "shown_path",
    "stage_spot",
]

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class Spot(NamedTuple):
    """Name a line of a file, by a path from the working directory where the file is below it."""

    file: str | None = None
    line: int | None = None


def node_of(function: FunctionType) -> FunctionNode | None:
    """Give the syntax tree of a function as its file has it, with the file's own lines; None without a source."""
    code = function.__code__
    tree = _tree(code.co_filename, function.__globals__)
    return _functions(tree).get((code.co_name, code.co_firstlineno)) if tree is not None else None


def names_around(function: FunctionType) -> Counter[str]:
    """Count what the file of a function names, as `names_in` does."""
    tree = _tree(function.__code__.co_filename, function.__globals__)
    return Counter() if tree is None else names_in(tree)


@lru_cache(maxsize=64)
def names_in(tree: ast.AST) -> Counter[str]:
    """Count the names and the attributes that a tree reads or writes, and its texts, which may name either."""
    found = (_named(node) for node in ast.walk(tree))
    return Counter(name for name in found if name is not None)


def _named(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return name
    return None


def function_spot(function: FunctionType, node: ast.AST | None = None) -> Spot:
    """Give the place of a function's `def`, or of a node in it; an empty one without a source."""
    node = node or node_of(function)
    return Spot() if node is None else Spot(shown_path(function.__code__.co_filename), getattr(node, "lineno", None))


def class_spot(cls: type) -> Spot:
    """Give the place of a class statement."""
    found = _class_node(cls)
    return Spot() if found is None else Spot(shown_path(found[0]), found[1].lineno)


def stage_spot(cls: type, stage: str) -> Spot:
    """Give the place where a class writes a stage: in the annotation of the field, or else the class."""
    for base in cls.__mro__:
        found = _class_node(base) if "stage" in inspect.get_annotations(base) else None
        for statement in found[1].body if found is not None else ():
            if isinstance(statement, ast.AnnAssign) and ast.unparse(statement.target) == "stage":
                literals = (node for node in ast.walk(statement.annotation) if isinstance(node, ast.Constant))
                written = next((node for node in literals if node.value == stage), statement)
                return Spot(shown_path(found[0]) if found is not None else None, written.lineno)
    return class_spot(cls)


def _class_node(cls: type) -> tuple[str, ast.ClassDef] | None:
    try:
        file, (_, index) = inspect.getsourcefile(cls), inspect.findsource(cls)
    except (OSError, TypeError):
        return None
    tree = _tree(file, {}) if file is not None else None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= index + 1 <= node.lineno:
                return str(file), node
    return None


def _tree(file: str, names: dict[str, object]) -> ast.Module | None:
    linecache.checkcache(file)
    return _parsed("".join(linecache.getlines(file, names)))


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text) if text else None
    except (SyntaxError, ValueError):  # not the text that was compiled
        return None


@lru_cache(maxsize=64)
def _functions(tree: ast.Module) -> dict[tuple[str, int], FunctionNode]:
    """Find functions by what their code objects say of them: the name, and the line of `def` or the first decorator."""
    return {(node.name, line): node for node, line in _defined(tree)}


def _defined(tree: ast.Module) -> Iterator[tuple[FunctionNode, int]]:
    for node in ast.walk(tree):
        if isinstance(node, FunctionNode):
            yield node, min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def shown_path(file: str) -> str:
    """Give a path as it is shown: from the working directory, where it is below that."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file
