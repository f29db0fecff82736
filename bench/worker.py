"""One system in a process of its own. Asked on standard input, a line of JSON each, what so many calls cost.

worker.py SYSTEM            answers {"way": …, "case": …, "calls": …} with the seconds they took
worker.py SYSTEM stdio KIND serves the workload on standard input and output
worker.py SYSTEM http PORT  serves it on one uvicorn worker; the system "floor" is a bare ASGI application
"""

import json
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import systems
import workload
from workload import LATEST, opening, request

__all__: list[str] = []

SYSTEM = sys.argv[1]
Timed = Callable[[int], float]


@cache
def server(kind: str, tools: int, rows: int, policy: str | None, observe: str | None) -> Any:
    options = ({"policy": policy} if policy else {}) | ({"observe": observe} if observe else {})
    return systems.build("plainmcp" if SYSTEM == "floor" else SYSTEM, kind, tools=tools, rows=rows, **options)


@cache
def client(
    kind: str,
    tools: int,
    rows: int,
    policy: str | None,
    observe: str | None,
    wire: str,
    events: bool,
    auth: str | None,
) -> Any:
    from ways.asgi import Client

    built = server(kind, tools, rows, policy, observe)
    if auth is None:
        return Client(systems.app(SYSTEM, built, events=events), wire)
    verifier, token = systems.verifier(auth)
    return Client(built.asgi(auth=verifier), wire, token)


@cache
def prepared(
    way: str,
    name: str,
    kind: str,
    wire: str,
    tools: int | None,
    rows: int,
    policy: str | None,
    observe: str | None,
    auth: str | None,
) -> Timed:
    """What is to be timed, once its answer has been looked at."""
    asked = workload.case(name, tools=tools, rows=rows)
    settings = kind, asked.tools, rows, policy, observe
    if way == "asgi":
        using = client(*settings, wire, asked.progress, auth)
        using.checked(SYSTEM, asked)
        return lambda calls: float(using.timed(asked, calls))
    from ways import handle

    built = server(*settings)
    if SYSTEM == "floor":
        call = handle.copy(asked, built) if way == "copy" else handle.floor(asked, built)
    else:
        call = handle.way(SYSTEM, asked, built)
    return lambda calls: handle.timed(call, calls)


def answer() -> None:
    """Answer until nobody asks any more."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a system prints is no answer
    for line in sys.stdin:
        asked = json.loads(line)
        calls = asked.pop("calls")
        out.write(f"{prepared(**asked)(calls)}\n")
        out.flush()


def stdio(kind: str) -> None:
    serving = systems.build(SYSTEM, kind)
    if SYSTEM == "fastmcp":
        serving.run(show_banner=False)
    else:
        serving.run()


def http(port: str) -> None:
    import uvicorn

    app = bare() if SYSTEM == "floor" else systems.app(SYSTEM, systems.build(SYSTEM))
    tuned: Any = {"loop": "uvloop", "http": "httptools", "log_level": "critical", "access_log": False}
    uvicorn.run(app, host="127.0.0.1", port=int(port), **tuned)


def bare() -> Any:
    """An ASGI application that answers each echo with the bytes that plainmcp answers."""
    server = systems.build("plainmcp")
    json_, session = (b"content-type", b"application/json"), (b"mcp-session-id", b"0")
    first = server.handle(opening()[0])
    bodies = [request(workload.CASES[name], wire) for name in workload.ECHOES for wire in (None, LATEST)]
    answers = {body: server.handle(body) for body in bodies}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body", False):
                break
        answer = answers.get(body, first)
        head = [json_, (b"content-length", b"%d" % len(answer))]
        await send(
            {"type": "http.response.start", "status": 200, "headers": [*head, session] if answer is first else head}
        )
        await send({"type": "http.response.body", "body": answer})

    return app


if __name__ == "__main__":
    match sys.argv[2:]:
        case ["stdio", kind]:
            stdio(kind)
        case ["http", port]:
            http(port)
        case _:
            answer()
