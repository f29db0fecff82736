"""How a function becomes a resource or a template: its name, and the URIs it takes."""

from typing import Any

import pytest

from plainmcp import Server
from plainmcp.compat.fastmcp import FastMCP
from plainmcp.compat.mcp.server import MCPServer
from plainmcp.compat.openmcp import MCPServer as OpenMCP
from plainmcp.errors import AuthorError
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client

every_revision = pytest.mark.parametrize("revision", REVISIONS)


@every_revision
def test_a_resource_of_a_lambda_is_called_by_its_uri(revision: str) -> None:
    """V45"""
    server = Server("memos")
    server.resource("memo://1")(lambda: "one")
    server.resource("memo://2", name="second")(lambda: "two")
    server.resource("memo://all/{n}")(lambda n: n)
    server.resource("memo://some/{n}", name="some")(lambda n: n)
    client = Client(server, revision)
    assert client.list_resources() == [
        {"uri": "memo://1", "name": "memo://1"},
        {"uri": "memo://2", "name": "second"},
    ]
    assert client.request("resources/templates/list")["resourceTemplates"] == [
        {"uriTemplate": "memo://all/{n}", "name": "memo://all/{n}"},
        {"uriTemplate": "memo://some/{n}", "name": "some"},
    ]
    assert client.read("memo://all/3")["contents"] == [{"uri": "memo://all/3", "mimeType": "text/plain", "text": "3"}]


@pytest.mark.parametrize(
    ("register", "problem"),
    [
        (
            lambda server: server.resource("memo://1")(lambda n: n),
            "a lambda takes 'n', which the URI 'memo://1' does not",
        ),
        (lambda server: server.resource("memo://{n}")(lambda: 1), "a lambda has no parameter 'n', which the URI "),
        (lambda server: server.resource("memo://{n}")(lambda n, m: 1), "a lambda takes 'm', which the URI "),
    ],
)
def test_an_error_about_a_lambda_says_that_it_is_one(register: Any, problem: str) -> None:
    """V45"""
    with pytest.raises(AuthorError) as caught:
        register(Server("memos"))
    assert str(caught.value).startswith(problem)


@every_revision
@pytest.mark.parametrize("make", [Server, FastMCP, MCPServer, OpenMCP])
def test_the_scheme_of_a_template_may_be_a_variable(make: Any, revision: str) -> None:
    """V49"""
    mcp = make("anything")

    @mcp.resource("{scheme}://{path}")
    def anything(scheme: str, path: str) -> str:
        return f"{path} by {scheme}"

    @mcp.resource("git+{kind}://{path}")
    def repository(kind: str, path: str) -> str:
        return f"{path} from git by {kind}"

    client = Client(mcp, revision)
    templates = [one["uriTemplate"] for one in client.request("resources/templates/list")["resourceTemplates"]]
    assert sorted(templates) == ["git+{kind}://{path}", "{scheme}://{path}"]
    for uri, text in {"memo://1": "1 by memo", "x-a.b+1://y%20z": "y z by x-a.b+1"}.items():
        (contents,) = client.read(uri)["contents"]
        assert (contents["uri"], contents["text"]) == (uri, text)


@pytest.mark.parametrize("uri", ["1://memo", ":memo", "{x}{y}://memo", "a b://memo", "{x"])
def test_what_is_no_uri_is_refused(uri: str) -> None:
    """V49"""
    with pytest.raises(AuthorError):
        Server("memos").resource(uri)(lambda **values: 1)
