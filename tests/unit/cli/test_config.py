"""The configuration of clients: what is printed is what the client reads, and it starts the server."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from plainmcp.ui.client_config import CLIENTS
from serving import EXAMPLES

WEATHER = str(EXAMPLES / "weather.py")
URL = "https://weather.example/mcp"
HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    },
}
KEYS = {"claude-desktop": "mcpServers", "claude-code": "mcpServers", "cursor": "mcpServers", "vscode": "servers"}


def read(client: str, text: str) -> Any:
    """The servers in a configuration, as the client reads it."""
    return tomllib.loads(text)["mcp_servers"] if client == "codex" else json.loads(text)[KEYS[client]]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_file_is_started_with_this_python(run: Any, client: str) -> None:
    code, out, err = run("config", client, WEATHER)
    [(name, entry)] = read(client, out).items()
    assert (code, name) == (0, "weather")
    assert entry["command"] == sys.executable
    assert entry["args"] == ["-m", "plainmcp", "serve", WEATHER]
    assert entry.get("type", "stdio") == "stdio"
    assert err.startswith(f"# {CLIENTS[client].title}: paste it into ")


@pytest.mark.slow
def test_what_is_pasted_starts_the_server(run: Any, tmp_path: Path) -> None:
    entry = read("cursor", run("config", "cursor", WEATHER)[1])["weather"]
    command = [entry["command"], *entry["args"]]
    line = json.dumps(HANDSHAKE) + "\n"
    done = subprocess.run(command, cwd=tmp_path, input=line, capture_output=True, text=True, timeout=20)
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "weather"


@pytest.mark.parametrize(
    ("client", "entry"),
    [
        ("claude-code", {"type": "http", "url": URL, "headers": {"Authorization": "Bearer t"}}),
        ("cursor", {"url": URL, "headers": {"Authorization": "Bearer t"}}),
        ("vscode", {"type": "http", "url": URL, "headers": {"Authorization": "Bearer t"}}),
        ("codex", {"url": URL, "http_headers": {"Authorization": "Bearer t"}}),
    ],
)
def test_an_address_is_named_with_its_headers(run: Any, client: str, entry: dict[str, Any]) -> None:
    code, out, _ = run("config", client, "https://weather.example", "--bearer", "t")
    assert (code, read(client, out)) == (0, {"weather-example": entry})


def test_a_command_and_a_module_are_started(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    (tmp_path / "own_server.py").write_text("from plainmcp import Server\nserver = Server('my own')\n", "utf-8")
    out = run("config", "cursor", "--command", "uvx some-server --fast", "--server-name", "some")[1]
    assert read("cursor", out) == {"some": {"command": "uvx", "args": ["some-server", "--fast"]}}
    [(name, entry)] = read("cursor", run("config", "cursor", "-m", "own_server:server")[1]).items()
    assert (name, entry["args"][-1]) == ("my-own", f"{tmp_path / 'own_server.py'}:server")


def test_json_says_where_it_belongs(run: Any) -> None:
    code, out, err = run("config", "codex", WEATHER, "--json")
    about = json.loads(out)
    assert (code, err, about["client"], about["file"]) == (0, "", "Codex", "~/.codex/config.toml")
    assert list(about["configuration"]["mcp_servers"]) == ["weather"]


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        ([], 2, "name a client that we know: claude-desktop, claude-code, cursor, vscode, codex"),
        (["emacs", WEATHER], 2, "'emacs' is not a client that we know"),
        (["claude-desktop", URL], 2, "takes commands only; add https://weather.example/mcp in its settings"),
        (["cursor", "gone.py"], 1, "there is no file gone.py"),
        (["cursor", "--command", ""], 2, "--command is empty"),
        (["cursor", WEATHER, "--bearer-env", "T"], 2, "--bearer-env needs a URL, and takes the place of --bearer"),
        (["cursor", URL, "--bearer-env", "T", "--bearer", "t"], 2, "takes the place of --bearer"),
    ],
)
def test_what_cannot_be_configured_is_explained(run: Any, arguments: list[str], code: int, complaint: str) -> None:
    found, out, err = run("config", *arguments)
    assert (found, out) == (code, "")
    assert complaint in err
