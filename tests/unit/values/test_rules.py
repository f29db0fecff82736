"""What a client receives for a value without a rule: its own text, or an error; never a useless repr."""

import asyncio
import functools
import hashlib
import logging
import os
import re
import socket
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import Mock

import pytest

from plainmcp import Server, ToolResult
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client, RpcError


class Plain:
    """Says nothing of itself."""


class Derived(Plain):
    """Nor does what it is derived from."""


class Slotted:
    __slots__ = ("a",)


class Called(Plain):
    def __call__(self) -> int:
        return 1


class Said:
    def __str__(self) -> str:
        return "an engine"


class Shown:
    def __repr__(self) -> str:
        return "<Engine: 3 cylinders>"


class Heir(Shown):
    """Has the repr of its base."""


class Faulty:
    def __str__(self) -> str:
        return "fault at 0x1000"


class Addressed:
    def __repr__(self) -> str:
        return f"<Engine {super().__repr__()}>"


class Frame:
    """A table of a package nobody has heard of: its text has a few rows of many."""

    def __dataframe__(self) -> None: ...

    def __iter__(self) -> Iterator[str]:
        return iter(["name of a column"])

    def __str__(self) -> str:
        return "a\n1\n..."


class Labelled:
    """An array whose text is a sketch, and whose items have lost their labels."""

    def __array__(self) -> None: ...

    def __iter__(self) -> Iterator[int]:
        return iter([1])

    def __repr__(self) -> str:
        return "Labelled(1, ...)"


class Chart:
    """What a notebook draws, and a console only names."""

    def _repr_mimebundle_(self) -> None: ...

    def __repr__(self) -> str:
        return "Chart(...)"


class Promise:
    """Has to be awaited; iterating over it is not the way."""

    def __await__(self) -> Iterator[Any]:
        return iter(())

    __iter__ = __await__

    def __str__(self) -> str:
        return "a promise"


async def stream() -> Any:
    yield 1


def do() -> None:
    """A function."""


def done() -> asyncio.Future[int]:
    future: asyncio.Future[int] = asyncio.Future(loop=asyncio.new_event_loop())
    future.set_result(1)
    future.get_loop().close()
    return future


MUTE: list[Callable[[], Any]] = [
    object, Plain, Derived, Slotted, Called, Addressed, Frame, Labelled, Chart, Promise, done, stream,
    lambda: do, lambda: lambda: 1, lambda: len, lambda: Said().__str__, lambda: [].append,
    lambda: functools.partial(do), lambda: os, lambda: Said, lambda: int, lambda: re.RegexFlag,
    lambda: re.match("a", "a"), lambda: do.__code__,
    lambda: weakref.ref(do), lambda: property(), lambda: types.MethodType(do, Said()),
    threading.Lock, threading.RLock, threading.Event, threading.Condition, threading.Thread, hashlib.sha256,
    lambda: logging.getLogger("x"), Mock,
]  # fmt: skip

every_mute_value = pytest.mark.parametrize("make", MUTE, ids=lambda make: f"{getattr(make, '__name__', make)}")
every_policy = pytest.mark.parametrize("policy", ["standard", "openmcp", "fastmcp", "kubernetes", "lean"])


def refusals(value: Any, policy: str, caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """What the log says where a tool returns a value by itself, inside data, beside a text, and in a result."""
    for returned in (value, {"rows": [{"it": value}]}, ["a", value], ToolResult([value])):
        server = Server("engines", policy=policy)
        server.tool(name="engine")(functools.partial(lambda it: it, returned))
        caplog.clear()
        result = Client(server, "2025-06-18").call("engine")
        said = caplog.messages[0].partition(": ")[2]
        text = f"The result of engine was not valid and is withheld: {said}"
        assert result == {"content": [{"type": "text", "text": text}], "isError": True}
        yield said


@every_mute_value
@every_policy
def test_a_value_that_says_nothing_of_itself_is_an_error_with_its_path(
    make: Callable[[], Any], policy: str, caplog: pytest.LogCaptureFixture
) -> None:
    """S000-46 has str() for objects that have one of their own."""
    value = make()
    paths = ["$", "$.rows[0].it", "$[1]", "$.content[0]"]
    for path, said in zip(paths, refusals(value, policy, caplog), strict=True):
        assert said.startswith(f"{path}: {type(value).__name__} has no JSON form; ")


@every_mute_value
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_value_that_says_nothing_of_itself_is_neither_resource_nor_prompt(
    make: Callable[[], Any], revision: str
) -> None:
    server = Server("engines")
    server.resource("engine://1")(lambda: make())
    server.prompt(name="engine")(lambda: make())
    client = Client(server, revision)
    for ask in (lambda: client.read("engine://1"), lambda: client.get_prompt("engine")):
        with pytest.raises(RpcError) as caught:
            ask()
        assert caught.value.code == -32603


def test_the_error_says_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    said = [next(refusals(value, "standard", caplog)) for value in (Plain(), Promise(), Frame())]
    assert said == [
        "$: Plain has no JSON form; give it a __plain__ method or register a serializer",
        "$: Promise has no JSON form; await it",
        "$: Frame has no JSON form; make lists and dicts of it, or register a serializer",
    ]


def test_a_socket_is_not_described_to_a_client(caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as one:
        assert next(refusals(one, "standard", caplog)).startswith("$: socket has no JSON form")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Said(), "an engine"),
        (Shown(), "<Engine: 3 cylinders>"),
        (Heir(), "<Engine: 3 cylinders>"),
        (Faulty(), "fault at 0x1000"),
        (ValueError("no <fuel>"), "no <fuel>"),
        (types.SimpleNamespace(a=1), "namespace(a=1)"),
    ],
)
@every_policy
def test_a_class_with_a_text_of_its_own_is_sent_as_that_text(value: Any, text: str, policy: str) -> None:
    """S000-31, S000-46"""
    server = Server("engines", policy=policy)
    server.tool(name="engine")(lambda: value)
    server.resource("engine://1")(lambda: value)
    assert Client(server, "2025-06-18").call("engine") == {"content": [{"type": "text", "text": text}]}
    assert Client(server).read("engine://1")["contents"] == [
        {"uri": "engine://1", "mimeType": "text/plain", "text": text}
    ]


def test_a_serializer_goes_before_all_of_this() -> None:
    server = Server("engines")
    server.serializer(Plain, lambda value: {"cylinders": 3})
    server.serializer(Frame, lambda value: [{"a": 1}])
    server.tool(name="engine")(lambda: [Derived(), Frame()])
    assert Client(server).call("engine")["structuredContent"] == {"result": [{"cylinders": 3}, [{"a": 1}]]}
