"""Options that FastMCP refuses where they are written."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from plainmcp.compat.fastmcp import FastMCP, PromptResult, ResourceContent, ResourceResult
from plainmcp.testing import Client


def takes(user: str) -> str:
    return user


@pytest.mark.parametrize(
    ("uri", "function", "problem"),
    [
        ("a://b", takes, "URI template must contain at least one parameter: takes takes user"),
        ("a://{name}", takes, r"Required function arguments \{'user'\} must be a subset of the URI path parameters"),
        ("a://b{?user}", takes, "Required function arguments"),
        ("a://{user}", lambda: "", r"URI parameters \{'user'\} must be a subset of the function arguments \{\}"),
    ],
)
def test_a_function_takes_what_its_uri_gives(uri: str, function: Callable[..., str], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        FastMCP("demo").resource(uri)(function)


def test_a_function_may_take_more_if_it_has_defaults_and_anything_with_kwargs() -> None:
    server = FastMCP("demo")

    @server.resource("a://{user}")
    def more(user: str, greeting: str = "Hello") -> str:
        return f"{greeting}, {user}"

    @server.resource("b://{user}")
    def anything(**values: str) -> str:
        return str(values)

    client = Client(server, "2025-11-25")
    assert client.read("a://Ada")["contents"][0]["text"] == "Hello, Ada"
    assert client.read("b://Ada")["contents"][0]["text"] == "{'user': 'Ada'}"


@pytest.mark.parametrize(
    ("make", "kind", "problem"),
    [
        (lambda: FastMCP("x", list_page_size=0), ValueError, "list_page_size must be a positive integer"),
        (lambda: FastMCP("x").tool(output_schema={"type": "integer"}), ValueError, "must represent object types"),
        (lambda: FastMCP("x").tool(run_in_thread=False, timeout=1)(takes), ValueError, "timeout cannot be enforced"),
        (lambda: FastMCP("x").resource(takes), TypeError, "The @resource decorator was used incorrectly"),  # type: ignore[arg-type]
        (lambda: FastMCP("x").resource(1), TypeError, "takes a URI"),  # type: ignore[arg-type]
        (lambda: ResourceResult(ResourceContent("a")), TypeError, "contents must be str, bytes, or list"),
        (lambda: ResourceResult(["a"]), TypeError, r"contents\[0\] must be ResourceContent, not str"),
        (lambda: PromptResult({"a": 1}), TypeError, "messages must be str or list of Messages, not dict"),
    ],
)
def test_a_mistake_is_refused_where_it_is_written(make: Any, kind: type[Exception], problem: str) -> None:
    with pytest.raises(kind, match=problem):
        make()


def test_a_timeout_of_zero_leaves_no_time() -> None:
    server = FastMCP("demo")

    @server.tool(timeout=0)
    async def slow() -> str:
        await asyncio.sleep(1)
        return "done"

    assert Client(server, "2025-11-25").call("slow")["isError"] is True


def test_a_server_without_a_name_gets_one() -> None:
    first, second = FastMCP(), FastMCP()
    assert first.name.startswith("FastMCP-") and first.name != second.name
