"""docs/cli.md holds the commands' own help.

Run with WRITE_DOCS=1, it is written anew.
"""

import os
import re
from pathlib import Path

from typer.testing import CliRunner

from cuelight.cli import app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
HELP = re.compile(r"<!-- (cuelight[^>]*?) -->\n```\n.*?```\n", re.DOTALL)
COMMANDS = (
    "cuelight", "cuelight demo", "cuelight new", "cuelight chat", "cuelight prompt", "cuelight graph", "cuelight check",
    "cuelight log list", "cuelight log show", "cuelight log state", "cuelight log verify", "cuelight log erase",
    "cuelight wire schema", "cuelight doctor", "cuelight test", "cuelight golden schema",
    "cuelight golden from",
)  # fmt: skip


def _with_help(page):
    def block(found):
        _, *path = found[1].split()
        shown = CliRunner().invoke(app, [*path, "--help"], terminal_width=100)
        assert shown.exit_code == 0, shown.stderr
        return f"<!-- {found[1]} -->\n```\n{shown.stdout.rstrip()}\n```\n"

    return HELP.sub(block, page)


def test_the_page_holds_the_help_of_every_command_as_it_is():
    page = PAGE.read_text(encoding="utf-8")
    if os.environ.get("WRITE_DOCS"):
        PAGE.write_text(_with_help(page), encoding="utf-8")
        page = PAGE.read_text(encoding="utf-8")
    assert sorted(found[1] for found in HELP.finditer(page)) == sorted(COMMANDS)
    assert _with_help(page) == page, "run `WRITE_DOCS=1 python -m pytest tests/cli/test_cli_page.py`"


def test_the_page_names_every_setting_and_exit_code():
    page = PAGE.read_text(encoding="utf-8")
    for name in ("CUELIGHT_MODEL", "CUELIGHT_STORE", "CUELIGHT_DEBUG", "NO_COLOR", "XDG_DATA_HOME"):
        assert f"`{name}`" in page
    for code in ("0", "1", "2", "130", "141"):
        assert f"| {code} |" in page
