"""The layers of the design are a contract that the import linter checks; here the contract is held to the folders."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "cuelight"

# Bottom last, as the design draws them; siblings share a line.
DESIGN = [
    {"cli", "pytest_plugin"},
    {"wiring"},
    {"gateway", "voice", "console", "testing"},
    {"engine", "models", "stores", "chart"},
    {"ports"},
    {"flow"},
    {"agent"},
    {"log"},
    {"wire"},
    {"errors"},
]


def _contract() -> list[set[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = [c for c in settings["contracts"] if c["type"] == "layers"]
    assert layers["exhaustive"], "a folder that the contract does not name must fail the linter"
    return [{name.strip() for name in line.split("|")} for line in layers["layers"]]


def _parts() -> set[str]:
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    return folders | modules


def test_the_contract_names_exactly_what_is_there() -> None:
    assert set().union(*_contract()) == _parts()


def test_the_contract_has_the_order_of_the_design() -> None:
    there = [line & _parts() for line in DESIGN]
    assert _contract() == [line for line in there if line]


def test_the_contract_holds() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_lower_layers_do_no_io_and_read_no_clock() -> None:
    banned = {"asyncio", "socket", "sqlite3", "subprocess", "threading", "time", "random", "uuid", "secrets"}
    for layer in ("wire", "log", "agent", "flow"):
        for module in (PACKAGE / layer).rglob("*.py"):
            text = module.read_text()
            assert "async def" not in text, f"{layer}/{module.name} has an async def"
            imported = {
                line.split()[1].split(".")[0]
                for line in text.splitlines()
                if line.startswith(("import ", "from ")) and len(line.split()) > 1
            }
            assert not imported & banned, f"{layer}/{module.name} imports {imported & banned}"
