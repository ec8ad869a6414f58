"""Calls that are stored: found by their id, the start of it, or as the last one."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from cuelight.errors import BadInput, CallNotFound
from cuelight.ports import CallInfo, Store
from cuelight.wiring import find_store

__all__ = ["LAST", "find_call", "with_store"]

T = TypeVar("T")

LAST = "last"


async def find_call(store: Store, named: str) -> CallInfo:
    """Find a call by its id, the start of its id, or `last` for the one that was active last.

    Raises:
        CallNotFound: there is none.
        BadInput: several ids start like this.
    """
    calls = await store.calls()
    found = [info for info in calls if info.call == named]
    if not found:
        found = calls[:1] if named == LAST else [info for info in calls if info.call.startswith(named)]
    if not found:
        raise CallNotFound(named)
    if len(found) > 1:
        raise BadInput(f"{len(found)} calls have ids that start with {named!r}; write more of the one you mean.")
    return found[0]


def with_store(
    named: str | None, work: Callable[[Store], Awaitable[T]], choose: Callable[[str | None], Store] = find_store
) -> T:
    """Do something with the store that is meant, and close it; one that is missing is made only by `choose_store`."""

    async def do() -> T:
        store = choose(named)
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(do())
