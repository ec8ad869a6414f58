"""From `provider:name` to a model, or to exactly what is missing."""

import subprocess
import sys

import pytest

from cuelight.errors import NotSetUp
from cuelight.models import resolve_model
from cuelight.ports import Model


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "DEEPSEEK_API_KEY",
        "OLLAMA_BASE_URL",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("gpt-5-mini", "provider:name"),
        ("", "provider:name"),
        ("openai:", "provider:name"),
        (":gpt-5-mini", "provider:name"),
        ("understudy", "provider:name"),
        ("opnai:gpt-5-mini", "did you mean openai"),
        ("nonsense:x", "There is no provider 'nonsense'"),
        ("openai:gpt-5-mini", "set OPENAI_API_KEY"),
        ("openai-responses:gpt-5-mini", "set OPENAI_API_KEY"),
        ("anthropic:claude-haiku-4-5", "set ANTHROPIC_API_KEY"),
        ("deepseek:deepseek-chat", "needs a key: set DEEPSEEK_API_KEY"),
        ("ollama:llama3", "needs to know its server: set OLLAMA_BASE_URL"),
        ("test:x", "There is no provider 'test'"),
        ("groq:llama", 'pip install "pydantic-ai-slim[groq]"'),
    ],
)
def test_what_is_missing_is_said_exactly(spec: str, says: str) -> None:
    with pytest.raises(NotSetUp) as caught:
        resolve_model(spec)
    assert says in str(caught.value)
    if spec:
        assert spec.partition(":")[0] in str(caught.value)


def test_a_base_url_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    model = resolve_model("openai:llama3")
    assert (model.provider, model.name) == ("openai", "llama3")
    assert isinstance(model, Model)


@pytest.mark.parametrize(
    ("spec", "key"),
    [
        ("openai:gpt-5-mini", "OPENAI_API_KEY"),
        ("openai-responses:gpt-5-mini", "OPENAI_API_KEY"),
        ("anthropic:claude-haiku-4-5", "ANTHROPIC_API_KEY"),
        ("deepseek:deepseek-chat", "DEEPSEEK_API_KEY"),
    ],
)
def test_a_model_says_its_name_and_provider(monkeypatch: pytest.MonkeyPatch, spec: str, key: str) -> None:
    monkeypatch.setenv(key, "sk-1")
    model = resolve_model(spec)
    assert f"{model.provider}:{model.name}" == spec.replace("-responses", "")


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30).stdout


def test_importing_models_imports_no_provider_and_no_http_client() -> None:
    heavy = ("pydantic_ai", "pydantic", "openai", "anthropic", "httpx", "httpx2")
    assert run(f"import sys, cuelight.models; print([m for m in {heavy} if m in sys.modules])").strip() == "[]"


def test_without_the_extra_it_is_said_what_to_install() -> None:
    code = (
        "import sys; sys.modules['pydantic_ai'] = None\n"
        "from cuelight.models import resolve_model\n"
        "from cuelight.errors import NotSetUp\n"
        "for spec in ('openai:gpt-5-mini', 'opnai:gpt-5-mini'):\n"
        "    try: resolve_model(spec)\n"
        "    except NotSetUp as missing: print(missing)\n"
    )
    missing, misspelt = run(code).splitlines()
    assert f"Run: {sys.executable} -m pip install " in missing
    assert missing.endswith('[models]"')
    assert misspelt == "There is no provider 'opnai' of models; did you mean openai:gpt-5-mini?"
