"""server.run() over HTTP: a real uvicorn on loopback, and the errors if it cannot start."""

import http.client
import json
import logging
import os
import re
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from plainmcp import Server
from plainmcp.cli import reload
from plainmcp.errors import AuthorError
from plainmcp.transports import uvicorn
from posting import ask, call, exchange, served
from talking import META, Program, until

pytestmark = pytest.mark.slow  # it starts processes

PROGRAM = """
import os
from plainmcp import Server

server = Server("over http")

@server.tool
def process() -> int:
    return os.getpid()

if __name__ == "__main__":
    import sys
    server.run(http="127.0.0.1:0", workers=int(sys.argv[1]))
    print("it came to an end")
"""

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, "utf-8")
    return file


def test_the_server_is_found_at_its_path_and_nowhere_else(file: Path) -> None:
    with served(file, "1") as (program, port):
        assert call(port)["structuredContent"] == {"result": program.process.pid}
        assert ask(port, "GET", "/") == (200, b"This is an MCP server. Its address is /mcp\n")
        assert ask(port, "GET", "/other")[0] == 404
        assert ask(port, "POST", "/mcpx", {})[0] == 404


def test_a_port_alone_is_one_of_this_machine(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    with socket.create_server(("127.0.0.1", 0)) as free:
        chosen = free.getsockname()[1]
    file.write_text(PROGRAM.replace('http="127.0.0.1:0"', f"http={chosen}"), "utf-8")
    with served(file, "1") as (program, port):
        assert port == chosen
        assert call(port)["structuredContent"] == {"result": program.process.pid}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_the_program_goes_on(file: Path, number: int) -> None:
    with served(file, "1") as (program, port):
        call(port)
        program.process.send_signal(number)
        assert program.wait() == 0
        assert program.lines.get_nowait() == b"it came to an end\n"
        assert b"Traceback" not in program.stderr


def test_a_stream_that_stays_open_ends_with_its_result_and_holds_up_nobody(file: Path) -> None:
    """R26-SUB-05"""
    with served(file, "1") as (program, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        params = {"notifications": {"toolsListChanged": True}, "_meta": META}
        message = {"jsonrpc": "2.0", "id": "L", "method": "subscriptions/listen", "params": params}
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}
        headers["Content-Type"] = "application/json"
        connection.request("POST", "/mcp", json.dumps(message), headers)
        answer = connection.getresponse()
        assert b"acknowledged" in answer.readline()
        program.process.send_signal(signal.SIGTERM)
        last = answer.read().strip().removeprefix(b"data: ")
        connection.close()
        assert json.loads(last)["id"] == "L"
        assert program.wait() == 0


def test_what_is_sent_on_an_open_connection_during_a_shutdown_is_answered(file: Path) -> None:
    with served(file, "1") as (program, port):
        new, used = (http.client.HTTPConnection("127.0.0.1", port, timeout=20) for _ in range(2))
        new.connect()
        used.request("GET", "/health")
        assert used.getresponse().read() == b'{"status":"ok"}'
        program.process.send_signal(signal.SIGTERM)
        until(lambda: not can_connect(port))
        for connection in (new, used):
            connection.request("GET", "/other")
        for connection in (new, used):
            answer = connection.getresponse()
            assert (answer.status, answer.read(), answer.headers["connection"]) == (
                404,
                b"Not found. Try /mcp\n",
                "close",
            )
            connection.close()
        assert program.wait() == 0


def can_connect(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=20).close()
    except ConnectionError:
        return False
    return True


@pytest.mark.skipif(not hasattr(os, "fork"), reason="several workers are forked")
def test_several_workers_share_a_port_and_end_together(file: Path) -> None:
    with served(file, "2") as (program, port):
        workers = {call(port)["structuredContent"]["result"] for _ in range(5)}
        assert program.process.pid not in workers
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0
        assert program.lines.get_nowait() == b"it came to an end\n"
        for worker in workers:
            with pytest.raises(ProcessLookupError):
                os.kill(worker, 0)


def test_the_command_line_serves_http(file: Path) -> None:
    with served("-m", "plainmcp", "serve", file, "--http", "127.0.0.1:0") as (program, port):
        assert call(port)["structuredContent"] == {"result": program.process.pid}
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0


SLOW = """
import os, time
from plainmcp import Server

server = Server("busy")

@server.tool(inline=True)
def process() -> int:
    time.sleep(0.2)  # in the event loop: whoever calls meanwhile is answered by another process, or waits
    return os.getpid()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="several workers are forked")
def test_several_workers_of_the_command_line_answer_at_the_same_time(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW, "utf-8")
    command = ("-m", "plainmcp", "serve", "slow.py", "--http", "127.0.0.1:0", "--workers", "2")
    with served(*command, cwd=tmp_path) as (program, port), ThreadPoolExecutor(4) as pool:
        found: set[int] = set()

        def both() -> bool:
            found.update(result["structuredContent"]["result"] for result in pool.map(call, [port] * 4))
            return len(found) == 2

        until(both)
        assert program.process.pid not in found
        shaken = ask(port, "POST", "/mcp", HELLO, **{"Content-Type": "application/json"})
        assert shaken[0] == 200 and b"protocolVersion" in shaken[1]
        program.process.send_signal(signal.SIGINT)
        assert program.wait() == 0
        assert b"Traceback" not in program.stderr


# Reloading --------------------------------------------------------------------------------------------

EDITED = """
from plainmcp import Server
from words import word

server = Server("edited")

@server.tool
def process() -> str:
    return word
"""


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    (tmp_path / "edited.py").write_text(EDITED, "utf-8")
    (tmp_path / "words.py").write_text("word = 'one'\n", "utf-8")
    return tmp_path


def reloading(folder: Path) -> Any:
    return served("-m", "plainmcp", "serve", "edited.py", "--http", "127.0.0.1:0", "--reload", cwd=folder)


def test_a_file_is_served_anew_when_it_or_a_file_beside_it_is_saved(edited: Path) -> None:
    with reloading(edited) as (program, port):
        assert call(port)["structuredContent"] == {"result": "one"}
        (edited / "words.py").write_text("word = 'another'\n", "utf-8")
        until(lambda: call(port)["structuredContent"] == {"result": "another"})
        (edited / "edited.py").write_text(EDITED.replace("return word", "return word.upper()"), "utf-8")
        until(lambda: call(port)["structuredContent"] == {"result": "ANOTHER"})
        said = program.stderr.decode().splitlines()
        assert said[1:] == [
            f"try it in a browser at http://127.0.0.1:{port}/",
            f"plainmcp: watching the Python files in {edited.resolve()}",
            "plainmcp: words.py was saved",
            "plainmcp: edited.py was saved",
        ]
        assert b"data-facts" in ask(port, "GET", "/")[1]
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0
        assert b"Traceback" not in program.stderr
    with pytest.raises(ConnectionError):
        call(port)


def test_everyone_who_calls_during_a_reload_gets_an_answer(edited: Path) -> None:
    words = ("two", "three", "four")
    seen: set[str] = set()

    def call_until_the_last(port: int) -> bool:
        end = time.monotonic() + 20
        while words[-1] not in seen and time.monotonic() < end:
            seen.add(call(port)["structuredContent"]["result"])
        return words[-1] in seen

    with reloading(edited) as (_, port), ThreadPoolExecutor(6) as pool:
        call(port)
        clients = [pool.submit(call_until_the_last, port) for _ in range(6)]
        for word in words:
            (edited / "words.py").write_text(f"word = {word!r}\n", "utf-8")
            until(lambda word=word: word in seen)
        assert all(client.result() for client in clients)


def test_a_file_that_breaks_shows_its_own_traceback_and_is_a_503(edited: Path) -> None:
    with reloading(edited) as (program, port):
        assert call(port)["structuredContent"] == {"result": "one"}
        (edited / "words.py").write_text("word = 1 / 0\n", "utf-8")
        until(lambda: b"requests are answered with 503 and this error until a file is saved\n" in program.stderr)
        status, body = exchange(port, "process")
        error = json.loads(body)["error"]
        assert (status, error["code"]) == (503, -32603)
        assert error["message"].startswith("edited.py cannot be loaded\n\nTraceback")
        assert error["message"].endswith("ZeroDivisionError: division by zero")
        said = program.stderr.decode()
        assert "plainmcp: edited.py cannot be loaded\n" in said
        assert said.count("Traceback") == 1
        assert re.findall(r'File "(.*?)", line (\d+)', said) == [
            (str(edited / "edited.py"), "3"),
            (str(edited / "words.py"), "1"),
        ]
        assert "ZeroDivisionError: division by zero\n" in said
        (edited / "words.py").write_text("word = 'mended'\n", "utf-8")
        until(lambda: exchange(port, "process")[0] == 200)
        assert call(port)["structuredContent"] == {"result": "mended"}
        program.process.send_signal(signal.SIGINT)
        assert program.wait() == 0


def test_a_file_that_is_broken_from_the_start_is_waited_for(edited: Path) -> None:
    (edited / "edited.py").write_text("number = 1\n", "utf-8")
    with reloading(edited) as (program, port):
        until(lambda: b"requests are answered with 503" in program.stderr)
        assert b"edited.py has no server; write server = Server(...)" in program.stderr
        (edited / "edited.py").write_text(EDITED, "utf-8")
        until(lambda: exchange(port, "process")[0] == 200)
        assert call(port)["structuredContent"] == {"result": "one"}


def test_what_is_installed_or_hidden_is_not_watched(tmp_path: Path) -> None:
    for folder in (".hidden", "venv", "node_modules", "own/deep"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "module.py").write_text("", "utf-8")
    (tmp_path / "venv" / "pyvenv.cfg").write_text("", "utf-8")
    (tmp_path / "notes.txt").write_text("", "utf-8")
    assert list(reload._file_times(tmp_path)) == [str(tmp_path / "own" / "deep" / "module.py")]


# What cannot be ---------------------------------------------------------------------------------------


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(AuthorError, match=f"port {port} of 127.0.0.1 is taken; choose another"):
            Server("late").run(http=f"127.0.0.1:{port}")


def test_the_command_line_says_that_a_port_is_taken(file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        with Program("-m", "plainmcp", "serve", file, "--http", address) as program:
            assert program.wait() == 3
            assert re.fullmatch(rb"plainmcp: port \d+ of 127\.0\.0\.1 is taken; .*\n", program.stderr)


@pytest.mark.parametrize(
    "address", ["", "8000", ":8000", "localhost", "localhost:", "localhost:http", "h:-1", "h:65536", "::1:80", "h:٣"]
)
def test_what_is_no_address_is_told_how_to_write_one(address: str) -> None:
    with pytest.raises(AuthorError, match=r"is not an address to serve at; write host:port"):
        Server("lost").run(http=address)


def test_a_host_that_is_not_ours_is_named() -> None:
    with pytest.raises(AuthorError, match=r"cannot serve at 192\.0\.2\.1:8000"):
        Server("elsewhere").run(http="192.0.2.1:8000")


def test_a_missing_uvicorn_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(AuthorError, match=r"pip install 'plainmcp\[http\]'"):
        Server("bare").run(http="127.0.0.1:0")


def test_several_workers_keep_no_sessions_in_memory() -> None:
    with pytest.raises(AuthorError, match='sessions="signed"'):
        Server("split").run(http="127.0.0.1:0", workers=2, sessions="memory")
    for workers in (0, 257):
        with pytest.raises(AuthorError, match=f"workers is a number from 1 to 256; not {workers}"):
            Server("none").run(http="127.0.0.1:0", workers=workers)


def test_several_workers_are_started_in_the_main_thread() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(AuthorError, match="several workers are started in the main"):
        pool.submit(Server("beside").run, http="127.0.0.1:0", workers=2).result(20)


def test_an_address_in_brackets_is_taken_apart() -> None:
    assert uvicorn.address_of("[::1]:8000") == ("::1", 8000)


LOGGING = """
import logging
from plainmcp import Server

server = Server("over http")

@server.tool
def add(a: int, b: int) -> int:
    logging.getLogger("mine").info("adding")
    return a + b

@server.tool
def crash() -> int:
    return 1 // 0

if __name__ == "__main__":
    import sys
    server.run(http="127.0.0.1:0", access_log="json", log_level="info", workers=int(sys.argv[1]))
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_every_request_is_a_line_of_the_access_log(tmp_path: Path, workers: str) -> None:
    file = tmp_path / "program.py"
    file.write_text(LOGGING, "utf-8")
    with served(file, workers) as (program, port):
        call(port, "add", arguments={"a": 1, "b": 2})
        call(port, "crash")
        assert ask(port, "POST", "/mcp", {}, Host="evil.example")[0] == 403
        assert ask(port, "GET", "/health") == (200, b'{"status":"ok"}')
        lines = until(lambda: access_lines(program.stderr, 3))
        text = program.stderr.decode()
    assert [(one["method"], one.get("name"), one["outcome"], one.get("status")) for one in lines] == [
        ("tools/call", "add", "ok", None),
        ("tools/call", "crash", "tool_error", None),
        ("POST", None, "error", 403),
    ]
    assert {one["address"] for one in lines} == {"127.0.0.1"}
    assert " INFO mine: adding\n" in text
    incident = text[text.index("Tool crash failed") :]
    assert incident.splitlines()[2].strip().startswith(f'File "{file}", line')  # the author's own frame comes first


def access_lines(stderr: bytes, count: int) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in stderr.splitlines() if line.startswith(b"{") and line.endswith(b"}")]
    return lines if len(lines) == count else []


