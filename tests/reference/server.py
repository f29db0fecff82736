"""docs/reference/server.md: the options and methods of a server, and the options of features and of HTTP.

A parameter that has no comment in the code is described here; the page cannot be generated if one has neither.
"""

import inspect
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from plainmcp import Policy, Server
from plainmcp.protocol import options
from plainmcp.protocol.core import Core
from plainmcp.transports.connection import Connection
from plainmcp.transports.http.settings import Settings

from .markdown import code, comments, headed, table, words
from .signatures import calls, member

__all__ = ["page"]

_SERVER_OPTIONS = {
    "name": "The server's name. The only required argument.",
    "version": "Its version.",
    "title": "A name for people, if the revision has one.",
    "description": "A description, if the revision has one.",
    "instructions": "For every client: how to use the server.",
    "website_url": "Where to read more.",
    "icons": "Icons for user interfaces: `plainmcp.types.Icon`.",
    "policy": "A profile's name or a `Policy`: see [policy](policy.md).",
    "page_size": "Pagination: how many entries a page of a list has; `None` for lists without pages.",
    "lenient_arguments": 'Accept `"3"` for an integer, and similar values. Models often send these.',
    "cache": 'How long, in milliseconds, and for whom (`"public"` or `"private"`) clients may keep lists.',
    "extensions": "Your own capabilities to announce.",
    "key": "At least 16 bytes, to sign the state that clients of 2026-07-28 send back; the same for all processes.",
    "state_seconds": "How long such state is valid.",
    "timeout": "Seconds after which a function is cancelled, unless it has its own timeout.",
    "threads": "How many plain functions may run at a time in an event loop.",
    "threads_per_caller": (
        "Of these, those of one caller over HTTP; `None` [lends](limits.md#threads-for-plain-functions) what is idle."
    ),
    "max_waiting_threads": "How many more threads may wait for clients, or run a function that did not end in time.",
    "batches": "Accept arrays of messages on every revision.",
    "mask_errors": "Whether the text of an unexpected exception stays in the log; with `False` clients are sent it.",
    "now": "The clock, for tests.",
    "lifespan": "A function of the server that returns a context manager: see [lifespan](../how-to/lifespan.md).",
    "middleware": "Functions around every request: see [middleware](../how-to/middleware.md).",
    "observe": "A function, or several, that see each request begin and end: see [observe](../how-to/observe.md).",
    "implies": "Which scopes include others: see [authorization](../how-to/authorization.md#scopes).",
    "offers": (
        "Kinds of features that are announced although there may be none: `resources`, for tools that embed them, "
        "`tools`, `prompts`, `completions`."
    ),
    "store": "What several processes share: see [several processes](../how-to/scale.md).",
}

_FEATURE_OPTIONS = {
    "name": "Its name; by default the name of the function.",
    "title": "A name for people.",
    "description": "Its description; by default the docstring.",
    "icons": "Icons for user interfaces.",
    "meta": "Sent as `_meta`.",
    "tags": "Texts for `server.enable` and `server.disable`; clients do not see them.",
    "visible": "A function of the caller that returns whether they can see and use it.",
    "requires": "The scopes that a caller needs, or a function: see [scopes](../how-to/authorization.md#scopes).",
    "needs": 'The client capabilities that it needs, such as `{"sampling": {}}`.',
    "inline": "Run a plain function in the event loop instead of a thread.",
    "timeout": "Seconds after which it is cancelled.",
    "replace": "Replace a feature of the same name; without it, that is an error.",
    "input_schema": "Your own JSON Schema for the arguments; they are checked against it.",
    "output_schema": "Your own JSON Schema, `True` for one from the hint with any policy, `False` for none.",
    "annotations": "Hints for the client: such as `readOnlyHint` for a tool, `audience` for a resource.",
    "render": "The text: `json`, `yaml`, `table`, `markdown`, `csv`, or a function of the value. `yaml` is an extra.",
    "policy": "A policy other than the server's.",
    "mime_type": "Its MIME type.",
    "size": "Its size in bytes, if known.",
    "cache": "As for the server, for this resource.",
}

