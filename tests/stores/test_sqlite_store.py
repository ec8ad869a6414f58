import pytest

from cuelight.stores import SqliteStore
from cuelight.testing.contracts import LastingStoreContract


class TestSqliteStore(LastingStoreContract):
    durable = False

    @pytest.fixture(autouse=True)
    def place(self, tmp_path):
        self.path = tmp_path / "calls.sqlite3"

    def open_store(self, now):
        return SqliteStore(self.path, now=now, durable=self.durable)


class TestDurableSqliteStore(TestSqliteStore):
    durable = True
