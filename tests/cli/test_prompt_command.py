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


# --- flows ------------------------------------------------------------------------------------------------------------


def test_a_flow_is_shown_in_its_first_step_with_the_tools_of_all_of_them(cuelight, rental):
    done = cuelight("prompt", rental)
    assert done.exit_code == 0, done.stderr
    assert "You rent out boats." in done.stdout
    assert "In PartySize:\n- record: Records how many people come along.\n" in done.stdout
    assert "In PickBoat:\n- record: Records the boat.\n- change: Changes the boat.\n" in done.stdout
    assert done.stdout.endswith(
        "── view ──\nThe harbour is open.\n\nFind out how many people come along, and who asks.\n\n"
        "stage    PartySize  (others: PickBoat, TerminateSessionStep)\n"
        "visible  record, weather\n"
        "hidden   back (stage PickBoat), change (stage PickBoat)\n"
    )


def test_a_state_names_steps_and_their_private_values_are_masked_wherever_they_are(cuelight, rental, tmp_path):
    state = {"stage": "PickBoat", "PartySize": {"people": 3, "who": "Ada Byrne"}}
    golden = tmp_path / "golden.json"
    golden.write_text(json.dumps({"state": state}))
    for given in (golden, json.dumps(state)):
        done = cuelight("prompt", rental, "--state", given)
        assert done.exit_code == 0, done.stderr
        assert done.stdout.endswith(
            "The harbour is open.\n\n[private] has to pick a boat for 3.\n\n"
            "stage    PickBoat  (others: PartySize, TerminateSessionStep)\n"
            "visible  record, back, weather\n"
            "hidden   change (when says no)\n"
        )


def test_a_prompt_that_a_route_brought_is_state_and_is_shown(cuelight, rental):
    attached = {"stage": "PickBoat", "PickBoat": {"_prompt": "Offer the Otter.", "boat": "Swan"}}
    shown = json.loads(cuelight("prompt", rental, "--json", "--state", json.dumps(attached)).stdout)
    assert shown["blocks"][-1] == {"name": "view", "text": "The harbour is open.\n\nOffer the Otter."}
    assert (shown["stage"], shown["stages"]) == ("PickBoat", ["PartySize", "PickBoat", "TerminateSessionStep"])
    assert shown["visible"] == ["record", "change", "back", "weather"]
    assert shown["hidden"] == {}


def test_a_step_that_says_goodbye_offers_nothing(cuelight, rental):
    shown = cuelight("prompt", rental, "--state", '{"stage": "TerminateSessionStep"}').stdout
    assert shown.endswith(
        "visible  none\n"
        "hidden   back (stage PickBoat), weather (stage PartySize or PickBoat), "
        "record (stage PartySize or PickBoat), change (stage PickBoat)\n"
    )


def test_a_state_that_does_not_fit_the_flow_is_refused(cuelight, rental):
    for state, says in (
        ('{"stage": "PickBaot"}', "is no stage of Rental"),
        ('{"PartySize": {"peeple": 3}}', "Did you mean `people`?"),
        ('{"PartySize": {"people": "many"}}', "PartySize.people"),
        ('{"PartySize": 3}', "Rental.PartySize holds an object"),
    ):
        done = cuelight("prompt", rental, "--state", state)
        assert done.exit_code == 2, state
        assert says in done.stderr


def test_what_a_step_raises_is_shown_beside_what_the_flow_says(cuelight, rental):
    file = rental
    file.write_text(
        file.read_text().replace("before = self.flow", "raise ValueError('no prompt')\n        before = self.flow")
    )
    shown = cuelight("prompt", rental, "--state", '{"stage": "PickBoat"}').stdout
    assert "── view ──\nThe harbour is open.\n\n(PickBoat.get_prompt() raised ValueError: no prompt)\n" in shown


def test_a_step_that_waits_is_shown_as_it_is_once_the_caller_has_spoken(cuelight, rental):
    rental.write_text(rental.read_text().replace("boat: str =", "waits = True\n    boat: str ="))
    shown = cuelight("prompt", rental, "--state", '{"stage": "PickBoat"}').stdout
    assert "visible  record, back, weather\n" in shown


def test_a_private_value_in_what_is_raised_is_masked(cuelight, rental):
    rental.write_text(rental.read_text().replace(
        "when=lambda step: step.boat", "when=lambda step: int(step.flow.step(PartySize).who)"
    ))  # fmt: skip
    state = '{"stage": "PickBoat", "PartySize": {"who": "Ada Byrne"}}'
    shown = cuelight("prompt", rental, "--state", state).stdout
    assert "Ada" not in shown
    assert "change (when raised ValueError: invalid literal for int() with base 10: '[private]')" in shown
