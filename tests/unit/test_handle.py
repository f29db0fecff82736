"""`handle` has a short way for the plain call of a tool: nobody can tell from the answer."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from plainmcp import Context, Server, ToolError
from plainmcp.errors import InvalidParams
from plainmcp.protocol.steps import Cancelled
from plainmcp.revisions import REVISIONS
from plainmcp.transports import run

CALLS: dict[str, bytes] = {
    "a plain one": b'"name":"echo","arguments":{"text":"hi"}',
    "the other way round": b'"arguments":{"text":"hi"},"name":"echo"',
    "twice the same name": b'"name":"nobody","name":"echo","arguments":{"text":"hi"}',
    "more than there is": b'"name":"echo","arguments":{"text":"hi"},"else":{"x":[1]}',
    "a token": b'"name":"echo","arguments":{"text":"hi"},"_meta":{"progressToken":1}',
    "a later revision": b'"name":"echo","arguments":{"text":"hi"},"_meta":{"io.modelcontextprotocol/protocolVersion":'
    b'"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}',
    "nonsense for _meta": b'"name":"echo","arguments":{"text":"hi"},"_meta":3',
    "null for _meta": b'"name":"echo","arguments":{"text":"hi"},"_meta":null',
    "arguments that do not fit": b'"name":"echo","arguments":{"text":{}}',
    "arguments that are none": b'"name":"echo","arguments":[1]',
    "null for arguments": b'"name":"echo","arguments":null',
    "no arguments": b'"name":"echo"',
    "nobody": b'"name":"nobody"',
    "no name": b'"arguments":{"text":"hi"}',
    "a number for a name": b'"name":3,"arguments":{"text":"hi"}',
    "what nobody can read": b'"name":"echo","arguments":{"text":"hi"},"uri":1e999',
    "a list for a name": b'"name":["echo"],"arguments":{"text":"hi"}',
    "a record": b'"name":"record"',
    "a number": b'"name":"number"',
    "nothing": b'"name":"nothing"',
    "a generator": b'"name":"generator"',
    "a value that has no form": b'"name":"formless"',
    "a wrapper around an async function": b'"name":"wrapper"',
    "an async function": b'"name":"waiting"',
    "one in a hurry": b'"name":"hurried"',
    "one that knows its request": b'"name":"knowing"',
    "one that is hidden": b'"name":"hidden"',
    "one that needs something": b'"name":"needy"',
    "one that fails": b'"name":"failing"',
    "one that complains": b'"name":"complaining"',
    "one that refuses": b'"name":"refusing"',
    "one that leaves": b'"name":"leaving"',
    "one that interrupts": b'"name":"interrupting"',
    "one that gives up": b'"name":"giving_up"',
}
IDS = [
    b"1", b"0", b"-0", b"-5", b"1.0", b"1e3", b"1234567890123456789012345", b'"a"', b'"\\u0061"', b"null", b"true"
]  # fmt: skip


def plain_and_others() -> Server:
    server = Server("s")

    @dataclass
    class Record:
        text: str
        count: float

    async def later() -> str:
        return "later"

    def raiser(error: BaseException) -> Callable[[], str]:
        def raising() -> str:
            raise error

        return raising

    def counting() -> Iterator[int]:
        yield 1
        yield 2

    def knowing(context: Context) -> str:
        return context.revision

    def told(text: str) -> str:
        return text

    server.tool(name="echo")(told)
    server.tool(name="record")(lambda: Record("}, {", 1.5))
    server.tool(name="number")(lambda: 5)
    server.tool(name="nothing")(lambda: None)
    server.tool(name="generator")(lambda: counting())
    server.tool(name="formless")(lambda: {"x": float("nan"), "y": object()})
    server.tool(name="wrapper")(lambda: later())
    server.tool(name="waiting")(later)
    server.tool(name="hurried", timeout=9)(lambda: "in time")
    server.tool(name="knowing")(knowing)
    server.tool(name="hidden", visible=lambda principal: principal == "me")(lambda: "seen")
    server.tool(name="needy", needs={"sampling": {}})(lambda: "served")
    server.tool(name="failing")(raiser(ValueError("secret")))
    server.tool(name="complaining")(raiser(ToolError("not like this")))
    server.tool(name="refusing")(raiser(InvalidParams("no", {"why": 1})))
    server.tool(name="leaving")(raiser(SystemExit(3)))
    server.tool(name="interrupting")(raiser(KeyboardInterrupt()))
    server.tool(name="giving_up")(raiser(Cancelled()))
    return server


def without_incident(answer: bytes | None) -> bytes | None:
    return None if answer is None else re.sub(rb"incident \w+", b"incident", answer)


def assert_both_ways(server: Server, message: Any, revision: str | None = None, principal: Any = None) -> None:
    short = server.handle(message, revision=revision, principal=principal)
    spoken = None if revision is None else REVISIONS[revision]
    long = run.run(server.begin(message, None, None, principal, spoken))
    assert without_incident(short) == without_incident(long), message


@pytest.mark.parametrize("revision", [None, *REVISIONS])
@pytest.mark.parametrize("case", CALLS)
def test_a_call_is_answered_alike_on_the_short_and_the_long_way(case: str, revision: str | None) -> None:
    server = plain_and_others()
    message = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{%b}}' % CALLS[case]
    for written in (message, b" \n" + message, message.decode(), bytearray(message), message[:-1], message + b"x"):
        assert_both_ways(server, written, revision)
    assert_both_ways(server, message, revision, principal="me")


@pytest.mark.parametrize("id", IDS)
def test_an_id_comes_back_as_it_was_sent_on_either_way(id: bytes) -> None:
    server = plain_and_others()
    for case in ("a plain one", "a record", "a number", "one that fails", "one that refuses"):
        message = b'{"jsonrpc":"2.0","id":%b,"method":"tools/call","params":{%b}}' % (id, CALLS[case])
        assert_both_ways(server, message)
        if id not in (b"null", b"true"):
            assert b'"id":%b,' % id in (server.handle(message) or b"")


OTHERS: list[Any] = [
    b"", b"[]", b"{}", b"3", {}, None,
    b'{"jsonrpc":"1.0","id":1,"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
    b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}',
    b'{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"echo","arguments":{"text":"hi"}}}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"result":{}}',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
]  # fmt: skip


@pytest.mark.parametrize("message", OTHERS)
def test_and_so_is_whatever_is_no_call(message: Any) -> None:
    for revision in (None, "2025-03-26", "2026-07-28"):
        assert_both_ways(plain_and_others(), message, revision)


def test_a_plain_call_takes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    server = plain_and_others()

    def refuse(*given: Any) -> Any:
        raise AssertionError(given)

    monkeypatch.setattr(Server, "begin", refuse)
    message = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{%b}}'
    for case in ("a plain one", "a record", "a number", "one that fails", "a wrapper around an async function"):
        assert server.handle(message % CALLS[case])


def test_a_buffer_is_its_owners_again_once_it_was_read() -> None:
    server, kept = Server("s"), []

    @server.tool
    def keep(data: msgspec.Raw) -> str:
        kept.append(data)
        buffer.clear()  # nobody holds on to it
        return "kept"

    message = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"keep","arguments":{"data":[1, 2]}}}'
    buffer = bytearray(message)
    assert server.handle(buffer) == server.handle(message) and [bytes(one) for one in kept] == [b"[1, 2]"] * 2
