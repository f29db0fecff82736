"""`await server.run_async()`: a server in the event loop of a program, on standard input and output and over HTTP."""

import asyncio
import json
import queue
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from plainmcp import Server
from plainmcp.errors import AuthorError, OptionError
from plainmcp.transports.stdio import StdioPipes
from posting import ask, call, served
from talking import META, Program, until

PROGRAM = """
import asyncio, sys, threading
from plainmcp import Context, Server

server = Server("s", "1")
loop = None

@server.tool
async def here() -> bool:
    return asyncio.get_running_loop() is loop

@server.tool
def there() -> bool:
    return threading.current_thread() is not threading.main_thread()

@server.tool
def plain_around_async():
    return here()

@server.tool(timeout=0.05)
async def slow() -> str:
    await asyncio.sleep(60)
    return ""

@server.tool
async def stuck() -> str:
    print("stuck runs", file=sys.stderr, flush=True)
    try:
        await asyncio.sleep(60)
    finally:
        print("stuck was cancelled", file=sys.stderr, flush=True)
    return ""

@server.route("/health")
async def health() -> bool:
    return await here()

async def main() -> None:
    global loop
    loop = asyncio.get_running_loop()
    serving = asyncio.ensure_future(server.run_async(OPTIONS))
    if "cancel" in sys.argv:
        await asyncio.sleep(1)
        serving.cancel()
        print("cancelled:", (await asyncio.gather(serving, return_exceptions=True)), file=sys.stderr)
    else:
        await serving
    print("the program goes on", file=sys.stderr, flush=True)

asyncio.run(main())
"""
NAMES = {"here": "true", "there": "true", "plain_around_async": "true"}
LIMIT = "This took longer than 0.05 seconds and was given up."


def write(folder: Path, options: str) -> Path:
    file = folder / "program.py"
    file.write_text(PROGRAM.replace("OPTIONS", options))
    return file


@pytest.mark.slow
def test_functions_run_in_the_loop_of_the_program(tmp_path: Path) -> None:
    with Program(write(tmp_path, "grace=1")) as program:
        for id, (name, text) in enumerate((NAMES | {"slow": LIMIT}).items()):
            program.call(id, name, modern=True)
            assert program.answer(id)["result"]["content"] == [{"type": "text", "text": text}]
        assert program.hang_up() == 0
        assert b"the program goes on" in program.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_then_the_program(tmp_path: Path, number: signal.Signals) -> None:
    with Program(write(tmp_path, "grace=1")) as program:
        program.call(1, "stuck", modern=True)
        until(lambda: b"stuck runs" in program.stderr)
        program.process.send_signal(number)
        assert "shutting down" in program.answer(1)["error"]["message"]
        assert program.wait() == -number
        assert b"stuck was cancelled" in program.stderr


@pytest.mark.slow
def test_a_cancel_ends_it_and_the_program_goes_on(tmp_path: Path) -> None:
    with Program(write(tmp_path, "grace=1"), "cancel") as program:
        program.call(1, "here", modern=True)
        assert program.answer(1)["result"]["content"] == [{"type": "text", "text": "true"}]
        assert program.wait() == 0
        assert b"cancelled: [CancelledError(" in program.stderr and b"goes on" in program.stderr


@pytest.mark.slow
def test_over_http_functions_run_in_the_loop_of_the_program(tmp_path: Path) -> None:
    with served(write(tmp_path, "http=0, grace=1")) as (program, port):
        for name, text in (NAMES | {"slow": LIMIT}).items():
            assert call(port, name)["content"] == [{"type": "text", "text": text}]
        assert ask(port, "GET", "/health") == (200, b"true")
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == -signal.SIGTERM


@pytest.mark.slow
def test_over_http_a_cancel_ends_it_and_the_program_goes_on(tmp_path: Path) -> None:
    with served(write(tmp_path, "http=0, grace=1"), "cancel") as (program, port):
        assert call(port, "here")["content"] == [{"type": "text", "text": "true"}]
        assert program.wait() == 0
        assert b"cancelled: [CancelledError(" in program.stderr and b"goes on" in program.stderr


def test_streams_of_your_own_and_a_lifespan() -> None:
    loops: list[Any] = []

    async def lifespan(server: Server) -> AsyncIterator[None]:
        loops.append(asyncio.get_running_loop())
        yield
        loops.append(asyncio.get_running_loop())

    server = Server("s", "1", lifespan=lifespan)

    @server.tool
    async def here() -> None:
        loops.append(asyncio.get_running_loop())

    lines: queue.Queue[bytes] = queue.Queue()
    written: list[bytes] = []
    params = {"name": "here", "arguments": {}, "_meta": META}
    lines.put(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode() + b"\n")

    def collect(line: bytes) -> None:
        written.append(line)
        lines.put(b"")  # the client hangs up

    async def main() -> bool:
        await asyncio.wait_for(server.run_async(streams=StdioPipes(lambda size: lines.get(), collect)), 10)
        return loops == [asyncio.get_running_loop()] * 3

    assert asyncio.run(main())
    assert json.loads(written[0])["id"] == 1


def test_it_takes_the_options_of_run() -> None:
    server = Server("s")
    with pytest.raises(OptionError, match=r"server\.run_async: path= goes with http="):
        asyncio.run(server.run_async(path="/x"))
    with pytest.raises(OptionError, match=r"server\.run_async: stateless= goes with http="):
        asyncio.run(server.run_async(stateless=True))
    with pytest.raises(OptionError, match="max_line= is for standard input and output"):
        asyncio.run(server.run_async(http=0, max_line=10))
    with pytest.raises(OptionError, match="has no option workers="):
        server.run_async(workers=2)  # type: ignore[call-arg]
    with pytest.raises(AuthorError, match="is not an address"):
        asyncio.run(server.run_async(http="stdio"))
