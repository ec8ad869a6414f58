"""What every store must do, as tests: an adapter subclasses a contract and says how its store is opened.

```python
class TestMyStore(LastingStoreContract):
    def open_store(self, now):
        return MyStore("...", now=now)
```
"""

import asyncio
import functools
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from cuelight.errors import BadEntry, CallIsOwned, CallNotFound, LeaseLost, SeqConflict, StoreUnusable
from cuelight.ports import Private, Record, Store
from cuelight.testing.clock import ManualClock
from cuelight.wire import Entry, encode, entry

__all__ = ["LastingStoreContract", "StoreContract", "records"]

S = TypeVar("S", bound="StoreContract")
E = TypeVar("E", bound=Exception)


def records(call: str, first: int, count: int, *, type: str = "turn.user", ts: float = 0.5) -> list[Record]:  # noqa: A002
    """Make records of a call, each with a text and a time of its own, `ts` and its seq added up."""
    return [
        Record(entry(type, {"text": f"{call} {seq}"}, seq=seq, ts=ts + seq, call=call, agent="front-desk"))
        for seq in range(first, first + count)
    ]


def _scenario(body: Callable[[S, Store, ManualClock], Coroutine[Any, Any, None]]) -> Callable[[S], None]:
    """Run a test with a new store and a clock of its own, and see that it leaves no task behind."""

    async def play(case: S) -> None:
        clock = ManualClock()
        async with asyncio.timeout(20):
            store = case.open_store(clock.now)
            try:
                await body(case, store, clock)
            finally:
                await store.close()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    def test(self: S) -> None:
        asyncio.run(play(self))

    functools.update_wrapper(test, body)
    del test.__wrapped__  # type: ignore[attr-defined]  # pytest would take the arguments of what it wraps for fixtures
    return test


@contextmanager
def _refused(kind: type[E]) -> Iterator[list[E]]:
    """Expect an error, which is then in the list."""
    caught: list[E] = []
    try:
        yield caught
    except kind as error:
        caught.append(error)
    assert caught, f"{kind.__name__} was not raised"


