"""Types of the standard library: each that pydantic has a JSON Schema for is listed, sent and read by us too."""

import base64
import datetime
import io
import os
import re
import struct
import sys
import zoneinfo
from collections.abc import Iterator
from dataclasses import make_dataclass
from pathlib import Path, PurePath
from typing import Any

import jsonschema_rs
import pydantic

from plainmcp import Server
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

# Values that pydantic may read as one of a class.
CANDIDATES = [
    1, 1.5, True, ["a", "b"], {"a": 1}, "12345678-1234-5678-1234-567812345678", "2026-01-02", "2026-01-02T03:04:05",
    "03:04:05", "P1DT2H", "127.0.0.1", "10.0.0.0/8", "::1", "fe80::/10", "Europe/Oslo", "1/3", "1+2j", "a+", None,
]  # fmt: skip


def classes() -> Iterator[tuple[str, type, Any]]:
    """The classes of the standard library that pydantic has a JSON Schema for, each with a value."""
    modules = [name for name in sys.modules if name.partition(".")[0] in sys.stdlib_module_names and name[0] != "_"]
    found = {
        one: f"{one.__module__}.{one.__qualname__}"
        for name in sorted(modules)
        for one in vars(sys.modules[name]).values()
        if isinstance(one, type) and one.__module__.partition(".")[0] in sys.stdlib_module_names
    }
    for kind, name in found.items():
        try:
            adapter = pydantic.TypeAdapter(kind)
            schema = adapter.json_schema(mode="serialization")
        except (pydantic.errors.PydanticUserError, AttributeError):  # the latter of typing._TypedDict, from 3.12 on
            continue
        for candidate in CANDIDATES:
            try:
                value = adapter.validate_python(candidate)
                json = adapter.dump_python(value, mode="json")
            except (ValueError, NotImplementedError):  # not one of these, or of another system
                continue
            if jsonschema_rs.is_valid(schema, json):
                yield name, kind, value
                break


KINDS = {name: (kind, value) for name, kind, value in classes()}


def form_of(kind: Any, value: Any) -> Any:
    """The JSON of a value as pydantic writes it, except where a form of ours is documented."""
    if isinstance(value, datetime.timedelta):
        return f"PT{int(value.total_seconds())}S"
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return pydantic.TypeAdapter(kind).dump_python(value, mode="json")


def test_a_type_that_pydantic_lists_is_listed_and_sent_in_the_same_form() -> None:
    """V36"""
    for name, (kind, value) in KINDS.items():
        check_sent(name, kind, value)
    kinds = {kind for kind, _ in KINDS.values()}
    assert {int, list, dict, complex, re.Pattern, zoneinfo.ZoneInfo, os.PathLike, Path, datetime.datetime} <= kinds


def check_sent(name: str, kind: Any, value: Any) -> None:
    form = form_of(kind, value)
    server = Server("types")

    def give() -> Any:
        fresh = pydantic.TypeAdapter(kind).validate_python(form) if hasattr(value, "__next__") else value
        return record(fresh, [fresh])

    record = make_dataclass("Record", [("it", kind), ("all", list[kind])])
    give.__annotations__ = {"return": record}
    server.tool(give)
    for revision in REVISIONS:
        client = Client(server, revision)
        result = client.call("give")
        assert not result.get("isError"), (name, result)
        if client.revision.structured != "none":
            assert result["structuredContent"] == {"it": form, "all": [form]}, name
            schema = client.list_tools()[0]["outputSchema"]
            assert jsonschema_rs.is_valid(schema, result["structuredContent"]), name


def test_a_type_that_pydantic_lists_is_read_from_the_form_that_is_sent() -> None:
    """V36"""
    for name, (kind, value) in KINDS.items():
        if not hasattr(value, "__next__"):  # what is an iterator has no value to compare
            check_read(name, kind, value)


def check_read(name: str, kind: Any, value: Any) -> None:
    form = form_of(kind, value)
    server = Server("types")
    received: list[Any] = []

    def take(record: Any) -> None:
        received.append(record.it)

    take.__annotations__ = {"record": make_dataclass("Record", [("it", kind)])}
    server.tool(take)
    for revision in REVISIONS:
        client = Client(server, revision)
        assert jsonschema_rs.is_valid(client.list_tools()[0]["inputSchema"], {"record": {"it": form}}), name
        result = client.call("take", record={"it": form})
        assert not result.get("isError"), (name, result)
    assert received == [value] * len(REVISIONS), name


def test_a_regular_expression_keeps_its_flags() -> None:
    """V36"""
    patterns = [
        re.compile("a", re.I | re.M),
        re.compile("(?x)a", re.S),
        re.compile(rb"\d\xff"),
        re.compile(b"\xff", re.I),
    ]
    server = Server("patterns")
    server.tool(name="patterns")(lambda: patterns)
    sent = Client(server, "2025-11-25").call("patterns")["structuredContent"]["result"]
    assert sent == ["(?im)a", "(?s)(?x)a", r"\d\xff", r"(?i)\xff"]
    assert [re.compile(text).flags for text in sent[:2]] == [one.flags for one in patterns[:2]]


def test_names_of_members_have_these_forms_too() -> None:
    """V36"""
    server = Server("names")
    places = {zoneinfo.ZoneInfo("Europe/Oslo"): 1j, re.compile("a+"): -1 - 0.5j, PurePath("a/b"): complex(2)}
    server.tool(name="names")(lambda: places)
    sent = Client(server, "2025-11-25").call("names")["structuredContent"]
    assert sent == {"Europe/Oslo": "1j", "a+": "-1-0.5j", "a/b": "2+0j"}


def test_a_time_zone_without_a_key_is_refused_with_its_path() -> None:
    """V36"""
    empty = b"TZif" + bytes(16) + struct.pack(">LLLLLL", 0, 0, 0, 0, 1, 4) + struct.pack(">lbb", 0, 0, 0) + b"UTC\0"
    zone = zoneinfo.ZoneInfo.from_file(io.BytesIO(empty))
    server = Server("zones")
    server.tool(name="zone")(lambda: {"it": zone})
    problem = "$.it: a ZoneInfo that was read from a file has no key; give from_file one"
    assert Client(server, "2025-11-25").call("zone")["content"][0]["text"].endswith(problem)


def test_what_is_not_a_complex_number_is_refused_with_what_one_is() -> None:
    """V36"""
    server = Server("numbers")

    def turn(by: complex) -> None: ...

    server.tool(turn)
    client = Client(server, "2025-11-25")
    assert client.list_tools()[0]["inputSchema"]["properties"] == {"by": {"type": "string", "format": "complex"}}
    assert client.call("turn", by="left") == {
        "content": [{"type": "text", "text": "by: expected a complex number such as 1+2j in a string"}],
        "isError": True,
    }
