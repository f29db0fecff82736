"""docs/reference/errors.md: every exception, its reader, and what a client receives for it, found by raising it."""

import logging
import re
from collections.abc import Iterator
from typing import Any

from plainmcp import Server, errors
from plainmcp.errors import AuthorError, PlainMCPError, ProtocolError, ToolError
from plainmcp.revisions import LATEST, REVISIONS, http_status
from plainmcp.testing import Client, RpcError
from plainmcp.wire import jsonrpc

from .markdown import code, first_line, headed, table

__all__ = ["page"]

_INTRO = """\
All exceptions are in `plainmcp.errors`; `ToolError` is in `plainmcp` as well. Each has one reader: the author,
the model or the client. See [Errors](../how-to/errors.md)."""

_RAISED = """\
## What an exception becomes

A function raises an exception; this is what the client receives. The number of the incident is also in the log, with
the traceback. The text of an unexpected exception is never sent, because it may contain secrets."""

_ARGUMENTS = """\
## When the arguments do not fit

The function does not run. The model gets all problems at once, but never the values it sent."""

_CODES = """\
## Codes

The codes that a client receives, and the HTTP status of the response on 2026-07-28. On the revisions with a
handshake the status is 200 also for errors, and 400 for a message that cannot be decoded."""


def page() -> str:
    """The page."""
    return headed(
        "Exceptions and codes",
        _INTRO,
        table(["exception", "read by", "what it means"], _class_rows(PlainMCPError, 0)),
        _RAISED,
        table(["raised", "in a tool", "in a resource", "in a prompt"], _raised_rows()),
        _ARGUMENTS,
        table(["arguments", "what the model reads"], _argument_rows()),
        _CODES,
        table(["code", "exception", "HTTP status"], _code_rows()),
    )


def _class_rows(kind: type, depth: int) -> Iterator[list[str]]:
    readers: dict[type, str] = {AuthorError: "author", ToolError: "model", ProtocolError: "client"}
    reader = next((who for root, who in readers.items() if issubclass(kind, root)), "")
    yield [f"{'&nbsp;' * 4 * depth}{code(kind.__name__)}", reader, first_line(kind)]
    below: type
    for below in kind.__subclasses__():
        if below.__module__ == errors.__name__ and below.__name__ in errors.__all__:
            yield from _class_rows(below, depth + 1)


_RAISES = (
    'ToolError("There is no city Oslow.")',
    'ValueError("hunter2")',
    'InvalidParams("days is at most 14")',
    'ResourceNotFound("weather://oslow")',
    'NormalizeError("$.rows[3]", "no form")',
)


def _raised_rows() -> Iterator[list[str]]:
    for expression in _RAISES:
        yield [code(expression), *(_sent(expression, kind) for kind in ("tool", "resource", "prompt"))]


def _sent(expression: str, kind: str) -> str:
    server = Server("errors")

    def failing() -> str:
        raise eval(expression, dict(vars(errors)))

    server.tool(name="failing")(failing)
    server.resource("memo://1")(failing)
    server.prompt(name="failing")(failing)
    client = Client(server)
    asked: dict[str, Any] = {"tool": client.call, "resource": client.read, "prompt": client.get_prompt}
    log = logging.getLogger("plainmcp")
    kept, log.disabled = log.disabled, True
    try:
        result = asked[kind]("memo://1" if kind == "resource" else "failing")
        return f"result, *isError*: {code(_numbered(result['content'][0]['text']))}"
    except RpcError as error:
        return f"error {error.code}: {code(_numbered(error.message))}"
    finally:
        log.disabled = kept


def _numbered(text: str) -> str:
    return re.sub(r"incident [0-9a-f]{8}", "incident 1f2e3d4c", text)


_GIVEN: tuple[dict[str, Any], ...] = (
    {},
    {"city": "Oslo", "days": "many"},
    {"cty": "Oslo"},
    {"city": None, "dayz": 3},
)


def _argument_rows() -> Iterator[list[str]]:
    server = Server("errors")

    @server.tool
    def forecast(city: str, days: int = 1) -> str:
        return "sunny"

    for given in _GIVEN:
        result = Client(server).call("forecast", given)
        yield [code(repr(given)), code(result["content"][0]["text"])]


def _code_rows() -> Iterator[list[str]]:
    known = {
        kind.code: kind
        for kind in ProtocolError.__subclasses__()
        if kind.__module__ == errors.__name__ and "code" in vars(kind)
    }
    for number, kind in sorted(known.items()):
        yield [str(number), code(kind.__name__), str(http_status(jsonrpc.encode_error(b"1", number, ""), LATEST))]
    for number in sorted({revision.resource_not_found for revision in REVISIONS.values()}):
        where = [name for name, revision in REVISIONS.items() if revision.resource_not_found == number]
        response = jsonrpc.encode_error(b"1", number, "")
        yield [str(number), f"`ResourceNotFound` on {', '.join(where)}", str(http_status(response, where[-1]))]
