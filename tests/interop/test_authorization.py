"""Official clients log in by themselves against a small real authorization server, and step up when they need to.

Both find the authorization server by our 401, register, log in with an authorization code and PKCE, call a tool, and
after a 403 log in again with the scopes that it names.
"""

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

from issuer import Issuer
from issuer import served as serve_issuer
from npm import NODE, installed
from plainmcp import Context, Server
from plainmcp.auth import JWT

SCRIPT = Path(__file__).parent / "login.mjs"
SECONDS = 30

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
    pytest.mark.parametrize("mode", ["legacy", "auto"]),
]


def notes() -> Server:
    server = Server("notes", "1.0")

    @server.tool(requires="notes:read")
    def read(ctx: Context) -> str:
        return f"read by {ctx.principal.subject}"

    @server.tool(requires=["notes:read", "notes:write"])
    async def write(text: str, ctx: Context) -> str:
        await ctx.progress(1, 1)
        return f"{text} by {ctx.principal.subject}"

    return server


@contextmanager
def protected() -> Iterator[tuple[str, Issuer]]:
    """A protected server on loopback, and its authorization server."""
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    with serve_issuer(resource=url) as issuer:
        app = notes().asgi(auth=JWT(issuer.url, url, scopes=["notes:read"]), path="/mcp")
        running = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield url, issuer
        finally:
            running.should_exit = True
            thread.join(10)
            listening.close()


class Memory:
    """Where a client keeps its tokens."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, info: Any) -> None:
        self.client = info


def provider_of(url: str, memory: Memory) -> OAuthClientProvider:
    """The login of the Python client, with a user who agrees at once."""
    answers: list[str] = []

    async def visit(address: str) -> None:
        async with httpx2.AsyncClient() as browser:
            answers.append((await browser.get(address)).headers["location"])

    async def answer() -> AuthorizationCodeResult:
        query = {name: values[0] for name, values in parse_qs(urlsplit(answers.pop()).query).items()}
        return AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss"))

    metadata = OAuthClientMetadata(redirect_uris=["http://127.0.0.1:9/callback"], client_name="t")  # type: ignore[list-item]
    return OAuthClientProvider(url, metadata, memory, visit, answer)


def check_logins(issuer: Issuer, url: str) -> None:
    """The client asked for little first, for all that it needed then, and always for this server."""
    first, second = issuer.asked
    assert (first["scope"].split(), first["resource"]) == (["notes:read"], url)
    assert {"notes:read", "notes:write"} <= set(second["scope"].split())
    assert second["resource"] == url


def test_the_python_client_logs_in_and_steps_up(mode: str) -> None:
    """R2511-AUTH-08, R26-AUTH-08, R26-AUTH-10."""

    async def run(url: str) -> list[str]:
        memory = Memory()
        with anyio.fail_after(SECONDS):
            async with (
                httpx2.AsyncClient(auth=provider_of(url, memory), timeout=SECONDS) as http,
                Client(streamable_http_client(url, http_client=http), mode=mode) as client,
            ):
                results = [await client.call_tool("read"), await client.call_tool("write", {"text": "hello"})]
        return [result.content[0].text for result in results]  # type: ignore[union-attr]

    with protected() as (url, issuer):
        assert anyio.run(run, url) == ["read by ada", "hello by ada"]
        check_logins(issuer, url)


def test_the_typescript_client_logs_in_and_steps_up(mode: str) -> None:
    client = installed("@modelcontextprotocol/client", "2.4.0")
    with protected() as (url, issuer):
        done = subprocess.run(
            [NODE, SCRIPT, client, mode, url], capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {"read": "read by ada", "written": "hello by ada", "logins": 2}
        check_logins(issuer, url)
