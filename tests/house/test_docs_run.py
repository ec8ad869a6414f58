"""Every Python block of the README and of docs/ runs, top to bottom, one namespace a page."""

import asyncio
import re
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _blocks(page: Path) -> list[tuple[int, str]]:
    text = page.read_text(encoding="utf-8")
    return [(text[: found.start()].count("\n") + 2, found.group(1)) for found in _BLOCK.finditer(text)]


WITH_CODE = [page for page in PAGES if _blocks(page)]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = types.ModuleType("page")
    monkeypatch.setitem(__import__("sys").modules, "page", module)
    for line, block in _blocks(page):
        # Line numbers are the page's, so a failure points into it.
        code = compile("\n" * (line - 1) + block, str(page), "exec", ast_flags())
        result = eval(code, module.__dict__)
        if asyncio.iscoroutine(result):
            asyncio.run(result)


def ast_flags() -> int:
    """Let a page use `await` outside a function, as a reader would in a notebook."""
    import ast

    return ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def test_the_readme_has_code() -> None:
    assert ROOT / "README.md" in WITH_CODE


def test_links_inside_the_project_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert not broken, broken


_NAMED = re.compile(r"\[`(tests/[\w/]+\.py)::(test_\w+)`\]\(([^)\s]+)\)")


def _tests(file: Path) -> list[str]:
    return re.findall(r"^(?:async )?def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)


def test_tests_that_a_page_names_are_there() -> None:
    astray = [
        f"{page.relative_to(ROOT)}: {file}::{name}"
        for page in PAGES
        for file, name, link in _NAMED.findall(page.read_text(encoding="utf-8"))
        if (page.parent / link).resolve() != ROOT / file or name not in _tests(ROOT / file)
    ]
    assert not astray, astray


def test_every_test_of_a_routing_rule_is_named_once_beside_its_rule() -> None:
    named = [name for _, name, _ in _NAMED.findall((ROOT / "docs" / "routing-rules.md").read_text(encoding="utf-8"))]
    files = [file for folder in ("routes", "flow") for file in (ROOT / "tests" / folder).glob("test_rules_of_*.py")]
    assert sorted(named) == sorted(name for file in files for name in _tests(file))
