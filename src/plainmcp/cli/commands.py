"""The commands that talk to a server: list, call, read, prompt, completion and preview. Each returns an exit code."""

import logging
import sys
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, redirect_stdout
from functools import partial
from typing import Any

import msgspec

from .. import revisions
from ..client import RpcError
from ..errors import MissingCapability
from ..policy import Policy
from ..preview.calls import policies_of
from ..preview.copies import with_policy
from ..revisions import REVISIONS, Revision
from ..server import Server
from . import listing, preview, show
from .answers import Answers, parse_answer
from .arguments import UsageError, parse_arguments
from .caller_option import principal_of
from .client import McpClient, Unreachable, text_of
from .connect import connect_remote, open_client, open_server
from .grammar import SHELLS
from .listing import KEYS, LISTS, TITLES
from .load import format_user_traceback, start_lifespan
from .options import positionals_of
from .progress import Progress
from .save import save_files

__all__ = ["COMMANDS"]


def list_features(options: Any) -> int:
    """`plainmcp list`: what a server offers."""
    (target,) = positionals_of(options, "FILE")
    with separate_output(), open_server(options, target) as server:
        access = {} if server is None else listing.access_of(server.registry)
        with closing(open_client(options, target, server)) as client:
            features = {kind: client.list(method, kind) for kind, method in LISTS.items()}
    if options.json:
        about = {"serverInfo": client.info, "revision": client.revision, **features}
        print(show.indent_json(about | listing.cost_and_access(features, access)))
    else:
        print(*listing.listing_lines(client.info, client.revision, features, access), sep="\n")
    return 0


def call_tool(options: Any) -> int:
    """`plainmcp call`: the result of a tool."""
    target, tool, *words = positionals_of(options, "FILE", "TOOL", rest=True)
    arguments = parse_arguments(words)
    with _open_request(options, target, "tools", tool) as client:
        schema = _schema_of(_tool_of(client, tool)) if arguments.texts or client.needs_schema else {}
        raw = client.call(tool, arguments.for_schema(schema), schema)
    result = _print_result(options, raw, show.result_lines)
    return 1 if result.get("isError") or "content" not in result else 0


def read_resource(options: Any) -> int:
    """`plainmcp read`: the contents of a resource."""
    target, uri = positionals_of(options, "FILE", "URI")
    with _open_request(options, target, "resources", uri) as client:
        raw = client.run("resources/read", {"uri": uri})
    return 0 if "contents" in _print_result(options, raw, show.contents_lines) else 1


def get_prompt(options: Any) -> int:
    """`plainmcp prompt`: the messages of a prompt."""
    target, name, *words = positionals_of(options, "FILE", "PROMPT", rest=True)
    params = {"name": name, "arguments": parse_arguments(words).as_texts()}
    with _open_request(options, target, "prompts", name) as client:
        raw = client.run("prompts/get", params)
    return 0 if "messages" in _print_result(options, raw, show.messages_lines) else 1


def complete(options: Any) -> int:
    """`plainmcp completion`: the suggestions for an argument of a prompt or of a resource template."""
    if options.positionals and options.positionals[0] in SHELLS:
        raise UsageError(f"plainmcp shell-completion {options.positionals[0]} prints the script of a shell")
    target, name, *words = positionals_of(options, "FILE", "PROMPT", "ARGUMENT=TEXT", rest=True)
    arguments = parse_arguments(words)
    others = arguments.as_texts()
    argument = next(iter(arguments.texts), None)
    if argument is None:
        raise UsageError("write the argument to complete, and its text so far, as ARGUMENT=TEXT")
    kind = "resourceTemplates" if "://" in name else "prompts"
    ref = {"type": "ref/resource", "uri": name} if "://" in name else {"type": "ref/prompt", "name": name}
    params: dict[str, Any] = {"ref": ref, "argument": {"name": argument, "value": others.pop(argument)}}
    if others:
        params["context"] = {"arguments": others}
    with _open_request(options, target, kind, name) as client:
        raw = client.run("completion/complete", params)
    _print_result(options, raw, show.suggestion_lines)
    return 0


def preview_call(options: Any) -> int:
    """`plainmcp preview`: what a call becomes on each revision."""
    target, tool, *words = positionals_of(options, "FILE", "TOOL", rest=True)
    arguments = parse_arguments(words)
    versions = [revisions.revision_of(options.revision)] if options.revision else list(REVISIONS.values())
    refusals: dict[str, str] = {}
    with separate_output(), open_server(options, target) as server, closing(Progress()) as progress:
        if server is None:
            schema = _check_repeat(options, target, tool, versions)
            typed = arguments.for_schema(schema)
            connect = partial(connect_remote, options, target, on_notification=progress)
            previews, refusals = preview.preview_remote(connect, versions, tool, typed, schema)
        else:
            caller = principal_of(options.principal)
            feature = server.registry.tools.find(tool, caller)
            if feature is None:
                names = (each.key for each in server.registry.tools if each.is_seen(caller))
                raise UsageError(_missing("tools", tool, sorted(names)))
            typed = arguments.for_schema(feature.definition.inputSchema)
            chosen = {options.policy: Policy.of(options.policy)} if options.policy else {}
            policies = chosen or policies_of(feature, every=options.policies)
            start_lifespan(server)
            previews = preview.preview_server(server, tool, typed, policies, versions, progress, caller)
    if options.json:
        results: dict[str, Any] = {"results": [each.to_dict() for each in previews]}
        results |= {"refused": refusals} if refusals else {}
        print(show.indent_json({"tool": tool, "arguments": typed, **results}))
    else:
        print(*preview.report_lines(previews, refusals, None if options.full else options.lines), sep="\n")
    return 1 if all(each.failed for each in previews) else 0


