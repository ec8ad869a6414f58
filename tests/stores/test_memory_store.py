from cuelight.stores import MemoryStore
from cuelight.testing.contracts import StoreContract


class TestMemoryStore(StoreContract):
    def open_store(self, now):
        return MemoryStore(now=now)
