"""A program for Python 3.14, where annotations are evaluated when they are read: prints what became of each as JSON.

`Unknown` is a name that only type checkers know. Before 3.14 it would need quotes.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from plainmcp import Context, Depends, Server, normalize_tool_result

if TYPE_CHECKING:
    from nowhere import Unknown

T = TypeVar("T")
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
found: dict[str, Any] = {"version": sys.version_info[:2]}


def note(name: str) -> Callable[[Callable[[], Any]], None]:
    """Note what a function returns or raises."""

    def run(function: Callable[[], Any]) -> None:
        try:
            found[name] = function()
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"

    return run


def call(server: Server, name: str, **arguments: Any) -> Any:
    params = {"name": name, "arguments": arguments, "_meta": META}
    response = server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    return json.loads(response or b"")["result"].get("structuredContent")


@dataclass
class Later:
    """Its field has a class that stands below."""

    nodes: list[Node]  # noqa: F821


@dataclass
class Node(Generic[T]):
    number: int
    item: T | None = None


@dataclass
class Record:
    owner: Unknown
    size: int


class Row(msgspec.Struct):
    size: int
    owner: str | None = None


class WideRow(Row):
    """A Struct with no annotations of its own."""


@note("a class that is defined later")
def forward() -> Any:
    server = Server("s")

    @server.tool
    def forward(first: Later, ctx: Context) -> Later:
        return first

    return call(server, "forward", first={"nodes": [{"number": 1}]})


@note("a parameter")
def parameter() -> None:
    @Server("s").tool
    def parameter(owner: list[Unknown]) -> str:
        return str(owner)


@note("a result")
def result() -> None:
    @Server("s").tool
    def result() -> Unknown:
        return 1


@note("a dependency")
def dependency() -> None:
    def find(owner: Unknown = None) -> int:
        return 1

    @Server("s").tool
    def dependency(number: int = Depends(find)) -> int:
        return number


@note("middleware and a route")
def middleware_and_route() -> Any:
    server = Server("s")

    @server.middleware
    def pass_on(request: Unknown, call_next: Unknown) -> Unknown:
        return call_next(request)

    @server.route("/x")
    def route(request: Unknown) -> Unknown:
        return "x"

    @server.tool
    def plain() -> int:
        return 1

    return call(server, "plain") if server.routes.find("/x", "GET") else None


@note("a field of a record")
def field() -> Any:
    return normalize_tool_result(Record("ada", 1)).structuredContent


@note("Structs")
def structs() -> Any:
    server = Server("s")

    @server.tool
    def rows() -> list[Row]:
        return [Row(1), WideRow(2, "ada")]

    return call(server, "rows")


print(json.dumps(found))