COMMANDS: dict[str, Callable[[Any], int]] = {
    "list": list_features,
    "call": call_tool,
    "read": read_resource,
    "prompt": get_prompt,
    "completion": complete,
    "preview": preview_call,
}
"""The function of each command."""


# One request --------------------------------------------------------------------------------------


@contextmanager
def _open_request(options: Any, target: str, kind: str, name: str) -> Generator[McpClient, None, None]:
    """A client for one request; an error of the server becomes a UsageError if it does not list the name."""
    with separate_output(), open_server(options, target) as server, closing(Progress()) as progress:
        answers = Answers([parse_answer(text) for text in options.answer], before=progress.close)
        server = _with_policy_of(options, server, name)
        with closing(open_client(options, target, server, progress, answers)) as client:
            try:
                yield client
            except (RpcError, Unreachable) as error:
                answers.check()
                if isinstance(error, Unreachable):
                    raise
                _check_name(client, kind, name)
                if error.code == MissingCapability.code and not answers.capabilities:
                    raise UsageError(f"{text_of(error)}; answer what the server asks with --answer JSON") from None
                if server is not None and options.principal is None and _names_scopes(error):
                    raise Unreachable(f"{text_of(error)}; say who calls with --principal 'NAME SCOPE'") from None
                raise
            answers.check()


def _names_scopes(error: RpcError) -> bool:
    """Whether a request was refused because the caller lacks scopes."""
    return isinstance(error.data, dict) and "requiredScopes" in error.data


def _print_result(options: Any, raw: bytes, to_lines: Callable[[dict[str, Any]], list[str]]) -> dict[str, Any]:
    """Print a result, in lines or exactly, and save its files; returns it."""
    result: dict[str, Any] = msgspec.json.decode(raw)
    print(*([raw.decode()] if options.json else to_lines(result)), sep="\n")
    if options.save is not None:
        for file in save_files(result, options.save):
            print(f"saved {file}", file=sys.stderr)
    return result


def _with_policy_of(options: Any, server: Server | None, tool: str) -> Server | None:
    """The server, with the policy of --policy for one tool."""
    policy = getattr(options, "policy", None)
    if policy is None:
        return server
    if server is None:
        raise UsageError("--policy needs a file: a remote server has its own policy")
    start_lifespan(server)
    return with_policy(server, Policy.of(policy), tool)


def _check_repeat(options: Any, target: str, tool: str, versions: list[Revision]) -> dict[str, Any]:
    """The input schema of a remote tool that runs once on each revision; raises UsageError if it may not."""
    if options.policy is not None or options.policies:
        raise UsageError("--policy and --policies need a file: a remote server has its own policy")
    with closing(open_client(options, target, None)) as client:
        definition = _tool_of(client, tool)
    hints = definition.get("annotations") or {}
    if not (hints.get("readOnlyHint") or hints.get("idempotentHint") or options.repeat or len(versions) == 1):
        raise UsageError(
            f"a remote server runs a tool once for each revision, and {tool} does not say that it only reads: "
            "pass --repeat if it may run several times, or --revision to run it once"
        )
    return _schema_of(definition)


# Names --------------------------------------------------------------------------------------------


def _tool_of(client: McpClient, tool: str) -> dict[str, Any]:
    """The definition of a tool; raises UsageError if there is none."""
    tools = {str(one.get("name")): one for one in client.list(LISTS["tools"], "tools")}
    if tool not in tools:
        raise UsageError(_missing("tools", tool, sorted(tools)))
    return tools[tool]


def _schema_of(definition: dict[str, Any]) -> dict[str, Any]:
    return definition.get("inputSchema") or {}


def _check_name(client: McpClient, kind: str, name: str) -> None:
    """Raise UsageError if a request failed because the server does not list the name that it is about."""
    if kind == "resources":
        return  # templates, and resources that are not listed, have URIs too: the server knows better
    names = [str(one.get(KEYS[kind])) for one in client.list(LISTS[kind], kind)]
    if name not in names:
        raise UsageError(_missing(kind, name, names))


def _missing(kind: str, name: str, names: list[str]) -> str:
    what = TITLES.get(kind, kind).removesuffix("s")
    from difflib import get_close_matches  # loaded for those who misspelled a name

    close = get_close_matches(name, names, 1)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(names)}" if names else "there is none"
    return f"there is no {what} {name!r}; {hint}"


@contextmanager
def separate_output() -> Generator[None, None, None]:
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
