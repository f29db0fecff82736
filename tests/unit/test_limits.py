"""The limits of docs/reference/limits.md at the wire: below, at and above, for one caller, one address and all."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from mounted import Live, initialize, modern, speak
from plainmcp import Context, Server
from plainmcp.transports.http.settings import Settings
from reference.limits import SHARES

OWN, TOGETHER, ALL = 2, 3, 4
"""What one caller may have, the anonymous ones at one address together, and all."""

CASES = {
    "below its own": ([], "ann", 200),
    "at its own": (["ann"], "ann", 200),
    "above its own": (["ann", "ann"], "ann", 429),
    "beside another caller": (["ann", "ann"], "bob", 200),
    "at the limit of all": (["ann", "ann", "bob"], "eve", 200),
    "above the limit of all": (["ann", "ann", "bob", "bob"], "eve", 503),
}
"""Who has one of a limited thing already, who asks for one more, and the status of the response."""


class Callers:
    """Callers of one application: a name, or an anonymous one with a session of its own at 192.0.2.1."""

    def __init__(self, **limits: Any) -> None:
        self.go = asyncio.Event()
        self.running = 0
        server = Server("limits", "1", key=b"k" * 32)

        @server.tool
        async def wait() -> str:
            self.running += 1
            await self.go.wait()
            return "waited"

        @server.tool
        async def ask(ctx: Context) -> str:
            question = ctx.elicit("Who?", {"type": "object", "properties": {"name": {"type": "string"}}})
            return str((await question).action)

        self.app = server.asgi(principal=lambda scope: dict(scope["headers"]).get(b"x-user"), **limits)
        self.live: list[Live] = []

    def start(self, body: Any, headers: dict[str, str], caller: str, method: str = "POST") -> Live:
        """Send a request."""
        own = {} if caller == "anonymous" else {"x-user": caller}
        address = "192.0.2.1" if caller == "anonymous" else "192.0.2.9"
        self.live.append(Live(self.app, body, {**headers, **own}, method, address=address))
        return self.live[-1]

    async def open_session(self, caller: str) -> tuple[Live, dict[str, str]]:
        """Shake hands; the session has been used then."""
        opened = await self.start(initialize(elicitation={}), {}, caller).done()
        id = opened.headers.get("mcp-session-id")
        headers = {} if id is None else {"mcp-session-id": id, "mcp-protocol-version": "2025-11-25"}
        if headers:
            await self.start({"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers, caller).done()
        return opened, headers

    async def call(self, caller: str) -> Live:
        """Start a call that waits; in a session of its own for an anonymous caller."""
        body, headers = modern("tools/call", name="wait", arguments={})
        if caller == "anonymous":
            _, headers = await self.open_session(caller)
            body["params"].pop("_meta")
        before = self.running
        live = self.start(body, headers, caller)
        while self.running == before and not live.task.done():
            await asyncio.sleep(0.005)
        return live

    async def listen(self, caller: str) -> Live:
        """Open a stream that stays open."""
        body, headers = modern("subscriptions/listen", notifications={"toolsListChanged": True})
        if caller == "anonymous":
            _, headers = await self.open_session(caller)
            live = self.start(None, headers, caller, "GET")
        else:
            live = self.start(body, headers, caller)
        await live.until(lambda one: one.body or one.task.done())
        return live

    async def occupy_session(self, caller: str) -> Live:
        """Open a session that is busy, so that it is not closed for another one."""
        opened, headers = await self.open_session(caller)
        if headers:
            await self.start(None, headers, caller, "GET").until(lambda one: one.body)
        return opened

    async def question(self, caller: str) -> Live:
        """Ask a client something that it does not answer."""
        _, headers = await self.open_session(caller)
        body = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "ask", "arguments": {}}}
        live = self.start(body, headers, caller)
        await live.until(lambda one: one.body or one.task.done())
        return live

    async def end(self) -> None:
        """End all requests."""
        self.go.set()
        self.app.close()
        for live in self.live:
            live.hang_up()
            await live.task


Occupy = Callable[[Callers, str], Awaitable[Live]]
OCCUPY: dict[str, Occupy] = {
    "max_running": Callers.call,
    "max_standing": Callers.listen,
    "max_sessions": Callers.occupy_session,
    "max_questions": Callers.question,
}
"""What takes one of a limited thing. Bytes are tested with their streams and bodies."""


def test_every_share_has_a_test() -> None:
    assert {*OCCUPY, "max_arriving", "max_unread"} == {*SHARES}
    assert all(hasattr(Settings(), f"{name}_per_caller") for name in SHARES)


async def occupy(option: str, before: list[str], last: str) -> Live:
    """What the last caller is answered, after the others have taken theirs."""
    callers = Callers(**{option: ALL, f"{option}_per_caller": OWN})
    for caller in before:
        assert status_of(await OCCUPY[option](callers, caller), option) == 200
    live = await OCCUPY[option](callers, last)
    await callers.end()
    return live


def status_of(live: Live, option: str) -> int:
    """The status; a question over its limit fails inside its call, which is answered at once."""
    if option == "max_questions" and b"too many questions" in live.body:
        return 429 if b"of this caller" in live.body or b"at this address" in live.body else 503
    return live.status or 200  # it still runs


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("option", OCCUPY)
def test_a_caller_has_its_share_and_all_have_a_limit(option: str, case: str) -> None:
    before, last, status = CASES[case]
    live = asyncio.run(occupy(option, before, last))
    assert status_of(live, option) == status
    if status != 200:
        name = f"{option}_per_caller={OWN}" if status == 429 else f"{option}={ALL}"
        assert f"({name})".encode() in live.body
        assert option == "max_questions" or live.headers["retry-after"] == "1"


@pytest.mark.parametrize("option", ["max_running", "max_standing", "max_questions"])
@pytest.mark.parametrize(("number", "status"), [(TOGETHER - 1, 200), (TOGETHER, 429)])
def test_the_sessions_of_one_address_have_a_limit_together(option: str, number: int, status: int) -> None:
    live = asyncio.run(occupy(option, ["anonymous"] * number, "anonymous"))
    assert status_of(live, option) == status
    if status != 200:
        assert f"at this address are {'running' if option == 'max_running' else 'open'} (3 of {option}=4)" in str(
            live.body
        )


@pytest.mark.parametrize("option", ["max_running", "max_standing", "max_questions"])
def test_another_caller_has_what_one_address_leaves(option: str) -> None:
    live = asyncio.run(occupy(option, ["anonymous"] * TOGETHER, "ann"))
    assert status_of(live, option) == 200


# Messages -----------------------------------------------------------------------------------------


def ping_of(size: int) -> bytes:
    """A request of exactly so many bytes."""
    start, end = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"', b'"}}'
    return start + b"x" * (size - len(start) - len(end)) + end


@pytest.mark.parametrize(("size", "status"), [(999, 200), (1_000, 200), (1_001, 413)])
def test_the_bytes_of_a_body(size: int, status: int) -> None:
    async def run() -> int:
        callers = Callers(max_body=1_000)
        _, headers = await callers.open_session("ann")
        return (await callers.start(ping_of(size), headers, "ann").done()).status

    assert asyncio.run(run()) == status


@pytest.mark.parametrize(("number", "status"), [(99, 200), (100, 200), (101, 400)])
def test_the_messages_of_a_batch(number: int, status: int) -> None:
    async def run() -> int:
        app = Server("batches").asgi()
        opened = await speak(app, initialize("2025-03-26"))
        headers = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-03-26"}
        batch = [{"jsonrpc": "2.0", "id": id, "method": "ping"} for id in range(number)]
        return (await speak(app, batch, headers)).status

    assert asyncio.run(run()) == status


@pytest.mark.parametrize(("levels", "is_read"), [(127, True), (128, True), (129, False)])
def test_the_levels_of_a_message(levels: int, is_read: bool) -> None:
    inner = levels - 2  # the message and its params
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":' + b"[" * inner + b"]" * inner + b"}}"
    response = json.loads(Server("levels").handle(body) or b"")
    assert ("result" in response) is is_read
