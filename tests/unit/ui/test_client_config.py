"""The configuration of clients, as each client's documentation describes it."""

import json
import tomllib
from typing import Any

import pytest

from plainmcp.ui.client_config import CLIENTS, build_config, command_entry, url_entry, write_config

URL = "https://weather.example/mcp"
TYPED = {"type": "http", "url": URL}
PROTECTED: dict[str, Any] = {
    "claude-code": {"mcpServers": {"w": {**TYPED, "headers": {"Authorization": "Bearer ${TOKEN}"}}}},
    "cursor": {"mcpServers": {"w": {"url": URL, "headers": {"Authorization": "Bearer ${env:TOKEN}"}}}},
    "vscode": {
        "inputs": [{"type": "promptString", "id": "TOKEN", "description": "Key or token", "password": True}],
        "servers": {"w": {**TYPED, "headers": {"Authorization": "Bearer ${input:TOKEN}"}}},
    },
    "codex": {"mcp_servers": {"w": {"url": URL, "bearer_token_env_var": "TOKEN"}}},
}


def read(name: str, text: str) -> Any:
    return tomllib.loads(text) if CLIENTS[name].is_toml else json.loads(text)


@pytest.mark.parametrize("name", PROTECTED)
def test_a_token_stays_out_of_the_file(name: str) -> None:
    client = CLIENTS[name]
    text = write_config(client, build_config(client, "w", url_entry(client, URL, {}, "TOKEN"), "TOKEN"))
    assert read(name, text) == PROTECTED[name]


@pytest.mark.parametrize("name", PROTECTED)
def test_other_headers_stay_with_a_token(name: str) -> None:
    client = CLIENTS[name]
    entry = url_entry(client, URL, {"X-Team": "blue"}, "TOKEN")
    assert entry[client.headers]["X-Team"] == "blue"
    assert "TOKEN" in str(entry)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_name_is_one_that_clients_take(name: str) -> None:
    client = CLIENTS[name]
    for given, taken in (("Rosa's shop", "Rosa-s-shop"), ("…", "server")):
        text = write_config(client, build_config(client, given, command_entry(client, ["run", "it"])))
        assert list(read(name, text)[client.key]) == [taken]


def test_only_the_client_without_addresses_takes_none() -> None:
    assert [name for name, client in CLIENTS.items() if not client.takes_urls] == ["claude-desktop"]
