"""P30: an issuer that hangs, on a socket, while someone sends invented tokens from the address of everyone."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from issuer import Issuer, compact, served
from plainmcp.auth import key_set
from plainmcp.auth.key_set import KeySet
from plainmcp.auth.principal import MustWait, Unavailable
from posting import modern_headers
from posting import served as running
from talking import META

FLOOD = 12
"""How many requests with invented tokens are under way at any time: more than threads for one address."""

pytestmark = pytest.mark.slow


class Hanging:
    """An issuer on a socket that answers, until it accepts connections only."""

    def __init__(self, issuer: Issuer) -> None:
        self._to = int(issuer.url.rpartition(":")[2])
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._kept: list[socket.socket] = []
        self.hangs = False
        issuer.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            if self.hangs:
                self._kept.append(client)
            else:
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._to)) as server:
            server.sendall(client.recv(65536))
            while data := server.recv(65536):
                client.sendall(data)

    def close(self) -> None:
        self._socket.close()
        for client in self._kept:
            client.close()


@contextmanager
def hanging() -> Iterator[tuple[Issuer, Hanging]]:
    with served() as issuer:
        proxy = Hanging(issuer)
        try:
            yield issuer, proxy
        finally:
            proxy.close()


PROGRAM = """
import sys
from plainmcp import Server
from plainmcp.auth import JWT, Introspection
{imports}
server = Server("s", "1")

@server.tool
def echo() -> str:
    return "hi"

url, kind = sys.argv[1:]
jwt = {jwt}
ask = Introspection(url + "/introspect", client_id="server", client_secret="x", resource="https://api.example.com/mcp")
server.run(http="127.0.0.1:0", auth=jwt if kind == "keys" else [jwt, ask])
"""
OURS = {"imports": "", "jwt": 'JWT(url, "https://api.example.com/mcp")'}
FACADE = {
    "imports": """
from plainmcp.compat.fastmcp.server.auth.providers.jwt import JWTVerifier
from plainmcp.compat.token_verifiers import AdaptedVerifier
""",
    "jwt": 'AdaptedVerifier(JWTVerifier(jwks_uri=url + "/jwks", issuer=url, audience="https://api.example.com/mcp"))',
}


def call(port: int, token: str, name: str = "echo") -> tuple[int, float]:
    """Call a tool with a token; gives the status, and how long it took."""
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": {}, "_meta": META},
    }
    started = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        headers = {**modern_headers(name), "Authorization": f"Bearer {token}"}
        connection.request("POST", "/mcp", json.dumps(body), headers)
        return connection.getresponse().status, time.monotonic() - started
    finally:
        connection.close()


@pytest.mark.parametrize("kind", ["keys", "introspection"])
@pytest.mark.parametrize("parts", [OURS, FACADE], ids=["JWT", "JWTVerifier"])
def test_new_tokens_do_not_wait_behind_invented_ones(tmp_path: Path, parts: dict[str, str], kind: str) -> None:
    """P30: all of them come from one address, which is what a server behind a proxy sees."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(**parts), "utf-8")
    with hanging() as (issuer, proxy), running(program, issuer.url, kind) as (_, port):
        assert call(port, issuer.token())[0] == 200
        proxy.hangs = True
        stop = threading.Event()

        def flood(number: int) -> set[int]:
            statuses = set()
            while not stop.is_set():
                unknown = {"alg": "RS256", "kid": f"k{number}-{time.monotonic()}", "typ": "at+jwt"}
                token = "opaque" if kind == "introspection" else compact(unknown, issuer.claims(), issuer.keys["one"])
                statuses.add(call(port, token)[0])
            return statuses

        with ThreadPoolExecutor(FLOOD) as pool:
            floods = [pool.submit(flood, number) for number in range(FLOOD)]
            time.sleep(1)
            good = [call(port, issuer.token()) for _ in range(20)]
            stop.set()
            statuses = set().union(*(one.result() for one in floods))
        assert statuses == {503}
        assert {status for status, _ in good} == {200}
        assert max(seconds for _, seconds in good) < 3, good  # the issuer is given up after 5


@pytest.mark.parametrize("server", ["asgi", "wsgi"])
def test_old_keys_are_used_while_new_ones_do_not_come(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """P30: one request waits for them, for a moment."""
    monkeypatch.setattr(key_set, "PATIENCE", 0.2)
    release, clock, fetches = threading.Event(), [1000.0], list[float]()
    issuer = Issuer()

    def load() -> Any:
        fetches.append(clock[0])
        if len(fetches) > 1:
            release.wait(10)
        return issuer.jwks()

    keys = KeySet(load, clock=lambda: clock[0])
    find = keys.find_at_once if server == "asgi" else keys.find
    with pytest.raises(MustWait):
        keys.find_at_once("RS256", "one", None)
    assert keys.find("RS256", "one", None)
    clock[0] += 3601
    started = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: find("RS256", "one", None), range(8)))
    assert time.monotonic() - started < 2 and len(fetches) == 2
    issuer.rotate("two")
    release.set()
    for _ in range(100):
        if keys.version == 2:
            break
        time.sleep(0.02)
    assert find("ES256", "two", None)
    assert len(fetches) == 2


def test_an_unknown_key_does_not_wait_for_a_fetch_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """P30: in the threads of a WSGI server, each that waits is one that serves no one."""
    monkeypatch.setattr(key_set, "PATIENCE", 0.2)
    release, fetches = threading.Event(), list[int]()
    issuer = Issuer()

    def load() -> Any:
        fetches.append(1)
        if len(fetches) > 1:
            release.wait(10)
            raise Unavailable("it does not answer")
        return issuer.jwks()

    keys = KeySet(load)
    assert keys.find("RS256", "one", None)
    with ThreadPoolExecutor(12) as pool:
        first = pool.submit(keys.find, "RS256", "unknown", None)
        while len(fetches) < 2:
            time.sleep(0.01)
        started = time.monotonic()
        others = [pool.submit(keys.find, "RS256", f"unknown-{number}", None) for number in range(10)]
        assert keys.find("RS256", "one", None)
        for one in others:
            with pytest.raises(Unavailable, match="that takes long"):
                one.result()
        assert time.monotonic() - started < 2
        release.set()
        with pytest.raises(Unavailable, match="it does not answer"):
            first.result()
    assert len(fetches) == 2


def test_those_who_waited_for_a_fetch_that_failed_do_not_fetch_again() -> None:
    """P30"""
    fetches: list[int] = []
    issuer = Issuer()

    def load() -> Any:
        fetches.append(1)
        if len(fetches) > 1:
            time.sleep(0.2)
            raise Unavailable("it does not answer")
        return issuer.jwks()

    keys = KeySet(load)
    assert keys.find("RS256", "one", None)

    def find(number: int) -> str:
        with pytest.raises(Unavailable) as caught:
            keys.find("RS256", f"unknown-{number}", None)
        return str(caught.value)

    with ThreadPoolExecutor(6) as pool:
        texts = set(pool.map(find, range(6)))
    assert len(fetches) == 2
    assert texts == {"it does not answer", "the keys of the issuer could not be fetched a moment ago"}
