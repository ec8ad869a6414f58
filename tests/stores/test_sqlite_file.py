"""The file of a SQLite store: made, opened, refused; case T19 and R72 where they concern it."""

import asyncio
import os
import re
import sqlite3
import stat
from contextlib import closing

import pytest

from cuelight.errors import CuelightError, StoreUnusable
from cuelight.ports import Private, Record
from cuelight.stores import SqliteStore
from cuelight.stores.sqlite.errors import is_busy, unusable
from cuelight.stores.sqlite.file import MIGRATIONS, migrate
from cuelight.testing.contracts import records
from cuelight.wire import entry


def run(path, use):
    """Open the store for one use of it."""

    async def main():
        store = SqliteStore(path)
        try:
            return await use(store)
        finally:
            await store.close()

    return asyncio.run(main())


def fill(path, calls=3, count=40):
    """Write some calls, with values that have line breaks and some private ones; gives what was written."""
    written = {}
    for number in range(calls):
        call = f"call-{number}"
        written[call] = records(call, 1, count)
        for seq in range(5, count, 7):
            data = {"text": f"line {seq}\nline\r\ntwo\u2028three " + "x" * (seq * 40)}
            hidden = Private(b'{"text":"Ada\\nByrne"}', ("Ada\nByrne",))
            written[call][seq - 1] = Record(entry("turn.user", data, seq=seq, ts=seq, call=call, agent="a"), hidden)

    async def use(store):
        for call, whole in written.items():
            for seq in range(0, count, 8):
                await store.append(call, seq, whole[seq : seq + 8])

    run(path, use)
    return written


async def read_all(store):
    return {info.call: await store.read(info.call) for info in await store.calls()}


# --- made -------------------------------------------------------------------------------------------------------------


def test_the_files_and_new_folders_are_for_their_user_alone(tmp_path):
    tmp_path.chmod(0o755)
    path = tmp_path / "new" / "deep" / "calls.sqlite3"

    async def use(store):
        await store.append("c", 0, records("c", 1, 1))
        return [stat.S_IMODE(file.stat().st_mode) for file in sorted(path.parent.iterdir())]

    assert run(str(path), use) == [0o600] * 3
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in path.parents[:3]] == [0o700, 0o700, 0o755]


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    assert fill(path) == run(path, read_all)


def test_a_relative_path_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def use(store):
        os.chdir("/")
        await store.calls()  # on a connection that is opened only now

    run("calls.sqlite3", use)
    assert (tmp_path / "calls.sqlite3").exists()


# --- refused ----------------------------------------------------------------------------------------------------------


def refused(path, words):
    with pytest.raises(StoreUnusable, match=words) as caught:
        SqliteStore(path)
    assert str(path) in str(caught.value)


