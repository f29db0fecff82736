"""What iterating over a value gives is not always what it holds: nothing of it is lost without a word (V32)."""

import array
import asyncio
import collections
import configparser
import csv
import email.message
import http.client
import io
import mailbox
import os
import re
import shelve
import sqlite3
import types
import wsgiref.headers
import xml.etree.ElementTree
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator, KeysView, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import pytest

from plainmcp import Server
from plainmcp.testing import Client
from returning import Refused, Text, check_sent

PARTS = "make lists and dicts of it, or register a serializer"
FORM = "give it a __plain__ method or register a serializer"


class Plain:
    def __iter__(self) -> Iterator[str]:
        return iter(["Oslo", "Rome"])


class Said(Plain):
    def __str__(self) -> str:
        return "two towns"


class Shown(Plain):
    def __repr__(self) -> str:
        return "Shown('Oslo', 'Rome')"


class Named(Plain):
    def __repr__(self) -> str:
        return "<Named: 2>"


class Keyed(Plain):
    """As a dict, and as many classes around one."""

    def keys(self) -> list[str]:
        return list(self)

    def __getitem__(self, key: str) -> int:
        return len(key)


class SaidAndKeyed(Keyed, Said):
    """As an email."""


class ShownAndKeyed(Keyed, Shown):
    """As an element of a tree, whose keys are only its attributes."""


