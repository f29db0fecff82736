"""Many clients at once, some of them slow, gone or mad: does every answer come to whom it is for, and memory stay?

    python bench/load.py [--seconds 30] [--connections 200]

The server is on uvicorn in a process of its own. Half of the clients keep a session, half stand alone. Of their
requests 1% take long, 1% are left before the answer, 1% are too large or no JSON, and 2% tell of progress first.
Ends with 1 when an answer is lost, is another's or has a wrong status, when memory grows, or when the server does not
leave cleanly on SIGTERM. Needs Linux, for it reads /proc.
"""

import argparse
import asyncio
import itertools
import json
import random
import re
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from statistics import quantiles
from typing import Any, ClassVar

from plainmcp import Context, Server

MAX_BODY = 64 * 1024
SLOW = 0.5  # seconds a slow handler takes
PATIENCE = 20.0  # seconds until an answer counts as lost
WARM = 2 / 3  # of the run: objects are as many after 5 s, but the heap around them takes 20 to 40 s to settle
GROWTH = 3.0  # MB that may come on top
MOMENTS = (1, 5, 10, 20, 30, 60)  # in seconds: when memory is looked at
KINDS = {"forecast": 920, "measure": 30, "report": 20, "slow": 10, "leaving": 10, "too large": 5, "no JSON": 5}
NO_JSON = [b"", b"{", b"\xff\xfe", b'{"jsonrpc":"2.0","id":1,"method":"ping"', b"{'id': 1}"]
OWN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}}


def build() -> Server:
    server = Server("load", "1.0")

    server.tool(name="measure")(lambda city: city)  # in a thread

    @server.tool
    async def forecast(city: str) -> str:
        return city

    @server.tool
    async def report(city: str, context: Context) -> str:
        context.progress(1, 2, city)
        context.progress(2, 2, city)
        return city

    @server.tool
    async def slow(city: str) -> str:
        await asyncio.sleep(SLOW)
        return city

    return server


class Client:
    """One connection at a time, one request at a time; all of them count together."""

    ids = itertools.count(1)
    right: ClassVar[Counter[str]] = Counter()
    wrong: ClassVar[Counter[str]] = Counter()
    seconds: ClassVar[list[float]] = []

    def __init__(self, port: int, number: int) -> None:
        self._port, self._random, self._alone = port, random.Random(number), number % 2 == 0
        self._headers = {"MCP-Protocol-Version": "2026-07-28" if self._alone else "2025-11-25"}

    async def greet(self) -> None:
        """Connect, and open a session where one is needed."""
        await self._open()
        if not self._alone:
            _, headers, _ = await self._post(_message("initialize", HELLO, id=0))
            self._headers["Mcp-Session-Id"] = headers["mcp-session-id"]
            await self._post(_message("notifications/initialized", {}))

    async def work(self, end: float) -> None:
        while time.monotonic() < end:
            await self.ask(*self._random.choices(list(KINDS), list(KINDS.values())))

    async def ask(self, kind: str) -> None:
        start = time.monotonic()
        try:
            wrong = await asyncio.wait_for(self._asked(kind), PATIENCE)
        except (OSError, EOFError, TimeoutError, LookupError, ValueError) as error:
            wrong = f"lost, {type(error).__name__}"
            with suppress(OSError):
                await self._reopen()
        self.seconds.append(time.monotonic() - start)
        self.right.update([kind] if wrong is None else [])
        self.wrong.update([] if wrong is None else [f"{kind}: {wrong}"])

    async def _asked(self, kind: str) -> str | None:
        """What is wrong with the answer, if anything."""
        if kind in ("too large", "no JSON"):
            large = kind == "too large"
            status, _, _ = await self._post(b" " * (MAX_BODY + 1) if large else self._random.choice(NO_JSON))
            await self._reopen()
            return None if status == (413 if large else 400) else f"status {status}"
        id, tool = next(self.ids), "slow" if kind == "leaving" else kind
        city = f"{id} " * self._random.randint(1, 50)
        meta = {**(OWN if self._alone else {}), **({"progressToken": id} if tool == "report" else {})}
        body = _message("tools/call", {"name": tool, "arguments": {"city": city}, "_meta": meta}, id=id)
        headers = {"Mcp-Method": "tools/call", "Mcp-Name": tool}
        if kind == "leaving":
            self._send(body, **headers)
            await asyncio.sleep(self._random.random() * SLOW)
            await self._reopen()
            return None
        status, _, said = await self._post(body, **headers)
        told = [one["params"]["message"] for one in said if "method" in one]
        ours = status == 200 and said[-1]["id"] == id and said[-1]["result"]["content"][0]["text"] == city
        return None if ours and told == [city] * (2 if tool == "report" else 0) else f"status {status}, or not ours"

    async def _reopen(self) -> None:
        self._writer.close()
        await self._open()

    async def _open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def _post(self, body: bytes, **headers: str) -> tuple[int, dict[str, str], list[Any]]:
        """The status, the headers, and the messages of an answer."""
        self._send(body, **headers)
        first, *lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        found = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        if "content-length" in found:
            text = await self._reader.readexactly(int(found["content-length"]))
            return int(first.split()[1]), found, [json.loads(text)] if text else []
        text = b""
        while size := int(await self._reader.readline(), 16):
            text += (await self._reader.readexactly(size + 2))[:-2]
        await self._reader.readline()  # the empty line after the last chunk
        return int(first.split()[1]), found, [json.loads(data) for data in re.findall(rb"(?m)^data: (.+)$", text)]

    def _send(self, body: bytes, **headers: str) -> None:
        fixed = {"Host": "127.0.0.1", "Accept": "application/json, text/event-stream", "Content-Length": len(body)}
        lines = [f"{name}: {value}\r\n" for name, value in {**fixed, **self._headers, **headers}.items()]
        self._writer.write(f"POST /mcp HTTP/1.1\r\n{''.join(lines)}\r\n".encode() + body)


