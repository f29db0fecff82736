"""The option --store: an address, a file or an object, and what is said about every other text."""

import sys
from pathlib import Path
from typing import Any

import pytest

from plainmcp.cli.load import LoadError
from plainmcp.cli.main import main
from plainmcp.cli.store_option import store_of
from plainmcp.errors import AuthorError
from plainmcp.redis import RedisStore
from plainmcp.store import MemoryStore, SQLiteStore

STORES = """
from plainmcp.store import MemoryStore

store = MemoryStore()
number = 3

class Kept:
    inner = store

class Own(MemoryStore):
    pass

def make():
    return store

def fail():
    raise ValueError("no such luck")

def forget():
    pass

def need(name):
    return store
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a module that has stores."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    (tmp_path / "our_stores.py").write_text(STORES, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "url",
    [
        "redis://127.0.0.1:6379/0", "rediss://:secret@h/1", "unix:///tmp/a.sock", "redis+cluster://a,b:7000",
        "rediss+cluster://u:p@a,b", "redis+sentinel://a,b/0?service=notes", "rediss+sentinel://a/0?service=notes",
    ],
)  # fmt: skip
def test_every_address_of_redis_is_one_of_a_store(url: str) -> None:
    assert store_of(url) == RedisStore(url)


def test_a_path_is_relative_after_three_slashes_and_absolute_after_four(folder: Path) -> None:
    assert store_of("sqlite:///notes.db") == SQLiteStore(folder / "notes.db")
    assert store_of(f"sqlite:///{folder}/notes.db") == SQLiteStore(folder / "notes.db")
    assert store_of("sqlite:///a b%20c.db") == SQLiteStore(folder / "a b%20c.db")


@pytest.mark.parametrize("name", ["our_stores:store", "our_stores:make", "our_stores:Kept.inner"])
def test_an_object_is_a_store_or_makes_one(name: str) -> None:
    store = store_of(name)
    assert isinstance(store, MemoryStore) and store is sys.modules["our_stores"].store


def test_a_class_makes_a_store() -> None:
    assert type(store_of("our_stores:Own")).__name__ == "Own"


FORMS = "write redis://host:6379/0, sqlite:///notes.db or module:object"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", f"this is neither an address nor the name of an object; {FORMS}"),
        ("redis", f"this is neither an address nor the name of an object; {FORMS}"),
        ("127.0.0.1:6379", f"this is neither an address nor the name of an object; {FORMS}"),
        ("redis:/h:6379/0", f"this is neither an address nor the name of an object; {FORMS}"),
        ("redis:u:s3cr3t@h:1", f"this is neither an address nor the name of an object; {FORMS}"),
        ("notes.db", f"this is neither an address nor the name of an object; {FORMS}"),
        ("our_stores.py:store", "write the name of the module, not of its file: our_stores:store"),
        ("postgres://u:s3cr3t@h/x", f"no store has an address that starts with postgres://; {FORMS}"),
        ("sqlite:notes.db", "a path follows sqlite:/// as in sqlite:///notes.db"),
        ("sqlite:/notes.db", "a path follows sqlite:/// as in sqlite:///notes.db"),
        ("sqlite://notes.db", "a path follows sqlite:/// as in sqlite:///notes.db"),
        ("sqlite:///", "SQLiteStore needs the path of a file"),
        ("sqlite:///:memory:", "SQLiteStore needs the path of a file, such as notes.db: processes do not share"),
        ("sqlite:///notes.db?timeout=3", "the address of a file has no options: leave out the question mark"),
        ("sqlite:///nowhere/notes.db", "SQLiteStore needs a folder that exists for its file: there is no "),
        ("our_stores:number", "our_stores:number must be a plainmcp.store.Store, or return one: it is a int"),
        ("our_stores:forget", "our_stores:forget must be a plainmcp.store.Store, or return one: it is None"),
        ("valkey://h:6379", "for Valkey, too, it starts with redis:// or rediss://"),
    ],
)
def test_a_wrong_spelling_is_explained(text: str, reason: str) -> None:
    with pytest.raises(AuthorError) as refused:
        store_of(text)
    assert reason in str(refused.value) and "s3cr3t" not in str(refused.value)


def test_who_writes_three_slashes_before_an_absolute_path_is_told_to_write_four(folder: Path) -> None:
    with pytest.raises(AuthorError, match=f"four slashes: sqlite:///{folder}/notes.db$"):
        store_of(f"sqlite://{folder}/notes.db")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("our_stores:gone", "our_stores has no object called 'gone'"),
        ("nowhere:store", "there is no module nowhere"),
        ("our_stores:fail", "--store: our_stores:fail failed\n\n"),
        ("our_stores:need", "missing 1 required positional argument"),
    ],
)
def test_an_object_that_cannot_be_had_is_explained(text: str, reason: str) -> None:
    with pytest.raises(LoadError) as refused:
        store_of(text)
    assert reason in str(refused.value)


def test_the_store_may_be_in_the_module_of_the_server(folder: Path, capsys: Any) -> None:
    """It is the same module, which is loaded once."""
    text = (
        "from plainmcp import Server\nfrom plainmcp.store import MemoryStore\n"
        "print('loaded')\nserver, store = Server('one'), MemoryStore()\n"
    )
    (folder / "store_and_server.py").write_text(text, "utf-8")
    assert (
        main(
            [
                "serve",
                "store_and_server.py",
                "--http",
                "127.0.0.1:0",
                "--workers",
                "2",
                "--store",
                "store_and_server:store",
            ]
        )
        == 3
    )
    said = capsys.readouterr()
    assert said.out == "loaded\n"
    assert "this store belongs to one process: with several workers, use a SQLiteStore or a RedisStore" in said.err


def test_a_wrong_store_is_a_three_and_a_missing_object_is_a_one(folder: Path, capsys: Any) -> None:
    (folder / "one.py").write_text("from plainmcp import Server\nserver = Server('one')\n", "utf-8")
    for text, code in (("memory", 3), ("our_stores:gone", 1)):
        assert main(["serve", "one.py", "--http", "127.0.0.1:0", "--store", text]) == code
        assert "Traceback" not in capsys.readouterr().err
