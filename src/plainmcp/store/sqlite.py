"""A store in a file of SQLite, for the processes of one machine. Knows SQL, not what is stored.

A process has one connection, and it is closed while the process forks: the memory of SQLite says which locks of the
file its process has, so a child would believe that it has those of its parent.
"""

import os
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ..errors import AuthorError
from .interface import MAX_READ, Entry, StoreError

if TYPE_CHECKING:
    from sqlite3 import Connection

__all__ = ["SQLiteStore"]

BUSY = 0.4
"""How many seconds a command waits for other processes, before it fails."""
QUEUE = 0.8
"""How many seconds it waits for other threads, which may wait for other processes, before that."""
POLL = 0.02
"""How often a read that waits looks for new entries, in seconds."""
SWEEP = 1.0
"""How often what has expired is deleted, in seconds."""

# With AUTOINCREMENT, no position is used twice, also after its entry is gone.
_SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB NOT NULL, until REAL NOT NULL);
CREATE INDEX IF NOT EXISTS kept_until ON kept (until);
CREATE TABLE IF NOT EXISTS logs (name TEXT PRIMARY KEY, until REAL NOT NULL, length INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS logs_until ON logs (until);
CREATE TABLE IF NOT EXISTS entries
    (position INTEGER PRIMARY KEY AUTOINCREMENT, log TEXT NOT NULL, value BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS entries_of_log ON entries (log, position);
INSERT INTO sqlite_sequence SELECT 'entries', 0 WHERE NOT EXISTS (SELECT * FROM sqlite_sequence);
COMMIT;
"""
_PUT = "INSERT OR REPLACE INTO kept VALUES (?, ?, ?)"
_COUNT = """
INSERT INTO logs VALUES (?, ?, 1) ON CONFLICT (name) DO UPDATE SET until = excluded.until, length = length + 1
"""
_TRIM = """
DELETE FROM entries WHERE log = ? AND position <=
    (SELECT position FROM entries WHERE log = ? ORDER BY position DESC LIMIT 1 OFFSET ?)
"""
_LIVING = "log = (SELECT name FROM logs WHERE name = ? AND until > ?)"
_LAST = f"SELECT max(position) FROM entries WHERE {_LIVING}"
_READ = f"SELECT log, position, value FROM entries WHERE {_LIVING} AND position > ? ORDER BY position LIMIT ?"


class SQLiteStore:
    """A store in a file, for the processes of one machine: `SQLiteStore("notes.db")`.

    The file must be on a local disk: SQLite cannot share one over a network. It is created when it is first used, and
    only its owner can read it. Two files beside it, whose names end in -wal and -shm, belong to it. A command that
    has to wait for other processes for 0.4 seconds fails. The store may be made before a process forks.
    """

    is_shared = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = _check_path(path)
        self._lock = threading.Lock()  # for the connection
        self._connection: Connection | None = None
        self._file: tuple[int, int] | None = None  # which file the connection has opened
        self._swept = 0.0
        _stores.add(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SQLiteStore) and self._path == other._path

    def __hash__(self) -> int:
        return hash(self._path)

    def get(self, key: str) -> bytes | None:
        """The value of a key; None if there is none, or none any more."""
        with self._use("BEGIN") as connection:
            return _get(connection, key)

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Set the value of a key, which expires after some seconds."""
        with self._use() as connection:
            connection.execute(_PUT, (key, value, time.time() + seconds))

    def delete(self, key: str) -> None:
        """Remove the value of a key."""
        with self._use() as connection:
            connection.execute("DELETE FROM kept WHERE key = ?", (key,))

    def change(self, key: str, before: bytes | None, after: bytes, seconds: float) -> bool:
        """Set the value of a key if it still has the value `before` (None: no value); returns whether it had."""
        with self._use() as connection:
            is_same = _get(connection, key) == before
            if is_same:
                connection.execute(_PUT, (key, after, time.time() + seconds))
            return is_same

    def append(self, entries: Sequence[tuple[str, bytes]], most: int, seconds: float) -> list[int]:
        """Append each value to its log; returns the positions."""
        positions: list[int] = []
        logs = dict.fromkeys(log for log, _ in entries)
        with self._use() as connection:
            until = time.time() + seconds
            for log in logs:
                _delete_expired(connection, log)
            for log, value in entries:
                added = connection.execute("INSERT INTO entries (log, value) VALUES (?, ?)", (log, value))
                positions.append(added.lastrowid or 0)
                connection.execute(_COUNT, (log, until))
            for log in logs:
                [(length,)] = connection.execute("SELECT length FROM logs WHERE name = ?", (log,))
                if length > most + most // 8:  # not each time, because it steps over all entries that stay
                    connection.execute(_TRIM, (log, log, most))
                    connection.execute("UPDATE logs SET length = ? WHERE name = ?", (most, log))
        return positions

    def advance(self, log: str, position: int, seconds: float) -> None:
        """Let the next positions of a log be greater than this one: all logs count together."""
        with self._use() as connection:
            connection.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'entries'", (position,))

    def last(self, log: str) -> int:
        """The position of the newest entry of a log; 0 if there is none."""
        with self._use("BEGIN") as connection:
            [(position,)] = connection.execute(_LAST, (log, time.time()))
            return position or 0

    def read(self, after: Mapping[str, int], seconds: float = 0) -> list[Entry]:
        """The next entries of each log after a position, the oldest first; waits some seconds if there are none."""
        until, known = time.monotonic() + seconds, None
        while True:
            with self._use("BEGIN") as connection:
                [(version,)] = connection.execute("PRAGMA data_version")  # another one when others have written
                state = connection, connection.total_changes, version
                entries = [] if state == known else _read(connection, after)
            left = until - time.monotonic()
            if entries or left <= 0:
                return entries
            known = state
            time.sleep(min(POLL, left))

    def close(self) -> None:
        """Close the connection; the next use opens a new one."""
        with self._lock:
            self.disconnect()

    # The connection -------------------------------------------------------------------------------

    @contextmanager
    def _use(self, begin: str = "BEGIN IMMEDIATE") -> Generator["Connection", None, None]:
        """The connection in a transaction, for one thread at a time; raises StoreError."""
        from sqlite3 import Error  # for those who use it

        if not self._lock.acquire(timeout=QUEUE):
            raise self._fail("other threads use it for too long")
        try:
            with self._connect() as connection:
                connection.execute(begin)
                if begin != "BEGIN":
                    self._sweep(connection)
                yield connection
        except (Error, OSError) as error:
            if "locked" not in str(error):  # the file may be damaged, or the disk away
                self.disconnect()
            raise self._fail(str(error)) from error
        finally:
            self._lock.release()

    def _connect(self) -> "Connection":
        if self._connection is None or self._file != _find_file(self._path):
            self.disconnect()  # the file was moved or deleted: other processes do not see what is written into it
            self._connection = _open(self._path)
            self._file = _find_file(self._path)
        return self._connection

    def disconnect(self) -> None:
        """Close the connection. Needs the lock."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _sweep(self, connection: "Connection") -> None:
        """Delete what has expired, but not each time."""
        now = time.time()
        if not self._swept <= now < self._swept + SWEEP:
            self._swept = now
            connection.execute("DELETE FROM kept WHERE until <= ?", (now,))
            for (log,) in connection.execute("SELECT name FROM logs WHERE until <= ?", (now,)).fetchall():
                _delete_expired(connection, log)

    def _fail(self, reason: str) -> StoreError:
        return StoreError(f"the store in the file {self._path} cannot be used: {reason}")


def _check_path(path: Any) -> str:
    """The path of a file that may be created; raises AuthorError."""
    if not isinstance(path, (str, os.PathLike)):
        raise AuthorError(f"SQLiteStore needs the path of a file, not {type(path).__name__}")
    if os.fspath(path) in ("", ":memory:"):
        raise AuthorError("SQLiteStore needs the path of a file, such as notes.db: processes do not share memory")
    file = os.path.realpath(path)
    if os.path.isdir(file):
        raise AuthorError(f"SQLiteStore needs the path of a file: {file} is a folder")
    if not os.path.isdir(os.path.dirname(file)):
        raise AuthorError(f"SQLiteStore needs a folder that exists for its file: there is no {os.path.dirname(file)}")
    return file


def _open(path: str) -> "Connection":
    import sqlite3

    until = time.monotonic() + BUSY
    while True:
        with _opening:
            with suppress(FileExistsError):  # others cannot read it; the files beside it will have its permissions
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            connection = sqlite3.connect(path, timeout=BUSY, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")  # the last changes may be lost with the power
            connection.executescript(_SCHEMA)
            return connection
        except sqlite3.Error as error:
            connection.close()
            if "locked" not in str(error) or time.monotonic() > until:
                raise
        time.sleep(POLL)  # while several create the file, SQLite does not wait by itself


def _find_file(path: str) -> tuple[int, int] | None:
    """Which file is at a path."""
    with suppress(OSError):
        found = os.stat(path)
        return found.st_dev, found.st_ino
    return None


def _get(connection: "Connection", key: str) -> bytes | None:
    row = connection.execute("SELECT value FROM kept WHERE key = ? AND until > ?", (key, time.time())).fetchone()
    return None if row is None else row[0]


def _read(connection: "Connection", after: Mapping[str, int]) -> list[Entry]:
    now = time.time()
    return [
        Entry(*row)
        for log, position in after.items()
        for row in connection.execute(_READ, (log, now, position, MAX_READ))
    ]


def _delete_expired(connection: "Connection", log: str) -> None:
    """Delete a log if it has expired."""
    if connection.execute("DELETE FROM logs WHERE name = ? AND until <= ?", (log, time.time())).rowcount:
        connection.execute("DELETE FROM entries WHERE log = ?", (log,))


# Forks --------------------------------------------------------------------------------------------

_stores: "WeakSet[SQLiteStore]" = WeakSet()
_opening = threading.Lock()  # a file that is closed takes the locks of all connections of its process with it
_forking = threading.Lock()
_held: list[SQLiteStore] = []


def _release_files() -> None:
    """Close all connections before a process forks, and let no thread open one."""
    _forking.acquire()
    for store in list(_stores):
        if store._lock.acquire(timeout=QUEUE):
            _held.append(store)
            store.disconnect()


def _go_on() -> None:
    while _held:
        _held.pop()._lock.release()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_release_files, after_in_parent=_go_on, after_in_child=_go_on)
