"""One request and its answer: envelopes, ids, revisions, the order of the checks."""

import asyncio
import json
from typing import Any

import pytest

import official
from plainmcp import Server
from plainmcp.errors import InternalError, ResourceNotFound
from plainmcp.revisions import REVISIONS
from speaking import ALL, HANDSHAKE, META, MODERN, answer, message, modern

every_revision = pytest.mark.parametrize("revision", ALL)


@pytest.fixture
def server() -> Server:
    server = Server("test", "1")

    @server.tool
    def echo(text: str) -> str:
        return text

    @server.resource("memo://1")
    def memo() -> str:
        return "kept"

    @server.prompt
    def brief(city: str) -> str:
        return city

    @server.completion("brief", "city")
    def cities(typed: str) -> list[str]:
        return [typed]

    return server


IDS = [
    b"1",
    b"0",
    b"-7",
    b"1.5",
    b"1.0",
    b"1e3",
    b"9223372036854775808",
    b"1234567890123456789012345678901234567890",
    b'"a"',
    b'""',
    b'"7"',
    b'"\\u0041\\n\\"\\\\\\/"',
    '"\u2603\U0001f600"'.encode(),
    b'"\\ud83d\\ude00"',
]


@every_revision
@pytest.mark.parametrize("id", IDS)
def test_an_id_comes_back_byte_for_byte(server: Server, revision: str, id: bytes) -> None:
    """R*-BASE-02, R*-BASE-01."""
    raw = json.dumps(message(revision, "tools/list", id="HERE")).encode().replace(b'"HERE"', id)
    found = server.handle(raw, revision=revision)
    assert found is not None and found.startswith(b'{"jsonrpc":"2.0","id":' + id + b',"result":')


@every_revision
def test_every_answer_has_one_of_result_and_error(server: Server, revision: str) -> None:
    """R*-BASE-03, R*-BASE-04, R*-BASE-11, R26-BASE-12: judged by official.check_answer."""
    for method in sorted(REVISIONS[revision].methods | {"nope"}):
        for params in ({}, {"name": "echo"}, {"uri": "memo://1"}, {"cursor": "x"}, {"level": "info"}):
            raw = server.handle(message(revision, method, params), revision=revision)
            assert raw is not None
            official.check_answer(revision, raw)


@every_revision
@pytest.mark.parametrize("name", ["initialized", "cancelled", "progress", "roots/list_changed", "made/up"])
@pytest.mark.parametrize("params", [None, {}, {"_meta": {}}, {"_meta": 5}, {"requestId": {}}, {"x": [1]}])
def test_a_notification_is_never_answered(server: Server, revision: str, name: str, params: object) -> None:
    """R*-BASE-05."""
    note = {"jsonrpc": "2.0", "method": f"notifications/{name}", "params": params}
    assert server.handle(note, revision=revision) is None
    assert server.connect().handle(note) is None


@every_revision
@pytest.mark.parametrize("method", ["notifications/initialized", "ping", "tools/list"])
def test_a_notification_with_a_list_for_params_is_never_answered(server: Server, revision: str, method: str) -> None:
    """R*-BASE-05: JSON-RPC has parameters by position, too."""
    assert server.handle({"jsonrpc": "2.0", "method": method, "params": [1]}, revision=revision) is None


@every_revision
def test_a_response_is_never_answered(server: Server, revision: str) -> None:
    """R*-BASE-05: whoever answered us does not wait for an answer."""
    assert server.handle({"jsonrpc": "2.0", "id": 1, "result": {}}, revision=revision) is None
    assert server.handle({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}}, revision=revision) is None


@pytest.mark.parametrize("revision", [name for name in ALL if name != "2025-03-26"])
def test_one_message_at_a_time(server: Server, revision: str) -> None:
    """R24-BASE-10, R2506-BASE-10, R2511-BASE-10, R26-BASE-10."""
    raw = server.handle([message(revision, "tools/list")], revision=revision)
    assert raw is not None
    official.check_answer(revision, raw)
    assert json.loads(raw)["error"]["code"] == -32600


def test_a_batch_is_bounded(server: Server) -> None:
    """R2503-BASE-09."""
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    whole = json.loads(server.handle([ping] * 100, revision="2025-03-26") or b"")
    assert whole == [{"jsonrpc": "2.0", "id": 1, "result": {}}] * 100
    assert json.loads(server.handle([ping] * 101, revision="2025-03-26") or b"")["error"]["code"] == -32600


