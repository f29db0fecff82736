"""A load generator: so many connections, each with one request under way, for so many seconds; one thread.

    hammer.py PORT WIRE CONNECTIONS SECONDS [CASE [PROCESS]]

Requests are bytes made beforehand, and an answer is one memory comparison with the first, which was looked at; so it
takes far less time than any server it is pointed at. Prints JSON: how many answers came in how many seconds, the
milliseconds within which half and 99% of them came, which part of the time the generator itself was busy, and the CPU
seconds of the process that serves, where one is given. Needs Linux, for it uses epoll and the clocks of processes.
"""

import json
import select
import socket
import sys
import time
from collections.abc import Iterator

from rounds import cpu_seconds_of
from workload import CASES, HANDSHAKE, Case, check, headers, opening, request

__all__ = ["LAST_CHUNK", "PATIENCE", "WARM", "lines_of", "post", "without_chunks"]

WARM = 0.25  # of the seconds, before they count
PATIENCE = 30.0
LAST_CHUNK = b"0\r\n\r\n"


class Connection:
    """One client: a socket, a session where one is needed, and a request that never changes."""

    def __init__(self, port: int, wire: str, case: Case) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent, self.got = 0.0, b""
        fields = {**headers(case, wire), "host": f"127.0.0.1:{port}"}
        if wire == HANDSHAKE:
            for body in opening():
                head, _ = self._ask(post(body, fields))
                fields |= {name: head[name] for name in ("mcp-session-id",) if name in head}
        self._fields = fields
        self.request = post(request(case, wire), fields)
        _, self.expected = self._ask(self.request)
        check("the server", case, without_chunks(self.expected))

    def leave(self) -> None:
        """End the session, where there is one: servers that keep many become slow."""
        if "mcp-session-id" in self._fields:
            self.socket.setblocking(True)
            self._ask(lines_of("DELETE", self._fields))

    def _ask(self, data: bytes) -> tuple[dict[str, str], bytes]:
        """The headers and the body of an answer; a body in chunks keeps the marks of its chunks."""
        self.socket.sendall(data)
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._read()
        head, _, body = got.partition(b"\r\n\r\n")
        lines = (line.partition(": ") for line in head.decode().split("\r\n"))
        found = {name.lower(): value for name, _, value in lines}
        if found.get("transfer-encoding") == "chunked":
            while not body.endswith(LAST_CHUNK):
                body += self._read()
        while len(body) < int(found.get("content-length", 0)):
            body += self._read()
        return found, body

    def _read(self) -> bytes:
        data = self.socket.recv(1 << 16)
        if not data:
            raise SystemExit("the server hung up")
        return data


def without_chunks(body: bytes) -> bytes:
    """The content of a body that may have come in chunks."""
    if not body.endswith(LAST_CHUNK):
        return body
    content = b""
    while body != LAST_CHUNK:
        size, _, body = body.partition(b"\r\n")
        content, body = content + body[: int(size, 16)], body[int(size, 16) + 2 :]
    return content


def post(body: bytes, fields: dict[str, str]) -> bytes:
    return lines_of("POST", {**fields, "content-length": str(len(body))}) + body


def lines_of(method: str, fields: dict[str, str]) -> bytes:
    lines = [f"{name}: {value}\r\n" for name, value in fields.items()]
    return f"{method} /mcp HTTP/1.1\r\n{''.join(lines)}\r\n".encode()


def main(port: int, wire: str, count: int, seconds: float, name: str = "echo", process: int = 0) -> None:
    case = CASES[name]
    connections = {one.socket.fileno(): one for one in (Connection(port, wire, case) for _ in range(count))}
    poll, clock = select.epoll(), time.perf_counter
    for number, one in connections.items():
        one.socket.setblocking(False)
        poll.register(number, select.EPOLLIN)
        one.sent = clock()
        one.socket.send(one.request)
    taken: list[float] = []

    def answered() -> Iterator[Connection]:
        """Who has got a whole answer by now."""
        for number, _ in poll.poll(0.1):
            one = connections[number]
            one.got = one.got + one.socket.recv(1 << 16) if one.got else one.socket.recv(1 << 16)
            if one.got.endswith(one.expected) and one.got.startswith(b"HTTP/1.1 200"):
                one.got = b""
                yield one
            elif not one.got or len(one.got) > 4096 + len(one.expected):
                raise SystemExit(f"the server answers {one.got[:600]!r}")

    counting, start, busy, cpu = False, clock() + seconds * WARM, 0.0, 0.0
    end = start + seconds
    while (now := clock()) < end or (
        len(taken) < 2 * count and now < end + PATIENCE
    ):  # a slow one is given more time
        if not counting and now >= start:
            counting, start, busy, cpu = True, now, time.process_time(), cpu_seconds_of(process)
            taken.clear()
        for one in answered():
            now = clock()
            taken.append(now - one.sent)
            one.sent = now
            one.socket.send(one.request)
    elapsed, busy, cpu = clock() - start, time.process_time() - busy, cpu_seconds_of(process) - cpu
    waiting = count  # a server that still has work would hold up the one that is asked next
    while waiting and clock() < end + 2 * PATIENCE:
        waiting -= sum(1 for _ in answered())
    for one in connections.values() if not waiting else ():
        one.leave()
    taken.sort()
    half, most = (taken[int(len(taken) * part)] * 1e3 for part in (0.5, 0.99))
    found = {"answers": len(taken), "seconds": elapsed, "p50": half, "p99": most, "busy": busy / elapsed, "cpu": cpu}
    print(json.dumps(found))


if __name__ == "__main__":
    port, wire, count, seconds, *more = sys.argv[1:]
    main(int(port), wire, int(count), float(seconds), *more[:1], *map(int, more[1:]))
