"""`import cuelight` is cheap: no HTTP client, no provider, no server, and nothing an author may not need."""

import subprocess
import sys

HEAVY = (
    "httpx", "httpx2", "requests", "aiohttp", "openai", "anthropic", "pydantic_ai", "pydantic", "fastapi", "starlette",
    "uvicorn", "asyncpg", "psycopg", "livekit", "sqlite3", "rich", "typer", "click",
)  # fmt: skip


def _loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_cuelight_loads_nothing_heavy() -> None:
    assert not _loaded_by("import cuelight") & set(HEAVY)


def test_importing_models_and_testing_loads_no_provider() -> None:
    loaded = _loaded_by("import cuelight.models, cuelight.testing, cuelight.engine")
    assert not loaded & {"openai", "anthropic", "pydantic_ai", "fastapi", "livekit", "httpx", "httpx2"}
