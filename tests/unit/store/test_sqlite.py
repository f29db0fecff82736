"""The store in a file of SQLite: what every store guarantees, several processes, forks, and a file that is gone."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from plainmcp.errors import AuthorError
from plainmcp.store import Entry, SQLiteStore, StoreError, sqlite
from plainmcp.testing import check_store
from talking import ENVIRONMENT

CHECK = """
import sys
from plainmcp.store import SQLiteStore
from plainmcp.testing import check_store
check_store(lambda: SQLiteStore(sys.argv[1]))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / "notes.db"


@pytest.fixture
def store(file: Path) -> Iterator[SQLiteStore]:
    made = SQLiteStore(file)
    yield made
    made.close()


@pytest.mark.slow
def test_it_keeps_what_every_store_guarantees(file: Path) -> None:
    @contextmanager
    def outage() -> Iterator[None]:
        away = file.parent.rename(file.parent.with_name("away"))
        yield
        away.rename(file.parent)

    check_store(lambda: SQLiteStore(file), outage=outage)


@pytest.mark.slow
def test_several_processes_use_it_at_a_time(file: Path) -> None:
    command = [sys.executable, "-c", CHECK, str(file)]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) for _ in range(3)]
    assert [process.communicate(timeout=60)[1] for process in processes] == [""] * 3


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_children_that_are_forked_while_threads_write_do_what_their_parent_does(store: SQLiteStore) -> None:
    """A child that believed the memory of its parent would find the file locked, or not see a lock of others."""
    is_over = threading.Event()
    written = [0, 0]

    def write(number: int) -> None:
        while not is_over.is_set():
            store.append([("log", b"%d" % number)], 100_000, 60)
            written[number] += 1
            time.sleep(0.001)  # SQLite has no queue: who writes without a pause keeps others from it

    with ThreadPoolExecutor(3) as threads, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        work = [threads.submit(write, number) for number in range(2)]
        reader = threads.submit(store.read, {"quiet": 0}, 1)
        statuses = []
        for _ in range(20):
            child = os.fork()
            if child == 0:
                try:
                    for _ in range(10):
                        store.append([("log", b"child")], 100_000, 60)
                    os._exit(0)
                finally:
                    os._exit(1)
            statuses.append(os.waitpid(child, 0)[1])
        is_over.set()
        assert [one.result(10) for one in work] == [None, None] and reader.result(10) == []
    assert statuses == [0] * 20
    entries: list[Entry] = []
    while more := store.read({"log": entries[-1].position if entries else 0}):
        entries += more
    values = [entry.value for entry in entries]
    assert [values.count(value) for value in (b"child", b"0", b"1")] == [200, *written]
    with closing(sqlite3.connect(store._path)) as database:
        [(verdict,)] = database.execute("PRAGMA integrity_check")
    assert verdict == "ok"


