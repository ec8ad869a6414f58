"""The page about models runs as it is written."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "models.md"


def test_every_block_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the page records a cassette
    monkeypatch.setenv("OPENAI_API_KEY", "")  # the page sets it; put back afterwards
    space = {"__name__": "page"}
    for block in re.finditer(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE):
        line = PAGE.read_text()[: block.start()].count("\n") + 1
        exec(compile("\n" * line + block[1], str(PAGE), "exec"), space)
