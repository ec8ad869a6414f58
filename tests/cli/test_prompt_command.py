"""`cuelight prompt`: what a model is told in a state."""

import json


def test_the_blocks_then_the_stage_and_its_tools(cuelight, desk):
    done = cuelight("prompt", desk)
    assert done.exit_code == 0, done.stderr
    titles = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("──")]
    assert titles == ["identity", "tools", "view"]
    assert "You are a desk." in done.stdout
    assert "- look: Looks something up." in done.stdout
    assert done.stdout.endswith(
        "── view ──\nFind out who it is.\n\n"
        "stage    greet  (others: look)\n"
        "visible  take_name, die, leave\n"
        "hidden   look (stage look), wait (stage look)\n"
    )


def test_any_state_can_be_shown_and_private_values_are_masked(cuelight, desk, tmp_path):
    golden = tmp_path / "golden.json"
    golden.write_text('{"state": {"stage": "look", "who": "Ada Byrne"}}')
    for given in (golden, '{"stage": "look", "who": "Ada Byrne"}'):
        shown = cuelight("prompt", desk, "--state", given).stdout
        assert shown.endswith(
            "The caller is [private].\n\n"
            "stage    look  (others: greet)\n"
            "visible  look, die, leave\n"
            "hidden   take_name (stage greet), wait (when says no)\n"
        )


def test_a_program_reads_it_as_json(cuelight, desk):
    shown = json.loads(cuelight("prompt", desk, "--json").stdout)
    assert [block["name"] for block in shown["blocks"]] == ["identity", "tools", "view"]
    assert (shown["stage"], shown["stages"]) == ("greet", ["greet", "look"])
    assert shown["visible"] == ["take_name", "die", "leave"]
    assert shown["hidden"] == {"look": "stage look", "wait": "stage look"}


def test_no_model_is_needed(cuelight, desk):
    (cuelight.folder / "desk" / "cues.toml").unlink()
    assert cuelight("prompt", desk, CUELIGHT_MODEL="nothing at all").exit_code == 0


def test_what_the_authors_code_raises_is_shown_in_its_place(cuelight, tmp_path):
    (tmp_path / "odd.py").write_text(
        "from cuelight import Agent, tool\n\n\n"
        "class Odd(Agent):\n"
        "    @tool(when=lambda odd: 1 / 0)\n"
        "    def one(self) -> None: ...\n\n"
        "    def render(self) -> str:\n"
        "        raise ValueError('no view')\n"
    )
    shown = cuelight("prompt", "odd").stdout
    assert "(render() raised ValueError: no view)" in shown
    assert shown.endswith("visible  none\nhidden   one (when raised ZeroDivisionError: division by zero)\n")


def test_an_agent_that_needs_services_is_told_apart(cuelight, tmp_path):
    (tmp_path / "shop.py").write_text(
        "from cuelight import Agent\n\n\n"
        "class Shop(Agent):\n"
        "    def __init__(self, prices):\n"
        "        self._prices = prices\n\n\n"
        "def small_shop():\n"
        "    return Shop({})\n"
    )
    done = cuelight("prompt", "shop")
    assert done.exit_code == 2
    assert "Write a function beside it that gives an instance" in done.stderr
    assert "shop.py:make" in done.stderr
    assert cuelight("prompt", "shop.py:small_shop").exit_code == 0