def test_a_file_that_another_program_keeps_locked_is_an_error_in_time(store: SQLiteStore) -> None:
    store.put("a", b"1", 60)
    other = sqlite3.connect(store._path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with pytest.raises(StoreError, match=r"notes\.db cannot be used: database is locked"):
        store.put("a", b"2", 60)
    assert 0.3 < time.monotonic() - began < 0.9
    assert store.get("a") == b"1"
    other.execute("COMMIT")
    other.close()
    other.close()
    store.put("a", b"2", 60)
    assert store.get("a") == b"2"


def test_threads_do_not_wait_for_one_another_for_long(store: SQLiteStore) -> None:
    store.put("a", b"1", 60)
    with store._lock, ThreadPoolExecutor(5) as threads:
        began = time.monotonic()
        failures = [one.exception() for one in [threads.submit(store.get, "a") for _ in range(5)]]
        assert {type(failure) for failure in failures} == {StoreError} and time.monotonic() - began < 1.3


def test_a_file_that_is_deleted_or_replaced_is_noticed_by_all(store: SQLiteStore, file: Path) -> None:
    """Otherwise each process would go on with a file that others do not have."""
    other = SQLiteStore(file)
    store.put("a", b"1", 60)
    assert other.get("a") == b"1"
    for name in file.parent.iterdir():
        name.unlink()
    assert other.get("a") is None
    other.put("a", b"2", 60)
    assert store.get("a") == b"2"
    other.close()


def test_a_file_that_is_not_of_sqlite_is_an_error_that_names_it(store: SQLiteStore, file: Path) -> None:
    file.write_text("Dear diary, this is not a database of anything at all. " * 100, "utf-8")
    with pytest.raises(StoreError, match=r"notes\.db cannot be used: file is not a database"):
        store.get("a")
    file.unlink()
    assert store.get("a") is None


def test_an_empty_file_becomes_a_store(store: SQLiteStore, file: Path) -> None:
    file.touch()
    store.put("a", b"1", 60)
    assert store.get("a") == b"1"


def test_others_on_the_machine_cannot_read_it(store: SQLiteStore, file: Path) -> None:
    store.put("a", b"1", 60)
    assert {one.name: stat.S_IMODE(one.stat().st_mode) for one in file.parent.iterdir()} == {
        name: 0o600 for name in ("notes.db", "notes.db-shm", "notes.db-wal")
    }
    store.close()
    assert [one.name for one in file.parent.iterdir()] == ["notes.db"]


def test_what_has_expired_is_deleted_from_the_file(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(sqlite.time, "time", lambda: now)
    for number in range(10):
        store.put(f"key {number}", b"1", 10)
        store.append([(f"log {number}", b"1")] * 3, 10, 10)
    now += 11
    store.put("another", b"1", 10)
    database = sqlite3.connect(store._path)
    counts = [
        database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("kept", "logs", "entries")
    ]
    database.close()
    assert counts == [1, 0, 0]


def test_a_log_in_the_file_is_never_much_longer_than_it_may_be(store: SQLiteStore) -> None:
    database = sqlite3.connect(store._path)
    for number in range(500):
        [last] = store.append([("log", b"%d" % number)], 100, 60)
        [(count,)] = database.execute("SELECT count(*) FROM entries")
        assert min(number + 1, 100) <= count <= 112
    database.close()
    assert store.read({"log": 0})[-1] == Entry("log", last, b"499")


@pytest.mark.slow
def test_a_read_that_waits_takes_less_than_a_hundredth_of_a_processor(store: SQLiteStore) -> None:
    """The plan of the store: an idle process costs under 1 %."""
    [position] = store.append([("log", b"1")], 10, 60)
    logs = {"log": position, "replicas": 0, "broadcasts": 0, "inbox": 0}
    shares = []
    for _ in range(3):  # the best of three: others use this machine, too
        began, used = time.monotonic(), time.thread_time()
        assert store.read(logs, 1) == []
        shares.append((time.thread_time() - used) / (time.monotonic() - began))
    assert min(shares) < 0.01, shares


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "needs the path of a file, such as notes.db: processes do not share memory"),
        (":memory:", "needs the path of a file, such as notes.db: processes do not share memory"),
        (None, "needs the path of a file, not NoneType"),
        (b"notes.db", "needs the path of a file, not bytes"),
        (".", "needs the path of a file: .* is a folder"),
        ("nowhere/notes.db", "needs a folder that exists for its file: there is no .*nowhere"),
    ],
)
def test_what_cannot_be_the_path_of_a_store_is_refused(path: Any, reason: str) -> None:
    with pytest.raises(AuthorError, match=f"^SQLiteStore {reason}"):
        SQLiteStore(path)


def test_stores_in_one_file_are_equal_however_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    one, same, other = (SQLiteStore(path) for path in ("a.db", tmp_path / "folder" / ".." / "a.db", "b.db"))
    assert one == same and hash(one) == hash(same) and one != other
    monkeypatch.chdir("folder")
    one.put("a", b"1", 60)
    assert (tmp_path / "a.db").exists()
    one.close()


def test_sqlite_is_loaded_by_those_who_use_it() -> None:
    program = (
        "import sys; from plainmcp.store import SQLiteStore; SQLiteStore('a.db'); print('sqlite3' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=ENVIRONMENT
    )
    assert (done.stdout, done.stderr) == ("False\n", "")
