"""The text of a caller: what a client carries is bound to it, so two callers never have the same."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from plainmcp import Context, Server
from plainmcp.auth import Principal
from plainmcp.protocol.identity import lasting_text_of


@dataclass
class User:
    id: int


@dataclass
class Bot:
    id: int


class Named:
    """Has a repr, which all of its objects share."""

    def __repr__(self) -> str:
        return "<Named>"


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no")

    def __plain__(self) -> Any:
        raise RuntimeError("no")


@dataclass
class WithToken:
    id: int
    expires: float = field(compare=False, default=0)


def text_of(principal: Any) -> str:
    return lasting_text_of(Server("s"), principal, "it is lost")


@pytest.mark.parametrize("make", [lambda: "ada", lambda: 7, lambda: {"id": 1}, lambda: User(1), lambda: None])
def test_the_same_caller_has_the_same_text(make: Any) -> None:
    assert text_of(make()) == text_of(make())


def test_the_same_user_with_another_token_has_the_same_text() -> None:
    assert text_of(Principal("i", "ada")) == text_of(Principal("i", "ada", scopes=frozenset({"more"}), expires=5.0))


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", 1), (User(1), User(2)), (User(1), Bot(1)), (User(1), {"id": 1}), (b"a", "YQ=="), (None, "null")],
)
def test_different_callers_have_different_texts(one: Any, other: Any) -> None:
    assert text_of(one) != text_of(other)


@pytest.mark.parametrize("kind", [Named, Broken, object])
def test_a_caller_without_a_text_never_has_the_same_one(kind: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Its repr is not used: two callers may have the same."""
    principal = kind()
    assert text_of(principal) != text_of(principal)
    assert "repr" not in text_of(kind()) and "<Named>" not in text_of(kind())


def test_sealed_state_is_not_shared_by_callers_with_the_same_repr() -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        return str(ctx.elicit("Who?", {"type": "object", "properties": {"name": {"type": "string"}}}).data)

    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }

    def call(**params: Any) -> Any:
        params = {"name": "ask", "arguments": {}, "_meta": meta, **params}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return json.loads(server.handle(message, principal=Named()) or b"")

    result = call()["result"]
    [key] = result["inputRequests"]
    answers = {key: {"action": "accept", "content": {"name": "eve"}}}
    assert call(requestState=result["requestState"], inputResponses=answers)["error"] == {
        "code": -32602,
        "message": "requestState belongs to another request",
    }


def test_what_does_not_count_for_equality_does_not_count_here() -> None:
    """A new token of the same caller has another expiry."""
    assert WithToken(1, 2.0) == WithToken(1, 3.0)
    assert text_of(WithToken(1, 2.0)) == text_of(WithToken(1, 3.0)) != text_of(WithToken(2, 2.0))
    assert text_of(WithToken(1)) != text_of(User(1))
