"""Which agent is meant, and what is said when there is none or its code is broken."""

import subprocess
import sys
from textwrap import dedent

import pytest

from cuelight import Agent
from cuelight.errors import AgentNotFound, AgentNotLoaded, CueSheetRefused, NotSetUp
from cuelight.models import Understudy
from cuelight.wiring import choose_model, choose_store, find_agent, store_setting

ONE = '''
from cuelight import Agent


class {name}(Agent):
    """An agent."""
'''


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write files into an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)

    def write(name, text):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))
        return file

    yield write
    for name in set(sys.modules) - before:
        del sys.modules[name]


# --- where it is looked for -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", ["desks/front.py", "./desks/front.py", "desks/front.py:Front"])
def test_a_file(write, named):
    file = write("desks/front.py", ONE.format(name="Front"))
    found = find_agent(named)
    assert found.name == "Front"
    assert issubclass(found.make, Agent)
    assert found.file == file
    assert found.sheet == file.parent / "cues.toml"


def test_a_folder_with_an_agent_in_it(write):
    write("desks/agent.py", ONE.format(name="Front"))
    assert find_agent("desks").name == "Front"
    assert find_agent("desks/").name == "Front"


@pytest.mark.parametrize(
    "place", ["front_desk/agent.py", "front_desk.py", "agents/front_desk/agent.py", "agents/front_desk.py"]
)
@pytest.mark.parametrize("slug", ["front_desk", "front-desk"])
def test_a_slug(write, place, slug):
    write(place, ONE.format(name="FrontDesk"))
    assert find_agent(slug).name == "FrontDesk"


def test_a_module_and_a_class(write):
    write("shop/desks.py", ONE.format(name="Front") + ONE.format(name="Back"))
    assert find_agent("shop.desks:Back").name == "Back"


def test_a_function_that_makes_one(write):
    write("desk.py", ONE.format(name="Front") + "\n\ndef with_service():\n    return Front()\n")
    found = find_agent("desk.py:with_service")
    assert isinstance(found.make(), Agent)


def test_paths_start_from_the_folder_that_is_given(write, tmp_path):
    write("elsewhere/desk.py", ONE.format(name="Front"))
    assert find_agent("desk", under=tmp_path / "elsewhere").name == "Front"


def test_an_agent_may_import_what_lies_beside_it(write):
    write("desks/prices_of_desk.py", "PRICE = 3")
    write("desks/agent.py", "from prices_of_desk import PRICE\n" + ONE.format(name="Front"))
    assert find_agent("desks").name == "Front"


def test_an_agent_in_a_package_imports_as_a_part_of_it(write):
    write("shop_front/__init__.py", "")
    write("shop_front/prices.py", "PRICE = 3")
    write("shop_front/agent.py", "from .prices import PRICE\n" + ONE.format(name="Front"))
    assert find_agent("shop_front").make.__module__ == "shop_front.agent"


def test_a_file_named_like_a_module_of_python_is_still_the_one_that_is_meant(write):
    write("email.py", ONE.format(name="Mailer"))
    assert find_agent("email.py").name == "Mailer"


def test_a_base_class_that_is_imported_or_private_is_no_second_agent(write):
    write("desks/base_of_desks.py", ONE.format(name="Base"))
    write("desks/agent.py", "from base_of_desks import Base\n\nclass _Own(Base): pass\n\nclass Front(_Own): pass\n")
    assert find_agent("desks").name == "Front"


# --- what is said when it is not there --------------------------------------------------------------------------------


def _refusal(named, kind=AgentNotFound):
    with pytest.raises(kind) as refused:
        find_agent(named)
    return str(refused.value)


def test_no_such_slug_names_the_agents_there_are(write):
    write("agents/front_desk/agent.py", ONE.format(name="Front"))
    assert _refusal("back-desk") == (
        "There is no agent 'back-desk': no back-desk/agent.py or back-desk.py, here or in agents/. "
        "Agents here: front_desk."
    )


def test_a_slug_that_is_nearly_one_is_told(write):
    write("bike_shop/agent.py", ONE.format(name="BikeShop"))
    assert _refusal("bike-shp").endswith("Did you mean bike_shop? Agents here: bike_shop.")


def test_a_class_that_takes_services_is_told_what_to_write(write):
    write("desk.py", ONE.format(name="Front") + "\n    def __init__(self, registry, *, prices=()): ...\n")
    assert _refusal("desk.py", AgentNotLoaded) == (
        "Front takes services (registry), which a command cannot give. Write a function beside it that gives an "
        "instance, `def make(): return Front(...)`, and name that: desk.py:make."
    )


def test_no_such_slug_in_an_empty_folder_says_how_to_make_one(write):
    assert _refusal("front-desk").endswith("`cuelight new front-desk` makes one.")


def test_no_such_file(write):
    assert _refusal("desks/front.py") == (
        "There is no desks/front.py. Name a file, a folder with an agent.py in it, or module:Class."
    )


def test_a_folder_without_an_agent(write):
    write("desks/notes.txt", "")
    assert "The folder desks has no agent.py." in _refusal("desks")


def test_a_file_that_is_no_python(write):
    write("desk.toml", "")
    assert "desk.toml is no Python file" in _refusal("desk.toml")


def test_several_agents_are_named(write):
    write("desk.py", ONE.format(name="Front") + ONE.format(name="Back"))
    assert _refusal("desk.py", AgentNotLoaded) == (
        "desk.py has several agents: Front, Back. Say which, as in desk.py:Front."
    )


def test_a_class_that_is_not_there(write):
    write("desk.py", ONE.format(name="Front"))
    assert _refusal("desk.py:Fornt", AgentNotLoaded) == (
        "desk.py has no agent 'Fornt'. Did you mean Front? Its agents: Front."
    )


