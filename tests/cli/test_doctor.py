"""`cuelight doctor`: what is set up, what is missing, how to add it."""

import json
import subprocess
import sys

KEYS = {"OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": "", "OPENAI_BASE_URL": ""}


def _findings(done):
    return {finding["name"]: finding for finding in json.loads(done.stdout)}


def test_where_the_basics_are_there_all_is_well(cuelight, tmp_path):
    done = cuelight("doctor", **KEYS)
    assert done.exit_code == 0, done.stdout
    lines = dict(line.split(maxsplit=2)[1:] for line in done.stdout.splitlines())
    assert lines["store"] == f"{tmp_path / 'calls.sqlite3'}: writable, schema 1, 0 calls"
    assert lines["python"].startswith("3.")
    assert "CUELIGHT_MODEL is not set" in lines["model"]
    assert lines["OPENAI_API_KEY"] == "not set"


def test_a_model_and_its_key(cuelight):
    done = cuelight("doctor", "--json", **KEYS | {"CUELIGHT_MODEL": "openai:gpt-5-mini", "OPENAI_API_KEY": "sk-secret"})
    assert done.exit_code == 0, done.stdout
    found = _findings(done)
    assert found["model"] == {"status": "ok", "name": "model", "text": "openai:gpt-5-mini, from CUELIGHT_MODEL"}
    assert found["OPENAI_API_KEY"]["text"] == "set"
    assert "secret" not in done.stdout


def test_a_model_that_cannot_be_used_is_told_and_does_not_hold(cuelight):
    done = cuelight("doctor", "--json", **KEYS | {"CUELIGHT_MODEL": "openai:gpt-5-mini"})
    assert done.exit_code == 1
    found = _findings(done)["model"]
    assert found["status"] == "!!"
    assert "set OPENAI_API_KEY" in found["text"]


def test_a_store_that_cannot_be_used_is_told_and_does_not_hold(cuelight, tmp_path):
    (tmp_path / "calls.sqlite3").write_bytes(b"no database at all, but something else")
    done = cuelight("doctor", "--json", **KEYS)
    assert done.exit_code == 1
    assert _findings(done)["store"]["status"] == "!!"


def test_an_extra_that_is_missing_says_how_to_add_it(cuelight):
    code = (
        "import sys; from importlib import metadata\n"
        "have = metadata.version\n"
        "def version(name):\n"
        "    if name.startswith('pydantic-ai'): raise metadata.PackageNotFoundError(name)\n"
        "    return have(name)\n"
        "metadata.version = version\n"
        "from cuelight.cli import main; sys.argv = ['cuelight', 'doctor', '--json']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=cuelight.environ(), cwd=cuelight.folder,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    text = _findings(done)["models"]["text"]
    assert text.startswith(f"not installed: {sys.executable} -m pip install ")
    assert text.endswith('[models]"')


def test_only_extras_that_something_uses_are_offered(cuelight):
    found = _findings(cuelight("doctor", "--json", **KEYS))
    assert "models" in found
    assert not {"server", "postgres", "voice", "dev"} & set(found)
