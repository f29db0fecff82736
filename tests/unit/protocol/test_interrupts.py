"""A function that raises KeyboardInterrupt fails only its own call; a real Ctrl-C still ends the server."""

import asyncio
import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from mounted import modern, speak
from plainmcp import Server
from posting import exchange, served
from talking import Program, until

pytestmark = pytest.mark.slow  # it starts processes

PROGRAM = """
import asyncio, sys, time
from plainmcp import Context, Server

class Own(BaseException):
    pass

KINDS = {"keyboard": KeyboardInterrupt, "exit": SystemExit, "own": Own, "cancelled": asyncio.CancelledError}
server = Server("interrupting")

def offer(name, kind):
    def plain() -> str:
        raise kind("hunter2")

    async def waiting() -> str:
        await asyncio.sleep(0)
        raise kind("hunter2")

    def knowing(ctx: Context) -> str:
        raise kind("hunter2")

    async def in_a_task() -> str:
        await asyncio.gather(waiting())

    async def in_a_thread() -> str:
        await asyncio.to_thread(plain)

    def bit_by_bit():
        yield "one"
        raise kind("hunter2")

    def bit_by_bit_knowing(ctx: Context):
        yield "one"
        raise kind("hunter2")

    for function in (plain, waiting, knowing, in_a_task, in_a_thread, bit_by_bit, bit_by_bit_knowing):
        server.tool(name=f"{name}_{function.__name__}")(function)
    server.tool(name=f"{name}_inline", inline=True)(plain)
    server.tool(name=f"{name}_timed", timeout=60)(waiting)
    server.resource(f"test://{name}", name=name)(plain)

for name, kind in KINDS.items():
    offer(name, kind)

@server.tool
def fine() -> str:
    return "fine"

@server.tool
async def fine_async() -> str:
    await asyncio.sleep(0)
    return "fine"

@server.tool
def slow() -> str:
    print("began", file=sys.stderr, flush=True)
    time.sleep(60)

if __name__ == "__main__":
    if "http" in sys.argv:
        server.run(http="127.0.0.1:0")
    elif "handle" in sys.argv:
        request = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}'
        print(server.handle(request if "short" in sys.argv else b" " + request))
    else:
        server.run()
"""
WAYS = (
    "plain", "waiting", "knowing", "in_a_task", "in_a_thread", "bit_by_bit", "bit_by_bit_knowing", "inline", "timed",
)  # fmt: skip
NAMES = [f"{kind}_{way}" for kind in ("keyboard", "exit", "own", "cancelled") for way in WAYS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "interrupting.py").write_text(PROGRAM, "utf-8")
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Server:
    inside: dict[str, Any] = {"__name__": "interrupting"}
    exec(compile(PROGRAM, folder / "interrupting.py", "exec"), inside)
    found = inside["server"]
    assert isinstance(found, Server)
    return found


def check(name: str, answer: Any) -> None:
    """One safe line with the number of an incident: a result the model reads, or an error."""
    line = answer["error"]["message"] if "error" in answer else answer["result"]["content"][0]["text"]
    assert "error" in answer or answer["result"]["isError"] is True, (name, answer)
    assert " failed unexpectedly (incident " in line and line.count("\n") == 0, (name, line)
    assert "hunter2" not in json.dumps(answer)
    if "bit_by_bit" not in name:
        assert "result" in answer and line.startswith(f"Tool {name} failed"), (name, answer)


@pytest.mark.parametrize("name", NAMES)
def test_handle_answers_whatever_a_function_raises(server: Server, name: str) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}}
    for asked in (json.dumps(request).encode(), request, {**request, "id": "text"}):
        check(name, json.loads(server.handle(asked) or b"{}"))
    raw = server.handle({**request, "params": {"name": "fine_async"}})
    assert raw is not None and json.loads(raw)["result"]["content"][0]["text"] == "fine"


@pytest.mark.parametrize("kind", ["keyboard", "exit", "own", "cancelled"])
def test_so_is_a_resource(server: Server, kind: str) -> None:
    raw = server.handle({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": f"test://{kind}"}})
    assert raw is not None
    check("bit_by_bit", json.loads(raw))


def test_on_standard_output_everything_is_answered(folder: Path) -> None:
    with Program("interrupting.py", cwd=folder) as program:
        program.shake_hands()
        for name in NAMES:
            program.call(name, name)
            check(name, program.answer(name))
        for name in ("fine", "fine_async"):
            program.call(name, name)
            assert program.answer(name)["result"]["content"][0]["text"] == "fine"
        assert program.hang_up() == 0


def test_over_http_everything_is_answered(folder: Path) -> None:
    with served("interrupting.py", "http", cwd=folder) as (program, port):
        for name in (*NAMES, "fine", "fine_async"):
            status, body = exchange(port, name)
            assert status == 200, (name, body)
            if name in ("fine", "fine_async"):
                assert json.loads(body)["result"]["content"][0]["text"] == "fine"
            else:
                check(name, json.loads(body))
        assert program.process.poll() is None


def test_a_mounted_application_answers_everything(server: Server) -> None:
    async def run() -> None:
        app = server.asgi()
        for name in NAMES:
            if name not in ("keyboard_in_a_task", "exit_in_a_task"):  # which end whatever loop they are in
                answer = await speak(app, *modern("tools/call", name=name, arguments={}))
                assert answer.status == 200, name
                check(name, answer.json)

    asyncio.run(run())


@pytest.mark.parametrize("name", NAMES)
def test_so_does_a_wsgi_application(server: Server, name: str) -> None:
    from wsgiref.util import setup_testing_defaults

    body, headers = modern("tools/call", name=name, arguments={})
    raw = json.dumps(body).encode()
    environ: dict[str, Any] = {f"HTTP_{key.upper().replace('-', '_')}": value for key, value in headers.items()}
    environ |= {"REQUEST_METHOD": "POST", "CONTENT_LENGTH": str(len(raw)), "REMOTE_ADDR": "127.0.0.1"}
    setup_testing_defaults(environ)
    import io

    environ["wsgi.input"] = io.BytesIO(raw)
    said: list[Any] = []
    answer = b"".join(server.wsgi()(environ, lambda *given: said.append(given)))
    assert said[0][0] == "200 OK"
    check(name, json.loads(answer))


# A real Ctrl-C ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["short", "long"])
def test_a_ctrl_c_while_a_function_runs_interrupts_whoever_called_handle(folder: Path, way: str) -> None:
    with Program("interrupting.py", "handle", way, cwd=folder) as program:
        until(lambda: b"began" in program.stderr)
        program.process.send_signal(signal.SIGINT)
        assert program.wait() == -signal.SIGINT
        assert b"KeyboardInterrupt" in program.stderr and program.lines.empty()


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_ctrl_c_ends_a_server(folder: Path, way: str) -> None:
    with Program("interrupting.py", way, cwd=folder) as program:
        if way == "http":
            until(lambda: b"serving MCP" in program.stderr)
            time.sleep(0.5)
        else:
            program.call(0, "keyboard_plain", modern=True)
            program.answer(0)
        start = time.monotonic()
        program.process.send_signal(signal.SIGINT)
        assert program.wait() == 0
        assert time.monotonic() - start < 3


def test_an_interrupt_by_a_handler_of_ones_own_passes_too() -> None:
    server = Server("s")

    @server.tool
    def interrupted() -> str:
        signal.raise_signal(signal.SIGINT)
        return "not interrupted"

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt("by hand")

    former = signal.signal(signal.SIGINT, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt, match="by hand"):
            server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "interrupted"}})
    finally:
        signal.signal(signal.SIGINT, former)