def test_a_result_is_complete_or_asks_for_input(server: Server) -> None:
    """R26-BASE-13."""
    for method in sorted(REVISIONS[MODERN[0]].methods - {"subscriptions/listen"}):
        for params in ({}, {"name": "echo", "arguments": {"text": "a"}}, {"uri": "memo://1"}):
            found = answer(server, MODERN[0], method, params)
            assert "error" in found or found["result"]["resultType"] == "complete"


CODES = {-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022}


def test_every_error_class_has_a_code_of_the_specification() -> None:
    """R26-BASE-14, R26-BASE-15, R26-BASE-16."""
    from plainmcp.errors import ProtocolError

    subclasses = [kind for kind in ProtocolError.__subclasses__() if kind.__module__ == "plainmcp.errors"]
    classes = [ProtocolError, *subclasses]
    assert len(classes) == 10
    assert {kind.code for kind in classes} == CODES
    assert REVISIONS[MODERN[0]].resource_not_found == -32602


def test_what_a_handler_raises_keeps_to_the_codes_of_the_revision() -> None:
    """R26-BASE-14, R26-BASE-15, R26-BASE-16."""
    server = Server("test")

    @server.tool
    def missing() -> str:
        raise ResourceNotFound("memo://2")

    @server.tool
    def broken() -> str:
        raise InternalError("out of order")

    for revision in ALL:
        codes = [answer(server, revision, "tools/call", {"name": n})["error"]["code"] for n in ("missing", "broken")]
        assert codes == [-32002 if revision in HANDSHAKE else -32602, -32603]


@pytest.mark.parametrize("value", [None, 5, "x", [], {}, {"a": "b"}, True])
@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25", "2026-07-28"])
def test_reserved_keys_with_odd_values_are_left_alone(server: Server, revision: str, value: object) -> None:
    """R2506-META-03, R2511-META-03, R26-META-03."""
    odd = {f"{META}related-task": value, f"{META}made-up": value, "mcp.dev/x": value, "traceparent": value}
    found = answer(server, revision, "tools/call", {"name": "echo", "arguments": {"text": "a"}, "_meta": odd})
    assert found["result"]["content"] == [{"type": "text", "text": "a"}]


def test_a_modern_request_is_checked_in_the_order_of_the_protocol(server: Server) -> None:
    """R26-META-04, R26-VER-11: _meta, version, method, parameters, capabilities."""

    def code(method: str, meta: object, **params: object) -> int:
        said = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        return int(json.loads(server.handle(said) or b"")["error"]["code"])

    other = modern() | {f"{META}protocolVersion": "2031-01-01"}
    loud = modern() | {f"{META}logLevel": "loud"}
    incomplete = {f"{META}protocolVersion": "2031-01-01"}
    assert code("nope", incomplete) == -32602
    assert code("nope", other) == -32022
    assert code("tools/call", other) == -32022
    assert code("nope", modern()) == -32601
    assert code("nope", loud) == -32601, "the method is looked at before the log level"
    assert code("tools/call", loud, name="echo") == -32602
    assert code("tools/call", modern(), name=5) == -32602


def test_the_version_of_a_handshake_is_not_spoken_without_one(server: Server) -> None:
    """R26-VER-11."""
    for revision in HANDSHAKE:
        said = message("2026-07-28", "tools/list")
        said["params"]["_meta"][f"{META}protocolVersion"] = revision
        error = json.loads(server.handle(said) or b"")["error"]
        assert error["code"] == -32022
        assert error["data"] == {"supported": list(MODERN), "requested": revision}


