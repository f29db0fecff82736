"""The configuration of clients for a server: the file of each client, its keys, and how a token is kept out of it.

Makes texts. Knows neither the command line nor the page, which both use it.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

__all__ = ["CLIENTS", "ClientFormat", "build_config", "command_entry", "url_entry", "write_config"]

_OTHER = re.compile(r"[^A-Za-z0-9_-]+")  # what clients do not take in the name of a server


class ClientFormat(NamedTuple):
    """A client: where its configuration is, the key of its servers there, and how it writes one."""

    title: str
    file: str
    key: str
    is_typed: bool = False  # whether an entry has a type
    headers: str = "headers"
    takes_urls: bool = True
    is_toml: bool = False
    to_token: Callable[[str], str] = "${{{}}}".format  # how a header names an environment variable
    inputs: Callable[[str], list[dict[str, Any]]] | None = None  # what the client asks its user for


def _ask_for(variable: str) -> list[dict[str, Any]]:
    return [{"type": "promptString", "id": variable, "description": "Key or token", "password": True}]


CLIENTS = {
    "claude-desktop": ClientFormat(
        "Claude Desktop",
        "claude_desktop_config.json (Settings > Developer > Edit Config)",
        "mcpServers",
        takes_urls=False,
    ),
    "claude-code": ClientFormat("Claude Code", ".mcp.json in the project", "mcpServers", is_typed=True),
    "cursor": ClientFormat(
        "Cursor",
        ".cursor/mcp.json in the project, or ~/.cursor/mcp.json",
        "mcpServers",
        to_token="${{env:{}}}".format,
    ),
    "vscode": ClientFormat(
        "VS Code",
        ".vscode/mcp.json in the workspace",
        "servers",
        is_typed=True,
        to_token="${{input:{}}}".format,
        inputs=_ask_for,
    ),
    "codex": ClientFormat("Codex", "~/.codex/config.toml", "mcp_servers", headers="http_headers", is_toml=True),
}
"""The clients, by the names that the command line has for them."""


def command_entry(client: ClientFormat, words: list[str]) -> dict[str, Any]:
    """The entry of a server that the client starts."""
    return {**({"type": "stdio"} if client.is_typed else {}), "command": words[0], "args": words[1:]}


def url_entry(client: ClientFormat, url: str, headers: dict[str, str], variable: str | None = None) -> dict[str, Any]:
    """The entry of a server at an address, with the headers of each request.

    With a variable, the client takes the token from there, and the file has none.
    """
    entry: dict[str, Any] = {**({"type": "http"} if client.is_typed else {}), "url": url}
    if variable is not None and client.is_toml:
        entry["bearer_token_env_var"] = variable
    elif variable is not None:
        headers = {**headers, "Authorization": f"Bearer {client.to_token(variable)}"}
    return {**entry, client.headers: headers} if headers else entry


def build_config(
    client: ClientFormat, name: str, entry: dict[str, Any], variable: str | None = None
) -> dict[str, Any]:
    """The configuration as data: the entry under a name, and what the client asks its user for."""
    inputs = {"inputs": client.inputs(variable)} if variable is not None and client.inputs is not None else {}
    return {**inputs, client.key: {_OTHER.sub("-", name).strip("-") or "server": entry}}


def write_config(client: ClientFormat, configuration: dict[str, Any]) -> str:
    """The configuration as a text to paste."""
    if client.is_toml:
        return _to_toml(configuration)
    return msgspec.json.format(msgspec.json.encode(configuration), indent=2).decode()


def _to_toml(configuration: dict[str, dict[str, dict[str, Any]]]) -> str:
    """A table of TOML for each server. A JSON text and a JSON array of texts are TOML too."""
    lines: list[str] = []
    for key, servers in configuration.items():
        for name, entry in servers.items():
            lines += [f"[{key}.{name}]", *(f"{field} = {_toml_value(value)}" for field, value in entry.items())]
    return "\n".join(lines)


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (f"{_toml_value(key)} = {_toml_value(one)}" for key, one in value.items())
        return "{ " + ", ".join(pairs) + " }"
    return msgspec.json.encode(value).decode()
