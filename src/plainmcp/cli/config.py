"""`plainmcp config`: which file of a client the configuration for a server belongs to, and what to paste there."""

import shlex
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..ui.client_config import CLIENTS, ClientFormat, build_config, command_entry, url_entry, write_config
from .arguments import UsageError
from .connect import headers_of, is_remote
from .load import load
from .options import positionals_of
from .program import is_program
from .show import indent_json
from .source import ServerSource, find_source

__all__ = ["print_config"]


def print_config(options: Any) -> int:
    """`plainmcp config`: print the configuration, and on standard error where it belongs."""
    if not options.positionals or options.positionals[0] not in CLIENTS:
        given = f"{options.positionals[0]!r} is not" if options.positionals else "name"
        raise UsageError(f"{given} a client that we know: {', '.join(CLIENTS)}")
    client = CLIENTS[options.positionals.pop(0)]
    (target,) = positionals_of(options, "FILE")
    if options.bearer_env is not None and (options.bearer is not None or not target.startswith("http")):
        raise UsageError("--bearer-env needs a URL, and takes the place of --bearer")
    if is_remote(options, target):
        name, entry = _remote_entry(options, client, target)
    else:
        name, entry = _local_entry(options, client, target)
    configuration = build_config(client, options.server_name or name, entry, options.bearer_env)
    if options.json:
        print(indent_json({"client": client.title, "file": client.file, "configuration": configuration}))
        return 0
    print(write_config(client, configuration))
    print(f"# {client.title}: paste it into {client.file}", file=sys.stderr)
    return 0


def _local_entry(options: Any, client: ClientFormat, target: str) -> tuple[str, dict[str, Any]]:
    """The name of a server in a file or a module, or of a program, and the entry that starts it from any folder."""
    is_module = options.module is not None
    source = find_source(target, is_module=is_module)
    if options.drop_in and is_program(source, options.arguments):
        name, place = _program_entry(source)
    else:
        name = load(target, is_module=is_module, arguments=options.arguments).info.name
        file = source.file or getattr(sys.modules.get(source.module), "__file__", None)
        if file is None:
            raise UsageError(f"{source.where} has no file that a client could start")
        place = str(Path(file).resolve() if source.file else file) + (f":{source.name}" if source.name else "")
    words = [sys.executable, "-m", "plainmcp", "serve", *(["--drop-in"] if options.drop_in else []), place]
    return name, command_entry(client, [*words, *(["--", *options.arguments] if options.arguments else [])])


def _program_entry(source: ServerSource) -> tuple[str, str]:
    """A name for the server of a program, which only the program knows, and what to start."""
    file = source.main_file
    if source.script is not None or file is None:
        return source.where, source.where
    return file.parent.name if file.stem == "__main__" else file.stem, str(file.resolve())


def _remote_entry(options: Any, client: ClientFormat, target: str) -> tuple[str, dict[str, Any]]:
    """A name for a server elsewhere, and the entry with its address or its command."""
    if options.command is not None:
        words = shlex.split(options.command)
        if not words:
            raise UsageError("--command is empty")
        return words[-1].rpartition("/")[2].partition(".")[0], command_entry(client, words)
    if not client.takes_urls:
        raise UsageError(
            f"the configuration of {client.title} takes commands only; add {target} in its settings, under Connectors"
        )
    parts = urlsplit(target)
    url = target if parts.path.strip("/") else target.rstrip("/") + "/mcp"
    entry = url_entry(client, url, headers_of(options), options.bearer_env)
    return (parts.hostname or "server").replace(".", "-"), entry
