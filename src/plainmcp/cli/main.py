"""The command line: serve a file, list what a server offers, call a tool, preview what a call becomes.

Reads the command and reports what went wrong; the modules beside this one do the work.
"""

import io
import logging
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, redirect_stdout
from functools import partial
from typing import Any

import msgspec

from .. import revisions
from ..compat import install
from ..errors import AuthorError
from ..policy import Policy
from ..preview.calls import policies_of
from ..preview.copies import with_policy
from ..revisions import LATEST, LATEST_HANDSHAKE, REVISIONS, Revision
from ..server import Server
from ..transports import stdio
from ..transports.log_format import formatted_logs
from . import show
from .client import InProcessTransport, McpClient, ServerError, Unreachable
from .load import LoadError, format_user_traceback, has_server, load, run_program
from .options import parse_options, positionals_of
from .progress import Progress

__all__ = ["LoadError", "load", "main"]

_LISTS = {
    "tools": "tools/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "prompts": "prompts/list",
}


class UsageError(Exception):
    """The command line is wrong, in a way that only the server can tell."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code."""
    options = parse_options(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a result may contain characters the terminal cannot show
    if options.drop_in:
        install()
    try:
        code = _COMMANDS[options.name](options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of our output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (UsageError, LoadError, AuthorError, Unreachable, ServerError) as error:
        print(f"plainmcp: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1 if isinstance(error, LoadError) else 3
    except KeyboardInterrupt:
        return 0 if options.name == "serve" else 130


# The commands -------------------------------------------------------------------------------------


def _serve(options: Any) -> int:
    logs: dict[str, Any] = {"access_log": options.access_log, "log_level": options.log_level}
    with formatted_logs(options.log_level):
        if options.reload:
            from . import reload  # multiprocessing takes long to load, and only this needs it

            reload.serve_with_reload(
                options.target,
                options.http,
                options.grace,
                drop_in=options.drop_in,
                keys=options.auth,
                ui=options.ui,
                **logs,
            )
        elif options.http is not None:
            details = {**logs, **_auth_options(options.auth), "ui": options.ui}
            server = load(options.target)
            Server.run(server, http=options.http, workers=options.workers, grace=options.grace, **details)
        else:
            if options.drop_in and not has_server(options.target):
                run_program(options.target)
                return 0
            with stdio.guard_stdio() as streams:  # what the file prints while it loads must not reach the client
                Server.run(load(options.target), streams=streams, grace=options.grace, **logs)
    return 0


def _auth_options(file: str | None) -> Any:
    """The options of a server whose callers need a key in a file; raises AuthorError."""
    if file is None:
        return {}
    from ..auth.keys import Keys  # brings hashlib

    return {"auth": Keys.from_file(file)}


def _list(options: Any) -> int:
    target, *_ = positionals_of(options, "FILE")
    with _separate_output(), closing(_open_client(options, target)) as client:
        features = {kind: client.list(method, kind) for kind, method in _LISTS.items()}
    if options.json:
        print(show.indent_json({"serverInfo": client.info, "revision": client.revision, **features}))
    else:
        print(*show.listing_lines(client.info, client.revision, features), sep="\n")
    return 0


def _call(options: Any) -> int:
    target, tool, *rest = positionals_of(options, "FILE", "TOOL", "ARGS")
    arguments = _parse_arguments(rest)
    with (
        _separate_output(),
        closing(Progress()) as progress,
        closing(_open_client(options, target, tool, progress)) as client,
    ):
        raw = _call_tool(client, tool, arguments)
    result = msgspec.json.decode(raw)
    print(*([raw.decode()] if options.json else show.result_lines(result)), sep="\n")
    return 1 if result.get("isError") or "content" not in result else 0


def _preview(options: Any) -> int:
    target, tool, *rest = positionals_of(options, "FILE", "TOOL", "ARGS")
    arguments = _parse_arguments(rest)
    versions = [revisions.revision_of(options.revision)] if options.revision else list(REVISIONS.values())
    refusals: dict[str, str] = {}
    from . import preview  # loaded for this command

    with _separate_output(), closing(Progress()) as progress:
        if _is_remote(options, target):
            _check_repeat(options, target, tool, versions)
            connect = partial(_connect_remote, options, target, progress=progress)
            previews, refusals = preview.preview_remote(connect, versions, tool, arguments)
        else:
            server = load(target)
            policies = _policies_of(options, server, tool)
            previews = preview.preview_server(server, tool, arguments, policies, versions, progress)
    if options.json:
        results: dict[str, Any] = {"results": [each.to_dict() for each in previews]}
        results |= {"refused": refusals} if refusals else {}
        print(show.indent_json({"tool": tool, "arguments": arguments, **results}))
    else:
        print(*preview.report_lines(previews, refusals, None if options.full else options.lines), sep="\n")
    return 1 if all(each.failed for each in previews) else 0


def _policies_of(options: Any, server: Server, tool: str) -> dict[str, Policy]:
    """The policies to preview a tool with; raises UsageError if there is no such tool."""
    feature = server.registry.tools.find(tool, None)
    if feature is None:
        raise UsageError(_missing_tool(tool, sorted(each.key for each in server.registry.tools)))
    if options.policy is not None:
        return {options.policy: Policy.of(options.policy)}
    return policies_of(feature, every=options.policies)


def _check_repeat(options: Any, target: str, tool: str, versions: list[Revision]) -> None:
    """Raise UsageError if a remote tool may not run once on each revision."""
    if options.policy is not None or options.policies:
        raise UsageError("--policy and --policies need a file: a remote server has its own policy")
    with closing(_open_client(options, target)) as client:
        tools = {str(one.get("name")): one for one in client.list(_LISTS["tools"], "tools")}
    if tool not in tools:
        raise UsageError(_missing_tool(tool, sorted(tools)))
    hints = tools[tool].get("annotations") or {}
    if not (hints.get("readOnlyHint") or hints.get("idempotentHint") or options.repeat or len(versions) == 1):
        raise UsageError(
            f"a remote server runs a tool once for each revision, and {tool} does not say that it only reads: "
            "pass --repeat if it may run several times, or --revision to run it once"
        )


_COMMANDS = {"serve": _serve, "list": _list, "call": _call, "preview": _preview}


@contextmanager
def _separate_output() -> Generator[None, None, None]:
    """Send what the user's code prints to standard error; show each failure once, without our own frames."""
    seen: set[Any] = set()

    def is_new(record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            record.exc_text = format_user_traceback(error)
        key = record.getMessage() if error is None else id(error)
        return key not in seen and not seen.add(key)  # type: ignore[func-returns-value]

    log = logging.getLogger("plainmcp")
    log.addFilter(is_new)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        log.removeFilter(is_new)


# The arguments ------------------------------------------------------------------------------------


def _parse_arguments(texts: list[str]) -> dict[str, Any]:
    try:
        return msgspec.json.decode(texts[0] if texts else "{}", type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise UsageError(f'the arguments are not a JSON object, such as \'{{"city": "Oslo"}}\': {error}') from None


def _is_url(target: str) -> bool:
    return target.startswith(("http://", "https://"))


def _is_remote(options: Any, target: str) -> bool:
    return options.command is not None or _is_url(target)


def _open_client(options: Any, target: str, tool: str | None = None, progress: Any = None) -> McpClient:
    """A client of the server that the command line names, after the handshake."""
    policy = getattr(options, "policy", None)
    if not _is_remote(options, target):
        server = load(target)
        if policy is not None and tool is not None:
            server = with_policy(server, Policy.of(policy), tool)
        return McpClient(
            partial(InProcessTransport, server), revisions.revision_of(options.revision or LATEST.name), progress
        )
    if policy is not None:
        raise UsageError("--policy needs a file: a remote server has its own policy")
    if options.revision is not None:
        return _connect_remote(options, target, revisions.revision_of(options.revision), progress)
    try:
        return _connect_remote(options, target, LATEST_HANDSHAKE, progress)
    except ServerError as error:
        try:
            return _connect_remote(options, target, LATEST, progress)  # it may not have a handshake
        except (ServerError, Unreachable):
            raise error from None


def _connect_remote(options: Any, target: str, revision: Revision, progress: Any = None) -> McpClient:
    """A client of a server at a URL or behind a command, after the handshake."""
    from . import remote  # http.client takes long to load, and a file does not need it

    connect: Any = partial(remote.CommandTransport, options.command)
    if options.command is None:
        connect = partial(remote.HttpTransport, target, key=options.key)
    return McpClient(connect, revision, progress)


def _call_tool(client: McpClient, tool: str, arguments: dict[str, Any]) -> bytes:
    try:
        return client.call(tool, arguments)
    except ServerError:
        names = [str(one.get("name")) for one in client.list(_LISTS["tools"], "tools")]
        if tool in names:
            raise
        raise UsageError(_missing_tool(tool, names)) from None


def _missing_tool(tool: str, names: list[str]) -> str:
    from difflib import get_close_matches  # loaded for those who misspelled a name

    close = get_close_matches(tool, names, 1)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(names)}" if names else "there is none"
    return f"there is no tool {tool!r}; {hint}"
