"""The examples, started as processes and called."""

import base64
import json
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from typing import Any

import pytest

from serving import EXAMPLES, load
from talking import META, Program, until

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
PONG = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'


def gateway(body: Any, method: str = "POST", encoded: bool = False) -> dict[str, Any]:
    """An event as an HTTP gateway makes it."""
    raw = body if isinstance(body, str) else json.dumps(body)
    shown = base64.b64encode(raw.encode()).decode() if encoded else raw
    return {"requestContext": {"http": {"method": method}}, "body": shown, "isBase64Encoded": encoded}


def test_the_stdio_server_keeps_notes() -> None:
    with Program(EXAMPLES / "stdio_server.py") as program:
        assert program.shake_hands()["serverInfo"]["name"] == "notes"
        program.send("resources/subscribe", {"uri": "note://milk"}, 1)
        program.answer(1)
        program.call(2, "write", title="milk", text="two bottles")
        assert program.answer(2)["result"]["content"][0]["text"] == "1 notes"
        assert [message["method"] for message in program.unread] == ["notifications/resources/updated"]
        program.send("resources/read", {"uri": "note://milk"}, 3)
        assert program.answer(3)["result"]["contents"][0]["text"] == "two bottles"
        params = {"name": "proofread", "arguments": {"title": "milk"}, "_meta": {"progressToken": 1}}
        program.send("tools/call", params, 4)
        assert program.answer(4)["result"]["content"][0]["text"] == "2 words, all fine"
        assert [message["params"]["progress"] for message in program.unread[1:]] == [1, 2]
        assert program.hang_up() == 0
        assert b"writing 'milk'" in program.stderr


def test_the_stdio_server_answers_what_is_piped_into_it() -> None:
    command = [sys.executable, str(EXAMPLES / "stdio_server.py")]
    done = subprocess.run(command, input=PING, capture_output=True, timeout=20)
    assert (done.returncode, done.stdout) == (0, PONG)


def test_plain_sockets_serve_several_clients() -> None:
    with Program(EXAMPLES / "plain_sockets.py", "0") as program:
        said = program.lines.get(timeout=20)
        port = int(re.fullmatch(rb"listening on 127\.0\.0\.1:(\d+)\n", said)[1])  # type: ignore[index]
        request = {"name": "shout", "arguments": {"text": "hello"}, "_meta": META}
        call = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": request}).encode() + b"\n"
        clients = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(3)]
        for client in clients:
            client.sendall(PING + call)
        for client in clients:
            with client, client.makefile("rb") as lines:
                answers = {json.loads(lines.readline())["id"]: 0, (second := json.loads(lines.readline()))["id"]: 0}
                assert answers.keys() == {1, 2}
                assert second["id"] == 1 or second["result"]["content"][0]["text"] == "HELLO"
        program.process.send_signal(signal.SIGINT)
        program.wait()


def test_the_serverless_function_answers_an_event() -> None:
    handler = load("lambda_handler").handler
    params = {"name": "convert", "arguments": {"amount": 100, "rate": 1.08}, "_meta": META}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    for encoded in (False, True):
        answer = handler(gateway(request, encoded=encoded), None)
        assert answer["statusCode"] == 200
        assert json.loads(answer["body"])["result"]["structuredContent"] == {"result": 108.0}
    assert handler(gateway({"jsonrpc": "2.0", "method": "notifications/initialized"}), None)["statusCode"] == 202
    assert handler(gateway("", "GET"), None)["statusCode"] == 405
    assert json.loads(handler(gateway("nonsense"), None)["body"])["error"]["code"] == -32700
    old = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
    assert "error" in json.loads(handler(gateway(old), None)["body"])


@pytest.mark.parametrize("name", ["lambda_handler"])
def test_an_example_runs_by_itself(name: str) -> None:
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["statusCode"] == 200


# make run -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_lines_of_make_run_work_when_pasted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
    with Program(EXAMPLES / "run.py", port, cwd=EXAMPLES.parent) as program:
        until(lambda: b"serving MCP at " in program.stderr)
        lines = [program.lines.get(timeout=5).decode().strip() for _ in range(program.lines.qsize())]
        *page, command, curl = [line for line in lines if line]
        assert page in ([], [f"http://127.0.0.1:{port}/"])
        assert f"call http://127.0.0.1:{port} forecast city=Oslo" in command
        assert _paste(command).startswith('{"city": "Oslo", "high": 19.5, "low": 13}\n')
        if shutil.which("curl"):
            answer = json.loads(_paste(curl))
            assert answer["result"]["structuredContent"]["result"][0] == {"city": "Oslo", "high": 19.5, "low": 13}
        done = subprocess.run([sys.executable, EXAMPLES / "run.py", port], capture_output=True, text=True, timeout=20)
        sentence = f"port {port} of 127.0.0.1 cannot be used; try another: make run PORT=8001\n"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)
        program.process.send_signal(signal.SIGINT)
        assert program.wait() == 0


def _paste(line: str) -> str:
    done = subprocess.run(line, shell=True, cwd=EXAMPLES.parent, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    return done.stdout


# make replicas ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_lines_of_make_replicas_work_when_pasted() -> None:
    folder = EXAMPLES.parent / "tests"
    with Program(folder / "replica_set.py", cwd=folder) as program:
        printed = iter(lambda: program.lines.get(timeout=30).decode(), "Ctrl-C ends all.\n")
        lines = [line.strip() for line in printed if line.startswith((".", "/", "curl", "kill"))]
        first, second, count, confirm, listen, change, stop, add, ask, resume, kill, add_again = lines
        processes = {int(_paste(line).split()[0]) for line in (first, second)}
        assert len(processes) == 2 and int(kill.split()[-1]) in processes
        assert _paste(count).startswith("counted to 5\n")
        assert _paste(confirm).startswith("accept yes\n")
        if shutil.which("curl"):
            listening = subprocess.Popen(shlex.split(listen), stdout=subprocess.PIPE, cwd=EXAMPLES.parent)
            with listening:
                assert listening.stdout is not None
                events = (json.loads(line[6:]) for line in listening.stdout if line.startswith(b"data: "))
                assert next(events)["method"] == "notifications/subscriptions/acknowledged"
                assert _paste(change).startswith("one changed in process ")
                assert next(events)["params"]["uri"] == "note://one"
                listening.terminate()
        _paste(stop)
        assert _paste(add).startswith("3\n")
        asked = subprocess.run(ask, shell=True, cwd=EXAMPLES.parent, capture_output=True, text=True, timeout=20)
        assert asked.returncode == 1 and "the shared store of this server" in asked.stdout
        _paste(resume)
        _paste(kill)
        assert _paste(add_again).startswith("3\n")
        program.process.send_signal(signal.SIGINT)
        assert program.wait() == 0
