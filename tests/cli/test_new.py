"""`cuelight new`: an agent that works at once."""

import subprocess
import sys

import pytest


def test_what_it_makes_passes_and_talks_at_once(cuelight, tmp_path):
    made = cuelight("new", "front-desk")
    assert made.exit_code == 0, made.stderr
    folder = tmp_path / "front_desk"
    assert sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.*")) == [
        "__init__.py", "agent.py", "cues.toml", "goldens/first.yaml", "test_front_desk.py",
    ]  # fmt: skip
    for told in ("cuelight chat front_desk", "cuelight test front_desk", "  goldens/first.yaml  a conversation, and "):
        assert told in made.stdout
    judged = cuelight("test", "front_desk")
    assert judged.exit_code == 0, judged.output
    assert "ok      Front Desk notes who is calling, then their message  " in judged.stdout
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "front_desk"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert tested.returncode == 0, tested.stdout
    assert "3 passed" in tested.stdout
    for name in ("front-desk", "front_desk", "./front_desk/"):
        talked = cuelight.run("chat", name, stdin="This is Ada Byrne\nPlease have them call me back\n")
        assert talked.returncode == 0, talked.stderr
        assert "Thank you, Ada Byrne." in talked.stdout
        assert cuelight.state()["app_state"]["message"] == "Please have them call me back"


@pytest.mark.parametrize("lines", [["Ada Byrne"], ["Ada"], ["Hello there", "Ada Byrne"], ["It's me, Ada"]])
def test_what_it_makes_takes_the_name_it_asks_for_however_it_is_said(cuelight, lines):
    cuelight("new", "ticket-desk")
    talked = cuelight("chat", "ticket_desk", stdin="\n".join([*lines, "Call me back"]))
    assert talked.exit_code == 0, talked.stderr
    assert cuelight.state()["app_state"]["stage"] == "done", talked.stdout


def test_what_it_makes_is_as_our_own_house_has_it(cuelight, tmp_path):
    cuelight("new", "front-desk")
    for check in (
        ["ruff", "check", "--select", "E,F,W,B,UP,SIM,RUF"],
        ["ruff", "format", "--check"],
        ["mypy", "--strict"],
    ):
        target = "front_desk/agent.py" if check[0] == "mypy" else "front_desk"
        done = subprocess.run(
            [sys.executable, "-m", *check, target], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_folder_may_go_before_the_name(cuelight, tmp_path):
    assert cuelight("new", "agents/front-desk").exit_code == 0
    assert (tmp_path / "agents" / "front_desk" / "agent.py").is_file()
    assert cuelight.run("chat", "front-desk", stdin="hello\n").returncode == 0


def test_it_overwrites_nothing(cuelight, tmp_path):
    (tmp_path / "front_desk").mkdir()
    (tmp_path / "front_desk" / "agent.py").write_text("mine")
    for name in ("front-desk", "front_desk", "Front-Desk"):
        done = cuelight("new", name)
        assert done.exit_code == 2
        assert "is there already, and stays as it is" in done.stderr
    assert (tmp_path / "front_desk" / "agent.py").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("9lives", "cannot be the name of an agent"),
        ("front desk", "cannot be the name of an agent"),
        ("front--desk", "cannot be the name of an agent"),
        ("größe", "cannot be the name of an agent"),
        ("..", "cannot be the name of an agent"),
        ("", "cannot be the name of an agent"),
        ("email", "means something in Python itself"),
        ("class", "means something in Python itself"),
        ("agent", "would make a class Agent, which Cuelight has"),
        ("rich", "A package 'rich' is installed"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused_with_what_to_do(cuelight, tmp_path, name, said):
    done = cuelight("new", name)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.endswith("[bad-input]\n")
    assert list(tmp_path.iterdir()) == []
