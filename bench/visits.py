"""A load generator whose clients come and go: a session, one call in it, and the end of the session, on connections
that stay.

    visits.py PORT CLIENTS SECONDS TOOL PROCESS

Prints JSON: how many visits there were in how many seconds, the milliseconds within which half and 99% of their calls
were answered, which part of the time the generator was busy, and the CPU seconds of the process that serves.
"""

import json
import select
import socket
import sys
import time

from hammer import LAST_CHUNK, PATIENCE, WARM, lines_of, post, without_chunks
from public_tools import CALLS, FOUND
from rounds import cpu_seconds_of
from workload import HANDSHAKE, Case, headers, opening, request

__all__: list[str] = []

OPEN, TOLD, CALLED, LEFT = range(4)
"""What a client has sent last."""


class Visitor:
    """One client, which makes one visit after the other."""

    def __init__(self, port: int, tool: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        case = Case(tool, "tools/call", {"name": tool, "arguments": CALLS[tool]}, bool)
        self._fields = {**headers(case, HANDSHAKE), "host": f"127.0.0.1:{port}"}
        (self._open, self._tell), self._call = opening(), request(case, HANDSHAKE)
        self._tool, self._session, self._expected = tool, dict[str, str](), b""
        self._step, self._got, self._sent = LEFT, b"", 0.0
        self.took = 0.0  # seconds of the last call

    def begin(self) -> None:
        """Begin a visit."""
        self._session = {}
        self._send(OPEN, post(self._open, self._fields))

    def takes(self, data: bytes) -> bool:
        """Take what has come, and send what is next; returns whether a visit is over."""
        if not data:
            raise SystemExit("the server hung up")
        self._got += data
        head, end, body = self._got.partition(b"\r\n\r\n")
        named = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        chunked = named.get(b"transfer-encoding") == b"chunked"
        if not end or not (
            body.endswith(LAST_CHUNK) if chunked else len(body) >= int(named.get(b"content-length", 0))
        ):
            return False
        self._got = b""
        if not head.startswith(b"HTTP/1.1 20"):
            raise SystemExit(f"the server answers {head!r} {body[:300]!r}")
        if self._step == OPEN:
            if b"mcp-session-id" in named:
                self._session = {"mcp-session-id": _value_of(head, b"mcp-session-id")}
            self._send(TOLD, post(self._tell, self._fields | self._session))
        elif self._step == TOLD:
            self._send(CALLED, post(self._call, self._fields | self._session))
        elif self._step == CALLED:
            self.took = time.perf_counter() - self._sent
            self._check(without_chunks(body))
            if not self._session:
                return True
            self._send(LEFT, lines_of("DELETE", self._fields | self._session))
        else:
            return True
        return False

    def _send(self, step: int, data: bytes) -> None:
        self._step, self._sent = step, time.perf_counter()
        self.socket.send(data)

    def _check(self, body: bytes) -> None:
        """Raise when an answer is not the one that was asked for; the first is looked at, the others are the same."""
        if body == self._expected:
            return
        answer = json.loads(body)
        said = json.loads(answer["result"]["content"][0]["text"])
        if self._tool == "search_products":
            right = said["total_found"] == FOUND and len(said["products"]) == len(said["top10_popular_ids"]) == 10
        else:
            right = len(said["cart"]["items"]) == 2 and len(said["recent_history"]) == 5
        same = answer["result"].get("structuredContent") == {"result": answer["result"]["content"][0]["text"]}
        if self._expected or not right or not same:
            raise SystemExit(f"the server answers {body[:600]!r}")
        self._expected = body


def _value_of(head: bytes, name: bytes) -> str:
    lines = (line.partition(b": ") for line in head.split(b"\r\n"))
    return next(value for found, _, value in lines if found.lower() == name).decode()


def main(port: int, clients: int, seconds: float, tool: str, process: int) -> None:
    visitors = {one.socket.fileno(): one for one in (Visitor(port, tool) for _ in range(clients))}
    poll, clock = select.epoll(), time.perf_counter
    for number, one in visitors.items():
        poll.register(number, select.EPOLLIN)
        one.begin()
    taken: list[float] = []
    counting, start, busy, cpu = False, clock() + seconds * WARM, 0.0, 0.0
    end, waiting = start + seconds, clients
    elapsed = 0.0
    while waiting:
        now = clock()
        if not counting and now >= start:
            counting, start, busy, cpu = True, now, time.process_time(), cpu_seconds_of(process)
            taken.clear()
        slow = len(taken) < 2 * clients and now < end + PATIENCE  # a slow one is given more time
        if not elapsed and now >= end and not slow:
            elapsed, busy, cpu = now - start, time.process_time() - busy, cpu_seconds_of(process) - cpu
            taken.sort()
        for number, _ in poll.poll(0.1):
            one = visitors[number]
            if one.takes(one.socket.recv(1 << 16)):
                if elapsed:  # what is under way is finished, so that no server has work left
                    waiting -= 1
                else:
                    taken.append(one.took)
                    one.begin()
    half, most = (taken[int(len(taken) * part)] * 1e3 for part in (0.5, 0.99))
    found = {"answers": len(taken), "seconds": elapsed, "p50": half, "p99": most, "busy": busy / elapsed, "cpu": cpu}
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
