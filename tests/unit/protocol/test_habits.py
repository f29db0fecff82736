"""Attributes of other packages: the error says what to write instead."""

import inspect
import re
from typing import Any

import pytest

from plainmcp import Context, Server
from plainmcp.protocol.habits import CONTEXT_ATTRIBUTES, SERVER_ATTRIBUTES
from plainmcp.testing import Client


def advice_names(advice: str, owner: str) -> list[str]:
    """The attributes of the server or the context that an advice names."""
    return re.findall(rf"\b{owner}\.(\w+)", advice)


@pytest.mark.parametrize("name", SERVER_ATTRIBUTES)
def test_an_attribute_of_another_servers_is_explained(name: str) -> None:
    server = Server("s")
    with pytest.raises(AttributeError) as raised:
        getattr(server, name)
    assert str(raised.value) == f"'Server' object has no attribute '{name}': {SERVER_ATTRIBUTES[name]}"
    assert all(hasattr(server, one) for one in advice_names(SERVER_ATTRIBUTES[name], "server"))


@pytest.mark.parametrize("name", CONTEXT_ATTRIBUTES)
def test_an_attribute_of_another_context_is_explained(name: str) -> None:
    server = Server("s")
    errors: list[str] = []

    @server.tool
    def use(ctx: Context) -> str:
        try:
            return str(getattr(ctx, name))
        except AttributeError as error:
            errors.append(str(error))
            return "there is none"

    Client(server).call("use")
    assert errors == [f"'Context' object has no attribute '{name}': {CONTEXT_ATTRIBUTES[name]}"]
    attributes = dict(inspect.getmembers(Context))
    assert all(one in attributes for one in advice_names(CONTEXT_ATTRIBUTES[name], "ctx"))


def test_they_are_not_there_for_programs_that_look() -> None:
    server: Any = Server("s")
    assert not hasattr(server, "add_tool") and not hasattr(Server, "add_tool")
    assert getattr(server, "http_app", None) is None
    server.add_tool = "one of an author's own"
    assert server.add_tool == "one of an author's own"
