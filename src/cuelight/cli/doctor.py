"""`cuelight doctor`: what is set up, what is missing, how to add it."""

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Literal

import typer
from msgspec import Struct, json
from rich.text import Text

import cuelight
from cuelight.cli.commands import DID_NOT_HOLD, single
from cuelight.cli.console import open_console
from cuelight.cli.demo import example
from cuelight.cli.options import AsJson, StoreName
from cuelight.cli.stored import with_store
from cuelight.errors import CuelightError
from cuelight.models import resolve_model
from cuelight.models.installing import install_line
from cuelight.ports import Store
from cuelight.stores import SqliteStore
from cuelight.wiring import choose_store, store_setting

__all__ = ["app"]

_STYLES = {"ok": "green", "--": "dim", "!!": "bold red"}
_EXTRAS = ("models",)
_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")


class Finding(Struct, frozen=True):
    """Say of one thing whether it is there: `ok`, or `--` where it is not and need not be, or `!!` where it must be."""

    status: Literal["ok", "--", "!!"]
    name: str
    text: str


def doctor(store: StoreName = None, as_json: AsJson = False) -> None:
    """Say what is set up, what is missing and how to add it.

    The exit code is 0 when what is needed is there, and 1 when it is not. Keys are never shown.
    """
    findings = [*_python(), *_extras(), *_model(), *_store(store), *_example()]
    if as_json:
        sys.stdout.write(json.format(json.encode(findings)).decode() + "\n")
    else:
        _print(findings)
    if any(finding.status == "!!" for finding in findings):
        raise typer.Exit(DID_NOT_HOLD)


app = single(doctor)


def _print(findings: list[Finding]) -> None:
    console = open_console()
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        text = Text.assemble((finding.status, _STYLES[finding.status]), f"  {finding.name:{width}}  ", finding.text)
        console.print(text, soft_wrap=True)


def _python() -> Iterator[Finding]:
    yield Finding("ok", "python", f"{platform.python_version()} ({sys.executable})")
    yield Finding("ok", "cuelight", f"{cuelight.__version__} ({Path(cuelight.__file__).parent})")


def _extras() -> Iterator[Finding]:
    """Look which extras are installed, of those that something here makes use of."""
    needed: dict[str, list[str]] = {}
    for requirement in metadata.requires("cuelight") or ():
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", requirement)
        name = re.match(r"[\w.-]+", requirement)
        if extra and name and extra[1] in _EXTRAS:
            needed.setdefault(extra[1], []).append(name[0])
    for extra_name, packages in needed.items():
        missing = [package for package in packages if _version(package) is None]
        if missing:
            yield Finding("--", extra_name, f"not installed: {install_line(extra_name)}")
        else:
            yield Finding("ok", extra_name, ", ".join(f"{package} {_version(package)}" for package in packages))


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _model() -> Iterator[Finding]:
    setting = os.environ.get("CUELIGHT_MODEL", "").strip()
    if not setting:
        yield Finding(
            "--", "model", "CUELIGHT_MODEL is not set: the Understudy answers for agents that have a cue sheet. For a "
            "real model set it to provider:name, as in CUELIGHT_MODEL=openai:gpt-5-mini.",
        )  # fmt: skip
    else:
        yield _found("model", lambda: _usable(setting))
    for key in _KEYS:
        there = bool(os.environ.get(key))
        yield Finding("ok" if there else "--", key, "set" if there else "not set")


def _usable(setting: str) -> str:
    if setting != "understudy":
        resolve_model(setting)
    return f"{setting}, from CUELIGHT_MODEL"


def _store(named: str | None) -> Iterator[Finding]:
    async def look(store: Store) -> str:
        calls = len(await store.calls())
        schema = f", schema {store.schema}" if isinstance(store, SqliteStore) else ""
        return f"{store_setting(named)}: writable{schema}, {calls} call{'' if calls == 1 else 's'}"

    yield _found("store", lambda: with_store(named, look, choose_store))


def _example() -> Iterator[Finding]:
    yield _found("example", lambda: f"{example()}: `cuelight demo` talks with it")


def _found(name: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding("ok", name, look())
    except CuelightError as error:
        return Finding("!!", name, f"{error} [{error.code}]")