def test_the_command_line_logs_requests(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(LOGGING, "utf-8")
    command = ("-m", "plainmcp", "serve", "program.py", "--http", "127.0.0.1:0")
    for more in ((), ("--reload",)):
        with served(*command, "--access-log", "json", "--log-level", "info", *more, cwd=tmp_path) as (program, port):
            call(port, "add", arguments={"a": 1, "b": 2})
            assert until(lambda program=program: access_lines(program.stderr, 1))[0]["name"] == "add"
            assert b" INFO mine: adding\n" in program.stderr


def test_a_warning_says_that_other_machines_can_call(caplog: pytest.LogCaptureFixture) -> None:
    for address in ("0.0.0.0:8000", "[::]:8000", "192.0.2.1:80", "example.com:80"):
        uvicorn.warn_if_open(address, is_protected=False)
        assert address in caplog.records[-1].getMessage() and caplog.records[-1].levelname == "WARNING"
    caplog.clear()
    for address in ("127.0.0.1:8000", "localhost:8000", "[::1]:8000", "127.0.0.2:80"):
        uvicorn.warn_if_open(address, is_protected=False)
    uvicorn.warn_if_open("0.0.0.0:8000", is_protected=True)
    assert caplog.records == []


@pytest.mark.parametrize("principal", ["", ", principal=lambda scope: 1"])
def test_run_warns_unless_callers_are_checked(tmp_path: Path, principal: str) -> None:
    file = tmp_path / "program.py"
    program = f"from plainmcp import Server\nServer('s').run(http='0.0.0.0:0'{principal})\n"
    file.write_text(program, "utf-8")
    with Program(file) as running:
        until(lambda: b"serving MCP" in running.stderr)
        assert (b"other machines can reach 0.0.0.0:0" in running.stderr) is not bool(principal)


HIDES = """
import sys
sys.modules |= {{name: None for name in {hidden!r}}}
from plainmcp.cli.main import main
sys.exit(main(["serve", "program.py", "--http", "127.0.0.1:0", "--log-level", "debug"]))
"""


@pytest.mark.parametrize("hidden", [(), ("uvloop",), ("httptools",), ("uvloop", "httptools")])
def test_it_serves_on_what_the_extra_installs_and_without_it(tmp_path: Path, hidden: tuple[str, ...]) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    start = tmp_path / "start.py"
    start.write_text(HIDES.format(hidden=hidden), "utf-8")
    protocol = b"H11Protocol" if "httptools" in hidden else b"HttpToolsProtocol"
    loop = b"asyncio.unix_events" if "uvloop" in hidden else b"uvloop"
    with served(start, cwd=tmp_path) as (program, port):
        assert call(port)["structuredContent"] == {"result": program.process.pid}
        line = b" DEBUG plainmcp: uvicorn serves with %b, on an event loop of %b\n" % (protocol, loop)
        program.process.send_signal(signal.SIGTERM)
        assert program.wait() == 0
        assert line in program.stderr


def test_the_level_of_uvicorn_follows_but_never_shows_its_own_access_log() -> None:
    levels = {level: uvicorn.uvicorn_level(level) for level in (None, "debug", "warning", "error")}
    assert levels == {
        None: {},
        "debug": {"log_level": logging.WARNING},
        "warning": {"log_level": logging.WARNING},
        "error": {"log_level": logging.ERROR},
    }


def test_it_prints_where_clients_log_in(capsys: Any) -> None:
    from plainmcp.auth import JWT, Keys

    server = Server("s", "1")
    auth = JWT("https://auth.example.com", "https://api.example.com/mcp")
    for app in (server.asgi(), server.asgi(auth=Keys({"k" * 16: "ada"})), server.asgi(auth=auth, path="/mcp")):
        uvicorn.print_login(app)
    where = "https://api.example.com/.well-known/oauth-protected-resource/mcp"
    assert capsys.readouterr().err == f"clients log in by {where}\n"
