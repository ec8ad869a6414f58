"""A SQLite file that several share: cases R61 and R65, leases of other processes, and what is left when all is done."""

import asyncio
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from cuelight.errors import BadEntry, CallIsOwned, SeqConflict, StoreUnusable
from cuelight.ports import Record
from cuelight.stores import SqliteStore
from cuelight.stores.sqlite.file import connect, migrate, prepare
from cuelight.testing.contracts import records
from cuelight.wire import entry


def scenario(durable=False, patience=30.0):
    """Run a test with a store on its `path`, and see that no thread is left after it."""

    def made(body):
        def test(path, worker):
            async def main():
                async with asyncio.timeout(30):
                    store = SqliteStore(path, durable=durable, patience=patience)
                    try:
                        await body(store, path, worker)
                    finally:
                        await store.close()

            before = set(threading.enumerate())
            asyncio.run(main())
            assert set(threading.enumerate()) - before == set()

        return test

    return made


def connected(path):
    return closing(sqlite3.connect(path, timeout=0, isolation_level=None))


async def hear(other):
    return await asyncio.to_thread(other.hear)


# --- R65 --------------------------------------------------------------------------------------------------------------


@scenario()
async def test_r65_processes_append_at_once_and_none_is_refused(store, path, worker):
    others = {f"call-{number}": worker("append", path, f"call-{number}") for number in range(4)}
    assert {other.hear() for other in others.values()} == {"ready"}
    for other in others.values():
        other.tell()
    for seq in range(0, 300, 3):
        await store.append("mine", seq, records("mine", seq + 1, 3))
        await asyncio.sleep(0)
    assert {other.hear() for other in others.values()} == {"done"}
    for call in ("mine", *others):
        assert await store.read(call) == records(call, 1, 300)


def test_r65_processes_open_a_new_file_at_once(path, worker):
    others = [worker("append", path, f"call-{number}") for number in range(4)]
    assert {other.hear() for other in others} == {"ready"}
    for other in others:
        other.tell()
    assert {other.hear() for other in others} == {"done"}


def test_r65_a_file_that_another_makes_while_it_is_looked_at_is_no_foreign_one(path):
    with connected(path) as mine, connected(path) as theirs:
        mine.execute("PRAGMA journal_mode=WAL")
        pending = [theirs]

        def on_statement(statement):
            if "user_version" in statement and pending:
                migrate(pending.pop(), path)

        mine.set_trace_callback(on_statement)
        migrate(mine, path)
        assert not pending
        assert mine.execute("SELECT count(*) FROM calls").fetchone() == (0,)


def test_r65_connections_wait_for_a_file_that_another_has_to_itself(path):
    prepare(path, patience=0)
    with connected(path) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnusable, match="kept locked by another process"):
            connect(path, 1, synchronous="NORMAL", patience=0)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(connect, path, 3, synchronous="NORMAL", patience=30)
            other.close()
            for db in waiting.result():
                db.close()


@scenario(patience=0)
async def test_r65_a_paused_reader_blocks_no_writer(store, path, worker):
    await store.append("c", 0, records("c", 1, 1))
    with connected(path) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM entries").fetchone() == (1,)
        for seq in range(1, 1200):  # beyond several checkpoints
            await store.append("c", seq, records("c", seq + 1, 1))
        assert reader.execute("SELECT count(*) FROM entries").fetchone() == (1,)
    assert await store.read("c") == records("c", 1, 1200)


@scenario()
async def test_r65_a_busy_database_is_waited_for_in_order(store, path, worker):
    with connected(path) as writer:
        writer.execute("BEGIN IMMEDIATE")
        appends = [asyncio.ensure_future(store.append("c", n, records("c", n + 1, 1))) for n in range(5)]
        lease = asyncio.ensure_future(store.acquire("c", "me", seconds=30))
        assert await store.read("c") == []
        _, waiting = await asyncio.wait([*appends, lease], timeout=0.02)
        assert len(waiting) == 6
        writer.execute("ROLLBACK")
    await asyncio.gather(*appends)
    await store.append("c", 5, records("c", 6, 1), lease=await lease)
    assert await store.read("c") == records("c", 1, 6)