class Query(Named):
    """As a query of a database: a sequence in all but name."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, at: int) -> str:
        return list(self)[at]


class Translated(Said):
    """As the lazy texts of several packages: a text in all but name."""

    def __len__(self) -> int:
        return 9

    def __getitem__(self, at: Any) -> str:
        return str(self)[at]

    def __mod__(self, values: Any) -> str:
        return str(self) % values


class Measured(Translated):
    """As a quantity with a unit: % is arithmetic."""

    def __truediv__(self, by: Any) -> Any: ...


class SaidSequence(Said, Sequence[str]):
    def __len__(self) -> int:
        return 2

    def __getitem__(self, at: Any) -> Any:
        return ["Oslo", "Rome"][at]


class SaidSet(Said, Set[str]):
    def __len__(self) -> int:
        return 2

    def __contains__(self, town: object) -> bool:
        return town in ("Oslo", "Rome")


class SaidView(Said, KeysView[str]):
    def __init__(self) -> None:
        super().__init__({"Oslo": 1, "Rome": 2})


class SaidIterator(Said):
    def __init__(self) -> None:
        self.towns = iter(["Oslo", "Rome"])

    def __next__(self) -> str:
        return next(self.towns)

    def __iter__(self) -> Iterator[str]:
        return self


class ListElsewhere(collections.UserList[str], list[str]):  # type: ignore[misc]
    """Its items are not where those of a list are."""


class DictElsewhere(dict[str, int]):
    """Its members are not where those of a dict are."""

    def keys(self) -> Any:
        return ["Oslo"]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return 1

    def __getitem__(self, key: str) -> int:
        return len(key)


class LastOnly(dict[str, list[int]]):
    """Shows the last one of several values, as QueryDict does."""

    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(key)[-1]

    def items(self) -> Any:
        return [(key, self[key]) for key in self]


class Several(Mapping[str, str]):
    """Gives the first one of several values, as the headers of many packages do."""

    values_of = {"age": ["1"], "cookie": ["a", "b"]}  # noqa: RUF012

    def __iter__(self) -> Iterator[str]:
        return iter(["age", "cookie", "cookie"])

    def __len__(self) -> int:
        return 3

    def __getitem__(self, key: str) -> str:
        return self.values_of[key][0]

    def getall(self, key: str) -> list[str]:
        return self.values_of[key]


def message(kind: Any) -> Any:
    made = kind()
    made["Received"] = "from a"
    made["Received"] = "from b"
    made.set_payload("Good morning")
    return made


def row() -> sqlite3.Row:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    try:
        found: sqlite3.Row = connection.execute("select 'Oslo' as town, 700 as people").fetchone()
        return found
    finally:
        connection.close()


def settings() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read_string("[map]\nscale = 10")
    return parser


def archive() -> zipfile.Path:
    file = zipfile.ZipFile(io.BytesIO(), "w")
    file.filename = "towns.zip"
    return zipfile.Path(file, "oslo.txt")


def entry() -> "os.DirEntry[str]":
    with os.scandir(Path(__file__).parent) as entries:
        return next(one for one in entries if one.name == "conftest.py")


def future() -> "asyncio.Future[int]":
    loop = asyncio.new_event_loop()
    made: asyncio.Future[int] = asyncio.Future(loop=loop)
    made.set_result(1)
    loop.close()
    return made


async def stream() -> AsyncIterator[int]:
    yield 1


TOWNS = ["Oslo", "Rome"]
MESSAGE = "Received: from a\nReceived: from b\n\nGood morning"

SENT: dict[str, tuple[Callable[[], Any], Any]] = {
    # Classes of an author
    "nothing but its items": (Plain, TOWNS),
    "a text of its own": (Said, Text("two towns")),
    "a repr of its own": (Shown, Text("Shown('Oslo', 'Rome')")),
    "a repr that only names it": (Named, Refused(f"Named has no JSON form; {PARTS}")),
    "keys": (Keyed, {"Oslo": 4, "Rome": 4}),
    "keys and a text": (SaidAndKeyed, Text("two towns")),
    "keys and a repr": (ShownAndKeyed, Text("Shown('Oslo', 'Rome')")),
    "a query": (Query, TOWNS),
    "a text that is made later": (Translated, "two towns"),
    "a quantity": (Measured, Text("two towns")),
    "a sequence with a text": (SaidSequence, TOWNS),
    "a set with a text": (SaidSet, TOWNS),
    "a view with a text": (SaidView, TOWNS),
    "an iterator with a text": (SaidIterator, TOWNS),
    "a list without items of its own": (lambda: ListElsewhere(TOWNS), TOWNS),
    "a dict without members of its own": (DictElsewhere, {"Oslo": 4}),
    "a dict that shows some of its values": (lambda: [LastOnly(a=[1, 2]), {3}], [{"a": [1, 2]}, [3]]),
    "several values of one name": (Several, {"age": "1", "cookie": ["a", "b"]}),
    # The standard library
    "EmailMessage": (lambda: message(email.message.EmailMessage), Text(MESSAGE)),
    "HTTPMessage": (lambda: message(http.client.HTTPMessage), Text(MESSAGE)),
    "MaildirMessage": (lambda: message(mailbox.MaildirMessage), Text(MESSAGE)),
    "Headers of wsgiref": (lambda: wsgiref.headers.Headers([("age", "1")]), Text("age: 1\r\n\r\n")),
    "Element": (lambda: xml.etree.ElementTree.fromstring("<a/>"), Refused(f"Element has no JSON form; {FORM}")),
    "ConfigParser": (settings, {"DEFAULT": {}, "map": {"scale": "10"}}),
    "Shelf": (lambda: shelve.Shelf({b"Oslo": b"\x80\x04K\x07."}), {"Oslo": 7}),
    "Row of sqlite3": (row, {"town": "Oslo", "people": 700}),
    "csv.reader": (lambda: csv.reader(["Oslo,700"]), [["Oslo", "700"]]),
    "DictReader": (lambda: csv.DictReader(["town", "Oslo"]), [{"town": "Oslo"}]),
    "ChainMap": (lambda: collections.ChainMap({"a": 1}, {"b": 2}), {"b": 2, "a": 1}),
    "Counter": (lambda: collections.Counter("aab"), {"a": 2, "b": 1}),
    "UserDict": (lambda: collections.UserDict(a=1), {"a": 1}),
    "UserList": (lambda: collections.UserList(TOWNS), TOWNS),
    "deque": (lambda: collections.deque(TOWNS), TOWNS),
    "MappingProxyType": (lambda: types.MappingProxyType({"a": 1}), {"a": 1}),
    "array": (lambda: array.array("i", [1, 2]), [1, 2]),
    "range": (lambda: range(2), [0, 1]),
    "keys of a dict": (lambda: {"a": 1}.keys(), ["a"]),
    "values of a dict": (lambda: {"a": 1}.values(), [1]),
    "items of a dict": (lambda: {"a": 1}.items(), [["a", 1]]),
    "a generator": (lambda: (town for town in TOWNS), TOWNS),
    "lines of a file": (lambda: io.StringIO("Oslo\nRome\n"), ["Oslo\n", "Rome\n"]),
    "Match": (lambda: re.match("a", "a"), Refused(f"Match has no JSON form; {FORM}")),
    "Path of zipfile": (archive, Text("towns.zip/oslo.txt")),
    "DirEntry": (entry, str(Path(__file__).parent / "conftest.py")),
    "Future": (future, Refused("Future has no JSON form; await it")),
}  # fmt: skip


@pytest.mark.parametrize(("make", "form"), SENT.values(), ids=SENT)
def test_nothing_is_lost_without_a_word(make: Callable[[], Any], form: Any) -> None:
    """V32"""
    check_sent(make, form)


@pytest.mark.parametrize("policy", ["fastmcp", "kubernetes", "lean"])
def test_a_text_that_is_made_later_is_a_text_with_every_profile(policy: str) -> None:
    """V32"""
    server = Server("towns", policy=policy)
    server.tool(name="towns")(lambda: {"it": Translated()})
    assert Client(server, "2025-11-25").call("towns")["content"] == [{"type": "text", "text": '{"it":"two towns"}'}]


def test_where_no_text_stands_for_data_what_can_be_iterated_is_refused() -> None:
    """V32"""
    server = Server("towns", policy="serializer")
    server.tool(name="towns")(lambda: {"it": Said()})
    result = Client(server, "2025-11-25").call("towns")
    problem = f"$.it: Said has no JSON form; {PARTS}"
    assert result["isError"] and result["content"][0]["text"].endswith(problem), result


def test_an_async_generator_is_refused_with_what_to_write_instead() -> None:
    """V48"""
    check_sent(
        lambda: stream(), Refused("async_generator has no JSON form; collect what it yields, and return a list")
    )