def test_no_agent_at_all(write):
    write("desk.py", "x = 1")
    assert "has no agent: write a class in it that subclasses cuelight.Agent" in _refusal("desk.py", AgentNotLoaded)


# --- what is said when its code is broken -----------------------------------------------------------------------------


def test_what_an_import_raises_is_told_with_its_place(write):
    write("desk/agent.py", "import helper_of_desk\n")
    write("desk/helper_of_desk.py", "\n\nnothing_here\n")
    assert _refusal("desk", AgentNotLoaded) == (
        "desk/agent.py cannot be imported, at desk/helper_of_desk.py:3: NameError: name 'nothing_here' is not defined"
    )


def test_a_syntax_error_is_told_with_its_place(write):
    write("desk.py", "x = 1\nclass Front(:\n")
    assert _refusal("desk.py", AgentNotLoaded).startswith("desk.py cannot be imported, at desk.py:2: SyntaxError: ")


def test_a_refused_declaration_is_told_with_its_place_and_each_problem_on_a_line_of_its_own(write):
    write(
        "desk.py",
        """
        from cuelight import Agent, tool

        class Front(Agent):
            @tool(stage="late")
            def one(self) -> None: ...

            @tool
            def two(self, x) -> None: ...
        """,
    )
    said = _refusal("desk.py", AgentNotLoaded).splitlines()
    assert said[0] == "Front is refused (desk.py:4), 2 problems:"
    assert len(said) == 3
    assert said[1].startswith("  - tool `two`: ")
    assert said[2].startswith("  - ")
    assert "`one` is for stage 'late'" in said[2]


def test_a_refusal_that_ends_with_a_question_gets_no_full_stop(write):
    write(
        "desk.py",
        """
        from cuelight import Agent, tool

        class Front(Agent):
            @tool(pii="phnoe")
            def one(self, phone: str) -> None: ...
        """,
    )
    assert _refusal("desk.py", AgentNotLoaded).endswith("did you mean `phone`?")


def test_a_module_that_is_missing_is_named(write):
    write("desk.py", "import no_such_module_anywhere\n")
    assert "desk.py:1: ModuleNotFoundError: No module named 'no_such_module_anywhere'" in _refusal(
        "desk.py", AgentNotLoaded
    )
    assert "No module named 'nowhere_at_all'" in _refusal("nowhere_at_all:Front", AgentNotLoaded)


def test_a_file_that_ends_the_program_is_told(write):
    write("desk.py", "import sys\nsys.exit(3)\n")
    assert "desk.py ends the program when it is imported, at desk.py:2" in _refusal("desk.py", AgentNotLoaded)


# --- what answers -----------------------------------------------------------------------------------------------------


@pytest.fixture
def front(write):
    write("desk.py", ONE.format(name="Front"))
    return find_agent("desk.py")


SHEET = 'opening = "Hello."\n'


def test_what_is_named_goes_before_the_environment_and_that_before_the_class(front):
    asked = {"CUELIGHT_MODEL": "nobody"}
    front.make.model = "class"
    for named, environ, used in (("option", asked, "option"), (None, asked, "nobody"), (None, {}, "class")):
        with pytest.raises(NotSetUp, match=f"'{used}' names no model"):
            choose_model(front, named, environ=environ)


def test_without_any_the_understudy_answers_from_the_sheet_beside_the_agent(front, write):
    write("cues.toml", SHEET)
    assert isinstance(choose_model(front, environ={"CUELIGHT_MODEL": "  "}), Understudy)


def test_the_understudy_can_be_asked_for(front, write):
    write("cues.toml", SHEET)
    assert isinstance(choose_model(front, "understudy", environ={"CUELIGHT_MODEL": "nobody"}), Understudy)


def test_without_a_sheet_both_ways_on_are_said(front):
    with pytest.raises(NotSetUp) as refused:
        choose_model(front, environ={})
    assert "CUELIGHT_MODEL=openai:" in str(refused.value)
    assert "cues.toml" in str(refused.value)


def test_a_sheet_that_does_not_fit_the_agent_is_refused(front, write):
    write("cues.toml", SHEET + '[[cue]]\nhears = "book"\ncall = "book"\n')
    with pytest.raises(CueSheetRefused, match="book"):
        choose_model(front, environ={})


# --- where calls are kept ---------------------------------------------------------------------------------------------


def test_the_store_is_what_is_named_then_the_environment_then_the_data_folder(tmp_path, monkeypatch):
    home = {"XDG_DATA_HOME": str(tmp_path / "data")}
    assert store_setting("here.sqlite3", environ={"CUELIGHT_STORE": "there.sqlite3"}) == "here.sqlite3"
    assert store_setting(environ=home | {"CUELIGHT_STORE": "there.sqlite3"}) == "there.sqlite3"
    assert store_setting(environ=home) == str(tmp_path / "data" / "cuelight" / "calls.sqlite3")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert store_setting(environ={}) == str(tmp_path / ".local" / "share" / "cuelight" / "calls.sqlite3")
    assert store_setting(environ={"XDG_DATA_HOME": "relative"}) == store_setting(environ={})


def test_the_store_is_made_when_it_is_needed_with_its_folders(tmp_path):
    import asyncio

    environ = {"XDG_DATA_HOME": str(tmp_path / "data")}
    asyncio.run(choose_store(environ=environ).close())
    assert (tmp_path / "data" / "cuelight" / "calls.sqlite3").is_file()


def test_choosing_loads_no_provider():
    code = "import sys, cuelight.wiring; print('pydantic_ai' in sys.modules or 'openai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