_HTTP = """\
`server.asgi(…)`, `server.wsgi(…)` and `server.run(http=…, …)` take these and `principal`, a function of
the ASGI scope or the WSGI environment that returns the caller. If it raises `PermissionError`, the status is 401."""

_METHODS_OF_SERVER = {
    "Offering": ("tool", "resource", "prompt", "completion", "method", "serializer"),
    "Files, links and texts": ("add_file", "add_directory", "add_link", "add_text_prompt", "add_file_prompt"),
    "Notifications and removal": (
        "remove_tool",
        "remove_resource",
        "remove_prompt",
        "resource_updated",
        "tools_changed",
        "resources_changed",
        "prompts_changed",
    ),
    "Composition": ("mount", "enable", "disable"),
    "Around requests": ("middleware", "observe", "observe_sessions"),
    "Use inside a program": (
        "list_tools",
        "list_resources",
        "list_resource_templates",
        "list_prompts",
        "call_tool",
        "read_resource",
        "get_prompt",
    ),
    "Answering": ("handle", "handle_async", "connect", "receive", "asgi", "wsgi", "route", "run", "run_async"),
    "The start and the end of a lifespan": ("start", "start_async", "close", "close_async"),
}


def page() -> str:
    """The page."""
    parts = [
        '```python\nfrom plainmcp import Server\n\nserver = Server("weather", version="1.0.0")\n```',
        "## Options of a server",
        table(["argument", "default", "what it is"], _parameters(Core.__init__, _SERVER_OPTIONS)),
        "A wrong value is an [AuthorError](errors.md), here and below, as soon as you pass it.",
    ]
    for title, names in _METHODS_OF_SERVER.items():
        long = title not in (
            "Notifications and removal",
            "Use inside a program",
            "The start and the end of a lifespan",
        )
        shown = [member(Server, name, "server") for name in names] if long else [calls(Server, names, "server")]
        parts += [f"## {title}", *shown]
    parts += ["## What the decorators take", "Every option may be omitted.", *_decorators()]
    parts += [
        "## Options of HTTP",
        _HTTP,
        table(["setting", "default", "what it is"], _settings()),
        "## A connection",
        "`server.connect(send)` is a connection to one client. `send` is called with messages other than responses.",
        calls(Connection, ("handle", "start", "finish", "close"), "connection"),
    ]
    return headed("Server", *parts)


def _parameters(function: Any, said: dict[str, str]) -> Iterator[list[str]]:
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        default = parameter.default
        shown = "" if default is parameter.empty else "`time.time`" if callable(default) else code(_default(default))
        yield [code(parameter.name), shown, words(said, parameter.name)]


def _default(value: Any) -> str:
    return "standard" if isinstance(value, Policy) else repr(value)


def _decorators() -> Iterator[str]:
    common = options.FeatureOptions.__annotations__
    kinds = {"tool": options.ToolOptions, "resource": options.ResourceOptions, "prompt": options.PromptOptions}
    yield table(["option", "tool", "resource", "prompt", "what it says"], _option_rows(kinds, common))


def _option_rows(kinds: dict[str, Any], common: dict[str, Any]) -> Iterator[list[str]]:
    names = dict.fromkeys(["name", *common, *(name for kind in kinds.values() for name in kind.__annotations__)])
    for name in names:
        taken = ["yes" if name in kind.__annotations__ else "" for kind in kinds.values()]
        yield [code(name), *taken, words(_FEATURE_OPTIONS, name)]


def _settings() -> Iterator[list[str]]:
    said = comments(Settings) | {
        "max_body": "bytes of a request",
        "max_sessions": "how many sessions there may be: see [limits](limits.md)",
        "session_idle_seconds": "after which an unused session ends",
        "session_seconds": "after which any session ends",
        "keep_alive_seconds": "between two keep-alive comments on an open stream",
    }
    for field in fields(Settings):
        yield [code(field.name), code(repr(field.default)), words(said, field.name)]
