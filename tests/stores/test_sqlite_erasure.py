"""After an erasure no byte of the files holds what was erased."""

import asyncio
import random
import sqlite3
from contextlib import closing
from functools import partial
from itertools import cycle

import pytest

from cuelight.errors import StoreUnusable
from cuelight.log import secrets_of
from cuelight.ports import Private, Record
from cuelight.stores import SqliteStore
from cuelight.wire import encode, entry


def secret(rng, call, seq):
    return f"secret-{call}-{seq}-{rng.getrandbits(64):x}"


def told(rng, call, seq, count):
    """Make records of several sizes, each with a value of its own, in its text and beside it."""
    made = []
    for at in range(seq + 1, seq + count + 1):
        value = secret(rng, call, at)
        data = {"text": value + "." * rng.choice([0, 100, 400])}
        hidden = Private(encode_plain(data), (value,))
        made.append(Record(entry("turn.user", data, seq=at, ts=at, call=call, agent="a"), hidden))
    return made


def encode_plain(data):
    return encode(entry("custom", data, seq=1, ts=1.0, call=None, agent="a"))


def values(records):
    return [record.entry.data["text"].rstrip(".").encode() for record in records]


def masked(records, lengths=(1,)):
    """Put masks of other lengths in the texts' places, so that rows move."""
    return [
        entry("turn.user", {"text": "[private]" * length}, seq=e.seq, ts=e.ts, call=e.call, agent=e.agent)
        for e, length in zip((record.entry for record in records), cycle(lengths), strict=False)
    ]


def left(path, erased):
    files = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    assert len(files) == 3
    return [(name, value) for name, content in files.items() for value in erased if value in content]


@pytest.mark.parametrize("seed", [7, 11, 16, 23, 25])  # with each of them secure_delete alone leaves something
def test_no_byte_of_an_erased_value_is_left(path, seed):
    """Rows that grow, shrink and go make SQLite move others between pages, and forget the copies."""
    rng = random.Random(seed)

    async def main():
        store = SqliteStore(path)
        lengths = {f"call-{n}": 0 for n in range(30)}
        erased = []
        for step in range(130):
            call = rng.choice(list(lengths))
            count = rng.randint(1, 9)
            await store.append(call, lengths[call], told(rng, call, lengths[call], count))
            lengths[call] += count
            if step > 60 and step % 10 == 0:
                del lengths[call]
                whole = await store.read(call)
                erased += values(whole)
                sizes = [rng.choice([1, 3, 40, 200, 700]) for _ in range(7)]
                assert await store.erase(call, partial(masked, lengths=sizes)) == len(whole)
                assert left(path, erased) == []
        await store.close()

    asyncio.run(main())


def test_what_was_private_is_gone_though_the_entries_stay(path):
    async def main():
        store = SqliteStore(path)
        hidden = Private(b'{"arguments":{"name":"Ada Byrne"}}', ("Ada Byrne", "600 123 456"))
        masked = entry("tool.call", {"arguments": {"name": "[private]"}}, seq=1, ts=1.0, call="c", agent="a")
        await store.append("c", 0, [Record(masked, hidden)])
        assert {value for _, value in left(path, [b"Ada Byrne", b"600 123 456"])} == {b"Ada Byrne", b"600 123 456"}
        assert await store.erase("c", lambda whole: []) == 1
        assert left(path, [b"Ada Byrne", b"600 123 456"]) == []
        assert await store.read("c") == [Record(masked)]
        assert not secrets_of(await store.read("c"))
        await store.close()

    asyncio.run(main())


def test_a_reader_that_keeps_old_bytes_alive_is_reported(path):
    async def main():
        store = SqliteStore(path, patience=0)
        rng = random.Random(0)
        written = told(rng, "c", 0, 3)
        await store.append("c", 0, written)
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM entries").fetchall()
            with pytest.raises(StoreUnusable, match=r"are still in calls\.sqlite3-wal\. End that process, then erase"):
                await store.erase("c", masked)
        assert await store.erase("c", masked) == 0
        assert left(path, values(written)) == []
        await store.close()

    asyncio.run(main())


def test_others_append_while_a_call_is_erased(path):
    rng = random.Random(0)

    async def main():
        store = SqliteStore(path)
        await store.append("c", 0, told(rng, "c", 0, 400))
        whole = await store.read("c")

        async def talk(call):
            said = told(rng, call, 0, 60)
            for seq in range(60):
                await store.append(call, seq, said[seq : seq + 1])
                await asyncio.sleep(0)
            assert await store.read(call) == said

        await asyncio.gather(store.erase("c", masked), *(talk(f"call-{n}") for n in range(5)))
        assert left(path, values(whole)) == []
        await store.close()

    asyncio.run(main())
