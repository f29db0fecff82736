"""Mistakes in registrations on the facades: they are what the packages raise, and AuthorErrors."""

from collections.abc import Callable
from typing import Any

import pytest

from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.fastmcp.tools import tool
from plainmcp.compat.mcp.server.fastmcp import FastMCP as FastMCP1
from plainmcp.compat.mcp.server.mcpserver import MCPServer
from plainmcp.compat.registration import as_value_errors
from plainmcp.errors import AuthorError, OptionError


def takes(user: str) -> str:
    return user


def takes_nothing() -> str:
    return ""


def may_take(user: str = "") -> str:
    return user


SDKS = pytest.mark.parametrize("sdk", [FastMCP1, MCPServer])
A_FUNCTION_AND_ITS_URI = pytest.mark.parametrize(
    ("uri", "function"),
    [
        ("a://b", takes),
        ("a://{name}", takes),
        ("a://{name}", takes_nothing),
        ("a://{user}/{more}", takes),
        ("a://b", may_take),
    ],
)


@SDKS
@A_FUNCTION_AND_ITS_URI
def test_in_the_sdk_the_parameters_of_a_resource_are_the_variables_of_its_uri(
    sdk: Any, uri: str, function: Callable[..., str]
) -> None:
    with pytest.raises(ValueError, match="Mismatch between URI parameters"):
        sdk("demo").resource(uri)(function)


@SDKS
def test_in_the_sdk_a_variable_of_a_query_has_a_default(sdk: Any) -> None:
    with pytest.raises(ValueError, match=r"\['user'\] of takes .* must declare a default"):
        sdk("demo").resource("a://b{?user}")(takes)
    sdk("demo").resource("a://b{?user}")(may_take)


@pytest.mark.parametrize("decorator", ["tool", "prompt", "resource"])
@pytest.mark.parametrize("kind", [FastMCP, FastMCP1, MCPServer])
def test_a_classmethod_is_a_type_error_that_says_what_to_write(kind: Any, decorator: str) -> None:
    server = kind("demo")
    decorate = server.resource("a://b") if decorator == "resource" else getattr(server, decorator)()
    with pytest.raises(TypeError, match=r"@classmethod.*after the class, write"):
        decorate(classmethod(takes_nothing))


def test_a_standalone_decorator_refuses_a_classmethod_too() -> None:
    with pytest.raises(TypeError, match="classmethod"):
        tool(classmethod(takes_nothing))


def test_every_mistake_is_a_value_error_and_an_author_error() -> None:
    server = FastMCP("demo", on_duplicate="error")
    server.tool(takes)
    for kind in (ValueError, AuthorError):
        with pytest.raises(kind, match="already a tool"):
            server.tool(takes)


def test_an_error_with_a_class_of_the_standard_library_stays_as_it_is() -> None:
    mistake = OptionError("an option")
    with pytest.raises(OptionError) as raised, as_value_errors():
        raise mistake
    assert raised.value is mistake
