import asyncio
from pathlib import Path

import pytest

from cuelight.errors import NotSetUp, StoreUnusable
from cuelight.stores import MemoryStore, SqliteStore, open_store


@pytest.mark.parametrize("spec", ["memory", ":memory:"])
def test_memory_is_named_by_words(spec):
    assert isinstance(open_store(spec), MemoryStore)


def test_everything_else_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    specs = {
        "one.sqlite3": "one.sqlite3",
        "sqlite:///two.sqlite3": "two.sqlite3",
        f"sqlite:///{tmp_path}/three.sqlite3": "three.sqlite3",
        "~/four.sqlite3": "four.sqlite3",
        "sqlite:///~/five.sqlite3": "five.sqlite3",
        Path("memory"): "memory",
        Path("~/six"): "six",
    }

    async def main():
        for spec, name in specs.items():
            store = open_store(spec)
            assert isinstance(store, SqliteStore)
            assert (tmp_path / name).exists()
            await store.close()

    asyncio.run(main())


@pytest.mark.parametrize("spec", ["", "mysql://host/calls", "sqlite://", "sqlite:///"])
def test_what_names_no_store_is_refused_with_what_does(spec):
    with pytest.raises(NotSetUp, match=r"names no store\. Write the path of a file .* or `memory`"):
        open_store(spec)


def test_a_file_that_cannot_be_a_store_is_refused(tmp_path):
    with pytest.raises(StoreUnusable, match="cannot be opened"):
        open_store(str(tmp_path))
