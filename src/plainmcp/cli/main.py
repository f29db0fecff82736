"""The command line: serve a file, list what a server offers, call a tool, preview what a call becomes.

Reads the command and says what went wrong; how each thing is done is known in the rooms beside this one.
"""

import difflib
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
from ..errors import AuthorError
from ..policy import Policy
from ..revisions import LATEST, LATEST_HANDSHAKE, REVISIONS, Revision
from ..server import Server
from ..transports import stdio
from ..transports.log_format import formatted_logs
from . import preview, reload, show
from .client import Inside, Peer, PeerError, Unreachable
from .load import LoadError, load, own_traceback
from .options import parsed, words
from .policy import with_policy
from .progress import Progress

__all__ = ["LoadError", "load", "main"]

_LISTS = {
    "tools": "tools/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "prompts": "prompts/list",
}


class UsageError(Exception):
    """The command line asks for what there is not."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; gives the exit code."""
    given = parsed(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a result may hold what the terminal cannot show
    try:
        code = _COMMANDS[given.name](given)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read along has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (UsageError, LoadError, AuthorError, Unreachable, PeerError) as error:
        print(f"plainmcp: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1 if isinstance(error, LoadError) else 3
    except KeyboardInterrupt:
        return 0 if given.name == "serve" else 130


# The commands -------------------------------------------------------------------------------------


def _serve(given: Any) -> int:
    with formatted_logs():
        if given.reload:
            reload.serve_anew(given.target, given.http, given.grace)
        elif given.http is not None:
            load(given.target).run(http=given.http, workers=given.workers, grace=given.grace)
        else:
            with stdio.guard_stdio() as streams:  # what the file prints while it loads is no message
                load(given.target).run(streams=streams, grace=given.grace)
    return 0


def _list(given: Any) -> int:
    target, *_ = words(given, "FILE")
    with _apart(), closing(_peer(given, target)) as peer:
        offered = {kind: peer.list(method, kind) for kind, method in _LISTS.items()}
    if given.json:
        print(show.pretty({"serverInfo": peer.info, "revision": peer.revision, **offered}))
    else:
        print(*show.listing(peer.info, peer.revision, offered), sep="\n")
    return 0


def _call(given: Any) -> int:
    target, tool, *rest = words(given, "FILE", "TOOL", "ARGS")
    arguments = _arguments(rest)
    with _apart(), closing(Progress()) as told, closing(_peer(given, target, tool, told)) as peer:
        raw = _called(peer, tool, arguments)
    result = msgspec.json.decode(raw)
    print(*([raw.decode()] if given.json else show.result_lines(result)), sep="\n")
    return 1 if result.get("isError") or "content" not in result else 0


def _preview(given: Any) -> int:
    target, tool, *rest = words(given, "FILE", "TOOL", "ARGS")
    arguments = _arguments(rest)
    spoken = [revisions.revision_of(given.revision)] if given.revision else list(REVISIONS.values())
    refused: dict[str, str] = {}
    with _apart(), closing(Progress()) as told:
        if _is_elsewhere(given, target):
            _check_repeated(given, target, tool, spoken)
            greet = partial(_greeted, given, target, told=told)
            made, refused = preview.asked(greet, spoken, tool, arguments)
        else:
            server = load(target)
            policies = _policies(given, server, tool)
            made = preview.bills(server, tool, arguments, policies, spoken, told)
    if given.json:
        plain: dict[str, Any] = {"results": [bill.plain() for bill in made]}
        plain |= {"refused": refused} if refused else {}
        print(show.pretty({"tool": tool, "arguments": arguments, **plain}))
    else:
        print(*preview.report(made, refused, None if given.full else given.lines), sep="\n")
    return 1 if all(bill.failed for bill in made) else 0


def _policies(given: Any, server: Server, tool: str) -> dict[str, Policy]:
    """What to preview a tool of a file with; raises UsageError where there is no such tool."""
    feature = server.registry.tools.find(tool, None)
    if feature is None:
        raise UsageError(_no_tool(tool, sorted(each.key for each in server.registry.tools)))
    if given.policy is not None:
        return {given.policy: Policy.of(given.policy)}
    own = next((name for name in Policy.profiles if Policy.of(name) == feature.policy), "of its own")
    every = {name: Policy.of(name) for name in Policy.profiles} if given.policies else {}
    return {own: feature.policy} | every


def _check_repeated(given: Any, target: str, tool: str, spoken: list[Revision]) -> None:
    """Whether a tool elsewhere may be run once on each revision; raises UsageError where it may not."""
    if given.policy is not None or given.policies:
        raise UsageError("--policy and --policies go with a file: a server elsewhere has its own")
    with closing(_peer(given, target)) as peer:
        tools = {str(one.get("name")): one for one in peer.list(_LISTS["tools"], "tools")}
    if tool not in tools:
        raise UsageError(_no_tool(tool, sorted(tools)))
    hints = tools[tool].get("annotations") or {}
    if not (hints.get("readOnlyHint") or hints.get("idempotentHint") or given.repeat or len(spoken) == 1):
        raise UsageError(
            f"a server elsewhere runs a tool once for each revision, and {tool} does not say that it only reads: "
            "pass --repeat if it may run several times, or --revision to run it once"
        )


_COMMANDS = {"serve": _serve, "list": _list, "call": _call, "preview": _preview}


@contextmanager
def _apart() -> Generator[None, None, None]:
    """Keeps what the user's code prints out of what we print; what it fails with is told once, in its own frames."""
    seen: set[Any] = set()

    def fresh(record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            record.exc_text = own_traceback(error)
        key = record.getMessage() if error is None else id(error)
        return key not in seen and not seen.add(key)  # type: ignore[func-returns-value]

    log = logging.getLogger("plainmcp")
    log.addFilter(fresh)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        log.removeFilter(fresh)


# What the words mean ------------------------------------------------------------------------------


def _arguments(given: list[str]) -> dict[str, Any]:
    try:
        return msgspec.json.decode(given[0] if given else "{}", type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise UsageError(f'the arguments are no JSON object, such as \'{{"city": "Oslo"}}\': {error}') from None


def _is_url(target: str) -> bool:
    return target.startswith(("http://", "https://"))


def _is_elsewhere(given: Any, target: str) -> bool:
    return given.command is not None or _is_url(target)


def _peer(given: Any, target: str, tool: str | None = None, told: Any = None) -> Peer:
    """The server that is meant, greeted."""
    policy = getattr(given, "policy", None)
    if not _is_elsewhere(given, target):
        server = load(target)
        if policy is not None and tool is not None:
            server = with_policy(server, Policy.of(policy), tool)
        return Peer(partial(Inside, server), revisions.revision_of(given.revision or LATEST.name), told)
    if policy is not None:
        raise UsageError("--policy goes with a file: a server elsewhere has its own")
    if given.revision is not None:
        return _greeted(given, target, revisions.revision_of(given.revision), told)
    try:
        return _greeted(given, target, LATEST_HANDSHAKE, told)
    except PeerError as error:
        try:
            return _greeted(given, target, LATEST, told)  # it may have left handshakes behind
        except (PeerError, Unreachable):
            raise error from None


def _greeted(given: Any, target: str, revision: Revision, told: Any = None) -> Peer:
    """A server elsewhere."""
    from . import remote  # http.client takes long to load, and files do without

    way: Any = remote.Pipes if given.command is not None else remote.Http
    return Peer(partial(way, target if given.command is None else given.command), revision, told)


def _called(peer: Peer, tool: str, arguments: dict[str, Any]) -> bytes:
    try:
        return peer.call(tool, arguments)
    except PeerError:
        names = [str(one.get("name")) for one in peer.list(_LISTS["tools"], "tools")]
        if tool in names:
            raise
        raise UsageError(_no_tool(tool, names)) from None


def _no_tool(tool: str, names: list[str]) -> str:
    close = difflib.get_close_matches(tool, names, 1)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(names)}" if names else "there is none"
    return f"there is no tool {tool!r}; {hint}"
