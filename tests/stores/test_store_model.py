"""Every store does what a dictionary would, whatever is asked of it in whatever order."""

import asyncio
import tempfile
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuelight.errors import CallIsOwned, CallNotFound, LeaseLost, SeqConflict
from cuelight.ports import Private, Record
from cuelight.stores import MemoryStore, SqliteStore
from cuelight.testing import ManualClock
from cuelight.wire import entry

CALLS = ("c", "d")
OWNERS = ("desk-1", "desk-2")

calls = st.sampled_from(CALLS)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
private = st.none() | st.builds(Private, texts.map(str.encode), st.lists(texts, max_size=2).map(tuple))
entries = st.tuples(st.sampled_from(["turn.user", "call.ended", "odd type"]), texts, st.floats(0, 2e9), private)
asked = st.one_of(
    st.tuples(
        st.just("append"),
        calls,
        st.lists(entries, max_size=4),
        st.sampled_from([0, 0, 0, 0, -1, 1]),  # how far off the expected seq is
        st.none() | st.integers(0, 5),  # which of the leases it is given
    ),
    st.tuples(st.just("read"), calls, st.integers(-1, 12)),
    st.tuples(st.just("acquire"), calls, st.sampled_from(OWNERS)),
    st.tuples(st.just("renew"), st.integers(0, 5)),
    st.tuples(st.just("release"), st.integers(0, 5)),
    st.tuples(st.just("erase"), calls, st.sets(st.integers(1, 12)), st.integers(0, 2)),
    st.tuples(st.just("elapse"), st.sampled_from([1, 20, 30])),
    st.tuples(st.just("reopen")),
)


class Model:
    """What the contract says, in plain lists and dictionaries."""

    def __init__(self):
        self.logs = {}
        self.held = {}  # call: (lease, when it expires)

    def owned(self, call, now):
        return call in self.held and self.held[call][1] > now

    def valid(self, lease, call):
        return call in self.held and self.held[call][0] == lease


class Run:
    """One store beside the model."""

    def __init__(self, opened, *, lasting):
        self.clock = ManualClock()
        self.opened = opened
        self.lasting = lasting
        self.store = opened(now=self.clock.now)
        self.model = Model()
        self.leases = []

    async def compare(self):
        for call in CALLS:
            log = self.model.logs.get(call, [])
            assert await self.store.read(call) == log
        assert {info.call: (info.seq, info.ended, info.last_at) for info in await self.store.calls()} == {
            call: (len(log), any(r.entry.type == "call.ended" for r in log), log[-1].entry.ts)
            for call, log in self.model.logs.items()
        }

    def lease(self, number):
        return self.leases[number % len(self.leases)] if self.leases and number is not None else None

    async def append(self, call, drawn, off, number):
        log = self.model.logs.get(call, [])
        expected, lease = len(log) + off, self.lease(number)
        new = [
            Record(entry(type_, {"text": text}, seq=seq, ts=ts, call=call, agent="a"), hidden)
            for seq, (type_, text, ts, hidden) in enumerate(drawn, expected + 1)
        ]
        append = self.store.append(call, expected, new, lease=lease)
        if new and lease is not None and not (lease.call == call and self.model.valid(lease, call)):
            with pytest.raises(LeaseLost):
                await append
        elif new and off:
            with pytest.raises(SeqConflict):
                await append
        else:
            await append
            if new:
                self.model.logs[call] = log + new
                assert await self.store.wait(call, len(log)) == len(log) + len(new)

    async def read(self, call, from_seq):
        assert await self.store.read(call, from_seq) == self.model.logs.get(call, [])[max(from_seq, 1) - 1 :]

    async def acquire(self, call, owner):
        if self.model.owned(call, self.clock.now()):
            with pytest.raises(CallIsOwned):
                await self.store.acquire(call, owner, seconds=30)
            return
        lease = await self.store.acquire(call, owner, seconds=30)
        assert all(lease.token > other.token for other in self.leases if other.call == call)
        self.leases.append(lease)
        self.model.held[call] = (lease, self.clock.now() + 30)

    async def renew(self, number):
        lease = self.lease(number)
        if lease is None:
            return
        if self.model.valid(lease, lease.call):
            await self.store.renew(lease, seconds=30)
            self.model.held[lease.call] = (lease, self.clock.now() + 30)
        else:
            with pytest.raises(LeaseLost):
                await self.store.renew(lease, seconds=30)

    async def release(self, number):
        lease = self.lease(number)
        if lease is not None:
            await self.store.release(lease)
            if self.model.valid(lease, lease.call):
                del self.model.held[lease.call]

    async def erase(self, call, places, more):
        log = self.model.logs.get(call, [])
        kinds = {record.entry.seq: record.entry.type for record in log}
        places = {place for place in places if place <= len(log)}
        ends = range(len(log) + 1, len(log) + 1 + more)
        masked = [
            entry(kinds.get(seq, "cue.erased"), {}, seq=seq, ts=5.0, call=call, agent="a") for seq in (*places, *ends)
        ]
        erase = self.store.erase(call, lambda whole: masked if list(whole) == log else [])
        if not log:
            with pytest.raises(CallNotFound):
                await erase
        elif self.model.owned(call, self.clock.now()):
            with pytest.raises(CallIsOwned):
                await erase
        else:
            assert await erase == sum(record.private is not None for record in log)
            by_seq = {record.entry.seq: Record(record.entry) for record in log}
            self.model.logs[call] = list((by_seq | {one.seq: Record(one) for one in masked}).values())

    async def elapse(self, seconds):
        await self.clock.advance(seconds)

    async def reopen(self):
        if self.lasting:
            await self.store.close()
            self.store = self.opened(now=self.clock.now)
            self.model.held.clear()

    async def play(self, steps):
        try:
            for what, *how in steps:
                await getattr(self, what)(*how)
                await self.compare()
        finally:
            await self.store.close()


@given(st.lists(asked, max_size=25))
@settings(max_examples=200, deadline=None)
def test_a_memory_store_does_what_the_model_does(steps):
    asyncio.run(Run(MemoryStore, lasting=False).play(steps))


@given(st.lists(asked, max_size=25))
@settings(max_examples=60, deadline=None)
def test_a_sqlite_store_does_what_the_model_does(steps):
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(Run(partial(SqliteStore, Path(folder) / "calls.sqlite3"), lasting=True).play(steps))
