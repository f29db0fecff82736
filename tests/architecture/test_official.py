"""The official checks work: a message that is not valid on a revision does not pass."""

import json
from typing import Any

import pytest

import official
from plainmcp.revisions import REVISIONS
from plainmcp.testing import Client
from property.offering import everything
from schemas import definitions

INFO = {"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}, "resultType": "complete"}


def response(result: Any, **more: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": result, **more}).encode()


def error(code: int, **more: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "m"}, **more}).encode()


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_method_of_a_revision_has_an_official_definition(revision: str) -> None:
    for method in REVISIONS[revision].methods:
        assert official.RESULTS[method] in definitions(revision)


@pytest.mark.parametrize(
    "revision, method, raw",
    [
        ("2024-11-05", "tools/call", response({})),
        ("2024-11-05", "tools/call", response({"content": [{"type": "audio", "data": "", "mimeType": "audio/wav"}]})),
        ("2025-03-26", "tools/call", response({"content": [{"type": "resource_link", "uri": "a:b", "name": "n"}]})),
        ("2025-06-18", "tools/call", response({"content": [], "structuredContent": [1]})),
        ("2025-11-25", "tools/list", response({"tools": [{"name": "t", "inputSchema": {}}]})),
        ("2025-11-25", "tools/list", response({"tools": [], "ttlMs": 0, "cacheScope": "private"})),
        ("2026-07-28", "tools/list", response({"tools": [], **INFO})),
        ("2026-07-28", "tools/call", response({"content": [], "resultType": "complete"})),
        ("2026-07-28", "tools/call", response({"content": [], **INFO, "resultType": "task"})),
        ("2026-07-28", "tools/call", response({"content": [], "_meta": INFO["_meta"]})),
        ("2026-07-28", "tools/list", response({**INFO, "resultType": "input_required", "requestState": "x"})),
        ("2026-07-28", "tools/call", response({**INFO, "resultType": "input_required"})),
        ("2025-06-18", "ping", response({}, error={"code": 1, "message": "m"})),
        ("2025-06-18", "ping", response({}, extra=1)),
        ("2025-06-18", "ping", b'{"jsonrpc":"2.0","id":null,"result":{}}'),
        ("2025-06-18", "ping", b'{"jsonrpc":"1.0","id":1,"result":{}}'),
        ("2025-11-25", "ping", error(-32603, id=None)),
        ("2025-06-18", "ping", error(-32021)),
        ("2026-07-28", "tools/list", error(-32002)),
        ("2026-07-28", "tools/list", error(-32021)),
        ("2026-07-28", "tools/list", error(-32022)),
        ("2025-06-18", "resources/read", b'{"jsonrpc":"2.0","id":1,"result":{"contents":[],"x":NaN}}'),
        ("2025-06-18", "notifications/progress", b'{"jsonrpc":"2.0","method":"notifications/progress","params":{}}'),
        ("2025-06-18", "notifications/made/up", b'{"jsonrpc":"2.0","method":"notifications/made/up"}'),
        ("2026-07-28", "roots/list", b'{"jsonrpc":"2.0","id":"s-1","method":"roots/list"}'),
        ("2025-03-26", "elicitation/create", b'{"jsonrpc":"2.0","id":"s-1","method":"elicitation/create"}'),
    ],
)
def test_an_invalid_message_does_not_pass(revision: str, method: str, raw: bytes) -> None:
    with pytest.raises((AssertionError, LookupError)):
        official.check(revision, method, raw)


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_client_that_is_given_the_judge_hands_it_every_message(revision: str) -> None:
    judged: list[tuple[str, bytes]] = []

    def check(revision: Any, method: str, raw: bytes) -> None:
        official.check(revision, method, raw)
        judged.append((method, raw))

    client = Client(everything(), revision, check=check, log_level="debug")
    client.request("tools/call", {"name": "later", "arguments": {"n": 1}, "_meta": {"progressToken": 1}})
    client.list_tools()
    heard = [method for method, _ in judged]
    assert {"tools/call", "tools/list", "notifications/progress", "notifications/message"} <= set(heard)
    assert ("initialize" in heard) == REVISIONS[revision].handshake