def _message(method: str, params: dict[str, Any], **id: int) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **id, "method": method, "params": params}).encode()


def _megabytes(pid: int) -> float:
    return int(re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[0]) / 1024


async def _memory(pid: int, seconds: int) -> dict[int, float]:
    """The size of a process at some moments of the run, in seconds."""
    start, found = time.monotonic(), {}
    for at in sorted({*(moment for moment in MOMENTS if moment < seconds), round(seconds * WARM), seconds}):
        await asyncio.sleep(start + at - time.monotonic())
        found[at] = _megabytes(pid)
    return found


async def main(seconds: int, connections: int) -> int:
    command = (sys.executable, __file__, "--serve")
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    try:
        port = int(re.findall(rb":(\d+)/mcp", await process.stderr.readline())[0])
        complaints = asyncio.create_task(process.stderr.read())
        clients = [Client(port, number) for number in range(connections)]
        await asyncio.gather(*(client.greet() for client in clients))
        end = time.monotonic() + seconds
        working = asyncio.gather(*(client.work(end) for client in clients))
        memory = asyncio.create_task(_memory(process.pid, seconds))
        await working
        used, times, wrong = await memory, Client.seconds[:], Client.wrong
        last = asyncio.gather(*(client.ask("slow") for client in clients))  # under way when it is told to end
        await asyncio.sleep(SLOW / 2)
        process.send_signal(signal.SIGTERM)
        start = time.monotonic()
        await last
        code = await asyncio.wait_for(process.wait(), PATIENCE)
        left, said = time.monotonic() - start, (await complaints).decode()
    finally:
        if process.returncode is None:
            process.kill()
    grown = used[max(used)] - used[round(seconds * WARM)]
    wrong.update([f"memory grew by {grown:.1f} MB"] if grown > GROWTH else [])
    wrong.update([f"the server ended with {code} and said {said[-2000:]!r}"] if code or said else [])
    cut = quantiles(times, n=100)
    print(f"{connections} connections, {seconds} s, {len(times) / seconds:,.0f} requests/s")
    print("as it should be:", ", ".join(f"{Client.right[kind]:,} {kind}" for kind in KINDS))
    print(f"seconds to an answer: {cut[49]:.3f} in the middle, {cut[98]:.3f} for 99%, {max(times):.3f} at most")
    print("memory:", ", ".join(f"{size:.1f} MB after {at} s" for at, size in used.items()))
    print(f"left {left:.2f} s after SIGTERM, {connections} slow requests under way")
    print("\n".join(f"WRONG, {count:,} times: {what}" for what, count in wrong.items()) or "nothing was wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--connections", type=int, default=200)
    if sys.argv[1:] == ["--serve"]:
        build().run(http="127.0.0.1:0", max_body=MAX_BODY)
    else:
        sys.exit(asyncio.run(main(**vars(parser.parse_args()))))
