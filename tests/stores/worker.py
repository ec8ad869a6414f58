"""What another process does with a store: `worker.py WHAT PATH CALL`, driven by lines on its standard input."""

import asyncio
import os
import resource
import sys

from cuelight.errors import CuelightError
from cuelight.stores import SqliteStore
from cuelight.testing.contracts import records


def say(*words):
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def heard():
    return sys.stdin.readline()


async def append(path, call):
    """Open with all the others at once, then append in small steps as fast as it goes."""
    say("ready")
    heard()
    store = SqliteStore(path)
    for seq in range(0, 300, 3):
        await store.append(call, seq, records(call, seq + 1, 3))
        await asyncio.sleep(0)
    await store.close()
    say("done")


async def acknowledge(path, call):
    """Append without end, and tell what is stored once it is."""
    store = SqliteStore(path)
    seq = len(await store.read(call))
    while True:
        await store.append(call, seq, records(call, seq + 1, 7))
        seq += 7
        say(seq)


async def hold(path, call):
    """Lease a call for an hour."""
    store = SqliteStore(path)
    lease = await store.acquire(call, "the other", seconds=3600)
    say("holds", lease.token)
    heard()
    await store.release(lease)
    say("released")
    heard()
    await store.close()


async def contend(path, call):
    """Try to lease a call at the same moment as others."""
    store = SqliteStore(path)
    say("ready")
    heard()
    try:
        await store.acquire(call, str(os.getpid()), seconds=3600)
        say("holds")
    except CuelightError as refusal:
        say(refusal.code)
    heard()
    await store.close()


async def follow(path, call):
    """Say when a call has grown."""
    store = SqliteStore(path)
    last = 0
    say("ready")
    while last < 4:
        last = await store.wait(call, last)
        say(last)
    await store.close()


async def fill(path, call):
    """Append until the disk takes no more, which a limit on the size of a file stands for."""
    store = SqliteStore(path)
    await store.append(call, 0, records(call, 1, 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    seq = 1
    try:
        while True:
            await store.append(call, seq, records(call, seq + 1, 100))
            seq += 100
    except CuelightError as refusal:
        say(refusal.code, seq, len(await store.read(call)))
        say(refusal)


async def denied(path, call):
    """Open a file that this user may not write."""
    if os.geteuid() == 0:
        os.setuid(65534)
    try:
        SqliteStore(path)
    except CuelightError as refusal:
        say(refusal.code)
        say(refusal)


if __name__ == "__main__":
    asyncio.run(globals()[sys.argv[1]](*sys.argv[2:]))
