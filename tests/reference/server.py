"""docs/reference/server.md: what a server is made with, what it has, and what can be said about a feature and HTTP.

A parameter that has no comment in the code has its words here; one without either fails the making of the page.
"""

import inspect
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from plainmcp import Policy, Server
from plainmcp.protocol import options
from plainmcp.protocol.core import Core
from plainmcp.transports.connection import Connection
from plainmcp.transports.http.rules import Settings

from .markdown import code, comments, headed, table, words
from .signatures import calls, member

__all__ = ["page"]

_SERVER_OPTIONS = {
    "name": "What the server calls itself. The only argument that must be given.",
    "version": "Its version.",
    "title": "A name for people, where the revision has one.",
    "description": "What it is, likewise.",
    "instructions": "Told to every client: how to use what is offered.",
    "website_url": "Where to read more.",
    "icons": "Pictures for user interfaces: `plainmcp.types.Icon`.",
    "policy": "A profile's name or a `Policy`: see [policy](policy.md).",
    "page_size": "How many entries a page of a list has; `None` for lists in one piece.",
    "lenient_arguments": 'Take `"3"` where an integer is wanted, and the like. Models often send that.',
    "cache": 'How long, in milliseconds, and for whom (`"public"` or `"private"`) clients may keep lists.',
    "extensions": "Capabilities of your own to announce.",
    "key": "At least 16 bytes, to seal what travels through clients of 2026-07-28; the same for all processes.",
    "state_seconds": "How long such state is good for.",
    "timeout": "Seconds after which a function is given up, unless it says its own.",
    "threads": "How many plain functions may run at a time in an event loop.",
    "batches": "Take arrays of messages on every revision.",
    "now": "The clock, for tests.",
}

_FEATURE_OPTIONS = {
    "name": "What it is called; the function's name if not said.",
    "title": "A name for people.",
    "description": "What it does; the docstring if not said.",
    "icons": "Pictures for user interfaces.",
    "meta": "Sent as `_meta`.",
    "visible": "A function that is given who is calling, and says whether they see it and may use it.",
    "needs": 'The client capabilities without which it cannot run, such as `{"sampling": {}}`.',
    "inline": "Run a plain function in the event loop and not in a thread.",
    "timeout": "Seconds after which it is given up.",
    "replace": "Put it in the place of one of the same name; without it, that is an error.",
    "input_schema": "A JSON Schema of your own for the arguments; they are checked against it.",
    "output_schema": "A JSON Schema of your own, `True` for one from the hint whatever the policy, `False` for none.",
    "annotations": "Hints for the client: `readOnlyHint` and the like for a tool, `audience` for a resource.",
    "render": "The text: `json`, `yaml`, `table`, `markdown`, `csv`, or a function of the value. `yaml` is an extra.",
    "policy": "Another policy than the server's.",
    "mime_type": "The type of what is read.",
    "size": "Its size in bytes, if known.",
    "cache": "As for the server, for this resource.",
}

_HTTP = """\
`server.asgi(…)`, `server.wsgi(…)` and `server.run(http=…, …)` take these besides `principal`, a function that is
given the ASGI scope or the WSGI environment and says who is calling. If it raises `PermissionError`, the answer is
401."""

_METHODS_OF_SERVER = {
    "Offering": ("tool", "resource", "prompt", "completion", "serializer"),
    "Offering what is there already": ("add_file", "add_directory", "add_link", "add_text_prompt", "add_file_prompt"),
    "While it runs": ("remove_tool", "remove_resource", "remove_prompt", "resource_updated"),
    "Answering": ("handle", "handle_async", "connect", "asgi", "wsgi", "run"),
}


def page() -> str:
    """The page."""
    parts = [
        '```python\nfrom plainmcp import Server\n\nserver = Server("weather", version="1.0.0")\n```',
        "## What a server is made with",
        table(["argument", "default", "what it is"], _parameters(Core.__init__, _SERVER_OPTIONS)),
        "Nonsense is an [AuthorError](errors.md), here and below, when it is said and not when it is needed.",
    ]
    for title, names in _METHODS_OF_SERVER.items():
        long = title in ("Offering", "Answering")
        shown = [member(Server, name, "server") for name in names] if long else [calls(Server, names, "server")]
        parts += [f"## {title}", *shown]
    parts += ["## What the decorators take", "Every word may be left out.", *_decorators()]
    parts += [
        "## What can be said about HTTP",
        _HTTP,
        table(["setting", "default", "what it is"], _settings()),
        "## A connection",
        "What `server.connect(send)` gives: one client that stays. `send` is called with what is no answer.",
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
    yield table(["word", "tool", "resource", "prompt", "what it says"], _option_rows(kinds, common))


def _option_rows(kinds: dict[str, Any], common: dict[str, Any]) -> Iterator[list[str]]:
    names = dict.fromkeys(["name", *common, *(name for kind in kinds.values() for name in kind.__annotations__)])
    for name in names:
        taken = ["yes" if name in kind.__annotations__ else "" for kind in kinds.values()]
        yield [code(name), *taken, words(_FEATURE_OPTIONS, name)]


def _settings() -> Iterator[list[str]]:
    said = comments(Settings) | {
        "max_body": "bytes of a request",
        "max_sessions": "how many sessions are kept; the longest unused makes room",
        "session_idle_seconds": "after which a session that nobody used is forgotten",
        "session_seconds": "after which any session is forgotten",
        "keep_alive_seconds": "between two signs of life on an open stream",
    }
    for field in fields(Settings):
        yield [code(field.name), code(repr(field.default)), words(said, field.name)]