def test_a_newer_schema_is_refused(path):
    fill(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version=99")
    refused(path, r"newer Cuelight \(schema 99; this one knows up to 1\)\. Upgrade Cuelight")


def test_another_programs_database_is_refused_and_left_alone(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE recipes (name)")
    before = path.read_bytes()
    refused(path, "database of another program")
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(path):
    path.write_text("Dear diary,\n" * 500)
    refused(path, "is no SQLite database")
    assert path.read_text() == "Dear diary,\n" * 500


def test_what_is_no_file_is_refused_and_nothing_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(":memory:", r"Use MemoryStore\(\)")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_refused(tmp_path):
    refused(tmp_path, "cannot be opened")


def test_a_file_for_a_folder_is_refused(path):
    path.touch()
    refused(path / "calls.sqlite3", "cannot be opened")


def test_a_place_where_nothing_can_be_made_is_refused(worker, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    other = worker("denied", closed / "calls.sqlite3", "c")
    assert other.hear() == "store-unusable"
    assert "may not be written by this user" in other.hear()


def test_a_full_disk_is_told_and_spoils_nothing(worker, path):
    other = worker("fill", path, "c")
    code, appended, read = other.hear().split()
    assert (code, appended) == ("store-unusable", read)
    assert "Check it, then try again" in other.hear() or "Make room" in other.hear()
    other.end()
    assert run(path, read_all) == {"c": records("c", 1, int(read))}


# --- every error of SQLite has its words ------------------------------------------------------------------------------


def error(code, kind=sqlite3.OperationalError):
    why = kind("the reason")
    why.sqlite_errorcode, why.sqlite_errorname = code, f"SQLITE_{code}"
    return why


@pytest.mark.parametrize("code", range(1, 27))  # all of SQLite's primary codes; 27 and 28 are notices, 100 and 101 rows
def test_each_error_code_says_what_to_do(path, code):
    for extended in (code, code | 7 << 8):
        said = str(unusable(error(extended), path))
        assert re.fullmatch(rf"The store {re.escape(str(path))} .+\. [A-Z].+\. \(SQLITE_\d+: the reason\)", said) or (
            re.fullmatch(rf"The store {re.escape(str(path))} .+ \(SQLITE_\d+: the reason\)", said)
        )
        assert is_busy(error(extended)) == (code in (5, 6, 15))


def test_errors_without_a_code_are_translated_too(path):
    kinds = [kind for kind in vars(sqlite3).values() if isinstance(kind, type) and issubclass(kind, sqlite3.Error)]
    assert len(kinds) >= 8
    for kind in kinds:
        assert kind.__name__ in str(unusable(kind("the reason"), path))
        assert not is_busy(kind("the reason"))


@pytest.mark.parametrize(
    ("why", "words"),
    [
        (PermissionError(13, "no"), "may not be written"),
        (OSError(30, "read-only"), "may not be written"),
        (OSError(28, "full"), "Make room"),
        (NotADirectoryError(20, "no"), "cannot be opened"),
        (OSError("odd"), "cannot be opened"),
    ],
)
def test_errors_of_the_file_system_are_translated_too(path, why, words):
    assert words in str(unusable(why, path))


# --- migrations -------------------------------------------------------------------------------------------------------


def test_a_schema_is_led_from_version_to_version(path):
    fill(path)
    steps = (*MIGRATIONS, ("ALTER TABLE calls ADD COLUMN note TEXT",), ("UPDATE calls SET note = 'x' || seq",))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db, path, steps)
        migrate(db, path, steps)
        assert db.execute("PRAGMA user_version").fetchone() == (3,)
        assert db.execute("SELECT DISTINCT note FROM calls").fetchall() == [("x40",)]
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_migration_that_fails_changes_nothing(path):
    fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        with pytest.raises(sqlite3.OperationalError):
            migrate(db, path, (*MIGRATIONS, ("ALTER TABLE calls ADD COLUMN note TEXT", "NO SUCH STATEMENT")))
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert "note" not in {column[1] for column in db.execute("PRAGMA table_info(calls)")}


# --- T19 and R72 ------------------------------------------------------------------------------------------------------


def whole_or_refused(path, written):
    """Read everything: either all of it is as it was written, or the store says that it is damaged."""
    try:
        read = run(path, read_all)
    except StoreUnusable:
        return False
    assert read == written
    return True


def test_t19e_values_with_line_breaks_survive(path):
    written = fill(path)
    assert run(path, read_all) == written


def test_t19_a_truncated_file_is_refused(path):
    written = fill(path)
    whole = path.read_bytes()
    for length in (*range(1, len(whole), 1500), len(whole) - 1):
        path.write_bytes(whole[:length])
        assert not whole_or_refused(path, written), length
    path.write_bytes(whole)
    assert whole_or_refused(path, written)


def test_t19d_zeroes_anywhere_are_refused_and_never_shorten_a_log(path):
    written = fill(path)
    whole = path.read_bytes()
    outcomes = []
    for start in range(0, len(whole), 256):
        path.write_bytes(whole[:start] + bytes(256) + whole[start + 256 :])
        outcomes.append(whole_or_refused(path, written))
    assert outcomes.count(False) > len(outcomes) / 3  # the others hit unused space


def test_r72_an_edited_value_is_refused(path):
    written = fill(path)
    for statement in (
        "UPDATE entries SET data = '{}' WHERE call = 1 AND seq = 4",
        "UPDATE entries SET type = 'turn.agent' WHERE call = 1 AND seq = 4",
        "UPDATE entries SET ts = ts + 1 WHERE call = 1 AND seq = 4",
        "UPDATE entries SET ts = 'soon' WHERE call = 1 AND seq = 4",
        "UPDATE private SET secrets = '[\"Bob\"]' WHERE call = 1 AND seq = 5",
        "DELETE FROM private WHERE call = 1 AND seq = 5",
        "DELETE FROM entries WHERE call = 1 AND seq = 4",
        "DELETE FROM entries WHERE call = 1 AND seq = 40",
        "DELETE FROM entries WHERE call = 1 AND seq = 1",
        "INSERT INTO entries SELECT call, 41, ts, type, agent, data, crc FROM entries WHERE call = 1 AND seq = 40",
    ):
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            before = path.read_bytes()
            db.execute(statement)
        with pytest.raises(StoreUnusable, match=r"is damaged.*call 'call-0': entry \d+ is "):
            run(path, read_all)
        path.write_bytes(before)
    assert run(path, read_all) == written


def test_t19_text_that_is_no_utf8_is_refused(path):
    fill(path)
    whole = path.read_bytes()
    for text in (b"CREATE TABLE leases (", b"call-1", b"front-desk"):
        path.write_bytes(whole.replace(text, b"\xd9" * len(text)))
        with pytest.raises(StoreUnusable, match=r"is damaged|has not the tables"):
            run(path, read_all)


def test_a_damaged_call_is_not_erased(path):
    fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE entries SET data = '{}' WHERE call = 1 AND seq = 4")

    async def use(store):
        with pytest.raises(CuelightError, match="is damaged"):
            await store.erase("call-0", lambda whole: [])
        assert await store.erase("call-1", lambda whole: []) == 5

    run(path, use)
