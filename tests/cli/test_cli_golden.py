"""`cuelight golden schema`, and goldens where a state is asked for."""

import json
from datetime import date
from importlib.resources import files

import msgspec
import pytest

from cuelight.testing.goldens import golden_schema
from kiosk import BUYS, kiosk, write


def test_the_schema_is_shown_and_comes_with_the_package(cuelight):
    shown = cuelight("golden", "schema").stdout
    assert json.loads(shown) == golden_schema()
    shipped = files("cuelight.testing.goldens").joinpath("golden.schema.json").read_text(encoding="utf-8")
    assert shipped == shown, "write it anew: cuelight golden schema > src/cuelight/testing/goldens/golden.schema.json"


@pytest.mark.parametrize(
    ("state", "tickets"), [("    state: done\n", 0), ("    state: {stage: done, tickets: 4}\n", 4)]
)
@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_prompt_is_shown_as_a_golden_opens(cuelight, tmp_path, state, tickets, form):
    golden = write(kiosk(tmp_path / "kiosk") / f"buys.{form}", BUYS + state + "    today: 2026-12-01\n")
    if form == "json":
        from cuelight.testing.goldens.source_yaml import read_yaml

        golden.write_bytes(msgspec.json.encode(read_yaml(golden.read_text()).value))
    shown = json.loads(cuelight("prompt", "kiosk", "--state", golden, "--json").stdout)
    assert shown["stage"] == "done"
    assert shown["blocks"][-1]["text"] == f"Today is {date(2026, 12, 1)}."


def test_a_golden_without_a_state_opens_as_the_agent_does(cuelight, tmp_path):
    golden = write(kiosk(tmp_path / "kiosk") / "buys.yaml", BUYS)
    assert json.loads(cuelight("prompt", "kiosk", "--state", golden, "--json").stdout)["stage"] == "ask"


def test_a_golden_that_is_wrong_is_refused(cuelight, tmp_path):
    golden = write(kiosk(tmp_path / "kiosk") / "buys.yaml", BUYS.replace("say:", "says:"))
    done = cuelight("prompt", "kiosk", "--state", golden)
    assert done.exit_code == 2
    assert "line 3: turn 1 has no key `says`" in done.stderr


def test_a_call_opens_in_a_golden(cuelight, tmp_path):
    golden = write(kiosk(tmp_path / "kiosk") / "buys.yaml", BUYS + "    state: done\n")
    assert cuelight("chat", "kiosk", "--state", golden, stdin="two please\n").exit_code == 0
    assert cuelight.state()["app_state"]["tickets"] == 0
