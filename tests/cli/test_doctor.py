"""`cuelight doctor`: what is set up, what is missing, how to add it."""

import json

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
    texts = [finding["text"] for finding in _findings(cuelight("doctor", "--json", **KEYS)).values()]
    missing = [text for text in texts if text.startswith("not installed")]
    assert all(text.startswith('not installed: pip install "cuelight[') for text in missing)
