"""The configuration of a client for a server: which file of the client it belongs to, and what to paste there."""

import re
import shlex
import sys
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from .arguments import UsageError
from .connect import headers_of, is_remote
from .load import load
from .options import positionals_of
from .show import indent_json, to_json
from .source import find_source

__all__ = ["print_config"]

_NAME = re.compile(r"[^A-Za-z0-9_-]+")


class _Client(NamedTuple):
    """A client: where its configuration is, the key of its servers there, and how it writes one."""

    title: str
    file: str
    key: str
    to_command: Callable[[list[str]], dict[str, Any]]
    to_url: Callable[[str, dict[str, str]], dict[str, Any]] | None
    is_toml: bool = False


def _command_entry(words: list[str]) -> dict[str, Any]:
    return {"command": words[0], "args": words[1:]}


def _typed_command_entry(words: list[str]) -> dict[str, Any]:
    return {"type": "stdio", **_command_entry(words)}


def _url_entry(url: str, headers: dict[str, str]) -> dict[str, Any]:
    return {"url": url, **({"headers": headers} if headers else {})}


def _typed_url_entry(url: str, headers: dict[str, str]) -> dict[str, Any]:
    return {"type": "http", **_url_entry(url, headers)}


def _codex_url_entry(url: str, headers: dict[str, str]) -> dict[str, Any]:
    return {"url": url, **({"http_headers": headers} if headers else {})}


_CLIENTS = {
    "claude-desktop": _Client(
        "Claude Desktop",
        "claude_desktop_config.json (Settings > Developer > Edit Config)",
        "mcpServers",
        _command_entry,
        None,
    ),
    "claude-code": _Client(
        "Claude Code", ".mcp.json in the project", "mcpServers", _typed_command_entry, _typed_url_entry
    ),
    "cursor": _Client(
        "Cursor", ".cursor/mcp.json in the project, or ~/.cursor/mcp.json", "mcpServers", _command_entry, _url_entry
    ),
    "vscode": _Client(
        "VS Code", ".vscode/mcp.json in the workspace", "servers", _typed_command_entry, _typed_url_entry
    ),
    "codex": _Client("Codex", "~/.codex/config.toml", "mcp_servers", _command_entry, _codex_url_entry, is_toml=True),
}


def print_config(options: Any) -> int:
    """`plainmcp config`: print the configuration, and on standard error where it belongs."""
    if not options.positionals or options.positionals[0] not in _CLIENTS:
        given = f"{options.positionals[0]!r} is not" if options.positionals else "name"
        raise UsageError(f"{given} a client that we know: {', '.join(_CLIENTS)}")
    client = _CLIENTS[options.positionals.pop(0)]
    (target,) = positionals_of(options, "FILE")
    if is_remote(options, target):
        name, entry = _remote_entry(options, client, target)
    else:
        name, entry = _local_entry(options, client, target)
    name = _NAME.sub("-", options.server_name or name).strip("-") or "server"
    configuration = {client.key: {name: entry}}
    if options.json:
        print(indent_json({"client": client.title, "file": client.file, "configuration": configuration}))
        return 0
    print(_to_toml(configuration) if client.is_toml else indent_json(configuration))
    print(f"# {client.title}: paste it into {client.file}", file=sys.stderr)
    return 0


def _local_entry(options: Any, client: _Client, target: str) -> tuple[str, dict[str, Any]]:
    """The name of a server in a file or a module, and the entry that starts it from any folder."""
    is_module = options.module is not None
    server = load(target, is_module=is_module)
    source = find_source(target, is_module=is_module)
    file = source.file or getattr(sys.modules.get(source.module), "__file__", None)
    if file is None:
        raise UsageError(f"{source.where} has no file that a client could start")
    place = str(file.resolve()) if source.file else str(file)
    words = [sys.executable, "-m", "plainmcp", "serve", place + (f":{source.name}" if source.name else "")]
    return server.info.name, client.to_command([*words, *(["--drop-in"] if options.drop_in else [])])


def _remote_entry(options: Any, client: _Client, target: str) -> tuple[str, dict[str, Any]]:
    """A name for a server elsewhere, and the entry with its address or its command."""
    if options.command is not None:
        words = shlex.split(options.command)
        if not words:
            raise UsageError("--command is empty")
        return words[-1].rpartition("/")[2].partition(".")[0], client.to_command(words)
    if client.to_url is None:
        raise UsageError(
            f"the configuration of {client.title} takes commands only; add {target} in its settings, under Connectors"
        )
    parts = urlsplit(target)
    url = target if parts.path.strip("/") else target.rstrip("/") + "/mcp"
    return (parts.hostname or "server").replace(".", "-"), client.to_url(url, headers_of(options))


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
    return to_json(value)