class StoreContract(ABC):
    """The contract of all stores."""

    @abstractmethod
    def open_store(self, now: Callable[[], float]) -> Store:
        """Open a store: an empty one at first in each test; once more in the same test, the same one again.

        Args:
            now: the time by which its leases expire.
        """

    # --- append and read ----------------------------------------------------------------------------------------------

    @_scenario
    async def test_records_come_back_as_they_were(self, store: Store, clock: ManualClock) -> None:
        raw = b'{"text" : "one\\ntwo","n":1e2, "deep":[null,{}]}'
        lines = "one\ntwo\r\nthree\u2028four\x00 \U0001f600 [private]"
        written = [
            Record(entry("turn.user", raw, seq=1, ts=1767225600, call="c", agent="a")),
            Record(entry("some.later", {"text": lines}, seq=2, ts=1767225600.25, call="c", agent="b")),
            Record(
                entry("tool.call", {"arguments": "[private]"}, seq=3, ts=0.1, call="c", agent=""),
                Private(b'{"arguments": "Ada\\nByrne"}', ("Ada\nByrne", "", "\U0001f600")),
            ),
            Record(entry("tool.result", {}, seq=4, ts=-1.0, call="c", agent="a"), Private(b"{}")),
        ]
        await store.append("c", 0, written[:1])
        await store.append("c", 1, written[1:])
        read = await store.read("c")
        assert read == written
        assert [encode(record.entry) for record in read] == [encode(record.entry) for record in written]

    @_scenario
    async def test_reading_starts_at_a_seq(self, store: Store, clock: ManualClock) -> None:
        await store.append("c", 0, records("c", 1, 5))
        await store.append("d", 0, records("d", 1, 2))
        assert await store.read("c", 4) == records("c", 1, 5)[3:]
        assert await store.read("c", 0) == records("c", 1, 5)
        assert await store.read("c", 6) == []
        assert await store.read("nobody") == []

    @_scenario
    async def test_a_long_log_is_whole_and_in_order(self, store: Store, clock: ManualClock) -> None:
        whole = records("c", 1, 1300)
        await store.append("c", 0, whole[:1200])
        for seq in range(1200, 1300):
            await store.append("c", seq, whole[seq : seq + 1])
        assert await store.read("c") == whole
        assert await store.read("c", 700) == whole[699:]

    @_scenario
    async def test_an_append_that_expects_another_last_entry_is_refused(self, store: Store, clock: ManualClock) -> None:
        await store.append("c", 0, records("c", 1, 2))
        for expected in (0, 1, 3):
            with _refused(SeqConflict) as conflict:
                await store.append("c", expected, records("c", expected + 1, 1))
            assert (conflict[0].call, conflict[0].expected, conflict[0].actual) == ("c", expected, 2)
        with _refused(SeqConflict):
            await store.append("new", 4, records("new", 5, 1))
        assert await store.read("c") == records("c", 1, 2)
        assert [info.call for info in await store.calls()] == ["c"]

    @_scenario
    async def test_r61_of_two_writers_at_once_one_wins(self, store: Store, clock: ManualClock) -> None:
        sides = [records("c", 1, 3), records("c", 1, 3, type="turn.agent")]
        outcomes = await asyncio.gather(*(store.append("c", 0, side) for side in sides), return_exceptions=True)
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["NoneType", "SeqConflict"]
        assert await store.read("c") == sides[outcomes.index(None)]

    @_scenario
    async def test_one_bad_entry_spoils_its_append(self, store: Store, clock: ManualClock) -> None:
        await store.append("c", 0, records("c", 1, 1))
        good, next_ = records("c", 2, 2)
        hole, again = records("c", 4, 1)[0], good
        other = records("d", 3, 1)[0]
        passing = Record(entry("user.transcript", {}, seq=3, ts=1.0, call="c", agent="a", ephemeral=True))
        for bad in (hole, again, other, passing):
            with _refused(BadEntry):
                await store.append("c", 1, [good, bad])
        assert await store.read("c") == records("c", 1, 1)
        await store.append("c", 1, [good, next_])
        assert await store.read("c") == records("c", 1, 3)

    @_scenario
    async def test_appending_nothing_makes_no_call(self, store: Store, clock: ManualClock) -> None:
        await store.append("c", 0, [])
        assert await store.calls() == []

    @_scenario
    async def test_what_callers_do_with_their_lists_changes_nothing(self, store: Store, clock: ManualClock) -> None:
        mine = records("c", 1, 2)
        await store.append("c", 0, mine)
        mine.clear()
        (await store.read("c")).clear()
        (await store.calls()).clear()
        assert await store.read("c") == records("c", 1, 2)
        assert len(await store.calls()) == 1

    @_scenario
    async def test_r73_a_reader_that_follows_sees_each_entry_once(self, store: Store, clock: ManualClock) -> None:
        async def write() -> None:
            for seq in range(0, 60, 3):
                await store.append("c", seq, records("c", seq + 1, 3))
                await asyncio.sleep(0)

        async def follow() -> list[Record]:
            seen: list[Record] = []
            while len(seen) < 60:
                await store.wait("c", len(seen))
                seen += await store.read("c", len(seen) + 1)
            return seen

        _, *seen = await asyncio.gather(write(), follow(), follow())
        assert seen == [await store.read("c")] * 2

    # --- the list of calls --------------------------------------------------------------------------------------------

    @_scenario
    async def test_calls_are_listed_newest_activity_first(self, store: Store, clock: ManualClock) -> None:
        await store.append("a", 0, records("a", 1, 2, ts=10.0))
        await store.append("b", 0, records("b", 1, 1, ts=20.0))
        await store.append("c", 0, records("c", 1, 1, ts=20.0))
        assert [info.call for info in await store.calls()] == ["c", "b", "a"]
        await store.append("a", 2, records("a", 3, 1, type="call.ended", ts=30.0))
        await store.append("a", 3, records("a", 4, 1, type="call.summary", ts=30.0))
        first = (await store.calls())[0]
        assert (first.call, first.agent, first.seq, first.ended) == ("a", "front-desk", 4, True)
        assert (first.opened_at, first.last_at) == (11.0, 34.0)
        assert [info.ended for info in await store.calls()] == [True, False, False]

    # --- leases -------------------------------------------------------------------------------------------------------

    @_scenario
    async def test_a_held_call_is_refused_to_everybody(self, store: Store, clock: ManualClock) -> None:
        await store.acquire("c", "desk-1", seconds=30)
        await clock.advance(10)
        for owner in ("desk-2", "desk-1"):
            with _refused(CallIsOwned) as owned:
                await store.acquire("c", owner, seconds=30)
            assert (owned[0].call, owned[0].owner, round(owned[0].seconds)) == ("c", "desk-1", 20)
        await store.acquire("d", "desk-1", seconds=30)

    @_scenario
    async def test_an_expired_lease_may_be_taken_and_fences_its_owner(self, store: Store, clock: ManualClock) -> None:
        old = await store.acquire("c", "desk-1", seconds=30)
        await store.append("c", 0, records("c", 1, 1), lease=old)
        await clock.advance(30)
        new = await store.acquire("c", "desk-2", seconds=30)
        assert new.token > old.token
        with _refused(LeaseLost):
            await store.append("c", 1, records("c", 2, 1), lease=old)
        with _refused(LeaseLost):
            await store.renew(old, seconds=30)
        await store.release(old)
        with _refused(CallIsOwned):
            await store.acquire("c", "desk-3", seconds=30)
        await store.append("c", 1, records("c", 2, 1, type="turn.agent"), lease=new)
        assert [record.entry.type for record in await store.read("c")] == ["turn.user", "turn.agent"]

    @_scenario
    async def test_an_expired_lease_serves_until_somebody_takes_the_call(
        self, store: Store, clock: ManualClock
    ) -> None:
        lease = await store.acquire("c", "desk-1", seconds=30)
        await clock.advance(31)
        await store.append("c", 0, records("c", 1, 1), lease=lease)
        await store.renew(lease, seconds=30)
        with _refused(CallIsOwned):
            await store.acquire("c", "desk-2", seconds=30)

    @_scenario
    async def test_a_released_call_is_free_and_its_lease_proves_nothing(self, store: Store, clock: ManualClock) -> None:
        lease = await store.acquire("c", "desk-1", seconds=30)
        await store.release(lease)
        await store.release(lease)
        with _refused(LeaseLost):
            await store.append("c", 0, records("c", 1, 1), lease=lease)
        with _refused(LeaseLost):
            await store.renew(lease, seconds=30)
        assert (await store.acquire("c", "desk-2", seconds=30)).token > lease.token

    @_scenario
    async def test_a_lease_is_of_one_call(self, store: Store, clock: ManualClock) -> None:
        lease = await store.acquire("c", "desk-1", seconds=30)
        await store.acquire("d", "desk-1", seconds=30)
        with _refused(LeaseLost):
            await store.append("d", 0, records("d", 1, 1), lease=lease)
        with _refused(LeaseLost):
            await store.append("e", 0, records("e", 1, 1), lease=lease)

    # --- waiting ------------------------------------------------------------------------------------------------------

    @_scenario
    async def test_waiting_ends_with_the_first_entry_beyond(self, store: Store, clock: ManualClock) -> None:
        waits = [asyncio.ensure_future(store.wait(call, after)) for call, after in (("c", 0), ("c", 1), ("d", 0))]
        await store.append("c", 0, records("c", 1, 1))
        assert await waits[0] == 1
        assert not waits[1].done()
        await store.append("c", 1, records("c", 2, 3))
        assert await waits[1] == 4
        assert await store.wait("c", 3) == 4
        assert not waits[2].done()
        waits[2].cancel()
        await asyncio.wait(waits)
        await store.append("d", 0, records("d", 1, 1))
        assert await store.wait("d", 0) == 1

    # --- erasing ------------------------------------------------------------------------------------------------------

    @staticmethod
    async def _told(store: Store, call: str) -> None:
        """Let a caller tell their name, which the second entry holds beside the log and the first one in it."""
        said = entry("turn.user", {"text": "Ada Byrne here"}, seq=1, ts=1.0, call=call, agent="a")
        used = entry("tool.call", {"arguments": {"name": "[private]"}}, seq=2, ts=2.0, call=call, agent="a")
        hidden = Private(b'{"arguments":{"name":"Ada Byrne"}}', ("Ada Byrne",))
        await store.append(call, 0, [Record(said), Record(used, hidden)])

    @staticmethod
    def _scrub(whole: Sequence[Record]) -> list[Entry]:
        said, used = (record.entry for record in whole)
        masked = entry("turn.user", {"text": "[private] here"}, seq=1, ts=said.ts, call=said.call, agent="a")
        return [masked, used, entry("cue.erased", {"at": 3.0}, seq=3, ts=3.0, call=said.call, agent="a")]

    @_scenario
    async def test_erasing_leaves_nothing_private(self, store: Store, clock: ManualClock) -> None:
        await self._told(store, "c")
        await self._told(store, "d")
        before = await store.read("c")
        waiting = asyncio.ensure_future(store.wait("c", 2))
        assert await store.erase("c", self._scrub) == 1
        assert await waiting == 3
        assert await store.read("c") == [Record(scrubbed) for scrubbed in self._scrub(before)]
        assert (await store.calls())[0].seq == 3
        assert (await store.read("d"))[1].private is not None
        assert await store.erase("c", lambda whole: []) == 0
        await store.append("c", 3, records("c", 4, 1))

    @_scenario
    async def test_erasing_is_refused_where_it_cannot_be_done(self, store: Store, clock: ManualClock) -> None:
        await self._told(store, "c")
        before = await store.read("c")
        with _refused(CallNotFound):
            await store.erase("d", self._scrub)
        lease = await store.acquire("c", "desk-1", seconds=30)
        with _refused(CallIsOwned):
            await store.erase("c", self._scrub)
        await store.release(lease)
        for wrong in (records("c", 5, 1), records("d", 1, 1), records("c", 0, 1)):
            with _refused(BadEntry):
                await store.erase("c", lambda whole, wrong=wrong: [wrong[0].entry])  # type: ignore[misc]
        with _refused(ZeroDivisionError):
            await store.erase("c", lambda whole: [whole[1 // 0].entry])
        assert await store.read("c") == before

    # --- the end ------------------------------------------------------------------------------------------------------

    @_scenario
    async def test_a_closed_store_says_so(self, store: Store, clock: ManualClock) -> None:
        await store.append("c", 0, records("c", 1, 1))
        lease = await store.acquire("c", "desk-1", seconds=30)
        waiting = asyncio.ensure_future(store.wait("c", 1))
        await asyncio.sleep(0)
        await store.close()
        await store.close()
        with _refused(StoreUnusable):
            await waiting
        for use in (
            store.append("c", 1, records("c", 2, 1)),
            store.read("c"),
            store.calls(),
            store.acquire("d", "desk-1", seconds=30),
            store.renew(lease, seconds=30),
            store.release(lease),
            store.wait("c", 0),
            store.erase("c", self._scrub),
        ):
            with _refused(StoreUnusable):
                await use


class LastingStoreContract(StoreContract):
    """The contract of stores that outlive their process, and that several may have open at once."""

    @asynccontextmanager
    async def _another(self, clock: ManualClock) -> AsyncIterator[Store]:
        store = self.open_store(clock.now)
        try:
            yield store
        finally:
            await store.close()

    @_scenario
    async def test_what_was_appended_stays(self, store: Store, clock: ManualClock) -> None:
        await self._told(store, "c")
        whole, listed = await store.read("c"), await store.calls()
        lease = await store.acquire("c", "desk-1", seconds=30)
        await store.close()
        async with self._another(clock) as later:
            assert await later.read("c") == whole
            assert await later.calls() == listed
            with _refused(SeqConflict):
                await later.append("c", 1, records("c", 2, 1))
            # A store that is closed holds nothing any more, and tokens go on where they were.
            assert (await later.acquire("c", "desk-1", seconds=30)).token > lease.token

    @_scenario
    async def test_two_stores_on_one_place_are_one(self, store: Store, clock: ManualClock) -> None:
        async with self._another(clock) as other:
            waiting = asyncio.ensure_future(other.wait("c", 0))
            lease = await store.acquire("c", "desk-1", seconds=30)
            await store.append("c", 0, records("c", 1, 2), lease=lease)
            assert await waiting == 2
            assert await other.read("c") == records("c", 1, 2)
            with _refused(CallIsOwned):
                await other.acquire("c", "desk-2", seconds=30)
            with _refused(SeqConflict):
                await other.append("c", 1, records("c", 2, 1))
            await clock.advance(30)
            await other.acquire("c", "desk-2", seconds=30)
            with _refused(LeaseLost):
                await store.append("c", 2, records("c", 3, 1), lease=lease)

    @_scenario
    async def test_two_stores_write_at_once(self, store: Store, clock: ManualClock) -> None:
        async def write(through: Store, call: str) -> None:
            for seq in range(0, 90, 3):
                await through.append(call, seq, records(call, seq + 1, 3))
                await asyncio.sleep(0)

        async with self._another(clock) as other:
            await asyncio.gather(*(write(through, f"{n}") for n, through in enumerate((store, other) * 3)))
        for n in range(6):
            assert await store.read(f"{n}") == records(f"{n}", 1, 90)