@every_revision
def test_an_exception_nobody_expected_is_an_internal_error(
    server: Server, revision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R*-BASE-04, R*-LOG-05."""

    def broken(principal: object) -> bool:
        raise ZeroDivisionError("hunter2")

    server.tool(name="odd", visible=broken)(lambda: None)
    found = answer(server, revision, "tools/list")
    assert found["error"]["code"] == -32603
    assert "hunter2" not in found["error"]["message"]


@pytest.mark.parametrize(
    "deep", [b"[" * 100_000, b'{"a":' * 100_000, b'{"jsonrpc":"2.0","id":1,"method":"ping","x":' * 5_000]
)
def test_depth_is_no_danger(server: Server, deep: bytes) -> None:
    raw = server.handle(deep)
    assert raw is not None and json.loads(raw)["error"]["code"] in (-32700, -32600)


def nested(levels: int, around: str = "[]", inside: str = "") -> str:
    """A value of so many levels."""
    opening = {"[]": "[", "{}": '{"a":'}[around]
    return opening * levels + (inside or around) + around[1] * levels if levels else inside or around


TOO_DEEP = "Parse error: arrays and objects nest more than 128 levels deep"
AROUND = 3  # the message, params and arguments, around the argument


@pytest.mark.parametrize("around", ["[]", "{}"])
@pytest.mark.parametrize("field", ["arguments", "_meta", "elsewhere"])
@every_revision
def test_a_message_nests_128_levels_deep_and_no_deeper(revision: str, field: str, around: str) -> None:
    """R*-BASE-04: our own number, whatever the interpreter could follow"""
    server = Server("test")

    @server.tool
    def take(value: Any = None) -> str:
        return "taken"

    for levels, fits in ((1, True), (128, True), (129, False), (500, False), (900, False), (5_000, False)):
        deep = nested(levels - AROUND - 1, around) if levels > AROUND else "1"
        plain = message(revision, "tools/call", {"name": "take", "arguments": {"value": 0}})
        raw = json.dumps(plain)
        if field == "arguments":
            raw = raw.replace('"value": 0', f'"value": {deep}')
        elif field == "_meta":
            given = json.dumps({**plain["params"].get("_meta", {}), "x": 0})
            raw = json.dumps(plain | {"params": {"name": "take", "_meta": "@"}}).replace('"@"', given)
            raw = raw.replace('"x": 0', f'"x": {deep}')
        else:
            raw = raw[:-1] + f', "x": [[{deep}]]' + "}"
        for given in (raw.encode(), " " + raw):
            said = server.handle(given, revision=revision)
            assert said is not None
            found = json.loads(said)
            if fits:
                assert found["result"]["content"][0]["text"] == "taken"
            else:
                assert found["error"] == {"code": -32700, "message": TOO_DEEP}
                assert found.get("id") == 1 or levels > 900  # further down no reader finds the id


def test_many_brackets_are_not_deep() -> None:
    server = Server("test")

    @server.tool
    def size(value: Any) -> int:
        return len(str(value))

    texts = ["[" * 500, '"{' * 500, "\\[" * 500, '\\"[\\\\' * 500, "[{" * 500 + "\\"]
    for value in ([[] for _ in range(500)], [{"a": [1]}] * 500, texts, {text: text for text in texts}):
        found = answer(server, "2025-11-25", "tools/call", {"name": "size", "arguments": {"value": value}})
        assert found["result"]["structuredContent"]["result"] == len(str(value))


@pytest.mark.parametrize("revision", ["2025-03-26"])
def test_a_batch_may_be_as_deep(revision: str) -> None:
    server = Server("test")
    server.tool(name="take")(lambda value: "taken")
    plain = json.dumps(message(revision, "tools/call", {"name": "take", "arguments": {"value": 0}}))
    for levels, text in ((128, '"taken"'), (129, TOO_DEEP), (900, TOO_DEEP)):
        deep = plain.replace('"value": 0', f'"value": {nested(levels - AROUND - 2)}')
        raw = server.handle(f"[{plain}, {deep}]", revision=revision)
        assert raw is not None and text in raw.decode()


@pytest.mark.parametrize("levels", [129, 900, 5_000])
def test_nobody_is_told_that_a_notification_is_too_deep(levels: int) -> None:
    """R*-BASE-05"""
    deep = f'{{"jsonrpc": "2.0", "method": "notifications/progress", "params": {{"x": {nested(levels)}}}}}'
    raw = Server("test").connect().handle(deep)
    assert raw is None or (levels > 900 and "id" not in json.loads(raw))


class Own(BaseException):
    """What some libraries raise past every `except Exception`."""


@pytest.mark.parametrize("kind", [asyncio.CancelledError, GeneratorExit, SystemExit, Own])
@pytest.mark.parametrize("is_async", [False, True])
def test_whatever_a_tool_raises_the_server_answers(kind: type[BaseException], is_async: bool) -> None:
    """R*-TOOL-11: in a thread and in a loop alike; only the keyboard may interrupt."""
    server = Server("test")

    def broken() -> str:
        raise kind("hunter2")

    async def broken_later() -> str:
        raise kind("hunter2")

    server.tool(name="broken")(broken_later if is_async else broken)
    said = message("2025-11-25", "tools/call", {"name": "broken"})
    for raw in (server.handle(said), asyncio.run(answered(server, said))):
        assert raw is not None
        result = json.loads(raw)["result"]
        assert result["isError"] is True and "hunter2" not in str(result)


async def answered(server: Server, said: object) -> bytes | None:
    try:
        return await server.handle_async(said)
    except BaseException as error:
        return json.dumps({"result": {"isError": False, "raised": repr(error)}}).encode()
