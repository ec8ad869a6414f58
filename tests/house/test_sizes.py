"""Modules under 400 lines, functions under 60: what no longer fits in one look has more than one reason to change."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path for folder in ("src", "examples", "bench") for path in (ROOT / folder).rglob("*.py"))


def _functions(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_and_its_functions_stay_small(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert text.count("\n") <= 400, f"{module.name} has {text.count(chr(10))} lines; split it by reason to change"
    long = [f"{name}: {lines} lines" for name, lines in _functions(ast.parse(text)) if lines > 60]
    assert not long, f"functions over 60 lines in {module.name}: {long}"


def test_there_are_modules_to_measure() -> None:
    assert len(MODULES) > 40