@scenario(patience=0.01)
async def test_r65_a_database_that_stays_busy_is_reported(store, path, worker):
    with connected(path) as writer:
        writer.execute("BEGIN IMMEDIATE")
        outcomes = await asyncio.gather(
            *(store.append(f"{n}", 0, records(f"{n}", 1, 1)) for n in range(5)), return_exceptions=True
        )
        assert all(isinstance(outcome, StoreUnusable) for outcome in outcomes)
        assert "kept locked by another process. End that process" in str(outcomes[0])
    assert await store.calls() == []
    await store.append("c", 0, records("c", 1, 1))


@scenario()
async def test_an_append_withdrawn_while_it_waits_its_turn_is_not_written(store, path, worker):
    with connected(path) as writer:
        writer.execute("BEGIN IMMEDIATE")
        first = asyncio.ensure_future(store.append("c", 0, records("c", 1, 1)))
        await asyncio.wait([first], timeout=0.02)
        second = asyncio.ensure_future(store.append("d", 0, records("d", 1, 1)))
        await asyncio.wait([second], timeout=0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        writer.execute("ROLLBACK")
    await first
    await store.append("e", 0, records("e", 1, 1))
    assert {info.call for info in await store.calls()} == {"c", "e"}


@scenario()
async def test_a_lease_whose_taker_was_cancelled_is_free(store, path, worker):
    with connected(path) as writer:
        writer.execute("BEGIN IMMEDIATE")
        taking = asyncio.ensure_future(store.acquire("c", "me", seconds=3600))
        await asyncio.sleep(0)
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
        writer.execute("ROLLBACK")
    # Behind both in the writer's queue.
    await store.append("d", 0, records("d", 1, 1000))
    await store.acquire("c", "somebody else", seconds=30)


@scenario(durable=True)
async def test_durable_appends_that_wait_together_have_outcomes_of_their_own(store, path, worker):
    await store.append("c", 0, records("c", 1, 1))
    good = [store.append(f"{n}", 0, records(f"{n}", 1, 3)) for n in range(20)]
    outcomes = await asyncio.gather(
        *good[:10], store.append("c", 7, records("c", 8, 1)), *good[10:], return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes if outcome is not None] == [SeqConflict]
    for n in range(20):
        assert await store.read(f"{n}") == records(f"{n}", 1, 3)


@pytest.mark.parametrize(
    "odd",
    [
        entry("custom", {}, seq=1, ts=2**70, call="c", agent="a"),
        entry("half \ud800", {}, seq=1, ts=1.0, call="c", agent="a"),
    ],
)
def test_an_entry_that_sqlite_cannot_hold_is_refused(path, odd):
    async def main():
        store = SqliteStore(path)
        with pytest.raises(BadEntry, match="Entry 1 of call 'c'"):
            await store.append("c", 0, [Record(odd)])
        assert await store.calls() == []
        await store.close()

    asyncio.run(main())


# --- leases -----------------------------------------------------------------------------------------------------------


@scenario()
async def test_a_call_that_a_living_process_holds_is_owned(store, path, worker):
    other = worker("hold", path, "c")
    assert other.hear() == "holds 1"
    with pytest.raises(CallIsOwned, match="the other"):
        await store.acquire("c", "me", seconds=30)
    other.tell()
    assert other.hear() == "released"
    assert (await store.acquire("c", "me", seconds=30)).token == 2


@scenario()
async def test_a_killed_owner_blocks_nobody(store, path, worker):
    other = worker("hold", path, "c")
    assert other.hear() == "holds 1"
    other.kill()
    while other.process.stdout.read(1):
        pass  # it has ended once its output has, though nobody has asked for its outcome yet
    deadline = time.monotonic() + 10
    while True:
        try:
            lease = await store.acquire("c", "me", seconds=30)
            break
        except CallIsOwned:  # its files are closed a moment before it is gone
            assert time.monotonic() < deadline
    assert lease.token == 2
    await store.append("c", 0, records("c", 1, 1), lease=lease)


@scenario()
async def test_r61_of_processes_that_want_a_call_one_gets_it(store, path, worker):
    others = [worker("contend", path, "c") for _ in range(4)]
    assert {other.hear() for other in others} == {"ready"}
    for other in others:
        other.tell()
    assert sorted(other.hear() for other in others) == ["call-is-owned"] * 3 + ["holds"]


# --- waiting ----------------------------------------------------------------------------------------------------------


@scenario()
async def test_what_another_process_appends_is_noticed_both_ways(store, path, worker):
    other = worker("follow", path, "mine")
    assert await hear(other) == "ready"
    for seq in range(4):
        await store.append("mine", seq, records("mine", seq + 1, 1))
        assert await hear(other) == f"{seq + 1}"
    another = worker("append", path, "theirs")
    assert await hear(another) == "ready"
    another.tell()
    last = 0
    while last < 300:
        last = await store.wait("theirs", last)
    assert await store.read("theirs") == records("theirs", 1, 300)


def test_one_store_serves_one_loop_after_another(path):
    store = SqliteStore(path)

    async def wait_in_vain():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await store.wait("c", 0)

    async def wait():
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            waiting = asyncio.ensure_future(store.wait("c", 0))
            await asyncio.sleep(0)
            other = SqliteStore(path)
            await other.append("c", 0, records("c", 1, 1))
            await other.close()
            assert db.execute("SELECT seq FROM calls").fetchall() == [(1,)]
            async with asyncio.timeout(10):
                return await waiting

    asyncio.run(wait_in_vain())
    assert asyncio.run(wait()) == 1
    asyncio.run(store.close())


@scenario()
async def test_waiting_for_a_file_that_breaks_is_told(store, path, worker):
    waiting = asyncio.ensure_future(store.wait("c", 0))
    await asyncio.sleep(0)
    with connected(path) as db:
        db.execute("DROP TABLE calls")
    with pytest.raises(StoreUnusable, match="has not the tables"):
        await waiting


# --- the end of a process ---------------------------------------------------------------------------------------------


def test_a_killed_process_loses_nothing_it_has_acknowledged(path, worker):
    for kills in range(1, 7):
        other = worker("acknowledge", path, "c")
        acknowledged = [other.hear() for _ in range(kills * 13)][-1]
        other.kill()
        told = [acknowledged, *other.process.stdout.read().split()][-1]

        async def read():
            store = SqliteStore(path)
            whole = await store.read("c")
            await store.close()
            return whole

        whole = asyncio.run(read())
        assert len(whole) in (int(told), int(told) + 7)
        assert whole == records("c", 1, len(whole))


# --- the write-ahead log ----------------------------------------------------------------------------------------------


@scenario()
async def test_the_write_ahead_log_stays_short_though_writing_never_pauses(store, path, worker):
    for seq in range(0, 12_000, 2):  # 46 MB of it
        await store.append("c", seq, records("c", seq + 1, 2))
        if seq % 100 == 0:
            await store.calls()  # in the thread that also moves the log: so it has moved what it was asked to
    assert path.with_name(f"{path.name}-wal").stat().st_size < 20_000_000


def test_closing_finishes_what_is_under_way(path):
    async def main():
        store = SqliteStore(path, durable=True)
        appends = [asyncio.ensure_future(store.append(f"{n}", 0, records(f"{n}", 1, 3))) for n in range(300)]
        await asyncio.sleep(0)
        await asyncio.gather(store.close(), store.close())
        await asyncio.gather(*appends)
        later = SqliteStore(path)
        assert {info.call: info.seq for info in await later.calls()} == {f"{n}": 3 for n in range(300)}
        await later.close()

    asyncio.run(main())


def test_the_files_beside_it_are_gone_after_closing(path):
    async def main():
        store = SqliteStore(path)
        await store.append("c", 0, records("c", 1, 1))
        assert len(list(path.parent.iterdir())) == 3
        await store.close()

    asyncio.run(main())
    assert list(path.parent.iterdir()) == [path]
